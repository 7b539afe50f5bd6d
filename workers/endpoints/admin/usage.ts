// GET /admin/usage: what requests came to, by server, model, key, day or hour, as JSON or CSV.

import { Hono } from "hono";
import * as z from "zod";
import { type CsvCell, csvOf } from "../../../shared/csv.ts";
import { type Breakdown, dimensions, mostFirst } from "../../../shared/record/usage-breakdown.ts";
import { type ShownUsage, type UsageSum, requestsIn, shownUsage, summedUsage, usageOutcomes } from "../../../shared/record/usage.ts";
import { iso, isoTime } from "../../http/iso-time.ts";
import { paths } from "../../platform/urls.ts";
import type { UsageAt, UsageBetween } from "../../stubs/ledger-calls.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJsonOr } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { type UsageRows, usageRows } from "./answers/usage.ts";
import { type LedgerUsage, dayMs, hourMs, usageOf } from "./ledger-usage.ts";

export const usageRoutes = new Hono<App>();

const by = [...dimensions, "day", "hour"] as const;
type By = (typeof by)[number];

const defaultDays = 30;

const usageQuery = z.strictObject({
  by: z.enum(by).default("day").describe("hour: kept for 32 days; the others for 400"),
  since: isoTime.optional().describe("The first hour or day (UTC) that has a part after this time; 30 days ago where it is not given"),
  until: isoTime.optional().describe("No hour or day that begins then or later; now where it is not given"),
  after: z.string().max(600).optional().describe("`next` of the answer before: the rows that follow"),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe("Rows: 1 to 1,000, 100 where it is not given; CSV has all"),
  format: z.enum(["json", "csv"]).optional().describe("csv, as with `Accept: text/csv`"),
});

const getUsage = describe("getUsage", {
  summary: "What ended requests came to by server, model, key, day or hour: outcomes, tokens, cost, and people's time within 5 %",
  200: asJsonOr("text/csv", usageRows, "The rows: names with the most requests first, times in their order"),
});

/**
 * `name`: of a server, model or key; a day or the beginning of an hour. Null: without one, or all
 * names that are not told apart.
 */
type Row = { readonly name: string | null; readonly isRest: boolean; readonly usage: UsageSum };

usageRoutes.get(paths.admin.usage, getUsage, validQuery(usageQuery), async (c) => {
  const query = c.req.valid("query");
  const now = Date.now();
  const between = wholePeriods(query.by === "hour" ? hourMs : dayMs, query.since ?? now - (defaultDays - 1) * dayMs, query.until ?? now);
  const usage = await usageOf(c.env, askedOf(query.by, between));
  const rows = rowsOf(query.by, usage);
  const headers = { "Cache-Control": "no-store" };
  if (wantsCsv(c, query.format)) return c.body(csv(query.by, rows), 200, { ...headers, "Content-Type": "text/csv; charset=utf-8" });
  const from = query.after === undefined ? 0 : rows.findIndex((row) => isAfter(query.by, row, query.after ?? ""));
  const page = from === -1 ? [] : rows.slice(from, from + query.limit);
  const last = page.at(-1);
  const more = last !== undefined && rows.at(-1) !== last;
  return c.json(
    {
      by: query.by,
      since: iso(between.since),
      until: iso(between.until),
      isComplete: usage.isComplete,
      rows: page.map(({ name, isRest, usage: sum }) => ({ name, isRest, ...shownUsage(sum) })),
      total: shownUsage(summedUsage(rows.map(({ usage: sum }) => sum))),
      next: more ? placeOf(query.by, last) : null,
    } satisfies UsageRows,
    200,
    headers,
  );
});

const wantsCsv = (c: AppContext, format: "json" | "csv" | undefined): boolean =>
  format === undefined ? /(^|,)\s*text\/csv\s*(;|,|$)/i.test(c.req.header("Accept") ?? "") : format === "csv";

/**
 * The time from the beginning of the period of `since` to the end of the last one that begins
 * before `until`.
 */
const wholePeriods = (length: number, since: number, until: number): UsageBetween => ({
  since: Math.floor(since / length) * length,
  until: Math.ceil(until / length) * length,
});

function askedOf(of: By, between: UsageBetween) {
  if (of === "hour") return { hours: between };
  return of === "day" ? { days: between } : { by: { dimension: of, ...between } };
}

function rowsOf(of: By, { hours, days, by: names }: LedgerUsage): Row[] {
  if (of === "hour") return hours.map(([at, usage]) => ({ name: iso(at), isRest: false, usage }));
  if (of === "day") return days.map(dayRow);
  return namedRows(names);
}

const dayRow = ([at, usage]: UsageAt): Row => ({ name: iso(at).slice(0, 10), isRest: false, usage });

function namedRows(names: Breakdown): Row[] {
  const { named, unnamed, rest } = mostFirst(names);
  return [
    ...named.map(([name, usage]): Row => ({ name, isRest: false, usage })),
    { name: null, isRest: false, usage: unnamed },
    { name: null, isRest: true, usage: rest },
  ].filter(({ usage }) => requestsIn(usage) > 0);
}

/**
 * Where a row stands: by its requests and name, or its time. It is the same for as long as the
 * row's count is.
 */
const placeOf = (of: By, { name, isRest, usage }: Row): string => {
  if (of === "hour" || of === "day") return name ?? "";
  return name === null ? (isRest ? "rest" : "unnamed") : `${requestsIn(usage)} ${name}`;
};

/**
 * Whether the row stands behind this place, also where the row of the place has another count
 * meanwhile.
 */
function isAfter(of: By, row: Row, place: string): boolean {
  if (of === "hour" || of === "day") return (row.name ?? "") > place;
  if (row.name === null) return row.isRest ? place !== "rest" : !["unnamed", "rest"].includes(place);
  const [, count = "", name = ""] = /^(\d+) (.*)$/s.exec(place) ?? [];
  const requests = requestsIn(row.usage);
  return count !== "" && (requests < Number(count) || (requests === Number(count) && row.name > name));
}

const columns = ["requests", ...usageOutcomes, "input_tokens", "output_tokens", "cost_usd", "wait_p50_ms", "wait_p95_ms"];

const csv = (of: By, rows: readonly Row[]): string =>
  csvOf([
    [of, ...columns],
    ...rows.map(({ name, isRest, usage }) => [name ?? (isRest ? "(others)" : "(none)"), ...cellsOf(shownUsage(usage))]),
  ]);

const cellsOf = ({ requests, outcomes, inputTokens, outputTokens, costUsd, waitP50Ms, waitP95Ms }: ShownUsage): CsvCell[] => [
  requests,
  ...usageOutcomes.map((each) => outcomes[each]),
  inputTokens,
  outputTokens,
  Number(costUsd.toFixed(9)),
  waitP50Ms,
  waitP95Ms,
];

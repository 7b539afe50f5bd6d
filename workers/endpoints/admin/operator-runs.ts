// Requests for the operator: their list, one of them, and the record. Never the content of a
// request or reply.

import { readJsonOf } from "../../../shared/json/json-of.ts";
import type { RunsQuery, TotalsQuery } from "../../stubs/ledger-calls.ts";
import { Hono } from "hono";
import * as z from "zod";
import { type LinePage, type LinePlace, mergedLines } from "../../../shared/record/line-list.ts";
import { lineFilters } from "../../../shared/record/line-query.ts";
import { type RecordEvent, endStates, exportLine, exportedEvent, openStates } from "../../../shared/record/record.ts";
import { shownUsage } from "../../../shared/record/usage.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import type { Env } from "../../platform/env.ts";
import { configStub, ledgerShardOf, ledgerShards, ledgerStub, runStub } from "../../stubs/stubs.ts";
import type { RunLine as StoredLine } from "../../stubs/run-calls.ts";
import { documentsOf } from "../../stores/documents.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import type { App, AppContext } from "../app-context.ts";
import { inPath, asJson, asText } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { iso, isoTime } from "../../http/iso-time.ts";
import { totalsOfSearch } from "./ledger-usage.ts";
import { type LinesPage, exportedAtOnce, exportedLines, lineTypes } from "./runs-export.ts";
import {
  type OperatorRun,
  type RunEvents,
  type RunList,
  type RunTotals,
  operatorRun,
  runEvents,
  runList,
  runTotals,
} from "./answers/runs.ts";
import { type RunLine, lineOf, runColumns } from "./answers/run-line.ts";

export const operatorRunRoutes = new Hono<App>();

/**
 * The end of a page of the list: a line's time and id, or the time that an unfinished search has
 * come to.
 */
export const linePlace = z
  .string()
  .max(256)
  .transform((text, { addIssue }) => {
    const [, at = "", run = ""] = /^([^~]+)~([\w-]*)$/.exec(text) ?? [];
    const createdAt = Date.parse(at);
    if (Number.isNaN(createdAt)) addIssue("must be the `next` of an earlier answer");
    return { createdAt, run };
  });
export const placeText = ({ createdAt, run }: LinePlace): string => `${iso(createdAt)}~${run}`;

/** Which requests are meant: what the list, its totals and its files have alike. */
const runFilters = {
  state: z
    .enum(["all", "open", "unanswered", ...openStates, ...endStates])
    .default("all")
    .describe("open: whatever has not ended; unanswered: whatever ended without a reply; or one state alone"),
  ...lineFilters(),
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("A part of a request's id, or of a server's, tool's, key's, model's or reviewer's name"),
  since: isoTime.optional().describe("Begun then or later: a time or a day in ISO 8601"),
  until: isoTime.optional().describe("Begun before: a time or a day in ISO 8601"),
};

const runsQuery = z.strictObject({
  ...runFilters,
  after: linePlace.optional().describe("`next` of the answer before: the lines that follow"),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe("1 to 500, 100 where it is not given"),
  format: z
    .enum(["json", "ndjson", "csv"])
    .default("json")
    .describe("ndjson, csv: every line that matches, the newest 20,000, without `limit`, `after` and `next`"),
});

const listRuns = describe("listRuns", {
  summary: "A line for each request, refused ones too, newest first; the cause says why there is no reply",
  200: {
    ...asJson(runList, "The lines; while `next` is not null there may be more, also where a search has found few or none so far"),
    bodies: [...asJson(runList, "").bodies, { type: "application/x-ndjson" }, { type: "text/csv" }],
  },
});

operatorRunRoutes.get(paths.admin.runs, listRuns, validQuery(runsQuery), async (c) => {
  const { limit, format, after: place, ...filters } = c.req.valid("query");
  const query: LinesQuery = { ...(await queryOf(c, filters)), ...present({ after: place }) };
  if (format !== "json") {
    const { after: _after, ...all } = query;
    const pages = async (after: LinePlace | null): Promise<LinesPage<RunLine>> => {
      const { lines, next } = await linesPage(c.env, after === null ? all : { ...all, after }, exportedAtOnce);
      return { lines: lines.map(lineOf), next };
    };
    return c.body(exportedLines(format, runColumns, pages), 200, { "Content-Type": lineTypes[format], "Cache-Control": "no-store" });
  }
  const { lines, next } = await linesPage(c.env, query, limit);
  return c.json({ runs: lines.map(lineOf), next: next === null ? null : placeText(next) } satisfies RunList);
});

const totalsQuery = z.strictObject(runFilters);

const totalRuns = describe("totalRuns", {
  summary: "What the requests of a search come to: how they ended, tokens, cost, and how many people were asked about",
  200: asJson(runTotals, "The sums, as far back as `since`, where there are more than one call reads"),
});

operatorRunRoutes.get(paths.admin.runTotals, totalRuns, validQuery(totalsQuery), async (c) => {
  const query = await queryOf(c, c.req.valid("query"));
  const { usage, open, reviewed, since } = await totalsOfSearch(c.env, query, Date.now());
  const ended = shownUsage(usage);
  const answer: RunTotals = { ...ended, requests: ended.requests + open, open, reviewed, since: since === null ? null : iso(since) };
  return c.json(answer, 200, { "Cache-Control": "no-store" });
});

async function queryOf(
  { env, executionCtx }: Pick<AppContext, "env" | "executionCtx">,
  { state, q, provider, ...more }: z.infer<typeof totalsQuery>,
): Promise<TotalsQuery> {
  const modelsOf = async (of: string): Promise<string[]> => {
    const { routing } = await documentsOf(env, Date.now(), (work) => executionCtx.waitUntil(work));
    return routing.models.flatMap((each) => (each.provider === of ? [each.id] : []));
  };
  return {
    ...present(more),
    ...(state === "all" ? {} : { state }),
    ...(provider === undefined ? {} : { provider: { name: provider, models: await modelsOf(provider) } }),
    ...(q === undefined ? {} : { search: { text: q, keys: await keysNamed(env, q) } }),
  };
}

type LinesQuery = Omit<RunsQuery, "limit">;

/** So many lines of all shards, newest first, and where to go on. */
export async function linesPage(env: Env, query: LinesQuery, limit: number) {
  // Ids are random: of a page a shard has a sixteenth, and hardly ever a quarter.
  const most = Math.min(limit, Math.ceil(limit / 4) + 4) + 1;
  const few = await pagesOf(env, query, most);
  const page = mergedLines(few, limit);
  const isCut = few.some(({ lines }) => lines.length === most);
  return page.lines.length === limit || !isCut ? page : mergedLines(await pagesOf(env, query, limit + 1), limit);
}

const pagesOf = (env: Env, query: LinesQuery, limit: number): Promise<LinePage[]> =>
  Promise.all(Array.from({ length: ledgerShards }, async (_, shard) => readJsonOf(await ledgerStub(env, shard).runs({ ...query, limit }))));

/** Without the members that are undefined. */
export const present = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };

const mostKeysNamed = 50;

/** The ids of keys with this in their names. A line has the id alone. */
async function keysNamed(env: Env, part: string): Promise<string[]> {
  const wanted = part.toLowerCase();
  const keys = await configStub(env).keys();
  const found = keys.filter(({ record }) => readJsonOf(record).name.toLowerCase().includes(wanted));
  return found.slice(0, mostKeysNamed).map(({ id }) => id);
}

const ofRun = inPath("id", "Its id in GET /admin/runs");

const getOperatorRun = describe("getOperatorRun", {
  summary: "One request, whether it waits, was answered at once or was refused: without what was asked or answered",
  parameters: [ofRun],
  200: asJson(operatorRun, "The request"),
  404: "No such request",
});

/** From its run while the run is kept, else from the ledger. */
operatorRunRoutes.get(paths.admin.run, getOperatorRun, async (c) => {
  const line = await runLine(c.env, c.req.param("id"));
  if (line === null) return c.json(noSuchRun, 404);
  return c.json({ ...lineOf(line), updatedAt: iso(line.updatedAt), answered: line.answered } satisfies OperatorRun);
});

async function runLine(env: Env, id: string): Promise<StoredLine | null> {
  // A forged id wakes no object.
  if (parseRunId(settingsOf(env).keys, id) === undefined) return null;
  const [own, kept] = await Promise.all([runStub(env, id).line(), ledgerStub(env, ledgerShardOf(id)).line(id)]);
  const run = own === null ? null : readJsonOf(own);
  const summary = kept === null ? null : readJsonOf(kept);
  // A line with an end does not change; until then the run has newer facts.
  if (summary === null || (run !== null && summary.endedAt === null)) return run;
  return { updatedAt: summary.endedAt ?? summary.createdAt, answered: summary.state === "completed", ...run, ...summary };
}

const noSuchRun = { error: "There is no such request, or it is no longer kept; GET /admin/runs lists the ids" };

const cancelRun = describe("cancelRunAsOperator", {
  summary: "Cancels an open request: nothing more is sent or delivered, and its reviewers are told",
  parameters: [ofRun],
  204: "It is cancelled",
  404: "No such request",
  409: "It has ended",
});

operatorRunRoutes.delete(paths.admin.run, cancelRun, async (c) => {
  const line = await runLine(c.env, c.req.param("id"));
  if (line === null) return c.json(noSuchRun, 404);
  const cancelled = line.endedAt === null && (await runStub(c.env, line.run).cancel("admin", c.var.operator));
  return cancelled ? c.body(null, 204) : c.json({ error: "The request has ended already" }, 409);
});

const mostEvents = 500;
const eventsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).default(0).describe("`next` of the answer before: the events that follow"),
});

const listEvents = describe("listRunEvents", {
  summary: "What the record has of one request, in order. It is for looking: unlike an export it is no event itself",
  parameters: [ofRun],
  200: asJson(runEvents, "The events, and where to go on"),
  404: "No such request",
});

operatorRunRoutes.get(paths.admin.runEvents, listEvents, validQuery(eventsQuery), async (c) => {
  const run = c.req.param("id");
  const { after } = c.req.valid("query");
  if (parseRunId(settingsOf(c.env).keys, run) === undefined) return c.json(noSuchRun, 404);
  const ledger = ledgerStub(c.env, ledgerShardOf(run));
  const events = readJsonOf(await ledger.events(run, after, mostEvents));
  const { changedAt } = await ledger.logged(run, null);
  const next = events.length === mostEvents ? (events.at(-1)?.seq ?? null) : null;
  return c.json({ events: events.map(exportedEvent), next, changedAt } satisfies RunEvents, 200, { "Cache-Control": "no-store" });
});

const recordPage = 500;
const recordQuery = z.strictObject({
  run: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The events of this request, or of this month of operators' acts (`operators/2026-11`), alone"),
});

const exportRecord = describe("exportRecord", {
  summary: "The record, a line an event, each run's events in order. That it was exported is an event itself",
  200: asText("application/x-ndjson", "The record"),
});

/** A part of the export, and the part after it; null: it was the last one. */
type Part = { readonly events: readonly RecordEvent[]; readonly next: (() => Promise<Part>) | null };

/** Of one run, or of a month of operators' acts, in the order of its events. */
async function partOfRun(env: Env, run: string, after: number): Promise<Part> {
  const events = readJsonOf(await ledgerStub(env, ledgerShardOf(run)).events(run, after, recordPage));
  const last = events.at(-1);
  return { events, next: last === undefined ? null : () => partOfRun(env, run, last.seq) };
}

/** Of everything, in the order in which it came to each shard. */
async function partOfAll(env: Env, shard: number, from: number): Promise<Part> {
  const { events, next } = readJsonOf(await ledgerStub(env, shard).entries(from));
  if (next !== null) return { events, next: () => partOfAll(env, shard, next) };
  return { events, next: shard === ledgerShards - 1 ? null : () => partOfAll(env, shard + 1, 0) };
}

operatorRunRoutes.get(paths.admin.record, exportRecord, validQuery(recordQuery), async (c) => {
  const { run } = c.req.valid("query");
  const { env } = c;
  // A HEAD exports nothing, and is not recorded.
  if (c.req.method === "GET") await configStub(env).record({ kind: "recordExported", by: c.var.operator, run: run ?? null });
  let next: (() => Promise<Part>) | null = () => (run === undefined ? partOfAll(env, 0, 0) : partOfRun(env, run, 0));
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (next !== null) {
        const part: Part = await next();
        ({ next } = part);
        if (part.events.length === 0) continue;
        controller.enqueue(encoder.encode(part.events.map(exportLine).join("")));
        return;
      }
      controller.close();
    },
  });
  return c.body(body, 200, { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store" });
});

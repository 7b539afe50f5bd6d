// Who approved or denied what: the decisions of people, from the record's events. The requests are
// found by their lines, and their decisions are read from the record of each.

import { Hono } from "hono";
import * as z from "zod";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import type { DecisionFact } from "../../../shared/record/decisions.ts";
import type { LinePlace } from "../../../shared/record/line-list.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { iso, isoTime } from "../../http/iso-time.ts";
import type { Env } from "../../platform/env.ts";
import { paths } from "../../platform/urls.ts";
import type { RunsQuery } from "../../stubs/ledger-calls.ts";
import { ledgerShardOf, ledgerStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { type Decision, type DecisionList, decisionList } from "./answers/decisions.ts";
import { linePlace, linesPage, placeText, present } from "./operator-runs.ts";
import { type Columns, type LinesPage, exportedLines, lineTypes } from "./runs-export.ts";

export const decisionRoutes = new Hono<App>();

/** A request has two reviews of a week at most, and its model call in between. */
const longestReviewMs = 15 * 24 * 3_600_000;
/** A page costs two calls to each shard of the ledger. */
const requestsAtOnce = 200;

const name = z.string().min(1).max(512).optional();

const decisionsQuery = z.strictObject({
  by: name.describe("The reviewer's name"),
  decision: z.enum(["approved", "denied", "dismissed"]).optional().describe("dismissed: of a form that was put away"),
  server: name.describe("An MCP server's name"),
  tool: name.describe("The name of the tool, prompt or resource"),
  key: z.string().min(1).max(128).optional().describe("A key's id"),
  since: isoTime.optional().describe("Decided then or later: a time or a day in ISO 8601"),
  until: isoTime.optional().describe("Decided before: a time or a day in ISO 8601"),
  after: linePlace.optional().describe("`next` of the answer before: the decisions of earlier requests"),
  limit: z.coerce.number().int().min(1).max(100).default(50).describe("Requests that are looked at: 1 to 100, 50 where it is not given"),
  format: z
    .enum(["json", "ndjson", "csv"])
    .default("json")
    .describe("ndjson, csv: every decision that matches, the newest 20,000, without `limit`, `after` and `next`"),
});

const listDecisions = describe("listDecisions", {
  summary: "Who approved or denied what, how each person is known and after how long, newest requests first",
  200: {
    ...asJson(decisionList, "The decisions; while `next` is not null there may be more, also where few or none were found so far"),
    bodies: [...asJson(decisionList, "").bodies, { type: "application/x-ndjson" }, { type: "text/csv" }],
  },
});

type Asked = Omit<z.infer<typeof decisionsQuery>, "limit" | "format" | "after">;

decisionRoutes.get(paths.admin.decisions, listDecisions, validQuery(decisionsQuery), async (c) => {
  const { after, limit, format, ...asked } = c.req.valid("query");
  const headers = { "Cache-Control": "no-store" };
  if (format !== "json") {
    const pages = (place: LinePlace | null): Promise<LinesPage<Decision>> => pageAfter(c.env, asked, place, requestsAtOnce);
    return c.body(exportedLines(format, columns, pages), 200, { ...headers, "Content-Type": lineTypes[format] });
  }
  const { lines, next } = await pageAfter(c.env, asked, after ?? null, limit);
  return c.json({ decisions: [...lines], next: next === null ? null : placeText(next) } satisfies DecisionList, 200, headers);
});

/** The decisions of the requests after a place, the latest decision first. */
async function pageAfter(env: Env, asked: Asked, after: LinePlace | null, limit: number): Promise<LinesPage<Decision>> {
  const { by = null, decision, since, until, ...of } = asked;
  const query: Omit<RunsQuery, "limit"> = {
    ...present(of),
    decided: { by },
    // Of requests that began earlier, too.
    ...(since === undefined ? {} : { since: since - longestReviewMs }),
    ...(until === undefined ? {} : { until }),
    ...(after === null ? {} : { after }),
  };
  const { lines, next } = await linesPage(env, query, limit);
  const byRun = new Map(lines.map((line) => [line.run, line]));
  const shards = Map.groupBy(byRun.keys(), ledgerShardOf);
  const facts = await Promise.all([...shards].map(async ([shard, runs]) => readJsonOf(await ledgerStub(env, shard).decisions(runs))));
  const found = facts
    .flat()
    .filter((fact) => (by === null || fact.by === by) && (decision === undefined || fact.decision === decision))
    .filter(({ at }) => at >= (since ?? 0) && at < (until ?? Number.MAX_SAFE_INTEGER))
    .toSorted((a, b) => b.at - a.at)
    .flatMap((fact) => {
      const line = byRun.get(fact.run);
      return line === undefined ? [] : [decisionOf(fact, line)];
    });
  return { lines: found, next };
}

const decisionOf = (
  { run, at, isVote, isWritten, isByPasskey, hasReason, ...fact }: DecisionFact,
  { server, name: tool, key }: RunSummary,
): Decision => ({
  ...fact,
  at: iso(at),
  request: run,
  passkey: isByPasskey,
  vote: isVote,
  written: isWritten,
  reason: hasReason,
  server,
  tool,
  key,
});

const columns: Columns<Decision> = [
  ["at", ({ at }) => at],
  ["by", ({ by }) => by],
  ["member", ({ member }) => member],
  ["known", ({ known }) => known],
  ["issuer", ({ issuer }) => issuer],
  ["passkey", ({ passkey }) => String(passkey)],
  ["channel", ({ channel }) => channel],
  ["decision", ({ decision }) => decision],
  ["vote", ({ vote }) => String(vote)],
  ["gate", ({ gate }) => gate],
  ["subject", ({ subject }) => subject],
  ["server", ({ server }) => server],
  ["tool", ({ tool }) => tool],
  ["key", ({ key }) => key],
  ["edits", ({ edits }) => edits],
  ["written", ({ written }) => String(written)],
  ["reason", ({ reason }) => String(reason)],
  ["waitedMs", ({ waitedMs }) => waitedMs],
  ["request", ({ request }) => request],
];

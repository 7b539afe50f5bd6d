// Requests for the operator: their list, one of them, and the record. Never the content of a request or reply.

import type { RunsQuery } from "../../stubs/ledger-calls.ts";
import { Hono } from "hono";
import * as z from "zod";
import { tokensOf } from "../../../shared/model/call.ts";
import { causeSentence } from "../../../shared/record/cause.ts";
import { type RecordEvent, type RunSummary, endStates, exportLine, openStates } from "../../../shared/record/record.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import type { Env } from "../../platform/env.ts";
import { configStub, ledgerShardOf, ledgerShards, ledgerStub, runStub } from "../../stubs/stubs.ts";
import type { RunLine } from "../../stubs/run-calls.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import type { App } from "../app-context.ts";
import { inPath, asJson, asText } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { iso, isoTime } from "../../http/iso-time.ts";

export const operatorRunRoutes = new Hono<App>();

/** The end of a page of the list: its last line's time and id. */
const cursor = z
  .string()
  .max(256)
  .transform((text, { addIssue }) => {
    const [, at = "", run = ""] = /^([^~]+)~([\w-]+)$/.exec(text) ?? [];
    const createdAt = Date.parse(at);
    if (Number.isNaN(createdAt)) addIssue("must be the `next` of an earlier answer");
    return { createdAt, run };
  });
const cursorAt = ({ createdAt, run }: RunSummary): string => `${iso(createdAt)}~${run}`;

const runsQuery = z.strictObject({
  state: z
    .enum(["all", "open", ...openStates, ...endStates])
    .default("all")
    .describe("open: whatever has not ended; or one state alone"),
  server: z.string().min(1).max(512).optional().describe("An MCP server's name; control for what came by POST /control"),
  key: z.string().min(1).max(128).optional().describe("A key's id"),
  since: isoTime.optional().describe("Begun then or later: a time or a day in ISO 8601"),
  after: cursor.optional().describe("`next` of the answer before: the lines that follow"),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe("1 to 500, 100 where it is not given"),
});

const listRuns = describe("listRuns", {
  summary: "A line for each request, refused ones too, newest first; the cause says why there is no reply",
  200: asJson("RunList", "The lines, and where to go on"),
});

operatorRunRoutes.get(paths.admin.runs, listRuns, validQuery(runsQuery), async (c) => {
  const { state, server, key, since: from, after, limit } = c.req.valid("query");
  const query: RunsQuery = {
    limit: limit + 1,
    ...(state === "all" ? {} : { state }),
    ...(server === undefined ? {} : { server }),
    ...(key === undefined ? {} : { key }),
    ...(from === undefined ? {} : { since: from }),
    ...(after === undefined ? {} : { after }),
  };
  const shards = await Promise.all(
    Array.from({ length: ledgerShards }, async (_, shard) => JSON.parse(await ledgerStub(c.env, shard).runs(query)) as RunSummary[]),
  );
  const found = shards.flat().sort((a, b) => b.createdAt - a.createdAt || (a.run < b.run ? 1 : -1));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return c.json({ runs: page.map(lineOf), next: last !== undefined && found.length > limit ? cursorAt(last) : null });
});

const getOperatorRun = describe("getOperatorRun", {
  summary: "One request, whether it waits, was answered at once or was refused: without what was asked or answered",
  parameters: [inPath("id", "Its id in GET /admin/runs")],
  200: asJson("OperatorRun", "The request"),
  404: "No such request",
});

/** From its run while the run is kept, else from the ledger. */
operatorRunRoutes.get(paths.admin.run, getOperatorRun, async (c) => {
  const line = await runLine(c.env, c.req.param("id"));
  if (line === null) return c.json({ error: "There is no such request, or it is no longer kept; GET /admin/runs lists the ids" }, 404);
  return c.json({ ...lineOf(line), updatedAt: iso(line.updatedAt), answered: line.answered });
});

async function runLine(env: Env, id: string): Promise<RunLine | null> {
  // A forged id wakes no object.
  if (parseRunId(settingsOf(env).keys, id) === undefined) return null;
  const [own, kept] = await Promise.all([runStub(env, id).line(), ledgerStub(env, ledgerShardOf(id)).line(id)]);
  const run = own === null ? null : (JSON.parse(own) as RunLine); // written by RunObject.line
  const summary = kept === null ? null : (JSON.parse(kept) as RunSummary); // written by LedgerObject.append
  // A line with an end does not change; until then the run has newer facts.
  if (summary === null || (run !== null && summary.endedAt === null)) return run;
  return { updatedAt: summary.endedAt ?? summary.createdAt, answered: summary.state === "completed", ...run, ...summary };
}

/** A request as lists show it. */
const lineOf = (summary: RunSummary) => {
  const { run, state, server, name, key, model, createdAt, endedAt, cause, costUsd } = summary;
  return {
    id: run,
    state,
    server,
    tool: name,
    key,
    model,
    at: iso(createdAt),
    endedAt: endedAt === null ? null : iso(endedAt),
    cause: cause === null ? null : causeSentence(cause),
    usage: { ...tokensOf(summary), costUsd },
  };
};

const recordPage = 500;
const recordQuery = z.strictObject({
  run: z.string().min(1).max(128).optional().describe("The events of this request, or of this chain of operators' acts, alone"),
});

const exportRecord = describe("exportRecord", {
  summary: "The record, a line an event, each run's events in order. That it was exported is an event itself",
  200: asText("application/x-ndjson", "The record"),
});

type Position = { readonly shard: number; readonly after: { readonly run: string; readonly seq: number } };

operatorRunRoutes.get(paths.admin.record, exportRecord, validQuery(recordQuery), async (c) => {
  const { run } = c.req.valid("query");
  const { env } = c;
  const read = async ({ shard, after }: Position): Promise<RecordEvent[]> =>
    JSON.parse(await ledgerStub(env, shard).events(after, recordPage, run !== undefined)) as RecordEvent[]; // written by the ledger
  // A HEAD exports nothing, and is not recorded.
  if (c.req.method === "GET") await configStub(env).record({ kind: "recordExported", by: c.var.operator, run: run ?? null });
  const lastShard = run === undefined ? ledgerShards - 1 : ledgerShardOf(run);
  let position: Position | null =
    run === undefined ? { shard: 0, after: { run: "", seq: 0 } } : { shard: lastShard, after: { run, seq: 0 } };
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (position !== null) {
        const events = await read(position);
        const last = events.at(-1);
        if (last !== undefined) {
          position = { shard: position.shard, after: { run: last.run, seq: last.seq } };
          controller.enqueue(encoder.encode(events.map(exportLine).join("")));
          return;
        }
        position = position.shard === lastShard ? null : { shard: position.shard + 1, after: { run: "", seq: 0 } };
      }
      controller.close();
    },
  });
  return c.body(body, 200, { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store" });
});

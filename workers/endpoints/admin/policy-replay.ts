// POST /admin/policy/replay: what another policy would have done with recorded requests. It writes
// nothing and reads no content.
//
// A call reads a bounded number of requests, the newest first, from all shards at once; `next` goes
// on.

import { Hono } from "hono";
import * as z from "zod";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { parsePolicy } from "../../../shared/policy/rules.ts";
import { replayAll } from "../../../shared/record/replay-tally.ts";
import { iso } from "../../http/iso-time.ts";
import type { Env } from "../../platform/env.ts";
import { paths } from "../../platform/urls.ts";
import type { ReplayQuery, ReplayRow } from "../../stubs/ledger-calls.ts";
import { ledgerShards, ledgerStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validJson } from "../validated.ts";
import { type PolicyReplay, policyReplay } from "./answers/replay.ts";

export const policyReplayRoutes = new Hono<App>();

/** Of each shard: what is read beyond the page is read again with the next one. */
const rowsOfShard = 32;
const dayMs = 86_400_000;
/** After every run's id. */
const afterAll = "~";

type Place = { readonly since: number; readonly total: number; readonly after: ReplayQuery["after"] };

const place = z
  .string()
  .max(256)
  .transform((text, { addIssue }): Place => {
    const [, since, total, createdAt, run = ""] = /^(\d{1,15})-(\d{1,12})-(\d{1,15})-([\w-]+|~)$/.exec(text) ?? [];
    if (run === "") addIssue("must be the `next` of an earlier answer");
    return { since: Number(since), total: Number(total), after: { createdAt: Number(createdAt), run } };
  })
  .meta({ type: "string" });
const placeText = ({ since, total, after: { createdAt, run } }: Place): string => [since, total, createdAt, run].join("-");

const replaySchema = z.strictObject({
  policy: z.unknown().meta({ type: "object", description: "The draft, as PUT /admin/policy takes it" }),
  days: z.int().min(1).max(30).default(7).describe("So many days back from now"),
  next: place.optional().describe("`next` of the answer before: the requests that follow, of the same days"),
});

const describeReplay = describe("replayPolicy", {
  summary: "What another policy would have done with the recorded requests of the last days. Changes and sends nothing",
  200: asJson(policyReplay, "The sum of some requests, and where to go on: add up the sums until `next` is null"),
});

policyReplayRoutes.post(paths.admin.policyReplay, describeReplay, validJson("ReplayRequest", replaySchema), async (c) => {
  const { policy, days, next } = c.req.valid("json");
  const parsed = parsePolicy(policy);
  if (!parsed.ok) return c.json({ error: "The policy is not valid", details: parsed.error }, 400);
  const from = next ?? (await beginning(c.env, Date.now(), days));
  const { rows, isLast } = await pageOf(c.env, from);
  const last = rows.at(-1);
  return c.json({
    since: iso(from.since),
    total: from.total,
    read: rows.length,
    sum: replayAll(parsed.value, rows),
    next: isLast || last === undefined ? null : placeText({ ...from, after: last }),
  } satisfies PolicyReplay);
});

const ofShards = <T>(read: (shard: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: ledgerShards }, (_, shard) => read(shard)));

/** What begins after this moment is not in the replay, however long it takes. */
async function beginning(env: Env, now: number, days: number): Promise<Place> {
  const since = now - days * dayMs;
  const counts = await ofShards(async (shard) => ledgerStub(env, shard).begunSince(since));
  return { since, total: counts.reduce((sum, count) => sum + count, 0), after: { createdAt: now, run: afterAll } };
}

/**
 * The requests that follow, in the order of time. Where a shard has more, nothing older than its
 * last row is of this page.
 */
async function pageOf(env: Env, { since, after }: Place): Promise<{ readonly rows: readonly ReplayRow[]; readonly isLast: boolean }> {
  const query: ReplayQuery = { since, after, limit: rowsOfShard };
  const shards = await ofShards(async (shard) => readJsonOf(await ledgerStub(env, shard).replay(query)));
  const ends = shards.flatMap((rows) => (rows.length < rowsOfShard ? [] : rows.slice(-1))).sort(newestFirst);
  const rows = shards.flat().sort(newestFirst);
  const [end] = ends;
  return end === undefined ? { rows, isLast: true } : { rows: rows.filter((row) => newestFirst(row, end) <= 0), isLast: false };
}

const newestFirst = (one: ReplayRow, other: ReplayRow): number =>
  other.createdAt - one.createdAt || (one.run < other.run ? 1 : one.run > other.run ? -1 : 0);

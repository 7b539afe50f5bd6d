// The requests of a shard that have not ended: how many wait for people, since when, and which
// review expires first.

import { type JsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { FirstDue, ShardOpen } from "../../stubs/ledger-calls.ts";

/**
 * So many are looked at, the oldest ones: each is a row to read whenever an operator opens the
 * overview.
 */
const most = 250;

type Line = { readonly at: number; readonly run: string; readonly state: string; readonly deadlineAt: number | null };

export function openRequests(sql: SqlStorage): ShardOpen {
  const lines = sql
    .exec<Line>(
      `SELECT created_at AS at, run, state, json_extract(text, '$.deadlineAt') AS deadlineAt
         FROM summary WHERE ended_at IS NULL ORDER BY created_at LIMIT ?`,
      most + 1,
    )
    .toArray();
  const looked = lines.slice(0, most);
  const waiting = looked.filter(({ state }) => state !== "generating");
  return {
    isPartial: lines.length > most,
    open: looked.length,
    waiting: waiting.length,
    oldestAt: waiting[0]?.at ?? null,
    firstDue: firstDueOf(sql, waiting),
  };
}

function firstDueOf(sql: SqlStorage, lines: readonly Line[]): FirstDue | null {
  const due = lines.flatMap(({ at, run, deadlineAt }) => (deadlineAt === null ? [] : [{ at, run, deadlineAt }]));
  const first = due.reduce<(typeof due)[number] | null>(
    (best, each) => (best === null || each.deadlineAt < best.deadlineAt ? each : best),
    null,
  );
  if (first === null) return null;
  const { text } = sql
    .exec<{ text: JsonOf<RunSummary> }>("SELECT text FROM summary WHERE created_at = ? AND run = ?", first.at, first.run)
    .one();
  const { run, server, name } = readJsonOf(text);
  return { run, server, name, deadlineAt: first.deadlineAt };
}

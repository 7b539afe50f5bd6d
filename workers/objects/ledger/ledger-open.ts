// The requests of a shard that have not ended: how many wait for people, since when, and which review expires first.

import type { FirstDue, ShardOpen } from "../../stubs/ledger-calls.ts";

/** So many are looked at: each is a row to read whenever an operator opens the overview. */
const most = 500;

type Line = {
  readonly at: number;
  readonly state: string;
  readonly run: string;
  readonly server: string | null;
  readonly name: string | null;
  readonly deadlineAt: number | null;
};

export function openRequests(sql: SqlStorage): ShardOpen {
  const lines = sql
    .exec<Line>(
      `SELECT created_at AS at, state, run, server, json_extract(text, '$.name') AS name, json_extract(text, '$.deadlineAt') AS deadlineAt
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
    firstDue: looked
      .flatMap(dueOf)
      .reduce<FirstDue | null>((first, each) => (first === null || each.deadlineAt < first.deadlineAt ? each : first), null),
  };
}

/** Lines of earlier versions do not say when their review expires. */
const dueOf = ({ run, server, name, deadlineAt }: Line): FirstDue[] => (deadlineAt === null ? [] : [{ run, server, name, deadlineAt }]);

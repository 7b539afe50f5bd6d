// The failures of the last hour in a shard, counted by minute, server and cause as they end:
// reading them costs rows of what failed, never of what came. Minutes that are over are deleted
// with the next failure.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { isHealthFailure, type ServerFailures } from "../../../shared/record/health-failures.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { ShardFailures } from "../../stubs/ledger-calls.ts";

const minuteMs = 60_000;
const minuteOf = (at: number): number => Math.floor(at / minuteMs);
const keptMinutes = 60;
/** Servers and causes that one answer tells apart. */
const mostTold = 200;

export class LedgerFailures {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Call it once for each request that ends, in the transaction that writes its line. */
  ended({ endedAt, server, state, cause }: RunSummary): void {
    if (endedAt === null || !isHealthFailure({ state, cause })) return;
    this.#sql.exec("DELETE FROM failure WHERE minute < ?", minuteOf(endedAt) - keptMinutes);
    this.#sql.exec(
      `INSERT INTO failure (minute, of, requests, last_at) VALUES (?, ?, 1, ?)
       ON CONFLICT DO UPDATE SET requests = requests + 1, last_at = MAX(last_at, excluded.last_at)`,
      minuteOf(endedAt),
      jsonOf({ server, cause }),
      endedAt,
    );
  }

  /** To the minute: all of the minute in which `since` (Unix milliseconds) is. */
  since(since: number): ShardFailures {
    const groups = this.#sql
      .exec<{ of: JsonOf<Pick<ServerFailures, "server" | "cause">>; requests: number; lastAt: number }>(
        "SELECT of, SUM(requests) AS requests, MAX(last_at) AS lastAt FROM failure WHERE minute >= ? GROUP BY of ORDER BY lastAt DESC LIMIT ?",
        minuteOf(since),
        mostTold + 1,
      )
      .toArray();
    return {
      isPartial: groups.length > mostTold,
      failures: groups.slice(0, mostTold).map(({ of, requests, lastAt }) => ({ ...readJsonOf(of), requests, lastAt })),
    };
  }
}

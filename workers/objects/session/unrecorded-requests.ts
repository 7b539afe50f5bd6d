// The requests of a session that a Worker answers itself, until the record has a line of each. A
// Worker says so with the outcome. Where it was cut off, the session's alarm tells the record what
// it knows, once the Worker's time is over: the request came, and its outcome is unknown.

import { jsonOf, readJsonOf, type JsonOf } from "../../../shared/json/json-of.ts";
import type { ReservedFacts, ReservedRequest } from "../../../shared/run/unknown-outcome.ts";
import type { SessionRequest, Settled } from "../../stubs/session-calls.ts";
import { ledgerShardOf, ledgerStub } from "../../stubs/stubs.ts";
import type { SessionDeps } from "./session-deps.ts";

/** So many are told in one alarm: the next one follows at once. */
const mostTold = 500;

export class UnrecordedRequests {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Keeps what is known of a reservation that is about to be replaced or deleted. */
  keep({ originating, request }: SessionRequest): void {
    this.#deps.sql.exec(
      `INSERT OR IGNORE INTO unrecorded (run, at, due_at, facts)
       SELECT run, at, lease_until, unrecorded FROM sampling WHERE originating = ? AND request = ? AND unrecorded IS NOT NULL`,
      originating,
      request,
    );
  }

  /** The record has their lines. Call it in a transaction. */
  recorded(answers: readonly Pick<Settled, "originating" | "request" | "run">[]): void {
    const named = answers.map(({ originating, request, run }) => [originating, request, run]);
    this.#deps.sql.exec(
      `UPDATE sampling SET unrecorded = NULL WHERE unrecorded IS NOT NULL AND (originating, request, run) IN
       (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`,
      JSON.stringify(named),
    );
  }

  /**
   * Tells the record of those whose Worker's time is over. Throws where a shard does not answer.
   */
  async tell(): Promise<void> {
    if (!this.#deps.tables.exist) return;
    const now = this.#deps.now();
    const due = this.#deps.sql
      .exec<{ run: string; at: number; facts: JsonOf<ReservedFacts> }>(
        `SELECT run, at, unrecorded AS facts FROM sampling WHERE unrecorded IS NOT NULL AND lease_until <= ?1
         UNION ALL SELECT run, at, facts FROM unrecorded WHERE due_at <= ?1 LIMIT ?2`,
        now,
        mostTold,
      )
      .toArray()
      .map(({ facts, ...row }): ReservedRequest => ({ ...row, facts: readJsonOf(facts) }));
    const byShard = Map.groupBy(due, ({ run }) => ledgerShardOf(run));
    const told = await Promise.allSettled([...byShard].map(([shard, requests]) => this.#tellShard(shard, requests)));
    for (const each of told) if (each.status === "rejected") throw each.reason;
  }

  async #tellShard(shard: number, requests: readonly ReservedRequest[]): Promise<void> {
    const { env, ctx, sql } = this.#deps;
    await ledgerStub(env, shard).appendUnknown(jsonOf(requests));
    const runs = JSON.stringify(requests.map(({ run }) => run));
    ctx.storage.transactionSync(() => {
      sql.exec("UPDATE sampling SET unrecorded = NULL WHERE run IN (SELECT value FROM json_each(?))", runs);
      sql.exec("DELETE FROM unrecorded WHERE run IN (SELECT value FROM json_each(?))", runs);
    });
  }
}

// Operators' actions on their way into the record: written with the change itself, then sent to the
// ledger until the ledger has them.
//
// Part of the ConfigObject, the one writer of the gateway's chain. The last event that was sent
// stays: the next one is chained to it.

import { type Backoff, backoffMs } from "../../shared/backoff.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import { type ChainEnd, chainActs } from "../../shared/record/operators.ts";
import type { OperatorFact, RecordEvent, RecordFact } from "../../shared/record/record.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { appendToLedger } from "../stubs/stubs.ts";

const retry: Backoff = { firstMs: 2_000, mostMs: 60_000 };
/** Events of one call to a ledger. */
const mostAtOnce = 200;

type Row = { n: number; run: string; seq: number; at: number; fact: JsonOf<RecordFact>; hash: string };

export class OperatorRecord {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #random: () => number;
  #sending: Promise<void> = Promise.resolve();
  #failures = 0;
  #notBefore = 0;

  constructor(env: Env, sql: SqlStorage, random: () => number) {
    this.#env = env;
    this.#sql = sql;
    this.#random = random;
  }

  /** Inside the transaction of the action. The caller sets the alarm. */
  append(now: number, fact: OperatorFact): void {
    const [last = null] = this.#sql
      .exec<{ run: string; seq: number; hash: string }>("SELECT run, seq, hash FROM act ORDER BY n DESC LIMIT 1")
      .toArray();
    for (const { run, seq, at, fact: made, hash } of chainActs(last, now, [fact]))
      this.#sql.exec("INSERT INTO act (run, seq, at, fact, hash, sent) VALUES (?, ?, ?, ?, ?, 0)", run, seq, at, jsonOf(made), hash);
  }

  /**
   * Sends what the ledger does not have yet, one call at a time. Never throws: what fails is due
   * again later.
   */
  send(now: () => number): Promise<void> {
    this.#sending = this.#sending.then(async () => {
      try {
        for (let rows = this.#unsent(); rows.length > 0; rows = this.#unsent()) await this.#sendRows(rows);
        this.#failures = 0;
      } catch (error) {
        logEvent("config.recordFailed", { attempt: this.#failures, error: errorClass(error) });
        this.#notBefore = now() + backoffMs(retry, this.#failures, this.#random());
        this.#failures += 1;
      }
    });
    return this.#sending;
  }

  /** When something is to be sent, in Unix milliseconds; null where the ledger has everything. */
  nextDue(): number | null {
    const { at } = this.#sql.exec<{ at: number | null }>("SELECT MIN(at) AS at FROM act WHERE sent = 0").one();
    return at === null ? null : Math.max(at + retry.firstMs, this.#notBefore);
  }

  /** The last event that the ledger has. */
  lastSent(): ChainEnd | null {
    return this.#sql.exec<ChainEnd>("SELECT run, seq, hash FROM act WHERE sent = 1 ORDER BY n DESC LIMIT 1").toArray()[0] ?? null;
  }

  #unsent(): Row[] {
    return this.#sql.exec<Row>("SELECT n, run, seq, at, fact, hash FROM act WHERE sent = 0 ORDER BY n LIMIT ?", mostAtOnce).toArray();
  }

  async #sendRows(rows: readonly Row[]): Promise<void> {
    for (const [chain, part] of Map.groupBy(rows, ({ run }) => run)) {
      const events = part.map(({ run, seq, at, fact, hash }): RecordEvent => ({ run, seq, at, fact: readJsonOf(fact), hash }));
      await appendToLedger(this.#env, chain, { events, summary: null });
      const last = part.at(-1)?.n ?? 0;
      this.#sql.exec("UPDATE act SET sent = 1 WHERE n <= ?", last);
      this.#sql.exec("DELETE FROM act WHERE n < ?", last);
    }
  }
}

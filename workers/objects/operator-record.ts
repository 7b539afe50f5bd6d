// Operators' actions on their way into the record: written with the change itself, then sent to the
// ledger until the ledger has them.
//
// Part of the ConfigObject, their one writer. The last event that was sent stays, with the tree
// that its log had then: whoever changes the log afterwards is found by it.

import { type Backoff, backoffMs } from "../../shared/backoff.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import { nextActs } from "../../shared/record/operators.ts";
import type { ActsEnd, OperatorFact, RecordEvent, RecordFact, TreeHead } from "../../shared/record/record.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { appendToLedger, ledgerShardOf, ledgerStub } from "../stubs/stubs.ts";

const retry: Backoff = { firstMs: 2_000, mostMs: 60_000 };
/** Events of one call to a ledger. */
const mostAtOnce = 200;

type Row = { n: number; run: string; seq: number; at: number; fact: JsonOf<RecordFact> };

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
    for (const { run, seq, at, fact: made } of nextActs(this.#last("TRUE"), now, [fact]))
      this.#sql.exec("INSERT INTO act (run, seq, at, fact, sent, tree) VALUES (?, ?, ?, ?, 0, NULL)", run, seq, at, jsonOf(made));
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
  lastSent(): ActsEnd | null {
    return this.#last("sent = 1");
  }

  #last(where: string): ActsEnd | null {
    const [row] = this.#sql
      .exec<{ run: string; seq: number; tree: JsonOf<TreeHead> | null }>(
        `SELECT run, seq, tree FROM act WHERE ${where} ORDER BY n DESC LIMIT 1`,
      )
      .toArray();
    return row === undefined ? null : { ...row, tree: row.tree === null ? null : readJsonOf(row.tree) };
  }

  #unsent(): Row[] {
    return this.#sql.exec<Row>("SELECT n, run, seq, at, fact FROM act WHERE sent = 0 ORDER BY n LIMIT ?", mostAtOnce).toArray();
  }

  async #sendRows(rows: readonly Row[]): Promise<void> {
    for (const [month, part] of Map.groupBy(rows, ({ run }) => run)) {
      const events = part.map(({ run, seq, at, fact }): RecordEvent => ({ run, seq, at, fact: readJsonOf(fact) }));
      await appendToLedger(this.#env, month, { events, summary: null });
      const tree = await ledgerStub(this.#env, ledgerShardOf(month)).tree();
      const last = part.at(-1)?.n ?? 0;
      this.#sql.exec("UPDATE act SET sent = 1, tree = ? WHERE n <= ?", jsonOf<TreeHead>(tree), last);
      this.#sql.exec("DELETE FROM act WHERE n < ?", last);
    }
  }
}

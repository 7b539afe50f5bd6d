// Performs a run's outbox, with the object's one alarm behind it: a row of each chain at a time, in order.
//
// An attempt is committed before it is made, so that one that was cut off is known as one; what is not done is tried
// again, later each time. It decides nothing and knows no row's meaning.

import { backoffMs } from "../../../shared/backoff.ts";
import type { Json } from "../../../shared/encoding.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { OutboxRow, StoredRow } from "./run-store.ts";
import type { RunParts } from "./run-parts.ts";

const retry = { firstMs: 1_000, mostMs: 60_000 };
/** A call under way is looked after this often: where its object is gone, it is made again. */
const callWatchMs = 20_000;
/** An alarm waits this long for the effects that it started: while it waits, no other alarm is delivered. */
export const alarmWaitMs = 5_000;

/** True where the row is done; false or an error has it tried again, a number in so many milliseconds and without being counted. */
export type Perform = (row: OutboxRow) => Promise<boolean | number>;

type OutboxParts = Pick<RunParts, "store" | "arm" | "now" | "random">;

export class RunOutbox {
  readonly #parts: OutboxParts;
  readonly #perform: Perform;
  /** The chains of which a row is being attempted: one at a time each. */
  readonly #busy = new Set<string>();

  constructor(parts: OutboxParts, perform: Perform) {
    this.#parts = parts;
    this.#perform = perform;
  }

  /** When the next attempt is due, in Unix milliseconds, and no sooner than a flush would make it; null where there is nothing to do. */
  nextDue(): number | null {
    const now = this.#parts.now();
    const rows = this.#parts.store
      .nextRows()
      .map(({ chain, dueAt }) => Math.max(dueAt, now + (this.#busy.has(chain) ? alarmWaitMs : retry.firstMs)));
    return rows.length === 0 ? null : Math.min(...rows);
  }

  /** Attempts what is due; a chain whose row is being attempted goes on by itself, and holds up no other. */
  async drain(): Promise<void> {
    if (this.#parts.store.state() === null) return;
    const rows = this.#parts.store.dueRows(this.#parts.now()).filter(({ chain }) => !this.#busy.has(chain));
    await Promise.all(rows.map((row) => this.#attempt(row)));
    this.#parts.arm();
  }

  /** Attempts the row of this kind, where it is the next of its chain, and waits for nothing else. */
  async attempt(kind: OutboxRow["kind"]): Promise<void> {
    const row = this.#parts.store.dueRows(this.#parts.now()).find((each) => each.kind === kind && !this.#busy.has(each.chain));
    if (row !== undefined) await this.#once(row);
  }

  async #attempt(row: StoredRow): Promise<void> {
    // The next of its chain, or what it led to, may be due.
    if (await this.#once(row)) await this.drain();
  }

  /** Whether it is done. */
  async #once(row: StoredRow): Promise<boolean> {
    const wait = row.kind === "call" ? callWatchMs : backoffMs(retry, row.attempts, this.#parts.random());
    this.#parts.store.postpone(row.id, this.#parts.now() + wait);
    this.#busy.add(row.chain);
    let done = false;
    try {
      const performed = await this.#perform({ ...row, detail: JSON.parse(row.detail) as Json }); // written by `queue`
      done = performed === true;
      if (done) this.#parts.store.done(row.id);
      else if (typeof performed === "number") this.#parts.store.wait(row.id, this.#parts.now() + performed);
    } catch (error) {
      logEvent("run.effectFailed", { effect: row.kind, attempt: row.attempts, error: errorClass(error) });
    } finally {
      this.#busy.delete(row.chain);
    }
    return done;
  }
}

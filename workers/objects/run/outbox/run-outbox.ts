// Performs a run's outbox: one row of each chain at a time, in order; the object's one alarm
// performs what is left.
//
// An attempt is counted before it is made, so that one that is cut off counts; a row that is not
// done is retried, later each time. It decides nothing and knows no row's meaning.

import { readJsonOf } from "../../../../shared/json/json-of.ts";
import { backoffMs } from "../../../../shared/backoff.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import type { OutboxRow, StoredRow } from "../tables/outbox-rows.ts";
import type { RunDeps } from "../run-deps.ts";

const retry = { firstMs: 1_000, mostMs: 60_000 };
/**
 * A running call is checked this often: where the instance that made it is gone, it is made again.
 */
const callWatchMs = 20_000;
/**
 * What nobody waits for is due a moment later: so that it is not in the way of what somebody waits
 * for, and one call has more of it.
 */
export const bookkeepingMs = 100;
const leastPauseMs = 5;
/**
 * An alarm waits this long for the effects that it started: while it waits, no other alarm is
 * delivered.
 */
export const alarmWaitMs = 5_000;

/**
 * True where the row is done; false or an error: it is retried; a number: it is retried in so many
 * milliseconds, and the attempt does not count.
 */
type Perform = (row: OutboxRow) => Promise<boolean | number>;

type OutboxDeps = Pick<RunDeps, "store" | "arm" | "now" | "random" | "waitUntil">;

/** What the caller or the next reviewer waits for is begun before the rest. */
const urgent: ReadonlySet<OutboxRow["kind"]> = new Set(["call", "deliver", "begin"]);
const order = ({ kind }: StoredRow): number => (urgent.has(kind) ? 0 : 1);

export class RunOutbox {
  readonly #deps: OutboxDeps;
  readonly #perform: Perform;
  /** The chains whose row is being attempted: one at a time each. */
  readonly #busy = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(deps: OutboxDeps, perform: Perform) {
    this.#deps = deps;
    this.#perform = perform;
  }

  /**
   * When the next attempt is due, in Unix milliseconds, and no sooner than a flush would make it;
   * null where the outbox is empty.
   */
  nextDue(): number | null {
    const now = this.#deps.now();
    const rows = this.#deps.store.outbox
      .next()
      .map(({ chain, dueAt }) => Math.max(dueAt, now + (this.#busy.has(chain) ? alarmWaitMs : retry.firstMs)));
    return rows.length === 0 ? null : Math.min(...rows);
  }

  /**
   * Attempts the due rows. A chain whose row is being attempted already goes on by itself, and
   * delays no other.
   */
  async drain(): Promise<void> {
    if (this.#deps.store.state() === null) return;
    const rows = this.#deps.store.outbox.due(this.#deps.now()).filter(({ chain }) => !this.#busy.has(chain));
    const attempts = rows.toSorted((a, b) => order(a) - order(b)).map((row) => this.#attempt(row));
    this.#drainSoon();
    await Promise.all(attempts);
    this.#deps.arm();
    this.#drainSoon();
    if (this.#timer === null && this.#busy.size === 0) this.#deps.store.writeBehind();
  }

  /**
   * Drains again when the next row is due, where that is in a moment. The alarm is there where the
   * object is gone by then.
   */
  #drainSoon(): void {
    if (this.#timer !== null) return;
    const now = this.#deps.now();
    const times = this.#deps.store.outbox.next().flatMap(({ chain, dueAt }) => (this.#busy.has(chain) ? [] : [dueAt - now]));
    const wait = Math.min(...times);
    if (wait > bookkeepingMs) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#deps.waitUntil(this.drain());
      },
      Math.max(leastPauseMs, wait),
    );
  }

  /** Attempts the row of this kind alone, where it is due and the next of its chain. */
  async attempt(kind: OutboxRow["kind"]): Promise<void> {
    const row = this.#deps.store.outbox.due(this.#deps.now()).find((each) => each.kind === kind && !this.#busy.has(each.chain));
    if (row !== undefined) await this.#once(row);
  }

  async #attempt(row: StoredRow): Promise<void> {
    // The next row of the chain, or one that this row queued, may be due.
    if (await this.#once(row)) await this.drain();
  }

  /** One attempt: whether the row is done. */
  async #once(row: StoredRow): Promise<boolean> {
    const wait = row.kind === "call" ? callWatchMs : backoffMs(retry, row.attempts, this.#deps.random());
    this.#deps.store.outbox.postpone(row.id, this.#deps.now() + wait);
    this.#busy.add(row.chain);
    let done = false;
    try {
      const performed = await this.#perform({ ...row, detail: readJsonOf(row.detail) });
      done = performed === true;
      if (done) this.#deps.store.outbox.done(row.id);
      else if (typeof performed === "number") this.#deps.store.outbox.wait(row.id, this.#deps.now() + performed);
    } catch (error) {
      logEvent("run.effectFailed", { effect: row.kind, attempt: row.attempts, error: errorClass(error) });
    } finally {
      this.#busy.delete(row.chain);
    }
    return done;
  }
}

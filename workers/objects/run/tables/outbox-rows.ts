// The rows of a run's outbox. It decides nothing. The table is in run-schema.ts.
//
// Two things are in memory alone until the run's row is written again, so that an effect takes one
// commit less. A row is stored as attempted once: its first attempt by this instance writes
// nothing, and where the instance is gone, the row is retried. And rows of bookkeeping that are
// done are deleted with the next write: where the instance is gone before, they are done twice.

import { type JsonOf, jsonOf } from "../../../../shared/json/json-of.ts";
import type { OutboxKind } from "../../../stubs/run-calls.ts";
import type { Json } from "../../../../shared/encoding.ts";
import type { RunRow } from "./run-row.ts";

/**
 * An effect outside this object. Rows of one chain are performed in order; a row that fails delays
 * its chain and no other.
 */
export type OutboxRow = {
  readonly id: number;
  readonly chain: string;
  readonly kind: OutboxKind;
  readonly detail: Json;
  readonly attempts: number;
  readonly dueAt: number;
};
/**
 * A row as stored: its detail is parsed at the attempt, so that an unreadable one delays its own
 * chain alone.
 */
export type StoredRow = Omit<OutboxRow, "detail"> & { readonly detail: JsonOf<Json> };
/** `isFresh`: queued by this instance and not attempted yet. */
export type QueuedRow = StoredRow & { readonly isFresh?: true };

/** Nobody sees that these are done twice. */
const bookkeeping: ReadonlySet<OutboxKind> = new Set([
  "begin",
  "record",
  "noticeEnded",
  "noticeListed",
  "inbox",
  "settle",
  "index",
  "cache",
  "lastCall",
  "telemetry",
]);
/** When a row is retried whose first attempt the instance did not survive. */
const retryMs = 1_000;

export const asStored = ({ isFresh, ...row }: QueuedRow): StoredRow =>
  isFresh ? { ...row, attempts: 1, dueAt: row.dueAt + retryMs } : row;

export class OutboxRows {
  readonly #row: RunRow;

  constructor(row: RunRow) {
    this.#row = row;
  }

  #all(): readonly QueuedRow[] {
    return this.#row.get("outbox").rows;
  }

  #write(rows: readonly QueuedRow[], isLater = false): void {
    const outbox = { ...this.#row.get("outbox"), rows };
    if (isLater) this.#row.setLater("outbox", outbox);
    else this.#row.set("outbox", outbox);
  }

  /** The first row of each chain. */
  next(): StoredRow[] {
    const chains = new Map<string, StoredRow>();
    for (const row of this.#all()) if (!chains.has(row.chain)) chains.set(row.chain, row);
    return [...chains.values()];
  }

  /** The first row of each chain, where it is due. */
  due(now: number): StoredRow[] {
    return this.next().filter(({ dueAt }) => dueAt <= now);
  }

  of(kind: OutboxKind): StoredRow[] {
    return this.#all().filter((row) => row.kind === kind);
  }

  has(isIt: (row: StoredRow) => boolean): boolean {
    return this.#all().some(isIt);
  }

  queue(kind: OutboxKind, chain: string, value: Json, dueAt: number): void {
    const { last, rows } = this.#row.get("outbox");
    const row = { id: last + 1, chain, kind, detail: jsonOf(value), attempts: 0, dueAt };
    // Whether a call was begun decides whether it is made again: it is counted when it is made.
    this.#row.set("outbox", { last: row.id, rows: [...rows, kind === "call" ? row : { ...row, isFresh: true }] });
  }

  /**
   * Counts an attempt and sets the next. Stored before the attempt, so that one that is cut off
   * counts.
   */
  postpone(id: number, dueAt: number): void {
    this.#update(id, (row) => ({ ...row, attempts: row.attempts + 1, dueAt }));
  }

  /** Sets the time that the other side named, and does not count the attempt. */
  wait(id: number, dueAt: number): void {
    this.#update(id, (row) => ({ ...row, attempts: Math.max(row.attempts - 1, 0), dueAt }));
  }

  /** Sets the earliest time of the next attempt; the last one counts. */
  delay(id: number, dueAt: number): void {
    this.#update(id, (row) => ({ ...row, dueAt: Math.max(row.dueAt, dueAt) }));
  }

  /** Makes rows that were attempted due at once; `chain`: those of this chain alone. */
  runNow(kind: OutboxKind, now: number, chain?: string): void {
    const isLate = (row: StoredRow): boolean =>
      row.kind === kind && row.attempts > 0 && row.dueAt > now && (chain ?? row.chain) === row.chain;
    if (this.has(isLate)) this.#write(this.#all().map((row) => (isLate(row) ? { ...row, dueAt: now } : row)));
  }

  #update(id: number, change: (row: StoredRow) => StoredRow): void {
    const found = this.#all().find((row) => row.id === id);
    // Done meanwhile, or deleted with the run.
    if (found === undefined) return;
    const { isFresh, ...row } = found;
    this.#write(
      this.#all().map((each) => (each === found ? change(row) : each)),
      isFresh,
    );
  }

  done(id: number): void {
    const row = this.#all().find((each) => each.id === id);
    if (row === undefined) return;
    this.#write(
      this.#all().filter((each) => each !== row),
      bookkeeping.has(row.kind),
    );
  }

  drop(kind: OutboxKind): void {
    if (this.has((row) => row.kind === kind)) this.#write(this.#all().filter((row) => row.kind !== kind));
  }
}

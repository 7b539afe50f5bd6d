// The rows of a run's outbox. It decides nothing. The table is in run-schema.ts.
//
// The rows are read once while the object is awake, and kept in memory: each change is written
// first. Where a transaction fails, they are read again. Two things are in memory alone, so that an
// effect takes one commit less. A row is stored as attempted once: its first attempt by this
// instance writes nothing, and where the instance is gone, the row is retried. And rows of
// bookkeeping that are done are deleted with the next write: where the instance is gone before,
// they are done twice.

import { type JsonOf, jsonOf } from "../../../../shared/json/json-of.ts";
import type { OutboxKind } from "../../../stubs/run-calls.ts";
import type { Json } from "../../../../shared/encoding.ts";

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

/** Nobody sees that these are done twice. */
const bookkeeping: ReadonlySet<OutboxKind> = new Set([
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

export class OutboxRows {
  readonly #sql: SqlStorage;
  readonly #exists: () => boolean;
  /** By id, ascending; null: to be read. */
  #rows: StoredRow[] | null = null;
  /** Queued by this instance and not attempted yet. */
  readonly #fresh = new Set<number>();
  /** Done, and to be deleted from the table. */
  readonly #over = new Set<number>();

  /** @param exists Whether there are tables. */
  constructor(sql: SqlStorage, exists: () => boolean) {
    this.#sql = sql;
    this.#exists = exists;
  }

  /** For the store: what is in memory may differ from the table. */
  forget(): void {
    this.#rows = null;
    this.#fresh.clear();
    this.#over.clear();
  }

  #all(): readonly StoredRow[] {
    if (!this.#exists()) return [];
    this.#rows ??= this.#sql.exec<StoredRow>("SELECT id, chain, kind, detail, attempts, due_at AS dueAt FROM outbox ORDER BY id").toArray();
    return this.#rows;
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
    const detail = jsonOf(value);
    this.deleteOver();
    const rows = this.#all();
    // Whether a call was begun decides whether it is made again: it is counted when it is made.
    const isCounted = kind !== "call";
    const { id } = this.#sql
      .exec<{ id: number }>(
        "INSERT INTO outbox (chain, kind, detail, attempts, due_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
        chain,
        kind,
        detail,
        isCounted ? 1 : 0,
        isCounted ? dueAt + retryMs : dueAt,
      )
      .one();
    if (isCounted) this.#fresh.add(id);
    this.#rows = [...rows, { id, chain, kind, detail, attempts: 0, dueAt }];
  }

  /**
   * Counts an attempt and sets the next. Stored before the attempt, so that one that is cut off
   * counts.
   */
  postpone(id: number, dueAt: number): void {
    const isStored = this.#fresh.delete(id);
    const count = (row: StoredRow): StoredRow => ({ ...row, attempts: row.attempts + 1, dueAt });
    if (isStored) this.#rows = this.#all().map((row) => (row.id === id ? count(row) : row));
    else this.#update(id, count);
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
    for (const row of this.#all())
      if (row.kind === kind && row.attempts > 0 && row.dueAt > now && (chain ?? row.chain) === row.chain)
        this.#update(row.id, (each) => ({ ...each, dueAt: now }));
  }

  #update(id: number, change: (row: StoredRow) => StoredRow): void {
    const row = this.#all().find((each) => each.id === id);
    // Done meanwhile, or deleted with the run.
    if (row === undefined) return;
    const next = change(row);
    this.deleteOver();
    this.#fresh.delete(id);
    this.#sql.exec("UPDATE outbox SET attempts = ?, due_at = ? WHERE id = ?", next.attempts, next.dueAt, id);
    this.#rows = this.#all().map((each) => (each.id === id ? next : each));
  }

  done(id: number): void {
    const row = this.#all().find((each) => each.id === id);
    if (row === undefined) return;
    if (!bookkeeping.has(row.kind)) return this.#remove((each) => each.id === id);
    this.#over.add(id);
    this.#rows = this.#all().filter((each) => each.id !== id);
  }

  /** Deletes from the table what is done. */
  deleteOver(): void {
    if (this.#exists()) for (const id of this.#over) this.#sql.exec("DELETE FROM outbox WHERE id = ?", id);
    this.#over.clear();
  }

  drop(kind: OutboxKind): void {
    this.#remove((row) => row.kind === kind);
  }

  #remove(isOver: (row: StoredRow) => boolean): void {
    const over = this.#all().filter(isOver);
    if (over.length === 0) return;
    for (const { id } of over) this.#over.add(id);
    this.deleteOver();
    this.#rows = this.#all().filter((row) => !over.includes(row));
  }
}

// The rows of a run's outbox. It decides nothing. Described in docs/storage-schema.md.
//
// The rows are read once while the object is awake, and kept in memory as they are in the table: each change is written first. Where a
// write or a transaction fails, they are read again.

import type { OutboxKind } from "../../stubs/run-calls.ts";
import type { Json } from "../../../shared/encoding.ts";

/** An effect outside this object. Rows of one chain are performed in order; a row that fails delays its chain and no other. */
export type OutboxRow = {
  readonly id: number;
  readonly chain: string;
  readonly kind: OutboxKind;
  readonly detail: Json;
  readonly attempts: number;
  readonly dueAt: number;
};
/** A row as stored: its detail is parsed at the attempt, so that an unreadable one delays its own chain alone. */
export type StoredRow = Omit<OutboxRow, "detail"> & { readonly detail: string };

export class OutboxRows {
  readonly #sql: SqlStorage;
  readonly #exists: () => boolean;
  /** By id, ascending; null: to be read. */
  #rows: StoredRow[] | null = null;

  /** @param exists Whether there are tables. */
  constructor(sql: SqlStorage, exists: () => boolean) {
    this.#sql = sql;
    this.#exists = exists;
  }

  /** For the store: what is in memory may differ from the table. */
  forget(): void {
    this.#rows = null;
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

  queue(kind: OutboxKind, chain: string, value: Json, dueAt: number): void {
    const detail = JSON.stringify(value);
    const { id } = this.#sql
      .exec<{ id: number }>(
        "INSERT INTO outbox (chain, kind, detail, attempts, due_at) VALUES (?, ?, ?, 0, ?) RETURNING id",
        chain,
        kind,
        detail,
        dueAt,
      )
      .one();
    this.#rows?.push({ id, chain, kind, detail, attempts: 0, dueAt });
  }

  /** Counts an attempt and sets the next. Committed before the attempt, so that one that is cut off counts. */
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

  /** Makes rows that were attempted due at once. */
  runNow(kind: OutboxKind, now: number): void {
    for (const row of this.#all())
      if (row.kind === kind && row.attempts > 0 && row.dueAt > now) this.#update(row.id, (each) => ({ ...each, dueAt: now }));
  }

  #update(id: number, change: (row: StoredRow) => StoredRow): void {
    const row = this.#all().find((each) => each.id === id);
    // Done meanwhile, or deleted with the run.
    if (row === undefined) return;
    const next = change(row);
    this.#sql.exec("UPDATE outbox SET attempts = ?, due_at = ? WHERE id = ?", next.attempts, next.dueAt, id);
    this.#rows = this.#all().map((each) => (each.id === id ? next : each));
  }

  done(id: number): void {
    this.#remove((row) => row.id === id);
  }

  drop(kind: OutboxKind): void {
    this.#remove((row) => row.kind === kind);
  }

  #remove(isOver: (row: StoredRow) => boolean): void {
    const over = this.#all().filter(isOver);
    if (over.length === 0) return;
    for (const { id } of over) this.#sql.exec("DELETE FROM outbox WHERE id = ?", id);
    this.#rows = this.#all().filter((row) => !over.includes(row));
  }
}

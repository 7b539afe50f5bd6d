// The rows of a run's schedule: its deadlines, reminders and deletion. It decides nothing.
// The table is in run-schema.ts.
//
// Kept in memory as the rows of the outbox are.

import type { ScheduleKind } from "../../../stubs/run-calls.ts";
import type { Gate } from "../../../../shared/model/gate.ts";

type ScheduleRow = { readonly kind: ScheduleKind; readonly dueAt: number; readonly attempts: number };

export class ScheduleRows {
  readonly #sql: SqlStorage;
  readonly #exists: () => boolean;
  /** Null: to be read. */
  #rows: Map<ScheduleKind, ScheduleRow> | null = null;

  /** @param exists Whether there are tables. */
  constructor(sql: SqlStorage, exists: () => boolean) {
    this.#sql = sql;
    this.#exists = exists;
  }

  /** For the store: what is in memory may differ from the table. */
  forget(): void {
    this.#rows = null;
  }

  #all(): ReadonlyMap<ScheduleKind, ScheduleRow> {
    if (!this.#exists()) return new Map();
    this.#rows ??= new Map(
      this.#sql
        .exec<ScheduleRow>("SELECT kind, due_at AS dueAt, attempts FROM schedule")
        .toArray()
        .map((row) => [row.kind, row]),
    );
    return this.#rows;
  }

  set(kind: ScheduleKind, dueAt: number): void {
    this.#write({ kind, dueAt, attempts: 0 });
  }

  /** Counts a failure and sets the next attempt. */
  postpone(kind: ScheduleKind, dueAt: number): void {
    const row = this.#all().get(kind);
    if (row !== undefined) this.#write({ kind, dueAt, attempts: row.attempts + 1 });
  }

  #write(row: ScheduleRow): void {
    this.#sql.exec("INSERT OR REPLACE INTO schedule (kind, due_at, attempts) VALUES (?, ?, ?)", row.kind, row.dueAt, row.attempts);
    this.#rows?.set(row.kind, row);
  }

  drop(kind: ScheduleKind): void {
    if (!this.has(kind)) return;
    this.#sql.exec("DELETE FROM schedule WHERE kind = ?", kind);
    this.#rows?.delete(kind);
  }

  /** Stops a gate's clock. */
  dropGate(gate: Gate): void {
    for (const kind of this.#all().keys()) if (kind.endsWith(`:${gate}`)) this.drop(kind);
  }

  has(kind: ScheduleKind): boolean {
    return this.#all().has(kind);
  }

  /** The due rows, the longest overdue first. `attempts`: how often each failed. */
  due(now: number): { kind: ScheduleKind; attempts: number }[] {
    return [...this.#all().values()].filter(({ dueAt }) => dueAt <= now).toSorted((a, b) => a.dueAt - b.dueAt);
  }

  /** Whether the run's retention time is over. */
  isForgetDue(now: number): boolean {
    return (this.#all().get("forget")?.dueAt ?? Number.POSITIVE_INFINITY) <= now;
  }

  /** When the schedule is due next, in Unix milliseconds; null where it is empty. */
  next(): number | null {
    const times = [...this.#all().values()].map(({ dueAt }) => dueAt);
    return times.length === 0 ? null : Math.min(...times);
  }
}

// The rows of a run's schedule: its deadlines, reminders and deletion. It decides nothing.
// They are a column of the run's row (run-row.ts).

import type { ScheduleKind } from "../../../stubs/run-calls.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import type { RunRow } from "./run-row.ts";

/** `attempts`: failed ones. */
export type ScheduleRow = { readonly kind: ScheduleKind; readonly dueAt: number; readonly attempts: number };

export class ScheduleRows {
  readonly #row: RunRow;

  constructor(row: RunRow) {
    this.#row = row;
  }

  #all(): readonly ScheduleRow[] {
    return this.#row.get("schedule");
  }

  #of(kind: ScheduleKind): ScheduleRow | undefined {
    return this.#all().find((row) => row.kind === kind);
  }

  set(kind: ScheduleKind, dueAt: number): void {
    this.#put({ kind, dueAt, attempts: 0 });
  }

  /** Counts a failure and sets the next attempt. */
  postpone(kind: ScheduleKind, dueAt: number): void {
    const row = this.#of(kind);
    if (row !== undefined) this.#put({ kind, dueAt, attempts: row.attempts + 1 });
  }

  #put(row: ScheduleRow): void {
    this.#row.set("schedule", [...this.#all().filter(({ kind }) => kind !== row.kind), row]);
  }

  drop(kind: ScheduleKind): void {
    this.#keep((row) => row.kind !== kind);
  }

  /** The same with the next write: for a timer that finds nothing to do. */
  dropLater(kind: ScheduleKind): void {
    if (this.has(kind))
      this.#row.setLater(
        "schedule",
        this.#all().filter((row) => row.kind !== kind),
      );
  }

  /** Stops a gate's clock. */
  dropGate(gate: Gate): void {
    this.#keep(({ kind }) => !kind.endsWith(`:${gate}`));
  }

  #keep(isKept: (row: ScheduleRow) => boolean): void {
    const kept = this.#all().filter(isKept);
    if (kept.length < this.#all().length) this.#row.set("schedule", kept);
  }

  has(kind: ScheduleKind): boolean {
    return this.#of(kind) !== undefined;
  }

  /** The due rows, the longest overdue first. */
  due(now: number): ScheduleRow[] {
    return this.#all()
      .filter(({ dueAt }) => dueAt <= now)
      .toSorted((a, b) => a.dueAt - b.dueAt);
  }

  /** Whether the run's retention time is over. */
  isForgetDue(now: number): boolean {
    return (this.#of("forget")?.dueAt ?? Number.POSITIVE_INFINITY) <= now;
  }

  /** When the schedule is due next, in Unix milliseconds; null where it is empty. */
  next(): number | null {
    const times = this.#all().map(({ dueAt }) => dueAt);
    return times.length === 0 ? null : Math.min(...times);
  }
}

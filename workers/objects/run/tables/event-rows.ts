// The run's own copy of its record. It decides nothing. The table is in run-schema.ts.
//
// What is recorded together is one row. All of it is kept in memory while the object is awake.

import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import { type RecordEvent, type RecordFact, numberEvents } from "../../../../shared/record/record.ts";
import type { RunRow } from "./run-row.ts";

/** An event as its row has it: the run is known. */
type StoredEvent = Omit<RecordEvent, "run">;

export class EventRows {
  readonly #sql: SqlStorage;
  readonly #row: RunRow;
  /** Null: to be read. */
  #stored: readonly StoredEvent[] | null = null;

  constructor(sql: SqlStorage, row: RunRow) {
    this.#sql = sql;
    this.#row = row;
  }

  /** For the store: what is in memory may differ from the table. */
  forget(): void {
    this.#stored = null;
  }

  #all(): readonly StoredEvent[] {
    this.#stored ??= this.#sql
      .exec<{ events: JsonOf<readonly StoredEvent[]> }>("SELECT events FROM event ORDER BY seq")
      .toArray()
      .flatMap(({ events }) => readJsonOf(events));
    return this.#stored;
  }

  append(run: string, at: number, facts: readonly RecordFact[]): void {
    this.continue(numberEvents(run, this.#all().at(-1) ?? null, at, facts));
  }

  /** Stores events that are numbered already: the fast path's, on which later ones follow. */
  continue(numbered: readonly RecordEvent[]): void {
    const [first] = numbered;
    if (first === undefined) return;
    const events = this.#all();
    const more = numbered.map(({ run: _known, ...event }): StoredEvent => event);
    this.#sql.exec("INSERT INTO event (seq, events) VALUES (?, ?)", first.seq, jsonOf(more));
    this.#stored = [...events, ...more];
  }

  /** Whether the record has that this reviewer opened the link of this channel. */
  wasOpened(gate: Gate, reviewer: string, channel: string): boolean {
    return this.#all().some(
      ({ fact }) => fact.kind === "opened" && fact.gate === gate && fact.reviewer === reviewer && fact.channel === channel,
    );
  }

  /** All of them, in order. */
  all(run: string): RecordEvent[] {
    return this.#all().map((event) => ({ run, ...event }));
  }

  /** What the ledger may not have. */
  unshipped(run: string): RecordEvent[] {
    const shipped = this.#row.get("shipped_seq");
    return this.#all().flatMap((event) => (event.seq > shipped ? [{ run, ...event }] : []));
  }

  /** With the next write: what is sent twice, the ledger has once. */
  markShipped(upTo: number): void {
    if (upTo > this.#row.get("shipped_seq")) this.#row.setLater("shipped_seq", upTo);
  }
}

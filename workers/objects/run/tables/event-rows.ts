// The run's own copy of its record. It decides nothing. The table is in run-schema.ts.
//
// What is recorded together is one row. All of it is kept in memory while the object is awake, as
// the rows of the outbox are.

import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import { type RecordEvent, type RecordFact, numberEvents } from "../../../../shared/record/record.ts";

/** An event as its row has it: the run is known. */
type StoredEvent = Omit<RecordEvent, "run">;

export class EventRows {
  readonly #sql: SqlStorage;
  /** Null: to be read. */
  #stored: { readonly events: readonly StoredEvent[]; readonly shippedSeq: number } | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** For the store: what is in memory may differ from the table. */
  forget(): void {
    this.#stored = null;
  }

  #all(): { readonly events: readonly StoredEvent[]; readonly shippedSeq: number } {
    this.#stored ??= {
      events: this.#sql
        .exec<{ events: JsonOf<readonly StoredEvent[]> }>("SELECT events FROM event ORDER BY seq")
        .toArray()
        .flatMap(({ events }) => readJsonOf(events)),
      shippedSeq: this.#sql.exec<{ seq: number }>("SELECT shipped_seq AS seq FROM run").toArray()[0]?.seq ?? 0,
    };
    return this.#stored;
  }

  append(run: string, at: number, facts: readonly RecordFact[]): void {
    this.continue(numberEvents(run, this.#all().events.at(-1) ?? null, at, facts));
  }

  /** Stores events that are numbered already: the fast path's, on which later ones follow. */
  continue(numbered: readonly RecordEvent[]): void {
    const [first] = numbered;
    if (first === undefined) return;
    const { events, shippedSeq } = this.#all();
    const more = numbered.map(({ run: _known, ...event }): StoredEvent => event);
    this.#sql.exec("INSERT INTO event (seq, events) VALUES (?, ?)", first.seq, jsonOf(more));
    this.#stored = { events: [...events, ...more], shippedSeq };
  }

  /** Whether the record has that this reviewer opened the link of this channel. */
  wasOpened(gate: Gate, reviewer: string, channel: string): boolean {
    return this.#all().events.some(
      ({ fact }) => fact.kind === "opened" && fact.gate === gate && fact.reviewer === reviewer && fact.channel === channel,
    );
  }

  /** All of them, in order. */
  all(run: string): RecordEvent[] {
    return this.#all().events.map((event) => ({ run, ...event }));
  }

  /** What the ledger may not have. */
  unshipped(run: string): RecordEvent[] {
    const { events, shippedSeq } = this.#all();
    return events.flatMap((event) => (event.seq > shippedSeq ? [{ run, ...event }] : []));
  }

  markShipped(upTo: number): void {
    const { events, shippedSeq } = this.#all();
    if (upTo <= shippedSeq) return;
    this.#sql.exec("UPDATE run SET shipped_seq = ?", upTo);
    this.#stored = { events, shippedSeq: upTo };
  }
}

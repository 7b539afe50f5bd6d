// The metrics of a shard, added up from its events. A request costs no row for it: batches are
// counted many at a time, in the order in which they arrived, when metrics are read and once a day.
// The sums stay when the events are deleted, so they never decrease.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { RecordEvent } from "../../../shared/record/record.ts";
import { type MetricSums, countEvents } from "../../../shared/telemetry/metric-sums.ts";
import type { LedgerEvents } from "./ledger-events.ts";

type Row = { readonly countedTo: number; readonly text: JsonOf<MetricSums> };

export class LedgerMetrics {
  readonly #sql: SqlStorage;
  readonly #events: LedgerEvents;

  constructor(sql: SqlStorage, events: LedgerEvents) {
    this.#sql = sql;
    this.#events = events;
  }

  /**
   * Counts the next batches, at most so many; returns whether there may be more. Call it in a
   * transaction.
   */
  countNext(most: number): boolean {
    const { countedTo, text } = this.#row();
    const batches = this.#events.arrivedAfter(countedTo, most);
    const last = batches.at(-1);
    if (last === undefined) return false;
    const sums = readJsonOf(text);
    for (const { events } of batches) this.#count(sums, events);
    this.#sql.exec("INSERT OR REPLACE INTO metric_sums (one, counted_to, text) VALUES (1, ?, ?)", last.id, jsonOf(sums));
    return batches.length === most;
  }

  #count(sums: MetricSums, events: readonly RecordEvent[]): void {
    const [first] = events;
    if (first !== undefined) countEvents(sums, events, () => this.#events.earlierOf(first.run, first.seq));
  }

  sums(): MetricSums {
    return readJsonOf(this.#row().text);
  }

  #row(): Row {
    const [row] = this.#sql.exec<Row>("SELECT counted_to AS countedTo, text FROM metric_sums").toArray();
    return row ?? { countedTo: 0, text: jsonOf({}) };
  }
}

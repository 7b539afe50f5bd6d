// The metrics of a shard, added up from the entries of its log. A request costs no row for it:
// entries are counted many at a time, in the order in which they arrived, when metrics are read and
// once a day. The sums stay when the entries are deleted, so they never decrease.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { RecordEvent } from "../../../shared/record/record.ts";
import { type MetricSums, countEvents } from "../../../shared/telemetry/metric-sums.ts";

/** Events of one run, with all of its earlier ones where they are needed. */
export type CountedEvents = { readonly events: readonly RecordEvent[]; readonly earlier: readonly RecordEvent[] };

export class LedgerMetrics {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Call it once for each entry, in the transaction that says so. */
  add(counted: readonly CountedEvents[]): void {
    const sums = this.sums();
    for (const { events, earlier } of counted) countEvents(sums, events, () => earlier);
    this.#sql.exec("INSERT OR REPLACE INTO metric_sums (one, text) VALUES (1, ?)", jsonOf(sums));
  }

  sums(): MetricSums {
    const [row] = this.#sql.exec<{ text: JsonOf<MetricSums> }>("SELECT text FROM metric_sums").toArray();
    return row === undefined ? {} : readJsonOf(row.text);
  }
}

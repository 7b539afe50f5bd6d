// The floods of a shard: refusals that are counted. A flood's line has the count at once, the
// record has it when the minute is over.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { type RecordEvent, type RecordFact, numberEvents } from "../../../shared/record/record.ts";
import { type RunSummary, uncalled } from "../../../shared/record/run-summary.ts";
import type { Flood } from "../../stubs/ledger-calls.ts";
import type { LedgerEvents } from "./ledger-events.ts";
import type { LedgerLines } from "./ledger-lines.ts";

/** Workers report a flood's count within a quarter of a second; this leaves time for slow ones. */
const settlesMs = 30_000;

/** Call what writes in a transaction. */
export class LedgerFloods {
  readonly #sql: SqlStorage;
  readonly #events: LedgerEvents;
  readonly #lines: LedgerLines;

  constructor(sql: SqlStorage, events: LedgerEvents, lines: LedgerLines) {
    this.#sql = sql;
    this.#events = events;
    this.#lines = lines;
  }

  /**
   * Stores a flood's count. Its summary line has it at once, its event when the minute is over.
   * Returns the line, and how many refusals more it has than before.
   */
  count(flood: Flood): { readonly line: RunSummary; readonly more: number } {
    const { run, key, reason, since, until } = flood;
    const [before] = this.#sql.exec<{ count: number }>("SELECT count FROM flood WHERE run = ?", run).toArray();
    const { count } = this.#sql
      .exec<{ count: number }>(
        `INSERT INTO flood (run, until, count, written, text) VALUES (?, ?, ?, 0, ?)
         ON CONFLICT (run) DO UPDATE SET count = MAX(count, excluded.count) RETURNING count`,
        run,
        until,
        flood.count,
        jsonOf(flood),
      )
      .one();
    const line: RunSummary = {
      run,
      key,
      server: null,
      name: null,
      createdAt: since,
      endedAt: until,
      state: "refused",
      cause: { kind: "refusedMany", reason, count },
      ...uncalled,
    };
    this.#lines.replace(line);
    return { line, more: count - (before?.count ?? 0) };
  }

  /**
   * Writes the events of floods whose minute is over, at most so many; returns how many. A later
   * count becomes one more event: the counts add up.
   */
  close(now: number, most: number): number {
    const over = this.#sql
      .exec<{ run: string; count: number; written: number; text: JsonOf<Flood>; last: JsonOf<Pick<RecordEvent, "seq">> | null }>(
        "SELECT run, count, written, text, last FROM flood WHERE until < ? AND count > written LIMIT ?",
        now - settlesMs,
        most,
      )
      .toArray();
    for (const { run, count, written, text, last } of over) {
      const { key, endpoint, reason, since, until } = readJsonOf(text);
      const times = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
      const fact: RecordFact = { kind: "refusedMany", key, endpoint, reason, ...times, count: count - written };
      const events = numberEvents(run, last === null ? null : readJsonOf(last), now, [fact]);
      this.#events.append(events, null, () => false);
      const [{ seq } = { seq: 0 }] = events;
      this.#sql.exec("UPDATE flood SET written = ?, last = ? WHERE run = ?", count, jsonOf({ seq }), run);
    }
    return over.length;
  }

  /**
   * When the minute of a flood began: its line was created then. Null where there is none of this
   * id.
   */
  since(run: string): number | null {
    const [row] = this.#sql.exec<{ text: JsonOf<Flood> }>("SELECT text FROM flood WHERE run = ?", run).toArray();
    return row === undefined ? null : readJsonOf(row.text).since;
  }

  /**
   * Deletes floods that ended before this and whose refusals are all in events, at most so many;
   * returns how many.
   */
  deleteOld(before: number, most: number): number {
    return this.#sql
      .exec("DELETE FROM flood WHERE run IN (SELECT run FROM flood WHERE until < ? AND count = written LIMIT ?) RETURNING 1", before, most)
      .toArray().length;
  }
}

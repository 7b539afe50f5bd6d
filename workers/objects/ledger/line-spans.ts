// In which hours, days and months of 32 days a shard has lines with a key, a server and a state.
// A list by these looks into a month first, then into its days and their hours: what nothing
// matches is known after a read for each month, however many lines there are.

import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { type Conditions, valuesOf, whereOf } from "./line-filters.ts";

const hourMs = 3_600_000;
const hourOf = (at: number): number => Math.floor(at / hourMs);
/** In hours, each a multiple of the next. */
const units = [768, 24, 1] as const;
const [longest] = units;
/** So many hours are known to be written, without asking the table. */
const mostNoted = 10_000;

/**
 * Finds the newest hour between two times, in Unix milliseconds, that has lines of a query. Returns
 * when it begins, or null.
 */
export type HourFinder = (from: number, to: number) => number | null;
/** The last millisecond of the hour that begins then. */
export const endOfHour = (start: number): number => start + hourMs - 1;

export class LineSpans {
  readonly #sql: SqlStorage;
  readonly #noted = new Set<string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  note({ createdAt, key, server: named, state }: Pick<RunSummary, "createdAt" | "key" | "server" | "state">): void {
    const hour = hourOf(createdAt);
    const server = named ?? "";
    const entry = JSON.stringify([hour, key, server, state]);
    if (this.#noted.has(entry)) return;
    for (const unit of units) {
      const n = Math.floor(hour / unit);
      this.#sql.exec("INSERT OR IGNORE INTO line_span (unit, n, key, server, state) VALUES (?, ?, ?, ?, ?)", unit, n, key, server, state);
    }
    if (this.#noted.size >= mostNoted) this.#noted.clear();
    this.#noted.add(entry);
  }

  /** A transaction was undone, perhaps with hours that it noted. */
  undone(): void {
    this.#noted.clear();
  }

  /** @param columns Conditions on the key, the server and the state. */
  finder(columns: Conditions): HourFinder {
    const select = `SELECT 1 FROM line_span ${whereOf([["unit = ?", 0], ["n = ?", 0], ...columns])} LIMIT 1`;
    const values = valuesOf(columns);
    const seen = new Map<string, boolean>();
    const has = (unit: number, n: number): boolean => {
      const name = `${unit}/${n}`;
      const found = seen.get(name) ?? this.#sql.exec(select, unit, n, ...values).toArray().length > 0;
      seen.set(name, found);
      return found;
    };
    const newest = (from: number, to: number, level = 0): number | null => {
      const unit = units[level];
      if (unit === undefined) return to;
      for (let n = Math.floor(to / unit); n >= Math.floor(from / unit); n -= 1) {
        const first = n * unit;
        const found = has(unit, n) ? newest(Math.max(from, first), Math.min(to, first + unit - 1), level + 1) : null;
        if (found !== null) return found;
      }
      return null;
    };
    const [oldest, last] = [this.#end("ASC"), this.#end("DESC")];
    return (from, to) => {
      if (oldest === null || last === null) return null;
      const hour = newest(Math.max(hourOf(from), oldest * longest), Math.min(hourOf(to), (last + 1) * longest - 1));
      return hour === null ? null : hour * hourMs;
    };
  }

  /** The first or the last of the longest spans; null where there is none. */
  #end(order: "ASC" | "DESC"): number | null {
    const select = `SELECT n FROM line_span WHERE unit = ? ORDER BY n ${order} LIMIT 1`;
    return this.#sql.exec<{ n: number }>(select, longest).toArray()[0]?.n ?? null;
  }

  /** Deletes spans that ended before this, at most so many rows; returns how many. */
  deleteOld(before: number, most: number): number {
    let deleted = 0;
    for (const unit of units)
      deleted += this.#sql
        .exec(
          `DELETE FROM line_span WHERE (unit, n, key, server, state) IN (SELECT unit, n, key, server, state FROM line_span
             WHERE unit = ? AND n < ? LIMIT ?) RETURNING 1`,
          unit,
          Math.floor(hourOf(before) / unit),
          most - deleted,
        )
        .toArray().length;
    if (deleted > 0) this.#noted.clear();
    return deleted;
  }
}

// Counts each line that has a row in a shard once, when it has ended: so that sums cost a request
// no row, lines are counted many at a time. Lines that stand in the log alone are given to it.
//
// Lines are passed in the order of their table, and those that have ended are counted on the way. A
// line that is written with an end behind that place, because its run was open or because it
// arrived late, is counted when it is written.

import { type JsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";

/** The last line that was passed. */
type Place = { readonly createdAt: number; readonly run: string };
type Line = Place & { readonly endedAt: number | null; readonly text: JsonOf<RunSummary> };

const beginning: Place = { createdAt: 0, run: "" };

export class LedgerCounter {
  readonly #sql: SqlStorage;
  readonly #table: string;
  readonly #count: (lines: readonly RunSummary[]) => void;
  #place: Place | undefined;

  /**
   * @param table Where the place is stored: a table of its own, with one row of `created_at` and
   *   `run`.
   * @param count Adds lines up, in the transaction that moves the place.
   */
  constructor(sql: SqlStorage, table: string, count: (lines: readonly RunSummary[]) => void) {
    this.#sql = sql;
    this.#table = table;
    this.#count = count;
  }

  /** Counts lines that have no row: each is passed in the order of the log. */
  add(lines: readonly RunSummary[]): void {
    if (lines.length > 0) this.#count(lines);
  }

  /** A line was written with an end, for the first time. Call it in the same transaction. */
  ended(line: RunSummary): void {
    if (this.hasPassed(line)) this.#count([line]);
  }

  /** Whether the line stands before the place: whatever changes it has to be counted by itself. */
  hasPassed(line: Place): boolean {
    const { createdAt, run } = this.#countedTo();
    return line.createdAt < createdAt || (line.createdAt === createdAt && line.run <= run);
  }

  /**
   * Counts the next lines, at most so many; returns whether there may be more. Call it in a
   * transaction.
   */
  countNext(most: number): boolean {
    const { createdAt, run } = this.#countedTo();
    const lines = this.#sql
      .exec<Line>(
        `SELECT created_at AS createdAt, run, ended_at AS endedAt, text FROM summary WHERE (created_at, run) > (?, ?)
           ORDER BY created_at, run LIMIT ?`,
        createdAt,
        run,
        most,
      )
      .toArray();
    const last = lines.at(-1);
    if (last === undefined) return false;
    this.#count(lines.flatMap(({ endedAt, text }) => (endedAt === null ? [] : [readJsonOf(text)])));
    this.#sql.exec(`INSERT OR REPLACE INTO ${this.#table} (one, created_at, run) VALUES (1, ?, ?)`, last.createdAt, last.run);
    this.#place = { createdAt: last.createdAt, run: last.run };
    return lines.length === most;
  }

  /** A transaction was undone. */
  undone(): void {
    this.#place = undefined;
  }

  #countedTo(): Place {
    this.#place ??= this.#sql.exec<Place>(`SELECT created_at AS createdAt, run FROM ${this.#table}`).toArray()[0] ?? beginning;
    return this.#place;
  }
}

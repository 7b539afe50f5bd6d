// The summary lines of requests that were not answered at once: one for each, in the order of time.
// What lists filter by are columns. The lines of the others stand in the log alone (log-lines.ts).
//
// Every index entry of a line would be billed like a row. So the lines have one index, of those
// that are open; for the other filters `LineSpans` knows the hours that have any, and only these
// are read.

import { type JsonOf, jsonOf, jsonOfList } from "../../../shared/json/json-of.ts";
import type { LineState } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { LinePage, LinePlace } from "../../../shared/record/line-list.ts";
import type { ReplayQuery, ReplayRow, RunsQuery } from "../../stubs/ledger-calls.ts";
import { type Conditions, filtersOf, placeBefore, valuesOf, whereOf } from "./line-filters.ts";
import { type HourFinder, LineSpans, endOfHour } from "./line-spans.ts";

/**
 * A call that says nothing else reads so many lines at most: a search that finds little holds up
 * nobody who appends.
 */
const linesInCall = 1_500;
/** To look into an hour costs about as much as to read so many lines. */
const linesForHour = 10;

const from = (since: number): Conditions => (since === 0 ? [] : [["created_at >= ?", since]]);
const before = (place: LinePlace | undefined): Conditions =>
  place === undefined ? [] : [["(created_at, run) < (?, ?)", place.createdAt, place.run]];

type Row = { readonly createdAt: number; readonly run: string; readonly text: JsonOf<RunSummary> };
/** `stoppedAt`: the last line that was read, where there may be more; null where there are none. */
type Look = { readonly found: readonly Row[]; readonly read: number; readonly stoppedAt: LinePlace | null };
/** A part of the table: the lines between two times. `since`: its beginning. */
type Range = { readonly since: number; readonly within: Conditions };

/** Each line is JSON already, as its row has it. */
const pageOf = (found: readonly Row[], stoppedAt: LinePlace | null): JsonOf<LinePage> =>
  `{"lines":${jsonOfList(found.map(({ text }) => text))},"stoppedAt":${jsonOf(stoppedAt === null ? null : { createdAt: stoppedAt.createdAt, run: stoppedAt.run })}}` as JsonOf<LinePage>;

export class LedgerLines {
  readonly #sql: SqlStorage;
  readonly #spans: LineSpans;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#spans = new LineSpans(sql);
  }

  /**
   * Writes a run's line. A late repeat of an earlier line never reopens a run that has ended.
   * Returns whether the run ends with this line: true once for each run.
   */
  write(line: RunSummary): boolean {
    const written = this.#write(
      `INSERT INTO summary (run, created_at, ended_at, key, state, server, text) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ended_at = excluded.ended_at, state = excluded.state, server = excluded.server, text = excluded.text
       WHERE summary.ended_at IS NULL RETURNING 1`,
      line,
    );
    return written && line.endedAt !== null;
  }

  /** Writes a line in place of the one that is there, if one is. */
  replace(line: RunSummary): void {
    this.#write("INSERT OR REPLACE INTO summary (run, created_at, ended_at, key, state, server, text) VALUES (?, ?, ?, ?, ?, ?, ?)", line);
  }

  /** Whether the statement, where it returns what it wrote, wrote the line. */
  #write(statement: string, line: RunSummary): boolean {
    const { run, createdAt, endedAt, key, state, server } = line;
    const written = this.#sql.exec(statement, run, createdAt, endedAt, key, state, server, jsonOf(line)).toArray();
    this.note({ createdAt, key, server, state });
    return written.length > 0;
  }

  /** Notes that its hour has such a line, here or in the log. */
  note(line: Parameters<LineSpans["note"]>[0]): void {
    this.#spans.note(line);
  }

  /** A transaction was undone, perhaps with hours that it noted. */
  undone(): void {
    this.#spans.undone();
  }

  /** What began in a time, newest first: without the lines' texts. */
  page({ since, after, limit }: ReplayQuery): Pick<ReplayRow, "run" | "createdAt" | "state">[] {
    return this.#sql
      .exec<{ run: string; createdAt: number; state: LineState }>(
        "SELECT run, created_at AS createdAt, state FROM summary WHERE created_at >= ? AND (created_at, run) < (?, ?) ORDER BY created_at DESC, run DESC LIMIT ?",
        since,
        after.createdAt,
        after.run,
        limit,
      )
      .toArray();
  }

  countSince(since: number): number {
    return this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM summary WHERE created_at >= ?", since).one().count;
  }

  /**
   * Lines, newest first.
   * @param hours What `hoursOf` returned for the query.
   */
  list(query: RunsQuery, hours: HourFinder | null): JsonOf<LinePage> {
    const { columns, others } = filtersOf(query);
    const filters = [...columns, ...others];
    const found: Row[] = [];
    let left = query.mostRead ?? linesInCall;
    for (const { since, within } of this.#ranges(query, hours)) {
      const look = this.#look(within, filters, { limit: query.limit - found.length, lines: left });
      found.push(...look.found);
      if (look.stoppedAt !== null) return pageOf(found, look.stoppedAt);
      left -= look.read + linesForHour;
      // Nothing that is older than this hour was read.
      if (left <= 0) return pageOf(found, { createdAt: since, run: "" });
    }
    return pageOf(found, null);
  }

  /**
   * The parts of the table that may have such lines, from the newest on: the hours that have any,
   * or all of it.
   */
  *#ranges(query: RunsQuery, hours: HourFinder | null): Generator<Range> {
    const { isOpen } = filtersOf(query);
    const { since = 0 } = query;
    const end = placeBefore(query);
    if (isOpen || hours === null) {
      yield { since, within: [...(isOpen ? [["ended_at IS NULL"] as const] : []), ...from(since), ...before(end)] };
      return;
    }
    const newest = end?.createdAt ?? Number.MAX_SAFE_INTEGER;
    for (let hour = hours(since, newest); hour !== null; hour = hours(since, hour - 1)) {
      const start = Math.max(since, hour);
      const last = endOfHour(hour);
      // One bound at each end: SQLite looks up one and tests the others line by line.
      yield { since: start, within: [...from(start), ...(newest <= last ? before(end) : [["created_at <= ?", last] as const])] };
    }
  }

  /** The hours that have lines of the query, here or in the log; null where any may. */
  hoursOf(query: RunsQuery): HourFinder | null {
    const { columns } = filtersOf(query);
    return columns.length === 0 ? null : this.#spans.finder(columns);
  }

  /** Reads so many lines of a part, or fewer where there are enough that fit. */
  #look(within: Conditions, filters: Conditions, { limit, lines }: { readonly limit: number; readonly lines: number }): Look {
    const read = `FROM summary ${whereOf(within)} ORDER BY created_at DESC, run DESC`;
    const cursor = this.#sql.exec<Row>(
      filters.length === 0
        ? `SELECT created_at AS createdAt, run, text ${read} LIMIT ?`
        : `SELECT created_at AS createdAt, run, text FROM (SELECT created_at, run, key, state, server, text ${read} LIMIT ?) ${whereOf(filters)} LIMIT ?`,
      ...valuesOf(within),
      ...(filters.length === 0 ? [] : [lines, ...valuesOf(filters)]),
      limit,
    );
    const found = cursor.toArray();
    const last = found.at(-1);
    if (last !== undefined && found.length === limit) return { found, read: cursor.rowsRead, stoppedAt: last };
    // Rows that are read are billed: the place is looked up only where the part may go on.
    const isAll = filters.length === 0 || cursor.rowsRead < lines;
    return { found, read: cursor.rowsRead, stoppedAt: isAll ? null : this.#place(read, within, lines) };
  }

  /** The place of a line by its number, from 1; null where there are not so many. */
  #place(read: string, within: Conditions, number: number): LinePlace | null {
    return (
      this.#sql
        .exec<LinePlace>(`SELECT created_at AS createdAt, run ${read} LIMIT 1 OFFSET ?`, ...valuesOf(within), number - 1)
        .toArray()[0] ?? null
    );
  }

  /** How many requests are open, by state. */
  open(): (readonly [state: string, requests: number])[] {
    return this.#sql
      .exec<{ state: string; requests: number }>("SELECT state, COUNT(*) AS requests FROM summary WHERE ended_at IS NULL GROUP BY state")
      .toArray()
      .map(({ state, requests }) => [state, requests] as const);
  }

  /** The line of one run that was created then. */
  of(run: string, createdAt: number): JsonOf<RunSummary> | null {
    const [row] = this.#sql
      .exec<{ text: JsonOf<RunSummary> }>("SELECT text FROM summary WHERE created_at = ? AND run = ?", createdAt, run)
      .toArray();
    return row?.text ?? null;
  }

  /** Deletes lines of ended runs that began before this, at most so many; returns how many. */
  deleteOld(before: number, most: number): number {
    const deleted = this.#sql
      .exec(
        `DELETE FROM summary WHERE (created_at, run) IN (SELECT created_at, run FROM summary
           WHERE created_at < ? AND ended_at IS NOT NULL ORDER BY created_at LIMIT ?) RETURNING 1`,
        before,
        most,
      )
      .toArray().length;
    // The hour of an open run's line is deleted too: the line is found as an open one.
    return deleted + this.#spans.deleteOld(before, most - deleted);
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM summary LIMIT 1").toArray().length === 0;
  }
}

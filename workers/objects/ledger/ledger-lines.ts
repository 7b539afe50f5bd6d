// The summary lines of a shard: one for each request, in the order of time. What lists filter by are columns.
//
// Every index entry of a line would be billed like a row. So the lines have one index, of those that are open; for the other filters a small
// table says in which hours there are lines with a key, a server and a state, and only these hours are read.

import { type RunSummary, openStates } from "../../../shared/record/record.ts";
import type { RunsQuery } from "../../stubs/ledger-calls.ts";

const hourMs = 3_600_000;
const hourOf = (at: number): number => Math.floor(at / hourMs);
/** So many entries of `line_hour` are known to be written, without asking the table. */
const mostNoted = 10_000;

/** Conditions of a query, each with its values. */
type Conditions = readonly (readonly [string, ...(string | number)[]])[];
const whereOf = (conditions: Conditions): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.map(([condition]) => condition).join(" AND ")}`;
const valuesOf = (conditions: Conditions): (string | number)[] => conditions.flatMap(([, ...values]) => values);

type After = NonNullable<RunsQuery["after"]>;
const from = (since: number | undefined): Conditions => (since === undefined ? [] : [["created_at >= ?", since]]);
const before = (after: After | undefined): Conditions =>
  after === undefined ? [] : [["(created_at, run) < (?, ?)", after.createdAt, after.run]];

const textsAsList = (texts: readonly string[]): string => `[${texts.join(",")}]`;

export class LedgerLines {
  readonly #sql: SqlStorage;
  readonly #noted = new Set<string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    // In the order of time: the list without a filter needs no index, and a new line goes to the table's end.
    sql.exec(
      `CREATE TABLE IF NOT EXISTS summary (run TEXT NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER, key TEXT NOT NULL, state TEXT NOT NULL, server TEXT, text TEXT NOT NULL, PRIMARY KEY (created_at, run)) WITHOUT ROWID`,
    );
    sql.exec("CREATE INDEX IF NOT EXISTS summary_open ON summary (created_at) WHERE ended_at IS NULL");
    sql.exec(
      `CREATE TABLE IF NOT EXISTS line_hour (hour INTEGER NOT NULL, key TEXT NOT NULL, server TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (hour, key, server, state)) WITHOUT ROWID`,
    );
  }

  /**
   * Writes a run's line. A late repeat of an earlier line never reopens a run that has ended. Returns whether the run ends with this line:
   * true once for each run.
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
    const written = this.#sql.exec(statement, run, createdAt, endedAt, key, state, server, JSON.stringify(line)).toArray();
    this.#note(hourOf(createdAt), key, server ?? "", state);
    return written.length > 0;
  }

  #note(hour: number, key: string, server: string, state: string): void {
    const entry = JSON.stringify([hour, key, server, state]);
    if (this.#noted.has(entry)) return;
    this.#sql.exec("INSERT OR IGNORE INTO line_hour (hour, key, server, state) VALUES (?, ?, ?, ?)", hour, key, server, state);
    if (this.#noted.size >= mostNoted) this.#noted.clear();
    this.#noted.add(entry);
  }

  /** A transaction was undone, perhaps with hours that it noted. */
  undone(): void {
    this.#noted.clear();
  }

  /** Lines, newest first, as JSON of `RunSummary[]`. */
  list({ state, server, key, since, after, limit }: RunsQuery): string {
    const isOpen = state === "open" || openStates.some((each) => each === state);
    const filters: Conditions = [
      ...(state === undefined || state === "open" ? [] : [["state = ?", state] as const]),
      ...(server === undefined ? [] : [["server = ?", server] as const]),
      ...(key === undefined ? [] : [["key = ?", key] as const]),
    ];
    if (isOpen || filters.length === 0)
      return textsAsList(
        this.#texts([...(isOpen ? [["ended_at IS NULL"] as const] : []), ...filters, ...from(since), ...before(after)], limit),
      );
    return textsAsList(this.#byHours(filters, { since, after, limit }));
  }

  #texts(conditions: Conditions, limit: number): string[] {
    return this.#sql
      .exec<{ text: string }>(
        `SELECT text FROM summary ${whereOf(conditions)} ORDER BY created_at DESC, run DESC LIMIT ?`,
        ...valuesOf(conditions),
        limit,
      )
      .toArray()
      .map(({ text }) => text);
  }

  /** Reads the hours that have such lines, from the newest on, until there are enough. */
  #byHours(
    filters: Conditions,
    { since = 0, after, limit }: { since: number | undefined; after: After | undefined; limit: number },
  ): string[] {
    const newest = after === undefined ? Number.MAX_SAFE_INTEGER : hourOf(after.createdAt);
    const within: Conditions = [...filters, ["hour BETWEEN ? AND ?", hourOf(since), newest]];
    const hours = this.#sql.exec<{ hour: number }>(
      `SELECT DISTINCT hour FROM line_hour ${whereOf(within)} ORDER BY hour DESC`,
      ...valuesOf(within),
    );
    const texts: string[] = [];
    for (const { hour } of hours) {
      // One bound at each end: SQLite looks up one and tests the others line by line.
      const until: Conditions = hour === newest ? before(after) : [["created_at < ?", (hour + 1) * hourMs]];
      texts.push(...this.#texts([...filters, ...from(Math.max(since, hour * hourMs)), ...until], limit - texts.length));
      if (texts.length >= limit) break;
    }
    return texts;
  }

  /** How many requests are open, by state. */
  open(): (readonly [state: string, requests: number])[] {
    return this.#sql
      .exec<{ state: string; requests: number }>("SELECT state, COUNT(*) AS requests FROM summary WHERE ended_at IS NULL GROUP BY state")
      .toArray()
      .map(({ state, requests }) => [state, requests] as const);
  }

  /** The line of one run that was created then, as JSON of `RunSummary`. */
  of(run: string, createdAt: number): string | null {
    const [row] = this.#sql.exec<{ text: string }>("SELECT text FROM summary WHERE created_at = ? AND run = ?", createdAt, run).toArray();
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
    const hours = this.#sql
      .exec(
        `DELETE FROM line_hour WHERE (hour, key, server, state) IN (SELECT hour, key, server, state FROM line_hour WHERE hour < ? LIMIT ?) RETURNING 1`,
        hourOf(before),
        most - deleted,
      )
      .toArray().length;
    if (hours > 0) this.#noted.clear();
    return deleted + hours;
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM summary LIMIT 1").toArray().length === 0;
  }
}

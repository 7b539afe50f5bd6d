// The summary lines of a shard: one for each request. What lists filter by are columns.

import { type RunSummary, endStates } from "../../../shared/record/record.ts";
import type { RunsQuery } from "../../stubs/ledger-calls.ts";

/** One for each filter, newest first; rows are scanned where several filters are combined. */
const indexes = {
  open: "(created_at) WHERE ended_at IS NULL",
  of_key: "(key, created_at)",
  of_state: "(state, created_at)",
  of_server: "(server, created_at)",
};

export class LedgerLines {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    // In the order of time: the list without a filter needs no index, and a new line goes to the table's end.
    sql.exec(
      `CREATE TABLE IF NOT EXISTS summary (run TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, ended_at INTEGER, key TEXT NOT NULL, state TEXT NOT NULL, server TEXT, text TEXT NOT NULL, PRIMARY KEY (created_at, run)) WITHOUT ROWID`,
    );
    for (const [name, columns] of Object.entries(indexes)) sql.exec(`CREATE INDEX IF NOT EXISTS summary_${name} ON summary ${columns}`);
  }

  /** Writes a run's line. A late repeat of an earlier line never reopens a run that has ended. */
  write(line: RunSummary): void {
    this.#write(
      `INSERT INTO summary (run, created_at, ended_at, key, state, server, text) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ended_at = excluded.ended_at, state = excluded.state, server = excluded.server, text = excluded.text
       WHERE summary.ended_at IS NULL`,
      line,
    );
  }

  /** Writes a line in place of the one that is there, if one is. */
  replace(line: RunSummary): void {
    this.#write("INSERT OR REPLACE INTO summary (run, created_at, ended_at, key, state, server, text) VALUES (?, ?, ?, ?, ?, ?, ?)", line);
  }

  #write(statement: string, line: RunSummary): void {
    const { run, createdAt, endedAt, key, state, server } = line;
    this.#sql.exec(statement, run, createdAt, endedAt, key, state, server, JSON.stringify(line));
  }

  /** Lines, newest first, as JSON of `RunSummary[]`. */
  list({ state, server, key, since, after, limit }: RunsQuery): string {
    const wanted: [string, ...(string | number)[]][] = [];
    if (state === "open") wanted.push(["ended_at IS NULL"]);
    else if (state !== undefined) wanted.push(["state = ?", state]);
    if (server !== undefined) wanted.push(["server = ?", server]);
    if (key !== undefined) wanted.push(["key = ?", key]);
    if (since !== undefined) wanted.push(["created_at >= ?", since]);
    if (after !== undefined) wanted.push(["(created_at, run) < (?, ?)", after.createdAt, after.run]);
    const where = wanted.length === 0 ? "" : `WHERE ${wanted.map(([condition]) => condition).join(" AND ")}`;
    const rows = this.#sql
      .exec<{ text: string }>(
        `SELECT text FROM summary ${where} ORDER BY created_at DESC, run DESC LIMIT ?`,
        ...wanted.flatMap(([, ...values]) => values),
        limit,
      )
      .toArray();
    return `[${rows.map(({ text }) => text).join(",")}]`;
  }

  /** The line of one run, as JSON of `RunSummary`. */
  of(run: string): string | null {
    return this.#sql.exec<{ text: string }>("SELECT text FROM summary WHERE run = ?", run).toArray()[0]?.text ?? null;
  }

  /** Deletes lines of ended runs that began before this, at most so many; returns how many. */
  deleteOld(before: number, most: number): number {
    // By the states of ended runs: their index passes over the lines of open ones, however old.
    return this.#sql
      .exec(
        `DELETE FROM summary WHERE run IN (SELECT run FROM summary INDEXED BY summary_of_state
           WHERE state IN (${endStates.map(() => "?").join(", ")}) AND created_at < ? LIMIT ?) RETURNING 1`,
        ...endStates,
        before,
        most,
      )
      .toArray().length;
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM summary LIMIT 1").toArray().length === 0;
  }
}

// What each MCP server's sampling came to, added up month by month, so that a report reads a few rows and not every line. A request costs no
// row for it: lines are added up many at a time, when a report asks and once a day.
//
// Each request is counted once. Lines are passed in the order of their table, and those that have ended are counted on the way. A line that is
// written with an end behind that place, because its run was open or because it arrived late, is counted when it is written.

import { type ServerMonths, type ServerUse, addedUse, monthOf, useOfLine } from "../../../shared/record/server-use.ts";
import type { RunSummary } from "../../../shared/record/record.ts";
import { isReservedServer } from "../../../shared/wire/mcp-2025/meta.ts";

type Row = { readonly server: string; readonly month: string; readonly text: string };
/** The last line that was passed. */
type Place = { readonly createdAt: number; readonly run: string };
type Line = Place & { readonly endedAt: number | null; readonly text: string };

const beginning: Place = { createdAt: 0, run: "" };

export class LedgerUse {
  readonly #sql: SqlStorage;
  #place: Place | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS server_use (server TEXT NOT NULL, month TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (server, month)) WITHOUT ROWID`,
    );
    sql.exec(`CREATE TABLE IF NOT EXISTS counted_to (one INTEGER PRIMARY KEY, created_at INTEGER NOT NULL, run TEXT NOT NULL)`);
  }

  /** A line was written with an end, for the first time. Call it in the same transaction. */
  ended(line: RunSummary): void {
    const { createdAt, run } = this.#countedTo();
    if (line.createdAt < createdAt || (line.createdAt === createdAt && line.run <= run)) this.#count([line]);
  }

  /** Counts the next lines, at most so many; returns whether there may be more. Call it in a transaction. */
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
    this.#count(lines.flatMap(({ endedAt, text }) => (endedAt === null ? [] : [JSON.parse(text) as RunSummary]))); // written by LedgerLines
    this.#sql.exec("INSERT OR REPLACE INTO counted_to (one, created_at, run) VALUES (1, ?, ?)", last.createdAt, last.run);
    this.#place = { createdAt: last.createdAt, run: last.run };
    return lines.length === most;
  }

  /** A transaction was undone. */
  undone(): void {
    this.#place = undefined;
  }

  #countedTo(): Place {
    this.#place ??= this.#sql.exec<Place>("SELECT created_at AS createdAt, run FROM counted_to").toArray()[0] ?? beginning;
    return this.#place;
  }

  #count(lines: readonly RunSummary[]): void {
    const added = new Map<string, { readonly server: string; readonly month: string; readonly use: ServerUse }>();
    for (const line of lines) {
      const counted = line.server !== null && isReservedServer(line.server) ? null : useOfLine(line);
      if (counted === null) continue;
      const { server, use } = counted;
      const month = monthOf(line.createdAt);
      const place = JSON.stringify([server, month]);
      const before = added.get(place)?.use ?? this.#useOf(server, month);
      added.set(place, { server, month, use: before === null ? use : addedUse(before, use) });
    }
    for (const { server, month, use } of added.values())
      this.#sql.exec("INSERT OR REPLACE INTO server_use (server, month, text) VALUES (?, ?, ?)", server, month, JSON.stringify(use));
  }

  #useOf(server: string, month: string): ServerUse | null {
    const [row] = this.#sql.exec<{ text: string }>("SELECT text FROM server_use WHERE server = ? AND month = ?", server, month).toArray();
    return row === undefined ? null : useIn(row.text);
  }

  /** Servers whose names come after this one, in their order, at most so many. */
  list(after: string, limit: number): ServerMonths[] {
    const servers: ServerMonths[] = [];
    const rows = this.#sql.exec<Row>("SELECT server, month, text FROM server_use WHERE server > ? ORDER BY server, month", after);
    for (const { server, month, text } of rows) {
      const use = useIn(text);
      const last = servers.at(-1);
      const months = use.requests === 0 ? [] : [[month, use.requests] as const];
      if (last?.server === server)
        servers[servers.length - 1] = { server, use: addedUse(last.use, use), months: [...last.months, ...months] };
      else if (servers.length === limit) break;
      else servers.push({ server, use, months });
    }
    return servers;
  }

  /** Deletes months that ended before this, at most so many rows; returns how many. */
  deleteOld(before: number, most: number): number {
    return this.#sql
      .exec(
        `DELETE FROM server_use WHERE (server, month) IN (SELECT server, month FROM server_use WHERE month < ? LIMIT ?) RETURNING 1`,
        monthOf(before),
        most,
      )
      .toArray().length;
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM server_use LIMIT 1").toArray().length === 0;
  }
}

const useIn = (text: string): ServerUse => JSON.parse(text) as ServerUse; // written by #count

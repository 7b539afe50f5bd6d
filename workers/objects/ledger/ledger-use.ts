// What each MCP server's sampling came to, added up month by month, so that a report reads a few
// rows and not every line. A request costs no row for it: lines are added up many at a time, when a
// report asks and once a day.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { monthAt } from "../../../shared/record/operators.ts";
import { type ServerMonths, type ServerUse, addedUse, useOfLine } from "../../../shared/record/server-use.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { LedgerCounter } from "./ledger-counter.ts";
import { isReservedServer } from "../../../shared/wire/mcp-2025/meta.ts";

type Row = { readonly server: string; readonly month: string; readonly text: JsonOf<ServerUse> };

export class LedgerUse {
  readonly #sql: SqlStorage;
  readonly counter: LedgerCounter;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.counter = new LedgerCounter(sql, "counted_to", (lines) => this.#count(lines));
  }

  #count(lines: readonly RunSummary[]): void {
    const added = new Map<string, { readonly server: string; readonly month: string; readonly use: ServerUse }>();
    for (const line of lines) {
      const counted = line.server !== null && isReservedServer(line.server) ? null : useOfLine(line);
      if (counted === null) continue;
      const { server, use } = counted;
      const month = monthAt(line.createdAt);
      const place = JSON.stringify([server, month]);
      const before = added.get(place)?.use ?? this.#useOf(server, month);
      added.set(place, { server, month, use: before === null ? use : addedUse(before, use) });
    }
    for (const { server, month, use } of added.values())
      this.#sql.exec("INSERT OR REPLACE INTO server_use (server, month, text) VALUES (?, ?, ?)", server, month, jsonOf(use));
  }

  #useOf(server: string, month: string): ServerUse | null {
    const [row] = this.#sql.exec<Pick<Row, "text">>("SELECT text FROM server_use WHERE server = ? AND month = ?", server, month).toArray();
    return row === undefined ? null : readJsonOf(row.text);
  }

  /** Servers whose names come after this one, in their order, at most so many. */
  list(after: string, limit: number): ServerMonths[] {
    const servers: ServerMonths[] = [];
    const rows = this.#sql.exec<Row>("SELECT server, month, text FROM server_use WHERE server > ? ORDER BY server, month", after);
    for (const { server, month, text } of rows) {
      const use = readJsonOf(text);
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
        monthAt(before),
        most,
      )
      .toArray().length;
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM server_use LIMIT 1").toArray().length === 0;
  }
}

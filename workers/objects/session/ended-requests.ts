// The ended originating requests of a session, many in one row: at first each has a row in
// `originating`, and is packed with others later.
//
// Each is known for `forgottenAfterMs` after its end, or longer where it shares its row with later
// ones.

import { type Marks, bytesOf, hasMark, markOf, marksIn, withMarks } from "../../../shared/association/ended-marks.ts";
import type { SessionDeps } from "./session-deps.ts";

/** Most marks in a row: 32 KiB. */
const mostInRow = 4_096;
/**
 * A session with so many opens no more originating requests until the oldest are forgotten: 16 MiB
 * in memory.
 */
const mostMarks = 2_000_000;

type Row = { readonly until: number; readonly marks: Marks };

export class EndedRequests {
  readonly #deps: SessionDeps;
  /** Read at the first use. */
  #rows: Map<number, Row> | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  has(key: string): boolean {
    const rows = this.#loaded();
    if (rows.size === 0) return false;
    const mark = markOf(key);
    for (const { marks } of rows.values()) if (hasMark(marks, mark)) return true;
    return false;
  }

  isFull(): boolean {
    let count = 0;
    for (const { marks } of this.#loaded().values()) count += marks.length;
    return count >= mostMarks;
  }

  /** Adds these, which are to be known until then (Unix milliseconds). Call it in a transaction. */
  add(keys: readonly string[], until: number): void {
    const rows = this.#loaded();
    const newest = Math.max(0, ...rows.keys());
    for (let at = 0, id = newest; at < keys.length; id += 1) {
      const row = rows.get(id) ?? { until, marks: new BigUint64Array() };
      const some = keys.slice(at, at + Math.max(0, mostInRow - row.marks.length));
      at += some.length;
      if (some.length === 0) continue;
      const added: Row = { until: Math.max(row.until, until), marks: withMarks(row.marks, some.map(markOf)) };
      this.#deps.sql.exec("INSERT OR REPLACE INTO ended (id, until, marks) VALUES (?, ?, ?)", id, added.until, bytesOf(added.marks));
      rows.set(id, added);
    }
  }

  /** Deletes the rows whose time is over. */
  forget(now: number): void {
    for (const { id } of this.#deps.sql.exec<{ id: number }>("DELETE FROM ended WHERE until <= ? RETURNING id", now))
      this.#rows?.delete(id);
  }

  /** A transaction was undone: the table is read again. */
  undone(): void {
    this.#rows = undefined;
  }

  #loaded(): Map<number, Row> {
    // Without tables nothing is kept in memory either.
    if (this.#rows === undefined && !this.#deps.tables.exist) return new Map();
    this.#rows ??= new Map(
      this.#deps.sql
        .exec<{ id: number; until: number; marks: ArrayBuffer }>("SELECT id, until, marks FROM ended")
        .toArray()
        .map(({ id, until, marks }) => [id, { until, marks: marksIn(marks) }]),
    );
    return this.#rows;
  }
}

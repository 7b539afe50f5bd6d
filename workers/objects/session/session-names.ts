// Which sampling requests and originating requests a session may have rows of, in memory: what it
// never saw is fresh without a statement. A name stays when its row is deleted.

import type { SessionRequest } from "../../stubs/session-calls.ts";
import { resultName } from "./session-tables.ts";

/** About a megabyte. A session with more rows asks its tables each time. */
const mostNames = 10_000;

export class SessionNames {
  readonly #read: () => SqlStorage | null;
  /** Undefined: to be read. Null: there are too many. */
  #names: Set<string> | null | undefined;

  /** @param read The tables with all that is to be written; null where there are none. */
  constructor(read: () => SqlStorage | null) {
    this.#read = read;
  }

  /** Whether there may be a row of this request, or of this originating request by its key. */
  mayHave(name: SessionRequest | string): boolean {
    this.#names ??= this.#names === null ? null : this.#load();
    return this.#names === null || this.#names.has(typeof name === "string" ? name : resultName(name));
  }

  /** A row is written, now or right after the response. */
  add(...names: readonly string[]): void {
    for (const name of names) this.#names?.add(name);
    if ((this.#names?.size ?? 0) > mostNames) this.#names = null;
  }

  /** Rows were deleted: the names are read again where there are many. */
  deleted(): void {
    if (this.#names === null || (this.#names?.size ?? 0) > mostNames / 2) this.#names = undefined;
  }

  #load(): Set<string> | null {
    const sql = this.#read();
    if (sql === null) return new Set();
    const names = sql
      .exec<{ name: string }>(
        "SELECT originating || ' ' || request AS name FROM sampling UNION SELECT originating FROM sampling UNION SELECT key FROM originating LIMIT ?",
        mostNames + 1,
      )
      .toArray();
    return names.length > mostNames ? null : new Set(names.map(({ name }) => name));
  }
}

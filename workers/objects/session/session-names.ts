// Which sampling requests and originating requests a session may have rows of, in memory: what it
// never saw is fresh without a statement. A name stays when its row is deleted.

/** About a megabyte. A session with more rows asks its tables each time. */
const mostNames = 10_000;

export class SessionNames {
  readonly #read: () => SqlStorage | null;
  #names: Set<string> | "unread" | "tooMany" = "unread";

  /** @param read The tables with all that is to be written; null where there are none. */
  constructor(read: () => SqlStorage | null) {
    this.#read = read;
  }

  /** Whether there may be a row of this name: `resultName`, or an originating request's key. */
  mayHave(name: string): boolean {
    if (this.#names === "unread") this.#names = this.#load();
    return this.#names === "tooMany" || this.#names.has(name);
  }

  /** A row is written, now or right after the response. */
  add(...names: readonly string[]): void {
    if (typeof this.#names === "string") return;
    for (const name of names) this.#names.add(name);
    if (this.#names.size > mostNames) this.#names = "tooMany";
  }

  /** Rows were deleted: the names are read again where there are many. */
  deleted(): void {
    const isLarge = typeof this.#names === "string" || this.#names.size > mostNames / 2;
    if (isLarge) this.#names = "unread";
  }

  #load(): Set<string> | "tooMany" {
    const sql = this.#read();
    if (sql === null) return new Set();
    const names = sql
      .exec<{ name: string }>(
        "SELECT originating || ' ' || request AS name FROM sampling UNION SELECT originating FROM sampling UNION SELECT key FROM originating LIMIT ?",
        mostNames + 1,
      )
      .toArray();
    return names.length > mostNames ? "tooMany" : new Set(names.map(({ name }) => name));
  }
}

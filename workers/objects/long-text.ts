// Texts of any length in a SQLite table, in parts: the platform allows rows of up to 2 MB, which
// nothing enforces locally. Content, so each part is sealed (content-seal.ts).

import type { ContentSeal, StoredText } from "./content-seal.ts";

const partLength = 500_000;

/**
 * A character of two code units is not cut in half: each half by itself would be stored as U+FFFD.
 */
function partEnd(text: string, from: number): number {
  const end = Math.min(from + partLength, text.length);
  const isPair = end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return isPair ? end - 1 : end;
}

/** One named text at a time; `table` is a constant of the calling object, never input. */
export class LongTexts {
  readonly #sql: SqlStorage;
  readonly #table: string;
  readonly #seal: ContentSeal;

  constructor(sql: SqlStorage, table: string, seal: ContentSeal) {
    this.#sql = sql;
    this.#table = table;
    this.#seal = seal;
  }

  #place(name: string, part: number): string {
    return `${this.#table}\0${name}\0${part}`;
  }

  /** The names of texts whose key is not set, or no more. The table has to exist. */
  unreadable(): string[] {
    const rows = this.#sql
      .exec<{ name: string; head: ArrayBuffer }>(
        `SELECT name, substr(text, 1, 7) AS head FROM ${this.#table} WHERE part = 0 AND typeof(text) = 'blob'`,
      )
      .toArray();
    return rows.flatMap(({ name, head }) => (this.#seal.mayOpen(head) ? [] : [name]));
  }

  /**
   * Writes the text in place of an earlier one of this name. Call inside the transaction that
   * refers to it. `isPlain`: it is no content.
   */
  write(name: string, text: string, { isPlain = false }: { readonly isPlain?: boolean } = {}): void {
    let part = 0;
    for (let from = 0; part === 0 || from < text.length; part += 1) {
      const end = partEnd(text, from);
      const some = text.slice(from, end);
      const sealed = isPlain ? some : this.#seal.seal(some, this.#place(name, part));
      this.#sql.exec(
        `INSERT INTO ${this.#table} (name, part, text) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text`,
        name,
        part,
        sealed,
      );
      from = end;
    }
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE name = ? AND part >= ?`, name, part);
  }

  /** The text, or undefined where there is none of this name. Throws `ContentUnreadable`. */
  read(name: string): string | undefined {
    const deps = this.#sql.exec<{ text: StoredText }>(`SELECT text FROM ${this.#table} WHERE name = ? ORDER BY part`, name).toArray();
    return deps.length === 0 ? undefined : deps.map(({ text }, part) => this.#seal.open(text, this.#place(name, part))).join("");
  }

  delete(name: string): void {
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE name = ?`, name);
  }

  deleteAll(): void {
    this.#sql.exec(`DELETE FROM ${this.#table}`);
  }
}

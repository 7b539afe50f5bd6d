// Texts of any length in a SQLite table, in parts: the platform allows rows of up to 2 MB, which nothing enforces locally.

const partLength = 500_000;

/** A character of two code units is not cut in half: each half by itself would be stored as U+FFFD. */
function partEnd(text: string, from: number): number {
  const end = Math.min(from + partLength, text.length);
  const isPair = end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return isPair ? end - 1 : end;
}

/** One named text at a time; `table` is a constant of the calling object, never input. */
export class LongTexts {
  readonly #sql: SqlStorage;
  readonly #table: string;

  constructor(sql: SqlStorage, table: string) {
    this.#sql = sql;
    this.#table = table;
  }

  createTable(): void {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS ${this.#table} (name TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (name, part)) WITHOUT ROWID`,
    );
  }

  /** Writes the text in place of an earlier one of this name. Call inside the transaction that refers to it. */
  write(name: string, text: string): void {
    this.delete(name);
    for (let part = 0, from = 0; part === 0 || from < text.length; part += 1) {
      const end = partEnd(text, from);
      this.#sql.exec(`INSERT INTO ${this.#table} (name, part, text) VALUES (?, ?, ?)`, name, part, text.slice(from, end));
      from = end;
    }
  }

  /** The text, or undefined where there is none of this name. */
  read(name: string): string | undefined {
    const parts = this.#sql.exec<{ text: string }>(`SELECT text FROM ${this.#table} WHERE name = ? ORDER BY part`, name).toArray();
    return parts.length === 0 ? undefined : parts.map(({ text }) => text).join("");
  }

  delete(name: string): void {
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE name = ?`, name);
  }

  deleteAll(): void {
    this.#sql.exec(`DELETE FROM ${this.#table}`);
  }
}

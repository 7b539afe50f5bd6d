// Texts of any length in a SQLite table, in parts: a row may not be over 2 MB on the platform, and nothing enforces it locally.

const partLength = 500_000;

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

  /** Writes the text in place of what had this name. Call inside the transaction that refers to it. */
  write(name: string, text: string): void {
    this.delete(name);
    for (let part = 0; part === 0 || part * partLength < text.length; part += 1) {
      this.#sql.exec(
        `INSERT INTO ${this.#table} (name, part, text) VALUES (?, ?, ?)`,
        name,
        part,
        text.slice(part * partLength, (part + 1) * partLength),
      );
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

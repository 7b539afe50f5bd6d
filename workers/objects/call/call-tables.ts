// What a CallObject stores: schema/call-schema.ts. Nothing is created before there is a call.

import type { RoundMethod } from "../../../shared/relay/rounds.ts";
import type { CallStart } from "../../stubs/call-calls.ts";
import type { ContentSeal } from "../content-seal.ts";
import { LongTexts } from "../long-text.ts";
import type { ObjectTables } from "../object-tables.ts";

export type CallRow = {
  readonly attempt: string;
  readonly server: string;
  readonly method: RoundMethod;
  readonly name: string | null;
  /** JSON of the `Mcp-Param-…` headers. */
  readonly headers: string;
  readonly round: number;
  readonly most_rounds: number;
  /** 1 once the answers of this round went to the server. */
  readonly sent: number;
  readonly ended: number;
};

const columns = "attempt, server, method, name, headers, round, most_rounds, sent, ended";

export class CallTables {
  readonly #sql: SqlStorage;
  readonly #tables: ObjectTables;
  readonly #texts: LongTexts;
  readonly #seal: ContentSeal;

  constructor(sql: SqlStorage, tables: ObjectTables, seal: ContentSeal) {
    this.#sql = sql;
    this.#tables = tables;
    this.#seal = seal;
    this.#texts = new LongTexts(sql, "call_text", seal);
    // Calls that cannot be read are not known any more: their clients are told so, and begin again.
    if (this.#tables.exist && this.#texts.unreadable().length > 0)
      for (const table of ["call", "call_answer", "call_text"]) sql.exec(`DELETE FROM ${table}`);
  }

  insert({ server, method, name, attempt, rest, headers, round, mostRounds }: CallStart, until: number): void {
    this.#tables.create();
    this.#sql.exec(
      `INSERT INTO call (${columns}, until) VALUES (?, ?, ?, ?, ?, 1, ?, 0, 0, ?)`,
      attempt,
      server,
      method,
      name,
      // They repeat arguments.
      this.#seal.sealText(JSON.stringify(headers), `call\0headers\0${attempt}`),
      mostRounds,
      until,
    );
    this.#texts.write(`${attempt} rest`, rest);
    this.#texts.write(`${attempt} round`, round);
  }

  /** The newest call that has not ended, or null. */
  waiting(now: number): CallRow | null {
    if (!this.#tables.exist) return null;
    const found = this.#sql.exec<CallRow>(`SELECT ${columns} FROM call WHERE ended = 0 AND until > ? ORDER BY rowid DESC LIMIT 1`, now);
    return this.#opened(found.toArray()[0]);
  }

  #opened(row: CallRow | undefined): CallRow | null {
    return row === undefined ? null : { ...row, headers: this.#seal.openText(row.headers, `call\0headers\0${row.attempt}`) ?? "[]" };
  }

  row(attempt: string, now: number): CallRow | null {
    if (!this.#tables.exist) return null;
    const found = this.#sql.exec<CallRow>(`SELECT ${columns} FROM call WHERE attempt = ? AND until > ?`, attempt, now);
    return this.#opened(found.toArray()[0]);
  }

  text(attempt: string, what: "rest" | "round" | "answer"): string {
    const text = this.#texts.read(`${attempt} ${what}`);
    if (text === undefined) throw new Error(`CallTables: the call has no ${what}`);
    return text;
  }

  /** The answers of the round. */
  answers(attempt: string): Map<string, string> {
    return new Map(this.answered(attempt).map((key) => [key, this.#texts.read(`${attempt} answer ${key}`) ?? ""]));
  }

  answered(attempt: string): string[] {
    return this.#keys(attempt, "answered");
  }

  declined(attempt: string): string[] {
    return this.#keys(attempt, "declined");
  }

  #keys(attempt: string, state: "answered" | "declined"): string[] {
    const rows = this.#sql.exec<{ key: string }>(
      "SELECT key FROM call_answer WHERE attempt = ? AND state = ? ORDER BY rowid",
      attempt,
      state,
    );
    return rows.toArray().map(({ key }) => key);
  }

  decline(attempt: string, key: string): void {
    this.#sql.exec("INSERT OR IGNORE INTO call_answer (attempt, key, state) VALUES (?, ?, 'declined')", attempt, key);
  }

  /** False where the part is answered. */
  answer(attempt: string, key: string, response: string, until: number): boolean {
    const added = this.#sql
      .exec(
        `INSERT INTO call_answer (attempt, key, state) VALUES (?, ?, 'answered')
         ON CONFLICT (attempt, key) DO UPDATE SET state = 'answered' WHERE state = 'declined' RETURNING key`,
        attempt,
        key,
      )
      .toArray();
    if (added.length === 0) return false;
    this.#texts.write(`${attempt} answer ${key}`, response);
    this.#sql.exec("UPDATE call SET until = ? WHERE attempt = ?", until, attempt);
    return true;
  }

  extend(attempt: string, until: number): void {
    this.#sql.exec("UPDATE call SET until = ? WHERE attempt = ? AND ended = 0", until, attempt);
  }

  markSent(attempt: string, until: number): void {
    this.#sql.exec("UPDATE call SET sent = 1, until = ? WHERE attempt = ?", until, attempt);
  }

  nextRound(attempt: string, round: string, until: number): void {
    this.#deleteAnswers(attempt);
    this.#texts.write(`${attempt} round`, round);
    this.#sql.exec("UPDATE call SET round = round + 1, sent = 0, until = ? WHERE attempt = ?", until, attempt);
  }

  /** Keeps the server's last word alone. */
  end(attempt: string, answer: string, until: number): void {
    this.#deleteAnswers(attempt);
    this.#texts.delete(`${attempt} rest`);
    this.#texts.delete(`${attempt} round`);
    this.#texts.write(`${attempt} answer`, answer);
    this.#sql.exec("UPDATE call SET ended = 1, until = ? WHERE attempt = ?", until, attempt);
  }

  deleteDue(now: number): void {
    if (!this.#tables.exist) return;
    const due = this.#sql.exec<{ attempt: string }>("DELETE FROM call WHERE until <= ? RETURNING attempt", now).toArray();
    for (const { attempt } of due) {
      this.#deleteAnswers(attempt);
      for (const what of ["rest", "round", "answer"]) this.#texts.delete(`${attempt} ${what}`);
    }
  }

  nextDue(): number | null {
    return this.#tables.exist ? this.#sql.exec<{ at: number | null }>("SELECT MIN(until) AS at FROM call").one().at : null;
  }

  #deleteAnswers(attempt: string): void {
    for (const key of this.answers(attempt).keys()) this.#texts.delete(`${attempt} answer ${key}`);
    this.#sql.exec("DELETE FROM call_answer WHERE attempt = ?", attempt);
  }
}

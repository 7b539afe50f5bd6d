// What a BridgeObject stores: schema/bridge-schema.ts. Nothing is created before there is a
// session.

import type { ContentSeal } from "../content-seal.ts";
import { LongTexts } from "../long-text.ts";
import type { ObjectTables } from "../object-tables.ts";

/** The session at the server, as the relay has it. */
export type SessionRow = {
  /** The relay's id of the session, sealed. */
  readonly id: string;
  readonly revision: string;
  /** The server's name in the servers document. */
  readonly server: string;
  /** JSON of the `KeyRecord`. */
  readonly key: string;
  /** JSON of `BridgedClient`. */
  readonly client: string;
  /** 1 where the server gets the client's own credential, which is not stored. */
  readonly own_credential: number;
  readonly log_level: string | null;
  /** The last event of the stream that belongs to no request. */
  readonly event_id: string | null;
  readonly used_at: number;
};

export type CallRow = {
  readonly call: string;
  readonly bound: string;
  readonly method: string;
  /** The session in which it was sent: a newer one may have begun since. */
  readonly session: string;
  readonly revision: string;
  /** The last event of its response stream; null where the server gave no ids. */
  readonly event_id: string | null;
  readonly asked: number;
  /** 1: answered. 2: and its client has the answer. */
  readonly ended: number;
  readonly until: number;
};

type QuestionRow = {
  readonly call: string;
  readonly key: string;
  /** JSON of the server's request id. */
  readonly request: string;
  readonly method: string;
  /** 0: open. 1: answered, and perhaps not at the server. */
  readonly answered: number;
};

const sessionColumns = "id, revision, server, key, client, own_credential, log_level, event_id, used_at";
const callColumns = "call, bound, method, session, revision, event_id, asked, ended, until";

export class BridgeTables {
  readonly #sql: SqlStorage;
  readonly #tables: ObjectTables;
  readonly #texts: LongTexts;

  constructor(sql: SqlStorage, tables: ObjectTables, seal: ContentSeal) {
    this.#sql = sql;
    this.#tables = tables;
    this.#texts = new LongTexts(sql, "bridge_text", seal);
    // Calls that cannot be read are not known any more: their clients are told so, and begin again.
    if (this.#tables.exist && this.#texts.unreadable().length > 0)
      for (const table of ["bridge", "bridge_call", "bridge_question", "bridge_text"]) sql.exec(`DELETE FROM ${table}`);
  }

  session(): SessionRow | null {
    return this.#tables.exist ? (this.#sql.exec<SessionRow>(`SELECT ${sessionColumns} FROM bridge`).toArray()[0] ?? null) : null;
  }

  /** Replaces the session. `initialized`: JSON of the server's result of `initialize`. */
  begin(row: SessionRow, initialized: string): void {
    this.#tables.create();
    this.#sql.exec("DELETE FROM bridge");
    const { id, revision, server, key, client, own_credential: own, log_level: level, event_id: event, used_at: used } = row;
    const values = [id, revision, server, key, client, own, level, event, used];
    this.#sql.exec(`INSERT INTO bridge (${sessionColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
    this.#texts.write("initialized", initialized);
  }

  initialized(): string {
    return this.#texts.read("initialized") ?? "{}";
  }

  update(column: "key" | "log_level" | "event_id" | "used_at", value: string | number | null): void {
    if (this.#tables.exist) this.#sql.exec(`UPDATE bridge SET ${column} = ?`, value);
  }

  endSession(): void {
    if (!this.#tables.exist) return;
    this.#sql.exec("DELETE FROM bridge");
    this.#texts.delete("initialized");
  }

  calls(): CallRow[] {
    return this.#tables.exist ? this.#sql.exec<CallRow>(`SELECT ${callColumns} FROM bridge_call ORDER BY rowid`).toArray() : [];
  }

  questions(call: string): QuestionRow[] {
    return this.#sql
      .exec<QuestionRow>("SELECT call, key, request, method, answered FROM bridge_question WHERE call = ? ORDER BY rowid", call)
      .toArray();
  }

  /** Writes the call as it is now. */
  keep({ call, bound, method, session, revision, event_id: event, asked, ended, until }: CallRow): void {
    this.#tables.create();
    const values = [call, bound, method, session, revision, event, asked, ended, until];
    this.#sql.exec(`INSERT OR REPLACE INTO bridge_call (${callColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
  }

  passed(call: string, eventId: string): void {
    if (this.#tables.exist) this.#sql.exec("UPDATE bridge_call SET event_id = ? WHERE call = ?", eventId, call);
  }

  ask({ call, key, request, method }: Omit<QuestionRow, "answered">, params: string): void {
    this.#sql.exec("INSERT INTO bridge_question (call, key, request, method, answered) VALUES (?, ?, ?, ?, 0)", call, key, request, method);
    this.#texts.write(`${call} ${key}`, params);
  }

  /** The server's params of a question that is open, else the client's response to it. */
  questionText(call: string, key: string): string {
    return this.#texts.read(`${call} ${key}`) ?? "null";
  }

  /** False where it is answered, or withdrawn. */
  answer(call: string, key: string, response: string): boolean {
    const [first] = this.#sql
      .exec("UPDATE bridge_question SET answered = 1 WHERE call = ? AND key = ? AND answered = 0 RETURNING key", call, key)
      .toArray();
    if (first === undefined) return false;
    this.#texts.write(`${call} ${key}`, response);
    return true;
  }

  dropQuestion(call: string, key: string): void {
    this.#sql.exec("DELETE FROM bridge_question WHERE call = ? AND key = ?", call, key);
    this.#texts.delete(`${call} ${key}`);
  }

  end(call: string, answer: string): void {
    this.#texts.write(`${call} answer`, answer);
  }

  answerOf(call: string): string {
    return this.#texts.read(`${call} answer`) ?? "{}";
  }

  delete(call: string): void {
    if (!this.#tables.exist) return;
    for (const { key } of this.questions(call)) this.dropQuestion(call, key);
    this.#sql.exec("DELETE FROM bridge_call WHERE call = ?", call);
    this.#texts.delete(`${call} answer`);
  }
}

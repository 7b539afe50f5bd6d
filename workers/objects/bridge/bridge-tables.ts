// What a BridgeObject stores: schema/bridge-schema.ts. Nothing is created before there is a
// session.

import type { JsonObject } from "../../../shared/encoding.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { BridgedClient } from "../../../shared/relay/bridging.ts";
import type { CallState } from "../../../shared/relay/call.ts";
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
  readonly client: JsonOf<BridgedClient>;
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
  readonly state: CallState;
  /** The client has the answer. */
  readonly isTaken: boolean;
  readonly until: number;
};

const sessionColumns = "id, revision, server, key, client, own_credential, log_level, event_id, used_at";
const callColumns = "call, bound, method, session, revision, event_id, state, taken, until";

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
      for (const table of ["bridge", "bridge_call", "bridge_text"]) sql.exec(`DELETE FROM ${table}`);
  }

  session(): SessionRow | null {
    return this.#tables.exist ? (this.#sql.exec<SessionRow>(`SELECT ${sessionColumns} FROM bridge`).toArray()[0] ?? null) : null;
  }

  /** Replaces the session. `initialized`: the server's result of `initialize`. */
  begin(row: SessionRow, initialized: JsonOf<JsonObject>): void {
    this.#tables.create();
    this.#sql.exec("DELETE FROM bridge");
    const { id, revision, server, key, client, own_credential: own, log_level: level, event_id: event, used_at: used } = row;
    const values = [id, revision, server, key, client, own, level, event, used];
    this.#sql.exec(`INSERT INTO bridge (${sessionColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
    this.#texts.write("initialized", initialized);
  }

  initialized(): JsonOf<JsonObject> {
    return (this.#texts.read("initialized") ?? "{}") as JsonOf<JsonObject>; // written by `begin`
  }

  update<Column extends "key" | "log_level" | "event_id" | "used_at">(column: Column, value: SessionRow[Column]): void {
    if (this.#tables.exist) this.#sql.exec(`UPDATE bridge SET ${column} = ?`, value);
  }

  endSession(): void {
    if (!this.#tables.exist) return;
    this.#sql.exec("DELETE FROM bridge");
    this.#texts.delete("initialized");
  }

  calls(): CallRow[] {
    type Stored = Omit<CallRow, "state" | "isTaken"> & { readonly state: JsonOf<CallState>; readonly taken: number };
    const rows = this.#tables.exist ? this.#sql.exec<Stored>(`SELECT ${callColumns} FROM bridge_call ORDER BY rowid`).toArray() : [];
    return rows.map(({ state, taken, ...row }) => ({ ...row, state: readJsonOf(state), isTaken: taken === 1 }));
  }

  /** Writes the call as it is now. */
  keep({ call, bound, method, session, revision, event_id: event, state, isTaken, until }: CallRow): void {
    this.#tables.create();
    const values = [call, bound, method, session, revision, event, jsonOf(state), isTaken ? 1 : 0, until];
    this.#sql.exec(`INSERT OR REPLACE INTO bridge_call (${callColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
  }

  passed(call: string, eventId: string): void {
    if (this.#tables.exist) this.#sql.exec("UPDATE bridge_call SET event_id = ? WHERE call = ?", eventId, call);
  }

  /**
   * `what`: the key of a question, for the server's params while it is open, then for the client's
   * response; or `answer`, the server's last word.
   */
  writeText(call: string, what: string, text: string): void {
    this.#texts.write(`${call} ${what}`, text);
  }

  text(call: string, what: string): string {
    return this.#texts.read(`${call} ${what}`) ?? "null";
  }

  deleteText(call: string, what: string): void {
    this.#texts.delete(`${call} ${what}`);
  }

  /** Deletes the call, with these texts of it. */
  delete(call: string, texts: readonly string[]): void {
    if (!this.#tables.exist) return;
    for (const what of texts) this.deleteText(call, what);
    this.#sql.exec("DELETE FROM bridge_call WHERE call = ?", call);
  }
}

// What a CallObject stores: schema/call-schema.ts. Nothing is created before there is a call.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { type CallEvent, type CallState } from "../../../shared/relay/call.ts";
import type { Round } from "../../../shared/relay/rounds.ts";
import type { RpcAnswer } from "../../../shared/wire/json-rpc.ts";
import type { CallStart } from "../../stubs/call-calls.ts";
import type { ContentSeal } from "../content-seal.ts";
import { LongTexts } from "../long-text.ts";
import type { ObjectTables } from "../object-tables.ts";

export type StoredCall = Pick<CallStart, "attempt" | "server" | "method" | "name" | "headers"> & { readonly state: CallState };

type CallRow = Omit<StoredCall, "headers" | "state"> & { readonly headers: string; readonly state: JsonOf<CallState> };

/** What a call's long texts are of, beside its answers. */
type CallTexts = { readonly rest: string; readonly round: JsonOf<Round>; readonly answer: JsonOf<RpcAnswer> };

const columns = "attempt, server, method, name, headers, state";

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
      for (const table of ["call", "call_text"]) sql.exec(`DELETE FROM ${table}`);
  }

  insert({ server, method, name, attempt, rest, headers, round }: CallStart, state: CallState, until: number): void {
    this.#tables.create();
    // The headers repeat arguments.
    const sealed = this.#seal.sealText(JSON.stringify(headers), `call\0headers\0${attempt}`);
    const values = [attempt, server, method, name, sealed, jsonOf(state), until];
    this.#sql.exec(`INSERT INTO call (${columns}, ended, until) VALUES (?, ?, ?, ?, ?, ?, 0, ?)`, ...values);
    this.#texts.write(`${attempt} rest`, rest);
    this.#texts.write(`${attempt} round`, round);
  }

  /** The newest call that has not ended, or null. */
  waiting(now: number): StoredCall | null {
    return this.#found("ended = 0 AND until > ? ORDER BY rowid DESC LIMIT 1", now);
  }

  call(attempt: string, now: number): StoredCall | null {
    return this.#found("attempt = ? AND until > ?", attempt, now);
  }

  #found(where: string, ...values: (string | number)[]): StoredCall | null {
    if (!this.#tables.exist) return null;
    const [row] = this.#sql.exec<CallRow>(`SELECT ${columns} FROM call WHERE ${where}`, ...values).toArray();
    if (row === undefined) return null;
    const headers = this.#seal.openText(row.headers, `call\0headers\0${row.attempt}`) ?? "[]";
    return { ...row, headers: JSON.parse(headers) as StoredCall["headers"], state: readJsonOf(row.state) }; // sealed by `insert`
  }

  text<What extends keyof CallTexts>(attempt: string, what: What): CallTexts[What] {
    const text = this.#texts.read(`${attempt} ${what}`);
    if (text === undefined) throw new Error(`CallTables: the call has no ${what}`);
    return text as CallTexts[What]; // written by `insert` and `save`
  }

  round(attempt: string): Round {
    return readJsonOf(this.text(attempt, "round"));
  }

  /** The answers of the round. */
  answers({ attempt, state }: StoredCall): Map<string, string> {
    return new Map(state.questions.map(({ key }) => [key, this.#texts.read(`${attempt} answer ${key}`) ?? "{}"]));
  }

  /**
   * Writes the state after this event, with the text that came with it: an answer, the next round,
   * or the last word, which alone is kept of a call that has ended.
   */
  save({ attempt, state: before }: StoredCall, event: CallEvent, state: CallState, text: string, until: number): void {
    const isOver = state.end !== null;
    this.#sql.exec("UPDATE call SET state = ?, ended = ?, until = ? WHERE attempt = ?", jsonOf(state), isOver ? 1 : 0, until, attempt);
    if (isOver || event.kind === "asked") this.#deleteTexts(attempt, before, isOver ? ["rest", "round"] : []);
    if (isOver) this.#texts.write(`${attempt} answer`, text);
    else if (event.kind === "asked") this.#texts.write(`${attempt} round`, text);
    else if (event.kind === "answered") this.#texts.write(`${attempt} answer ${event.key}`, text);
  }

  extend(attempt: string, until: number): void {
    this.#sql.exec("UPDATE call SET until = ? WHERE attempt = ? AND ended = 0", until, attempt);
  }

  deleteDue(now: number): void {
    if (!this.#tables.exist) return;
    const due = this.#sql.exec<{ attempt: string; state: JsonOf<CallState> }>(
      "DELETE FROM call WHERE until <= ? RETURNING attempt, state",
      now,
    );
    for (const { attempt, state } of due.toArray()) this.#deleteTexts(attempt, readJsonOf(state), ["rest", "round", "answer"]);
  }

  nextDue(): number | null {
    return this.#tables.exist ? this.#sql.exec<{ at: number | null }>("SELECT MIN(until) AS at FROM call").one().at : null;
  }

  #deleteTexts(attempt: string, { questions }: CallState, names: readonly string[]): void {
    for (const name of [...names, ...questions.map(({ key }) => `answer ${key}`)]) this.#texts.delete(`${attempt} ${name}`);
  }
}

// A client's request at a server of revision 2026-07-28 that asked for input: its rounds, until the
// server's last word.
//
// One object for each request that is the same again (API key, server, method, params), so that a
// client that comes back finds it. The server is asked once in each round: what it is sent is
// committed before it is sent, and never sent again.

import type { JsonObject } from "../../../shared/encoding.ts";
import { objectOf } from "../../../shared/json/values.ts";
import { type InputRequest, type InputResponses, type Round, attemptOf, isRound, readRound } from "../../../shared/relay/rounds.ts";
import { type RpcAnswer, errorAnswer } from "../../../shared/wire/json-rpc.ts";
import { type StatelessAnswer, type StatelessError, answerOf, askStateless, errorOf } from "../../mcp-client/stateless-call.ts";
import type { Env } from "../../platform/env.ts";
import { type Result, err } from "../../../shared/result.ts";
import { serversOf } from "../../stores/documents.ts";
import type { Attempt, CallCalls, CallStart, CallState } from "../../stubs/call-calls.ts";
import { OfKey } from "../../stubs/of-key.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { callSchema } from "../schema/call-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { ContentSeal } from "../content-seal.ts";
import { CallTables, type CallRow } from "./call-tables.ts";

/**
 * How long a call waits for its client and its answers, and how long its end is kept for one that
 * asks again.
 */
const waitingMs = 24 * 3_600_000;
const endedMs = 10 * 60_000;
/** The longest that a server may take for one answer. */
const answerMs = 15 * 60_000;

type Sending = { readonly round: number; readonly done: Promise<void>; readonly left: AbortController };

export class CallObject extends StoredObject implements CallCalls {
  readonly #tables: CallTables;
  readonly #ofKey: OfKey;
  readonly #alarm: ObjectAlarm;
  /** The requests that are at the server, by their attempts. */
  readonly #sending = new Map<string, Sending>();
  /** Called at every change of a call. */
  readonly #waiting = new Set<() => void>();
  /** Until when the key knows of this object, in Unix milliseconds; 0 after a reset. */
  #knownUntil = 0;
  /**
   * The client cancelled its request. In memory alone: the request that is open asks again within a
   * minute.
   */
  #isCancelled = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, callSchema);
    this.#tables = new CallTables(this.sql, this.tables, new ContentSeal(env, ctx.id.toString()));
    this.#ofKey = new OfKey(env, "call", ctx.id);
    this.#alarm = this.alarmFor({ nextDue: () => this.#tables.nextDue(), failed: "call.forgetFailed" });
    void this.#alarm.restore();
  }

  async open(start: CallStart): Promise<CallState | null> {
    if (!(await this.#isOfLivingKey(start.keyId))) return null;
    const waiting = this.#tables.waiting(this.now());
    if (waiting !== null) return this.#state(waiting);
    this.ctx.storage.transactionSync(() => this.#tables.insert(start, this.now() + waitingMs));
    this.#alarm.arm();
    return this.look(start.attempt);
  }

  async touch(attempt: string, keyId: string): Promise<CallState | null> {
    const row = this.#tables.row(attempt, this.now());
    if (row === null || row.ended === 1) return this.look(attempt);
    if (!(await this.#isOfLivingKey(keyId))) return null;
    this.#tables.extend(attempt, this.now() + waitingMs);
    return this.look(attempt);
  }

  /**
   * Whether the key lives, and knows that this object keeps something of it for longer than a call
   * waits.
   */
  async #isOfLivingKey(keyId: string): Promise<boolean> {
    const until = this.now() + 2 * waitingMs;
    if (this.#knownUntil - this.now() >= waitingMs) return true;
    if (!(await this.#ofKey.mayWrite(keyId, until))) return false;
    this.#knownUntil = until;
    return true;
  }

  look(attempt: string): CallState | null {
    const row = this.#tables.row(attempt, this.now());
    return row === null ? null : this.#state(row);
  }

  async changed(attempt: string, round: number, known: number, ms: number): Promise<CallState | null> {
    const before = this.look(attempt);
    if (before?.kind !== "waiting" || before.round !== round || before.answered.length + before.declined.length > known) return before;
    await this.#change(ms);
    return this.look(attempt);
  }

  answer(attempt: string, round: number, key: string, response: string): boolean {
    const row = this.#tables.row(attempt, this.now());
    if (row === null || row.ended === 1 || row.round !== round || row.sent === 1) return false;
    if (!this.#requests(attempt).some((each) => each.key === key)) return false;
    const isFirst = this.ctx.storage.transactionSync(() => this.#tables.answer(attempt, key, response, this.now() + waitingMs));
    if (isFirst) this.#tell();
    return isFirst;
  }

  decline(attempt: string, round: number, key: string): void {
    const row = this.#tables.row(attempt, this.now());
    if (row === null || row.ended === 1 || row.round !== round || row.sent === 1) return;
    if (!this.#requests(attempt).some((each) => each.key === key)) return;
    this.ctx.storage.transactionSync(() => this.#tables.decline(attempt, key));
    this.#tell();
  }

  async proceed(attempt: string, round: number, how: Attempt): Promise<CallState | null> {
    const row = this.#tables.row(attempt, this.now());
    if (row === null || row.ended === 1 || row.round !== round) return this.look(attempt);
    const under = this.#sending.get(attempt);
    if (under !== undefined) {
      await under.done;
      return this.look(attempt);
    }
    // The object was reset while the server had the request.
    if (row.sent === 1) return this.#ended(attempt, cutOff);
    const requests = this.#requests(attempt);
    const answers = this.#tables.answers(attempt);
    if (requests.some(({ key }) => !answers.has(key))) return this.look(attempt);
    this.#tables.markSent(attempt, this.now() + waitingMs);
    const left = new AbortController();
    const done = this.#send(row, requests.length === 0 ? null : answers, how, left).finally(() => this.#sending.delete(attempt));
    this.#sending.set(attempt, { round, done, left });
    await done;
    return this.look(attempt);
  }

  end(attempt: string, round: number, answer: string): CallState | null {
    const row = this.#tables.row(attempt, this.now());
    if (row === null || row.ended === 1 || row.round !== round || row.sent === 1) return this.look(attempt);
    return this.#ended(attempt, JSON.parse(answer) as RpcAnswer); // by the caller's contract
  }

  async cancelled(ms: number): Promise<boolean> {
    if (!this.#isCancelled) await this.#change(ms);
    return this.#isCancelled;
  }

  async cancel(attempt: string | null): Promise<void> {
    this.#isCancelled = true;
    this.#tell();
    const row = attempt === null ? this.#tables.waiting(this.now()) : this.#tables.row(attempt, this.now());
    if (row === null || row.ended === 1) return;
    this.#sending.get(row.attempt)?.left.abort();
    this.#ended(row.attempt, cancelled);
  }

  async keyRevoked(): Promise<void> {
    this.#ofKey.revoked();
    // What the key knew is over, too: the next call asks it again, and is refused.
    this.#knownUntil = 0;
    for (const { left } of this.#sending.values()) left.abort();
    await this.#forget();
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      this.ctx.storage.transactionSync(() => this.#tables.deleteDue(this.now()));
      if (this.#tables.nextDue() === null) await this.#forget();
      else this.#alarm.arm();
    });
  }

  async #forget(): Promise<void> {
    this.#alarm.forget();
    await Promise.all([this.ctx.storage.deleteAlarm(), this.tables.deleteAll()]);
    this.#tell();
  }

  /** Sends the request upstream and stores what came of it. Never throws. */
  async #send(row: CallRow, responses: InputResponses | null, how: Attempt, left: AbortController): Promise<void> {
    const { attempt, round } = row;
    const asked = await this.#ask(row, responses, how, left.signal).catch(() => err("noAnswer" as const));
    const now = this.#tables.row(attempt, this.now());
    // Cancelled meanwhile, or its key was revoked.
    if (now === null || now.ended === 1 || now.round !== round) return;
    if (!asked.ok) return void this.#ended(attempt, failed(asked.error));
    const { message } = asked.value;
    const result = objectOf(message["result"]);
    if (result === null) return void this.#ended(attempt, errorAnswer(errorOf(message)));
    if (!isRound(result)) return void this.#ended(attempt, { result });
    const next = readRound(row.method, result);
    if (!next.ok) return void this.#ended(attempt, brokenServer(next.error));
    if (round >= row.most_rounds) return void this.#ended(attempt, brokenServer(`asked for input in more than ${row.most_rounds} rounds`));
    this.ctx.storage.transactionSync(() => this.#tables.nextRound(attempt, JSON.stringify(next.value), this.now() + waitingMs));
    this.#tell();
  }

  async #ask(
    { attempt, round, server: name, method, name: mirrored, headers }: CallRow,
    responses: InputResponses | null,
    { meta, authorization, tell }: Attempt,
    signal: AbortSignal,
  ): Promise<Result<StatelessAnswer, StatelessError | "gone">> {
    const { servers } = await serversOf(this.env, this.now(), (work) => this.ctx.waitUntil(work));
    const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (server === undefined) return err("gone");
    const { state } = this.#round(attempt);
    const id = `${attempt}.${round}`;
    const asked = await askStateless(this.env, server, {
      id,
      method,
      name: mirrored,
      params: attemptOf(this.#tables.text(attempt, "rest"), JSON.parse(meta) as JsonObject, state, responses), // by the caller's contract
      headers: JSON.parse(headers) as [string, string][], // written by `insert`
      authorization,
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    return asked.ok ? answerOf(asked.value, id, tell) : asked;
  }

  #ended(attempt: string, answer: RpcAnswer): CallState | null {
    this.ctx.storage.transactionSync(() => this.#tables.end(attempt, JSON.stringify(answer), this.now() + endedMs));
    this.#alarm.arm();
    this.#tell();
    return this.look(attempt);
  }

  /** Resolves at the next change, or after `ms`. */
  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
    });
  }

  #tell(): void {
    for (const changed of this.#waiting) changed();
  }

  #state({ attempt, method, round, ended }: CallRow): CallState {
    if (ended === 1) return { kind: "ended", attempt, answer: this.#tables.text(attempt, "answer") };
    const requests = JSON.stringify(this.#requests(attempt));
    return {
      kind: "waiting",
      attempt,
      method,
      round,
      requests,
      answered: this.#tables.answered(attempt),
      declined: this.#tables.declined(attempt),
    };
  }

  #round(attempt: string): Round {
    return JSON.parse(this.#tables.text(attempt, "round")) as Round; // read by readRound
  }

  #requests(attempt: string): readonly InputRequest[] {
    return this.#round(attempt).requests;
  }
}

const cutOff: RpcAnswer = {
  error: {
    code: -32_603,
    message: "The gateway lost the MCP server's answer, and does not send the request twice: its outcome is unknown",
  },
};
const cancelled: RpcAnswer = { error: { code: -32_800, message: "The request was cancelled" } };

const brokenServer = (what: string): RpcAnswer => ({ error: { code: -32_603, message: `The MCP server ${what}` } });

const whyFailed: Readonly<Record<StatelessError | "gone", string>> = {
  gone: "The MCP server is no longer in the servers document",
  noCredential: "The secret that this server's entry names is not set; ask the operator",
  unreachable: "The connection to the MCP server failed or broke: the outcome of the request is unknown",
  redirected: "The MCP server answered with a redirect, and redirects are not followed; correct its url",
  tooLong: "The MCP server's answer is too long",
  noAnswer: "The MCP server gave no answer: the outcome of the request is unknown",
};
const failed = (why: StatelessError | "gone"): RpcAnswer => ({ error: { code: -32_603, message: whyFailed[why] } });

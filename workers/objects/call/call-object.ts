// A client's request at a server of revision 2026-07-28 that asked for input: its rounds, until the
// server's last word.
//
// One object for each request that is the same again (API key, server, method, params), so that a
// client that comes back finds it. It hosts shared/relay/call.ts: each step is committed before
// anything is told or sent, so that nothing is sent again.

import { Changes } from "../changes.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { objectOf } from "../../../shared/json/values.ts";
import { type CallEffect, type CallEvent, type Question, newCall, step, tooManyRounds } from "../../../shared/relay/call.ts";
import { attemptOf, isRound, readRound } from "../../../shared/relay/rounds.ts";
import { type RpcAnswer, errorAnswer } from "../../../shared/wire/json-rpc.ts";
import { reachedBy } from "../../../shared/relay/servers.ts";
import { type StatelessAnswer, type StatelessError, answerOf, askStateless, errorOf } from "../../mcp-client/stateless-call.ts";
import { mayHaveRun } from "../../mcp-client/ask-server.ts";
import type { Env } from "../../platform/env.ts";
import { type Result, err } from "../../../shared/result.ts";
import { serverEntry } from "../../stores/documents.ts";
import type { Attempt, CallCalls, CallStart, CallStatus } from "../../stubs/call-calls.ts";
import { OfKey } from "../../stubs/of-key.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { callSchema } from "../schema/call-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { ContentSeal } from "../content-seal.ts";
import { CallTables, type StoredCall } from "./call-tables.ts";

/**
 * How long a call waits for its client and its answers, and how long its end is kept for one that
 * asks again.
 */
const waitingMs = 24 * 3_600_000;
const endedMs = 10 * 60_000;
/** The longest that a server may take for one answer. */
const answerMs = 15 * 60_000;

type Sending = { readonly done: Promise<void>; readonly left: AbortController };

export class CallObject extends StoredObject implements CallCalls {
  readonly #tables: CallTables;
  readonly #ofKey: OfKey;
  readonly #alarm: ObjectAlarm;
  /** The requests that are at the server, by their attempts. */
  readonly #sending = new Map<string, Sending>();
  readonly #changes = new Changes();
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

  async open(start: CallStart): Promise<CallStatus | null> {
    if (!(await this.#isOfLivingKey(start.keyId))) return null;
    const waiting = this.#tables.waiting(this.now());
    if (waiting !== null) return this.#status(waiting);
    const { ours, mostRounds, round } = start;
    const { requests } = readJsonOf(round);
    const { state } = step(newCall({ server: "rounds", mostAsked: mostRounds, ours }), { kind: "asked", questions: requests });
    this.ctx.storage.transactionSync(() => this.#tables.insert(start, state, this.now() + waitingMs));
    this.#alarm.arm();
    return this.look(start.attempt);
  }

  async touch(attempt: string, keyId: string): Promise<CallStatus | null> {
    const call = this.#tables.call(attempt, this.now());
    if (call === null || call.state.end !== null) return this.look(attempt);
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

  look(attempt: string): CallStatus | null {
    const call = this.#tables.call(attempt, this.now());
    return call === null ? null : this.#status(call);
  }

  async changed(attempt: string, round: number, known: number, ms: number): Promise<CallStatus | null> {
    const before = this.look(attempt);
    if (before?.kind !== "waiting" || before.round !== round || before.answered.length + before.gateway.length > known) return before;
    await this.#changes.next(ms);
    return this.look(attempt);
  }

  answer(attempt: string, round: number, key: string, response: string): boolean {
    return this.#take(attempt, { kind: "answered", round, key, by: "client" }, response) !== null;
  }

  reply(attempt: string, round: number, key: string, response: string): boolean {
    return this.#take(attempt, { kind: "answered", round, key, by: "gateway" }, response) !== null;
  }

  decline(attempt: string, round: number, key: string): void {
    this.#take(attempt, { kind: "declined", round, key });
  }

  async proceed(attempt: string, round: number, how: Attempt): Promise<CallStatus | null> {
    const call = this.#tables.call(attempt, this.now());
    if (call === null || call.state.asked !== round) return this.look(attempt);
    const isUnderWay = this.#sending.has(attempt);
    // The object was reset while the server had the request.
    if (!isUnderWay) this.#take(attempt, { kind: "lost" }, cutOff);
    if (this.#take(attempt, { kind: "proceeded", round })?.some(({ kind }) => kind === "send") === true) this.#send(call, how);
    await this.#sending.get(attempt)?.done;
    return this.look(attempt);
  }

  end(attempt: string, round: number, answer: JsonOf<RpcAnswer>): CallStatus | null {
    this.#take(attempt, { kind: "refused", round }, answer);
    return this.look(attempt);
  }

  async cancelled(ms: number): Promise<boolean> {
    if (!this.#isCancelled) await this.#changes.next(ms);
    return this.#isCancelled;
  }

  async cancel(attempt: string | null): Promise<void> {
    this.#isCancelled = true;
    this.#changes.tell();
    const named = attempt ?? this.#tables.waiting(this.now())?.attempt;
    if (named !== undefined) this.#take(named, { kind: "cancelled" }, cancelled);
  }

  /**
   * Takes a step: commits it, with the text that came with the event, and then performs its
   * effects. Null: the event no longer applies. `text`: JSON.
   */
  #take(attempt: string, event: CallEvent, text = ""): readonly CallEffect[] | null {
    const call = this.#tables.call(attempt, this.now());
    if (call === null) return null;
    const { state, effects } = step(call.state, event);
    if (state === call.state) return null;
    const last = state.end === "tooManyRounds" ? jsonOf(tooManyRounds(state.terms)) : text;
    const until = this.now() + (state.end === null ? waitingMs : endedMs);
    this.ctx.storage.transactionSync(() => this.#tables.save(call, event, state, last, until));
    for (const { kind } of effects) {
      if (kind === "stop") this.#sending.get(attempt)?.left.abort();
      if (kind === "finish") this.#alarm.arm();
    }
    this.#changes.tell();
    return effects;
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
    await this.deleteAll(this.#alarm);
    this.#changes.tell();
  }

  /** Sends the request upstream, and takes what comes of it. */
  #send(call: StoredCall, how: Attempt): void {
    const { attempt } = call;
    const left = new AbortController();
    const done = this.#sent(call, how, left.signal).finally(() => this.#sending.delete(attempt));
    this.#sending.set(attempt, { done, left });
  }

  /** Never throws. A call that was cancelled meanwhile, or whose key was revoked, takes nothing. */
  async #sent(call: StoredCall, how: Attempt, signal: AbortSignal): Promise<void> {
    const { attempt, method } = call;
    const asked = await this.#ask(call, how, signal).catch(() => err("noAnswer" as const));
    // It waits again, with its answers.
    if (!asked.ok && lackOfLogin.has(asked.error)) return void this.#take(attempt, { kind: "unsent" });
    if (!asked.ok) {
      const isLost = asked.error === "noAnswer" || mayHaveRun(asked.error);
      return void this.#take(attempt, { kind: isLost ? "lost" : "responded" }, failed(asked.error));
    }
    const { message } = asked.value;
    const result = objectOf(message["result"]);
    if (result === null || !isRound(result)) {
      const answer: RpcAnswer = result === null ? errorAnswer(errorOf(message)) : { result };
      return void this.#take(attempt, { kind: "responded" }, jsonOf(answer));
    }
    const round = readRound(method, result);
    if (!round.ok) return void this.#take(attempt, { kind: "responded" }, errorText(`The MCP server ${round.error}`));
    this.#take(attempt, { kind: "asked", questions: round.value.requests }, jsonOf(round.value));
  }

  async #ask(
    call: StoredCall,
    { meta, authorization, owner, account, tell }: Attempt,
    signal: AbortSignal,
  ): Promise<Result<StatelessAnswer, StatelessError | "gone">> {
    const {
      attempt,
      server: serverName,
      method,
      name,
      headers,
      state: { asked: round },
    } = call;
    const server = await serverEntry(this.env, serverName, this.now(), (work) => this.ctx.waitUntil(work));
    if (server === undefined) return err("gone");
    const { requests, state } = this.#tables.round(attempt);
    const responses = requests.length === 0 ? null : this.#tables.answers(call);
    const id = `${attempt}.${round}`;
    const asked = await askStateless(this.env, reachedBy(server, serverName, owner, account), {
      id,
      method,
      name,
      params: attemptOf(this.#tables.text(attempt, "rest"), readJsonOf(meta), state, responses),
      headers,
      authorization,
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    return asked.ok ? answerOf(asked.value, id, tell) : asked;
  }

  #status({ attempt, method, state }: StoredCall): CallStatus {
    if (state.end !== null) return { kind: "ended", attempt, answer: this.#tables.text(attempt, "answer"), isLost: state.end === "lost" };
    const keysOf = (isMeant: (question: Question) => boolean): string[] => state.questions.filter(isMeant).map(({ key }) => key);
    return {
      kind: "waiting",
      attempt,
      method,
      round: state.asked,
      requests: jsonOf(this.#tables.round(attempt).requests),
      answered: keysOf(({ isAnswered }) => isAnswered),
      gateway: keysOf(({ by }) => by === "gateway"),
    };
  }
}

/** Of these a request has nothing done at its server. */
const lackOfLogin: ReadonlySet<string> = new Set<StatelessError>(["notSignedIn", "otherAccount", "loginUnreachable"]);

const errorText = (message: string, code = -32_603): JsonOf<RpcAnswer> => jsonOf({ error: { code, message } });

const cutOff = errorText("The gateway lost the MCP server's answer, and does not send the request twice: its outcome is unknown");
const cancelled = errorText("The request was cancelled", -32_800);

const whyFailed: Readonly<Record<StatelessError | "gone", string>> = {
  gone: "The MCP server is no longer in the servers document",
  notSignedIn:
    "The key's owner is not signed in at this MCP server: sign in under Connections in the inbox of this gateway, then call again",
  otherAccount: "The key's owner has signed in at this MCP server with another account since this call came. Call it again",
  loginUnreachable: "The login of the key's owner at this MCP server cannot be renewed now. Call again later",
  loginRefused:
    "The MCP server answered 401 and did not say, by a Bearer challenge, that it refuses the login before it does anything: the outcome of the request is unknown",
  noCredential: "The secret that this server's entry names is not set; ask the operator",
  unreachable: "The connection to the MCP server failed or broke: the outcome of the request is unknown",
  redirected: "The MCP server answered with a redirect, and redirects are not followed; correct its url",
  tooLong: "The MCP server's answer is too long",
  noAnswer: "The MCP server gave no answer: the outcome of the request is unknown",
};
const failed = (why: StatelessError | "gone"): JsonOf<RpcAnswer> => errorText(whyFailed[why]);

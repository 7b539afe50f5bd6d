// Carries the calls of a client at a server of 2026-07-28, behind the command: the host of
// shared/relay/call.ts. It sends each attempt at a request, reads what the server answers, and has
// the gateway answer sampling and forms. What only the client can answer is asked in the client's
// own revision, by its `CallClient`. Works on lines; uses no process or stream.

import type { JsonObject } from "../../shared/encoding.ts";
import { isObject, type Members, objectOf } from "../../shared/json/values.ts";
import {
  type Answerer,
  type CallEffect,
  type CallEvent,
  type CallState,
  newCall,
  type Question,
  step,
  tooManyRounds,
} from "../../shared/relay/call.ts";
import { samplingMethod } from "../../shared/relay/messages.ts";
import { checkRound, endedCall, type InputMethod, isAmbiguous, isRound, type Round } from "../../shared/relay/rounds.ts";
import { addressFault, elicitationMethod } from "../../shared/relay/url-elicitation.ts";
import { idKey, type RpcAnswer } from "../../shared/wire/json-rpc.ts";
import { revision2026 } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { isId, type JsonRpcId, RpcError } from "../rpc-messages.ts";
import type { SamplingConnection, ServerSamplingRequest } from "../sampling-connection.ts";
import { ClientProgress } from "./client-progress.ts";
import { attemptLine, cancelling, responseLine } from "./stateless-lines.ts";

export type CallsSettings = {
  readonly tools: boolean;
  /** The hosts to which a server may lead a person; undefined: any. */
  readonly elicitationHosts: readonly string[] | undefined;
  /** The gateway's address, to which no server may send the user. */
  readonly url: string;
  readonly connection: SamplingConnection;
  /** Sends a message of ours, on a line of its own. */
  readonly toClient: (line: string) => void;
  readonly toServer: (line: string) => void;
  /** Resolves after the time, or when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly onError: (error: Error) => void;
};

/** A request of the client that waits for its response. `meta`: what the server gets as `_meta`. */
export type WaitingRequest = { readonly id: JsonRpcId; readonly rawId: string; readonly meta: JsonObject };

/** What the client of a call gets of it, in its own revision. */
export type CallClient = {
  /** The server asks these of the client alone. */
  readonly asked: (questions: readonly Question[]) => void;
  /** Does what the call waits for next. */
  readonly goOn: () => void;
  readonly withdrawn: (questions: readonly Question[]) => void;
  /** The call ends with an answer of the gateway's. */
  readonly ended: (answer: RpcAnswer) => void;
  /** The server's own response. Returns what the client gets of its line. */
  readonly responded: (line: Uint8Array, message: Members) => Uint8Array | undefined;
};

export type Call = {
  /** The id of the client's first request, by which the gateway knows the call. */
  readonly origin: JsonRpcId;
  readonly method: string;
  /** The params without what belongs to one attempt, as they were written. */
  readonly rest: string;
  readonly client: CallClient;
  /** What the client itself declared last. */
  capabilities: JsonObject;
  state: CallState;
  round: Round;
  /** The answers of the round by key, as text. */
  readonly answers: Map<string, string>;
  /** The id of its last attempt. */
  upstream: JsonRpcId;
  /** Undefined while the client has to come back, and when the call has ended. */
  waiting: WaitingRequest | undefined;
};

/** So many rounds a call may have, as in the relay. */
const MOST_ROUNDS = 100;
/** Requests at once, of the client and of a server for sampling. */
const MOST_CALLS = 10_000;
const MOST_SAMPLINGS = 100;

export class Calls {
  readonly #settings: CallsSettings;
  readonly progress = new ClientProgress();
  readonly #byUpstream = new Map<string, Call>();
  /** By the id of the client's request that waits. */
  readonly #byWaiting = new Map<string, Call>();
  /** The client cannot know it, so no id of its own is taken for one of ours. */
  readonly #ownIds = `countersign/${crypto.randomUUID()}/`;
  readonly #closed = new AbortController();
  #attempts = 0;
  #inputs = 0;
  #samplings = 0;

  constructor(settings: CallsSettings) {
    this.#settings = settings;
  }

  /** Why a request of the client begins no call; null where it may. */
  refusal(id: JsonRpcId): { readonly code: number; readonly message: string } | null {
    if (this.#byWaiting.has(idKey(id)) || this.#byUpstream.has(idKey(id))) return { code: -32_600, message: "This id is in use" };
    const isFull = this.#byWaiting.size >= MOST_CALLS;
    return isFull ? { code: -32_603, message: `More than ${MOST_CALLS} requests are under way at once` } : null;
  }

  /** A request that goes to the server, under the client's own id. The caller sends it. */
  begin(
    request: Pick<Call, "method" | "rest" | "client" | "capabilities"> & { readonly ours: readonly InputMethod[] },
    waiting: WaitingRequest,
    message: unknown,
  ): Call {
    const { method, rest, client, capabilities, ours } = request;
    const { id } = waiting;
    const state = newCall({ server: "rounds", mostAsked: MOST_ROUNDS, ours });
    const round: Round = { requests: [], state: null };
    const call: Call = { origin: id, method, rest, client, capabilities, state, round, answers: new Map(), upstream: id, waiting };
    this.#byUpstream.set(idKey(id), call);
    this.attach(call, waiting, message);
    return call;
  }

  /** This request of the client waits for the call from now on. */
  attach(call: Call, waiting: WaitingRequest, message: unknown): void {
    call.waiting = waiting;
    this.#byWaiting.set(idKey(waiting.id), call);
    this.progress.sent(message);
    this.#settings.connection.sent(message);
  }

  /** Keeps the answer to a question of the round, the first one alone. */
  answer(call: Call, { key, by }: { readonly key: string; readonly by: Answerer }, text: string, round = call.state.asked): void {
    if (this.take(call, { kind: "answered", round, key, by }).isTaken) call.answers.set(key, text);
  }

  /** Sends the request again, where its round has all answers. The client waits for the call. */
  proceed(call: Call): void {
    this.take(call, { kind: "proceeded", round: call.state.asked });
  }

  /** The client cancels the request that waits. Returns what the server gets of its line. */
  cancel(call: Call, line: Uint8Array): Uint8Array | undefined {
    const { upstream, origin, waiting } = call;
    const { effects } = this.take(call, { kind: "cancelled" });
    if (waiting !== undefined) {
      this.#settings.connection.abandoned(waiting.id);
      this.progress.ended(waiting.id);
    }
    // While a person reviews, nothing is under way at the server.
    if (!effects.some(({ kind }) => kind === "stop")) return undefined;
    return idKey(upstream) === idKey(origin) ? line : cancelling(line, upstream);
  }

  /** The client will not come back for this call. */
  drop(call: Call): void {
    this.take(call, { kind: "cancelled" });
    this.#settings.connection.ended(call.origin);
  }

  /**
   * Takes a step, and performs its effects. `answer`: what the client gets where this ends the
   * call.
   */
  take(call: Call, event: CallEvent, answer?: RpcAnswer): { readonly isTaken: boolean; readonly effects: readonly CallEffect[] } {
    const { state, effects } = step(call.state, event);
    const isTaken = state !== call.state && !this.#closed.signal.aborted;
    if (isTaken) {
      call.state = state;
      for (const effect of effects) this.#perform(call, effect, answer);
    }
    return { isTaken, effects };
  }

  #perform(call: Call, effect: CallEffect, answer: RpcAnswer | undefined): void {
    const { connection, toServer } = this.#settings;
    switch (effect.kind) {
      case "ask":
        for (const question of effect.questions) if (question.by === "gateway") void this.#answer(call, question, call.state.asked);
        call.client.asked(effect.questions.filter(({ by }) => by === "client"));
        return;
      case "send": {
        const { method, rest, round, answers, waiting } = call;
        this.#attempts += 1;
        const id = (call.upstream = `${this.#ownIds}${this.#attempts}`);
        this.#byUpstream.set(idKey(id), call);
        const responses = round.requests.length === 0 ? null : new Map(round.requests.map(({ key }) => [key, answers.get(key) ?? "{}"]));
        toServer(attemptLine({ id: JSON.stringify(id), method, rest, meta: waiting?.meta ?? {}, state: round.state, responses }));
        return;
      }
      case "withdraw":
        return call.client.withdrawn(effect.questions);
      case "finish": {
        // The client may have used the id for another request since the server answered the first.
        if (this.#byUpstream.get(idKey(call.upstream)) === call) this.#byUpstream.delete(idKey(call.upstream));
        const last = effect.end === "tooManyRounds" ? tooManyRounds(call.state.terms) : answer;
        // No response shows the end: what else is reviewed for the call is withdrawn.
        if (last !== undefined && call.waiting === undefined) connection.ended(call.origin);
        if (last !== undefined) call.client.ended(last);
        this.detach(call);
        return;
      }
      case "stop":
      case "deliver":
        return;
      default:
        effect satisfies never;
    }
  }

  /** A line of the server. Returns what the client gets of it; "unknown" where it is of no call. */
  fromServer(line: Uint8Array, message: unknown): Uint8Array | undefined | "unknown" {
    const id = isObject(message) && !("method" in message) ? message["id"] : undefined;
    // Not all clients would read what is read here.
    const isUnsafe = this.#byWaiting.size > 0 && isObject(message) && isUnclear(line, message);
    const call = isId(id) ? this.#byUpstream.get(idKey(id)) : undefined;
    if (call === undefined || !isObject(message)) return isUnsafe ? undefined : "unknown";
    this.#byUpstream.delete(idKey(call.upstream));
    const result = objectOf(message["result"]);
    if (isUnsafe) return this.#fail(call, "The MCP server's answer can be read in more than one way");
    if (result === null || !isRound(result)) {
      const passed = call.client.responded(line, message);
      this.take(call, { kind: "responded" });
      return passed;
    }
    const { capabilities, state } = call;
    const round = checkRound(call.method, result, { ours: state.terms.ours, capabilities, ownUrl: this.#settings.url });
    if (!round.ok) return void this.take(call, { kind: "responded" }, { error: round.error.error });
    call.round = round.value;
    call.answers.clear();
    this.take(call, { kind: "asked", questions: round.value.requests });
    call.client.goOn();
    return undefined;
  }

  #fail(call: Call, message: string): undefined {
    this.take(call, { kind: "responded" }, { error: { code: -32_603, message } });
  }

  async #answer(call: Call, { key, method }: Question, round: number): Promise<void> {
    this.#samplings += 1;
    try {
      const params = call.round.requests.find((each) => each.key === key)?.params ?? {};
      const answer = await this.#askGateway(call, method, params);
      this.answer(call, { key, by: "gateway" }, JSON.stringify(answer), round);
      call.client.goOn();
    } catch (error) {
      // This revision has no error for one input: the whole call ends.
      this.take(call, { kind: "refused", round }, endedCall(call.method, this.errorOf(error)));
    } finally {
      this.#samplings -= 1;
    }
  }

  async #askGateway({ waiting }: Call, method: InputMethod, params: JsonObject): Promise<JsonObject> {
    if (this.#samplings > MOST_SAMPLINGS)
      throw new RpcError(-32_013, `More than ${MOST_SAMPLINGS} sampling requests are under way at once`);
    this.#inputs += 1;
    const asked = { id: `countersign-input-${this.#inputs}`, method, params, serves: waiting?.id, revision: revision2026 };
    return (await this.ask(asked)) as JsonObject; // parsed from JSON
  }

  /**
   * The gateway's answer to a request of the server.
   * @throws RpcError, which the server gets.
   */
  async ask(asked: ServerSamplingRequest): Promise<Members> {
    const { connection, tools } = this.#settings;
    const { method, params } = asked;
    if (method === elicitationMethod) return this.#elicited(asked);
    if (method === samplingMethod && !tools && (params["tools"] !== undefined || params["toolChoice"] !== undefined))
      throw new RpcError(-32_602, "Tools in sampling were not declared to this server");
    return connection.answer(asked);
  }

  /**
   * A person's answer to a server's form. Where nobody could be asked, nobody declined it.
   * @throws RpcError where the form itself is wrong.
   */
  async #elicited(asked: ServerSamplingRequest): Promise<Members> {
    const { connection, elicitationHosts } = this.#settings;
    const { mode, url } = asked.params;
    const why = mode === "url" && typeof url === "string" ? addressFault(url, { elicitationHosts, allowPrivate: false }) : null;
    if (why !== null) throw new RpcError(-32_602, `Invalid params: /url ${why}`);
    try {
      return await connection.answer(asked);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code === -32_602) throw error;
      return { action: "cancel" };
    }
  }

  /** The call that this request of the client waits for. */
  waitingAs(id: JsonRpcId): Call | undefined {
    return this.#byWaiting.get(idKey(id));
  }

  /** The client's request that now waits for what the gateway does for this one. */
  waitingFor(origin: JsonRpcId): JsonRpcId {
    for (const call of this.#byWaiting.values()) if (call.origin === origin && call.waiting !== undefined) return call.waiting.id;
    return origin;
  }

  /**
   * Whether a message is a response that nobody may get: to a cancelled call, a second one to a
   * call that waits, or one in a batch.
   */
  expects(message: unknown): boolean {
    const id = isObject(message) && !("method" in message) ? message["id"] : undefined;
    return isId(id) && (this.#byUpstream.has(idKey(id)) || this.#byWaiting.has(idKey(id)) || this.#isOwn(id));
  }

  /** A response that passed unread, by its id. Whether it is to an attempt of ours. */
  passedUnread(id: JsonRpcId): boolean {
    const call = this.#byUpstream.get(idKey(id));
    if (call !== undefined && this.#isOwn(id)) this.#fail(call, "The MCP server's answer is too long");
    else if (call !== undefined) this.take(call, { kind: "responded" });
    return this.#isOwn(id);
  }

  /** Responds to the client's request that waits. */
  respond(call: Call, answer: RpcAnswer): void {
    const { waiting } = call;
    if (waiting === undefined) return;
    const { id, rawId } = waiting;
    this.detach(call);
    this.received({ jsonrpc: "2.0", id, ...answer });
    this.write(rawId, answer);
  }

  /** No request of the client waits for the call. */
  detach(call: Call): void {
    if (call.waiting !== undefined) this.#byWaiting.delete(idKey(call.waiting.id));
    call.waiting = undefined;
  }

  /** What the client gets, for those who follow its requests. */
  received(message: unknown): void {
    this.progress.received(message);
    this.#settings.connection.received(message);
  }

  /** Writes a response to a request of the client, whose id is as the client wrote it. */
  write(rawId: string, answer: RpcAnswer): undefined {
    if (!this.#closed.signal.aborted) this.#settings.toClient(responseLine(rawId, answer));
  }

  /** Waits, at most until the connection closes. False where it has. */
  async pause(milliseconds: number): Promise<boolean> {
    if (milliseconds > 0) await this.#settings.sleep(milliseconds, this.#closed.signal);
    return !this.#closed.signal.aborted;
  }

  /** From now on nothing is sent any more. */
  closed(): void {
    this.#closed.abort();
  }

  #isOwn(id: JsonRpcId): boolean {
    return typeof id === "string" && id.startsWith(this.#ownIds);
  }

  /** A failure as the server gets it; what is no answer of the gateway's is told to the host. */
  errorOf(error: unknown): { code: number; message: string; data?: JsonObject } {
    if (error instanceof RpcError) {
      const data = objectOf(error.data);
      return { code: error.code, message: error.message, ...(data === null ? {} : { data }) };
    }
    this.#settings.onError(new Error("A sampling request could not be handled here.", { cause: error }));
    return { code: -32_603, message: "Internal error" };
  }
}

const decoder = new TextDecoder();
/** An escape may hide any word. */
const MAY_BE_ROUND = /input_required|\\u/;

/**
 * Whether a message may be a round, or more than one kind of message, to a client that reads it in
 * another way.
 */
function isUnclear(line: Uint8Array, message: Members): boolean {
  if ("method" in message) return "result" in message || "error" in message;
  const text = decoder.decode(line);
  return MAY_BE_ROUND.test(text) && isAmbiguous(text);
}

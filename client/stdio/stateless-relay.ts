// The stdio relay in revision 2026-07-28, where a server asks for sampling in its result: sampling
// is declared with each request, and a round of input is answered here until the result is complete
// or asks for what only the client has. Works on lines; uses no process or stream.

import type { JsonObject } from "../../shared/encoding.ts";
import { isObject, type Members, objectOf } from "../../shared/json/values.ts";
import type { Span } from "../../shared/json/spans.ts";
import { isOurs } from "../../shared/relay/capability-2025.ts";
import { type AddedCapabilities, samplingCapabilities } from "../../shared/relay/capability-2026.ts";
import { attemptOf, endedCall, type InputRequest, isAmbiguous, isRound, mayAskForInput } from "../../shared/relay/rounds.ts";
import { idKey } from "../../shared/wire/json-rpc.ts";
import { clientCapabilitiesKey, revision2026 } from "../../shared/wire/mcp-2026/meta-keys.ts";
import type { SamplingConnection } from "../sampling-connection.ts";
import { isId, type JsonRpcId, RpcError } from "../rpc-messages.ts";
import type { ClientProgress } from "./client-progress.ts";
import type { Mode } from "./declare.ts";
import {
  checkedRound,
  continues,
  type CurrentRound,
  type Ending,
  isTheirs,
  type Leg,
  newCall,
  openIn,
  responsesOf,
  type RoundCall,
  samplingIn,
  takeResponses,
} from "./round-call.ts";
import {
  answersIn,
  attemptLine,
  cancelling,
  restIn,
  type StatelessRequest,
  statelessRequest,
  withId,
  withParams,
  withSampling,
} from "./stateless-lines.ts";

export type StatelessRelaySettings = {
  readonly mode: Mode;
  readonly tools: boolean;
  /** The gateway's address, to which no server may send the user. */
  readonly url: string;
  readonly connection: SamplingConnection;
  readonly progress: ClientProgress;
  readonly toClient: (line: string) => void;
  readonly toServer: (line: string) => void;
  readonly now: () => number;
  /** Resolves after the time, or when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** How long a request of the client waits for a person, before it is told to come back. */
  readonly holdMilliseconds: number;
  readonly onError: (error: Error) => void;
};

/** Requests at once, of the client and of a server for sampling. */
const MOST_CALLS = 10_000;
const MOST_SAMPLINGS = 100;
/** Calls whose client has to come back; the oldest beyond this number end. */
const MOST_AWAY = 1_000;
/**
 * A client that was told to come back does so at once. Its host may have given up between two
 * requests, which nothing shows.
 */
const AWAY_MILLISECONDS = 60_000;

export class StatelessRelay {
  readonly #settings: StatelessRelaySettings;
  /**
   * By the id under which the server works on it, and by the id of the client's request that waits
   * for it.
   */
  readonly #byUpstream = new Map<string, RoundCall>();
  readonly #byLeg = new Map<string, RoundCall>();
  /** By the state with which the client comes back. */
  readonly #away = new Map<string, RoundCall>();
  /** The client cannot know it, so no id of its own is taken for one of ours. */
  readonly #ownIds = `countersign/${crypto.randomUUID()}/`;
  readonly #closed = new AbortController();
  #attempts = 0;
  #inputs = 0;
  #samplings = 0;

  constructor(settings: StatelessRelaySettings) {
    this.#settings = settings;
  }

  /**
   * The request of this revision that a message of the client is, where the relay has to do with
   * it.
   */
  concerns(line: Uint8Array, span: Span, message: unknown): StatelessRequest | undefined {
    const request = statelessRequest(line, span, message);
    if (request === undefined) return undefined;
    const { requestState } = request.params;
    const isBack = typeof requestState === "string" && this.#away.has(requestState);
    return isBack || isOurs(this.#settings.mode, isObject(request.capabilities["sampling"])) ? request : undefined;
  }

  /**
   * A request of the client on a line of its own. Returns what the server gets in its place, if
   * anything.
   */
  fromClient(line: Uint8Array, request: StatelessRequest, message: unknown): Uint8Array | undefined {
    const { id, method, params } = request;
    if (this.#byLeg.has(idKey(id)) || this.#byUpstream.has(idKey(id))) return this.#refuse(request, -32_600, "This id is in use");
    if (this.#byLeg.size >= MOST_CALLS) return this.#refuse(request, -32_603, `More than ${MOST_CALLS} requests are under way at once`);
    const { requestState: state, inputResponses } = params;
    const rest = restIn(line);
    const call = typeof state === "string" ? this.#away.get(state) : undefined;
    if (typeof state === "string" && call !== undefined && continues(request, rest, call)) {
      this.#away.delete(state);
      this.#cameBack(call, request, line, message);
      return undefined;
    }
    if (call !== undefined || (state !== undefined && mayAskForInput(method))) return this.#refuse(request, -32_602, UNKNOWN_STATE);
    const leg = this.#legOf(request);
    const begun = newCall(request, rest, leg);
    this.#byUpstream.set(idKey(id), begun);
    this.#attach(begun, leg, message);
    // Answers that nobody asked for could be a reply that no model gave and nobody reviewed.
    return inputResponses === undefined
      ? withSampling(line, this.#added(request.capabilities).sampling)
      : withParams(line, attemptOf(rest, leg.meta, null, null));
  }

  /**
   * The client cancels a request. Returns what the server gets; "unknown" where it is no request of
   * this revision.
   */
  cancelled(line: Uint8Array, id: JsonRpcId): Uint8Array | undefined | "unknown" {
    const call = this.#byLeg.get(idKey(id));
    if (call === undefined) return "unknown";
    const { upstream } = call;
    this.#forget(call);
    this.#settings.connection.abandoned(id);
    this.#settings.progress.ended(id);
    // While a person reviews, nothing is under way at the server.
    if (upstream === undefined) return undefined;
    return idKey(upstream) === idKey(id) ? line : cancelling(line, upstream);
  }

  /**
   * A response of the server on a line of its own. Returns what the client gets, if anything;
   * "unknown" where it is to no request of ours.
   */
  fromServer(line: Uint8Array, message: unknown): Uint8Array | undefined | "unknown" {
    const id = isObject(message) && !("method" in message) ? message["id"] : undefined;
    // Not all clients would read what is read here.
    const isUnsafe = this.#byLeg.size > 0 && isObject(message) && isUnclear(line, message);
    if (!isId(id) || !isObject(message)) return isUnsafe ? undefined : "unknown";
    const call = this.#byUpstream.get(idKey(id));
    if (isUnsafe && call === undefined) return undefined;
    if (call === undefined) return "unknown";
    this.#byUpstream.delete(idKey(id));
    call.upstream = undefined;
    const result = objectOf(message["result"]);
    if (isUnsafe) {
      this.#end(call, { error: { code: -32_603, message: "The MCP server's answer can be read in more than one way" } });
      return undefined;
    }
    if (result !== null && isRound(result)) {
      this.#asked(call, result);
      return undefined;
    }
    const { leg } = call;
    this.#forget(call);
    if (leg === undefined) return undefined; // never: the server works on it only while the client waits
    this.#tell({ ...message, id: leg.id });
    return idKey(leg.id) === idKey(id) ? line : withId(line, leg.rawId);
  }

  /**
   * Whether a message is a response that nobody may get: to a cancelled call, a second one to a
   * call that waits, or one in a batch.
   */
  expects(message: unknown): boolean {
    const id = isObject(message) && !("method" in message) ? message["id"] : undefined;
    return isId(id) && (this.#byUpstream.has(idKey(id)) || this.#byLeg.has(idKey(id)) || this.#isOwn(id));
  }

  /** Refuses a request that came in a batch: this revision has none. */
  refuseBatched(request: StatelessRequest): void {
    this.#refuse(request, -32_600, "Revision 2026-07-28 has no batches");
  }

  /** A response that passed unread, by its id. Whether it is to a request of ours. */
  passedUnread(id: JsonRpcId): boolean {
    const call = this.#byUpstream.get(idKey(id));
    if (call === undefined) return this.#isOwn(id);
    this.#byUpstream.delete(idKey(id));
    call.upstream = undefined;
    if (this.#isOwn(id)) this.#end(call, { error: { code: -32_603, message: "The MCP server's answer is too long" } });
    else this.#forget(call);
    return this.#isOwn(id);
  }

  /** The client's request that now waits for what the gateway does for this one. */
  waitingFor(origin: JsonRpcId): JsonRpcId {
    for (const call of this.#byLeg.values()) if (call.origin === origin && call.leg !== undefined) return call.leg.id;
    return origin;
  }

  /** The client will not come back with this state. */
  gaveUp(state: string): void {
    const call = this.#away.get(state);
    if (call !== undefined) this.#drop(state, call);
  }

  closed(): void {
    this.#closed.abort();
    for (const call of [...this.#byLeg.values(), ...this.#away.values()]) this.#forget(call);
  }

  #added(capabilities: JsonObject): AddedCapabilities {
    return samplingCapabilities({ tools: this.#settings.tools, context: false }, capabilities);
  }

  #legOf({ id, rawId, meta, capabilities }: StatelessRequest): Leg {
    const declared = { ...capabilities, ...this.#added(capabilities) };
    return { id, rawId, meta: { ...meta, [clientCapabilitiesKey]: declared }, since: this.#settings.now() };
  }

  #attach(call: RoundCall, leg: Leg, message: unknown): void {
    call.leg = leg;
    this.#byLeg.set(idKey(leg.id), call);
    this.#settings.progress.sent(message);
    this.#settings.connection.sent(message);
  }

  #cameBack(call: RoundCall, request: StatelessRequest, line: Uint8Array, message: unknown): void {
    const { current, ending } = call;
    this.#attach(call, this.#legOf(request), message);
    call.capabilities = request.capabilities;
    if (ending !== undefined || current === undefined)
      return this.#end(call, ending ?? { error: { code: -32_603, message: "Internal error" } });
    current.isPaced = true;
    takeResponses(current, answersIn(line));
    this.#goOn(call, current);
  }

  /** The server asks for input. */
  #asked(call: RoundCall, result: JsonObject): void {
    const checked = checkedRound(call, result, this.#settings.url);
    if (!checked.ok) return this.#end(call, { error: checked.error });
    call.rounds += 1;
    const current: CurrentRound = { ...checked.value, answers: new Map(), isPaced: checked.value.requests.length > 0 };
    call.current = current;
    for (const request of samplingIn(current)) void this.#sample(call, current, request);
    this.#goOn(call, current);
  }

  async #sample(call: RoundCall, current: CurrentRound, { key, params }: InputRequest): Promise<void> {
    this.#samplings += 1;
    try {
      const answer = await this.#askGateway(call, params ?? {});
      if (call.current !== current || call.isOver) return;
      current.answers.set(key, JSON.stringify(answer));
      this.#goOn(call, current);
    } catch (error) {
      // This revision has no error for one input: the whole call ends.
      if (call.current === current && !call.isOver) this.#end(call, endedCall(call.method, this.#errorOf(error)) as Ending);
    } finally {
      this.#samplings -= 1;
    }
  }

  async #askGateway(call: RoundCall, params: JsonObject): Promise<JsonObject> {
    const { connection, tools } = this.#settings;
    if (this.#samplings > MOST_SAMPLINGS)
      throw new RpcError(-32_013, `More than ${MOST_SAMPLINGS} sampling requests are under way at once`);
    if (!tools && (params["tools"] !== undefined || params["toolChoice"] !== undefined))
      throw new RpcError(-32_602, "Tools in sampling were not declared to this server");
    this.#inputs += 1;
    const answer = await connection.answer({
      id: `countersign-input-${this.#inputs}`,
      method: "sampling/createMessage",
      params,
      serves: call.leg?.id,
      revision: revision2026,
    });
    return answer as JsonObject; // parsed from JSON
  }

  /** Does what the round waits for next. */
  #goOn(call: RoundCall, current: CurrentRound): void {
    const { leg } = call;
    if (leg === undefined || call.upstream !== undefined) return;
    const open = openIn(current);
    const theirs = open.filter(isTheirs);
    if (theirs.length > 0 || !current.isPaced) return void this.#askClient(call, leg, theirs);
    if (open.length > 0) return void this.#hold(call, leg);
    call.current = undefined;
    this.#attempts += 1;
    const id = `${this.#ownIds}${this.#attempts}`;
    call.upstream = id;
    this.#byUpstream.set(idKey(id), call);
    const { method, rest } = call;
    this.#settings.toServer(attemptLine({ id, method, rest, meta: leg.meta, state: current.state, responses: responsesOf(current) }));
  }

  /** Tells the client to come back, where it has waited long enough for a person. */
  async #hold(call: RoundCall, leg: Leg): Promise<void> {
    const { now, sleep, holdMilliseconds } = this.#settings;
    const left = leg.since + holdMilliseconds - now();
    if (left > 0) await sleep(left, this.#closed.signal);
    if (call.isOver || call.leg !== leg || call.current === undefined || call.upstream !== undefined) return;
    const state = this.#askClient(call, leg, []);
    await sleep(AWAY_MILLISECONDS, this.#closed.signal);
    if (this.#away.get(state) === call) this.#drop(state, call);
  }

  /** Answers the client's request with what it is asked for, or with a state alone. */
  #askClient(call: RoundCall, leg: Leg, requests: readonly InputRequest[]): string {
    const state = crypto.randomUUID();
    const inputs = requests.map(({ key, method, params }) => [key, { method, ...(params === null ? {} : { params }) }] as const);
    const result: JsonObject = {
      resultType: "input_required",
      ...(inputs.length === 0 ? {} : { inputRequests: Object.fromEntries(inputs) }),
      requestState: state,
    };
    this.#away.set(state, call);
    this.#byLeg.delete(idKey(leg.id));
    call.leg = undefined;
    this.#respond(leg, { result });
    const [oldest] = this.#away;
    if (this.#away.size > MOST_AWAY && oldest !== undefined) this.#drop(...oldest);
    return state;
  }

  /** The client does not come back. */
  #drop(state: string, call: RoundCall): void {
    this.#away.delete(state);
    this.#forget(call);
    this.#settings.connection.ended(call.origin);
  }

  /**
   * Ends the call with a last word of ours, which the client gets when it comes back where it is
   * away.
   */
  #end(call: RoundCall, ending: Ending): void {
    const { leg } = call;
    if (leg === undefined) {
      call.ending = ending;
      call.current = undefined;
      // What else is reviewed for it is withdrawn.
      this.#settings.connection.ended(call.origin);
      return;
    }
    this.#forget(call);
    this.#respond(leg, ending);
  }

  #respond({ id, rawId }: Leg, ending: Ending): void {
    const [[name, value] = []] = Object.entries(ending);
    this.#tell({ jsonrpc: "2.0", id, ...ending });
    if (!this.#closed.signal.aborted) this.#settings.toClient(`{"jsonrpc":"2.0","id":${rawId},"${name}":${JSON.stringify(value)}}`);
  }

  /** What the client gets, for those who follow its requests. */
  #tell(message: object): void {
    this.#settings.progress.received(message);
    this.#settings.connection.received(message);
  }

  #forget(call: RoundCall): void {
    call.isOver = true;
    if (call.upstream !== undefined) this.#byUpstream.delete(idKey(call.upstream));
    if (call.leg !== undefined) this.#byLeg.delete(idKey(call.leg.id));
  }

  #refuse({ rawId }: StatelessRequest, code: number, message: string): undefined {
    this.#settings.toClient(`{"jsonrpc":"2.0","id":${rawId},"error":${JSON.stringify({ code, message })}}`);
  }

  #isOwn(id: JsonRpcId): boolean {
    return typeof id === "string" && id.startsWith(this.#ownIds);
  }

  #errorOf(error: unknown): { code: number; message: string; data?: JsonObject } {
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

const UNKNOWN_STATE =
  "Invalid params: this requestState is not known for this request; its call has ended, or it was used already. Send the request again without it";

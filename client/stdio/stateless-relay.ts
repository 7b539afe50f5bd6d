// A client of revision 2026-07-28 behind the command: what the gateway answers is declared with
// each of its requests, and a call whose server asks for what only the client has is answered with
// a state, by which the client comes back. Works on lines; uses no process or stream.

import { valueAsWritten } from "../../shared/json/as-written.ts";
import type { Members } from "../../shared/json/values.ts";
import type { Span } from "../../shared/json/spans.ts";
import { openFor, openQuestions } from "../../shared/relay/call.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import { addedCapabilities, answeredHere, clientDoes } from "../../shared/relay/answered-here.ts";
import { withId } from "../../shared/relay/message-bytes.ts";
import { attemptOf, type InputMethod, inputsOf, mayAskForInput, responsesIn, restOf, roundResult } from "../../shared/relay/rounds.ts";
import { idKey, type RpcAnswer } from "../../shared/wire/json-rpc.ts";
import { clientCapabilitiesKey } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { sortedJson } from "../open-requests.ts";
import type { Call, Calls, WaitingRequest } from "./calls.ts";
import type { Mode } from "./declare.ts";
import { type StatelessRequest, statelessRequest, withCapabilities, withParams } from "./stateless-lines.ts";

type StatelessRelaySettings = {
  readonly mode: Mode;
  readonly elicitation: Mode;
  readonly tools: boolean;
  readonly now: () => number;
  /** How long a request of the client waits for a person, before it is told to come back. */
  readonly holdMilliseconds: number;
};

/** Calls whose client has to come back; the oldest beyond this number end. */
const MOST_AWAY = 1_000;
/**
 * A client that was told to come back does so at once. Its host may have given up between two
 * requests, which nothing shows.
 */
const AWAY_MILLISECONDS = 60_000;

/** A call whose client comes back to it. */
class Visited {
  readonly call: Call;
  /** Method and params, without what belongs to one attempt. */
  readonly same: string;
  /** Since when the client's request waits. */
  since: number;
  /** The round that the client came back to: one that asks for nothing waits for that. */
  backIn = 0;
  /** How it ended while the client was away. */
  answer: RpcAnswer | undefined;

  constructor(call: Call, same: string, since: number) {
    this.call = call;
    this.same = same;
    this.since = since;
  }
}

const sameness = (method: string, rest: string): string => sortedJson([method, valueAsWritten(rest)]);

export class StatelessRelay {
  readonly #settings: StatelessRelaySettings;
  readonly #calls: Calls;
  /** By the state with which the client comes back. */
  readonly #away = new Map<string, Visited>();

  constructor(settings: StatelessRelaySettings, calls: Calls) {
    this.#settings = settings;
    this.#calls = calls;
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
    return isBack || this.#here(request.capabilities).length > 0 ? request : undefined;
  }

  /**
   * A request of the client on a line of its own. Returns what the server gets in its place, if
   * anything.
   */
  fromClient(line: Uint8Array, request: StatelessRequest, message: unknown): Uint8Array | undefined {
    const { id, rawId, method, params, capabilities } = request;
    const refusal = this.#calls.refusal(id);
    if (refusal !== null) return this.#calls.write(rawId, { error: refusal });
    const { requestState: state, inputResponses } = params;
    const rest = restOf(line);
    const visited = typeof state === "string" ? this.#away.get(state) : undefined;
    if (typeof state === "string" && visited !== undefined && sameness(method, rest) === visited.same) {
      this.#away.delete(state);
      this.#cameBack(visited, request, line, message);
      return undefined;
    }
    if (visited !== undefined || (state !== undefined && mayAskForInput(method)))
      return this.#calls.write(rawId, { error: { code: -32_602, message: UNKNOWN_STATE } });
    const waiting = this.#waitingFrom(request);
    this.#begin(request, rest, waiting, message);
    // Answers that nobody asked for could be a reply that no model gave and nobody reviewed.
    return inputResponses === undefined
      ? withCapabilities(line, this.#added(capabilities))
      : withParams(line, attemptOf(rest, waiting.meta, null, null));
  }

  /** Refuses a request that came in a batch: this revision has none. */
  refuseBatched({ rawId }: StatelessRequest): void {
    this.#calls.write(rawId, { error: { code: -32_600, message: "Revision 2026-07-28 has no batches" } });
  }

  #begin({ method, capabilities }: StatelessRequest, rest: string, waiting: WaitingRequest, message: unknown): void {
    const client = {
      asked: () => {},
      goOn: () => this.#goOn(visited),
      withdrawn: () => {},
      ended: (answer: RpcAnswer) =>
        visited.call.waiting === undefined ? void (visited.answer = answer) : this.#calls.respond(call, answer),
      responded: (line: Uint8Array, response: Members) => this.#responded(call, line, response),
    };
    const same = sameness(method, rest);
    const call = this.#calls.begin({ method, rest, client, capabilities, ours: this.#here(capabilities) }, waiting, message);
    const visited = new Visited(call, same, this.#settings.now());
  }

  #responded({ waiting, upstream }: Call, line: Uint8Array, response: Members): Uint8Array | undefined {
    if (waiting === undefined) return undefined; // never: the server works on it only while the client waits
    this.#calls.received({ ...response, id: waiting.id });
    return idKey(waiting.id) === idKey(upstream) ? line : withId(line, waiting.rawId);
  }

  #here(capabilities: StatelessRequest["capabilities"]): readonly InputMethod[] {
    return answeredHere(this.#settings, clientDoes({ capabilities }));
  }

  #added(capabilities: StatelessRequest["capabilities"]): JsonObject {
    return addedCapabilities({ ...this.#settings, tasks: false, context: false }, capabilities, this.#here(capabilities)) ?? {};
  }

  #waitingFrom({ id, rawId, meta, capabilities }: StatelessRequest): WaitingRequest {
    return { id, rawId, meta: { ...meta, [clientCapabilitiesKey]: { ...capabilities, ...this.#added(capabilities) } } };
  }

  #cameBack(visited: Visited, request: StatelessRequest, line: Uint8Array, message: unknown): void {
    const { call, answer } = visited;
    this.#calls.attach(call, this.#waitingFrom(request), message);
    call.capabilities = request.capabilities;
    visited.since = this.#settings.now();
    if (answer !== undefined) return this.#calls.respond(call, answer);
    visited.backIn = call.state.asked;
    for (const [key, response] of responsesIn(line) ?? [])
      if (response.startsWith("{")) this.#calls.answer(call, { key, by: "client" }, response);
    this.#goOn(visited);
  }

  /** Does what the round waits for next. */
  #goOn(visited: Visited): void {
    const { call, backIn } = visited;
    const { state, waiting } = call;
    if (waiting === undefined || state.isAtServer) return;
    const isPaced = state.questions.length > 0 || backIn === state.asked;
    if (openFor(state, "client").length > 0 || !isPaced) this.#askClient(visited);
    else if (openQuestions(state).length > 0) void this.#hold(visited, waiting);
    else this.#calls.proceed(call);
  }

  /** Tells the client to come back, where it has waited long enough for a person. */
  async #hold(visited: Visited, waiting: WaitingRequest): Promise<void> {
    const { call, since } = visited;
    const isOpen = await this.#calls.pause(since + this.#settings.holdMilliseconds - this.#settings.now());
    if (!isOpen || call.waiting !== waiting || call.state.isAtServer) return;
    const state = this.#askClient(visited);
    await this.#calls.pause(AWAY_MILLISECONDS);
    if (this.#away.get(state) === visited) this.#drop(state, call);
  }

  /** Answers the client's request with what it is asked for, or with a state alone. */
  #askClient(visited: Visited): string {
    const { call } = visited;
    const requestState = crypto.randomUUID();
    const keys = new Set(openFor(call.state, "client").map(({ key }) => key));
    const asked = call.round.requests.filter(({ key }) => keys.has(key));
    this.#away.set(requestState, visited);
    this.#calls.respond(call, { result: roundResult(asked.length === 0 ? null : inputsOf(asked), requestState) });
    const [oldest] = this.#away;
    if (this.#away.size > MOST_AWAY && oldest !== undefined) this.#drop(oldest[0], oldest[1].call);
    return requestState;
  }

  /** The client does not come back. */
  #drop(state: string, call: Call): void {
    this.#away.delete(state);
    this.#calls.drop(call);
  }
}

const UNKNOWN_STATE =
  "Invalid params: this requestState is not known for this request; its call has ended, or it was used already. Send the request again without it";

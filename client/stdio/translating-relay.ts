// A client of a 2025 revision at a stdio server that speaks 2026-07-28 alone: `initialize` is
// answered from `server/discover`, each request says what the server has to be told, and what a
// round asks of the client is asked by requests of its revision. To the StdioRelay behind it this
// is a client of 2026-07-28. At every other server it passes each line as it is. Works on lines;
// uses no process or stream.

import type { JsonObject } from "../../shared/encoding.ts";
import { objectOf, parseJson } from "../../shared/json/values.ts";
import { elementsOf, memberOf, type Span, textAt } from "../../shared/json/spans.ts";
import { attemptOf, declinedInput, type InputResponses, isRound, restOf, type Round, undeclared } from "../../shared/relay/rounds.ts";
import {
  agreedRevision,
  answerFor,
  initializeResult,
  inputParams2025,
  requestMeta,
  type TranslatedSession,
  translatedSession,
} from "../../shared/relay/translation.ts";
import { idKey, type RpcAnswer } from "../../shared/wire/json-rpc.ts";
import { missingCapabilityCode, revision2026, unsupportedVersionCode } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { asNotification, asRequest, isId, type JsonRpcId } from "../rpc-messages.ts";
import { lineRefusal } from "./client-line.ts";
import { checkedRound } from "./round-call.ts";
import { rawIdIn } from "./stateless-lines.ts";
import { StdioRelay, type StdioRelaySettings } from "./stdio-relay.ts";

/**
 * The client's `initialize`, until it is answered. `refusal`: the server's answer, while it is
 * asked what it speaks.
 */
type Beginning = { readonly id: JsonRpcId; readonly rawId: string; readonly params: JsonObject; refusal: Uint8Array | undefined };

/** A request of the client that the server is working on, or whose round waits for the client. */
type Call = {
  readonly id: JsonRpcId;
  readonly rawId: string;
  readonly method: string;
  readonly rest: string;
  readonly meta: JsonObject;
  readonly capabilities: JsonObject;
  /** The id of its last attempt. */
  leg: JsonRpcId;
  rounds: number;
  turns: number;
  current: (Round & { readonly answers: Map<string, string>; readonly asks: Set<string> }) | undefined;
};

const METHOD_NOT_FOUND = -32_601;
/**
 * A server that is asked for nothing says when to come back by answering; SDK 2.x clients wait as
 * long.
 */
const PACE_MILLISECONDS = 250;
/** A review may take a day, at the usual minute for each turn. */
const MOST_TURNS = 2_000;
const MOST_CALLS = 10_000;
/** These say nothing in 2026-07-28. */
const DROPPED: ReadonlySet<string> = new Set(["notifications/initialized", "notifications/roots/list_changed", "notifications/progress"]);

export class TranslatingRelay {
  readonly #settings: StdioRelaySettings;
  readonly #inner: StdioRelay;
  #beginning: Beginning | undefined;
  #session: TranslatedSession | undefined;
  #logLevel = "info";
  readonly #calls = new Map<string, Call>();
  /** By the id of the last attempt. */
  readonly #byLeg = new Map<string, Call>();
  /** What the client is asked, by our ids. */
  readonly #asks = new Map<string, { readonly call: Call; readonly key: string }>();
  /** Neither side can know it, so no id of theirs is taken for one of ours. */
  readonly #ownIds = `countersign/${crypto.randomUUID()}/`;
  #count = 0;
  readonly #closed = new AbortController();

  constructor(settings: StdioRelaySettings) {
    this.#settings = settings;
    this.#inner = new StdioRelay({
      ...settings,
      toClient: (line) => {
        const told = this.#session === undefined ? line : this.#outward(parseJson(line));
        if (told !== undefined) settings.toClient(told);
      },
    });
  }

  /** A line of the client. Returns the line that the server gets, if any. */
  fromClient(line: Uint8Array): Uint8Array | undefined {
    const value = parseJson(decoded(line));
    if (this.#session === undefined) {
      const request = asRequest(value);
      if (request?.method === "initialize") {
        const params = objectOf(request.params) ?? {};
        this.#beginning = { id: request.id, rawId: rawIdIn(line, whole(line), request.id), params, refusal: undefined };
      }
      return this.#inner.fromClient(line);
    }
    const refusal = lineRefusal(line);
    if (refusal !== null) return void this.#settings.toClient(refusal);
    if (!Array.isArray(value)) return this.#inward(this.#session, line, value);
    for (const [at, span] of elementsOf(line, whole(line)).entries()) this.#batched(this.#session, line, span, (value as unknown[])[at]);
    return undefined;
  }

  /** A line of the server. Returns the line that the client gets, if any. */
  fromServer(line: Uint8Array): Uint8Array | undefined {
    const passed = this.#inner.fromServer(line);
    if (passed === undefined || (this.#session === undefined && this.#beginning === undefined)) return passed;
    const value = parseJson(decoded(passed));
    if (this.#session === undefined) return this.#whileBeginning(passed, value);
    const told = this.#outward(value);
    return told === undefined ? undefined : encoded(`${told}\n`);
  }

  longFromServer(head: string, tail: string): void {
    this.#inner.longFromServer(head, tail);
  }

  waiting(originId: JsonRpcId, message: string | undefined): void {
    this.#inner.waiting(originId, message);
  }

  stillWaiting(originId: JsonRpcId): void {
    this.#inner.stillWaiting(originId);
  }

  closed(): void {
    this.#closed.abort();
    this.#inner.closed();
  }

  #newId(): string {
    this.#count += 1;
    return `${this.#ownIds}${this.#count}`;
  }

  /** Looks for the answer to `initialize`, and to what its refusal led to. */
  #whileBeginning(line: Uint8Array, value: unknown): Uint8Array | undefined {
    const beginning = this.#beginning;
    const message = objectOf(value);
    if (beginning === undefined || message === null || "method" in message || !isId(message["id"])) return line;
    if (beginning.refusal === undefined) {
      if (idKey(message["id"]) !== idKey(beginning.id)) return line;
      if (!speaks2026Alone(objectOf(message["error"]))) {
        this.#beginning = undefined;
        return line;
      }
      beginning.refusal = line;
      const asked = translatedSession(beginning.params, {});
      this.#send(this.#newId(), "server/discover", "{}", requestMeta(null, asked, { added: null, logLevel: null }));
      return undefined;
    }
    if (!this.#isOwn(message["id"])) return line;
    this.#beginning = undefined;
    const discovered = objectOf(message["result"]);
    const versions = discovered?.["supportedVersions"];
    if (discovered === null || !Array.isArray(versions) || !versions.includes(revision2026)) return beginning.refusal;
    this.#begin(beginning, discovered);
    return undefined;
  }

  #begin({ rawId, params }: Beginning, discovered: JsonObject): void {
    const session = (this.#session = translatedSession(params, discovered));
    this.#respond(rawId, { result: initializeResult(discovered, agreedRevision(params), "MCP server") });
    if (session.listens.length === 0) return;
    const rest = JSON.stringify({ notifications: Object.fromEntries(session.listens.map((each) => [each, true])) });
    this.#send(this.#newId(), "subscriptions/listen", rest, this.#metaOf(session, null));
  }

  #metaOf(session: TranslatedSession, own: JsonObject | null): JsonObject {
    return requestMeta(own, session, { added: null, logLevel: session.logs ? this.#logLevel : null });
  }

  #send(id: string, method: string, rest: string, meta: JsonObject): void {
    this.#settings.toServer(attempt(JSON.stringify(id), { method, rest, meta }, null, null));
  }

  /** One message of a batch: this server takes none, so that a request of it is refused. */
  #batched(session: TranslatedSession, line: Uint8Array, span: Span, value: unknown): void {
    const request = asRequest(value);
    if (request !== undefined) {
      const message = "Send each request by itself: this MCP server takes no batches";
      return this.#respond(rawIdIn(line, span, request.id), { error: { code: -32_600, message } });
    }
    const passed = this.#inward(session, line.slice(span.from, span.to), value);
    if (passed !== undefined) this.#settings.toServer(decoded(passed));
  }

  /** One message of the client. */
  #inward(session: TranslatedSession, line: Uint8Array, value: unknown): Uint8Array | undefined {
    const request = asRequest(value);
    if (request !== undefined) return this.#requested(session, line, request);
    const notification = asNotification(value);
    if (notification === undefined) return this.#responded(line, objectOf(value));
    const { method, params } = notification;
    if (DROPPED.has(method)) return undefined;
    if (method !== "notifications/cancelled") return this.#inner.fromClient(line);
    return isId(params["requestId"]) ? this.#cancelled(params["requestId"], params["reason"]) : undefined;
  }

  #requested(session: TranslatedSession, line: Uint8Array, { id, method, params }: NonNullable<ReturnType<typeof asRequest>>) {
    const rawId = rawIdIn(line, whole(line), id);
    const refuse = (code: number, message: string): undefined => this.#respond(rawId, { error: { code, message } });
    if (method === "initialize") return refuse(-32_600, "The session has begun already");
    if (method === "ping") return this.#respond(rawId, { result: {} });
    if (method === "logging/setLevel" && session.logs && typeof params["level"] === "string") {
      this.#logLevel = params["level"].slice(0, 20);
      return this.#respond(rawId, { result: {} });
    }
    if (method === "resources/subscribe" || method === "resources/unsubscribe")
      return refuse(METHOD_NOT_FOUND, `Method not found: ${method} has no translation for this MCP server`);
    if (this.#calls.has(idKey(id))) return refuse(-32_600, "This id is in use");
    if (this.#calls.size >= MOST_CALLS) return refuse(-32_603, `More than ${MOST_CALLS} requests are under way at once`);
    const at = memberOf(line, whole(line), "params");
    const rest = at === undefined ? "{}" : restOf(line, at);
    const meta = this.#metaOf(session, objectOf(params["_meta"]));
    const { capabilities } = session;
    const call: Call = { id, rawId, method, rest, meta, capabilities, leg: id, rounds: 0, turns: 0, current: undefined };
    this.#calls.set(idKey(id), call);
    this.#byLeg.set(idKey(id), call);
    return this.#inner.fromClient(encoded(`${attempt(rawId, call, null, null)}\n`));
  }

  #cancelled(id: JsonRpcId, reason: unknown): Uint8Array | undefined {
    const call = this.#calls.get(idKey(id));
    if (call === undefined) return undefined;
    const { leg, current } = call;
    this.#forget(call);
    if (current !== undefined) return undefined;
    const params = { requestId: leg, ...(typeof reason === "string" ? { reason } : {}) };
    return this.#inner.fromClient(encoded(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params })}\n`));
  }

  /** A response of the client: to what it was asked, or to nothing. */
  #responded(line: Uint8Array, message: JsonObject | null): undefined {
    const id = message?.["id"];
    const ask = typeof id === "string" ? this.#asks.get(id) : undefined;
    if (ask === undefined || typeof id !== "string") return undefined;
    this.#asks.delete(id);
    const { call, key } = ask;
    const { current } = call;
    const result = memberOf(line, whole(line), "result");
    if (result === undefined || objectOf(message?.["result"]) === null) {
      const asked = current?.requests.find((each) => each.key === key)?.method ?? "";
      return this.#end(call, declinedInput(call.method, asked, objectOf(message?.["error"])));
    }
    current?.answers.set(key, textAt(line, result));
    if (current !== undefined && current.answers.size === current.requests.length) this.#goOn(call);
    return undefined;
  }

  /** What the client gets of a message of the server. */
  #outward(value: unknown): string | undefined {
    const message = objectOf(value);
    if (message === null) return undefined;
    const { id, method } = message;
    if (typeof method === "string") {
      if (!isId(id)) return this.#notification(method, message);
      // This revision has no requests of a server.
      const error = { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
      this.#settings.toServer(JSON.stringify({ jsonrpc: "2.0", id, error }));
      return undefined;
    }
    if (!isId(id)) return JSON.stringify(message);
    const call = this.#byLeg.get(idKey(id));
    if (call === undefined) return undefined;
    const result = objectOf(message["result"]);
    if (result !== null && isRound(result)) return this.#asked(call, result);
    const error = objectOf(message["error"]);
    // Read leniently: the client judges the error.
    return this.#end(call, (result === null ? { error: error ?? NO_ANSWER } : { result }) as RpcAnswer);
  }

  #notification(method: string, message: JsonObject): string | undefined {
    // Both are about our own subscription.
    if (method === "notifications/subscriptions/acknowledged" || method === "notifications/cancelled") return undefined;
    if (/^notifications\/(?:tools|prompts|resources)\/list_changed$/.test(method)) return JSON.stringify({ jsonrpc: "2.0", method });
    return JSON.stringify(message);
  }

  /** The server asks for input, or the relay behind this one for another turn. */
  #asked(call: Call, result: JsonObject): undefined {
    const round = checkedRound(call, result, this.#settings.url);
    if (!round.ok) return this.#end(call, { error: round.error as Extract<RpcAnswer, { error: unknown }>["error"] });
    const { requests } = round.value;
    const missing = undeclared(requests, call.capabilities);
    if (missing !== null) {
      const message = "The MCP server asked for an input that this client did not declare";
      return this.#end(call, { error: { code: missingCapabilityCode, message, data: { requiredCapabilities: missing.missing } } });
    }
    call.turns += 1;
    if (call.turns > MOST_TURNS)
      return this.#end(call, { error: { code: -32_603, message: "The MCP server asked to come back too often" } });
    const current = (call.current = { ...round.value, answers: new Map(), asks: new Set() });
    if (requests.length === 0) return void this.#comeBack(call);
    call.rounds += 1;
    for (const { key, method, params } of requests) {
      const id = this.#newId();
      current.asks.add(id);
      this.#asks.set(id, { call, key });
      const given = params === null ? {} : { params: inputParams2025(method, params, id) };
      this.#settings.toClient(JSON.stringify({ jsonrpc: "2.0", id, method, ...given }));
    }
    return undefined;
  }

  async #comeBack(call: Call): Promise<void> {
    await this.#settings.sleep(PACE_MILLISECONDS, this.#closed.signal);
    if (!this.#closed.signal.aborted && this.#calls.get(idKey(call.id)) === call) this.#goOn(call);
  }

  /** Sends the request again, with what its round asked for. */
  #goOn(call: Call): void {
    const { current } = call;
    if (current === undefined) return;
    call.current = undefined;
    const leg = this.#newId();
    this.#byLeg.delete(idKey(call.leg));
    call.leg = leg;
    this.#byLeg.set(idKey(leg), call);
    const { requests, state, answers } = current;
    const responses = requests.length === 0 ? null : new Map(requests.map(({ key }) => [key, answers.get(key) ?? "{}"]));
    const passed = this.#inner.fromClient(encoded(`${attempt(JSON.stringify(leg), call, state, responses)}\n`));
    if (passed !== undefined) this.#settings.toServer(decoded(passed));
  }

  #end(call: Call, answer: RpcAnswer): undefined {
    this.#forget(call);
    return this.#respond(call.rawId, answerFor(call.method, answer));
  }

  /**
   * The call is over: what the client is asked for it is withdrawn, and so is what is reviewed for
   * it.
   */
  #forget(call: Call): void {
    this.#calls.delete(idKey(call.id));
    this.#byLeg.delete(idKey(call.leg));
    const { current } = call;
    call.current = undefined;
    if (current === undefined) return;
    for (const id of current.asks)
      if (this.#asks.delete(id))
        this.#settings.toClient(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }));
    if (current.state !== null) this.#inner.gaveUp(current.state);
  }

  #respond(rawId: string, answer: RpcAnswer): undefined {
    const [[name, value] = []] = Object.entries(answer);
    this.#settings.toClient(`{"jsonrpc":"2.0","id":${rawId},"${name}":${JSON.stringify(value)}}`);
  }

  #isOwn(id: JsonRpcId): boolean {
    return typeof id === "string" && id.startsWith(this.#ownIds);
  }
}

const NO_ANSWER = { code: -32_603, message: "The MCP server gave no JSON-RPC response" };

/**
 * Whether the error to `initialize` is that of a server without sessions. A server of a 2025
 * revision knows the method.
 */
function speaks2026Alone(error: JsonObject | null): boolean {
  if (error?.["code"] === METHOD_NOT_FOUND) return true;
  const supported = objectOf(error?.["data"])?.["supported"];
  return error?.["code"] === unsupportedVersionCode && (!Array.isArray(supported) || supported.includes(revision2026));
}

/** The line of a request, under an id as it is written. */
const attempt = (
  rawId: string,
  { method, rest, meta }: Pick<Call, "method" | "rest" | "meta">,
  state: string | null,
  responses: InputResponses | null,
): string => `{"jsonrpc":"2.0","id":${rawId},"method":${JSON.stringify(method)},"params":${attemptOf(rest, meta, state, responses)}}`;

const whole = (line: Uint8Array): Span => ({ from: 0, to: line.length });
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const decoded = (bytes: Uint8Array): string => decoder.decode(bytes);
const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

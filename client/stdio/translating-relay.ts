// A client of a 2025 revision at a stdio server that speaks 2026-07-28 alone: `initialize` is
// answered from `server/discover`, each request says what the server has to be told, and what a
// round asks of the client is asked by requests of its revision. At every other server it is a
// StdioRelay like any. Works on lines; uses no process or stream.

import type { JsonObject } from "../../shared/encoding.ts";
import { objectOf, parseJson } from "../../shared/json/values.ts";
import type { Question } from "../../shared/relay/call.ts";
import { addedCapabilities, answeredHere, clientDoes } from "../../shared/relay/answered-here.ts";
import { elementsOf, memberIn, type Span, textAt, whole } from "../../shared/json/spans.ts";
import { declinedInput, type InputMethod, restOf } from "../../shared/relay/rounds.ts";
import {
  agreedRevision,
  answerFor,
  answeredInSession,
  initializeResult,
  inputParams2025,
  listChangeFor,
  listenedTo,
  requestMeta,
  type TranslatedSession,
  translatedSession,
} from "../../shared/relay/translation.ts";
import { idKey, type RpcAnswer } from "../../shared/wire/json-rpc.ts";
import { revision2026, unsupportedVersionCode } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { asNotification, asRequest, cancelledBy, isId, type JsonRpcId } from "../rpc-messages.ts";
import { lineRefusal } from "./client-line.ts";
import type { Call, CallClient } from "./calls.ts";
import { attemptLine, decoded, rawIdIn } from "./stateless-lines.ts";
import { StdioRelay, type StdioRelaySettings } from "./stdio-relay.ts";

/**
 * The client's `initialize`, until it is answered. `refusal`: the server's answer, while it is
 * asked what it speaks.
 */
type Beginning = { readonly id: JsonRpcId; readonly rawId: string; readonly params: JsonObject; refusal: Uint8Array | undefined };

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
/**
 * A server that asks for nothing but to be asked again is asked after so long, as by SDK 2.x
 * clients, and more slowly with each round: its last one is minutes away.
 */
const PACE_MILLISECONDS = 250;
const SLOWEST_PACE_MILLISECONDS = 5_000;
/** These say nothing in 2026-07-28. */
const DROPPED: ReadonlySet<string> = new Set(["notifications/initialized", "notifications/roots/list_changed", "notifications/progress"]);

export class TranslatingRelay extends StdioRelay {
  readonly #settings: StdioRelaySettings;
  #beginning: Beginning | undefined;
  #session: TranslatedSession | undefined;
  #logLevel = "info";
  /** What the client is asked, by our ids. */
  readonly #asks = new Map<string, { readonly call: Call; readonly key: string }>();
  /** Neither side can know it, so no id of theirs is taken for one of ours. */
  readonly #ownIds = `countersign/${crypto.randomUUID()}/`;
  #count = 0;

  constructor(settings: StdioRelaySettings) {
    super(settings);
    this.#settings = settings;
  }

  /** A line of the client. Returns the line that the server gets, if any. */
  override fromClient(line: Uint8Array): Uint8Array | undefined {
    const value = parseJson(decoded(line));
    if (this.#session === undefined) {
      const request = asRequest(value);
      if (request?.method === "initialize") {
        const params = objectOf(request.params) ?? {};
        this.#beginning = { id: request.id, rawId: rawIdIn(line, whole(line), request.id), params, refusal: undefined };
      }
      return super.fromClient(line);
    }
    const refusal = lineRefusal(line);
    if (refusal !== null) return void this.#settings.toClient(refusal);
    if (!Array.isArray(value)) return this.#inward(this.#session, line, value);
    for (const [at, span] of elementsOf(line, whole(line)).entries()) this.#batched(this.#session, line, span, (value as unknown[])[at]);
    return undefined;
  }

  /** A line of the server. Returns the line that the client gets, if any. */
  override fromServer(line: Uint8Array): Uint8Array | undefined {
    const passed = super.fromServer(line);
    if (passed === undefined || (this.#session === undefined && this.#beginning === undefined)) return passed;
    const value = parseJson(decoded(passed));
    if (this.#session === undefined) return this.#whileBeginning(passed, value);
    const told = this.#outward(value);
    return told === undefined ? undefined : encoded(`${told}\n`);
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
    this.#beginSession(beginning, discovered);
    return undefined;
  }

  #beginSession({ rawId, params }: Beginning, discovered: JsonObject): void {
    const session = (this.#session = translatedSession(params, discovered));
    this.calls.write(rawId, { result: initializeResult(discovered, agreedRevision(params), "MCP server") });
    const listened = listenedTo(session);
    if (listened !== null) this.#send(this.#newId(), "subscriptions/listen", JSON.stringify(listened), this.#metaOf(session, null, []));
  }

  #metaOf(session: TranslatedSession, own: JsonObject | null, here: readonly InputMethod[]): JsonObject {
    const added = addedCapabilities({ ...this.#settings, context: false }, session.capabilities, here);
    return requestMeta(own, session, { added, logLevel: session.logs ? this.#logLevel : null });
  }

  #send(id: string, method: string, rest: string, meta: JsonObject): void {
    this.#settings.toServer(attemptLine({ id: JSON.stringify(id), method, rest, meta, state: null, responses: null }));
  }

  /** One message of a batch: this server takes none, so that a request of it is refused. */
  #batched(session: TranslatedSession, line: Uint8Array, span: Span, value: unknown): void {
    const request = asRequest(value);
    if (request !== undefined) {
      const message = "Send each request by itself: this MCP server takes no batches";
      return this.calls.write(rawIdIn(line, span, request.id), { error: { code: -32_600, message } });
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
    const { method } = notification;
    if (DROPPED.has(method)) return undefined;
    if (method !== "notifications/cancelled") return super.fromClient(line);
    const cancelled = cancelledBy(value);
    const call = cancelled === undefined ? undefined : this.calls.waitingAs(cancelled);
    return call === undefined ? undefined : this.calls.cancel(call, line);
  }

  #requested(session: TranslatedSession, line: Uint8Array, request: NonNullable<ReturnType<typeof asRequest>>): Uint8Array | undefined {
    const { id, method, params } = request;
    const rawId = rawIdIn(line, whole(line), id);
    if (method === "initialize") return this.calls.write(rawId, { error: { code: -32_600, message: "The session has begun already" } });
    const own = answeredInSession(method, objectOf(params), session);
    this.#logLevel = own?.logLevel ?? this.#logLevel;
    if (own !== null) return this.calls.write(rawId, own.answer);
    const inUse = this.calls.refusal(id);
    if (inUse !== null) return this.calls.write(rawId, { error: inUse });
    const rest = restOf(line);
    const { capabilities } = session;
    const ours = answeredHere(this.#settings, clientDoes({ capabilities }));
    const meta = this.#metaOf(session, objectOf(params["_meta"]), ours);
    const call: Call = this.calls.begin(
      { method, rest, capabilities, ours, client: this.#clientOf(() => call) },
      { id, rawId, meta },
      request,
    );
    return encoded(`${attemptLine({ id: rawId, method, rest, meta, state: null, responses: null })}\n`);
  }

  /** What a client of a 2025 revision gets of its call. */
  #clientOf(call: () => Call): CallClient {
    return {
      asked: (questions) => this.#ask(call(), questions),
      goOn: () => void this.#goOn(call()),
      withdrawn: (questions) => this.#withdraw(call(), questions),
      ended: (answer) => this.calls.respond(call(), answerFor(call().method, answer)),
      responded: (_line, message) => {
        const [result, error] = [objectOf(message["result"]), objectOf(message["error"])];
        // Read leniently: the client judges the error.
        const answer = (result === null ? { error: error ?? NO_ANSWER } : { result }) as RpcAnswer;
        this.calls.respond(call(), answerFor(call().method, answer));
        return undefined;
      },
    };
  }

  #ask(call: Call, questions: readonly Question[]): void {
    for (const { key, method } of questions) {
      const id = this.#newId();
      this.#asks.set(id, { call, key });
      const params = call.round.requests.find((each) => each.key === key)?.params ?? null;
      const given = params === null ? {} : { params: inputParams2025(method, params, id) };
      this.#settings.toClient(JSON.stringify({ jsonrpc: "2.0", id, method, ...given }));
    }
  }

  #withdraw(call: Call, questions: readonly Question[]): void {
    for (const [id, asked] of this.#asks) {
      if (asked.call !== call || !questions.some(({ key }) => key === asked.key)) continue;
      this.#asks.delete(id);
      this.#settings.toClient(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }));
    }
  }

  /** A response of the client: to what it was asked, or to nothing. */
  #responded(line: Uint8Array, message: JsonObject | null): undefined {
    const id = message?.["id"];
    const ask = typeof id === "string" ? this.#asks.get(id) : undefined;
    if (ask === undefined || typeof id !== "string") return undefined;
    this.#asks.delete(id);
    const { call, key } = ask;
    const result = memberIn(line, "result");
    if (result === undefined || objectOf(message?.["result"]) === null) {
      const asked = call.state.questions.find((each) => each.key === key)?.method ?? "";
      const answer = declinedInput(call.method, asked, objectOf(message?.["error"]));
      return void this.calls.take(call, { kind: "refused", round: call.state.asked }, answer);
    }
    this.calls.answer(call, { key, by: "client" }, textAt(line, result));
    return void this.#goOn(call);
  }

  /** What the client gets of a message of the server that belongs to no call. */
  #outward(value: unknown): string | undefined {
    const message = objectOf(value);
    if (message === null) return undefined;
    const { id, method } = message;
    if (typeof method !== "string") return isId(id) ? undefined : JSON.stringify(message);
    if (!isId(id)) return this.#notification(method, message);
    // This revision has no requests of a server.
    const error = { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
    this.#settings.toServer(JSON.stringify({ jsonrpc: "2.0", id, error }));
    return undefined;
  }

  #notification(method: string, message: JsonObject): string | undefined {
    // Both are about our own subscription.
    if (method === "notifications/subscriptions/acknowledged" || method === "notifications/cancelled") return undefined;
    return listChangeFor(method) ?? JSON.stringify(message);
  }

  /** A round that asks for nothing is answered after a while. */
  async #goOn(call: Call): Promise<void> {
    const round = call.state.asked;
    if (call.state.questions.length === 0 && !(await this.calls.pause(Math.min(PACE_MILLISECONDS * round, SLOWEST_PACE_MILLISECONDS))))
      return;
    if (call.state.asked === round) this.calls.proceed(call);
  }

  #isOwn(id: JsonRpcId): boolean {
    return typeof id === "string" && id.startsWith(this.#ownIds);
  }
}

const NO_ANSWER = { code: -32_603, message: "The MCP server gave no JSON-RPC response" };

/**
 * Whether the error to `initialize` is that of a server without sessions. It may look at the
 * method, at the version, or first of all at the `_meta` that each request must have. A server of a
 * 2025 revision knows the method, and misses nothing in `_meta`.
 */
function speaks2026Alone(error: JsonObject | null): boolean {
  if (error?.["code"] === METHOD_NOT_FOUND) return true;
  if (error?.["code"] === INVALID_PARAMS && /_meta|io\.modelcontextprotocol\//.test(JSON.stringify(error))) return true;
  const supported = objectOf(error?.["data"])?.["supported"];
  return error?.["code"] === unsupportedVersionCode && (!Array.isArray(supported) || supported.includes(revision2026));
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

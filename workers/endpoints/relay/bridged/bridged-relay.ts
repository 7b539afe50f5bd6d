// The relay between a client of 2026-07-28 and a server with sessions. A BridgeObject has the
// session and the server's requests; each request of the client is answered with the result, with
// what the server asks the client, or with a state by which it comes back.

import { type JsonObject, digestOf } from "../../../../shared/encoding.ts";
import { jsonResponse } from "../../../http/json-response.ts";
import { ownerOf } from "../../../../shared/credential/call-owner.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { bridgedClient, discoverResult, isLogLevel, isRemoved } from "../../../../shared/relay/bridging.ts";
import { inputsOf, mayAskForInput, responsesIn, restOf } from "../../../../shared/relay/rounds.ts";
import {
  type RequestId,
  type RpcAnswer,
  type RpcError,
  failure,
  responseMessage,
  responseOf,
  toRequestId,
} from "../../../../shared/wire/json-rpc.ts";
import { sessionRevisions } from "../../../../shared/wire/mcp-2025/features.ts";
import {
  type StatelessRequest,
  clientInfoKey,
  logLevelKey,
  protocolVersionKey,
  unsupportedVersionCode,
} from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import type { RelayedState } from "../../../credentials/request-state.ts";
import { within } from "../../../http/keep-alive.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { BridgeRequest, BridgeState, BridgeVisit, BridgeCalls, BridgeHeard, BridgeListening } from "../../../stubs/bridge-calls.ts";
import { bridgeStub } from "../../../stubs/stubs.ts";
import type { AppContext } from "../../app-context.ts";
import { goneError, inputRequired, mostRounds } from "../calls/call-rounds.ts";
import { ResponseStream, eventResponse } from "../calls/response-stream.ts";
import { type WatchedRelayRequest } from "../relay-request.ts";
import { acknowledgement, isEmptyFilter, listenResult, readFilter, toldChange } from "../../../../shared/relay/listening.ts";

type Bridged = {
  readonly c: AppContext;
  readonly relay: WatchedRelayRequest;
  readonly request: StatelessRequest;
  readonly body: Uint8Array;
  /** What the request's state is bound to, and what makes it the same again. */
  readonly bound: string;
  /** The state that the client came back with; null for a new request. */
  readonly state: RelayedState | null;
};

/** A call that takes no longer is answered without a stream. */
const firstMs = 1_000;
const changeMs = 20_000;
/** An object that was reset is asked again so often in a row. */
const mostResets = 5;
const resetMs = 300;

/**
 * Where the client's session is: what it declares has to be the same, and its own credential where
 * it has one.
 */
const bridgeName = ({ relay, request }: Bridged): string =>
  digestOf("countersign/bridge/v1", { server: relay.name, client: clientOf(request), authorization: relay.authorization });

const clientOf = ({ capabilities, meta }: StatelessRequest) => bridgedClient(capabilities, meta[clientInfoKey]);

const visitOf = ({ c, relay, request }: Bridged): BridgeVisit => ({
  key: JSON.stringify(c.var.key),
  server: relay.name,
  authorization: relay.authorization,
  client: jsonOf(clientOf(request)),
});

export async function postBridged(bridged: Bridged): Promise<Response> {
  const { c, request, state } = bridged;
  const { id, method } = request;
  if (isRemoved(method)) return jsonResponse(failure(id, { code: -32_601, message: `Method not found: ${method}` }), 404);
  const name = state?.bridge ?? bridgeName(bridged);
  const stub = () => bridgeStub(c.env, c.var.key.id, name);
  if (method === "server/discover") return discovered(bridged, (await stub().discover(visitOf(bridged))) as BridgeState);
  if (method === "subscriptions/listen") return listen(bridged, stub);
  if (!mayAskForInput(method)) return plain(bridged, stub().ask(visitOf(bridged), bridgeRequest(bridged)) as Promise<BridgeState>);
  return new HeldRequest(bridged, name).answer();
}

/** What the server said of itself. One that begins no session is not hidden from the client. */
function discovered({ request }: Bridged, state: BridgeState): Response {
  if (state.kind === "refused" && (state.status === 401 || state.status === 403)) return refused(request, state);
  if (state.kind !== "answered") return onlySessions(request);
  const answer = readJsonOf(state.answer);
  return "result" in answer ? jsonResponse(responseOf(request.id, { result: discoverResult(answer.result) })) : onlySessions(request);
}

/** It begins no session for the gateway: the client may try it itself. */
const onlySessions = ({ id, meta }: StatelessRequest): Response =>
  jsonResponse(
    failure(id, {
      code: unsupportedVersionCode,
      message: "Unsupported protocol version: this MCP server speaks revisions that begin with initialize",
      data: { supported: [...sessionRevisions].reverse(), requested: String(meta[protocolVersionKey]) },
    }),
    400,
  );

/** The answer to a request that has no rounds. */
async function plain({ c, request }: Bridged, asked: Promise<BridgeState>): Promise<Response> {
  const settled = asked.catch(() => lost);
  const first = await within(settled, settingsOf(c.env).heartbeatMs);
  if (first !== null) return whole(request, first);
  const stream = newStream(c, request);
  stream.run(async () => messageOf(request, await settled));
  return eventResponse(stream);
}

function bridgeRequest({ request, body, bound }: Bridged): BridgeRequest {
  const { method, meta } = request;
  const level = meta[logLevelKey];
  return {
    method,
    rest: restOf(body),
    meta: jsonOf(meta),
    bound,
    wantsProgress: toRequestId(meta["progressToken"]) !== undefined,
    logLevel: isLogLevel(level) ? level : null,
  };
}

/** One request of the client for a call that may ask it something. */
class HeldRequest {
  readonly #bridged: Bridged;
  readonly #name: string;
  readonly #id = crypto.randomUUID();
  readonly #relay: BridgeVisit;
  /** The answer is on its way: that the stream ends after it says nothing. */
  #isOver = false;

  constructor(bridged: Bridged, name: string) {
    this.#bridged = bridged;
    this.#name = name;
    this.#relay = visitOf(bridged);
  }

  async answer(): Promise<Response> {
    const { c, relay, request, state } = this.#bridged;
    const until = Date.now() + (relay.handsBack === true ? 0 : settingsOf(c.env).holdMs);
    const first = this.#seen(await (state === null ? this.#open() : this.#back(state)));
    if (first.kind === "gone") return jsonResponse(failure(request.id, goneError), 400);
    if (first.kind === "refused" || (first.kind === "answered" && first.told.length === 0)) return whole(request, first);
    const stream = newStream(c, request);
    stream.run(() => this.#held(stream, first, until));
    return eventResponse(stream);
  }

  /** Sends the request, or finds the one that was sent. */
  async #open(): Promise<BridgeState> {
    const asked = bridgeRequest(this.#bridged);
    try {
      return (await this.#stub().open(this.#relay, asked, this.#id, false, firstMs)) as BridgeState;
    } catch {
      // The object was reset: where it knows the call it goes on, else nobody knows whether the
      // server had it.
      const found = await this.#again(() => this.#stub().open(this.#relay, asked, this.#id, true, firstMs) as Promise<BridgeState>);
      return found.kind === "gone" ? lost : found;
    }
  }

  /** The client is back, perhaps with answers to what it was asked. */
  async #back({ attempt }: RelayedState): Promise<BridgeState> {
    const call = attempt ?? "";
    const { body } = this.#bridged;
    for (const [key, response] of responsesIn(body) ?? [])
      if (objectOf(parseJson(response)) !== null)
        await this.#again(() => this.#stub().answer(this.#relay, call, key, response) as Promise<boolean>);
    return this.#again(() => this.#changed(call, firstMs));
  }

  /** Waits with the client until there is something that it has to know. */
  async #held(stream: ResponseStream, first: BridgeState, until: number): Promise<JsonObject> {
    stream.left.addEventListener("abort", () => void this.#left(first));
    const answer = await this.#heldUntil(stream, first, until).catch((error: unknown) => {
      this.#bridged.relay.reportFailure?.("lost");
      throw error;
    });
    this.#isOver = true;
    return answer;
  }

  async #heldUntil(stream: ResponseStream, first: BridgeState, until: number): Promise<JsonObject> {
    const { request } = this.#bridged;
    for (let state = first; ;) {
      if (state.kind === "answered" || state.kind === "waiting") this.#tell(stream, state.told);
      if (state.kind !== "waiting") return messageOf(request, state);
      const { call } = state;
      const questions = readJsonOf(state.questions);
      if (questions.length > 0) return this.#comeBack(call, inputsOf(questions));
      const ms = Math.min(changeMs, until - Date.now());
      if (ms <= 0 || stream.left.aborted) {
        await this.#left(state);
        return this.#comeBack(call, null);
      }
      state = this.#seen(await this.#again(() => this.#changed(call, ms)));
    }
  }

  #seen(state: BridgeState): BridgeState {
    if ((state.kind === "answered" || state.kind === "refused") && state.failure !== undefined)
      this.#bridged.relay.reportFailure?.(state.failure);
    return state;
  }

  async #comeBack(call: string, inputRequests: JsonObject | null): Promise<JsonObject> {
    const { c, relay, request, bound, state } = this.#bridged;
    const round = (state?.round ?? 0) + 1;
    // A client that comes back at once, again and again, with nothing that was asked.
    if (round > mostResponses)
      return messageOf(request, answeredWith({ code: -32_603, message: `The client came back more than ${mostResponses} times` }));
    const sealed = { attempt: call, round, state: null, keys: [], bridge: this.#name, owner: ownerOf(relay.authorization) };
    return inputRequired(c, { id: request.id, bound }, inputRequests, sealed);
  }

  /** The server's notifications, with the client's own progress token. */
  #tell(stream: ResponseStream, told: readonly JsonOf<JsonObject>[]): void {
    const token = toRequestId(this.#bridged.request.meta["progressToken"]);
    for (const text of told) {
      const message = readJsonOf(text);
      const params = objectOf(message["params"]);
      if (message["method"] !== "notifications/progress") stream.tell(text);
      else if (token !== undefined) stream.tell(JSON.stringify({ ...message, params: { ...params, progressToken: token } }));
    }
  }

  async #left(state: BridgeState): Promise<void> {
    if (state.kind === "waiting" && !this.#isOver) await this.#again(async () => this.#stub().left(state.call, this.#id)).catch(() => {});
  }

  #changed(call: string, ms: number): Promise<BridgeState> {
    return this.#stub().changed(this.#relay, call, this.#id, ms) as Promise<BridgeState>;
  }

  /** The object's calls may be made twice: after a reset it is asked again. */
  async #again<T>(ask: () => Promise<T>): Promise<T> {
    for (let resets = 0; ; resets += 1) {
      try {
        return await ask();
      } catch (error) {
        if (resets >= mostResets) throw error;
        await new Promise((resolve) => setTimeout(resolve, resetMs * 2 ** resets));
      }
    }
  }

  #stub() {
    return bridgeStub(this.#bridged.c.env, this.#bridged.c.var.key.id, this.#name);
  }
}

/** A review may take a day, at the usual minute for each response. */
const mostResponses = 20 * mostRounds;

const newStream = (c: AppContext, { id, meta }: StatelessRequest): ResponseStream =>
  new ResponseStream(c, { id, progressToken: toRequestId(meta["progressToken"]) });

const answeredWith = (error: RpcError) => ({ kind: "answered", answer: jsonOf<RpcAnswer>({ error }), told: [] }) as const;

const lost: BridgeState = {
  ...answeredWith({
    code: -32_603,
    message: "The gateway was interrupted while the MCP server had the request: its outcome is unknown, and it is not sent again",
  }),
  failure: "lost",
};

/** The response to the client's request, where its stream has begun. */
function messageOf({ id }: StatelessRequest, state: BridgeState): JsonObject {
  const answer: RpcAnswer =
    state.kind === "answered"
      ? readJsonOf(state.answer)
      : { error: state.kind === "refused" ? { code: -32_603, message: state.body } : goneError };
  return responseMessage(id, answer);
}

/** The same with its HTTP status. */
function whole(request: StatelessRequest, state: BridgeState): Response {
  if (state.kind === "refused") return refused(request, state);
  const message = messageOf(request, state);
  return jsonResponse(message, objectOf(message["error"])?.["code"] === -32_601 ? 404 : 200);
}

const refused = ({ id }: StatelessRequest, { status, headers, body }: Extract<BridgeState, { kind: "refused" }>): Response =>
  jsonResponse(failure(id, { code: -32_603, message: body }), status, Object.fromEntries(headers));

const heardMs = 20_000;

/**
 * `subscriptions/listen`: a stream without an end, which tells what the BridgeObject hears of the
 * server. Where that ends, or loses what it knew, the stream ends with its result, and the client
 * asks again.
 */
async function listen(bridged: Bridged, stub: () => DurableObjectStub<BridgeCalls>): Promise<Response> {
  const { c, request } = bridged;
  const { id, params } = request;
  const filter = readFilter(params);
  if (!filter.ok) return Response.json(failure(id, { code: -32_602, message: `Invalid params: ${filter.error}` }), { status: 400 });
  const visit = visitOf(bridged);
  const name = crypto.randomUUID();
  const listening = stub().listen(visit, name, jsonOf(filter.value)) as Promise<BridgeListening>;
  const first = await within(listening, settingsOf(c.env).heartbeatMs);
  if (first !== null && first.kind !== "listening") return whole(request, first);
  const stream = new ResponseStream(c, { id });
  stream.left.addEventListener("abort", () => c.executionCtx.waitUntil(Promise.resolve(stub().unlisten(name)).catch(() => {})));
  // An object that was reset knows of no listener.
  const hear = () => (stub().heard(visit, name, heardMs) as Promise<BridgeHeard>).catch((): BridgeHeard => ({ kind: "over" }));
  stream.run(async () => {
    const state = await listening;
    return state.kind === "listening" ? told(stream, id, state, hear) : messageOf(request, state);
  });
  return eventResponse(stream);
}

/**
 * Tells the client until nothing more is to come: the end of its request, or null where its key
 * says why.
 */
async function told(
  stream: ResponseStream,
  id: RequestId,
  state: Extract<BridgeListening, { kind: "listening" }>,
  hear: () => Promise<BridgeHeard>,
): Promise<JsonObject | null> {
  const filter = readJsonOf(state.filter);
  const end = responseMessage(id, { result: listenResult(id, readJsonOf(state.initialized)) });
  stream.send(acknowledgement(id, filter));
  if (isEmptyFilter(filter)) return end;
  for (;;) {
    const heard = await hear();
    if (heard.kind === "over") return end;
    if (heard.kind === "gone" || stream.left.aborted) return null;
    for (const change of heard.told) stream.send(toldChange(id, change));
  }
}

// The relay between a client of a 2025 revision and a server of 2026-07-28. The client has a
// session, which nothing stores: its id carries what the server has to be told with each request.
// What a server's round asks of the client is asked on the stream of the client's request.

import { keepInstructions, newSession } from "../sessions/known-sessions.ts";
import { type JsonObject, digestOf } from "../../../../shared/encoding.ts";
import { jsonResponse } from "../../../http/json-response.ts";
import { ownerOf } from "../../../../shared/credential/call-owner.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { addedCapabilities } from "../../../../shared/relay/answered-here.ts";
import { inputPlace } from "../../../../shared/relay/client-inputs.ts";
import { type JsonRpcMessage, cancelledBy } from "../../../../shared/relay/messages.ts";
import { type RoundMethod, attemptOf, restOf } from "../../../../shared/relay/rounds.ts";
import { answerSettings } from "../../../../shared/relay/servers.ts";
import { type RelaySession, relaySessionId } from "../../../../shared/relay/session-id.ts";
import {
  type TranslatedSession,
  agreedRevision,
  answerFor,
  answeredInSession,
  initializeResult,
  listChangeFor,
  listenedTo,
  requestMeta,
  translatedSession,
} from "../../../../shared/relay/translation.ts";
import {
  type RequestId,
  type RpcAnswer,
  type RpcError,
  failure,
  idKey,
  responseMessage,
  responseOf,
  success,
  toRequestId,
} from "../../../../shared/wire/json-rpc.ts";
import { isOfferId } from "../../../../shared/relay/url-elicitation.ts";
import { mirroredName } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { pause } from "../../../platform/pause.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { CallCalls, CallStatus } from "../../../stubs/call-calls.ts";
import { callStub, sessionStub } from "../../../stubs/stubs.ts";
import type { AppContext } from "../../app-context.ts";
import { type ClientRequest, type RoundCall, openCall, oursOf } from "../calls/call-rounds.ts";
import { driveTranslated, streamPlace, takeInput } from "./client-rounds.ts";
import { ResponseStream, eventResponse } from "../calls/response-stream.ts";
import { associationSession, endOriginating, servedRequest } from "../sampling/relay-sampling.ts";
import { type ClientSide, type RelayedCall, relayCall } from "../calls/relayed-call.ts";
import { discover, forget, gatewayMeta } from "../negotiation.ts";
import { type WatchedRelayRequest, unreachable, passUnclear, sessionHeader, sessionNotFound } from "../relay-request.ts";
import { knownParamHeaders, learnedParamHeaders } from "./param-headers.ts";

type Request = Extract<JsonRpcMessage, { kind: "request" }>;
type Translated = RelaySession & { readonly translated: TranslatedSession };
type Visit = { readonly c: AppContext; readonly relay: WatchedRelayRequest; readonly session: Translated };

export const isTranslated = (session: RelaySession): session is Translated => session.translated !== undefined;

/**
 * Begins a session with a client whose server has none. `discovered`: what the server said of
 * itself.
 */
export async function beginTranslated(
  c: AppContext,
  relay: WatchedRelayRequest,
  request: Request,
  discovered: JsonObject,
): Promise<Response> {
  const revision = agreedRevision(request.params);
  const agreed = { upstream: null, revision, runsTasks: false, translated: translatedSession(request.params, discovered) };
  const session = await newSession(c, relay, request.params, agreed);
  const id = relaySessionId(settingsOf(c.env).keys, session);
  if (id === null) return jsonResponse(failure(request.id, { code: -32_603, message: "The client's capabilities are too long" }));
  const result = initializeResult(discovered, revision, relay.name);
  await keepInstructions(c, relay, session, result["instructions"]);
  return jsonResponse(success(request.id, result), 200, { [sessionHeader]: id });
}

/** A message of a session that is translated, or a batch of them. */
export async function postTranslated(visit: Visit, messages: readonly JsonRpcMessage[], body: Uint8Array): Promise<Response> {
  const requests = messages.filter((each) => each.kind === "request");
  // A request goes to the server, which looks at its credential itself.
  const refused = messages.some((each) => aboutCall(each) !== null) ? await refuseForged(visit) : null;
  if (refused !== null) return refused;
  for (const message of messages) {
    if (message.kind === "notification") await notified(visit, message);
    if (message.kind === "response" && !isOfferId(message.id)) await responded(visit, message.id, body);
  }
  const [request, ...more] = requests;
  if (request === undefined) return new Response(null, { status: 202 });
  if (more.length > 0 || messages.length > 1)
    return jsonResponse(
      failure(request.id, { code: -32_600, message: "Send each request by itself: this MCP server takes no batches" }),
      400,
    );
  return answered(visit, request, body);
}

/**
 * The call under way that a message is about, by its request's id: one that it cancels, or that it
 * answers a round of.
 */
function aboutCall(message: JsonRpcMessage): RequestId | null {
  return (message.kind === "response" ? inputPlace(message.id)?.request : cancelledBy(message)) ?? null;
}

async function notified(visit: Visit, message: JsonRpcMessage): Promise<void> {
  const { c, session } = visit;
  const id = aboutCall(message);
  if (id === null) return;
  // Before the client's 202.
  await endOriginating({ env: c.env, key: c.var.key, session }, [id]).catch(() => {});
  await callOf(visit, id).cancel(null);
}

/** A response of the client to what a round asked it. */
async function responded(visit: Visit, id: RequestId, body: Uint8Array): Promise<void> {
  const place = inputPlace(id);
  if (place !== null) await takeInput({ ...visit, call: callOf(visit, place.request) }, place, body);
}

/** The call of one request of a session. */
const callOf = (visit: Visit, id: RequestId): DurableObjectStub<CallCalls> =>
  callStub(visit.c.env, visit.c.var.key.id, callDigest(visit, id));

/** A stolen session id leads to no call of a user who has another credential for the server. */
const callDigest = ({ relay, session }: Visit, id: RequestId): string =>
  digestOf("countersign/translated-call/v2", {
    server: relay.name,
    session: session.name,
    id: idKey(id),
    user: ownerOf(relay.authorization)?.user ?? null,
  });

/**
 * The refusal of a caller whose JWT the server does not accept, before a call is found by its
 * claims: anybody can write another user's. Other credentials are compared as they are.
 */
async function refuseForged({ c, relay }: Visit): Promise<Response | null> {
  const owner = ownerOf(relay.authorization);
  if (owner === null || owner.user === owner.token) return null;
  const found = await discover(c.env, relay, gatewayMeta());
  if (!found.ok) return unreachable(c, found.error);
  if (found.value.kind === "unclear") return passUnclear(found.value.response, relay);
  return found.value.kind === "stateless" ? null : sessionNotFound(c);
}

async function answered(visit: Visit, request: Request, body: Uint8Array): Promise<Response> {
  const { c, session } = visit;
  const { id, method, params } = request;
  const own = answeredInSession(method, params, session.translated);
  if (own === null) return relayCall(await relayedCall(visit, request, body));
  if (own.logLevel !== undefined) await sessionStub(c.env, c.var.key.id, associationSession(session)).keepLogLevel(own.logLevel);
  return jsonResponse(responseOf(id, own.answer));
}

async function relayedCall(visit: Visit, request: Request, body: Uint8Array): Promise<RelayedCall> {
  const rest = restOf(body);
  const meta = await metaOf(visit, request.params ?? {});
  return {
    ...clientRequest(visit, request),
    id: request.id,
    params: attemptOf(rest, meta, null, null),
    progressToken: toRequestId(meta["progressToken"]),
    endsWith: associationSession(visit.session),
    client: clientSide(visit, request, { rest, meta }),
  };
}

function clientRequest({ c, relay, session }: Visit, { method, params }: Pick<Request, "method" | "params">): ClientRequest {
  const headers = method === "tools/call" ? knownParamHeaders(relay, params ?? {}) : [];
  const { capabilities } = session.translated;
  return { c, relay, session, method, name: mirroredName(method, params ?? {}), capabilities, headers };
}

/** What the server is told with a request of this session. */
async function metaOf({ c, relay, session }: Visit, params: JsonObject): Promise<JsonObject> {
  const logLevel = session.translated.logs
    ? ((await sessionStub(c.env, c.var.key.id, associationSession(session)).logLevel()) ?? "info")
    : null;
  const { translated } = session;
  const added = addedCapabilities(answerSettings(relay.server), translated.capabilities, oursOf({ relay, session }));
  return requestMeta(objectOf(params["_meta"]), translated, { added, logLevel });
}

type SentParams = { readonly rest: string; readonly meta: JsonObject };

function clientSide(visit: Visit, request: Request, sent: SentParams): ClientSide {
  const { c, relay } = visit;
  const { id, method } = request;
  const params = request.params ?? {};
  const response = (answer: RpcAnswer): JsonObject => responseMessage(id, answerFor(method, answer));
  const refuse = (status: number, error: RpcError): Promise<Response> =>
    Promise.resolve(jsonResponse(failure(id, error), status === 502 ? 502 : 200));
  return {
    isPlain: false,
    response,
    notification: (text) => text,
    otherFamily: async () => {
      await forget(c.env, relay);
      return sessionNotFound(c);
    },
    refuse,
    cancelled: (over) => whenCancelled(() => callOf(visit, id), over),
    ...(method === "tools/call" ? { missedHeaders: () => learnedParamHeaders(c, relay, params, sent.meta) } : {}),
    refusesRounds: false,
    round: async (stream, round) => {
      const call = translatedCall(visit, request, sent, method as RoundMethod); // only these have rounds
      const served = { id, progressToken: toRequestId(sent.meta["progressToken"]) };
      return driveTranslated(call, served, stream, await openCall(call, round), null);
    },
  };
}

/** A request that takes no longer than this need not be cancelled. */
const cancellableMs = 1_000;
const pollMs = 50_000;

/**
 * Ends with `over`, or it would hold a request that is answered. `find`: most calls are over before
 * anybody has to look for theirs.
 */
async function whenCancelled(find: () => DurableObjectStub<CallCalls>, over: AbortSignal): Promise<void> {
  await pause(cancellableMs, over);
  const ended = new Promise<true>((resolve) => over.addEventListener("abort", () => resolve(true), { once: true }));
  while (!over.aborted) {
    try {
      if (await Promise.race([ended, find().cancelled(pollMs)])) return;
    } catch {
      await pause(cancellableMs, over);
    }
  }
}

function translatedCall(visit: Visit, { id, params }: Request, { rest, meta }: SentParams, method: RoundMethod): RoundCall {
  const from = clientRequest(visit, { method, params });
  return {
    ...from,
    method,
    originatingOf: () => servedRequest(visit.relay.server, { id, method, name: from.name, params }),
    meta,
    rest,
    digest: callDigest(visit, id),
    call: callOf(visit, id),
  };
}

/**
 * What the client listens to beside its requests, or the stream of a request that broke. `last`:
 * from an event id of the session.
 */
export const listenTranslated = (visit: Visit, last: EventPlace | undefined): Promise<Response> =>
  last === undefined || last.request === "" ? listen(visit) : resume(visit, last);

type EventPlace = { readonly request: string; readonly own: string };

/** Goes on with the call of a request whose stream broke. */
async function resume(visit: Visit, { request, own }: EventPlace): Promise<Response> {
  const { c, session } = visit;
  const refused = await refuseForged(visit);
  if (refused !== null) return refused;
  const { id, method, name, progressToken } = JSON.parse(request) as SealedRequest; // sealed by us
  const place = streamPlace(own);
  const stream = new ResponseStream(c, { id, progressToken, session: associationSession(session) });
  const meta = await metaOf(visit, progressToken === undefined ? {} : { _meta: { progressToken } });
  const params = method === "resources/read" ? { uri: name } : { name };
  const call = translatedCall(visit, { kind: "request", id, method, params }, { rest: "{}", meta }, method);
  stream.run(async () => {
    const state = place === null ? null : ((await call.call.look(place.attempt)) as CallStatus | null);
    return driveTranslated(call, { id, progressToken }, stream, state, place);
  });
  return eventResponse(stream);
}

type SealedRequest = { readonly id: RequestId; readonly method: RoundMethod; readonly name: string; readonly progressToken?: RequestId };

/** Changes of the server's lists. A server that tells of none has no such stream. */
async function listen(visit: Visit): Promise<Response> {
  const { session } = visit;
  const listened = listenedTo(session.translated);
  if (listened === null) return new Response(null, { status: 405, headers: { Allow: "POST, DELETE" } });
  const meta = await metaOf(visit, {});
  return relayCall({
    ...clientRequest(visit, { method: "subscriptions/listen", params: null }),
    id: "listen",
    params: JSON.stringify({ _meta: meta, ...listened }),
    progressToken: undefined,
    endsWith: associationSession(session),
    client: {
      isPlain: false,
      response: () => null,
      notification: (text) => listChangeFor(objectOf(parseJson(text))?.["method"]),
      refuse: (status) => Promise.resolve(new Response(null, { status: status === 502 ? 502 : 405, headers: { Allow: "POST, DELETE" } })),
      otherFamily: () => Promise.resolve(new Response(null, { status: 405, headers: { Allow: "POST, DELETE" } })),
      refusesRounds: false,
      round: () => Promise.resolve(null),
    },
  });
}

// The relay in revision 2026-07-28, where each request stands for itself. A request passes to its
// server with sampling among its client's capabilities. A server that asks for input gets its
// sampling from here; for the rest the client is asked, and comes back with a state that only the
// gateway reads.

import { keepAnswers, drive } from "../calls/rounds-driver.ts";
import { type JsonObject, digestOf } from "../../../../shared/encoding.ts";
import { jsonResponse } from "../../../http/json-response.ts";
import { valueAsWritten } from "../../../../shared/json/as-written.ts";
import { objectOf } from "../../../../shared/json/values.ts";
import { edited, memberOf, textAt, withMembers } from "../../../../shared/json/spans.ts";
import { type CallOwner, ownerOf, ownership } from "../../../../shared/credential/call-owner.ts";
import { addedCapabilities, clientDoes } from "../../../../shared/relay/answered-here.ts";
import { tooManyRounds } from "../../../../shared/relay/call.ts";
import { type Round, type RoundMethod, attemptOf, inputsOf, mayAskForInput, responsesIn, restOf } from "../../../../shared/relay/rounds.ts";
import { paramsIn } from "../../../../shared/relay/message-bytes.ts";
import { answerSettings } from "../../../../shared/relay/servers.ts";
import type { RelaySession } from "../../../../shared/relay/session-id.ts";
import { type RpcAnswer, type RpcError, failure, responseMessage, responseOf, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import {
  type StatelessRequest,
  clientCapabilitiesKey,
  mirroredName,
  readStateless,
  revision2026,
} from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { type RelayedState, openState } from "../../../credentials/request-state.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { CallStatus } from "../../../stubs/call-calls.ts";
import { declaresUrlElicitation, elicitationMethod } from "../../../../shared/relay/url-elicitation.ts";
import type { Waiting } from "../calls/round-sampling.ts";
import { callStub } from "../../../stubs/stubs.ts";
import { servedRequest } from "../sampling/relay-sampling.ts";
import type { AppContext } from "../../app-context.ts";
import { type ClientRequest, type RoundCall, endOf, oursOf, goneError, openCall, inputRequired, mostRounds } from "../calls/call-rounds.ts";
import { knownParamHeaders, learnedParamHeaders } from "../translated/param-headers.ts";
import { postBridged } from "../bridged/bridged-relay.ts";
import {
  type TaskPlace,
  answerTask,
  createdTask,
  declaresTasks,
  isTaskMethod,
  taskPlace,
  tasksUndeclared,
  toolCallOf,
  withTasksDeclared,
  withoutOurTasks,
  withoutTasks,
} from "./call-tasks.ts";
import { ResponseStream, eventResponse } from "../calls/response-stream.ts";
import { type Family, discover, familyOf, forget, gatewayMeta } from "../negotiation.ts";
import { type ClientSide, type RelayedCall, relayCall } from "../calls/relayed-call.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { type WatchedRelayRequest, errorMessages, passUnclear } from "../relay-request.ts";

const sessionShards = 16;
const listenMethod = "subscriptions/listen";

/** A request of a client, and the bytes that it came in. */
type Visit = { readonly c: AppContext; readonly relay: WatchedRelayRequest; readonly request: StatelessRequest; readonly body: Uint8Array };

export async function postStateless(c: AppContext, relay: WatchedRelayRequest, { value, body }: PostedMessage): Promise<Response> {
  const id = toRequestId(objectOf(value)?.["id"]);
  // No notification of a client is defined for HTTP in this revision: it is taken, and means
  // nothing.
  if (id === undefined && !Object.hasOwn(objectOf(value) ?? {}, "id")) return new Response(null, { status: 202 });
  const read = readStateless(value, c.req.raw.headers);
  if (!read.ok) return refuse(id ?? null, read.error.status, read.error);
  const request = read.value;
  const visit: Visit = { c, relay, request, body };
  const family = await familyOf(c.env, relay);
  if (!family.ok) return refuse(request.id, 502, { code: -32_603, message: errorMessages[family.error] });
  if (typeof family.value === "object") return passUnclear(family.value.response, relay);
  return cells[family.value](visit);
}

/** By the family of the server. */
const cells: Readonly<Record<Family, (visit: Visit) => Response | Promise<Response>>> = { sessions: bridged, stateless: postDirectly };

/** A server without sessions. */
function postDirectly(visit: Visit): Response | Promise<Response> {
  const { c, relay, request, body } = visit;
  const place = isTaskMethod(request.method) ? taskPlace(c, relay, request.params["taskId"]) : null;
  if (place !== null) return ownTask(visit, place);
  const given = request.params["requestState"];
  if (given === undefined || !mayAskForInput(request.method)) {
    const sent = request.method === listenMethod ? withoutOurTasks(c, body) : body;
    return relayCall(relayedCall({ ...visit, body: sent }, null));
  }
  return typeof given === "string"
    ? goOn(visit, given)
    : refuse(request.id, 400, { code: -32_602, message: "Invalid params: requestState is a text" });
}

/** A request about a call that was handed over to a task. */
async function ownTask(visit: Visit, place: TaskPlace): Promise<Response> {
  const { request, body } = visit;
  const { id, method } = request;
  if (!declaresTasks(request.capabilities)) return refuse(id, 400, tasksUndeclared);
  const refused = await refuseOther(visit, place.owner);
  if (refused !== null) return refused;
  const call = roundCall({ ...visit, request: toolCallOf(request, place) }, { rest: "{}", digest: place.digest, owner: place.owner });
  const answer = await answerTask(call, place, method, responsesIn(body));
  return "error" in answer ? refuse(id, 400, answer.error) : jsonResponse(responseOf(id, answer));
}

/** A server with sessions: an object has one, and the request goes to it. */
async function bridged({ c, relay, request, body }: Visit): Promise<Response> {
  const given = mayAskForInput(request.method) ? request.params["requestState"] : undefined;
  const bound = boundOf(c, relay, request.method, restOf(body));
  const state = given === undefined ? null : await openState(settingsOf(c.env).keys, bound, String(given), Date.now());
  if (state === undefined || (state !== null && state.bridge === undefined)) return refuse(request.id, 400, badState);
  // The session at the server was begun with one token, so a refreshed one ends the call.
  if (state !== null && ownership(state.owner, ownerOf(relay.authorization)) !== "own") return refuse(request.id, 400, otherOwner);
  return postBridged({ c, relay, request, body, bound, state });
}

const refuse = (id: Parameters<typeof failure>[0], status: number, { code, message, data }: RpcError): Promise<Response> =>
  Promise.resolve(jsonResponse(failure(id, { code, message, ...(data === undefined ? {} : { data }) }), status));

/** The retry of a request: its state says what it continues. */
async function goOn(visit: Visit, given: string): Promise<Response> {
  const { c, relay, request, body } = visit;
  const now = Date.now();
  const opened = await openState(settingsOf(c.env).keys, boundOf(c, relay, request.method, restOf(body)), given, now);
  if (opened === undefined) return refuse(request.id, 400, badState);
  const { attempt, bridge } = opened;
  // The server had sessions when the call began.
  if (bridge !== undefined) return bridged(visit);
  const refused = await refuseOther(visit, opened.owner);
  if (refused !== null) return refused;
  if (attempt === null) return relayCall(relayedCall(visit, opened));
  const call = roundCall(visit, placeOf(visit, opened.owner));
  const look = (): Promise<CallStatus | null> => Promise.resolve(call.call.look(attempt));
  const state = (await call.call.touch(attempt, c.var.key.id)) as CallStatus | null;
  if (state === null) return refuse(request.id, 400, goneError);
  const { id, meta } = request;
  const progressToken = toRequestId(meta["progressToken"]);
  const stream = new ResponseStream(c, { id, progressToken });
  stream.run(async () => {
    const responses = responsesIn(body);
    if (state.kind === "waiting" && state.round === opened.round) await keepAnswers(call, state, (key) => responses?.get(key));
    return driven(call, request, stream, await look(), opened.keys);
  });
  return eventResponse(stream);
}

/**
 * Whether a request comes back to a call that the gateway keeps: then it may come twice, and its
 * server hears of it once.
 */
export async function isKept(c: AppContext, relay: WatchedRelayRequest, { value, body }: PostedMessage): Promise<boolean> {
  const read = readStateless(value, c.req.raw.headers);
  const given = read.ok ? read.value.params["requestState"] : undefined;
  if (!read.ok || typeof given !== "string") return false;
  const bound = boundOf(c, relay, read.value.method, restOf(body));
  const state = await openState(settingsOf(c.env).keys, bound, given, Date.now());
  return state !== undefined && (state.attempt !== null || state.bridge !== undefined);
}

const badState: RpcError = {
  code: -32_602,
  message:
    "Invalid params: this requestState is not one of this gateway for this request, or has expired; send the request again without it",
};

const otherOwner: RpcError = {
  code: -32_602,
  message:
    "Invalid params: this call was begun with another Authorization; if the credential was refreshed meanwhile, send the request again without requestState",
};

/**
 * The refusal of a caller who goes on with another one's call; null where it is the caller's own.
 * The claims of a refreshed JWT are believed once the server has accepted that very token: nothing
 * of the call is told before that.
 */
async function refuseOther({ c, relay, request }: Visit, owner: CallOwner | null): Promise<Response | null> {
  switch (ownership(owner, ownerOf(relay.authorization))) {
    case "own":
      return null;
    case "other":
      return refuse(request.id, 400, otherOwner);
    case "refreshed": {
      const found = await discover(c.env, relay, gatewayMeta());
      if (!found.ok) return refuse(request.id, 502, { code: -32_603, message: errorMessages[found.error] });
      if (found.value.kind === "unclear") return passUnclear(found.value.response, relay);
      return found.value.kind === "stateless" ? null : refuse(request.id, 400, otherOwner);
    }
  }
}

/**
 * What makes a request the same again: a state is good for it alone, and a repeat finds its call.
 */
const boundOf = (c: AppContext, relay: WatchedRelayRequest, method: string, rest: string): string =>
  digestOf("countersign/request-bound/v1", { key: c.var.key.id, server: relay.name, method, params: valueAsWritten(rest) });

/**
 * The name of a request's call. Clients that declare different capabilities have calls of their
 * own, because a round may ask one of them for what the other one did not declare; so have users
 * with credentials of their own for the server.
 */
const callNameOf = (bound: string, { capabilities }: StatelessRequest, owner: CallOwner | null): string =>
  digestOf("countersign/stateless-call/v2", { bound, capabilities: JSON.stringify(capabilities), token: owner?.token ?? null });

/** The request as the server gets it: with the gateway's sampling, and the server's own state. */
function relayedCall(visit: Visit, retry: RelayedState | null): RelayedCall {
  const { request } = visit;
  const from = clientRequest(visit);
  return {
    ...from,
    id: request.id,
    params: retry === null ? firstParams(visit, from.session) : retryParams(visit, from.session, retry),
    progressToken: toRequestId(request.meta["progressToken"]),
    endsWith: "",
    client: clientSide(visit, retry?.round ?? 0),
  };
}

function clientRequest(visit: Visit): ClientRequest {
  const { c, relay, request } = visit;
  const { method, params, capabilities } = request;
  return { c, relay, session: sessionOf(visit), method, name: mirroredName(method, params), capabilities, headers: paramHeaders(visit) };
}

/**
 * The params with every member's value as it was written, but the client's capabilities. Where the
 * gateway answers sampling, answers that nobody asked for are left out: they could be a reply that
 * no model gave and nobody reviewed.
 */
function firstParams(visit: Visit, session: RelaySession): string {
  const { relay, request, body } = visit;
  const params = paramsIn(body);
  if (request.params["inputResponses"] !== undefined && oursOf({ relay, session }).length > 0)
    return attemptOf(restOf(body), metaFor(visit, session), null, null);
  const meta = memberOf(body, params, "_meta");
  const capabilities = capabilitiesFor(visit, session);
  if (meta === undefined || capabilities === null) return textAt(body, params);
  const sent = edited(body, withMembers(body, meta, { [clientCapabilitiesKey]: capabilities }));
  return textAt(sent, paramsIn(sent));
}

/** The same for a retry, with the server's own state and the answers to what it asked. */
function retryParams(visit: Visit, session: RelaySession, { state, keys }: RelayedState): string {
  const { body } = visit;
  const given = responsesIn(body);
  const responses = given === null ? null : new Map([...given].filter(([key]) => keys.includes(key)));
  return attemptOf(restOf(body), metaFor(visit, session), state, responses);
}

function metaFor(visit: Visit, session: RelaySession): JsonObject {
  const { meta } = visit.request;
  const capabilities = capabilitiesFor(visit, session);
  return capabilities === null ? meta : { ...meta, [clientCapabilitiesKey]: capabilities };
}

/**
 * The client's capabilities with what the gateway answers in its place; null where it adds nothing.
 */
function capabilitiesFor({ relay, request: { capabilities } }: Visit, session: RelaySession): JsonObject | null {
  const added = addedCapabilities(answerSettings(relay.server), capabilities, oursOf({ relay, session }));
  return added === null ? null : { ...capabilities, ...added };
}

/** `Mcp-Param-…` headers pass, unless the arguments that they repeat were changed. */
const paramHeaders = ({ c, relay, request }: Visit): RelayedCall["headers"] =>
  relay.isEdited === true
    ? knownParamHeaders(relay, request.params)
    : [...c.req.raw.headers].filter(([name]) => name.startsWith("mcp-param-"));

function clientSide(visit: Visit, rounds: number): ClientSide {
  const { c, relay, request } = visit;
  const { id, method, capabilities } = request;
  const tellsOfTasks =
    method === "server/discover" && declaresTasks(capabilities) && oursOf({ relay, session: sessionOf(visit) }).length > 0;
  const response = (answer: RpcAnswer): JsonObject =>
    responseMessage(id, tellsOfTasks && "result" in answer ? { result: withTasksDeclared(answer.result) } : answer);
  return {
    ...(relay.isEdited === true ? { missedHeaders: () => learnedParamHeaders(c, relay, request.params, request.meta) } : {}),
    isPlain: !tellsOfTasks,
    response,
    notification: (text) => text,
    otherFamily: async () => {
      await forget(c.env, relay);
      return bridged(visit);
    },
    refuse: (status, error) => refuse(id, status, error),
    refusesRounds: true,
    round: async (stream, round) => {
      const call = roundCall(visit, placeOf(visit, ownerOf(relay.authorization)));
      const ours = oursOf(call);
      if (!round.requests.some((each) => ours.includes(each.method))) return passRound(call, request, round, rounds);
      return driven(call, request, stream, await openCall(call, round), []);
    },
  };
}

/** A round that asks the gateway for nothing goes to the client, and only its state is sealed. */
async function passRound(call: OwnedCall, request: StatelessRequest, { requests, state }: Round, rounds: number): Promise<JsonObject> {
  if (rounds >= mostRounds) return responseMessage(request.id, tooManyRounds({ mostAsked: mostRounds }));
  const keys = requests.map(({ key }) => key);
  return askClient(call, request, keys.length === 0 ? null : inputsOf(requests), { attempt: null, round: rounds + 1, state, keys });
}

function askClient(
  { c, relay, rest, owner }: OwnedCall,
  request: StatelessRequest,
  inputRequests: JsonObject | null,
  state: Omit<RelayedState, "owner">,
): Promise<JsonObject> {
  const bound = boundOf(c, relay, request.method, rest);
  return inputRequired(c, { id: request.id, bound }, inputRequests, { ...state, owner });
}

/**
 * The key under which the client is offered the review's address. No server's key is asked beside
 * it.
 */
const reviewKey = "countersign/review";

/**
 * Drives the call for as long as one request of the client is held, and gives the response to that
 * request. `offered`: the addresses of reviews that the client was offered for this call.
 */
async function driven(
  call: OwnedCall,
  request: StatelessRequest,
  stream: ResponseStream,
  state: CallStatus | null,
  offered: readonly string[],
): Promise<JsonObject> {
  const holdMs = call.relay.handsBack === true ? 0 : settingsOf(call.c.env).holdMs;
  const enough = Promise.withResolvers<JsonObject | null>();
  const timer = setTimeout(() => enough.resolve(null), holdMs);
  const toClient = (message: JsonObject): void => {
    const offer = reviewOffer(message);
    if (offer !== null && !offered.includes(String(offer["url"]))) enough.resolve(offer);
  };
  const done = await drive(call, state, { stream, toClient, enough: enough.promise });
  clearTimeout(timer);
  switch (done.kind) {
    case "ended":
      return responseMessage(request.id, endOf(call, done.answer));
    case "gone":
      return responseMessage(request.id, { error: goneError });
    case "asks":
      return askClient(call, request, inputsOf(done.requests), stateAt(done.at, offered));
    case "waits": {
      const offer = await enough.promise;
      if (offer === null && call.method === "tools/call" && declaresTasks(call.capabilities)) return asTask(call, request, done.at);
      if (offer === null) return askClient(call, request, null, stateAt(done.at, offered));
      const input = { [reviewKey]: { method: elicitationMethod, params: offer } };
      return askClient(call, request, input, stateAt(done.at, [...offered, String(offer["url"])]));
    }
    default:
      return done satisfies never;
  }
}

/** Hands the call over to a task, which it is stored as already. */
function asTask({ c, relay, digest, name, owner }: OwnedCall, { id }: StatelessRequest, { attempt }: Waiting): JsonObject {
  const place = { server: relay.name, digest, attempt, name: name ?? "", createdAt: Date.now(), owner };
  return responseMessage(id, { result: createdTask(c, place) });
}

const stateAt = ({ attempt, round }: Waiting, keys: readonly string[]): Omit<RelayedState, "owner"> => ({
  attempt,
  round,
  state: null,
  keys,
});

/**
 * The address of a review in an offer to a client; this revision has no id for it, and says by the
 * retry that it was opened.
 */
function reviewOffer({ method, params }: JsonObject): JsonObject | null {
  if (method !== elicitationMethod) return null;
  const { url, message } = objectOf(params) ?? {};
  return typeof url === "string" && typeof message === "string" ? { mode: "url", url, message } : null;
}

/** The params of a request and the name of its call. */
function placeOf({ c, relay, request, body }: Visit, owner: CallOwner | null): CallPlace {
  const rest = restOf(body);
  return { rest, digest: callNameOf(boundOf(c, relay, request.method, rest), request, owner), owner };
}

type CallPlace = { readonly rest: string; readonly digest: string; readonly owner: CallOwner | null };

/** A call that its client comes back to by a state, or by a task's id. */
type OwnedCall = RoundCall & Pick<CallPlace, "owner">;

function roundCall(visit: Visit, { rest, digest, owner }: CallPlace): OwnedCall {
  const { c, relay, request } = visit;
  const { method, params, capabilities } = request;
  const from = clientRequest(visit);
  const meta = metaFor(visit, from.session);
  return {
    ...from,
    // Its id is the call's, since each request of the client has a JSON-RPC id of its own.
    originatingOf: (id) => servedRequest(relay.server, { id, method, name: from.name, params }),
    method: method as RoundMethod, // only these have rounds
    // The call may become a task of ours, which cannot carry one of the server's.
    meta: declaresTasks(capabilities) ? withoutTasks(meta) : meta,
    digest,
    rest,
    owner,
    call: callStub(c.env, c.var.key.id, digest),
  };
}

/**
 * There are no sessions in this revision: sampling is known by a few of the key's for each server.
 */
function sessionOf({ c, relay: { name }, request: { capabilities, method, params } }: Visit): RelaySession {
  const shard = [...`${method} ${mirroredName(method, params) ?? ""}`].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) >>> 0, 0);
  return {
    key: c.var.key.id,
    server: name,
    upstream: null,
    revision: revision2026,
    ...clientDoes({ capabilities }),
    clientElicits: declaresUrlElicitation({ capabilities }),
    name: `stateless.${name}.${shard % sessionShards}`,
  };
}

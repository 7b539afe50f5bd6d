// The relay in the 2025 revisions, between a client and a server that both speak them: everything
// passes unchanged except the session id, the ids of events, and the server's requests that are
// ours to answer.

import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { type RequestId, failure, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { answeredHere, clientDoes, declaring } from "../../../../shared/relay/answered-here.ts";
import { isDeclined, mayFallBack } from "../../../../shared/relay/capability-2025.ts";
import { dataOf, eventOf } from "../../../../shared/relay/event-stream.ts";
import type { Originating } from "../../../../shared/association/relay-association.ts";
import {
  type JsonRpcMessage,
  cancelledBy,
  mayBeHiddenRequest,
  mayElicitByItself,
  maySampleByItself,
  messageOf,
  samplingMethod,
} from "../../../../shared/relay/messages.ts";
import { runsCallTasks } from "../../../../shared/relay/declared-tasks.ts";
import { elicitationMethod, isOfferId } from "../../../../shared/relay/url-elicitation.ts";
import { protocolVersionKey } from "../../../../shared/wire/mcp-2026/meta-keys.ts";
import { type Server, answerSettings } from "../../../../shared/relay/servers.ts";
import { type RelaySession, eventPrefix, parseEventId, relaySessionId } from "../../../../shared/relay/session-id.ts";
import { ok } from "../../../../shared/result.ts";
import { keyStub, sessionStub } from "../../../stubs/stubs.ts";
import { countCalls } from "../../../pipeline/admit/calls.ts";
import { readAnswer } from "../../../http/body.ts";
import { EventsError, eventsIn, isTooLong } from "../../../http/events-in.ts";
import { within } from "../../../http/keep-alive.ts";
import { watchOpeningResponse } from "../../../pipeline/wait/key-watch.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { transportContext } from "../../../telemetry/begin-trace.ts";
import { type UpstreamRequest, headersDown, lateStream, reportOf } from "../../../mcp-client/ask-server.ts";
import { askUpstream } from "../../../mcp-client/ask-upstream.ts";
import { isEventStream } from "../../../mcp-client/stateless-call.ts";
import { keepInstructions, knownSession, newSession } from "./known-sessions.ts";
import { InFlight } from "./relayed-requests.ts";
import {
  answerIntercepted,
  associationSession,
  endOriginating,
  keepTask,
  noStream,
  servedByTask,
  servedRequest,
  takeParked,
} from "../sampling/relay-sampling.ts";
import { singleAnswer } from "./single.ts";
import { type StreamContext, longestEvent, lostMark, relayStream, toldMark, unreadMs } from "./sse-relay.ts";
import { refuseKnown } from "../../auth.ts";
import type { AppContext } from "../../app-context.ts";
import { beginsWithout, discover, discoverWithout, forget } from "../negotiation.ts";
import { beginTranslated, isTranslated, listenTranslated, postTranslated } from "../translated/translated-relay.ts";
import { requestMeta, translatedSession } from "../../../../shared/relay/translation.ts";
import {
  type RelayRequest,
  type WatchedRelayRequest,
  broken,
  errorMessages,
  passUnclear,
  refuseWith,
  sessionHeader,
  sessionNotFound,
  unreachable,
} from "../relay-request.ts";

type InitializeRequest = Extract<JsonRpcMessage, { kind: "request" }>;

/** The body of a POST, parsed and as it came. */
export type PostedMessage = { readonly value: unknown; readonly body: Uint8Array };

export async function postInSession(c: AppContext, relay: WatchedRelayRequest, { value, body }: PostedMessage): Promise<Response> {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.some(mayBeHiddenRequest))
    return refuseWith(c, 400, 'Invalid Request: send jsonrpc "2.0", and as id a text or a whole number that JSON carries exactly');
  const messages = values.map(messageOf);
  const [first] = messages;
  const refusal = messages.length < 2 ? null : await countCalls(c.env, c.var.key, messages.length - 1);
  if (refusal !== null) return refuseKnown(c, "relay", refusal, { server: relay.name });
  if (messages.length === 1 && first?.kind === "request" && first.method === "initialize") return begin(c, relay, first, body);
  const session = await sessionOf(c, relay);
  if (session instanceof Response) return session;
  if (isTranslated(session)) return postTranslated({ c, relay, session }, messages, body);
  const requests = messages.filter((message) => message.kind === "request");
  // The client's answer to an offer of ours, which the server knows nothing of.
  if (messages.length === 1 && first?.kind === "response" && isOfferId(first.id)) return new Response(null, { status: 202 });
  // The gateway answers this session's sampling: the client was asked for none, and nobody would
  // review what it says. Nor may a client answer the forms that a person is asked.
  const ours = answeredHere(relay.server, session);
  if (ours.includes(samplingMethod) && maySampleByItself(body, value))
    return refuseWith(c, 400, "The gateway answers this server's sampling; a client's own reply to it is not sent on");
  if (ours.includes(elicitationMethod) && mayElicitByItself(body, value))
    return refuseWith(c, 400, "The gateway answers this server's forms; a client's own answer to one is not sent on");
  const only = requests.length === 1 ? requests[0] : undefined;
  const cancelled = messages.flatMap((each) => cancelledBy(each) ?? []);
  // Before the client's 202: its next request must not find these in flight.
  if (cancelled.length > 0) await endOriginating({ env: c.env, key: c.var.key, session }, cancelled).catch(() => {});
  if (await takesOver(c, relay, session, messages)) return new Response(null, { status: 202 });
  const originating = only === undefined ? null : originatingOf(only, relay.server);
  const context = { env: c.env, key: c.var.key, server: relay.server, session };
  const serves = await servedByTask(context, originating);
  // Before the server gets the requests, and can ask for sampling.
  const inFlight = await InFlight.open(
    context,
    requests.map((each) => {
      const request = originatingOf(each, relay.server);
      return { request, serves: serves ?? request };
    }),
  );
  const asked = await ask(c, relay, { method: "POST", body, session: session.upstream, signal: relay.over });
  if (!asked.ok) {
    await inFlight?.streamEnded(false);
    reportOf(asked.error, relay.reportFailure);
    return unreachable(c, asked.error);
  }
  return down(c, relay, session, asked.value, {
    originating,
    serves,
    inFlight,
    watch: null,
    progressToken: progressTokenOf(only),
    hasEventId: false,
  });
}

/** Whether the client declines a parked request, which the gateway then answers. */
async function takesOver(
  c: AppContext,
  relay: RelayRequest,
  session: RelaySession,
  [message, ...more]: readonly JsonRpcMessage[],
): Promise<boolean> {
  const { server, authorization } = relay;
  if (message?.kind !== "response" || more.length > 0 || !mayFallBack(server.mode, session.clientSamples)) return false;
  if (message.failed === null || !isDeclined(message.failed)) {
    c.executionCtx.waitUntil(takeParked({ env: c.env, session }, message.id));
    return false;
  }
  const parked = await takeParked({ env: c.env, session }, message.id);
  if (parked === null) return false;
  const { originating, taken: request } = parked;
  const clientTrace = transportContext(c.req.raw.headers);
  const context = { env: c.env, ctx: c.executionCtx, key: c.var.key, session, server, authorization, originating, clientTrace };
  c.executionCtx.waitUntil(answerIntercepted({ ...context, ...noStream, isBrief: true }, request));
  return true;
}

/**
 * The first message of a session, the client's own `initialize`. A server that gives it a session
 * gets everything as it comes from then on. One that gives none and speaks 2026-07-28 is spoken to
 * in that: it would refuse to sample for this client.
 */
async function begin(c: AppContext, relay: WatchedRelayRequest, request: InitializeRequest, body: Uint8Array): Promise<Response> {
  const meta = requestMeta(null, translatedSession(request.params, {}), { added: null, logLevel: null });
  if (await beginsWithout(c.env, relay)) {
    const found = await discover(c.env, relay, meta);
    if (!found.ok) return unreachable(c, found.error);
    if (found.value.kind === "unclear") return passUnclear(found.value.response, relay);
    if (found.value.kind === "stateless") return beginTranslated(c, relay, request, found.value.result);
    await forget(c.env, relay, ["begins"]);
  }
  const { server } = relay;
  const ours = answeredHere(server, clientDoes(request.params));
  const sent =
    request.params !== null && ours.length > 0
      ? JSON.stringify({
          jsonrpc: "2.0",
          id: request.id,
          method: "initialize",
          params: declaring(request.params, answerSettings(server), ours),
        })
      : body;
  const asked = await ask(c, relay, { method: "POST", body: sent, session: null });
  if (!asked.ok) return unreachable(c, asked.error);
  const claimed = c.req.header("MCP-Protocol-Version") ?? objectOf(request.params?.["_meta"])?.[protocolVersionKey];
  const discovered = await discoverWithout(c.env, relay, { id: request.id, meta, isPlain: claimed === undefined }, asked.value);
  return discovered === null ? initialized(c, relay, request, asked.value) : beginTranslated(c, relay, request, discovered);
}

/** The server's answer to `initialize`, as the client gets it: the session's id is sealed. */
async function initialized(c: AppContext, relay: WatchedRelayRequest, request: InitializeRequest, answer: Response): Promise<Response> {
  const { server } = relay;
  if (!answer.ok) {
    // The server of a bridge may have been updated, and not know `initialize` any more. Any other
    // one was just asked.
    if (server.protocol !== "auto" && (answer.status === 400 || answer.status === 404)) c.executionCtx.waitUntil(forget(c.env, relay));
    return new Response(answer.body, { status: answer.status, headers: headersDown(answer, server) });
  }
  // The only answer that is read before it passes: up to the revision that was agreed on.
  const beginning = await beginningOf(answer);
  if (beginning === "tooLong") return broken(c, errorMessages.tooLong);
  const { revision, runsTasks } = beginning;
  const agreed = { upstream: answer.headers.get(sessionHeader), revision: revision ?? "", runsTasks };
  const session = await newSession(c, relay, request.params, agreed);
  const id = relaySessionId(settingsOf(c.env).keys, session);
  if (id === null) return broken(c, "The MCP server's session id is too long");
  const passed = await down(c, relay, session, new Response(beginning.body, answer), noRequest);
  // An error, or an answer without a revision, passes unchanged and begins no session.
  if (revision !== null && passed.ok) passed.headers.set(sessionHeader, id);
  await keepInstructions(c, relay, session, beginning.instructions);
  return passed;
}

export async function listenInSession(c: AppContext, relay: WatchedRelayRequest): Promise<Response> {
  const session = await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const given = c.req.header("Last-Event-ID");
  const last = given === undefined ? undefined : parseEventId(settingsOf(c.env).keys, session.name, given);
  if (given !== undefined && last === undefined) return refuseWith(c, 400, "This Last-Event-ID is not one of this session");
  if (isTranslated(session)) return listenTranslated({ c, relay, session }, last);
  if (last?.request.startsWith(lostMark)) return lost(c, session, last.request.slice(lostMark.length));
  // The client was told already: 405, as from a server without such a stream.
  if (last?.request.startsWith(toldMark)) return new Response(null, { status: 405, headers: { Allow: "POST, DELETE" } });
  const name = associationSession(session);
  if (await sessionStub(c.env, c.var.key.id, name).isEnded()) return sessionNotFound(c);
  const opened = await watchOpeningResponse(c.env, c.var.key, name);
  if (!opened.ok) return refuseKnown(c, "relay", opened.error, { server: relay.name });
  const watch = opened.value;
  if (watch.over.aborted) return sessionNotFound(c);
  const left = new AbortController();
  c.req.raw.signal.addEventListener("abort", () => left.abort(), { once: true });
  const resumed = last === undefined ? {} : { lastEventId: last.own };
  const asking = ask(c, relay, { method: "GET", session: session.upstream, ...resumed, signal: left.signal });
  // A resumed stream still belongs to its request.
  const originating = last === undefined || last.request === "" ? null : (JSON.parse(last.request) as Originating); // sealed by us
  const context = { env: c.env, key: c.var.key, server: relay.server, session };
  const serves = await servedByTask(context, originating);
  const inFlight = originating === null ? null : await InFlight.resume(context, { request: originating, serves: serves ?? originating });
  // A server may send no headers before its first event, and only a write shows that the client has
  // gone: the stream starts without it.
  const { heartbeatMs } = settingsOf(c.env);
  const beginMs = last === undefined ? Math.min(unreadMs, heartbeatMs) : heartbeatMs;
  const asked = (await within(asking, beginMs)) ?? ok(lateStream(asking, left));
  if (!asked.ok) {
    watch.done();
    await inFlight?.streamEnded(false);
    return unreachable(c, asked.error);
  }
  return down(c, relay, session, asked.value, { ...noRequest, hasEventId: last !== undefined, originating, serves, inFlight, watch });
}

/**
 * An error for a request whose stream broke, where its server gives no event ids: its outcome is
 * unknown. Some clients resume after an error too, and then with the id of this event.
 */
function lost(c: AppContext, session: RelaySession, request: string): Response {
  const { id } = JSON.parse(request) as Originating; // sealed by us
  const idLine = `id: ${eventPrefix(settingsOf(c.env).keys, session.name, `${toldMark}${request}`)}0\n`;
  const message = "The connection broke, and this MCP server cannot resume it: the outcome of the request is unknown";
  return new Response(idLine + eventOf(failure(id, { code: -32603, message })), { headers: { "Content-Type": "text/event-stream" } });
}

export async function endSession(c: AppContext, relay: RelayRequest): Promise<Response> {
  const session = await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const name = associationSession(session);
  const [stub, key] = [sessionStub(c.env, c.var.key.id, name), keyStub(c.env, c.var.key.id)];
  await Promise.all([stub.endSession(true).then(() => key.sessionEnded(stub.id.toString())), key.endSession(name)]);
  // There is none at the server.
  if (isTranslated(session)) return new Response(null, { status: 200 });
  const asked = await ask(c, relay, { method: "DELETE", session: session.upstream });
  if (!asked.ok) return unreachable(c, asked.error);
  return new Response(asked.value.body, { status: asked.value.status, headers: headersDown(asked.value, relay.server) });
}

/** Passes a message of the client on. */
const ask = (c: AppContext, { server, authorization }: RelayRequest, request: Omit<UpstreamRequest, "headers" | "authorization">) =>
  askUpstream(c.env, server, { ...request, headers: c.req.raw.headers, authorization });

/** Passes the server's answer to the client. */
async function down(
  c: AppContext,
  { server, authorization }: RelayRequest,
  session: RelaySession,
  answer: Response,
  request: Pick<StreamContext, "originating" | "serves" | "inFlight" | "watch" | "progressToken" | "hasEventId">,
): Promise<Response> {
  const { status } = answer;
  const headers = headersDown(answer, server);
  const { originating, inFlight, watch } = request;
  if (answer.body === null) {
    watch?.done();
    await inFlight?.allAnswered(false);
    return new Response(null, { status, headers });
  }
  const isGet = c.req.method === "GET";
  // Clients read every answer to a GET as a stream.
  if (isEventStream(answer) || (isGet && answer.ok)) {
    const clientTrace = transportContext(c.req.raw.headers);
    const left = c.req.raw.signal;
    const context = { env: c.env, ctx: c.executionCtx, key: c.var.key, session, server, authorization, clientTrace, left, ...request };
    return new Response(relayStream(answer.body, { ...context, isResumed: isGet }), { status, headers });
  }
  watch?.done();
  // Any other answer is whole. A client whose resumption is refused may try again.
  if (!answer.ok) {
    await (isGet ? inFlight?.streamEnded(false) : inFlight?.allAnswered(false));
    return new Response(answer.body, { status, headers });
  }
  const body = await singleAnswer(answer, server, session, settingsOf(c.env).publicUrl);
  const goesOn =
    originating?.asTask === true &&
    body instanceof Uint8Array &&
    (await keepTask({ env: c.env, key: c.var.key, session }, parseJson(new TextDecoder().decode(body)), originating));
  await inFlight?.allAnswered(goesOn);
  if (body === "tooLong" || body === "asks") return broken(c, errorMessages[body]);
  return new Response(body, { status, headers });
}

/** The context of an answer that belongs to no request of the client. */
const noRequest = { originating: null, serves: null, inFlight: null, watch: null, progressToken: undefined, hasEventId: false } as const;

export async function sessionOf(c: AppContext, relay: RelayRequest): Promise<RelaySession | Response> {
  if (c.req.header(sessionHeader) === undefined) return refuseWith(c, 400, `Send the ${sessionHeader} header that initialize returned`);
  return knownSession(c, relay) ?? (await sessionNotFound(c));
}

function originatingOf({ params, method, id }: Extract<JsonRpcMessage, { kind: "request" }>, server: Server): Originating {
  const name = params?.[method.startsWith("resources/") ? "uri" : method === "tasks/result" ? "taskId" : "name"];
  const asTask = method === "tools/call" && params?.["task"] !== undefined ? { asTask: true as const } : {};
  return { ...servedRequest(server, { id, method, name, params }), ...asTask };
}

function progressTokenOf(request: Extract<JsonRpcMessage, { kind: "request" }> | undefined): RequestId | undefined {
  return toRequestId(objectOf(request?.params?.["_meta"])?.["progressToken"]);
}

/**
 * The answer to `initialize`, read up to its revision, which is null where it is no success. The
 * body still has all of its bytes.
 */
async function beginningOf(
  answer: Response,
): Promise<(Omit<Beginning, "revision"> & { revision: string | null; body: ReadableStream<Uint8Array> | Uint8Array | null }) | "tooLong"> {
  const none = { revision: null, instructions: null, runsTasks: false };
  if (answer.body === null) return { ...none, body: null };
  if (!isEventStream(answer)) {
    const body = await readAnswer(answer, longestEvent);
    return body === null ? "tooLong" : { ...none, ...beginningIn(new TextDecoder().decode(body)), body };
  }
  const [read, body] = answer.body.tee();
  try {
    let length = 0;
    for await (const { events } of eventsIn(read, longestEvent))
      for (const event of events) {
        length += event.length;
        if (length > longestEvent) throw new EventsError(true);
        const found = beginningIn(dataOf(event));
        if (found !== null) return { ...found, body };
      }
    return { ...none, body };
  } catch (error) {
    body.cancel().catch(() => {});
    if (isTooLong(error)) return "tooLong";
    throw error;
  }
}

/** `runsTasks`: the server declared that it runs calls of its tools as tasks. */
type Beginning = { readonly revision: string; readonly instructions: string | null; readonly runsTasks: boolean };

function beginningIn(data: string | null): Beginning | null {
  try {
    const { protocolVersion: revision, instructions, capabilities } = objectOf(objectOf(JSON.parse(data ?? "null"))?.["result"]) ?? {};
    // It becomes a header of every answer to the server.
    if (typeof revision !== "string" || !/^[\w.-]{1,32}$/.test(revision)) return null;
    return {
      revision,
      instructions: typeof instructions === "string" ? instructions : null,
      runsTasks: runsCallTasks(objectOf(capabilities)),
    };
  } catch {
    return null;
  }
}

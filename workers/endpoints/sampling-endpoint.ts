// The stateless sampling endpoint: JSON-RPC over one POST, as the HTTP contract says.

import { readJsonOf } from "../../shared/json/json-of.ts";
import { type Handler, Hono } from "hono";
import * as z from "zod";
import { isSessionName, sessionNameError, originatingIn } from "../../shared/wire/mcp-2025/meta.ts";
import { describeOutcome } from "../../shared/wire/describe.ts";
import type { Outcome, Refusal } from "../../shared/model/outcome.ts";
import { defaultLimits } from "../../shared/policy/limits.ts";
import { type RequestId, type RpcAnswer, idKey, parseIdJson, parseMessage, responseOf, success } from "../../shared/wire/json-rpc.ts";
import { objectOf } from "../../shared/json/values.ts";
import { samplingMethod } from "../../shared/relay/messages.ts";
import { addressFault, elicitationMethod, elicitsOurs, ownAddress } from "../../shared/relay/url-elicitation.ts";
import { elicitResult, parseElicitation } from "../../shared/wire/elicitation.ts";
import { type McpCodec, mcpCodec } from "../../shared/wire/mcp-codecs.ts";
import { createTaskResult, parseCancelled, parseTaskParams, relatedTo } from "../../shared/wire/mcp-2025/tasks.ts";
import { conversationStub, keyStub, runStub, sessionStub } from "../stubs/stubs.ts";
import { readBody } from "../http/body.ts";
import { prefersAsync, wantsEvents } from "../http/request-headers.ts";
import { callsOfNewObject, countCalls, mayRead } from "../pipeline/admit/calls.ts";
import { type KeptAliveWork, beforeKeepAlive, endingWith, keepAliveEvents, keepAliveJson, keptAlive } from "../http/keep-alive.ts";
import { countOpening } from "../pipeline/wait/key-watch.ts";
import type { ResponseMode, Started } from "../pipeline/pipeline-request.ts";
import { beginForm, isUnaskedForm } from "../pipeline/incoming/form-call.ts";
import { beginSampling, originatingKey } from "../pipeline/incoming/sampling-call.ts";
import { askOwnTask, taskOf } from "../pipeline/wait/tasks.ts";
import { paramsRefusal } from "../pipeline/record/refusals.ts";
import { awaitRun, awaitStarted, isCounted } from "../pipeline/wait/wait.ts";
import { signedOutcome } from "../pipeline/receipts.ts";
import { settingsOf } from "../platform/settings.ts";
import { beginTrace, transportContext } from "../telemetry/begin-trace.ts";
import { paths, runPath } from "../platform/urls.ts";
import { named } from "./answer-schema.ts";
import {
  configurationUnavailable,
  inHeader,
  inPath,
  inQuery,
  asJson,
  asJsonOrEvents,
  jsonBody,
  rpcAnswer,
  rpcError,
  rpcId,
  tooLarge,
} from "./openapi/answers.ts";
import { describe, describedBy } from "./openapi/describe.ts";
import { refuseKnown, requireCounted, requireKey } from "./auth.ts";
import type { App, AppContext } from "./app-context.ts";
import { jsonResponse, refusalHeaders } from "../http/json-response.ts";

export const samplingRoutes = new Hono<App>();

const rpcRequest = named("RpcRequest", () =>
  z.looseObject({ jsonrpc: z.literal("2.0"), id: rpcId().optional(), method: z.string(), params: z.looseObject({}).optional() }),
);

const sampling = describe("sampling", {
  summary:
    "One JSON-RPC message: sampling/createMessage, elicitation/create, tasks/get, tasks/result, tasks/cancel, or notifications/cancelled",
  parameters: [
    inHeader("Accept", "text/event-stream for server-sent events; anything else for one JSON value"),
    inHeader("Prefer", "respond-async: 202 and a run to ask about"),
  ],
  body: jsonBody(rpcRequest),
  200: asJsonOrEvents(
    rpcAnswer,
    "The response, a result or an error. It may be held for as long as a person needs: white space or comments meanwhile",
  ),
  202: asJson(rpcAnswer, "Asynchronous: the task that was made; empty for a notification", {
    Location: "The run, where one was made",
    "Preference-Applied": "respond-async, where a run was made",
  }),
  400: rpcError("-32700: not JSON; -32600: not a single JSON-RPC request"),
  413: tooLarge,
  415: rpcError("-32016: not application/json"),
  503: configurationUnavailable,
});

const answerMessage: Handler<App> = async (c) => {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return refused(c, { kind: "notJsonType" });
  const tooMany = mayRead(c.var.key, Date.now());
  if (tooMany !== null) return refused(c, tooMany, { id: null });
  const { bodyBytes } = c.var.key.limits ?? defaultLimits;
  const body = await readBody(c.req.raw, bodyBytes);
  if (body === "tooLarge") return refused(c, { kind: "tooLarge", limitBytes: bodyBytes }, { id: null });
  if (body === "notUtf8") return refused(c, { kind: "notJson" });
  const message = parseMessage(body.text);
  if (!message.ok) {
    return message.error.kind === "notJson"
      ? refused(c, { kind: "notJson" })
      : refused(c, { kind: "notSingleRequest", why: message.error.message }, { id: message.error.id });
  }
  const { value } = message;
  c.set("ids", value.kind === "request" ? value.id : null);
  // The KeyObject counts a sampling request when it admits it.
  const admitted = value.kind === "request" && (value.method === samplingMethod || value.method === elicitationMethod);
  const uncounted = admitted ? null : await countCalls(c.env, c.var.key);
  if (uncounted !== null) return refused(c, uncounted, { method: value.method });
  if (value.kind === "notification") return receiveNotification(c, value.method, value.params);
  const { id, method, params } = value;
  switch (method) {
    case samplingMethod:
      return createMessage(c, id, params);
    case elicitationMethod:
      return elicit(c, id, params);
    case "tasks/get":
    case "tasks/result":
    case "tasks/cancel":
      return task(c, id, method, params);
    default:
      return refused(c, { kind: "unknownMethod", method }, { id, method });
  }
};
samplingRoutes.post(paths.sampling, requireKey, describedBy(sampling, answerMessage));

const endOriginatingRequest = describe("endOriginatingRequest", {
  summary: "Ends a client request: its open runs are cancelled, later sampling for it is refused",
  parameters: [
    inPath("session", "The session's name: 1 to 128 visible ASCII characters, not beginning with mcp:"),
    inPath("id", "The request's JSON-RPC id as JSON: 7 or %22a%22"),
    { ...inQuery("server", "The MCP server that the request was for"), required: true },
  ],
  204: "It has ended",
  400: "A name or id that cannot be one",
});

samplingRoutes.delete(paths.sessionRequest, endOriginatingRequest, requireKey, requireCounted, async (c) => {
  const id = parseIdJson(c.req.param("id"));
  const server = c.req.query("server");
  if (id === undefined)
    return c.json({ error: "The id in the path must be the request's JSON-RPC id as URL-encoded JSON: 7 or %22a%22" }, 400);
  if (server === undefined || server === "") return c.json({ error: "Name the MCP server whose request it was: ?server=<name>" }, 400);
  if (!isSessionName(c.req.param("session"))) return c.json({ error: `A session's name ${sessionNameError}` }, 400);
  const session = sessionStub(c.env, c.var.key.id, c.req.param("session"));
  const ended = [originatingKey(server, id)];
  return end(c, (begins) => session.endOriginating(ended, "originatingRequest", begins));
});

const endSession = describe("endSession", {
  summary: "Ends a session: its open runs are cancelled, its kept conversation is forgotten, and its name stays ended",
  parameters: [inPath("session", "The session's name")],
  204: "It has ended",
  400: "A name that cannot be one",
});

samplingRoutes.delete(paths.sessions, endSession, requireKey, requireCounted, async (c) => {
  const session = c.req.param("session");
  if (!isSessionName(session)) return c.json({ error: `A session's name ${sessionNameError}` }, 400);
  const { id } = c.var.key;
  await conversationStub(c.env, id, session).forget();
  const stub = sessionStub(c.env, id, session);
  const ended = await end(c, (begins) => stub.endSession(begins));
  if (ended.status === 204) await keyStub(c.env, id).sessionEnded(stub.id.toString());
  return ended;
});

const refused = (c: AppContext, refusal: Refusal, about: Parameters<typeof refuseKnown>[3] = {}): Promise<Response> =>
  refuseKnown(c, "sampling", refusal, about);

/** What the record says of a refused request of a server, also where its params are invalid. */
const aboutRequest = (method: string, params: unknown) => {
  const { server, name } = originatingIn(params) ?? {};
  return { method, server, name };
};

/**
 * Ends a session or request. An end before any sampling creates the object, because a request of
 * the session may be on its way.
 */
async function end(c: AppContext, endIt: (begins: boolean) => Promise<boolean>): Promise<Response> {
  if (await endIt(false)) return c.body(null, 204);
  const refusal = await countCalls(c.env, c.var.key, callsOfNewObject);
  if (refusal !== null) return refused(c, refusal);
  await endIt(true);
  return c.body(null, 204);
}

async function createMessage(c: AppContext, id: RequestId, params: unknown): Promise<Response> {
  const call = serverCall(c, id, params);
  const about = { id, ...aboutRequest(samplingMethod, params), trace: call.trace };
  const parsed = codecOf(c).decode(params);
  if (!parsed.ok) return refused(c, paramsRefusal(parsed.error), about);
  const { task: asTask, meta } = parsed.value;
  const responseMode: ResponseMode = asTask === undefined ? call.responseMode : { kind: "task", ttlMs: asTask.ttl ?? null };
  const started = await beginSampling({ ...call, responseMode, parsed: parsed.value });
  if (!started.ok) return refused(c, started.error, about);
  return answerStarted(c, id, started.value, { isDetached: responseMode.kind === "task", isTask: asTask !== undefined, ...meta });
}

/** A server's form, or an address that it wants opened, for a person to answer. */
async function elicit(c: AppContext, id: RequestId, params: unknown): Promise<Response> {
  const call = serverCall(c, id, params);
  const about = { id, ...aboutRequest(elicitationMethod, params), trace: call.trace };
  const { publicUrl } = settingsOf(c.env);
  const isOurs = publicUrl !== undefined && elicitsOurs(objectOf(params), publicUrl);
  if (isOurs) return refused(c, { kind: "invalidParams", errors: [ownAddress] }, about);
  const parsed = parseElicitation(params, (url) => addressFault(url, { allowPrivate: false }));
  if (!parsed.ok) return refused(c, paramsRefusal(parsed.error), about);
  const { asked, meta } = parsed.value;
  const { session, originating } = meta;
  if (session === undefined) return refused(c, { kind: "notAssociated", why: "noSession" }, about);
  if (originating === undefined) return refused(c, { kind: "notAssociated", why: "noOriginatingRequest" }, about);
  const started = await beginForm({ ...call, request: { kind: "form", server: originating.server, ...asked }, session, originating });
  if (!started.ok) {
    const response = await refused(c, started.error, about);
    // Nobody was asked, and a later try would change nothing about that.
    const isOver = isUnaskedForm(started.error) && !response.headers.has("Retry-After");
    return isOver ? jsonResponse(success(id, elicitResult({ kind: "elicited", action: "cancel" }))) : response;
  }
  return answerStarted(c, id, started.value, { isDetached: call.responseMode.kind === "task", isTask: false, ...meta });
}

/** What the pipeline gets of a server's request, whatever it asks for. */
function serverCall(c: AppContext, id: RequestId, params: unknown) {
  const { headers, signal } = c.req.raw;
  const responseMode: ResponseMode = prefersAsync(headers) ? { kind: "task", ttlMs: null } : { kind: "sync" };
  const trace = beginTrace(c.env, transportContext(headers), params);
  return { env: c.env, ctx: c.executionCtx, key: c.var.key, id, params, revision: codecOf(c).revision, responseMode, signal, trace };
}

type AnswerMode = Pick<Awaited, "progressToken"> & {
  /** The requestor does not wait for a run on its connection. */
  readonly isDetached: boolean;
  /** It asked for a task of MCP. */
  readonly isTask: boolean;
};

/** The outcome as soon as it is there, or the run that the requestor asks about later. */
async function answerStarted(
  c: AppContext,
  id: RequestId,
  started: Started,
  { isDetached, isTask, progressToken }: AnswerMode,
): Promise<Response> {
  if (started.kind === "run" && isDetached) return detached(c, id, started.run, isTask);
  if (started.kind === "answered") return answered(c, id, started.outcome);
  if (started.kind === "fast" && !wantsEvents(c.req.raw.headers)) {
    const soon = await beforeKeepAlive(started.outcome, started.slow);
    if (soon !== null) return answered(c, id, soon);
  }
  const opened = await countOpening(c.env, c.var.key, isCounted(started));
  if (!opened.ok) return refused(c, opened.error, { id, method: samplingMethod });
  return answerKeptAlive(c, id, opened.value, {
    work: async (onProgress, left) => {
      if (started.kind === "fast") onProgress("generating");
      return awaitStarted(c.env, started, onProgress, left);
    },
    progressToken,
  });
}

type Awaited = Pick<KeptAliveWork<Outcome>, "work"> & {
  readonly progressToken?: RequestId | undefined;
  /** The task whose outcome it is. */
  readonly taskId?: string;
};

/**
 * The outcome in a response that is kept alive until it is there, in the form that `Accept` asks
 * for. `done`: ends its count.
 */
function answerKeptAlive(c: AppContext, id: RequestId, done: () => void, { work, taskId, progressToken }: Awaited): Response {
  const { encode } = codecOf(c);
  const answerTo = (outcome: Outcome): RpcAnswer => (taskId === undefined ? encode(outcome) : relatedTo(taskId, encode(outcome)));
  const response = keptAlive<Outcome>(c.req.raw.signal, {
    work: async (onProgress, left) => signed(c, await work(onProgress, left)),
    broken: (quote) => ({ kind: "broken", quote }),
    encode: (outcome) => JSON.stringify(responseOf(id, answerTo(outcome))),
    heartbeatMs: settingsOf(c.env).heartbeatMs,
  });
  const counted = endingWith(response, done);
  return wantsEvents(c.req.raw.headers) ? keepAliveEvents(counted, progressToken) : keepAliveJson(counted);
}

async function detached(c: AppContext, id: RequestId, run: string, asTask: boolean): Promise<Response> {
  const snapshot = await runStub(c.env, run).snapshot();
  if (snapshot === null) return refused(c, { kind: "noLongerKept" }, { id, method: "sampling/createMessage" });
  if (asTask) return jsonResponse(success(id, createTaskResult(taskOf(snapshot))));
  if (snapshot.outcome !== null) return jsonResponse(responseOf(id, codecOf(c).encode(await signed(c, readJsonOf(snapshot.outcome)))));
  return jsonResponse(success(id, createTaskResult(taskOf(snapshot))), 202, {
    Location: runPath(run),
    "Preference-Applied": "respond-async",
  });
}

async function task(c: AppContext, id: RequestId, method: string, params: unknown): Promise<Response> {
  const parsed = parseTaskParams(params);
  if (!parsed.ok) return refused(c, paramsRefusal(parsed.error), { id, method });
  const { taskId } = parsed.value;
  const answer = await askOwnTask(c.env, c.var.key.id, method, taskId);
  if (!answer.ok) return refused(c, answer.error, { id, method });
  if (answer.value.kind === "told") return jsonResponse(success(id, answer.value.result));
  const opened = await countOpening(c.env, c.var.key, false);
  if (!opened.ok) return refused(c, opened.error, { id, method });
  return answerKeptAlive(c, id, opened.value, { work: (onProgress, left) => awaitRun(c.env, taskId, onProgress, left), taskId });
}

async function receiveNotification(c: AppContext, method: string, params: unknown): Promise<Response> {
  if (method === "notifications/cancelled") {
    const parsed = parseCancelled(params);
    if (parsed.ok && parsed.value.session !== undefined) {
      const { requestId, session, originating } = parsed.value;
      const named = originating === undefined ? null : originatingKey(originating.server, originating.id);
      await sessionStub(c.env, c.var.key.id, session).cancelRequest(idKey(requestId), named);
    }
  }
  // A notification is never answered, not even with an error (JSON-RPC 2.0 section 4.1).
  return c.body(null, 202);
}

/**
 * The codec of the host's protocol revision; of the newest 2025 revision where the host does not
 * send one.
 */
const codecOf = (c: AppContext): McpCodec => mcpCodec(c.req.header("MCP-Protocol-Version"));

const signed = (c: AppContext, outcome: Outcome): Promise<Outcome> => signedOutcome(c.env, outcome, codecOf(c).encode);

async function answered(c: AppContext, id: RequestId, outcome: Outcome): Promise<Response> {
  const body = responseOf(id, codecOf(c).encode(await signed(c, outcome)));
  if (outcome.kind === "completed" || outcome.kind === "ran" || outcome.kind === "elicited") return jsonResponse(body);
  // An internal error, and a model without capacity, have a status of their own while nothing was
  // sent.
  const { status, retryAfterMs } = describeOutcome(outcome);
  if (retryAfterMs !== undefined) return jsonResponse(body, 429, refusalHeaders(429, retryAfterMs));
  return jsonResponse(body, status === 500 ? 500 : 200);
}

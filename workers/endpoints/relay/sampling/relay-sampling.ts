// What a server asks of its client and the relay answers: sampling, forms, and the tasks that came
// of them.
// Each is answered by a POST to the server, in its own session: at once where it cannot be served,
// by the run itself where people are asked, and else from here.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import { type RequestId, type RpcAnswer, idKey, responseOf } from "../../../../shared/wire/json-rpc.ts";
import { type Evidence, provenanceOf } from "../../../../shared/association/evidence.ts";
import type { Outcome, Refusal } from "../../../../shared/model/outcome.ts";
import { type Result, err, ok } from "../../../../shared/result.ts";
import { RELAY_SESSION_PREFIX, type TokenAsked } from "../../../../shared/wire/mcp-2025/meta.ts";
import { mcpCodec } from "../../../../shared/wire/mcp-codecs.ts";
import { featuresOf } from "../../../../shared/wire/mcp-features.ts";
import type { ParsedSampling } from "../../../../shared/wire/mcp-2025/sampling-params.ts";
import { createTaskResult, parseTaskParams, relatedTo } from "../../../../shared/wire/mcp-2025/tasks.ts";
import { type Originating, type Signs, associationOf, maySample, namedTask } from "../../../../shared/association/relay-association.ts";
import { rootsResult } from "../../../../shared/relay/answered-here.ts";
import { rootsMethod } from "../../../../shared/relay/rounds.ts";
import { addressFault, elicitationMethod, elicitsOurs, isNamedAsOurs, ownAddress } from "../../../../shared/relay/url-elicitation.ts";
import { parseElicitation } from "../../../../shared/wire/elicitation.ts";
import { type ServerRequest, samplingMethod } from "../../../../shared/relay/messages.ts";
import { forwardedIds } from "../../../../shared/relay/passed-through.ts";
import { type ServerContext, longestPart } from "../../../../shared/relay/added-context.ts";
import { type Server, samplingSettings } from "../../../../shared/relay/servers.ts";
import type { RelaySession } from "../../../../shared/relay/session-id.ts";
import type { RunProgress } from "../../../../shared/review/view.ts";
import { tokenOutcome } from "../../../../shared/run/run-outcome.ts";
import { parseRunId } from "../../../../shared/sealed-id.ts";
import type { RequestTrace } from "../../../../shared/telemetry/request-trace.ts";
import type { TraceContext } from "../../../../shared/telemetry/trace-context.ts";
import type { Env } from "../../../platform/env.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { runStub, sessionStub } from "../../../stubs/stubs.ts";
import { beginTrace } from "../../../telemetry/begin-trace.ts";
import { countCalls } from "../../../pipeline/admit/calls.ts";
import { progressMessages } from "../../../http/keep-alive.ts";
import { paramsRefusal, recordRefusal } from "../../../pipeline/record/refusals.ts";
import type { ResponseMode, Started } from "../../../pipeline/pipeline-request.ts";
import { signedOutcome } from "../../../pipeline/receipts.ts";
import { beginForm, isUnaskedForm } from "../../../pipeline/incoming/form-call.ts";
import { beginSampling, originatingKey } from "../../../pipeline/incoming/sampling-call.ts";
import { askOwnTask, taskOf } from "../../../pipeline/wait/tasks.ts";
import { awaitRun } from "../../../pipeline/wait/wait.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { makeToken } from "../../../credentials/scoped-tokens.ts";
import type { KeyRecord } from "../../../stores/keys.ts";
import { type Waiting, postToServer } from "../../../mcp-client/answer-server.ts";
import { OfferedReview } from "./offered-review.ts";
import { ownRules } from "../../../../shared/policy/own-rules.ts";

export type SamplingContext = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: KeyRecord;
  readonly session: RelaySession;
  readonly server: Server;
  readonly authorization: string | null;
  /**
   * The client's request on whose response stream a server asks, or for whose task; null on a
   * stream that belongs to no request.
   */
  readonly originating: Originating | null;
  /** Tells the client what its request waits for. */
  readonly onProgress: (state: RunProgress) => void;
  /** Sends a message of ours to the client; null where no stream of it is open. */
  readonly toClient: ((message: JsonObject) => void) | null;
  /** Whether the client's request has its response already. */
  readonly isOver: boolean;
  /** The HTTP request behind this ends at once, so the model is called by a run. */
  readonly isBrief: boolean;
  /** Whether the server cancelled this request of its own. */
  readonly isAbandoned: (request: RequestId) => boolean;
  /**
   * Where the client's request that is open stands in a trace: for a server that passes on no
   * context of its own.
   */
  readonly clientTrace: TraceContext | null;
};

/** Where no stream of the client is open, nor was any of its requests answered. */
export const noStream = { onProgress: () => {}, toClient: null, isOver: false, isBrief: false, isAbandoned: () => false } as const;

type ServedRequest = { readonly id: RequestId; readonly method: string; readonly name: unknown; readonly params: JsonObject | null };

const longestName = 512;

/**
 * A client's request as its session knows it. Method and name are part of event ids, so their
 * length is bounded.
 */
export function servedRequest({ context }: Pick<Server, "context">, { id, method, name, params }: ServedRequest): Originating {
  const bounded = (text: unknown): string => (typeof text === "string" ? text.slice(0, longestName).toWellFormed() : "");
  const given = context ? params?.["arguments"] : undefined;
  const added = given === undefined ? {} : { arguments: JSON.stringify(given).slice(0, 4 * longestPart) };
  return { id, method: bounded(method), name: bounded(name), ...added };
}

/** The session name that association uses: the relay's own, which no host can send. */
export const associationSession = ({ name }: RelaySession): string => `${RELAY_SESSION_PREFIX}${name}`;

/** Answers one request of the server. Never throws. */
export async function answerIntercepted(context: SamplingContext, intercepted: ServerRequest): Promise<void> {
  const { env, session, server, authorization } = context;
  const waiting: Waiting = { server, session: session.upstream, revision: session.revision, authorization };
  try {
    const answer = await answerTo(context, waiting, intercepted);
    if (answer !== null) await post(env, waiting, intercepted.id, answer);
  } catch (error) {
    const quote = crypto.randomUUID();
    logEvent("request.failed", { quote, error: errorClass(error) });
    await post(env, waiting, intercepted.id, refusing(context, intercepted.method, context.originating?.name)({ kind: "broken", quote }));
  }
}

const ownId = { pointer: "/id", message: "begins with countersign/, as only the ids of the gateway's own requests do" } as const;

/** The answer to post, or null where the run posts it. */
async function answerTo(context: SamplingContext, waiting: Waiting, intercepted: ServerRequest): Promise<RpcAnswer | null> {
  const { method, id, params } = intercepted;
  if (method === samplingMethod) return ask(context, waiting, intercepted, startSampling);
  if (method === rootsMethod) return { result: rootsResult(context.server) };
  if (method !== elicitationMethod) return task(context, intercepted);
  const { publicUrl } = settingsOf(context.env);
  const isOurs = publicUrl !== undefined && elicitsOurs(params, publicUrl);
  const wrong = isNamedAsOurs(id) ? ownId : isOurs ? ownAddress : null;
  return wrong === null
    ? ask(context, waiting, intercepted, startForm)
    : refusing(context, elicitationMethod)({ kind: "invalidParams", errors: [wrong] });
}

/** Records a refusal and encodes it for the server. */
const refusing =
  ({ env, ctx, key, session }: SamplingContext, method: string, name?: string, trace?: RequestTrace) =>
  (refusal: Refusal): RpcAnswer => {
    recordRefusal(env, ctx, { key: key.id, endpoint: "relay", server: session.server, method, name, trace }, refusal);
    const isUnasked = method === elicitationMethod && isUnaskedForm(refusal);
    return mcpCodec(session.revision).encode(isUnasked ? { kind: "elicited", action: "cancel" } : { kind: "refused", refusal });
  };

const postTries = 3;

async function post(env: Env, waiting: Waiting, id: RequestId, answer: RpcAnswer): Promise<void> {
  const message = responseOf(id, answer);
  for (let tries = 1; tries <= postTries; tries += 1) {
    if ((await postToServer(env, waiting, message)) !== "failed") return;
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** tries));
  }
}

/** The answer to post, or null where the run posts it. */
async function ask(
  context: SamplingContext,
  waiting: Waiting,
  { id, method, params }: ServerRequest,
  start: Start,
): Promise<RpcAnswer | null> {
  const { env, server } = context;
  const association = associationOf(server.association, await signsOf(context, params));
  if (!association.ok) return refusing(context, method)({ kind: "notAssociated", why: association.error });
  const begun = await start(context, association.value, { id, params }, ({ task }) => responseModeOf(context, id, task));
  if (!begun.ok) return begun.error;
  const { started, parsed } = begun.value;
  // A cancellation that came during the start found nothing to withdraw.
  if (context.isAbandoned(id)) await cancelSampling(context, id);
  if (started.kind === "run" && parsed.task !== undefined) {
    const snapshot = await runStub(env, started.run).snapshot();
    return snapshot === null ? refusing(context, method)({ kind: "noLongerKept" }) : { result: createTaskResult(taskOf(snapshot)) };
  }
  const posts = started.kind === "run" && started.posts;
  if (posts && context.isBrief) return null;
  const answer = await awaitAnswer(context, method, started, progressTeller(context, waiting, parsed.meta.progressToken));
  return posts ? null : answer;
}

/**
 * The answer to a request that was begun. Where people are asked, the review's address is offered
 * to the client meanwhile.
 */
export async function awaitAnswer(
  context: SamplingContext,
  method: string,
  started: Started,
  tell: (state: RunProgress) => void,
): Promise<RpcAnswer> {
  const { encode } = mcpCodec(context.session.revision);
  const encoded = async (outcome: Outcome): Promise<RpcAnswer> => encode(await signedOutcome(context.env, outcome, encode));
  if (started.kind === "answered") return encoded(started.outcome);
  if (started.kind === "fast") {
    tell("generating");
    return encoded(await started.outcome);
  }
  const offered = new OfferedReview(context, started.run, method);
  const outcome = await awaitWithProgress(context, started.run, (state) => {
    tell(state);
    offered.reached(state);
  });
  offered.reached("completed");
  return encoded(outcome);
}

/** What the gateway has to know of a request to answer it. */
type Parsed = { readonly task?: ParsedSampling["task"]; readonly meta: Pick<ParsedSampling["meta"], "progressToken"> };

type Asked = Pick<ServerRequest, "id" | "params">;

/**
 * Begins a request of a server whose originating request is known; the answer for the server where
 * it is refused.
 */
type Start = (
  context: SamplingContext,
  served: { readonly originating: Originating; readonly evidence: Evidence },
  asked: Asked,
  responseModeOf: (parsed: Parsed) => ResponseMode,
) => Promise<Result<{ readonly started: Started; readonly parsed: Parsed }, RpcAnswer>>;

/** Begins a form. */
export const startForm: Start = async (context, { originating, evidence }, { id, params }, responseModeOf) => {
  const { session, server } = context;
  const trace = beginTrace(context.env, context.clientTrace, params);
  const refuse = (refusal: Refusal) => err(refusing(context, elicitationMethod, originating.name, trace)(refusal));
  if (context.isOver) return refuse({ kind: "notAssociated", why: "originatingRequestEnded" });
  const form = parseElicitation(params, (url) => addressFault(url, server));
  if (!form.ok) return refuse(paramsRefusal(form.error));
  const { asked, meta } = form.value;
  const parsed: Parsed = { meta };
  const started = await beginForm({
    ...begunFrom(context, { id, params }, responseModeOf(parsed)),
    request: { kind: "form", server: session.server, ...asked },
    revision: session.revision,
    session: associationSession(session),
    originating,
    evidence,
    trace,
  });
  return started.ok ? ok({ started: started.value, parsed }) : refuse(started.error);
};

/** What is the same of every request that begins. */
const begunFrom = ({ env, ctx, key, server: { receipts } }: SamplingContext, asked: Asked, responseMode: ResponseMode) =>
  ({ env, ctx, key, ...asked, receipts, responseMode, signal: new AbortController().signal }) as const;

/** Begins a sampling request. */
export const startSampling: Start = async (context, { originating, evidence }, { id, params }, responseModeOf) => {
  const { session, server } = context;
  const { method } = originating;
  const trace = beginTrace(context.env, context.clientTrace, params);
  const refuse = (refusal: Refusal) => err(refusing(context, samplingMethod, originating.name, trace)(refusal));
  if (context.isOver) return refuse({ kind: "notAssociated", why: "originatingRequestEnded" });
  if (server.samplingTools !== undefined && method === "tools/call" && !server.samplingTools.includes(originating.name))
    return refuse({ kind: "policyRefused", rule: ownRules.serverSamplingTools });
  const codec = mcpCodec(session.revision);
  const parsed = codec.decode(params);
  if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
  const undeclared = undeclaredIn(parsed.value, server, session.revision);
  if (undeclared !== null)
    return refuse({ kind: "invalidParams", errors: [{ pointer: `/${undeclared}`, message: "was not declared by the client" }] });
  const token = parsed.value.meta.token === undefined ? null : await tokenFor(context, { originating, evidence }, parsed.value.meta.token);
  if (token !== null)
    return token.ok ? ok({ started: { kind: "answered", outcome: token.value }, parsed: parsed.value }) : refuse(token.error);
  const started = await beginSampling({
    ...begunFrom(context, { id, params }, responseModeOf(parsed.value)),
    revision: codec.revision,
    evidence,
    ...(server.context ? { context: () => contextOf(context, originating) } : {}),
    parsed: {
      ...parsed.value,
      meta: {
        session: associationSession(session),
        originating: { id: originating.id, method, name: originating.name, server: session.server },
        ...(parsed.value.meta.progressToken === undefined ? {} : { progressToken: parsed.value.meta.progressToken }),
      },
    },
    trace,
  });
  return started.ok ? ok({ started: started.value, parsed: parsed.value }) : refuse(started.error);
};

/**
 * The answer to a server that asks for a token for /v1 in place of a reply; null where its entry
 * gives none, or its address is plain http without `allowPrivate`: then the request is one for a
 * reply.
 */
async function tokenFor(
  { env, key, session, server }: SamplingContext,
  { originating, evidence }: { readonly originating: Originating; readonly evidence: Evidence },
  asked: TokenAsked,
): Promise<Result<Outcome, Refusal> | null> {
  const { v1Tokens: allowed } = server;
  if (allowed === undefined || !(server.allowPrivate || server.url.startsWith("https:"))) return null;
  // A request for a reply is counted where the key admits it.
  const uncounted = await countCalls(env, key);
  if (uncounted !== null) return err(uncounted);
  const made = await makeToken(env, {
    key,
    session: associationSession(session),
    originating: originatingKey(session.server, originating.id),
    server: session.server,
    method: originating.method,
    name: originating.name,
    provenance: provenanceOf[evidence],
    endpoint: "relay",
    mustBeInFlight: provenanceOf[evidence] === "inferred",
    asked,
    allowed: { models: allowed.models, maxUsd: allowed.maxUsd, seconds: allowed.maxSeconds },
  });
  return made.ok ? ok(tokenOutcome(made.value.run, made.value.token)) : made;
}

/**
 * A run posts its answer itself (`callback`), except where that needs the client's own credential,
 * which is not stored.
 */
function responseModeOf(
  { session, server: entry, authorization, isBrief }: SamplingContext,
  id: RequestId,
  asTask: ParsedSampling["task"],
): ResponseMode {
  if (asTask !== undefined) return { kind: "task", ttlMs: asTask.ttl ?? null };
  if (authorization !== null) return { kind: "sync" };
  const { server, upstream, revision } = session;
  const owner = entry.login?.owner;
  const waiting = { server, session: upstream, revision, id, ...(owner == null ? {} : { owner }) };
  return { kind: "callback", waiting, alwaysRun: isBrief };
}

/** What may be added to the request, where the policy lets it. */
async function contextOf(context: SamplingContext, { method, name, arguments: given }: Originating): Promise<ServerContext> {
  const instructions = await sessionIn(context).instructions();
  return { instructions, request: { method, name, arguments: given ?? null } };
}

/**
 * What shows which client request a server's request serves. The session is asked only where the
 * stream does not show it.
 */
async function signsOf(context: SamplingContext, params: JsonObject | null): Promise<Signs> {
  const { originating } = context;
  if (originating !== null && maySample(originating)) return { stream: originating, task: null, inFlight: [] };
  const named = namedTask(params);
  const { task, inFlight } = await sessionIn(context).associationSigns(named);
  return {
    stream: originating,
    task: named === null ? null : task === null ? "unknown" : readJsonOf(task),
    inFlight: inFlight.map(readJsonOf),
  };
}

/** The longest id of a server's own task that is followed. */
const longestTaskId = 512;

/**
 * Keeps the id of the task that the server's response creates for the client's request; false where
 * it creates none.
 */
export async function keepTask(
  context: Pick<SamplingContext, "env" | "key" | "session">,
  response: unknown,
  { id, method, name }: Originating,
): Promise<boolean> {
  const taskId = (response as { result?: { task?: { taskId?: unknown } } } | null)?.result?.task?.taskId; // looked at below
  if (typeof taskId !== "string" || taskId.length > longestTaskId) return false;
  await sessionIn(context).keepTask(taskId, jsonOf({ id, method, name }));
  return true;
}

/**
 * For `tasks/result`, the client's request that the server's task runs for; null for any other
 * request.
 */
export async function servedByTask(
  context: Pick<SamplingContext, "env" | "key" | "session">,
  request: Originating | null,
): Promise<Originating | null> {
  if (request?.method !== "tasks/result") return null;
  const named = await sessionIn(context).taskServes(request.name);
  return named === null ? null : readJsonOf(named);
}

/**
 * The run's outcome. Progress is repeated meanwhile, because it resets the timeout of the server
 * that asked for it.
 */
async function awaitWithProgress({ env }: SamplingContext, run: string, tell: (state: RunProgress) => void): Promise<Outcome> {
  let last: RunProgress = "waiting";
  const timer = setInterval(() => tell(last), settingsOf(env).heartbeatMs);
  try {
    return await awaitRun(
      env,
      run,
      (state) => {
        last = state;
        tell(state);
      },
      new AbortController().signal,
    );
  } finally {
    clearInterval(timer);
  }
}

/** Sends progress to the client, and to the server where it gave a token. */
function progressTeller(
  { env, ctx, onProgress }: SamplingContext,
  waiting: Waiting,
  token: RequestId | undefined,
): (state: RunProgress) => void {
  let count = 0;
  let posted: Promise<unknown> = Promise.resolve();
  return (state) => {
    onProgress(state);
    if (token === undefined) return;
    count += 1;
    const params = { progressToken: token, progress: count, message: progressMessages[state] };
    // One after the other: progress must not go backwards (utilities/progress).
    posted = posted.then(() => postToServer(env, waiting, { jsonrpc: "2.0", method: "notifications/progress", params }));
    ctx.waitUntil(posted);
  };
}

/** The first member of a request that was not declared to this server in this revision, or null. */
function undeclaredIn({ request, task: asTask }: ParsedSampling, server: Server, revision: string): "tools" | "toolChoice" | "task" | null {
  const { samplingTools, tasks } = featuresOf(revision);
  const hasTools = samplingSettings(server).tools && samplingTools;
  if (!hasTools && request.tools !== undefined) return "tools";
  if (!hasTools && request.toolChoice !== undefined) return "toolChoice";
  return !(server.tasks && tasks) && asTask !== undefined ? "task" : null;
}

/** Answers the server's `tasks/*` request about one of our tasks. */
async function task(context: SamplingContext, { method, params }: ServerRequest): Promise<RpcAnswer> {
  const { env, key, session } = context;
  const refuse = refusing(context, method);
  const parsed = parseTaskParams(params);
  if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
  const { taskId } = parsed.value;
  // The stream may be older than the key's revocation.
  const refused = await countCalls(env, key);
  if (refused !== null) return refuse(refused);
  const answer = await askOwnTask(env, key.id, method, taskId);
  if (!answer.ok) return refuse(answer.error);
  if (answer.value.kind === "told") return { result: answer.value.result };
  const outcome = await awaitRun(env, taskId, () => {}, new AbortController().signal);
  const { encode } = mcpCodec(session.revision);
  return relatedTo(taskId, encode(await signedOutcome(env, outcome, encode)));
}

/**
 * A sampling request that the client was asked first, and the client's request that it serves.
 * Stored as JSON with these names.
 */
type ParkedSampling = { readonly taken: ServerRequest; readonly originating: Originating };

/**
 * Parks a request that passes through to the client, in case the client declines it. Where the
 * answer has to be posted with the client's own credential nothing is parked, because the gateway
 * does not store that credential.
 */
export async function park({ env, session, originating, authorization }: SamplingContext, request: ServerRequest): Promise<void> {
  const [id] = forwardedIds(settingsOf(env).keys, session.name, request.id);
  if (id === undefined || originating === null || authorization !== null) return;
  const parked: ParkedSampling = { taken: request, originating };
  await runStub(env, id).park(JSON.stringify(parked));
}

/** Takes the parked request with this id: null where there is none, and at every later call. */
export async function takeParked(
  { env, session }: Pick<SamplingContext, "env" | "session">,
  request: RequestId,
): Promise<ParkedSampling | null> {
  for (const id of forwardedIds(settingsOf(env).keys, session.name, request)) {
    const text = await runStub(env, id).takeParked();
    if (text !== null) return JSON.parse(text) as ParkedSampling; // written by park
  }
  return null;
}

/** Whether a request of the server about a task is about one of ours. */
export const isOurTask = (env: Env, params: JsonObject | null): boolean =>
  typeof params?.["taskId"] === "string" && parseRunId(settingsOf(env).keys, params["taskId"]) !== undefined;

export async function cancelSampling(context: SamplingContext, request: RequestId): Promise<void> {
  await sessionIn(context).cancelRequest(idKey(request), servedIn(context));
}

const sessionIn = ({ env, key, session }: Pick<SamplingContext, "env" | "key" | "session">) =>
  sessionStub(env, key.id, associationSession(session));

const servedIn = ({ session, originating }: SamplingContext): string | null =>
  originating === null ? null : originatingKey(session.server, originating.id);

/**
 * Whether a cancellation's reason is the server's own timeout, as SDKs word it
 * (`Request timed out`).
 */
export const isTimeout = (reason: string | null): boolean => reason !== null && /timed[ -]?out|time-?out/i.test(reason);

/**
 * The server timed out on one of its sampling requests. Nothing is withdrawn: its next try finds
 * what people decided meanwhile.
 */
export async function abandonSampling(context: SamplingContext, request: RequestId): Promise<void> {
  await sessionIn(context).abandonRequest(idKey(request), servedIn(context));
}

/** The client's requests ended, and with them every sampling request that serves them. */
export async function endOriginating(context: Pick<SamplingContext, "env" | "key" | "session">, ids: readonly RequestId[]): Promise<void> {
  const named = ids.map((id) => originatingKey(context.session.server, id));
  await sessionIn(context).endOriginating(named, "originatingRequest", true);
}

// What a server asks of its client and the relay answers: sampling, and the tasks that came of it. Each is answered by a POST to
// the server, in its own session: at once where it cannot be served, by the run itself where people are asked, and else from here.

import type { JsonObject } from "../../../shared/encoding.ts";
import { type RequestId, type RpcAnswer, idKey, responseOf } from "../../../shared/wire/json-rpc.ts";
import type { Outcome, Refusal } from "../../../shared/model/outcome.ts";
import { RELAY_SESSION_PREFIX } from "../../../shared/wire/mcp-2025/meta.ts";
import { mcpCodec } from "../../../shared/wire/mcp-codecs.ts";
import { featuresOf } from "../../../shared/wire/mcp-features.ts";
import type { ParsedSampling } from "../../../shared/wire/mcp-2025/sampling-params.ts";
import { createTaskResult, parseTaskParams, relatedTo } from "../../../shared/wire/mcp-2025/tasks.ts";
import { type Originating, type Signs, associationOf, maySample, namedTask } from "../../../shared/association/relay-association.ts";
import { type ServerRequest, samplingMethod } from "../../../shared/relay/messages.ts";
import { forwardedIds } from "../../../shared/relay/passed-through.ts";
import type { ServerContext } from "../../../shared/relay/added-context.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import type { RelaySession } from "../../../shared/relay/session-id.ts";
import type { RunProgress } from "../../../shared/review/view.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { runStub, sessionStub } from "../../stubs/stubs.ts";
import { countCalls } from "../../pipeline/calls.ts";
import { progressMessages } from "../../http/keep-alive.ts";
import { paramsRefusal, recordRefusal } from "../../pipeline/refusals.ts";
import { beginSampling, originatingKey } from "../../pipeline/sampling-call.ts";
import { askOwnTask } from "../../pipeline/own-task.ts";
import { taskOf } from "../../pipeline/task.ts";
import { awaitRun } from "../../pipeline/wait.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { KeyRecord } from "../../stores/keys.ts";
import { type Waiting, postToServer } from "../../mcp-client/answer-server.ts";

export type SamplingParts = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: KeyRecord;
  readonly session: RelaySession;
  readonly server: Server;
  readonly authorization: string | null;
  /** The client's request on whose response stream a server asks, or for whose task; null on a stream that belongs to no request. */
  readonly originating: Originating | null;
  /** Hears what is waited for, for the client. */
  readonly onProgress: (state: RunProgress) => void;
  /** Whether the client's request has its response already. */
  readonly isOver: boolean;
  /** The request that brought this here is over at once: the model is called by a run. */
  readonly isBrief: boolean;
  /** Whether the server gave up this request of its own. */
  readonly gaveUp: (request: RequestId) => boolean;
};

/** The session that association goes by: the relay's own, which no host can name. */
export const associationSession = ({ name }: RelaySession): string => `${RELAY_SESSION_PREFIX}${name}`;

/** Answers one request of the server. Never throws. */
export async function answerTaken(parts: SamplingParts, taken: ServerRequest): Promise<void> {
  const { env, session, server, authorization } = parts;
  const waiting: Waiting = { server, session: session.upstream, revision: session.revision, authorization };
  try {
    const answer = taken.method === samplingMethod ? await sample(parts, waiting, taken) : await task(parts, taken);
    if (answer !== null) await post(env, waiting, taken.id, answer);
  } catch (error) {
    const quote = crypto.randomUUID();
    logEvent("request.failed", { quote, error: errorClass(error) });
    await post(env, waiting, taken.id, refusing(parts, taken.method, parts.originating?.name)({ kind: "broken", quote }));
  }
}

/** What the server is told of a refusal, which goes into the record. */
const refusing =
  ({ env, ctx, key, session }: SamplingParts, method: string, name?: string) =>
  (refusal: Refusal): RpcAnswer => {
    recordRefusal(env, ctx, { key: key.id, endpoint: "relay", server: session.server, method, name }, refusal);
    return mcpCodec(session.revision).encode({ kind: "refused", refusal });
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
async function sample(parts: SamplingParts, waiting: Waiting, { id, params }: ServerRequest): Promise<RpcAnswer | null> {
  const { env, ctx, key, session, server, authorization } = parts;
  const codec = mcpCodec(session.revision);
  const association = associationOf(server.association, await signsOf(parts, params));
  if (!association.ok) return refusing(parts, samplingMethod)({ kind: "notAssociated", why: association.error });
  const { originating, evidence } = association.value;
  const { method } = originating;
  const refuse = refusing(parts, samplingMethod, originating.name);
  if (parts.isOver) return refuse({ kind: "notAssociated", why: "originatingRequestEnded" });
  if (server.samplingTools !== undefined && method === "tools/call" && !server.samplingTools.includes(originating.name))
    return refuse({ kind: "policyRefused", rule: "the server's samplingTools" });
  const parsed = codec.decode(params);
  if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
  const undeclared = undeclaredIn(parsed.value, server, session.revision);
  if (undeclared !== null)
    return refuse({ kind: "invalidParams", errors: [{ pointer: `/${undeclared}`, message: "was not declared by the client" }] });
  const asTask = parsed.value.task;
  const begun = await beginSampling({
    env,
    ctx,
    key,
    id,
    params,
    evidence,
    ...(server.context ? { context: () => contextOf(parts, originating) } : {}),
    parsed: {
      ...parsed.value,
      meta: {
        session: associationSession(session),
        originating: { id: originating.id, method, name: originating.name, server: session.server },
        ...(parsed.value.meta.progressToken === undefined ? {} : { progressToken: parsed.value.meta.progressToken }),
      },
    },
    responseMode:
      asTask !== undefined
        ? { kind: "task", ttlMs: asTask.ttl ?? null }
        : authorization !== null
          ? { kind: "sync" }
          : {
              kind: "callback",
              waiting: { server: session.server, session: session.upstream, revision: session.revision, id },
              alwaysRun: parts.isBrief,
            },
    signal: new AbortController().signal,
  });
  if (!begun.ok) return refuse(begun.error);
  // A cancellation that came while it was begun found nothing to withdraw.
  if (parts.gaveUp(id)) await cancelTaken(parts, id);
  if (begun.value.kind === "answered") return codec.encode(begun.value.outcome);
  const tell = progressTeller(parts, waiting, parsed.value.meta.progressToken);
  if (begun.value.kind === "fast") {
    tell("generating");
    return codec.encode(await begun.value.outcome);
  }
  const { run, posts } = begun.value;
  if (asTask !== undefined) {
    const snapshot = await runStub(env, run).snapshot();
    return snapshot === null ? refuse({ kind: "noLongerKept" }) : { result: createTaskResult(taskOf(snapshot)) };
  }
  if (posts && parts.isBrief) return null;
  const outcome = await waitTelling(parts, run, tell);
  return posts ? null : codec.encode(outcome);
}

/** What may be added to the request, where the policy lets it. */
async function contextOf({ env, key, session }: SamplingParts, { method, name, arguments: given }: Originating): Promise<ServerContext> {
  const instructions = await sessionStub(env, key.id, associationSession(session)).instructions();
  return { instructions, request: { method, name, arguments: given ?? null } };
}

/** What there is to tell by which request is served; the session is asked only where the stream does not show it. */
async function signsOf({ env, key, session, originating }: SamplingParts, params: JsonObject | null): Promise<Signs> {
  if (originating !== null && maySample(originating)) return { stream: originating, task: null, inFlight: [] };
  const named = namedTask(params);
  const { task, inFlight } = await sessionStub(env, key.id, associationSession(session)).associationSigns(named);
  const parse = (text: string): Originating => JSON.parse(text) as Originating; // written by keepTask and InFlight.open
  return { stream: originating, task: named === null ? null : task === null ? "unknown" : parse(task), inFlight: inFlight.map(parse) };
}

/** The longest id of a server's own task that is followed. */
const longestTaskId = 512;

/** Whether the server runs the client's request as a task: the id of it is in the response, and is kept. */
export async function keepTask(
  { env, key, session }: Pick<SamplingParts, "env" | "key" | "session">,
  response: unknown,
  { id, method, name }: Originating,
): Promise<boolean> {
  const taskId = (response as { result?: { task?: { taskId?: unknown } } } | null)?.result?.task?.taskId; // looked at below
  if (typeof taskId !== "string" || taskId.length > longestTaskId) return false;
  await sessionStub(env, key.id, associationSession(session)).keepTask(taskId, JSON.stringify({ id, method, name }));
  return true;
}

/** The client's request that a task of the server runs for, on the stream of `tasks/result`; null for any other stream. */
export async function servedByTask(
  { env, key, session }: Pick<SamplingParts, "env" | "key" | "session">,
  request: Originating | null,
): Promise<Originating | null> {
  if (request?.method !== "tasks/result") return null;
  const named = await sessionStub(env, key.id, associationSession(session)).taskServes(request.name);
  return named === null ? null : (JSON.parse(named) as Originating); // written by keepTask
}

/** The run's answer, with progress again and again: it is what resets the patience of whoever asked for it. */
async function waitTelling({ env }: SamplingParts, run: string, tell: (state: RunProgress) => void): Promise<Outcome> {
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

/** Tells the client, and the server where it gave a token. */
function progressTeller(
  { env, ctx, onProgress }: SamplingParts,
  waiting: Waiting,
  token: RequestId | undefined,
): (state: RunProgress) => void {
  let count = 0;
  let telling: Promise<unknown> = Promise.resolve();
  return (state) => {
    onProgress(state);
    if (token === undefined) return;
    count += 1;
    const params = { progressToken: token, progress: count, message: progressMessages[state] };
    // One after the other: progress that arrives out of order would go backwards.
    telling = telling.then(() => postToServer(env, waiting, { jsonrpc: "2.0", method: "notifications/progress", params }));
    ctx.waitUntil(telling);
  };
}

/** What of a request was not declared to this server in this revision. */
function undeclaredIn({ request, task: asTask }: ParsedSampling, server: Server, revision: string): "tools" | "toolChoice" | "task" | null {
  const { samplingTools, tasks } = featuresOf(revision);
  if (!(server.tools && samplingTools) && request.tools !== undefined) return "tools";
  if (!(server.tools && samplingTools) && request.toolChoice !== undefined) return "toolChoice";
  return !(server.tasks && tasks) && asTask !== undefined ? "task" : null;
}

/** A task of ours, asked about by the server. */
async function task(parts: SamplingParts, { method, params }: ServerRequest): Promise<RpcAnswer> {
  const { env, key, session } = parts;
  const refuse = refusing(parts, method);
  const parsed = parseTaskParams(params);
  if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
  const { taskId } = parsed.value;
  // The stream that it came on may be older than the revocation.
  const refused = await countCalls(env, key);
  if (refused !== null) return refuse(refused);
  const answer = await askOwnTask(env, key.id, method, taskId);
  if (!answer.ok) return refuse(answer.error);
  if (answer.value.kind === "told") return { result: answer.value.result };
  const outcome = await awaitRun(env, taskId, () => {}, new AbortController().signal);
  return relatedTo(taskId, mcpCodec(session.revision).encode(outcome));
}

/** A sampling request that the client was asked first, and the request that it serves. */
export type ParkedSampling = { readonly taken: ServerRequest; readonly originating: Originating };

/**
 * Keeps a request that goes on to the client, for the case that it declines. Where the answer has to be posted with the client's own
 * credential, nothing is kept: nobody would have that later.
 */
export async function park({ env, session, originating, authorization }: SamplingParts, taken: ServerRequest): Promise<void> {
  const [id] = forwardedIds(settingsOf(env).keys, session.name, taken.id);
  if (id === undefined || originating === null || authorization !== null) return;
  const held: ParkedSampling = { taken, originating };
  await runStub(env, id).park(JSON.stringify(held));
}

/** What was kept of the request with this id, once. */
export async function takeHeld(
  { env, session }: Pick<SamplingParts, "env" | "session">,
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

/** The server gave up one of its sampling requests. */
export async function cancelTaken({ env, key, session, originating }: SamplingParts, request: RequestId): Promise<void> {
  const named = originating === null ? null : originatingKey(session.server, originating.id);
  await sessionStub(env, key.id, associationSession(session)).cancelRequest(idKey(request), named);
}

/**
 * The server's own patience ended, as SDKs say it (`Request timed out`): that withdraws nothing, and its next try finds what people
 * decided meanwhile.
 */
export const isImpatience = (reason: string | null): boolean => reason !== null && /timed[ -]?out|time-?out/i.test(reason);

export async function abandonTaken({ env, key, session, originating }: SamplingParts, request: RequestId): Promise<void> {
  const named = originating === null ? null : originatingKey(session.server, originating.id);
  await sessionStub(env, key.id, associationSession(session)).abandonRequest(idKey(request), named);
}

/** The client's requests are over: what they were sampled for is over with them. */
export async function endOriginating(
  { env, key, session }: Pick<SamplingParts, "env" | "key" | "session">,
  ids: readonly RequestId[],
): Promise<void> {
  const named = ids.map((id) => originatingKey(session.server, id));
  await sessionStub(env, key.id, associationSession(session)).endOriginating(named, "originatingRequest", true);
}

// A call as a task, for clients of 2026-07-28 that declared the extension: while a person reviews,
// the client has a handle to ask about and need not come back with its request. The call is the
// CallObject's; a task's id is what finds it. Source: ext-tasks, 2026-07-28.

import { type JsonObject, fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import type { CallOwner } from "../../../../shared/credential/call-owner.ts";
import { readJsonOf } from "../../../../shared/json/json-of.ts";
import { edited, memberIn, membersOf, textAt } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { type InputRequest, inputsOf } from "../../../../shared/relay/rounds.ts";
import { parseRunId, seal, unsealAny } from "../../../../shared/sealed-id.ts";
import { type RpcAnswer, type RpcError, errorAnswer } from "../../../../shared/wire/json-rpc.ts";
import { tasksExtension } from "../../../../shared/wire/mcp-2026/meta-keys.ts";
import { type StatelessRequest, clientCapabilitiesKey, missingCapabilityCode } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { CallStatus } from "../../../stubs/call-calls.ts";
import type { AppContext } from "../../app-context.ts";
import type { ResponseStreamOutput, RoundCall } from "../calls/call-rounds.ts";
import { endOriginating } from "../sampling/relay-sampling.ts";
import { type Driven, drive, keepAnswers } from "../calls/rounds-driver.ts";
import type { RelayRequest } from "../relay-request.ts";

const domain = "countersign/relay-task/v2";

/** What a task's id says: the call, and the request that it carries on. */
export type TaskPlace = {
  readonly server: string;
  /** The name of the call's object (`callStub`). */
  readonly digest: string;
  readonly attempt: string;
  readonly name: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly owner: CallOwner | null;
};

const longestName = 200;

type Sealed = [server: string, digest: string, attempt: string, name: string, createdAt: number, owner: CallOwner | null];

function taskId(c: AppContext, { server, digest, attempt, name, createdAt, owner }: TaskPlace): string {
  const fields: Sealed = [server, digest, attempt, name.slice(0, longestName).toWellFormed(), createdAt, owner];
  return `call_${seal(settingsOf(c.env).keys, domain, utf8ToBytes(JSON.stringify(fields)))}`;
}

/**
 * The place that a task's id of this server names; null for any other id, which is the server's
 * own.
 */
export function taskPlace(c: AppContext, { name: visited }: RelayRequest, id: unknown): TaskPlace | null {
  const payload = typeof id === "string" && id.startsWith("call_") ? unsealAny(settingsOf(c.env).keys, domain, id.slice(5)) : undefined;
  if (payload === undefined) return null;
  const [server, digest, attempt, name, createdAt, owner] = JSON.parse(fromUtf8(payload)) as Sealed; // sealed above
  return server === visited ? { server, digest, attempt, name, createdAt, owner } : null;
}

/**
 * What a client listens to (`subscriptions/listen`), without tasks of ours: its server knows of
 * none, and does not hear of them.
 */
export function withoutOurTasks({ env }: AppContext, body: Uint8Array): Uint8Array {
  const { keys } = settingsOf(env);
  const isOurs = (id: unknown): boolean =>
    typeof id === "string" &&
    (parseRunId(keys, id) !== undefined || (id.startsWith("call_") && unsealAny(keys, domain, id.slice(5)) !== undefined));
  const filter = memberIn(body, "params", "notifications");
  if (filter === undefined) return body;
  const edits = membersOf(body, filter).flatMap((member) => {
    const ids = parseJson(textAt(body, member));
    return Array.isArray(ids) && ids.some(isOurs) ? [{ ...member, text: JSON.stringify(ids.filter((id) => !isOurs(id))) }] : [];
  });
  return edited(body, edits);
}

export const declaresTasks = (capabilities: JsonObject): boolean =>
  objectOf(objectOf(capabilities["extensions"])?.[tasksExtension]) !== null;

export const tasksUndeclared: RpcError = {
  code: missingCapabilityCode,
  message: `This request needs the extension ${tasksExtension} among the client's capabilities`,
  data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
};

/** `_meta` without the extension: the server's own task cannot be carried inside of ours. */
export function withoutTasks(meta: JsonObject): JsonObject {
  const capabilities = objectOf(meta[clientCapabilitiesKey]) ?? {};
  const extensions = Object.entries(objectOf(capabilities["extensions"]) ?? {}).filter(([name]) => name !== tasksExtension);
  return { ...meta, [clientCapabilitiesKey]: { ...capabilities, extensions: Object.fromEntries(extensions) } };
}

const ttlMs = 24 * 3_600_000;
const pollIntervalMs = 5_000;

/** What every shape of a task has. */
function taskOf(c: AppContext, place: TaskPlace, status: string, statusMessage?: string): JsonObject {
  return {
    taskId: taskId(c, place),
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: new Date(place.createdAt).toISOString(),
    lastUpdatedAt: new Date().toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}

/** The result that hands the call over to its task. The CallObject has stored it. */
export const createdTask = (c: AppContext, place: TaskPlace): JsonObject => ({
  resultType: "task",
  ...taskOf(c, place, "working", "Waiting for a person's review"),
});

/** A task as `tasks/get` answers it. */
function taskResult(c: AppContext, place: TaskPlace, done: Driven): JsonObject | null {
  const complete = (status: string, more: JsonObject, message?: string): JsonObject => ({
    resultType: "complete",
    ...taskOf(c, place, status, message),
    ...more,
  });
  switch (done.kind) {
    case "ended":
      return endedTask(readJsonOf(done.answer), complete);
    case "asks":
      return complete("input_required", { inputRequests: taskInputs(done.requests, done.at.round) });
    case "waits":
      return complete("working", {}, "Waiting for a person's review");
    case "gone":
      return null;
    default:
      return done satisfies never;
  }
}

const cancelledCode = -32_800;

function endedTask(answer: RpcAnswer, complete: (status: string, more: JsonObject, message?: string) => JsonObject): JsonObject {
  if ("result" in answer) return complete("completed", { result: answer.result });
  if (answer.error.code === cancelledCode) return complete("cancelled", {});
  return complete("failed", { error: errorAnswer(answer.error).error as unknown as JsonObject }, answer.error.message); // JSON
}

/** A key is asked once in the whole life of a task: it has its round before it. */
const taskInputs = (requests: readonly InputRequest[], round: number): JsonObject =>
  inputsOf(requests.map((each) => ({ ...each, key: `${round}.${each.key}` })));

/**
 * Keeps the client's answers to what its task asks; all others are ignored (ext-tasks, "Task Update
 * Requests").
 */
async function updateTask(call: RoundCall, state: CallStatus, given: ReadonlyMap<string, string> | null): Promise<void> {
  if (state.kind === "waiting" && given !== null) await keepAnswers(call, state, (key) => given.get(`${state.round}.${key}`));
}

/** How long a request about a task waits for what it is about. */
const getMs = 1_000;
const silent: ResponseStreamOutput = { say: () => {}, tell: () => {} };

/** Answers a request about a task of ours. */
export async function answerTask(
  call: RoundCall,
  place: TaskPlace,
  method: string,
  given: ReadonlyMap<string, string> | null,
): Promise<RpcAnswer> {
  const { c, session } = call;
  const state = (await call.call.touch(place.attempt, c.var.key.id)) as CallStatus | null;
  if (state === null) return unknownTask;
  if (method === "tasks/update") {
    await updateTask(call, state, given);
    return acknowledged;
  }
  if (method === "tasks/cancel") {
    await call.call.cancel(place.attempt);
    await endOriginating({ env: c.env, key: c.var.key, session }, [place.attempt]).catch(() => {});
    return acknowledged;
  }
  const enough = new Promise((resolve) => setTimeout(resolve, getMs));
  const done = await drive(call, state, { stream: silent, enough });
  const result = taskResult(c, place, done);
  return result === null ? unknownTask : { result };
}

const acknowledged: RpcAnswer = { result: { resultType: "complete" } };
const unknownTask: RpcAnswer = { error: { code: -32_602, message: "There is no such task, or its time is over" } };

/** A request about a task of ours as the call that it carries on. */
export const toolCallOf = (request: StatelessRequest, { name }: TaskPlace): StatelessRequest => ({
  ...request,
  method: "tools/call",
  params: { name },
  meta: withoutTasks(request.meta),
});

/** What the server says of itself, and that the gateway has tasks. */
export function withTasksDeclared(result: JsonObject): JsonObject {
  const capabilities = objectOf(result["capabilities"]) ?? {};
  const extensions = { ...objectOf(capabilities["extensions"]), [tasksExtension]: {} };
  return { ...result, capabilities: { ...capabilities, extensions } };
}

export const isTaskMethod = (method: string): boolean => ["tasks/get", "tasks/update", "tasks/cancel"].includes(method);

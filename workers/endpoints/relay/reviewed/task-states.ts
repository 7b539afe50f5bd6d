// A client's call that is a task, as its client is told of it in both families: its state, and its
// response in the end. Sources: 2025-11-25, basic/utilities/tasks; ext-tasks, 2026-07-28.

import { type JsonObject, fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { readJsonOf } from "../../../../shared/json/json-of.ts";
import { edited, memberIn, textAt, withMembers } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import type { Outcome } from "../../../../shared/model/outcome.ts";
import { argumentsJsonOf } from "../../../../shared/model/subject/tool-call.ts";
import { noticeText, unknownNotice, withEditedNotice } from "../../../../shared/relay/call-notices.ts";
import { withId } from "../../../../shared/relay/message-bytes.ts";
import { callResult } from "../../../../shared/run/relayed-tool-call.ts";
import { RELATED_TASK_META, type Task, createTaskResult, taskResult } from "../../../../shared/wire/mcp-2025/tasks.ts";
import { type RequestId, success } from "../../../../shared/wire/json-rpc.ts";
import type { CallTask } from "../../../stubs/run-calls.ts";

/** Advice to the client. */
const pollIntervalMs = 2_000;

const words = {
  waiting: "Waiting for a person to review the call",
  approved: "The call is approved, and not sent yet",
  generating: "The call is running",
  responseReview: "Waiting for a person to review the result",
  completed: "The result is ready",
  cancelled: "The call was withdrawn",
  asks: "The server asks for input",
} as const;

/** `waitsFor`: why an approved call does not go on, where more is known of that. */
export type ShownTask = CallTask & { readonly waitsFor?: string };

/** What a task that has not ended is at. */
function wordsOf({ state, isApproved, waitsFor }: ShownTask): string {
  if (isApproved) return waitsFor ?? words.approved;
  return state === "waiting" || state === "responseReview" ? words[state] : (waitsFor ?? words.generating);
}

/** What the model may be told at once, in the place of a result. */
const immediateKey = "io.modelcontextprotocol/model-immediate-response";
const immediate = "A person has to approve this call before it runs. Its result comes later; do not call it again.";

type TaskState = { readonly status: Task["status"]; readonly message: string; readonly response: Uint8Array | null };

/** The result that hands a call over to its task. */
export function createdTask(task: CallTask, isStateless: boolean): JsonObject {
  // A task begins so, whatever became of it meanwhile.
  const begun: TaskState = { status: "working", message: words.waiting, response: null };
  const said = task.state === "waiting" ? { _meta: { [immediateKey]: immediate } } : {};
  return isStateless ? { resultType: "task", ...statelessTask(task, begun) } : { ...createTaskResult(sessionTask(task, begun)), ...said };
}

/** The task as the result of `tasks/get` and `tasks/cancel` in a session. */
export const taskInSession = (task: ShownTask): JsonObject => taskResult(sessionTask(task, stateOf(task, false)));

/** The answer to `tasks/get` of 2026-07-28, as JSON. The response is in it, byte for byte. */
export function taskAlone(id: RequestId, task: ShownTask): string {
  const state = stateOf(task, true);
  const asks = state.status === "input_required" ? { inputRequests: task.asks } : {};
  const message = utf8ToBytes(JSON.stringify(success(id, { resultType: "complete", ...statelessTask(task, state), ...asks })));
  const result = memberIn(message, "result");
  const said = state.response === null || state.status === "cancelled" ? undefined : endIn(state.response);
  if (result === undefined || said === undefined) return fromUtf8(message);
  const at = { from: result.to - 1, to: result.to - 1 };
  return fromUtf8(edited(message, [{ ...at, text: `,"${said.name}":${said.text}` }]));
}

/** The answer to `tasks/result`, as JSON; null where there is none yet. */
export function responseTo(id: RequestId, task: CallTask): string | null {
  const { response } = stateOf(task, false);
  if (response === null) return null;
  const named = withId(response, JSON.stringify(id));
  const result = memberIn(named, "result");
  if (result === undefined) return fromUtf8(named);
  const meta = memberIn(named, "result", "_meta");
  const related = { [RELATED_TASK_META]: { taskId: task.id } };
  return fromUtf8(edited(named, meta === undefined ? withMembers(named, result, { _meta: related }) : withMembers(named, meta, related)));
}

const sessionTask = ({ id, createdAt, updatedAt, ttlMs }: CallTask, { status, message }: TaskState): Task => ({
  taskId: id,
  status,
  statusMessage: message,
  createdAt,
  lastUpdatedAt: updatedAt,
  ttl: ttlMs,
  pollInterval: pollIntervalMs,
});

const statelessTask = (task: CallTask, { status, message }: TaskState): JsonObject => ({
  taskId: task.id,
  status,
  statusMessage: message,
  createdAt: new Date(task.createdAt).toISOString(),
  lastUpdatedAt: new Date(task.updatedAt).toISOString(),
  ttlMs: task.ttlMs,
  pollIntervalMs,
});

/** What a task is: a person who reviews it is not its client, so it is `working` meanwhile. */
function stateOf(task: ShownTask, isStateless: boolean): TaskState {
  const { state, outcome, asks } = task;
  // A task is `cancelled` before the response to its cancellation.
  if (outcome === null)
    return state === "cancelled"
      ? { status: "cancelled", message: words.cancelled, response: null }
      : asks === null
        ? { status: "working", message: wordsOf(task), response: null }
        : { status: "input_required", message: words.asks, response: null };
  const ended = readJsonOf(outcome);
  const response = responseOf(task, ended, isStateless);
  if (ended.kind === "cancelled") return { status: "cancelled", message: textIn(response), response };
  const { result } = objectOf(parseJson(fromUtf8(response))) ?? {};
  const isError = objectOf(result) === null || objectOf(result)?.["isError"] === true;
  // An error of the tool is a result of the task in 2026-07-28, and its failure before that.
  const isFailed = isStateless ? objectOf(result) === null : isError;
  return { status: isFailed ? "failed" : "completed", message: isError ? textIn(response) : words.completed, response };
}

/** The response to the call, as if nobody had waited. */
function responseOf(task: CallTask, ended: Outcome, isStateless: boolean): Uint8Array {
  const { passed, isSent, asked, id } = task;
  if (passed !== null && (ended.kind === "approved" || ended.kind === "failed")) return utf8ToBytes(passed);
  const result = ended.kind === "approved" ? unknownNotice(id) : callResult(ended, id, isSent);
  const response = utf8ToBytes(JSON.stringify(success(0, isStateless ? { resultType: "complete", ...result } : result)));
  return withEditedNotice(response, { before: asked, after: ended.kind === "ran" ? argumentsJsonOf(ended.call) : asked });
}

function endIn(response: Uint8Array): { readonly name: string; readonly text: string } | undefined {
  for (const name of ["result", "error"]) {
    const span = memberIn(response, name);
    if (span !== undefined) return { name, text: textAt(response, span) };
  }
  return undefined;
}

const longestMessage = 500;

/** What a response says of its failure, in a line. */
function textIn(response: Uint8Array): string {
  const { result, error } = objectOf(parseJson(fromUtf8(response))) ?? {};
  const said = objectOf(error)?.["message"] ?? noticeText(objectOf(result) ?? {});
  return String(said).slice(0, longestMessage).toWellFormed();
}

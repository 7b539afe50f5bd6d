// Reads and writes tasks of revision 2025-11-25 (`basic/utilities/tasks`) and
// `notifications/cancelled`. Says nothing about when a task changes its state.

import { isObject } from "../../json/values.ts";
import type { JsonObject } from "../../encoding.ts";
import { err, ok, type Result } from "../../result.ts";
import { type Field, object, optional, text } from "../../json/fields.ts";
import { checkJson } from "../../json/json-rules.ts";
import { type ParamsRefusal, IssueCollector } from "../../json/issue-collector.ts";
import type { RequestId, RpcAnswer } from "../json-rpc.ts";
import { type OriginatingRequest, requestId, samplingMeta } from "./meta.ts";

export const RELATED_TASK_META = "io.modelcontextprotocol/related-task";

/** `input_required`: of a client's call alone, whose server asks that client for something. */
type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Times are Unix milliseconds. */
export type Task = {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  readonly createdAt: number;
  readonly lastUpdatedAt: number;
  /** Milliseconds from creation for which the task is kept; null is for ever. */
  readonly ttl: number | null;
  /** Milliseconds between polls, as advice. */
  readonly pollInterval?: number | undefined;
};

/**
 * The params of `tasks/get`, `tasks/result` and `tasks/cancel`. Refused: anything but an object
 * with a string `taskId`. Whether there is such a task is for the caller.
 */
export const parseTaskParams = (params: unknown): Result<{ readonly taskId: string }, ParamsRefusal> => parse(taskParams, params);

const taskParams = object({ taskId: text() });

function parse<T>(field: Field<T>, params: unknown): Result<T, ParamsRefusal> {
  const issues = new IssueCollector();
  checkJson(params, issues);
  const read = field.read(params, "", issues);
  const refusal = issues.invalid();
  return refusal === undefined ? ok(read) : err(refusal);
}

type Cancelled = {
  readonly requestId: RequestId;
  readonly reason?: string;
  readonly session?: string;
  readonly originating?: OriginatingRequest;
};

/**
 * The params of `notifications/cancelled`; the session is in `_meta` as in the request that is
 * cancelled. `requestId` is required: the schema has it optional for the sake of tasks, which are
 * cancelled with `tasks/cancel` and not with this.
 */
export function parseCancelled(params: unknown): Result<Cancelled, ParamsRefusal> {
  const cancelled = parse(cancelledParams, params);
  if (!cancelled.ok) return cancelled;
  const { requestId, reason, _meta: { session, originating } = {} } = cancelled.value;
  return ok({
    requestId,
    ...(reason !== undefined && { reason }),
    ...(session !== undefined && { session }),
    ...(originating !== undefined && { originating }),
  });
}

const cancelledParams = object({ requestId, _meta: optional(samplingMeta), reason: optional(text()) });

/** The task as the result of `tasks/get` and `tasks/cancel`, which are the bare task. */
export const taskResult = ({ createdAt, lastUpdatedAt, statusMessage, pollInterval, ...task }: Task): JsonObject => ({
  ...task,
  ...(statusMessage !== undefined && { statusMessage }),
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
  ...(pollInterval !== undefined && { pollInterval }),
});

/** The answer to a request that asked to run as a task. */
export const createTaskResult = (task: Task): JsonObject => ({ task: taskResult(task) });

/**
 * The same answer, the `_meta` of its result naming the task that it belongs to: required on the
 * result of `tasks/result`, whose own shape has no place for the task id.
 */
export function relatedTo(taskId: string, answer: RpcAnswer): RpcAnswer {
  if ("error" in answer) return answer;
  const meta = answer.result["_meta"];
  return { result: { ...answer.result, _meta: { ...(isObject(meta) ? meta : {}), [RELATED_TASK_META]: { taskId } } } };
}

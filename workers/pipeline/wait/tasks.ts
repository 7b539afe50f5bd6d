// A run as a task of revision 2025-11-25, for every endpoint that has tasks, and the calls of its
// requestor: its status, its cancellation, and its result.

import type { JsonObject } from "../../../shared/encoding.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import { type Task, taskResult } from "../../../shared/wire/mcp-2025/tasks.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { RunSnapshot } from "../../stubs/run-calls.ts";
import { runStub } from "../../stubs/stubs.ts";

/**
 * `told`: the result of the call. `awaited`: the result is the run's outcome, once there is one.
 */
type TaskAnswer = { readonly kind: "told"; readonly result: JsonObject } | { readonly kind: "awaited" };

/**
 * `key` is the requestor's key by its id. Refused: a task that is not its own or has ended, and any
 * other method.
 */
export async function askOwnTask(env: Env, key: string, method: string, taskId: string): Promise<Result<TaskAnswer, Refusal>> {
  // A made-up id never wakes an object, and another key's run is as unknown as one that never
  // existed.
  const genuine = parseRunId(settingsOf(env).keys, taskId) !== undefined;
  const snapshot = genuine ? await runStub(env, taskId).snapshot() : null;
  // What is decided about a call is no answer to a request for a model.
  if (snapshot === null || snapshot.key !== key || snapshot.act !== null) return err({ kind: "unknownTask" });
  const task = taskOf(snapshot);
  switch (method) {
    case "tasks/get":
      return ok({ kind: "told", result: taskResult(task) });
    case "tasks/cancel": {
      if (await runStub(env, taskId).cancel("caller"))
        return ok({ kind: "told", result: taskResult({ ...task, status: "cancelled", lastUpdatedAt: Date.now() }) });
      return err({ kind: "taskEnded", status: task.status === "working" ? "ending" : task.status });
    }
    case "tasks/result":
      return ok({ kind: "awaited" });
    default:
      return err({ kind: "unknownMethod", method });
  }
}

/** Advice to the task's requestor. */
const pollIntervalMs = 2_000;

/** Waiting for a reviewer is `working`: `input_required` would mean the requestor. */
export function taskOf(snapshot: RunSnapshot): Task {
  return {
    taskId: snapshot.id,
    status: taskStatus(snapshot),
    statusMessage: statusMessages[snapshot.state] ?? snapshot.state,
    createdAt: snapshot.createdAt,
    lastUpdatedAt: snapshot.updatedAt,
    ttl: snapshot.ttlMs,
    pollInterval: pollIntervalMs,
  };
}

function taskStatus({ outcome, state }: RunSnapshot): Task["status"] {
  // A task is `cancelled` before the response to its cancellation (2025-11-25,
  // basic/utilities/tasks).
  if (state === "cancelled") return state;
  // Until the outcome may be delivered the task is `working`, also after the decision.
  if (outcome === null) return "working";
  return state === "completed" ? state : "failed";
}

const statusMessages: Readonly<Record<string, string>> = {
  waiting: "Waiting for a person to review the request",
  generating: "Waiting for the model",
  responseReview: "Waiting for a person to review the reply",
  completed: "The reply is ready",
  rejected: "A reviewer denied the request",
  expired: "Nobody decided in time",
  cancelled: "The request was cancelled",
  failed: "The request failed",
};

// A run as a task of revision 2025-11-25, for every endpoint that has tasks.

import type { Task } from "../../../shared/wire/mcp-2025/tasks.ts";
import type { RunSnapshot } from "../../stubs/run-calls.ts";

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

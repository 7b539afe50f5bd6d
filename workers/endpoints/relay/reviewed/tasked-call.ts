// A call that becomes a task of the gateway's: its client has a handle at once, and its run sends
// it once it may be sent, so that no connection has to last until a person decides.

import { type JsonObject, fromUtf8 } from "../../../../shared/encoding.ts";
import { ownerOf } from "../../../../shared/credential/call-owner.ts";
import { readJsonOf } from "../../../../shared/json/json-of.ts";
import { withoutMember } from "../../../../shared/json/spans.ts";
import { objectOf } from "../../../../shared/json/values.ts";
import { paramsIn } from "../../../../shared/relay/message-bytes.ts";
import { metaOf, paramsOf } from "../../../../shared/relay/messages.ts";
import type { RelaySession } from "../../../../shared/relay/session-id.ts";
import type { RelayedRequest } from "../../../../shared/run/work.ts";
import { type RequestId, failure, success } from "../../../../shared/wire/json-rpc.ts";
import { clientCapabilitiesKey } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { featuresOf } from "../../../../shared/wire/mcp-features.ts";
import { jsonResponse } from "../../../http/json-response.ts";
import { originatingKey } from "../../../pipeline/incoming/sampling-call.ts";
import type { PipelineRequest } from "../../../pipeline/pipeline-request.ts";
import type { CallTask } from "../../../stubs/run-calls.ts";
import { runStub } from "../../../stubs/stubs.ts";
import type { AppContext } from "../../app-context.ts";
import type { WatchedRelayRequest } from "../relay-request.ts";
import { knownSession } from "../sessions/known-sessions.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { declaresTasks } from "../stateless/call-tasks.ts";
import { changed } from "./sent-call.ts";
import { createdTask } from "./task-states.ts";

/** What a client said of tasks with its call. `isAlways`: also where nobody reviews it. */
export type TaskWish = { readonly isAlways: boolean; readonly message: PostedMessage };

/**
 * Null: its client wants none, or could not read one. A client of 2026-07-28 says that it takes
 * tasks, and gets one where it would have to wait; one of a session asks for a task with the call.
 */
export function taskWishOf(message: PostedMessage, session: RelaySession | null): TaskWish | null {
  if (session === null) {
    const capabilities = objectOf(metaOf(message.value)?.[clientCapabilitiesKey]);
    return capabilities !== null && declaresTasks(capabilities) ? { isAlways: false, message } : null;
  }
  const task = objectOf(paramsOf(message.value)?.["task"]);
  if (task === null || !featuresOf(session.revision).tasks) return null;
  const isAlways = session.callTasks === "gateway";
  // A server that did not declare tasks may not take the word.
  const sent = session.callTasks === "server" ? message : changed(message, withoutMember(message.body, paramsIn(message.body), "task"));
  return { isAlways, message: sent };
}

/** Whether the session of a request was told that the gateway has tasks. */
export const runsTasksHere = (c: AppContext, relay: WatchedRelayRequest): boolean => knownSession(c, relay)?.callTasks === "gateway";

/** The call as one that its run sends. No other request repeats it, or gets its decision. */
export function asTask(
  c: AppContext,
  relay: WatchedRelayRequest,
  id: RequestId,
  wish: TaskWish,
  incoming: PipelineRequest,
): PipelineRequest {
  const { association, digest, sentContent: _, ...rest } = incoming;
  const relayed: RelayedRequest = {
    body: fromUtf8(wish.message.body),
    headers: [...c.req.raw.headers].filter(([name]) => isKept(name)).concat(sentHeaders),
    key: JSON.stringify(c.var.key),
    owner: relay.server.passAuthorization ? ownerOf(relay.authorization) : null,
    ...(relay.server.login?.account === undefined ? {} : { account: relay.server.login.account }),
  };
  return {
    ...rest,
    digest,
    content: () => digest,
    // Who carries a task out says how long it is kept, whatever was asked for (2025-11-25, "TTL").
    responseMode: { kind: "task", ttlMs: null, relayed },
    association:
      association.kind === "clientRequest"
        ? { ...association, requestRef: { ...association.requestRef, originating: taskKey(relay.name, id) } }
        : association,
  };
}

/** A task's request as its session knows it: no `notifications/cancelled` is about it. */
const taskKey = (server: string, id: RequestId): string => `${taskKeys}${originatingKey(server, id)}`;
export const taskKeys = "task.";

const isKept = (name: string): boolean => name.startsWith("mcp-") || name === "traceparent" || name === "tracestate";
const sentHeaders: [string, string][] = [
  ["accept", "application/json, text/event-stream"],
  ["content-type", "application/json"],
];

/** The response that hands a call over to its task. */
export async function taskCreated(c: AppContext, id: RequestId, run: string, isStateless: boolean): Promise<Response> {
  const task = await callTaskOf(c, run);
  if (task === null) return jsonResponse(failure(id, { code: -32_603, message: "The task could not be kept; call the tool again" }));
  return jsonResponse({ ...success(id, createdTask(task, isStateless)) } satisfies JsonObject);
}

/** A task by its id, whosever it is; null where there is none, or none any more. */
export async function callTaskOf({ env }: AppContext, run: string): Promise<CallTask | null> {
  const text = await runStub(env, run).callTask();
  return text === null ? null : readJsonOf(text);
}

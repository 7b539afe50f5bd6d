// A client's requests about its own calls that are tasks of the gateway's. A task belongs to its
// key, to the session in which it was made where there was one, and to the user whose credential
// came with it: for anybody else there is no such task. A task of the server's is the server's.

import { progressMessages } from "../../../http/keep-alive.ts";
import { heldResponse } from "./gateway-response.ts";
import { reachedBy } from "../../../../shared/relay/servers.ts";
import { ownerOf, ownership } from "../../../../shared/credential/call-owner.ts";
import { jsonOf } from "../../../../shared/json/json-of.ts";
import { withoutMember } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { dataOf, eventOf } from "../../../../shared/relay/event-stream.ts";
import { paramsIn } from "../../../../shared/relay/message-bytes.ts";
import { paramsOf } from "../../../../shared/relay/messages.ts";
import type { RelaySession } from "../../../../shared/relay/session-id.ts";
import type { RunProgress } from "../../../../shared/review/view.ts";
import { parseRunId } from "../../../../shared/sealed-id.ts";
import { RELATED_TASK_META } from "../../../../shared/wire/mcp-2025/tasks.ts";
import { type RequestId, type RpcError, failure, success, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { isStateless, readStateless } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { featuresOf } from "../../../../shared/wire/mcp-features.ts";
import { jsonResponse } from "../../../http/json-response.ts";
import { awaitRun, isCallerLeft } from "../../../pipeline/wait/wait.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { CallTask } from "../../../stubs/run-calls.ts";
import { runStub, sessionStub } from "../../../stubs/stubs.ts";
import type { AppContext } from "../../app-context.ts";
import { missingLogin } from "../login-notice.ts";
import type { WatchedRelayRequest } from "../relay-request.ts";
import { intoCell } from "../into-cell.ts";
import { discover, gatewayMeta } from "../negotiation.ts";
import { isTranslated } from "../translated/translated-relay.ts";
import { associationSession } from "../sampling/relay-sampling.ts";
import { type PostedMessage, sessionOf } from "../sessions/session-relay.ts";
import { declaresTasks, tasksUndeclared } from "../stateless/call-tasks.ts";
import { passAnswer, responseText } from "./call-answer.ts";
import { changed, writtenMessage } from "./sent-call.ts";
import { type ShownTask, responseTo, taskAlone, taskInSession } from "./task-states.ts";
import { callTaskOf, taskKeys } from "./tasked-call.ts";

type TaskRequest = {
  readonly c: AppContext;
  readonly relay: WatchedRelayRequest;
  readonly id: RequestId;
  readonly session: RelaySession | null;
};

const noSuchTask: RpcError = { code: -32_602, message: "There is no such task, or its time is over" };

const methods: ReadonlySet<unknown> = new Set(["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"]);

/** The answer to a request about tasks of ours; null for any other message. */
export async function taskAnswer(c: AppContext, relay: WatchedRelayRequest, message: PostedMessage): Promise<Response | null> {
  const { method, params, id: given } = objectOf(message.value) ?? {};
  const id = toRequestId(given);
  const isList = method === "tasks/list";
  const taskId = objectOf(params)?.["taskId"];
  const isOurs = typeof taskId === "string" && parseRunId(settingsOf(c.env).keys, taskId) !== undefined;
  if (id === undefined || (!isList && !(methods.has(method) && isOurs))) return null;
  const stateless = isStateless(message.value, c.req.raw.headers);
  const read = stateless ? readStateless(message.value, c.req.raw.headers) : null;
  // Its cell refuses what is no request of this revision, and the list, which it does not have.
  if (read?.ok === false || (stateless && isList)) return null;
  if (read?.ok === true && !declaresTasks(read.value.capabilities)) return refused(id, tasksUndeclared, 400);
  const session = stateless ? null : await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const request: TaskRequest = { c, relay, id, session };
  if (isList) return session === null || !featuresOf(session.revision).tasks ? null : listed(request, session, message);
  const known = await callTaskOf(c, String(taskId));
  if (known === null || !(await isOwn(request, known))) return refused(id, noSuchTask, stateless ? 400 : 200);
  const task = await resumed(request, known);
  switch (method) {
    case "tasks/get":
      return session === null ? written(taskAlone(id, task)) : jsonResponse(success(id, taskInSession(task)));
    case "tasks/cancel":
      return cancelled(request, task);
    case "tasks/update":
      if (session !== null) break;
      await runStub(c.env, task.id).answerTask(jsonOf(objectOf(objectOf(params)?.["inputResponses"]) ?? {}));
      return jsonResponse(success(id, { resultType: "complete" }));
    case "tasks/result":
      if (session !== null) return awaited(request, session, task, message);
      break;
    default:
  }
  return refused(id, { code: -32_601, message: `Method not found: ${String(method)}` }, stateless ? 404 : 200);
}

const refused = (id: RequestId, error: RpcError, status: number): Response => jsonResponse(failure(id, error), status);

const written = (text: string): Response =>
  new Response(text, { headers: { "Content-Type": "application/json", "Cache-Control": "no-store" } });

/** A task whose client is there now: its call is sent, or what that waits for is said. */
async function resumed({ c, relay }: TaskRequest, task: CallTask): Promise<ShownTask> {
  const { server, authorization } = relay;
  if (!task.mayResume || (server.passAuthorization ? authorization === null : server.login === undefined)) return task;
  const reached = reachedBy(server, relay.name, c.var.key.owner, task.account);
  const waitsFor = await missingLogin(c.env, { name: relay.name, server: reached });
  if (waitsFor !== null) return { ...task, waitsFor };
  await runStub(c.env, task.id).resumeTask(authorization);
  return task;
}

/** A run is no task of this client where anything of it differs. */
async function isOwn({ c, relay, session }: TaskRequest, task: CallTask): Promise<boolean> {
  const of = session === null ? null : sessionStub(c.env, c.var.key.id, associationSession(session)).id.toString();
  if (task.key !== c.var.key.id || task.server !== relay.name || task.session !== of) return false;
  if (!relay.server.passAuthorization) return task.owner === null;
  const whose = ownership(task.owner, ownerOf(relay.authorization));
  return whose === "own" || (whose === "refreshed" && accepts({ c, relay, session }));
}

/** Anybody can write another user's claims: the server has to accept this very token. */
async function accepts({ c, relay, session }: Pick<TaskRequest, "c" | "relay" | "session">): Promise<boolean> {
  if (session === null || isTranslated(session)) {
    const found = await discover(c.env, relay, gatewayMeta());
    return found.ok && found.value.kind === "stateless";
  }
  const id = crypto.randomUUID();
  const ping = writtenMessage({ jsonrpc: "2.0", id, method: "ping" });
  const response = await passAnswer(await intoCell(c, relay, ping), id, { pass: null }, relay.over);
  return objectOf(objectOf(parseJson(response ?? ""))?.["result"]) !== null;
}

async function cancelled({ c, id, session }: TaskRequest, { id: taskId }: CallTask): Promise<Response> {
  const isCancelled = await runStub(c.env, taskId).cancel("caller");
  if (session === null) return jsonResponse(success(id, { resultType: "complete" }));
  const task = isCancelled ? await callTaskOf(c, taskId) : null;
  return task === null
    ? refused(id, { code: -32_602, message: "Cannot cancel this task: it has ended" }, 200)
    : jsonResponse(success(id, taskInSession(task)));
}

/** Waits for the end of the task, however long its client does. */
const awaited = (request: TaskRequest, session: RelaySession, { id: taskId }: CallTask, message: PostedMessage): Response =>
  heldResponse(
    { c: request.c, id: request.id, message, endsWith: associationSession(session) },
    async ({ say, left, pass }) => {
      const { c, id } = request;
      const tellStatus = async (): Promise<void> => {
        const task = pass === null ? null : await callTaskOf(c, taskId);
        if (task === null) return;
        const params = taskInSession(await resumed(request, task));
        await pass?.(eventOf({ jsonrpc: "2.0", method: "notifications/tasks/status", params }));
      };
      const heard = (state: RunProgress): void => {
        say(state);
        c.executionCtx.waitUntil(tellStatus().catch(() => {}));
      };
      try {
        await awaitRun(c.env, taskId, heard, left, (event) => void pass?.(related(event, taskId)));
      } catch (error) {
        if (isCallerLeft(error)) return { response: null };
        throw error;
      }
      const task = await callTaskOf(c, taskId);
      const text = (task === null ? null : responseTo(id, task)) ?? JSON.stringify(failure(id, noSuchTask));
      return { response: responseText({ text, event: null }, { pass }) };
    },
    progressMessages,
  );

/** A message of the task's server, named as one of its task. */
function related(event: string, taskId: string): string {
  const message = objectOf(parseJson(dataOf(event) ?? "")) ?? {};
  const params = objectOf(message["params"]);
  const meta = { ...objectOf(params?.["_meta"]), [RELATED_TASK_META]: { taskId } };
  return eventOf({ ...message, params: { ...params, _meta: meta } });
}

const mostListed = 50;
/** Before the place in our own part of the list; a server's cursor is the server's. */
const ownCursor = "countersign/tasks/";

/** The tasks of this session, newest first, before those of a server that has its own. */
async function listed(request: TaskRequest, session: RelaySession, message: PostedMessage): Promise<Response | null> {
  const { c, relay, id } = request;
  const isServers = session.callTasks === "server";
  const cursor = paramsOf(message.value)?.["cursor"];
  const place = cursor === undefined ? 0 : Number(/^countersign\/tasks\/(\d{1,9})$/.exec(String(cursor))?.[1] ?? Number.NaN);
  if (Number.isNaN(place)) return isServers ? null : refused(id, { code: -32_602, message: "Invalid params: there is no such page" }, 200);
  const stub = sessionStub(c.env, c.var.key.id, associationSession(session));
  const runs = await stub.runsOf(taskKeys, place, mostListed);
  if (runs.length === 0 && cursor === undefined && session.callTasks === undefined) return null;
  const known = await Promise.all(runs.map((run) => callTaskOf(c, run)));
  const own = await Promise.all(known.map(async (task) => (task !== null && (await isOwn(request, task)) ? [taskInSession(task)] : [])));
  const tasks = own.flat();
  if (runs.length === mostListed) return jsonResponse(success(id, { tasks, nextCursor: `${ownCursor}${place + mostListed}` }));
  if (!isServers) return jsonResponse(success(id, { tasks }));
  const first = changed(message, withoutMember(message.body, paramsIn(message.body), "cursor"));
  const response = await passAnswer(await intoCell(c, relay, first), id, { pass: null }, relay.over);
  const theirs = objectOf(objectOf(parseJson(response ?? ""))?.["result"]);
  const listedThere = Array.isArray(theirs?.["tasks"]) ? theirs["tasks"] : [];
  return jsonResponse(success(id, { ...theirs, tasks: [...tasks, ...listedThere] }));
}

// Tasks of 2025-11-25 over POST /sampling: made, asked for, waited for and cancelled; each answer
// against the official schema.

import { describe, expect, test } from "vitest";
import { RELATED_TASK_META } from "../../../shared/wire/mcp-2025/tasks.ts";
import { ringNextAlarm, stubOf } from "../objects/inside.ts";
import {
  type Asked,
  answerOf,
  createKey,
  env,
  errorOf,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  openNotice,
  rpc,
  sample,
  travel,
} from "../support/gateway.ts";
import { replyMarker } from "../support/logs.ts";
import { expectOfficial } from "../support/official.ts";
import { decide } from "../support/reviewer.ts";
import { Stream, framesOf, isComment, messageOf } from "../support/stream.ts";

type Task = { readonly taskId: string; readonly status: string; readonly statusMessage: string; readonly ttl: number | null };

async function makeTask(asked: Asked = {}, task: object = {}, key?: string): Promise<Task> {
  const response = await sample({ ...asked, params: { ...asked.params, task } }, key === undefined ? {} : { key });
  expect(response.status).toBe(200);
  const { result } = await answerOf(response);
  expectOfficial("CreateTaskResult", result);
  return result?.["task"] as Task;
}

const getTask = async (taskId: string): Promise<Task> => {
  const { result } = await answerOf(rpc("tasks/get", { taskId }));
  expectOfficial("GetTaskResult", result);
  return result as unknown as Task;
};

const reaches = (taskId: string, status: string): Promise<Task> =>
  eventually(status, async () => {
    const task = await getTask(taskId);
    return task.status === status ? task : null;
  });

describe("a task", () => {
  test("is answered at once, waits as working for a person, and gives its result with the related task", async () => {
    const task = await makeTask({ server: "notes" }, { ttl: 60_000 });
    expect(task).toMatchObject({ status: "working", ttl: 60_000 });
    await openNotice("request", task.taskId);
    expect(await getTask(task.taskId)).toMatchObject({ status: "working", statusMessage: "Waiting for a person to review the request" });
    const result = rpc("tasks/result", { taskId: task.taskId });
    await decide("request", "approve");
    await openNotice("response", task.taskId);
    expect(await getTask(task.taskId)).toMatchObject({ status: "working", statusMessage: "Waiting for a person to review the reply" });
    await decide("response", "approve");
    const answer = await answerOf(result);
    expectOfficial("CreateMessageResult", answer.result);
    expect(answer.result).toMatchObject({
      content: { type: "text", text: `Hello. ${replyMarker}` },
      _meta: { [RELATED_TASK_META]: { taskId: task.taskId }, "countersign/run": { id: task.taskId } },
    });
    expect(await getTask(task.taskId)).toMatchObject({ status: "completed" });
    expect(await answerOf(rpc("tasks/result", { taskId: task.taskId }))).toMatchObject({ result: { role: "assistant" } });
  });

  test("runs in a run even where no gate is closed", async () => {
    const { taskId } = await makeTask({ server: "open" });
    await reaches(taskId, "completed");
    expect(model.calls).toHaveLength(1);
  });

  test("says how long it is kept: the retention time, or what was asked for where that is shorter", async () => {
    expect((await makeTask({ server: "notes" })).ttl).toBe(24 * 3_600_000);
    expect((await makeTask({ server: "notes", id: 2 }, { ttl: 60_000 })).ttl).toBe(60_000);
    expect((await makeTask({ server: "notes", id: 3 }, { ttl: 400 * 24 * 3_600_000 })).ttl).toBe(24 * 3_600_000);
  });

  test("whose request was denied is failed, and its result is the very error", async () => {
    const { taskId } = await makeTask({ server: "request-gate" });
    await decide("request", "deny", taskId);
    await reaches(taskId, "failed");
    expect(await errorOf(rpc("tasks/result", { taskId }))).toEqual({
      code: -1,
      message: "User rejected sampling request",
      data: { outcome: "rejected" },
    });
  });

  test("that nobody decided in time is failed", async () => {
    const { taskId } = await makeTask({ server: "request-gate" });
    await openNotice("request", taskId);
    travel(601_000);
    await ringNextAlarm(stubOf(taskId));
    await reaches(taskId, "failed");
    expect(await errorOf(rpc("tasks/result", { taskId }))).toMatchObject({ code: -1, data: { outcome: "expired" } });
  });

  test("whose models all failed is failed", async () => {
    model.script({ status: 400, message: "no" });
    const { taskId } = await makeTask({ server: "open" });
    await reaches(taskId, "failed");
    expect(await errorOf(rpc("tasks/result", { taskId }))).toMatchObject({ code: -32011 });
  });

  test("is the same task when the request is repeated", async () => {
    const asked = { id: 5, server: "notes" };
    const first = await makeTask(asked, { ttl: 1_000 });
    expect((await makeTask(asked, {})).taskId).toBe(first.taskId);
  });
});

test("a request that was answered at once and is asked for again as a task is a completed task with that very result", async () => {
  const first = await answerOf(sample({ id: 1, server: "open" }));
  const { result } = await answerOf(sample({ id: 1, server: "open", params: { task: {} } }));
  expectOfficial("CreateTaskResult", result);
  const { taskId, status } = (result as { task: { taskId: string; status: string } }).task;
  expect(status).toBe("completed");
  const again = await answerOf(rpc("tasks/result", { taskId }));
  expect(again.result).toMatchObject({ content: (first.result as { content: object }).content });
});

describe("tasks/cancel", () => {
  test("cancels at once: the answer and every later question say so", async () => {
    const { taskId } = await makeTask({ server: "notes" });
    const result = rpc("tasks/result", { taskId });
    const answer = await answerOf(rpc("tasks/cancel", { taskId }));
    expectOfficial("CancelTaskResult", answer.result);
    expect(answer.result).toMatchObject({ taskId, status: "cancelled" });
    expect(await getTask(taskId)).toMatchObject({ status: "cancelled" });
    expect(await errorOf(result)).toMatchObject({ code: -32800, data: { outcome: "cancelled" } });
  });

  test("of a task that has just been cancelled is -32602 and names its state", async () => {
    const { taskId } = await makeTask({ server: "notes" });
    await rpc("tasks/cancel", { taskId });
    expect(await errorOf(rpc("tasks/cancel", { taskId }))).toEqual({ code: -32602, message: expect.stringContaining("already cancelled") });
  });

  test("of a completed task is -32602 and changes nothing", async () => {
    const { taskId } = await makeTask({ server: "open" });
    await reaches(taskId, "completed");
    expect(await errorOf(rpc("tasks/cancel", { taskId }))).toEqual({ code: -32602, message: expect.stringContaining("already completed") });
    expect(await getTask(taskId)).toMatchObject({ status: "completed" });
  });

  test("while the model is at work: its reply, which comes later, is delivered nowhere", async () => {
    let answerNow = (): void => {};
    model.script({ until: new Promise<void>((resolve) => (answerNow = resolve)), step: {} });
    const { taskId } = await makeTask({ server: "open" });
    await eventually("the call", async () => model.calls.length === 1);
    await rpc("tasks/cancel", { taskId });
    answerNow();
    await reaches(taskId, "cancelled");
    const text = await (await rpc("tasks/result", { taskId })).text();
    expect(text).not.toContain(replyMarker);
  });
});

describe.each(["tasks/get", "tasks/result", "tasks/cancel"])("%s", (method) => {
  test("of an unknown id is -32602, the same for one that was made up, damaged, or another key's", async () => {
    const other = await createKey();
    const { taskId } = await makeTask({ server: "notes" }, {}, other.key);
    const damaged = `${taskId.slice(0, -2)}AA`;
    const answers = await Promise.all(
      [taskId, damaged, "run_", "", "../runs", "x".repeat(10_000)].map((id) => errorOf(rpc(method, { taskId: id }))),
    );
    for (const error of answers) expect(error).toEqual({ code: -32602, message: "Invalid params: no such task of this key" });
    expect((await answerOf(rpc("tasks/get", { taskId }, { key: other.key }))).result).toMatchObject({ status: "working" });
  });

  test("without a task id is -32602 with a pointer", async () => {
    expect(await errorOf(rpc(method, {}))).toMatchObject({ code: -32602, data: { errors: [{ pointer: "/taskId" }] } });
    expect(await errorOf(rpc(method, { taskId: 7 }))).toMatchObject({ code: -32602, data: { errors: [{ pointer: "/taskId" }] } });
  });
});

test("tasks/result is held with white space, or as an event stream where that is asked for", async () => {
  const { taskId } = await makeTask({ server: "request-gate" });
  const ask = (accept: string): Promise<Response> =>
    gatewayWith(
      { HEARTBEAT_SECONDS: "1" },
      "/sampling",
      jsonBody("POST", { jsonrpc: "2.0", id: 3, method: "tasks/result", params: { taskId } }, { Accept: accept }),
    );
  const [asJson, asEvents] = (await Promise.all([ask("application/json"), ask("text/event-stream")])).map(
    (response) => new Stream(response),
  );
  expect(await asJson?.next()).toBe(" ");
  expect(await asJson?.next()).toBe(" ");
  expect(await asEvents?.next()).toMatch(/^:/);
  await decide("request", "approve", taskId);
  await Promise.all([asJson?.rest(), asEvents?.rest()]);
  expect(JSON.parse(asJson?.text ?? "")).toMatchObject({ id: 3, result: { role: "assistant" } });
  const frames = framesOf(asEvents?.text ?? "").filter((frame) => !isComment(frame));
  expect(frames.map(messageOf)).toEqual([expect.objectContaining({ id: 3, result: expect.objectContaining({ role: "assistant" }) })]);
});

test("a revoked key loses its tasks with everything else", async () => {
  const made = await createKey();
  const { taskId } = await makeTask({ server: "notes" }, {}, made.key);
  await gateway(`/admin/keys/${made.id}`, { method: "DELETE", headers: { Authorization: `Bearer ${env.ADMIN_TOKEN ?? ""}` } });
  expect((await rpc("tasks/get", { taskId }, { key: made.key })).status).toBe(401);
});

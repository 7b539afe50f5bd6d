// A client's `tools/call` as a task of the gateway's, where the policy wants a person before it: in
// each pair of families, request by request. Who gets which task, and what the server gets.

import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { crash, recordWith, ringNextAlarm, stubOf } from "../objects/inside.ts";
import { configure, createKey, eventually, gateway, notices, openNotice, policy, travel } from "../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  type UpstreamCall,
  configureServers,
  eventFor,
  openStream,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { decide, filledForm, postForm } from "../support/reviewer.ts";
import { StatelessClient, answerWith, formInput, lastOf, messagesOf, roundOf } from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
const tool = "delete_branch";
const given = { branch: "main", force: true };

const own = { selfApproval: true };
const rules = [
  {
    name: "calls",
    when: { subject: "toolCall", tool: "delete_*" },
    then: { request: "review", response: "allow", tellReason: true, ...own },
  },
  { name: "results", when: { subject: "toolCall", tool: "read_*" }, then: { request: "allow", response: "review", ...own } },
  { name: "never", when: { subject: "toolCall", tool: "drop_*" }, then: { request: "refuse", response: "allow" } },
];

type Result = {
  readonly content?: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
  readonly resultType?: string;
  readonly _meta?: Record<string, unknown>;
};
type Task = {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly result?: Result;
  readonly error?: { readonly code: number };
  readonly inputRequests?: Record<string, unknown>;
  readonly ttl?: number;
  readonly ttlMs?: number;
};
type Answer = {
  readonly id?: unknown;
  readonly result?: Record<string, unknown> & Result;
  readonly error?: { readonly code: number; readonly message: string };
};
type Call = { readonly name?: string; readonly arguments?: object };

const extension = "io.modelcontextprotocol/tasks";
const takesTasks = { extensions: { [extension]: {} } };

let upstream: Upstream;
const sent = () => upstream.calls.filter(({ message }) => message.method === "tools/call");
const done = { resultType: "complete", content: [{ type: "text", text: "deleted" }] };
const plainAnswers = (call: UpstreamCall): Response | undefined => {
  if (call.message.method === "server/discover" && call.headers.get("MCP-Protocol-Version") === "2026-07-28")
    return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
  if (call.message.method === "tools/list")
    return answerWith(call, {
      resultType: "complete",
      tools: [{ name: tool, inputSchema: { type: "object" }, execution: { taskSupport: "forbidden" } }],
    });
  return call.message.method === "tools/call" ? answerWith(call, done) : undefined;
};

let tests = 0;
beforeEach(async () => {
  tests += 1;
  travel(tests * 60_000);
  upstream = scriptUpstream();
  upstream.answer = plainAnswers;
  await configureServers({ old: { url }, new: { url, protocol: "2026" } });
  await configure("policy", { ...policy, rules });
});

type Send = typeof gateway;
type TaskClient = {
  /** The task that a call became, or what it was answered with. */
  readonly begin: (call?: Call) => Promise<Answer>;
  readonly ask: (method: string, taskId: string) => Promise<Answer>;
};

let ids = 0;
const sessionClient = async (
  server: string,
  options: { key?: string; send?: Send; headers?: Record<string, string> } = {},
): Promise<TaskClient & { client: RelayClient }> => {
  const client = new RelayClient(server, options);
  await client.connect();
  const say = async (method: string, params: object): Promise<Answer> =>
    (await lastOf(await client.request((ids += 1), method, params))) as Answer;
  return {
    client,
    begin: (call = {}) => say("tools/call", { name: tool, arguments: given, task: { ttl: 60_000 }, ...call }),
    ask: (method, taskId) => say(method, { taskId }),
  };
};
const statelessClient = async (server: string, options: { key?: string; send?: Send } = {}): Promise<TaskClient> => {
  const client = new StatelessClient(server, options);
  const say = async (method: string, params: object): Promise<Answer> =>
    (await client.says(method, params, { capabilities: takesTasks })) as Answer;
  return {
    begin: (call = {}) => say("tools/call", { name: tool, arguments: given, ...call }),
    ask: (method, taskId) => say(method, { taskId }),
  };
};

const begunOf = ({ result }: Answer): Task => (result?.["task"] ?? result) as Task;
const stateOf = async (client: TaskClient, taskId: string): Promise<Task> => (await client.ask("tasks/get", taskId)).result as Task;
const reached = (client: TaskClient, taskId: string, status: string): Promise<Task> =>
  eventually(status, async () => {
    const task = await stateOf(client, taskId);
    return task.status === status ? task : null;
  });
const listedIn = ({ result }: Answer): string[] => ((result?.["tasks"] ?? []) as Task[]).map(({ taskId }) => taskId);
const textOf = (result: Result | undefined): string => result?.content?.map(({ text }) => text).join("\n") ?? "";

type Cell = { readonly open: (options?: { key?: string; send?: Send }) => Promise<TaskClient>; readonly isStateless: boolean };
const cells: readonly (readonly [string, Cell])[] = [
  ["2025 at 2025", { open: (options) => sessionClient("old", options), isStateless: false }],
  ["2025 at 2026", { open: (options) => sessionClient("new", options), isStateless: false }],
  ["2026 at 2025", { open: (options) => statelessClient("old", options), isStateless: true }],
  ["2026 at 2026", { open: (options) => statelessClient("new", options), isStateless: true }],
];

/** The result of a task that has ended. */
async function resultOf({ isStateless }: Cell, client: TaskClient, taskId: string): Promise<Result | undefined> {
  return isStateless ? (await stateOf(client, taskId)).result : (await client.ask("tasks/result", taskId)).result;
}

describe.each(cells)("a client of %s", (name, cell) => {
  test("has a task at once, and its result once the approved call has run, which is sent once", async () => {
    const client = await cell.open();
    const begun = begunOf(await client.begin());
    expect(begun).toMatchObject({ status: "working" });
    const { taskId } = begun;
    expect(await stateOf(client, taskId)).toMatchObject({ status: "working", statusMessage: "Waiting for a person to review the call" });
    expect(sent()).toHaveLength(0);
    const { run } = await decide("request", "approve");
    expect(run).toBe(taskId);
    await reached(client, taskId, "completed");
    for (let times = 0; times < 2; times += 1) expect((await resultOf(cell, client, taskId))?.content).toEqual(done.content);
    expect(sent()).toHaveLength(1);
    expect(sent()[0]?.message.params).toMatchObject({ name: tool, arguments: given });
    expect(sent()[0]?.message.params).not.toHaveProperty("task");
    const kinds = (await recordWith(run, "finished")).map(({ fact }) => fact.kind).filter((kind) => !["noticed", "opened"].includes(kind));
    expect(kinds).toEqual(["received", "reviewOpened", "approved", "called", "answered", "finished"]);
  });

  test("is told what a reviewer edited", async () => {
    const client = await cell.open();
    const { taskId } = begunOf(await client.begin());
    await decide("request", "approve", taskId, (fields) => fields.set("edit:/arguments", '{"branch":"other"}'));
    await reached(client, taskId, "completed");
    const result = await resultOf(cell, client, taskId);
    expect(textOf(result)).toContain("A reviewer changed the arguments of this call");
    expect(sent()[0]?.message.params?.["arguments"]).toEqual({ branch: "other" });
  });

  test("is told of a denial, with the reason that may be told, and nothing is sent", async () => {
    const client = await cell.open();
    const { taskId } = begunOf(await client.begin());
    await decide("request", "deny", taskId, (fields) => fields.set("reason", "not on a Friday"));
    const ended = await reached(client, taskId, cell.isStateless ? "completed" : "failed");
    expect(ended.statusMessage).toContain("not on a Friday");
    expect(await resultOf(cell, client, taskId)).toMatchObject({ isError: true });
    expect(sent()).toHaveLength(0);
  });

  test("can cancel while people decide, and the review is withdrawn", async () => {
    const client = await cell.open();
    const { taskId } = begunOf(await client.begin());
    await openNotice("request", taskId);
    expect((await client.ask("tasks/cancel", taskId)).error).toBeUndefined();
    expect(await reached(client, taskId, "cancelled")).toMatchObject({ status: "cancelled" });
    await recordWith(taskId, "cancelled");
    expect(sent()).toHaveLength(0);
    // Cancelled is where it stays.
    const again = await client.ask("tasks/cancel", taskId);
    expect(again.error?.code).toBe(cell.isStateless ? undefined : -32_602);
  });

  test("gets a reviewed result, and nothing of it before", async () => {
    const client = await cell.open();
    const { taskId } = begunOf(await client.begin({ name: "read_secret" }));
    await openNotice("response", taskId);
    const waiting = await stateOf(client, taskId);
    expect(waiting).toMatchObject({ status: "working", statusMessage: "Waiting for a person to review the result" });
    expect(JSON.stringify(waiting)).not.toContain("deleted");
    await decide("response", "approve", taskId);
    await reached(client, taskId, "completed");
    expect(textOf(await resultOf(cell, client, taskId))).toBe("deleted");
    expect(sent()).toHaveLength(1);
    // Where a session's requests share their ids, another one could get the result as its own.
    if (name === "2025 at 2025") expect(sent()[0]?.message.id).toMatch(/^[0-9a-f]{8}-/);
  });

  test("has a task that nobody else has", async () => {
    const client = await cell.open();
    const { taskId } = begunOf(await client.begin());
    const { key } = await createKey({ name: "other" });
    const others = [await cell.open({ key }), ...(cell.isStateless ? [] : [await cell.open()])];
    for (const other of others)
      for (const method of ["tasks/get", "tasks/cancel", ...(cell.isStateless ? ["tasks/update"] : ["tasks/result"])])
        expect([method, (await other.ask(method, taskId)).error]).toMatchObject([method, { code: -32_602 }]);
    expect(await stateOf(client, taskId)).toMatchObject({ status: "working" });
    await decide("request", "approve", taskId);
    await reached(client, taskId, "completed");
    for (const other of others) expect((await other.ask("tasks/get", taskId)).result).toBeUndefined();
  });

  test("is told that the outcome is unknown where the run was lost after its claim, and no second call is sent", async () => {
    const held = Promise.withResolvers<Response>();
    upstream.answer = (call) => (call.message.method === "tools/call" ? held.promise : plainAnswers(call));
    const client = await cell.open();
    const { taskId } = begunOf(await client.begin());
    await decide("request", "approve", taskId);
    await eventually("the call", async () => sent().length === 1);
    await crash();
    await stateOf(client, taskId);
    await ringNextAlarm(stubOf(taskId));
    const ended = await reached(client, taskId, cell.isStateless ? "completed" : "failed");
    expect(ended.statusMessage).toContain("it may have run or not");
    expect(sent()).toHaveLength(1);
    held.resolve(new Response(null, { status: 500 }));
  });
});

test("a task's result is its server's: nobody brings another in its place", async () => {
  const stream = openStream();
  upstream.answer = (call) => (call.message.method === "tools/call" ? stream.response() : plainAnswers(call));
  const client = await sessionClient("old");
  const { taskId } = begunOf(await client.begin({ name: "read_secret" }));
  await eventually("the call", async () => sent().length === 1);
  const brought = await gateway(`/approvals/${taskId}/result`, {
    method: "POST",
    body: JSON.stringify({ result: { content: [{ type: "text", text: "forged" }] } }),
    headers: { "Content-Type": "application/json" },
  });
  expect(brought.status).toBe(404);
  stream.say(eventFor({ jsonrpc: "2.0", id: sent()[0]?.message.id, result: done }));
  await decide("response", "approve", taskId);
  await reached(client, taskId, "completed");
  expect(textOf((await client.ask("tasks/result", taskId)).result)).toBe("deleted");
});

describe("what a client is told of tasks", () => {
  const capabilitiesOf = async (answer: Response): Promise<Record<string, unknown> | undefined> =>
    (await lastOf(answer)).result?.["capabilities"] as Record<string, unknown> | undefined;
  const declared = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

  test("is that it may have them, where a rule is about its calls, and each tool says so", async () => {
    const client = new RelayClient("old");
    expect(await capabilitiesOf(await client.connect())).toEqual({ tools: {}, tasks: declared });
    const listed = await lastOf(await client.request(1, "tools/list"));
    expect(listed.result?.["tools"]).toEqual([{ name: tool, inputSchema: { type: "object" }, execution: { taskSupport: "optional" } }]);
    const translated = new RelayClient("new");
    expect(await capabilitiesOf(await translated.connect())).toMatchObject({ tasks: declared });
    for (const server of ["old", "new"]) {
      const asked = await new StatelessClient(server).request("server/discover", {}, { capabilities: takesTasks });
      expect([server, await capabilitiesOf(asked)]).toMatchObject([server, { extensions: { [extension]: {} } }]);
    }
  });

  test("is nothing where no rule is about its calls, or its revision has none", async () => {
    const older = new RelayClient("old");
    expect(await capabilitiesOf(await older.connect({}, "2025-06-18"))).toEqual({ tools: {} });
    await configure("policy", { ...policy, rules: [] });
    const client = new RelayClient("old");
    expect(await capabilitiesOf(await client.connect())).toEqual({ tools: {} });
    const listed = await lastOf(await client.request(1, "tools/list"));
    expect(JSON.stringify(listed.result)).toContain("forbidden");
  });

  test("holds for a call that needs nobody: it is a task too, and the server does not see the word", async () => {
    const client = await sessionClient("old");
    const { taskId } = begunOf(await client.begin({ name: "other" }));
    await reached(client, taskId, "completed");
    expect((await client.ask("tasks/result", taskId)).result).toMatchObject({
      content: done.content,
      _meta: { "io.modelcontextprotocol/related-task": { taskId } },
    });
    expect(sent().map(({ message }) => message.params)).toEqual([{ name: "other", arguments: given }]);
  });

  test("is no task for a client of 2026-07-28 whose call need not wait, or that takes none", async () => {
    const client = await statelessClient("new");
    expect((await client.begin({ name: "other" })).result?.content).toEqual(done.content);
    const { taskId } = begunOf(await client.begin());
    const said = await new StatelessClient("new").says("tasks/get", { taskId });
    expect(said.error?.code).toBe(-32_021);
  });

  test("is a refusal at once where the policy refuses the call", async () => {
    const said = await (await sessionClient("old")).begin({ name: "drop_all" });
    expect(said.error?.message).toContain("policy does not allow");
    expect(await notices()).toEqual([]);
  });
});

test("a task's list is its session's alone", async () => {
  const [client, other] = [await sessionClient("old"), await sessionClient("old")];
  const first = begunOf(await client.begin()).taskId;
  const second = begunOf(await client.begin({ arguments: {} })).taskId;
  const listOf = async (from: TaskClient & { client: RelayClient }): Promise<string[]> =>
    listedIn((await lastOf(await from.client.request("list", "tasks/list"))) as Answer);
  expect((await listOf(client)).toSorted()).toEqual([first, second].toSorted());
  expect(await listOf(other)).toEqual([]);
  expect(upstream.calls.map(({ text }) => text).join("\n")).not.toContain(first);
});

test("an error of the server is the error of the task", async () => {
  upstream.answer = (call) =>
    call.message.method === "tools/call"
      ? Response.json({ jsonrpc: "2.0", id: call.message.id, error: { code: -32_050, message: "No such branch" } })
      : plainAnswers(call);
  const client = await sessionClient("old");
  const { taskId } = begunOf(await client.begin());
  await decide("request", "approve", taskId);
  expect((await reached(client, taskId, "failed")).statusMessage).toBe("No such branch");
  expect((await client.ask("tasks/result", taskId)).error).toEqual({ code: -32_050, message: "No such branch" });
});

test("a result of a session that reads as a round is a second call to nobody", async () => {
  upstream.answer = (call) => (call.message.method === "tools/call" ? answerWith(call, roundOf(undefined, "again")) : plainAnswers(call));
  const client = await sessionClient("old");
  const { taskId } = begunOf(await client.begin());
  await decide("request", "approve", taskId);
  await reached(client, taskId, "completed");
  expect(sent()).toHaveLength(1);
});

test("a task that is cancelled after its call was sent stays cancelled, and its server hears of it", async () => {
  const stream = openStream();
  upstream.answer = (call) => (call.message.method === "tools/call" ? stream.response() : plainAnswers(call));
  const client = await sessionClient("old");
  const { taskId } = begunOf(await client.begin());
  await decide("request", "approve", taskId);
  await eventually("the call", async () => sent().length === 1);
  expect((await client.ask("tasks/cancel", taskId)).result).toMatchObject({ status: "cancelled" });
  const cancelled = await eventually("the cancellation", async () =>
    upstream.calls.find(({ message }) => message.method === "notifications/cancelled"),
  );
  expect(cancelled.message.params).toMatchObject({ requestId: sent()[0]?.message.id });
  stream.end();
  expect(await reached(client, taskId, "cancelled")).toMatchObject({ status: "cancelled" });
  expect(textOf((await client.ask("tasks/result", taskId)).result)).toContain("it may have run or not");
  expect(sent()).toHaveLength(1);
});

describe("a server that asks its client", () => {
  test("in a session has its question on the stream of tasks/result", async () => {
    const stream = openStream();
    const question = { jsonrpc: "2.0", id: "q1", ...formInput };
    upstream.answer = (call) => {
      if (call.message.id === "q1") stream.say(eventFor({ jsonrpc: "2.0", id: sent()[0]?.message.id, result: done }));
      return call.message.method === "tools/call" ? stream.response() : plainAnswers(call);
    };
    const client = await sessionClient("old");
    const { taskId } = begunOf(await client.begin());
    await decide("request", "approve", taskId);
    stream.say(eventFor(question));
    await reached(client, taskId, "input_required");
    const waiting = client.client.request("r", "tasks/result", { taskId });
    const response = await waiting;
    await reached(client, taskId, "working");
    await client.client.post({ jsonrpc: "2.0", id: "q1", result: { action: "accept", content: { ok: true } } });
    const messages = await messagesOf(response);
    expect(messages.find(({ id }) => id === "q1")).toMatchObject({
      method: "elicitation/create",
      params: { _meta: { "io.modelcontextprotocol/related-task": { taskId } } },
    });
    expect(messages.at(-1)).toMatchObject({ id: "r", result: { content: done.content } });
    expect(upstream.answersTo("q1")).toHaveLength(1);
  });

  test("in 2026-07-28 is answered by tasks/update, and its call goes on", async () => {
    upstream.answer = (call) => {
      if (call.message.method !== "tools/call") return plainAnswers(call);
      return answerWith(call, call.message.params?.["inputResponses"] === undefined ? roundOf({ confirm: formInput }, "theirs") : done);
    };
    const capabilities = { ...takesTasks, elicitation: { form: {} } };
    const client = new StatelessClient("new");
    const say = async (method: string, params: object) => (await client.says(method, params, { capabilities })) as Answer;
    const { taskId } = begunOf(await say("tools/call", { name: tool, arguments: given }));
    await decide("request", "approve", taskId, (fields) => fields.set("edit:/arguments", '{"branch":"other"}'));
    const asks = await eventually("the question", async () => {
      const task = (await say("tasks/get", { taskId })).result as Task;
      return task.status === "input_required" ? task : null;
    });
    const [key = ""] = Object.keys(asks.inputRequests ?? {});
    await say("tasks/update", { taskId, inputResponses: { other: {}, [key]: { action: "accept", content: { ok: true } } } });
    await eventually("the end", async () => ((await say("tasks/get", { taskId })).result?.["status"] === "completed" ? true : null));
    expect(sent()).toHaveLength(2);
    expect(sent()[1]?.message.params).toMatchObject({ requestState: "theirs", inputResponses: { confirm: { action: "accept" } } });
    // What goes on is what was approved.
    expect(sent()[1]?.message.params?.["arguments"]).toEqual({ branch: "other" });
  });
});

describe("a reset of a task's object while its server asks", () => {
  const capabilities = { ...takesTasks, elicitation: { form: {} } };
  const sayTo = (server: string) => {
    const client = new StatelessClient(server);
    return async (method: string, params: object) => (await client.says(method, params, { capabilities })) as Answer;
  };
  const approved = async (say: ReturnType<typeof sayTo>): Promise<string> => {
    const { taskId } = begunOf(await say("tools/call", { name: tool, arguments: given }));
    await decide("request", "approve", taskId);
    return taskId;
  };
  const until = (say: ReturnType<typeof sayTo>, taskId: string, status: string): Promise<Task> =>
    eventually(status, async () => {
      const task = (await say("tasks/get", { taskId })).result as Task;
      return task.status === status ? task : null;
    });
  const accept = (n: number) => ({ action: "accept", content: { n } });
  const asksTwice = (call: UpstreamCall): Response | undefined =>
    call.message.method === "tools/call" && call.message.params?.["inputResponses"] === undefined
      ? answerWith(call, roundOf({ one: formInput, two: formInput }, "theirs"))
      : plainAnswers(call);

  test("loses no question and no answer: the client is asked for the rest, and the call goes on", async () => {
    upstream.answer = asksTwice;
    const say = sayTo("new");
    const taskId = await approved(say);
    const { inputRequests = {} } = await until(say, taskId, "input_required");
    await crash();
    expect((await until(say, taskId, "input_required")).inputRequests).toEqual(inputRequests);
    const [one = "", two = ""] = Object.keys(inputRequests);
    await say("tasks/update", { taskId, inputResponses: { [one]: accept(1) } });
    await crash();
    expect(Object.keys((await until(say, taskId, "input_required")).inputRequests ?? {})).toEqual([two]);
    // The first answer to a key counts.
    await say("tasks/update", { taskId, inputResponses: { [one]: accept(3), [two]: accept(2) } });
    expect((await until(say, taskId, "completed")).result?.content).toEqual(done.content);
    expect(sent()).toHaveLength(2);
    expect(sent()[1]?.message.params).toMatchObject({ requestState: "theirs", inputResponses: { one: accept(1), two: accept(2) } });
    expect((await notices()).filter(({ run, gate }) => run === taskId && gate === "request")).toHaveLength(1);
  });

  test("sends no attempt twice: one that had gone to the server is unknown", async () => {
    const held = Promise.withResolvers<Response>();
    upstream.answer = (call) => (call.message.params?.["inputResponses"] === undefined ? asksTwice(call) : held.promise);
    const say = sayTo("new");
    const taskId = await approved(say);
    const { inputRequests = {} } = await until(say, taskId, "input_required");
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, accept(1)]));
    await say("tasks/update", { taskId, inputResponses });
    await eventually("the next attempt", async () => sent().length === 2);
    await crash();
    await say("tasks/get", { taskId });
    await ringNextAlarm(stubOf(taskId));
    expect((await until(say, taskId, "completed")).statusMessage).toContain("it may have run or not");
    expect(sent()).toHaveLength(2);
    held.resolve(new Response(null, { status: 500 }));
  });

  test("asks no person twice for a form that the gateway answers", async () => {
    await configureServers({ new: { url, protocol: "2026", elicitation: "fulfil" } });
    await configure("policy", {
      ...policy,
      rules: [...rules, { name: "forms", when: { subject: "form" }, then: { request: "review", ...own } }],
    });
    upstream.answer = (call) => {
      if (call.message.method !== "tools/call") return plainAnswers(call);
      return answerWith(call, call.message.params?.["inputResponses"] === undefined ? roundOf({ q1: formInput }, "theirs") : done);
    };
    const say = sayTo("new");
    const before = new Set((await notices()).map(({ run }) => run));
    const taskId = await approved(say);
    const forms = async () => (await notices()).filter(({ run }) => run !== taskId && !before.has(run));
    const { link } = await eventually("the form", async () => (await forms()).find(({ state }) => state === "sent"));
    await eventually("a call that is kept", async () =>
      runInDurableObject(
        stubOf(taskId),
        (_, { storage }) => storage.sql.exec("SELECT 1 FROM content WHERE name = 'round'").toArray().length === 1,
      ),
    );
    await crash();
    expect(await say("tasks/get", { taskId })).toMatchObject({ result: { status: "working" } });
    await ringNextAlarm(stubOf(taskId));
    expect((await postForm(link, await filledForm(link, "deny"))).status).toBe(303);
    expect((await until(say, taskId, "completed")).result?.content).toEqual(done.content);
    expect(JSON.stringify(sent()[1]?.message.params?.["inputResponses"])).toContain('"action":"decline"');
    expect(sent()).toHaveLength(2);
    expect(await forms()).toHaveLength(1);
  });
});

test.each(cells)("a form that the task of a client of %s leads to goes by the rules of forms, to a person", async (name, cell) => {
  await configureServers({ old: { url, elicitation: "fulfil" }, new: { url, protocol: "2026", elicitation: "fulfil" } });
  await configure("policy", {
    ...policy,
    rules: [...rules, { name: "forms", when: { subject: "form" }, then: { request: "review", ...own } }],
  });
  const stream = openStream();
  upstream.answer = (call) => {
    if (call.message.id === "q1") stream.say(eventFor({ jsonrpc: "2.0", id: sent()[0]?.message.id, result: done }));
    if (call.message.method !== "tools/call") return plainAnswers(call);
    if (name.endsWith("2026"))
      return answerWith(call, call.message.params?.["inputResponses"] === undefined ? roundOf({ q1: formInput }, "theirs") : done);
    stream.say(eventFor({ jsonrpc: "2.0", id: "q1", ...formInput }));
    return stream.response();
  };
  const client = await cell.open();
  const { taskId } = begunOf(await client.begin());
  await decide("request", "approve", taskId);
  const { link } = await eventually("the form", async () => (await notices()).find(({ run, state }) => run !== taskId && state === "sent"));
  expect(await stateOf(client, taskId)).toMatchObject({ status: "working" });
  expect((await postForm(link, await filledForm(link, "deny"))).status).toBe(303);
  await reached(client, taskId, "completed");
  const told = upstream.answersTo("q1")[0]?.result ?? sent()[1]?.message.params?.["inputResponses"];
  expect(JSON.stringify(told)).toContain('"action":"decline"');
});

describe("a server with tasks of its own", () => {
  const theirs = {
    taskId: "their-task",
    status: "working",
    createdAt: "2026-11-25T00:00:00Z",
    lastUpdatedAt: "2026-11-25T00:00:00Z",
    ttl: null,
  };
  beforeEach(() => {
    upstream.answer = (call) => {
      const { id, method, params } = call.message;
      if (method === "initialize")
        return Response.json(
          {
            jsonrpc: "2.0",
            id,
            result: {
              protocolVersion: "2025-11-25",
              capabilities: { tasks: { list: {}, requests: { tools: { call: {} } } } },
              serverInfo: { name: "s", version: "1" },
            },
          },
          { headers: { "Mcp-Session-Id": upstream.session } },
        );
      if (method === "tools/call") return answerWith(call, params?.["task"] === undefined ? done : { task: theirs });
      if (method === "tasks/list") return answerWith(call, { tasks: [theirs] });
      if (method === "tasks/get") return answerWith(call, theirs);
      if (method === "tasks/result")
        return answerWith(call, { ...done, _meta: { "io.modelcontextprotocol/related-task": { taskId: theirs.taskId } } });
      return undefined;
    };
  });

  test("keeps those of calls that nobody has to decide about", async () => {
    const client = await sessionClient("old");
    expect(begunOf(await client.begin({ name: "other" }))).toEqual(theirs);
    expect(sent()[0]?.message.params).toMatchObject({ task: { ttl: 60_000 } });
    expect((await client.ask("tasks/get", theirs.taskId)).result).toEqual(theirs);
  });

  test("has one that only the gateway knows where the call was held", async () => {
    const client = await sessionClient("old");
    const { taskId } = begunOf(await client.begin());
    await decide("request", "approve", taskId);
    await reached(client, taskId, "completed");
    const { result } = await client.ask("tasks/result", taskId);
    expect(result).toMatchObject({ content: done.content, _meta: { "io.modelcontextprotocol/related-task": { taskId } } });
    const listed = (await lastOf(await client.client.request("list", "tasks/list"))) as Answer;
    expect(listedIn(listed)).toEqual([taskId, theirs.taskId]);
    expect(sent()).toHaveLength(1);
    for (const { text } of upstream.calls) expect(text).not.toContain(taskId);
  });
});

test("a client that listens to its task tells the server nothing of it", async () => {
  const client = new StatelessClient("new");
  const capabilities = takesTasks;
  const { taskId } = begunOf((await client.says("tools/call", { name: tool, arguments: given }, { capabilities })) as Answer);
  const notifications = { toolsListChanged: true, taskIds: ["theirs", taskId] };
  const answer = await client.request("subscriptions/listen", { notifications }, { capabilities });
  await answer.body?.cancel();
  const listened = upstream.calls.find(({ message }) => message.method === "subscriptions/listen");
  expect(listened?.message.params?.["notifications"]).toEqual({ toolsListChanged: true, taskIds: ["theirs"] });
  expect(listened?.text).not.toContain(taskId);
});

test("a task says how long it is kept, whatever its client asked for", async () => {
  const client = await sessionClient("old");
  expect(begunOf(await client.begin()).ttl).toBeGreaterThan(3_600_000);
});

test("with a credential of its client's, a call is sent when that client asks, by nobody else's", async () => {
  await configureServers({ own: { url, passAuthorization: true } });
  const { key } = await createKey();
  const as = (authorization: string, session: string | null): RelayClient => {
    const client = new RelayClient("own", { key: null, headers: { "X-Countersign-Key": key, Authorization: authorization } });
    client.session = session;
    return client;
  };
  const alice = as("Bearer alice", null);
  await alice.connect();
  const { taskId } = begunOf((await lastOf(await alice.request(1, "tools/call", { name: tool, arguments: given, task: {} }))) as Answer);
  await decide("request", "approve", taskId);
  const bob = as("Bearer bob", alice.session);
  expect((await lastOf(await bob.request(2, "tasks/get", { taskId }))).error?.code).toBe(-32_602);
  expect(sent()).toHaveLength(0);
  await eventually("the result", async () => {
    const { result } = (await lastOf(await alice.request(3, "tasks/get", { taskId }))) as Answer;
    return (result as Task).status === "completed" ? true : null;
  });
  expect(sent().map(({ headers }) => headers.get("Authorization"))).toEqual(["Bearer alice"]);
});

test("an id that nobody gave is the server's own business, and a made-up one of ours nobody's", async () => {
  const client = await sessionClient("old");
  const { taskId } = begunOf(await client.begin());
  const before = upstream.calls.length;
  const forged = `${taskId.slice(0, -1)}${taskId.endsWith("A") ? "B" : "A"}`;
  await client.ask("tasks/get", forged);
  // It is passed on as an id of the server's, which knows none such; nothing of ours is told.
  expect(upstream.calls.length).toBe(before + 1);
  expect((await client.ask("tasks/result", "their-own")).result).toEqual({});
});

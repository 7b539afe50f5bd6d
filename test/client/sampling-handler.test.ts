import { beforeEach, describe, expect, test } from "vitest";
import { createSamplingHandler, type SamplingHandlerOptions, type TransportLike } from "../../client/sampling-handler.ts";
import { FAKE_KEY, FakeGateway, until } from "../support/fake-gateway.ts";
import { hurried, ManualTiming, settle } from "./manual-timing.ts";

let gateway: FakeGateway;
beforeEach(() => {
  gateway = new FakeGateway();
});

const PARAMS = { messages: [{ role: "user", content: { type: "text", text: "hello" } }], maxTokens: 10 };

/** A connection without an SDK: one tool call with the id 1 is open. */
function open(options: Partial<SamplingHandlerOptions> = {}, revision = "2025-11-25") {
  const sampling = createSamplingHandler({
    url: gateway.url,
    apiKey: FAKE_KEY,
    fetch: gateway.fetch,
    session: "s",
    timing: hurried,
    ...options,
  });
  const { connection } = sampling.connection({ server: "notes" });
  connection.sent({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
  connection.received({ jsonrpc: "2.0", id: 0, result: { protocolVersion: revision } });
  connection.sent({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
  const notified: unknown[] = [];
  const notify = (notification: unknown): void => void notified.push(notification);
  const ask = (id: number | string, params: Record<string, unknown> = PARAMS, method = "sampling/createMessage") =>
    connection.answer({ id, method, params, notify });
  return { sampling, connection, ask, notified };
}

describe("a sampling request", () => {
  test("that is cut off while a person thinks attaches to what is under way, and nobody is asked twice", async () => {
    const { ask } = open();
    gateway.onRun = () => undefined;
    const result = ask(5);
    const run = await gateway.run(0);
    for (let times = 1; times < 4; times += 1) {
      await until(() => run.watchers.size > 0);
      gateway.dropConnections();
      await until(() => run.attached === times + 1);
    }
    run.reply("done");
    expect(await result).toMatchObject({ content: { text: "done" } });
    expect(gateway.runs).toHaveLength(1);
    expect(new Set(gateway.seen.map(({ text }) => text)).size).toBe(1);
  });

  test("keeps the server's _meta and progress token, and adds its own", async () => {
    const { ask } = open();
    await ask("abc", { ...PARAMS, metadata: { a: 1 }, _meta: { progressToken: 9, "example.com/x": true } });
    expect(gateway.seen[0]?.body).toEqual({
      jsonrpc: "2.0",
      id: "abc",
      method: "sampling/createMessage",
      params: {
        ...PARAMS,
        metadata: { a: 1 },
        _meta: {
          progressToken: 9,
          "example.com/x": true,
          "countersign/session": "s",
          "countersign/originatingRequest": { id: 1, method: "tools/call", name: "ask", server: "notes", inferred: true },
        },
      },
    });
  });

  test("without a progress token gets one, so that the host hears what is waited for, and the server hears nothing", async () => {
    const heard: unknown[] = [];
    const { ask, notified } = open({ onProgress: ({ message }) => heard.push(message) });
    gateway.onRun = () => undefined;
    const result = ask(5);
    const run = await gateway.run(0);
    await until(() => run.watchers.size > 0);
    run.progress("request gate");
    await until(() => heard.length > 0);
    run.reply("done");
    await result;
    expect(heard).toEqual(["request gate"]);
    expect(notified).toEqual([]);
  });

  test("keeps the server's patience alive: the gateway's heartbeats become progress, at most every 10 s, and it only grows", async () => {
    const timing = new ManualTiming();
    const { ask, notified } = open({ timing });
    gateway.onRun = () => undefined;
    const result = ask(5, { ...PARAMS, _meta: { progressToken: "p" } });
    await settle();
    const run = gateway.runs[0];
    run?.progress("request gate");
    await settle();
    for (let seconds = 0; seconds < 60; seconds += 5) {
      await timing.advance(5_000);
      gateway.heartbeat();
      await settle();
    }
    gateway.dropConnections();
    await timing.advance(1_000);
    run?.progress("generating");
    await settle();
    const params = notified.map(
      (notification) => (notification as { params: { progress: number; message?: string; progressToken: unknown } }).params,
    );
    expect(params.map(({ progress }) => progress)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(params.map(({ message }) => message)).toEqual([...Array.from({ length: 7 }, () => "request gate"), "generating"]);
    expect(new Set(params.map(({ progressToken }) => progressToken))).toEqual(new Set(["p"]));
    run?.reply("done");
    await result;
  });

  test("ends with the client request that it belongs to, and the gateway is told by the request's end alone", async () => {
    const { ask, connection, sampling } = open();
    gateway.onRun = () => undefined;
    const result = ask(5);
    const outcome = expect(result).rejects.toMatchObject({
      code: -32800,
      message: "Sampling request cancelled: the client request that it belongs to has ended",
      data: { outcome: "cancelled" },
    });
    await gateway.run(0);
    connection.received({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    await outcome;
    await sampling.flush();
    expect(gateway.trail).toEqual(["POST /sampling sampling/createMessage", "DELETE /sessions/s/requests/1?server=notes"]);
  });

  test("that nobody answers before the deadline ends with a clear error, and the gateway is told that nobody waits", async () => {
    const timing = new ManualTiming();
    const { ask, sampling } = open({ timing, deadlineMilliseconds: 120_000 });
    gateway.onRun = () => undefined;
    const outcome = expect(ask(5)).rejects.toMatchObject({
      code: -32001,
      message: expect.stringContaining("did not answer within 2 minutes"),
    });
    await timing.advance(120_000);
    await outcome;
    await sampling.flush();
    expect(gateway.trail.at(-1)).toBe("POST /sampling notifications/cancelled");
  });

  test("survives callbacks of the host that throw", async () => {
    const thrower = (): never => {
      throw new Error("host's bug");
    };
    const { ask, connection } = open({ onProgress: thrower, onError: thrower });
    gateway.onRun = (run) => void until(() => run.watchers.size > 0).then(() => (run.progress("x"), run.reply("done")));
    expect(await ask(5)).toMatchObject({ content: { text: "done" } });
    connection.received({ jsonrpc: "2.0", id: 1, result: {} });
    await expect(ask(6)).rejects.toMatchObject({ code: -32602 });
  });
});

describe("a reply with a list of blocks", () => {
  const blocks = [
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ];
  test.each([
    ["2025-11-25", blocks, blocks],
    ["2025-06-18", blocks, { type: "text", text: "ab" }],
    ["2025-03-26", blocks.slice(0, 1), blocks[0]],
  ])("in revision %s", async (revision, content, expected) => {
    const { ask } = open({}, revision);
    gateway.onRun = (run) => run.reply("", { content });
    expect((await ask(5))["content"]).toEqual(expected);
  });

  test("that an older revision cannot carry is an error, and nothing is dropped", async () => {
    const { ask } = open({}, "2025-06-18");
    gateway.onRun = (run) => run.reply("", { content: [blocks[0], { type: "image", data: "", mimeType: "image/png" }] });
    await expect(ask(5)).rejects.toMatchObject({ code: -32603, message: expect.stringContaining("2025-06-18") });
  });
});

describe("sampling as a task", () => {
  test("is answered at once, and its status, result and end are the gateway's", async () => {
    const { ask, connection } = open();
    gateway.onRun = () => undefined;
    const created = await ask(5, { ...PARAMS, task: { ttl: 1_000 } });
    expect(created).toMatchObject({ task: { taskId: "run-1", status: "working" } });
    const about = { taskId: "run-1" };
    expect(connection.answers("tasks/get", about)).toBe(true);
    expect(await ask(6, about, "tasks/get")).toMatchObject({ status: "working" });
    const result = ask(7, about, "tasks/result");
    const run = await gateway.run(0);
    await until(() => run.watchers.size > 0);
    gateway.dropConnections();
    await until(() => run.watchers.size > 0);
    run.reply("done");
    expect(await result).toMatchObject({ content: { text: "done" } });
    expect(await ask(8, about, "tasks/get")).toMatchObject({ status: "completed" });
    await expect(ask(9, about, "tasks/cancel")).rejects.toMatchObject({ code: -32602 });
    expect(gateway.seen.every(({ body }) => JSON.stringify(body).includes('"countersign/session":"s"'))).toBe(true);
  });

  test("is cancelled by tasks/cancel, and by the end of the client request that it belongs to", async () => {
    const { ask, connection, sampling } = open();
    gateway.onRun = () => undefined;
    await ask(5, { ...PARAMS, task: {} });
    await ask(6, { ...PARAMS, task: {} });
    expect(await ask(7, { taskId: "run-1" }, "tasks/cancel")).toMatchObject({ status: "cancelled" });
    connection.received({ jsonrpc: "2.0", id: 1, result: {} });
    await sampling.flush();
    expect(gateway.runs[1]?.outcome).toMatchObject({ error: { data: { outcome: "cancelled" } } });
    expect(connection.answers("tasks/get", { taskId: "run-2" })).toBe(false);
  });

  test("goes on when the server no longer waits for its result", async () => {
    const { ask, connection, sampling } = open();
    gateway.onRun = () => undefined;
    await ask(5, { ...PARAMS, task: {} });
    const outcome = expect(ask(6, { taskId: "run-1" }, "tasks/result")).rejects.toThrow("cancelled");
    const run = await gateway.run(0);
    await until(() => run.watchers.size > 0);
    connection.received({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 6 } });
    await outcome;
    await sampling.flush();
    expect(run.outcome).toBeUndefined();
    expect(gateway.trail).toEqual(["POST /sampling sampling/createMessage", "POST /sampling tasks/result"]);
  });

  test("of another connection is unknown here", async () => {
    const one = open();
    gateway.onRun = () => undefined;
    await one.ask(5, { ...PARAMS, task: {} });
    const two = open();
    expect(two.connection.answers("tasks/result", { taskId: "run-1" })).toBe(false);
    await expect(two.ask(6, { taskId: "run-1" }, "tasks/result")).rejects.toMatchObject({ code: -32602 });
  });

  test("is not declared where the host says so", () => {
    expect(createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, tasks: false }).capabilities).toEqual({
      sampling: { tools: {} },
      experimental: { "countersign/responseFormat": {} },
    });
  });
});

describe("a transport that is observed", () => {
  test("ends a request that it could not send, and still tells the client", async () => {
    const sampling = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, fetch: gateway.fetch });
    let works = true;
    const seen: unknown[] = [];
    const transport: TransportLike = {
      send: () => (works ? Promise.resolve() : Promise.reject(new Error("not sent"))),
      onmessage: (message: unknown) => void seen.push(message),
    };
    const { connection } = sampling.connection({ server: "notes", transport });
    const send = (message: unknown): Promise<void> => Reflect.apply(transport.send, transport, [message]);
    await send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "one" } });
    works = false;
    await expect(send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "two" } })).rejects.toThrow("not sent");
    await connection.answer({ id: 5, method: "sampling/createMessage", params: PARAMS });
    expect(gateway.runs[0]?.origin).toMatchObject({ id: 1, name: "one" });
    const answer = { jsonrpc: "2.0", id: 1, result: {} };
    if (transport.onmessage !== undefined) Reflect.apply(transport.onmessage, transport, [answer]);
    expect(seen).toEqual([answer]);
    await sampling.flush();
    expect(gateway.trail.at(-1)).toMatch(/requests\/1\?server=notes$/);
  });
});

describe("a closed connection", () => {
  test("ends its sampling and its session, once, and no request by itself", async () => {
    const { ask, connection, sampling } = open();
    gateway.onRun = () => undefined;
    const outcome = expect(ask(5)).rejects.toMatchObject({
      message: "Sampling request cancelled: the connection was closed",
      data: { outcome: "cancelled" },
    });
    await gateway.run(0);
    connection.closed();
    connection.closed();
    await outcome;
    await sampling.flush();
    expect(gateway.trail).toEqual(["POST /sampling sampling/createMessage", "DELETE /sessions/s"]);
  });
});

describe("the session", () => {
  test("is random and hard to guess by default, and another one for every connection", async () => {
    for (let times = 0; times < 3; times += 1) {
      const sampling = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, fetch: gateway.fetch });
      for (const server of ["a", "b"]) {
        const { connection } = sampling.connection({ server });
        connection.sent({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x" } });
        await connection.answer({ id: 1, method: "sampling/createMessage", params: PARAMS });
      }
    }
    const sessions = gateway.runs.map(({ session }) => session);
    expect(new Set(sessions).size).toBe(6);
    for (const session of sessions) expect(session).toMatch(/^host-[0-9a-f-]{36}$/);
  });
});

describe("options that cannot work are refused by name, without the key", () => {
  const KEY = "key with a space";
  test.each<[Partial<SamplingHandlerOptions>, string]>([
    [{ url: "countersign.example.com" }, "url must be"],
    [{ url: "ftp://x" }, "url must be"],
    [{ url: "https://x?key=1" }, "url must be"],
    [{ url: "https://user:pw@x" }, "url must be"],
    [{ apiKey: "" }, "apiKey must be"],
    [{ apiKey: KEY }, "apiKey must be"],
    [{ session: "" }, "session must be"],
    [{ session: "a b" }, "session must be"],
    [{ session: "x".repeat(121) }, "session must be"],
    [{ deadlineMilliseconds: 0 }, "deadlineMilliseconds must be"],
    [{ silenceMilliseconds: Number.NaN }, "silenceMilliseconds must be"],
  ])("%j", (options, message) => {
    const create = () => createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, ...options });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(KEY);
  });

  test("a server without a name", () => {
    expect(() => createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY }).connection({ server: "" })).toThrow("server must be");
  });
});

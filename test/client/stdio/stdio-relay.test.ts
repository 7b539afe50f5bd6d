import { beforeEach, describe, expect, test } from "vitest";
import { createSamplingHandler, type SamplingHandlerOptions } from "../../../client/sampling-handler.ts";
import type { DeclareOptions } from "../../../client/stdio/declare.ts";
import { StdioRelay, type StdioRelaySettings } from "../../../client/stdio/stdio-relay.ts";
import { FAKE_KEY, FakeGateway, until } from "../../support/fake-gateway.ts";
import { settle } from "../manual-timing.ts";

type Json = { readonly [name: string]: unknown };

let gateway: FakeGateway;
beforeEach(() => {
  gateway = new FakeGateway();
});

/**
 * A relay between nobody and nobody: what each side gets, pieces that passed and ours, is kept as
 * text.
 */
function relayed(options: Partial<DeclareOptions & SamplingHandlerOptions & Pick<StdioRelaySettings, "elicitationHosts">> = {}) {
  const errors: string[] = [];
  const client: string[] = [];
  const server: string[] = [];
  let now = 1_000_000;
  const sampling = createSamplingHandler({
    url: gateway.url,
    apiKey: FAKE_KEY,
    fetch: gateway.fetch,
    session: "s",
    onProgress: ({ origin, message }) => relay.waiting(origin.id, message),
    onHeartbeat: ({ origin }) => relay.stillWaiting(origin.id),
    onError: ({ message }) => errors.push(message),
    ...options,
  });
  const { connection } = sampling.connection({ server: "notes" });
  const relay: StdioRelay = new StdioRelay({
    mode: "fulfil",
    elicitation: "forward",
    elicitationHosts: undefined,
    tools: true,
    tasks: true,
    ...options,
    connection,
    toClient: (line) => client.push(`${line}\n`),
    toServer: (line) => server.push(`${line}\n`),
    url: gateway.url,
    holdMilliseconds: 50_000,
    now: () => now,
    sleep: () => new Promise(() => {}),
    onError: ({ message }) => errors.push(message),
  });
  const put = (into: string[], look: (line: Uint8Array) => Uint8Array | undefined, message: unknown): void => {
    const text = typeof message === "string" ? message : `${JSON.stringify(message)}\n`;
    const passed = look(Buffer.from(text));
    if (passed !== undefined) into.push(Buffer.from(passed).toString());
  };
  const fromClient = (message: unknown): void => put(server, (line) => relay.fromClient(line), message);
  const fromServer = (message: unknown): void => put(client, (line) => relay.fromServer(line), message);
  const take = (from: string[]): Json[] => from.splice(0).map((line) => JSON.parse(line) as Json);
  /** The next message to the server, once it is there. */
  const answer = (): Promise<Json> => until(() => (server.length > 0 ? take(server)[0] : undefined));
  const begin = (protocolVersion = "2025-11-25", capabilities: object = {}): void => {
    fromClient({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion, capabilities } });
    fromServer({ jsonrpc: "2.0", id: 0, result: { protocolVersion, capabilities: {} } });
    client.length = 0;
    server.length = 0;
  };
  /** The client calls a tool. */
  const call = (id: number | string = 1, more: object = {}): void => {
    fromClient({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "ask", ...more } });
    server.length = 0;
  };
  const sleep = (milliseconds: number): void => void (now += milliseconds);
  return { relay, sampling, fromClient, fromServer, client, server, take, answer, begin, call, sleep, errors };
}

const sample = (id: number | string, text = "hello", more: object = {}): Json => ({
  jsonrpc: "2.0",
  id,
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 10, ...more },
});
const cancelled = (requestId: unknown): Json => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

describe("what passes", () => {
  const lines = [
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"x/unknown","params":{"n":1.0}}\n',
    '  {"jsonrpc" : "2.0", "method":"notifications/whatever"}\r\n',
    '{"jsonrpc":"2.0","id":99,"result":{"b":1,"a":2}}\n',
    '{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"no"}}\n',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n',
    "\n",
    "[]\n",
    "null\n",
    "7\n",
    '"sampling/createMessage"\n',
    '[1,{"jsonrpc":"2.0","method":"notifications/x"}]\n',
    '{"jsonrpc":"2.0","method":"sampling/createMessage"}\n',
    '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"unknown"}}\n',
    '{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{}}\n',
    '{"no":"line feed"}',
  ];

  test.each(lines)("is the very same bytes, both ways: %s", (line) => {
    const { fromClient, fromServer, client, server } = relayed();
    fromClient(line);
    fromServer(line);
    expect(server).toEqual([line]);
    expect(client).toEqual([line]);
  });

  test.each([
    ["what is no JSON", Buffer.from("not json at all\n")],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0xc3, 0x22, 0x0a])],
    ["an id that is none", Buffer.from('{"jsonrpc":"2.0","id":{"no":"id"},"method":"sampling/createMessage"}\n')],
  ])("is %s too, from the server alone", (_what, line) => {
    const { relay } = relayed();
    expect(relay.fromClient(line)).toBeUndefined();
    expect(relay.fromServer(line)).toBe(line);
  });

  test("causes no request to the gateway, not even at the end, when nothing samples", async () => {
    const { begin, call, fromServer, relay, sampling } = relayed();
    begin();
    call();
    fromServer({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    relay.closed();
    await sampling.flush();
    expect(gateway.seen).toEqual([]);
  });
});

describe("the server's sampling", () => {
  test("is taken out and answered with the server's own id, while the client sees nothing of it", async () => {
    const { begin, call, fromServer, client, answer } = relayed();
    begin();
    call();
    fromServer(sample(0));
    expect(await answer()).toMatchObject({ jsonrpc: "2.0", id: 0, result: { role: "assistant", model: "fake-model" } });
    expect(client).toEqual([]);
    expect(gateway.runs[0]).toMatchObject({
      session: "s",
      origin: { id: 1, method: "tools/call", name: "ask", server: "notes", inferred: true },
    });
  });

  test.each(["12345678901234567890", '"\\u0061"', "1.0", "-1"])("is answered with the id %s as the server wrote it", async (id) => {
    const { begin, call, fromServer, server } = relayed();
    begin();
    call();
    fromServer(`${JSON.stringify(sample(0)).replace('"id":0', `"id": ${id}`)}\n`);
    const line = await until(() => server[0]);
    expect(line.startsWith(`{"jsonrpc":"2.0","id":${id},"result":{`)).toBe(true);
    expect(line.endsWith("}\n")).toBe(true);
  });

  test("may have an id that the client uses too", async () => {
    const { begin, call, fromServer, client, answer } = relayed();
    begin();
    call(1);
    fromServer(sample(1));
    expect(await answer()).toMatchObject({ id: 1, result: { role: "assistant" } });
    fromServer({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    expect(client.map((line) => JSON.parse(line) as Json)).toEqual([{ jsonrpc: "2.0", id: 1, result: { content: [] } }]);
  });

  test("is refused with the protocol's error while no request, or more than one, is open", async () => {
    const { begin, call, fromServer, answer, errors } = relayed();
    begin();
    fromServer(sample(0));
    const refused = (why: string): object => ({
      error: {
        code: -32602,
        message: expect.stringMatching(`^Sampling request is not associated with a client request: .*${why}`) as unknown,
      },
    });
    expect(await answer()).toMatchObject({ id: 0, ...refused("is open") });
    call(1);
    call(2);
    fromServer(sample(1));
    expect(await answer()).toMatchObject({ id: 1, ...refused('association: "inFlight"') });
    expect(errors).toHaveLength(2);
    fromServer({ jsonrpc: "2.0", id: 1, result: {} });
    fromServer(sample(2));
    expect(await answer()).toMatchObject({ id: 2, result: {} });
    expect(gateway.runs.map(({ origin }) => origin["id"])).toEqual([2]);
  });

  test("counts for the newest open request where that was asked for, and says that it is inferred", async () => {
    const { begin, call, fromServer, answer } = relayed({ association: "inFlight" });
    begin();
    call(1);
    call(2);
    fromServer(sample(0));
    await answer();
    expect(gateway.runs[0]?.origin).toMatchObject({ id: 2, inferred: true });
  });

  test("gets the gateway's error with code, message and data", async () => {
    gateway.onRun = (run) => run.fail(-1, "User rejected sampling request", { outcome: "rejected" });
    const { begin, call, fromServer, answer } = relayed();
    begin();
    call();
    fromServer(sample("a"));
    expect(await answer()).toEqual({
      jsonrpc: "2.0",
      id: "a",
      error: { code: -1, message: "User rejected sampling request", data: { outcome: "rejected" } },
    });
  });

  test("is one block in a revision that knows no lists", async () => {
    gateway.onRun = (run) => run.reply("", { content: [{ type: "text", text: "only" }] });
    const { begin, call, fromServer, answer } = relayed();
    begin("2025-06-18");
    call();
    fromServer(sample(0));
    expect(await answer()).toMatchObject({ result: { content: { type: "text", text: "only" } } });
  });

  test("with tools is refused where tools were not declared", async () => {
    const { begin, call, fromServer, answer } = relayed({ tools: false });
    begin();
    call();
    fromServer(sample(0, "x", { tools: [] }));
    expect(await answer()).toMatchObject({ error: { code: -32602 } });
    fromServer(sample(1));
    expect(await answer()).toMatchObject({ result: {} });
  });

  test("is taken out of a batch (2025-03-26), whose other messages keep their bytes", async () => {
    const { begin, call, fromServer, client, answer } = relayed();
    begin("2025-03-26");
    call();
    const log = '{ "jsonrpc":"2.0","method":"notifications/message","params":{"n":1.0} }';
    fromServer(`[${log} , ${JSON.stringify(sample(0))},${log}]\n`);
    expect(client.splice(0)).toEqual([`[${log},${log}]\n`]);
    expect(await answer()).toMatchObject({ id: 0, result: {} });
    fromServer(`[${JSON.stringify(sample(1, "only"))}]\n`);
    expect(client).toEqual([]);
    expect(await answer()).toMatchObject({ id: 1, result: {} });
    const whole = `[ ${log} ]\n`;
    fromServer(whole);
    expect(client).toEqual([whole]);
  });

  test("counts for a request that the client sent in a batch", async () => {
    const { begin, fromClient, fromServer, server, answer } = relayed();
    begin("2025-03-26");
    fromClient([{ jsonrpc: "2.0", id: 5, method: "prompts/get", params: { name: "p" } }]);
    server.length = 0;
    fromServer(sample(0));
    await answer();
    expect(gateway.runs[0]?.origin).toMatchObject({ id: 5, method: "prompts/get", name: "p" });
  });

  test("is refused beyond a hundred at once, and served again afterwards", async () => {
    gateway.onRun = () => undefined;
    const { begin, call, fromServer, answer, server } = relayed();
    begin();
    call();
    for (let id = 0; id <= 100; id += 1) fromServer(sample(id, `question ${id}`));
    expect(await answer()).toMatchObject({ id: 100, error: { code: -32013 } });
    await until(() => gateway.runs.length === 100);
    for (const run of gateway.runs) run.reply("well");
    await until(() => server.length === 100);
    gateway.onRun = (run) => run.reply("again");
    server.length = 0;
    fromServer(sample(101));
    expect(await answer()).toMatchObject({ id: 101, result: {} });
  });

  test("with an id that is under way already is answered on its own", async () => {
    const { begin, call, fromServer, server, take } = relayed();
    gateway.onRun = () => undefined;
    begin();
    call();
    fromServer(sample(0, "first"));
    fromServer(sample(0, "second"));
    await until(() => server.length === 1);
    expect(take(server)).toMatchObject([{ id: 0, error: { code: -32600 } }]);
    gateway.runs[0]?.reply("first");
    await until(() => server.length === 1);
    expect(take(server)).toMatchObject([{ id: 0, result: {} }]);
  });
});

describe("when something ends", () => {
  test("the server's cancellation ends the review, is kept from the client, and nothing is answered", async () => {
    gateway.onRun = () => undefined;
    const { begin, call, fromServer, client, server, sampling } = relayed();
    begin();
    call();
    fromServer(sample(0));
    const run = await gateway.run(0);
    fromServer(cancelled(0));
    await until(() => run.outcome);
    await sampling.flush();
    await settle();
    expect(client).toEqual([]);
    expect(server).toEqual([]);
    expect(gateway.trail).toEqual(["POST /sampling sampling/createMessage", "POST /sampling notifications/cancelled"]);
  });

  test("the server's cancellation of anything else passes", () => {
    const { begin, fromServer, client } = relayed();
    begin();
    fromServer(cancelled(0));
    expect(client).toEqual([`${JSON.stringify(cancelled(0))}\n`]);
  });

  test("the client's cancellation passes, and ends the originating request with what it asked for", async () => {
    gateway.onRun = () => undefined;
    const { begin, call, fromClient, fromServer, server, sampling } = relayed();
    begin();
    call();
    fromServer(sample(0));
    await gateway.run(0);
    fromClient(cancelled(1));
    await until(() => server.length === 2);
    await sampling.flush();
    expect(server.map((line) => JSON.parse(line) as Json)).toMatchObject([cancelled(1), { id: 0, error: { code: -32800 } }]);
    expect(gateway.trail.at(-1)).toBe("DELETE /sessions/s/requests/1?server=notes");
  });

  test("the answer to the client's request passes, and ends it at the gateway", async () => {
    const { begin, call, fromServer, client, answer, sampling } = relayed();
    begin();
    call();
    fromServer(sample(0));
    await answer();
    const result = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n';
    fromServer(result);
    await sampling.flush();
    expect(client).toEqual([result]);
    expect(gateway.trail.at(-1)).toBe("DELETE /sessions/s/requests/1?server=notes");
  });

  test("an answer that was too long to be read ends its request too", async () => {
    const { begin, call, fromServer, relay, answer, sampling } = relayed();
    begin();
    call(1);
    fromServer(sample(0));
    await answer();
    relay.longFromServer('{"result":{"content":[{"text":"xxx', 'xxx"}]},"jsonrpc":"2.0","id":1}\n');
    await sampling.flush();
    expect(gateway.trail.at(-1)).toBe("DELETE /sessions/s/requests/1?server=notes");
    call(2);
    fromServer(sample(1));
    expect(await answer()).toMatchObject({ id: 1, result: {} });
  });

  test("the end of the connection ends the session, once, and nothing more is said to either side", async () => {
    gateway.onRun = () => undefined;
    const { begin, call, fromServer, relay, client, server, sampling } = relayed();
    begin();
    call(1, { _meta: { progressToken: "p" } });
    fromServer(sample(0));
    const run = await gateway.run(0);
    relay.closed();
    relay.closed();
    run.progress("late");
    await sampling.flush();
    await settle();
    expect([...client, ...server]).toEqual([]);
    expect(gateway.trail.filter((each) => each.startsWith("DELETE"))).toEqual(["DELETE /sessions/s"]);
  });
});

describe("while a person is waited for", () => {
  test("the client hears of it where its request has a progress token, above what the server said", async () => {
    gateway.onRun = () => undefined;
    const { begin, call, fromServer, client, take, sleep } = relayed();
    begin();
    call(1, { _meta: { progressToken: "p" } });
    const own = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress: 3 } };
    fromServer(own);
    fromServer(sample(0));
    const run = await gateway.run(0);
    await until(() => run.watchers.size > 0);
    run.progress("Waiting for a person");
    await until(() => client.length === 2);
    gateway.heartbeat();
    await settle();
    sleep(10_000);
    gateway.heartbeat();
    await until(() => client.length === 3);
    const ours = (progress: number): Json => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: "p", progress, message: "Waiting for a person" },
    });
    expect(take(client)).toEqual([own, ours(3.000001), ours(3.000002)]);
  });

  test("a client that gave no progress token hears nothing", async () => {
    const { begin, call, fromServer, client, answer } = relayed();
    gateway.onRun = (run) => {
      setTimeout(() => {
        run.progress("Waiting");
        run.reply("well");
      }, 20);
    };
    begin();
    call();
    fromServer(sample(0));
    await answer();
    expect(client).toEqual([]);
  });

  test("the server hears of it where its sampling request has a progress token", async () => {
    gateway.onRun = () => undefined;
    const { begin, call, fromServer, server, take } = relayed();
    begin();
    call();
    fromServer(sample(0, "x", { _meta: { progressToken: 9 } }));
    const run = await gateway.run(0);
    await until(() => run.watchers.size > 0);
    run.progress("Waiting for a person");
    await until(() => server.length === 1);
    expect(take(server)).toEqual([
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 9, progress: 1, message: "Waiting for a person" } },
    ]);
  });
});

describe("sampling as a task", () => {
  const asTask = (id: number): Json => sample(id, "as a task", { task: { ttl: 60_000 } });
  const ask = (id: number, method: string, params: object): Json => ({ jsonrpc: "2.0", id, method, params });

  test("is asked about, listed, awaited and cancelled at the gateway", async () => {
    gateway.onRun = () => undefined;
    const { begin, call, fromServer, answer, client } = relayed();
    begin();
    call();
    fromServer(asTask(0));
    expect(await answer()).toMatchObject({ id: 0, result: { task: { taskId: "run-1", status: "working" } } });
    fromServer(ask(1, "tasks/get", { taskId: "run-1" }));
    expect(await answer()).toMatchObject({ id: 1, result: { taskId: "run-1", status: "working" } });
    fromServer(ask(2, "tasks/list", {}));
    const listed = await answer();
    expect(listed).toMatchObject({ id: 2, result: { tasks: [{ taskId: "run-1", status: "working", ttl: 300_000 }] } });
    fromServer(ask(3, "tasks/result", { taskId: "run-1" }));
    await until(() => (gateway.runs[0]?.watchers.size ?? 0) > 0);
    gateway.runs[0]?.reply("well");
    expect(await answer()).toMatchObject({ id: 3, result: { content: { text: "well" } } });
    fromServer(ask(4, "tasks/cancel", { taskId: "run-1" }));
    expect(await answer()).toMatchObject({ id: 4, error: { code: -32602 } });
    expect(client).toEqual([]);
  });

  test("that nobody knows is answered as unknown, not passed to a client that knows no tasks", async () => {
    const { begin, call, fromServer, answer, client } = relayed();
    begin();
    call();
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      fromServer(ask(1, method, { taskId: "made up" }));
      expect(await answer()).toMatchObject({ id: 1, error: { code: -32602, message: "Unknown task" } });
    }
    fromServer(ask(2, "tasks/list", {}));
    expect(await answer()).toEqual({ jsonrpc: "2.0", id: 2, result: { tasks: [] } });
    expect(client).toEqual([]);
    expect(gateway.seen).toEqual([]);
  });

  test("leaves the client's own tasks to the client, and stands beside them in a list", async () => {
    gateway.onRun = () => undefined;
    const { begin, call, fromServer, fromClient, answer, client, server } = relayed();
    begin("2025-11-25", { elicitation: {}, tasks: { list: {}, requests: { elicitation: { create: {} } } } });
    call();
    const own = ask(1, "tasks/get", { taskId: "client-1" });
    fromServer(own);
    fromServer(ask(2, "tasks/list", {}));
    expect(client.splice(0).map((line) => JSON.parse(line) as Json)).toEqual([own, ask(2, "tasks/list", {})]);
    const alone = '{"jsonrpc":"2.0","id":2,"result":{"tasks":[{"taskId":"client-1", "n":1.0}]}}\n';
    fromClient(alone);
    expect(server.splice(0)).toEqual([alone]);

    fromServer(asTask(3));
    await answer();
    fromServer(ask(4, "tasks/list", {}));
    expect(client).toHaveLength(1);
    fromClient('{"jsonrpc":"2.0","id":4,"result":{"tasks":[{"taskId":"client-1", "n":1.0}],"nextCursor":"c"}}\n');
    const text = await until(() => server[0]);
    expect(text).toContain('"n":1.0');
    expect(JSON.parse(text)).toMatchObject({ id: 4, result: { tasks: [{ taskId: "run-1" }, { taskId: "client-1" }], nextCursor: "c" } });
    server.length = 0;
    fromServer(ask(5, "tasks/list", { cursor: "c" }));
    expect(client).toHaveLength(2);
  });

  test("is answered as a plain request where tasks were not declared", async () => {
    const { begin, call, fromServer, answer } = relayed({ tasks: false });
    begin();
    call();
    fromServer(asTask(0));
    expect(await answer()).toMatchObject({ id: 0, result: { role: "assistant" } });
  });
});

describe("a client with sampling of its own", () => {
  const own = { sampling: {} };

  test("is left out in mode fulfil", async () => {
    const { begin, call, fromServer, client, answer } = relayed();
    begin("2025-11-25", own);
    call();
    fromServer(sample(0));
    expect(await answer()).toMatchObject({ id: 0, result: { model: "fake-model" } });
    expect(client).toEqual([]);
  });

  test("answers itself in mode forward, and nothing reaches the gateway", () => {
    const { begin, call, fromServer, fromClient, client, server } = relayed({ mode: "forward" });
    begin("2025-11-25", own);
    call();
    fromServer(sample(0));
    expect(client).toEqual([`${JSON.stringify(sample(0))}\n`]);
    const answers = ['{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"no"}}\n', '{"jsonrpc":"2.0","id":0,"result":{}}\n'];
    for (const each of answers) fromClient(each);
    expect(server).toEqual(answers);
    expect(gateway.seen).toEqual([]);
  });

  test("is asked first in mode fallback: its result passes, its error is taken and ours is given under the same id", async () => {
    const { begin, call, fromServer, fromClient, client, server, answer } = relayed({ mode: "fallback" });
    begin("2025-11-25", own);
    call();
    fromServer(sample(0));
    expect(client).toEqual([`${JSON.stringify(sample(0))}\n`]);
    const result = '{"jsonrpc":"2.0","id":0,"result":{"model":"client"}}\n';
    fromClient(result);
    expect(server.splice(0)).toEqual([result]);
    expect(gateway.seen).toEqual([]);

    fromServer(sample(1));
    fromClient('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}\n');
    expect(await answer()).toMatchObject({ id: 1, result: { model: "fake-model" } });
    fromClient('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}\n');
    expect(server).toHaveLength(1);
  });

  test("that a person of the client said no to is not asked again: -1 passes", () => {
    const { begin, call, fromServer, fromClient, server } = relayed({ mode: "fallback" });
    begin("2025-11-25", own);
    call();
    fromServer(sample(0));
    const no = '{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"User rejected sampling request"}}\n';
    fromClient(no);
    expect(server).toEqual([no]);
    expect(gateway.seen).toEqual([]);
  });

  test("in a batch of answers loses only its error", async () => {
    const { begin, call, fromServer, fromClient, server } = relayed({ mode: "fallback" });
    begin("2025-03-26", own);
    call();
    fromServer(sample(0));
    fromClient('[{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}},{"jsonrpc":"2.0","id":7,"result":{}}]\n');
    await until(() => server.length === 2);
    expect(server[0]).toBe('[{"jsonrpc":"2.0","id":7,"result":{}}]\n');
    expect(JSON.parse(server[1] ?? "")).toMatchObject({ id: 0, result: { model: "fake-model" } });
  });

  test("that was asked first is told of a cancellation, and its late error starts nothing", () => {
    const { begin, call, fromServer, fromClient, client, server } = relayed({ mode: "fallback" });
    begin("2025-11-25", own);
    call();
    fromServer(sample(0));
    fromServer(cancelled(0));
    expect(client).toHaveLength(2);
    const late = '{"jsonrpc":"2.0","id":0,"error":{"code":0,"message":"cancelled"}}\n';
    fromClient(late);
    expect(server).toEqual([late]);
    expect(gateway.seen).toEqual([]);
  });

  test("that has none is not asked in mode fallback", async () => {
    const { begin, call, fromServer, client, answer } = relayed({ mode: "fallback" });
    begin();
    call();
    fromServer(sample(0));
    expect(await answer()).toMatchObject({ id: 0, result: {} });
    expect(client).toEqual([]);
  });
});

describe("a gateway that cannot help", () => {
  test.each([
    [() => new Response(null, { status: 401 }), -32014, /does not accept this host's API key/],
    [() => new Response(null, { status: 413 }), -32015, /larger than/],
    [() => new Response("<html>", { status: 404 }), -32603, /No sampling gateway answers/],
  ])("is a clear error for the server, a line for the host, and everything else goes on", async (instead, code, message) => {
    gateway.instead.push(instead);
    const { begin, call, fromServer, client, answer, errors } = relayed();
    begin();
    call();
    fromServer(sample(0, "a secret question"));
    expect(await answer()).toMatchObject({ id: 0, error: { code, message: expect.stringMatching(message) } });
    expect(errors).toHaveLength(1);
    expect(errors[0]).not.toMatch(/secret|fake-gateway-key/);
    fromServer({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    expect(client).toHaveLength(1);
  });

  test("is never asked with a question that cannot be written as JSON again, and the fault has no content", async () => {
    const { begin, call, fromServer, answer, errors } = relayed();
    begin();
    call();
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    fromServer(`{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{"secret":${deep}}}\n`);
    expect(await answer()).toEqual({ jsonrpc: "2.0", id: 0, error: { code: -32603, message: "Internal error" } });
    expect(errors).toEqual(["A sampling request could not be handled here."]);
  });
});

describe("a line of the client that a server may read in another way than it is read here", () => {
  const made = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"delete_all"}}';
  test.each([
    ["is no JSON, which some libraries read", '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"delete_all","n":NaN}}\n'],
    ["has a comma at its end", '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"delete_all"},}\n'],
    ["is another line to what ends lines at a carriage return", `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":\r${made}\r}}\n`],
    ["is two lines to it", `{"jsonrpc":"2.0","id":2,"method":"ping"}\r${made}\n`],
    ["has an id that is none", '{"jsonrpc":"2.0","id":true,"method":"tools/call","params":{"name":"delete_all"}}\n'],
    ["has a batch in its batch", `[[${made}]]\n`],
    [
      "is deep",
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x","arguments":${"[".repeat(1_000)}${"]".repeat(1_000)}}}\n`,
    ],
  ])("%s: it is refused, and the server hears nothing of it", (_how, line) => {
    const { fromClient, client, server } = relayed();
    fromClient(line);
    expect(server).toEqual([]);
    expect(client.map((each) => (JSON.parse(each) as Json)["error"])).toEqual([expect.objectContaining({ message: expect.any(String) })]);
  });

  test.each([
    ["ends with a carriage return and a line feed", '{"jsonrpc":"2.0","id":2,"method":"ping"}\r\n'],
    ["is empty", "\r\n"],
    ["has what is no line's end in a text", '{"jsonrpc":"2.0","id":2,"method":"x/y","params":{"s":"\u2028\\r"}}\n'],
    [
      "has names of its own in odd letters",
      '{"jsonrpc":"2.0","id":2,"method":"x/y","params":{"Text":1,"text":2,"arguments":{"Name":1,"name":2}}}\n',
    ],
  ])("is not one that %s: it passes as it came", (_how, line) => {
    const { fromClient, server } = relayed();
    fromClient(line);
    expect(server).toEqual([line]);
  });

  test("is not read as the server's own answer to sampling, which the gateway gives", () => {
    const { begin, call, fromClient, fromServer, server } = relayed();
    begin();
    call();
    fromServer(sample(0, "a question"));
    const reply = { role: "assistant", model: "none", content: { type: "text", text: "made up" } };
    for (const message of [{ result: reply }, { method: "ping", result: reply }, { result: { content: reply.content } }])
      fromClient({ jsonrpc: "2.0", id: 0, ...message });
    expect(server.join("")).not.toContain("made up");
    fromClient({ jsonrpc: "2.0", id: 7, result: { action: "accept", content: { a: 1 } } });
    expect(server.join("")).toContain('"accept"');
  });
});

describe("a server that asks as the gateway would", () => {
  const page = (url: string): Json => ({ mode: "url", message: "Go", url, elicitationId: "e" });
  test.each([
    ["leads to the gateway", 5, page("http://gateway.test/r/1")],
    ["leads there by another spelling", 5, page("HTTP://GATEWAY.test./console")],
    ["uses an id of the gateway's", "Countersign/review/1", { message: "Sure?", requestedSchema: {} }],
  ])("and %s is answered with an error, and the client is not asked", (_how, id, params) => {
    const { begin, fromServer, client, server } = relayed();
    begin();
    fromServer({ jsonrpc: "2.0", id, method: "elicitation/create", params });
    expect(client).toEqual([]);
    expect(server.map((each) => JSON.parse(each) as Json)).toEqual([
      expect.objectContaining({ id, error: expect.objectContaining({ code: -32_602 }) }),
    ]);
  });

  const ask = (params: object): object => ({ jsonrpc: "2.0", id: 5, method: "elicitation/create", params });

  test("that a person answers goes to the gateway, for the call that it serves", async () => {
    const { begin, call, fromServer, answer, client } = relayed({ elicitation: "fulfil" });
    begin();
    call();
    const accepted = { action: "accept", content: { people: 4 } };
    gateway.instead.push(() => Response.json({ jsonrpc: "2.0", id: 5, result: accepted }));
    fromServer(ask({ message: "How many?", requestedSchema: { type: "object" } }));
    expect(await answer()).toEqual({ jsonrpc: "2.0", id: 5, result: accepted });
    expect(client).toEqual([]);
    const origin = { id: 1, method: "tools/call", name: "ask", server: "notes", inferred: true };
    expect(gateway.seen[0]?.body).toMatchObject({
      method: "elicitation/create",
      params: { message: "How many?", _meta: { "countersign/originatingRequest": origin } },
    });
  });

  test("that nobody could be asked about is cancelled, and one that is wrong is an error", async () => {
    const { begin, call, fromServer, answer } = relayed({ elicitation: "fulfil", elicitationHosts: ["example.com"] });
    begin();
    call();
    gateway.instead.push(() => Response.json({ jsonrpc: "2.0", id: 5, error: { code: -1, message: "Stopped" } }, { status: 403 }));
    fromServer(ask({ message: "Sure?", requestedSchema: { type: "object" } }));
    expect(await answer()).toMatchObject({ id: 5, result: { action: "cancel" } });
    fromServer(ask(page("https://elsewhere.example/")));
    expect(await answer()).toMatchObject({ id: 5, error: { code: -32_602, message: expect.stringContaining("elicitationHosts") } });
    expect(gateway.seen).toHaveLength(1);
  });

  test("and leads elsewhere asks its client", () => {
    const { begin, fromServer, client } = relayed();
    begin();
    fromServer({ jsonrpc: "2.0", id: 5, method: "elicitation/create", params: page("https://example.com/") });
    expect(client).toHaveLength(1);
  });
});

// Revision 2026-07-28 behind the command, message by message: what each side gets, and what neither
// gets.

import { beforeEach, describe, expect, test } from "vitest";
import { createSamplingHandler } from "../../../client/sampling-handler.ts";
import type { DeclareOptions } from "../../../client/stdio/declare.ts";
import { StdioRelay } from "../../../client/stdio/stdio-relay.ts";
import { FAKE_KEY, FakeGateway, until } from "../../support/fake-gateway.ts";
import { ManualTiming, settle } from "../manual-timing.ts";

type Json = { readonly [name: string]: unknown };
type Message = Json & { readonly id: string | number; readonly params: Json; readonly result: Json; readonly error: Json };

let gateway: FakeGateway;
beforeEach(() => {
  gateway = new FakeGateway();
});

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const declared = { sampling: { tools: {} }, experimental: { "countersign/responseFormat": {} } };
const metaOf = (capabilities: Json, more: Json = {}): Json => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  [CAPABILITIES]: capabilities,
  ...more,
});
const sampling = (text = "hello", more: Json = {}): Json => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 10, ...more },
});
const elicitation: Json = { method: "elicitation/create", params: { message: "Sure?", requestedSchema: { type: "object" } } };
const asks = (inputRequests: Json | undefined, requestState?: string): Json => ({
  resultType: "input_required",
  ...(inputRequests === undefined ? {} : { inputRequests }),
  ...(requestState === undefined ? {} : { requestState }),
});
const done: Json = { resultType: "complete", content: [] };

/** A relay between nobody and nobody: what each side gets is kept as text. */
function relayed(options: Partial<DeclareOptions> = {}) {
  const [errors, client, server]: [string[], string[], string[]] = [[], [], []];
  const timing = new ManualTiming();
  const handler = createSamplingHandler({
    url: gateway.url,
    apiKey: FAKE_KEY,
    fetch: gateway.fetch,
    session: "s",
    onProgress: ({ origin, message }) => relay.waiting(origin.id, message),
    onError: ({ message }) => errors.push(message),
  });
  const { connection } = handler.connection({ server: "notes" });
  const relay: StdioRelay = new StdioRelay({
    mode: "fulfil",
    elicitation: "forward",
    elicitationHosts: undefined,
    tools: true,
    tasks: true,
    ...options,
    connection,
    url: gateway.url,
    holdMilliseconds: 50_000,
    now: () => timing.now(),
    sleep: (milliseconds, signal) => timing.sleep(milliseconds, signal),
    toClient: (line) => client.push(`${line}\n`),
    toServer: (line) => server.push(`${line}\n`),
    onError: ({ message }) => errors.push(message),
  });
  const put = (into: string[], look: (line: Uint8Array) => Uint8Array | undefined, message: unknown): void => {
    const passed = look(Buffer.from(typeof message === "string" ? message : `${JSON.stringify(message)}\n`));
    if (passed !== undefined) into.push(Buffer.from(passed).toString());
  };
  const fromClient = (message: unknown): void => put(server, (line) => relay.fromClient(line), message);
  const fromServer = (message: unknown): void => put(client, (line) => relay.fromServer(line), message);
  const next = (from: string[]): Promise<Message> =>
    until(() => (from.length > 0 ? (JSON.parse(from.shift() ?? "") as Message) : undefined));
  const capabilities: Json = { elicitation: {}, roots: {} };
  const call = (id: string | number, more: Json = {}, meta = metaOf(capabilities)): void =>
    fromClient({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "ask", arguments: { a: 1 }, _meta: meta, ...more } });
  const answer = (id: string | number, result: Json): void => fromServer({ jsonrpc: "2.0", id, result });
  return { relay, handler, timing, fromClient, fromServer, client, server, errors, call, answer, next };
}

describe("a request that passes", () => {
  test("keeps its bytes, but for sampling and its extensions among the client's capabilities", () => {
    const extended = '"experimental":{"countersign/responseFormat":{}}';
    const line = (capabilities: string): string =>
      `{ "jsonrpc":"2.0","id":12345678901234567890,"method":"x/unknown","params":{"n":1.0, "_meta":{"progressToken":12345678901234567891,` +
      `"io.modelcontextprotocol/protocolVersion":"2026-07-28", "${CAPABILITIES}":${capabilities}} } }\r\n`;
    for (const [given, passed, tools] of [
      ["{}", `{"sampling":{"tools":{}},${extended}}`, true],
      ['{ "roots": {} }', `{"sampling":{},${extended}, "roots": {} }`, false],
      ['{"sampling" : {"context":{}} }', `{${extended},"sampling" : {"tools":{}} }`, true],
      ['{"experimental":{ "own":1.0}}', '{"sampling":{"tools":{}},"experimental":{"countersign/responseFormat":{}, "own":1.0}}', true],
      ['{"experimental": {}}', `{"sampling":{"tools":{}},"experimental": {"countersign/responseFormat":{}}}`, true],
      ['{"experimental":7}', `{"sampling":{"tools":{}},${extended}}`, true],
    ] as const) {
      const { fromClient, server } = relayed({ tools });
      fromClient(line(given));
      expect(server).toEqual([line(passed)]);
    }
  });

  test.each<[string, Json, Partial<DeclareOptions>]>([
    ["forward", { sampling: {} }, { mode: "forward" }],
    ["forward, for a client without sampling", {}, { mode: "forward" }],
    ["fallback, for a client with sampling", { sampling: {} }, { mode: "fallback" }],
  ])("is the very same bytes, and so is its round, in mode %s", (_mode, capabilities, options) => {
    const { call, answer, server, client } = relayed(options);
    call(1, { inputResponses: { a: {} }, requestState: "s" }, metaOf(capabilities));
    answer(1, asks({ reply: sampling() }, "s"));
    expect(JSON.parse(server[0] ?? "")).toMatchObject({ params: { inputResponses: { a: {} }, _meta: metaOf(capabilities) } });
    expect(client).toEqual([`${JSON.stringify({ jsonrpc: "2.0", id: 1, result: asks({ reply: sampling() }, "s") })}\n`]);
    expect(gateway.runs).toEqual([]);
  });

  test("is answered here in mode fallback, for a client without sampling", async () => {
    const { call, answer, server, next } = relayed({ mode: "fallback" });
    call(1);
    server.length = 0;
    answer(1, asks({ reply: sampling() }));
    expect(Object.keys((await next(server)).params["inputResponses"] as Json)).toEqual(["reply"]);
  });

  test.each<[string, Json]>([
    ["of another revision", { "io.modelcontextprotocol/protocolVersion": "2027-01-01", [CAPABILITIES]: {} }],
    ["without capabilities", { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }],
    ["without a revision", { [CAPABILITIES]: {} }],
  ])("%s is the very same bytes", (_what, meta) => {
    const { fromClient, server } = relayed();
    const line = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask", _meta: meta } })}\n`;
    fromClient(line);
    expect(server).toEqual([line]);
  });
});

describe("a round", () => {
  test("goes on with the same params and state under a new id, and the client hears of its end alone", async () => {
    const { call, answer, next, client, server } = relayed();
    call(1, {}, metaOf({ elicitation: {} }, { progressToken: 7, "example/trace": "t" }));
    const first = await next(server);
    answer(1, asks({ a: sampling("one"), b: sampling("two") }, "stäte"));
    const second = await next(server);
    expect(second.id).not.toBe(1);
    const replied = (text: string): unknown => expect.objectContaining({ content: { type: "text", text: `Reviewed reply to: ${text}` } });
    expect(second).toEqual({
      ...first,
      id: second.id,
      params: { ...first.params, requestState: "stäte", inputResponses: { a: replied("one"), b: replied("two") } },
    });
    answer(second.id, asks({ c: sampling("three") }));
    const third = await next(server);
    expect([third.params["requestState"], Object.keys(third.params["inputResponses"] as Json)]).toEqual([undefined, ["c"]]);
    expect(client).toEqual([]);
    answer(third.id, done);
    expect(await next(client)).toEqual({ jsonrpc: "2.0", id: 1, result: done });
    expect(gateway.runs.map(({ origin }) => origin)).toEqual(
      [1, 2, 3].map(() => ({ id: 1, method: "tools/call", name: "ask", server: "notes" })),
    );
    await until(() => gateway.trail.at(-1) === "DELETE /sessions/s/requests/1?server=notes");
  });

  test("of one call is not mixed up with that of another with the same key and params", async () => {
    const { call, answer, next, client, server } = relayed();
    gateway.onRun = () => undefined;
    for (const id of [1, "1", 2]) call(id);
    server.length = 0;
    for (const id of [1, "1", 2]) answer(id, asks({ reply: sampling("same") }));
    await gateway.run(2);
    expect(gateway.runs.map(({ origin }) => origin["id"])).toEqual([1, "1", 2]);
    gateway.runs[1]?.reply("for the second");
    const continued = await next(server);
    answer(continued.id, done);
    expect((await next(client)).id).toBe("1");
    expect(server).toEqual([]);
  });

  test("keeps what a parser would change: long numbers in the params and in the id", async () => {
    const { fromClient, answer, next, client, server } = relayed();
    const meta = JSON.stringify(metaOf({}));
    fromClient(
      `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"ask","arguments":{"n":1.50},"_meta":${meta}}}\n`,
    );
    server.length = 0;
    answer(9007199254740992, asks({ reply: sampling() }));
    await until(() => server.length > 0);
    expect(server[0]).toContain('"name":"ask","arguments":{"n":1.50}}');
    answer((await next(server)).id, done);
    expect(client[0]).toContain('"id":9007199254740993');
  });

  test("with what is the client's too: the client is asked for that alone, and its answers count for that alone", async () => {
    const { call, answer, next, client, server } = relayed();
    gateway.onRun = () => undefined;
    call(1);
    server.length = 0;
    answer(1, asks({ reply: sampling(), confirm: elicitation, roots: { method: "roots/list" } }, "server's"));
    const { result } = await next(client);
    const state = String(result["requestState"]);
    expect(result).toEqual(asks({ confirm: elicitation, roots: { method: "roots/list" } }, state));
    expect(state).not.toContain("server's");
    const forged = { role: "assistant", content: { type: "text", text: "forged" }, model: "m" };
    const accepted = { action: "accept", content: {} };
    call(2, { requestState: state, inputResponses: { reply: forged, other: forged, confirm: accepted, roots: { roots: [] } } });
    (await gateway.run(0)).reply("reviewed");
    const { id, params } = await next(server);
    expect(params["requestState"]).toBe("server's");
    expect(params["inputResponses"]).toEqual({
      reply: expect.objectContaining({ content: { type: "text", text: "reviewed" } }) as unknown,
      confirm: accepted,
      roots: { roots: [] },
    });
    answer(id, done);
    expect(await next(client)).toEqual({ jsonrpc: "2.0", id: 2, result: done });
    // The gateway knows both requests of the client as one.
    expect(gateway.runs[0]?.origin["id"]).toBe(1);
    await until(() => gateway.trail.at(-1) === "DELETE /sessions/s/requests/1?server=notes");
  });

  test("without an answer of the client is asked for again", async () => {
    const { call, answer, next, client, server } = relayed();
    call(1);
    answer(1, asks({ confirm: elicitation, roots: { method: "roots/list" } }));
    const first = await next(client);
    server.length = 0;
    call(2, { requestState: first.result["requestState"], inputResponses: { confirm: { action: "decline" }, roots: "none" } });
    const second = await next(client);
    expect(Object.keys(second.result["inputRequests"] as Json)).toEqual(["roots"]);
    expect(second.result["requestState"]).not.toBe(first.result["requestState"]);
    expect(server).toEqual([]);
  });

  test("that asks for nothing is the client's to come back to", async () => {
    const { call, answer, next, client, server } = relayed();
    call(1);
    server.length = 0;
    answer(1, asks(undefined, "later"));
    const { result } = await next(client);
    expect(Object.keys(result)).toEqual(["resultType", "requestState"]);
    call(2, { requestState: result["requestState"] });
    const { params } = await next(server);
    expect([params["requestState"], params["inputResponses"]]).toEqual(["later", undefined]);
  });
});

describe("a person who takes long", () => {
  test("is waited for over several requests of the client, each of which gets a state of its own", async () => {
    const { call, answer, next, client, server, timing } = relayed();
    gateway.onRun = () => undefined;
    call(1);
    server.length = 0;
    answer(1, asks({ reply: sampling() }, "s"));
    await gateway.run(0);
    const states = new Set<unknown>();
    for (const id of [2, 3, 4]) {
      await timing.advance(49_000);
      expect(client).toEqual([]);
      await timing.advance(1_000);
      const { result } = await next(client);
      expect(Object.keys(result)).toEqual(["resultType", "requestState"]);
      states.add(result["requestState"]);
      call(id, { requestState: result["requestState"] });
    }
    expect(states.size).toBe(3);
    expect(server).toEqual([]);
    gateway.runs[0]?.reply("well");
    answer((await next(server)).id, done);
    expect((await next(client)).id).toBe(4);
    expect(gateway.runs).toHaveLength(1);
  });

  test("decides while the client is away: nothing goes to the server until the client is back", async () => {
    const { call, answer, next, client, server, timing } = relayed();
    gateway.onRun = () => undefined;
    call(1);
    server.length = 0;
    answer(1, asks({ reply: sampling() }));
    await gateway.run(0);
    await timing.advance(50_000);
    const { result } = await next(client);
    gateway.runs[0]?.reply("well");
    await settle();
    expect(server).toEqual([]);
    call(2, { requestState: result["requestState"] });
    expect(server).toHaveLength(1);
    expect((await next(server)).params["inputResponses"]).toMatchObject({ reply: { content: { text: "well" } } });
  });

  test("is not needed any more where the client does not come back", async () => {
    const { call, answer, next, client, timing } = relayed();
    gateway.onRun = () => undefined;
    call(1);
    answer(1, asks({ reply: sampling() }));
    const run = await gateway.run(0);
    await timing.advance(50_000);
    const { result } = await next(client);
    await timing.advance(60_000);
    await until(() => run.outcome);
    call(2, { requestState: result["requestState"] });
    expect((await next(client)).error).toMatchObject({ code: -32_602 });
  });

  test("denies while the client is away and has used the id again: the other request's answer is not lost", async () => {
    const { call, answer, next, client } = relayed();
    gateway.onRun = () => undefined;
    call(1);
    answer(1, asks({ reply: sampling(), confirm: elicitation }));
    await next(client);
    const run = await gateway.run(0);
    call(1);
    run.fail(-1, "User rejected sampling request");
    await until(() => run.outcome);
    await settle();
    answer(1, done);
    expect(await next(client)).toEqual({ jsonrpc: "2.0", id: 1, result: done });
  });

  test("denies while the client is away: it gets the sentence when it is back", async () => {
    const { call, answer, next, client, server } = relayed();
    gateway.onRun = () => undefined;
    call(1);
    server.length = 0;
    answer(1, asks({ first: sampling("one"), second: sampling("two"), confirm: elicitation }));
    const { result } = await next(client);
    (await gateway.run(0)).fail(-1, "User rejected sampling request");
    // The other review of the round is withdrawn.
    await until(() => gateway.runs[1]?.outcome);
    call(2, { requestState: result["requestState"], inputResponses: { confirm: { action: "accept" } } });
    expect(await next(client)).toEqual({
      jsonrpc: "2.0",
      id: 2,
      result: { resultType: "complete", content: [{ type: "text", text: "User rejected sampling request" }], isError: true },
    });
    expect(server).toEqual([]);
  });
});

describe("an end without a reply", () => {
  test.each(["prompts/get", "resources/read"])("is the gateway's error for %s", async (method) => {
    const { fromClient, answer, next, client } = relayed();
    gateway.onRun = (run) => run.fail(-1, "User rejected sampling request", { outcome: "rejected" });
    fromClient({ jsonrpc: "2.0", id: 1, method, params: { name: "n", uri: "u", _meta: metaOf({}) } });
    answer(1, asks({ reply: sampling() }));
    expect((await next(client)).error).toEqual({ code: -1, message: "User rejected sampling request", data: { outcome: "rejected" } });
  });

  test("is a sentence for tools that were not declared", async () => {
    const { call, answer, next, client } = relayed({ tools: false });
    call(1);
    answer(1, asks({ reply: sampling("hello", { tools: [] }) }));
    expect((await next(client)).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("not declared") as unknown }],
    });
    expect(gateway.runs).toEqual([]);
  });

  test("of the server itself passes, and so does its error", async () => {
    const { call, answer, fromServer, next, client, server } = relayed();
    call(1);
    server.length = 0;
    answer(1, asks({ reply: sampling() }));
    const { id } = await next(server);
    fromServer({ jsonrpc: "2.0", id, error: { code: -32_000, message: "no", data: { n: 1 } } });
    expect(await next(client)).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "no", data: { n: 1 } } });
  });
});

describe("a cancellation", () => {
  test("while a person reviews withdraws the review, and the server hears nothing", async () => {
    const { call, answer, fromClient, handler, server, client } = relayed();
    gateway.onRun = () => undefined;
    call(1);
    answer(1, asks({ reply: sampling() }));
    const run = await gateway.run(0);
    server.length = 0;
    fromClient({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await handler.flush();
    expect(run.outcome).toMatchObject({ error: { code: -32_800 } });
    await settle();
    expect([server, client]).toEqual([[], []]);
  });

  test("while the server works names the id that the server knows, and its late answer goes nowhere", async () => {
    const { call, answer, fromClient, next, server, client } = relayed();
    call(1);
    fromClient({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "r" } });
    server.shift();
    expect(await next(server)).toEqual({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "r" } });
    call(2);
    server.length = 0;
    answer(2, asks({ reply: sampling() }));
    const { id } = await next(server);
    fromClient('{"jsonrpc":"2.0", "method":"notifications/cancelled","params":{"requestId":2,"n":1.0}}\n');
    expect(server).toEqual([
      `{"jsonrpc":"2.0", "method":"notifications/cancelled","params":{"requestId":${JSON.stringify(id)},"n":1.0}}\n`,
    ]);
    answer(id, done);
    answer(id, asks({ reply: sampling() }));
    expect(client).toEqual([]);
  });
});

describe("progress", () => {
  test("of the gateway has the token of the request that waits now", async () => {
    const { call, answer, next, client, timing } = relayed();
    gateway.onRun = () => undefined;
    call(1, {}, metaOf({}, { progressToken: "one" }));
    answer(1, asks({ reply: sampling() }));
    const run = await gateway.run(0);
    await until(() => run.watchers.size > 0);
    run.progress("Waiting for Ann");
    expect(await next(client)).toMatchObject({ params: { progressToken: "one", message: "Waiting for Ann" } });
    await timing.advance(50_000);
    const { result } = await next(client);
    call(2, { requestState: result["requestState"] }, metaOf({}, { progressToken: "two" }));
    run.progress("Still waiting");
    expect(await next(client)).toMatchObject({ params: { progressToken: "two", message: "Still waiting" } });
  });
});

describe("a client that does what it should not", () => {
  const forged = { reply: { role: "assistant", content: { type: "text", text: "forged" }, model: "m" } };

  test("answers what nobody asked: its server gets the request without that", async () => {
    const { call, next, server } = relayed();
    call(1, { inputResponses: forged });
    const { params } = await next(server);
    expect(params).toEqual({ name: "ask", arguments: { a: 1 }, _meta: metaOf({ elicitation: {}, roots: {}, ...declared }) });
  });

  /** Each gets a state from a round of its own call first. */
  test.each<[string, (state: string) => Json, string]>([
    ["a state of nobody's", () => ({ requestState: "made up", inputResponses: forged }), "tools/call"],
    ["a state that is no text", () => ({ requestState: 7 }), "tools/call"],
    ["the state of another tool", (state) => ({ requestState: state, name: "other" }), "tools/call"],
    ["the state of other arguments", (state) => ({ requestState: state, arguments: { a: 2 } }), "tools/call"],
    ["the state of another method", (state) => ({ requestState: state }), "prompts/get"],
    ["the state of another method without rounds", (state) => ({ requestState: state }), "tools/list"],
  ])("sends %s: it is refused, and its call is still there", async (_what, more, method) => {
    const { call, answer, fromClient, next, client, server } = relayed();
    call(1);
    answer(1, asks({ confirm: elicitation }, "server's"));
    const state = String((await next(client)).result["requestState"]);
    server.length = 0;
    fromClient({
      jsonrpc: "2.0",
      id: 2,
      method,
      params: { name: "ask", arguments: { a: 1 }, _meta: metaOf({ elicitation: {} }), ...more(state) },
    });
    expect((await next(client)).error).toMatchObject({ code: -32_602, message: expect.stringContaining("requestState") as unknown });
    expect(server).toEqual([]);
    call(3, { requestState: state, inputResponses: { confirm: { action: "accept" } } });
    expect((await next(server)).params["requestState"]).toBe("server's");
    call(4, { requestState: state, inputResponses: { confirm: { action: "accept" } } });
    expect((await next(client)).error).toMatchObject({ code: -32_602 });
  });

  test("sends a batch, which the revision does not have", async () => {
    const { fromClient, next, client, server } = relayed();
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask", inputResponses: forged, _meta: metaOf({}) } };
    fromClient([request, { jsonrpc: "2.0", method: "notifications/x" }]);
    expect((await next(client)).error).toMatchObject({ code: -32_600 });
    expect(server).toEqual(['[{"jsonrpc":"2.0","method":"notifications/x"}]\n']);
  });

  test.each([
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","InputResponses":{"reply":{}},"_meta":META}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","inputResponses":{"reply":{}},"inputResponses":null,"_meta":META}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"inputResponses":{}},"params":{"name":"ask","_meta":META}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"inputResponses":{}},"params":{"name":"ask","_meta":META}}`,
  ])("says what servers would read in more than one way: %s", async (line) => {
    const { fromClient, next, client, server } = relayed();
    fromClient(`${line.replace("META", JSON.stringify(metaOf({})))}\n`);
    expect(server).toEqual([]);
    expect((await next(client)).error).toMatchObject({ code: -32_600 });
  });

  test("uses an id that is in use", async () => {
    const { call, next, client } = relayed();
    call(1);
    call(1);
    expect((await next(client)).error).toMatchObject({ code: -32_600 });
  });
});

describe("a server that does what it should not", () => {
  const round = asks({ reply: sampling() });
  test.each<[string, Json, RegExp]>([
    ["a state of a megabyte", asks({ reply: sampling() }, "s".repeat(1_000_000)), /more than 262144 characters/],
    ["a state that is no text", { ...round, requestState: 7 }, /no text/],
    ["nothing", asks(undefined), /without saying which/],
    ["a thousand inputs", asks(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, sampling()]))), /more than 64/],
    ["an unknown input beside sampling", asks({ reply: sampling(), other: { method: "tools/call" } }), /no sampling\/createMessage/],
    [
      "an address of the gateway",
      asks({ open: { method: "elicitation/create", params: { mode: "url", message: "Go", url: "http://gateway.test/r/1" } } }),
      /address of the gateway/,
    ],
    ["a form of a client without forms", asks({ reply: sampling(), confirm: elicitation }), /did not declare/],
  ])("asks for %s: the call ends with a clear error, and nothing is sampled", async (_what, result, message) => {
    const { call, answer, next, client } = relayed();
    call(1, {}, metaOf({ elicitation: { url: {} } }));
    answer(1, result);
    const { error } = await next(client);
    expect(String(error["message"])).toMatch(message);
    expect(gateway.runs).toEqual([]);
  });

  test("asks for input in a list, which the revision forbids", async () => {
    const { fromClient, answer, next, client } = relayed();
    fromClient({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: metaOf({}) } });
    answer(1, round);
    expect((await next(client)).error).toMatchObject({ code: -32_603, message: expect.stringContaining("tools/list") as unknown });
    expect(gateway.runs).toEqual([]);
  });

  test("asks for ever: the call ends after a hundred rounds", async () => {
    const { call, answer, next, client, server } = relayed();
    call(1);
    server.length = 0;
    answer(1, round);
    for (let at = 1; at <= 100; at += 1) answer((await next(server)).id, asks({ reply: sampling(`round ${at}`) }, `s${at}`));
    await until(() => client.length + server.length > 0);
    expect(server).toEqual([]);
    expect((await next(client)).error).toMatchObject({ message: expect.stringContaining("more than 100 rounds") as unknown });
    expect(gateway.runs).toHaveLength(100);
  });

  test("answers a request twice, or in a batch: the client gets no round", async () => {
    const { call, answer, fromServer, client } = relayed();
    gateway.onRun = () => undefined;
    call(1);
    answer(1, round);
    answer(1, round);
    fromServer([{ jsonrpc: "2.0", id: 1, result: round }]);
    call(2);
    fromServer([{ jsonrpc: "2.0", id: 2, result: round }]);
    await gateway.run(0);
    expect(client).toEqual([]);
    expect(gateway.runs).toHaveLength(1);
  });

  const rounds = '"inputRequests":{"reply":{"method":"sampling/createMessage","params":{}}}';
  test.each([
    [`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ResultType":"input_required",${rounds}}}`, true],
    [`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",${rounds},"resultType":"complete"}}`, true],
    [`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",${rounds}},"result":{"resultType":"complete"}}`, true],
    [`{"jsonrpc":"2.0","Id":1,"result":{"resultType":"input_required",${rounds}}}`, false],
    [`{"jsonrpc":"2.0","id":1,"method":"x","result":{"resultType":"input_required",${rounds}}}`, false],
    [`{"jsonrpc":"2.0","id":2,"Id":1,"result":{"resultType":"input_\\u0072equired",${rounds}}}`, false],
  ])("says what clients would read in more than one way: %s", async (line, isEnd) => {
    const { call, fromServer, client } = relayed();
    call(1);
    fromServer(`${line}\n`);
    expect(client.map((each) => (JSON.parse(each) as Message).error["code"])).toEqual(isEnd ? [-32_603] : []);
    expect(gateway.runs).toEqual([]);
  });

  test("keeps a client's answers as they were written", async () => {
    const { call, answer, fromClient, next, client, server } = relayed();
    call(1);
    answer(1, asks({ confirm: elicitation }));
    const state = JSON.stringify((await next(client)).result["requestState"]);
    server.length = 0;
    const meta = JSON.stringify(metaOf({ elicitation: {} }));
    fromClient(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":{"a":1},"name":"ask","inputResponses":{"confirm":{"n":1.50}},"requestState":${state},"_meta":${meta}}}\n`,
    );
    await until(() => server.length > 0);
    expect(server[0]).toContain('"inputResponses":{"confirm":{"n":1.50}}');
  });

  test("names a prototype: it is a key like any other", async () => {
    const { call, fromServer, next, server } = relayed();
    call(1);
    server.length = 0;
    fromServer(
      `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"__proto__":${JSON.stringify(sampling())}}}}\n`,
    );
    const { params } = await next(server);
    expect(Object.keys(params["inputResponses"] as Json)).toEqual(["__proto__"]);
  });

  test("answers at a length that passes unread: the client gets an error under its own id", async () => {
    const { call, answer, next, client, server, relay } = relayed();
    call(1);
    server.length = 0;
    answer(1, round);
    const { id } = await next(server);
    relay.longFromServer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{`, "}}");
    expect(await next(client)).toMatchObject({ id: 1, error: { code: -32_603 } });
  });
});

test("more calls than are remembered end, oldest first, while their clients are away", async () => {
  const { call, answer, next, client } = relayed();
  gateway.onRun = () => undefined;
  call("first");
  answer("first", asks({ reply: sampling(), confirm: elicitation }));
  const { result } = await next(client);
  const run = await gateway.run(0);
  for (let id = 1; id <= 1_000; id += 1) {
    call(id);
    answer(id, asks({ confirm: elicitation }));
  }
  await until(() => run.outcome);
  client.length = 0;
  call("back", { requestState: result["requestState"] });
  expect((await next(client)).error).toMatchObject({ code: -32_602 });
});

test("the end of the connection ends the session, and nothing is sent any more", async () => {
  const { call, answer, relay, handler, client, server } = relayed();
  gateway.onRun = () => undefined;
  call(1);
  answer(1, asks({ reply: sampling() }));
  await gateway.run(0);
  server.length = 0;
  relay.closed();
  await handler.flush();
  await settle();
  expect(gateway.trail.at(-1)).toBe("DELETE /sessions/s");
  expect([client, server]).toEqual([[], []]);
});

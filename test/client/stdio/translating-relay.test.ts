// A client of a 2025 revision at a server of 2026-07-28 alone, behind the command, message by
// message.

import { beforeEach, describe, expect, test } from "vitest";
import { createSamplingHandler } from "../../../client/sampling-handler.ts";
import type { Mode } from "../../../client/stdio/declare.ts";
import { TranslatingRelay } from "../../../client/stdio/translating-relay.ts";
import { FAKE_KEY, FakeGateway, until } from "../../support/fake-gateway.ts";
import { ManualTiming, settle } from "../manual-timing.ts";

type Json = { readonly [name: string]: unknown };
type Message = Json & {
  readonly id: string | number;
  readonly method: string;
  readonly params: Json;
  readonly result: Json;
  readonly error: Json;
};

let gateway: FakeGateway;
beforeEach(() => {
  gateway = new FakeGateway();
});

const refusal = '{"jsonrpc": "2.0", "id":1,"error":{"code":-32022,"message":"No","data":{"supported":["2026-07-28"]}}}\n';
const discovered: Json = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: { listChanged: true }, logging: {} },
  ttlMs: 0,
  cacheScope: "public",
};
const asks = (inputRequests: Json, requestState?: string): Json => ({
  resultType: "input_required",
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});
const form: Json = { method: "elicitation/create", params: { message: "Sure?", requestedSchema: { type: "object" } } };
const page: Json = { method: "elicitation/create", params: { mode: "url", message: "Go", url: "https://example.com/" } };
const sampling: Json = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hello" } }], maxTokens: 10 },
};
const call = { id: 2, method: "tools/call", params: { name: "ask", arguments: { exact: 1 }, _meta: { progressToken: "own" } } };
const done = { resultType: "complete", content: [] };

/** A relay between nobody and nobody. What each side gets is parsed as it comes. */
function relayed(mode: Mode = "fulfil") {
  const [client, server]: [Message[], Message[]] = [[], []];
  const raw: string[] = [];
  const timing = new ManualTiming();
  const handler = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, fetch: gateway.fetch, session: "s" });
  const toClient = (line: string): void => (raw.push(line), void client.push(JSON.parse(line) as Message));
  const toServer = (line: string): void => void server.push(JSON.parse(line) as Message);
  const relay = new TranslatingRelay({
    mode,
    elicitation: "forward",
    elicitationHosts: undefined,
    tools: true,
    tasks: true,
    connection: handler.connection({ server: "notes" }).connection,
    url: gateway.url,
    holdMilliseconds: 50_000,
    now: () => timing.now(),
    sleep: (milliseconds, signal) => timing.sleep(milliseconds, signal),
    toClient,
    toServer,
    onError: () => undefined,
  });
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  const line = (message: unknown): Uint8Array => encoder.encode(typeof message === "string" ? message : `${JSON.stringify(message)}\n`);
  const says = (message: unknown): void => {
    const passed = relay.fromClient(line(message));
    if (passed !== undefined) toServer(decoder.decode(passed));
  };
  const answers = (message: unknown): void => {
    const passed = relay.fromServer(line(message));
    if (passed !== undefined) toClient(decoder.decode(passed));
  };
  const begin = (capabilities: Json = { elicitation: { form: {}, url: {} } }, discovery: Json = { result: discovered }): void => {
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "c", version: "1" } };
    says({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    answers(refusal);
    answers({ jsonrpc: "2.0", id: server.at(-1)?.id, ...discovery });
  };
  const says20 = (message: object): void => says({ jsonrpc: "2.0", ...message });
  /** The server's answer to what it got last. */
  const result = (value: Json): void => answers({ jsonrpc: "2.0", id: server.at(-1)?.id, result: value });
  return { client, server, raw, timing, says, says20, answers, result, begin };
}

const last = (messages: readonly Message[]): Message => {
  const message = messages.at(-1);
  if (message === undefined) throw new Error("nothing came");
  return message;
};

describe("initialize", () => {
  test("is answered from discovery, and requests say what the server is told", () => {
    const { client, server, begin, says20 } = relayed();
    begin();
    expect(server.map(({ method }) => method)).toEqual(["initialize", "server/discover", "subscriptions/listen"]);
    expect(last(server).params).toMatchObject({ notifications: { toolsListChanged: true } });
    expect(client).toHaveLength(1);
    expect(client[0]).toMatchObject({
      id: 1,
      result: { protocolVersion: "2025-11-25", capabilities: { tools: { listChanged: true }, logging: {} } },
    });
    says20({ method: "notifications/initialized" });
    says20({ id: 3, method: "logging/setLevel", params: { level: "error" } });
    says20({ id: 4, method: "ping" });
    expect(client.slice(1)).toMatchObject([
      { id: 3, result: {} },
      { id: 4, result: {} },
    ]);
    says20(call);
    expect(last(server)).toMatchObject({
      id: 2,
      params: {
        arguments: { exact: 1 },
        _meta: {
          progressToken: "own",
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {
            elicitation: { form: {}, url: {} },
            sampling: { tools: {} },
            experimental: { "countersign/responseFormat": {} },
          },
          "io.modelcontextprotocol/logLevel": "error",
        },
      },
    });
    expect(server).toHaveLength(4);
  });

  test.each([
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","InputResponses":{"reply":{}}}}\n',
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","name":"delete_all"}}\n',
    '[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","Name":"delete_all"}}]\n',
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","_meta":${"[".repeat(100_000)}${"]".repeat(100_000)},"inputResponses":{"reply":{}}}}\n`,
  ])("is followed by no request that servers would read in more than one way: %s", (line) => {
    const { client, server, begin, says } = relayed();
    begin();
    const before = server.length;
    says(line);
    expect(server).toHaveLength(before);
    expect([last(client)].flat()).toMatchObject([{ id: 2, error: { code: -32_600 } }]);
  });

  test.each([
    ["the method", { code: -32_601, message: "Method not found" }],
    ["what each request must have", { code: -32_602, message: 'Missing "_meta" in params' }],
    ["its version", { code: -32_602, message: "Invalid params", data: { missing: ["io.modelcontextprotocol/protocolVersion"] } }],
  ])("is answered too where its server looks at %s first", (_what, error) => {
    const { client, server, says20, answers } = relayed();
    says20({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {} } });
    answers({ jsonrpc: "2.0", id: 1, error });
    answers({ jsonrpc: "2.0", id: last(server).id, result: discovered });
    expect(client).toMatchObject([{ id: 1, result: { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } } } }]);
  });

  test.each([
    ["answers discovery with an error", { error: { code: -32_601, message: "No" } }],
    ["speaks another revision", { result: { ...discovered, supportedVersions: ["2030-01-01"] } }],
  ])("has the server's own refusal where that %s", (_why, discovery) => {
    const { raw, begin } = relayed();
    begin({}, discovery);
    expect(raw).toEqual([refusal]);
  });

  test("at a server with sessions passes as it is, and so does an error of another kind", () => {
    for (const answer of ['{"jsonrpc":"2.0","id":1, "result":{"protocolVersion":"2025-11-25"}}\n', refusal.replace("-32022", "-32602")]) {
      const { raw, server, says20, answers } = relayed();
      says20({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } });
      answers(answer);
      says20({ id: 2, method: "ping" });
      expect(raw).toEqual([answer]);
      expect(server.map(({ method }) => method)).toEqual(["initialize", "ping"]);
    }
  });
});

describe("a round", () => {
  test("is asked of the client by requests, and goes on under a new id, in the server's own order", async () => {
    const { client, server, begin, says20, result } = relayed();
    begin();
    says20(call);
    gateway.onRun = (run) => run.reply("A reply.");
    result(asks({ one: form, two: sampling, three: page }, "state"));
    const [first, second] = client.slice(1) as [Message, Message];
    expect([first.method, second.method]).toEqual(["elicitation/create", "elicitation/create"]);
    expect(second.params).toMatchObject({ mode: "url", elicitationId: expect.any(String) });
    says20({ id: first.id, result: { action: "decline" } });
    // Nobody asked for these.
    says20({ id: first.id, result: { action: "accept" } });
    says20({ id: "another", result: { action: "accept" } });
    says20({ id: second.id, result: { action: "accept" } });
    await until(() => server.length === 5);
    const { id, params } = last(server);
    expect(id).not.toBe(2);
    expect(Object.keys(params["inputResponses"] as Json)).toEqual(["one", "two", "three"]);
    expect(params).toMatchObject({ requestState: "state", inputResponses: { one: { action: "decline" }, three: { action: "accept" } } });
    result({ ...done, structuredContent: [1] });
    expect(last(client)).toEqual({ jsonrpc: "2.0", id: 2, result: { content: [] } });
  });

  test("that the client answers with an error ends the call, and what else was asked is withdrawn", async () => {
    const { client, begin, says20, result } = relayed();
    begin();
    says20(call);
    gateway.onRun = () => undefined;
    result(asks({ one: form, two: sampling, three: page }));
    const run = await gateway.run(0);
    const [first, second] = client.slice(1) as [Message, Message];
    says20({ id: first.id, error: { code: -32_603, message: "No" } });
    expect(client.slice(-2)).toMatchObject([
      { method: "notifications/cancelled", params: { requestId: second.id } },
      { id: 2, result: { isError: true } },
    ]);
    await settle();
    expect(run.outcome).toMatchObject({ error: { code: -32_800 } });
  });

  test("of what the client did not declare ends the call, and so does an address of the gateway", () => {
    for (const [asked, code] of [
      [{ method: "roots/list" }, -32_021],
      [{ ...page, params: { ...(page["params"] as Json), url: `${gateway.url}/inbox` } }, -32_603],
    ] as const) {
      const { client, begin, says20, result } = relayed();
      begin();
      says20(call);
      result(asks({ one: asked }));
      expect(last(client)).toMatchObject({ id: 2, error: { code } });
    }
  });

  test("goes to the client's own sampling with forward, and to nobody where it has none", () => {
    const own = relayed("forward");
    own.begin({ sampling: {} });
    own.says20(call);
    own.result(asks({ one: sampling }));
    const { id, method } = last(own.client);
    expect(method).toBe("sampling/createMessage");
    own.says20({ id, error: { code: -1, message: "No" } });
    expect(last(own.client)).toMatchObject({ result: { isError: true, content: [{ text: "User rejected sampling request" }] } });
    const none = relayed("forward");
    none.begin({});
    none.says20(call);
    none.result(asks({ one: sampling }));
    expect(last(none.client)).toMatchObject({ error: { code: -32_021 } });
    expect(gateway.runs).toHaveLength(0);
  });

  test("that asks for nothing is answered after a quarter of a second", async () => {
    const { server, timing, begin, says20, result } = relayed("forward");
    begin();
    says20(call);
    result({ resultType: "input_required", requestState: "later" });
    await settle();
    expect(server).toHaveLength(4);
    await timing.advance(250);
    expect(last(server)).toMatchObject({ method: "tools/call", params: { requestState: "later" } });
  });

  test("that asks for nothing again and again is answered more slowly each time", async () => {
    const { server, timing, begin, says20, result } = relayed("forward");
    begin();
    says20(call);
    for (const waits of [250, 500, 750]) {
      const sent = server.length;
      result({ resultType: "input_required", requestState: "later" });
      await settle();
      await timing.advance(waits - 1);
      expect(server).toHaveLength(sent);
      await timing.advance(1);
      expect(server).toHaveLength(sent + 1);
    }
  });
});

describe("messages", () => {
  test("a cancellation names the request as the server knows it", async () => {
    const { client, server, begin, says20, answers, result } = relayed();
    begin();
    says20(call);
    result(asks({ one: form }));
    says20({ id: last(client).id, result: { action: "accept" } });
    const { id } = last(server);
    says20({ method: "notifications/cancelled", params: { requestId: 2, reason: "enough" } });
    expect(last(server)).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
    const before = client.length;
    answers({ jsonrpc: "2.0", id, result: done });
    expect(client).toHaveLength(before);
  });

  test("changes of lists and progress are told, and what only the newer revision has is not", () => {
    const { client, begin, answers } = relayed();
    begin();
    const _meta = { "io.modelcontextprotocol/subscriptionId": "x" };
    answers({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { notifications: {}, _meta } });
    answers({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta } });
    const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "own", progress: 1 } };
    answers(progress);
    answers({ jsonrpc: "2.0", id: "unknown", result: {} });
    expect(client.slice(1)).toEqual([{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }, progress]);
  });

  test("batches, ids in use, subscriptions and a request of the server are refused", () => {
    const { client, server, begin, says, says20, answers } = relayed();
    begin();
    says([
      { jsonrpc: "2.0", id: 5, method: "tools/list" },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ]);
    says20(call);
    says20(call);
    says20({ id: 6, method: "resources/subscribe", params: { uri: "a:b" } });
    expect(client.slice(1)).toMatchObject([
      { id: 5, error: { code: -32_600 } },
      { id: 2, error: { code: -32_600 } },
      { id: 6, error: { code: -32_601 } },
    ]);
    expect(server.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    const before = client.length;
    answers({ jsonrpc: "2.0", id: 0, method: "elicitation/create", params: {} });
    expect(last(server)).toMatchObject({ id: 0, error: { code: -32_601 } });
    expect(client).toHaveLength(before);
  });
});

// Clients of both families at servers of both families behind the command, but for those of
// test/outside/stdio/cells.test.ts; and what is particular to rounds.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FAKE_KEY, FakeGateway, until } from "../../support/fake-gateway.ts";
import { script, wrapped } from "../../outside/stdio/wrapped.ts";
import type { CellClient, CellClientKind } from "../../outside/support/cell-clients.ts";
import { connectOverStdio, modernStdio as modern, otherCells, replyTo, stdioCells } from "../../outside/support/stdio-cells.ts";

const about = { name: "bare", version: "1" };

const folder = mkdtempSync(join(tmpdir(), "countersign-cells-"));
afterAll(() => rmSync(folder, { recursive: true }));

const gateway = new FakeGateway();
let listening: { url: string; close: () => Promise<void> };
beforeAll(async () => {
  listening = await gateway.listen();
});
afterAll(() => listening.close());

const connect = (kind: CellClientKind, server: readonly string[], options: readonly string[] = []): Promise<CellClient> =>
  connectOverStdio(kind, listening.url, server, options);

stdioCells(otherCells);

describe("a client of SDK 2.x, 2026, at a server of SDK 2.x", () => {
  const kind = "SDK 2.x, 2026";
  const server = modern;
  const kept = join(folder, "lines");
  let client: CellClient | undefined;
  beforeEach(() => {
    gateway.runs.length = 0;
    gateway.onRun = replyTo;
    if (existsSync(kept)) rmSync(kept);
  });
  afterEach(() => client?.close());
  const lines = (): { id: unknown; method: string; params: Record<string, unknown> }[] =>
    readFileSync(kept, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as never);

  test("gets prompts and resources that sample, roots beside sampling, and rounds that ask for nothing", async () => {
    client = await connect(kind, [server]);
    expect(await client.prompt("ask-prompt", { topic: "wine" })).toBe("Reply to: A prompt on wine");
    expect(await client.read("test://ask")).toBe("Reply to: A text for test://ask");
    const roots = [{ uri: "file:///work" }];
    expect(JSON.parse((await client.call("ask-roots", { question: "q" })).text)).toEqual({ reply: "Reply to: q", roots });
    expect(await client.call("ask-later", { question: "q" })).toEqual({ text: "Reply to: q", isError: false });
    expect(client.asked).toEqual(["roots/list"]);
    gateway.onRun = (run) => run.fail(-1, "User rejected sampling request");
    await expect(client.prompt("ask-prompt", { topic: "beer" })).rejects.toMatchObject({ code: -1 });
  });

  test("has the same params, state and token in every round at its server, each under a new id", async () => {
    client = await connect(kind, [server, kept]);
    const heard: unknown[] = [];
    await client.call("ask-five", { question: "q" }, { onprogress: (told) => heard.push(told) });
    const calls = lines().filter(({ method }) => method === "tools/call");
    const [, ...rounds] = calls;
    expect(calls).toHaveLength(6);
    expect(new Set(calls.map(({ id }) => JSON.stringify(id))).size).toBe(6);
    const shape = ({ params: { name, arguments: given, _meta } }: (typeof calls)[number]) => ({ name, given, _meta });
    for (const each of calls) expect(shape(each)).toEqual(shape(calls[0] as never));
    expect(calls[0]?.params["_meta"]).toMatchObject({ "io.modelcontextprotocol/clientCapabilities": { sampling: { tools: {} } } });
    expect(calls.map(({ params }) => Object.keys((params["inputResponses"] ?? {}) as object))).toEqual([
      [],
      ...rounds.map(() => ["reply"]),
    ]);
    expect(new Set(calls.map(({ params }) => params["requestState"])).size).toBe(6);
  });

  test("is told to come back where a person takes long, and its review is the same", async () => {
    client = await connect(kind, [server], ["--hold", "0.2"]);
    gateway.onRun = () => undefined;
    const rounds: string[] = [];
    const called = client.call("ask-two", { question: "q" }, { onprogress: ({ message = "" }) => rounds.push(message) });
    const [first, second] = [await gateway.run(0), await gateway.run(1)];
    await until(() => rounds.some((each) => each.includes("(round 2)")));
    for (const run of [first, second]) replyTo(run);
    expect(JSON.parse((await called).text)).toEqual(["Reply to: q (first)", "Reply to: q (second)"]);
    expect(gateway.runs).toHaveLength(2);
  });
});

describe.each(["SDK 1.x", "SDK 2.x, 2025"] as const)("a client of %s at a server of 2026-07-28 alone", (kind) => {
  let client: CellClient | undefined;
  beforeEach(() => {
    gateway.runs.length = 0;
    gateway.onRun = replyTo;
  });
  afterEach(() => client?.close());

  test("has the server's lists, prompts, resources and completions, and rounds that ask for roots or nothing", async () => {
    client = await connect(kind, [modern, "--alone"]);
    expect(client.agreed() ?? "2025-11-25").toBe("2025-11-25");
    expect(await client.tools()).toContain("ask-five");
    expect(await client.prompt("ask-prompt", { topic: "wine" })).toBe("Reply to: A prompt on wine");
    expect(await client.read("test://ask")).toBe("Reply to: A text for test://ask");
    expect(await client.complete("ask-prompt", "topic", "w")).toEqual(["weather", "wine"]);
    const roots = [{ uri: "file:///work" }];
    expect(JSON.parse((await client.call("ask-roots", { question: "q" })).text)).toEqual({ reply: "Reply to: q", roots });
    expect(await client.call("ask-later", { question: "q" })).toEqual({ text: "Reply to: q", isError: false });
    expect(client.asked).toEqual(["roots/list"]);
  });

  test("waits for a person through several turns, in one review", async () => {
    client = await connect(kind, [modern, "--alone"], ["--hold", "0.001"]);
    gateway.onRun = () => undefined;
    const called = client.call("ask", { question: "q" });
    replyTo(await gateway.run(0));
    expect((await called).text).toBe("Reply to: q");
    expect(gateway.runs).toHaveLength(1);
  });
});

test("a client of SDK 1.x at a server of 2026-07-28 alone that wants `_meta` before all else has its tool's reply", async () => {
  gateway.runs.length = 0;
  gateway.onRun = replyTo;
  const strict = script(`
    const meta = "io.modelcontextprotocol/";
    const input = { method: "sampling/createMessage", params: { messages: [{ role: "user", content: { type: "text", text: "q" } }], maxTokens: 9 } };
    const results = {
      "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
      "tools/call": ({ inputResponses }) => inputResponses === undefined
        ? { resultType: "input_required", inputRequests: { reply: input }, requestState: "s" }
        : { content: [inputResponses.reply.content] },
    };
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params = {} } = JSON.parse(line);
      if (id === undefined) return;
      const known = params._meta?.[meta + "protocolVersion"] === "2026-07-28" && params._meta[meta + "clientCapabilities"] !== undefined;
      const answer = !known ? { error: { code: -32602, message: "Missing required _meta" } }
        : results[method] === undefined ? { error: { code: -32601, message: "Method not found" } }
        : { result: { resultType: "complete", ...results[method](params) } };
      console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });`);
  const client = await connect("SDK 1.x", strict.slice(1));
  expect(await client.call("ask", { question: "q" })).toEqual({ text: "Reply to: q", isError: false });
  expect(gateway.runs).toHaveLength(1);
  await client.close();
});

test("a client that cancels while it is asked by a server of 2026-07-28 alone: its review is withdrawn, and what it is asked", async () => {
  gateway.runs.length = 0;
  gateway.onRun = () => undefined;
  const client = wrapped([process.execPath, modern, "--alone"], { url: listening.url, env: { COUNTERSIGN_API_KEY: FAKE_KEY } });
  const say = (message: object): boolean => client.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo: about };
  say({ id: 1, method: "initialize", params });
  await client.prints(/"id":1,/);
  say({ id: 2, method: "tools/call", params: { name: "ask-and-elicit", arguments: { question: "q" } } });
  const [, form = ""] = await client.prints(/^(.*elicitation\/create.*)$/m);
  const run = await gateway.run(0);
  say({ method: "notifications/cancelled", params: { requestId: 2, reason: "enough" } });
  const [, withdrawn = ""] = await client.prints(/^(.*notifications\/cancelled.*)$/m);
  expect(JSON.parse(withdrawn)).toMatchObject({ params: { requestId: (JSON.parse(form) as { id: string }).id } });
  await until(() => run.outcome);
  expect(run.outcome).toMatchObject({ error: { code: -32_800 } });
  client.end();
  await client.ended;
});

test("a client without forms at a server of 2026-07-28 alone has the error of that, and progress; a server that refuses both has the last word", async () => {
  const asked = {
    jsonrpc: "2.0",
    id: 7,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: about },
  };
  const bare = wrapped([process.execPath, modern, "--alone"], { url: listening.url });
  bare.write(`${JSON.stringify(asked)}\n`);
  const [, begun = ""] = await bare.prints(/^(.*"id":7.*)$/m);
  expect(JSON.parse(begun)).toMatchObject({ result: { protocolVersion: "2025-06-18", capabilities: { tools: {} } } });
  const call = { jsonrpc: "2.0", id: 8, method: "tools/call", params: { name: "ask-and-elicit", arguments: { question: "q" } } };
  bare.write(`${JSON.stringify(call)}\n`);
  const [, ended = ""] = await bare.prints(/^(.*"id":8.*)$/m);
  expect(JSON.parse(ended)).toMatchObject({ error: { code: -32_021 } });
  const told = {
    jsonrpc: "2.0",
    id: 9,
    method: "tools/call",
    params: { name: "progress", arguments: {}, _meta: { progressToken: "own" } },
  };
  bare.write(`${JSON.stringify(told)}\n`);
  await bare.prints(/^.*"progressToken":"own","progress":3.*\n.*"id":9.*$/m);
  bare.end();
  await bare.ended;

  const refusal = '{"jsonrpc":"2.0", "id":7,"error":{"code":-32022,"message":"Never","data":{"supported":["2026-07-28"]}}}';
  const other = script(`process.stdin.on("data", (line) => console.log(String(line).includes("initialize") ? ${JSON.stringify(refusal)}
    : JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, error: { code: -32601, message: "No" } })))`);
  const never = wrapped(other, { url: listening.url });
  never.write(`${JSON.stringify(asked)}\n`);
  expect((await never.prints(/^(.*"id":7.*)$/m))[1]).toBe(refusal);
  never.end();
  await never.ended;
});

// Clients of both families at servers of both families behind the command: the tool ends with the
// reply.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FAKE_KEY, FakeGateway, type FakeRun, until } from "../../support/fake-gateway.ts";
import { type CellClient, type CellClientKind, cellClientOverStdio, cellClients } from "../support/cell-clients.ts";
import { BIN, script, wrapped } from "./wrapped.ts";

const about = { name: "bare", version: "1" };

const folder = mkdtempSync(join(tmpdir(), "countersign-cells-"));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const modern = at("../support/modern-stdio.ts");
const servers: readonly (readonly [string, readonly string[]])[] = [
  ["SDK 1.x", [at("rounds-server-v1.ts")]],
  ["SDK 2.x", [modern]],
  ["SDK 2.x for 2026-07-28 alone", [modern, "--alone"]],
];

const gateway = new FakeGateway();
let listening: { url: string; close: () => Promise<void> };
beforeAll(async () => {
  listening = await gateway.listen();
});
afterAll(() => listening.close());

async function connect(kind: CellClientKind, server: readonly string[], options: readonly string[] = []): Promise<CellClient> {
  const args = [BIN, "stdio", "--server", "cells", "--url", listening.url, ...options, "--", process.execPath, ...server];
  const env = { PATH: process.env["PATH"] ?? "", COUNTERSIGN_API_KEY: FAKE_KEY };
  return cellClientOverStdio(kind, { command: process.execPath, args, env });
}

const replyTo = (run: FakeRun): void => run.reply(`Reply to: ${run.prompt}`);
const reply = (question: string, part = ""): string => `Reply to: ${question}${part}`;

describe.each(servers)("at a server of %s", (generation, server) => {
  describe.each(cellClients)("a client of %s", (kind) => {
    const isNew = kind === "SDK 2.x, 2026" && generation !== "SDK 1.x";
    /** Whether the server asks in rounds. */
    const inRounds = isNew || generation.endsWith("alone");
    let client: CellClient;
    beforeAll(async () => {
      client = await connect(kind, server);
    });
    afterAll(() => client?.close());
    beforeEach(() => {
      gateway.runs.length = 0;
      gateway.seen.length = 0;
      gateway.onRun = replyTo;
    });

    test("speaks its own revision", () => {
      expect(client.agreed() ?? "2025-11-25").toBe(isNew ? "2026-07-28" : "2025-11-25");
    });

    const question = `What of ${kind}?`;
    const rounds = [1, 2, 3, 4, 5].map((round) => reply(question, ` (round ${round})`));
    test.each([
      ["ask", 1, reply(question)],
      ["ask-two", 2, JSON.stringify([reply(question, " (first)"), reply(question, " (second)")])],
      ["ask-five", 5, JSON.stringify(rounds)],
      ["ask-and-elicit", 1, JSON.stringify({ reply: reply(question), action: "accept", content: { confirm: true } })],
    ])("%s ends with the reply", async (tool, count, said) => {
      expect(await client.call(tool, { question })).toEqual({ text: said, isError: false });
      expect(gateway.runs).toHaveLength(count);
      // Every round serves the one request of the client, and the gateway hears when it has ended.
      const [first] = gateway.runs;
      const origin = { method: "tools/call", name: tool, server: "cells", ...(inRounds ? {} : { inferred: true }) };
      for (const run of gateway.runs) expect(run.origin).toEqual({ ...origin, id: first?.origin["id"] });
      await until(() => gateway.trail.some((each) => each.startsWith("DELETE")));
      expect(gateway.trail.filter((each) => each.startsWith("DELETE"))).toHaveLength(1);
      const revisions = gateway.seen.filter(({ path }) => path === "/sampling").map(({ headers }) => headers.get("mcp-protocol-version"));
      expect(new Set(revisions)).toEqual(new Set([inRounds ? "2026-07-28" : null]));
    });

    test("ask-image ends with the reply, and the gateway has the image", async () => {
      gateway.onRun = (run) => run.reply("An image.");
      expect(await client.call("ask-image", { question })).toEqual({ text: "An image.", isError: false });
      expect(JSON.stringify(gateway.runs[0]?.params)).toContain('"mimeType":"image/png"');
    });

    test("a tool loop of three rounds, whose tools the model calls", async () => {
      const content = ["Bern", "Rome"].map((city) => [{ type: "tool_use", id: `call_${city}`, name: "weather", input: { city } }]);
      gateway.onRun = (run) => {
        const next = content.shift();
        run.reply("Sunny.", next === undefined ? {} : { content: next, stopReason: "toolUse" });
      };
      const { text, isError } = await client.call("ask-tools", { question });
      expect([isError, JSON.parse(text)]).toEqual([false, { round: 3, content: [{ type: "text", text: "Sunny." }] }]);
      expect(JSON.stringify(gateway.runs[2]?.params)).toContain("Sunny: ");
    });

    test.each([
      ["denied", -1, "User rejected sampling request"],
      ["expired", -32_002, "Sampling request expired: nobody decided in time"],
    ])("%s: the tool ends with the sentence, and its server is not asked again", async (_how, code, sentence) => {
      gateway.onRun = (run) => run.fail(code, sentence);
      const { text, isError } = await client.call("ask-five", { question });
      expect(isError).toBe(true);
      expect(text).toContain(sentence);
      expect(gateway.runs).toHaveLength(1);
    });

    test("with globs, sees the tools that they let it call, and calls no other", async () => {
      const limited = await connect(kind, server, ["--allow-tools", "ask*", "--deny-tools", "ask-two"]);
      try {
        const tools = await limited.tools();
        expect(tools).toContain("ask-five");
        expect(tools.filter((name) => !name.startsWith("ask") || name === "ask-two")).toEqual([]);
        expect(await limited.call("ask", { question })).toEqual({ text: reply(question), isError: false });
        const refused = await limited.call("ask-two", { question }).catch((error: unknown) => String(error));
        expect(JSON.stringify(refused)).toContain("Unknown tool: ask-two");
        expect(gateway.runs).toHaveLength(1);
      } finally {
        await limited.close();
      }
    });

    test("a call that the client cancels withdraws its review, and later ones go on", async () => {
      gateway.onRun = () => undefined;
      const cancel = new AbortController();
      const called = client.call("ask", { question }, { signal: cancel.signal }).catch(() => "cancelled");
      const run = await gateway.run(0);
      cancel.abort("enough");
      expect(await called).toBe("cancelled");
      await until(() => run.outcome);
      expect(run.outcome).toMatchObject({ error: { code: -32_800 } });
      gateway.onRun = replyTo;
      expect(await client.call("ask", { question })).toEqual({ text: reply(question), isError: false });
    });
  });
});

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

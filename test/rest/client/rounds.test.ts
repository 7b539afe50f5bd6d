// A host on SDK 2.x with the helper, at servers of 2026-07-28: the SDK runs the rounds, and every
// tool ends with the reply.

import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSamplingHandler } from "../../../client/sampling-handler.ts";
import { FAKE_KEY, FakeGateway, until } from "../../support/fake-gateway.ts";
import { type ModernServer, repeatedContinuations, serveModern } from "../../outside/support/modern-server.ts";

const gateway = new FakeGateway();
let modern: ModernServer;
let streaming: ModernServer;
beforeAll(async () => {
  [modern, streaming] = await Promise.all([serveModern(), serveModern({ responseMode: "sse" })]);
});
afterAll(async () => {
  await Promise.all([modern?.close(), streaming?.close()]);
});

type Fetch = ReturnType<ReturnType<typeof createSamplingHandler>["attach"]>["fetch"];
const overHttp = (server: () => ModernServer) => (fetch: Fetch) => new StreamableHTTPClientTransport(new URL(server().url), { fetch });
const program = fileURLToPath(new URL("../../outside/support/modern-stdio.ts", import.meta.url));
const transports = [
  ["Streamable HTTP", overHttp(() => modern)],
  ["Streamable HTTP, in streams", overHttp(() => streaming)],
  ["stdio", () => new StdioClientTransport({ command: process.execPath, args: [program] })],
] as const;

describe.each(transports)("over %s", (_name, transportWith) => {
  const sampling = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, fetch: gateway.fetch, association: "strict" });
  const client = new Client({ name: "host", version: "1" }, { capabilities: { elicitation: {} }, versionNegotiation: { mode: "auto" } });
  beforeAll(async () => {
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { confirm: true } }));
    const { fetch } = sampling.attach(client, { server: "notes" });
    await client.connect(transportWith(fetch));
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  });
  afterAll(() => client.close());
  beforeEach(() => {
    gateway.runs.length = 0;
    gateway.seen.length = 0;
    gateway.onRun = (run) => run.reply(`Reply to: ${run.prompt}`);
    modern.received.length = 0;
    streaming.received.length = 0;
  });
  const call = async (name: string, question: string): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { question } });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  };

  const parts = (words: readonly string[]): string => JSON.stringify(words.map((word) => `Reply to: q (${word})`));
  test.each([
    ["ask", 1, "Reply to: q"],
    ["ask-streamed", 1, "Reply to: q"],
    ["ask-later", 1, "Reply to: q"],
    ["ask-two", 2, parts(["first", "second"])],
    ["ask-five", 5, parts([1, 2, 3, 4, 5].map((round) => `round ${round}`))],
    ["ask-and-elicit", 1, JSON.stringify({ reply: "Reply to: q", action: "accept", content: { confirm: true } })],
  ])("%s ends with the reply, and all its rounds serve the one request", async (tool, count, said) => {
    expect(await call(tool, "q")).toBe(said);
    expect(gateway.runs).toHaveLength(count);
    const [first] = gateway.runs;
    for (const run of gateway.runs)
      expect(run.origin).toEqual({ id: first?.origin["id"], method: "tools/call", name: tool, server: "notes" });
    await until(() => gateway.trail.some((each) => each.startsWith("DELETE")));
    expect(gateway.trail.filter((each) => each.startsWith("DELETE"))).toHaveLength(1);
    expect([...repeatedContinuations(modern.received), ...repeatedContinuations(streaming.received)]).toEqual([]);
  });

  test("an image reaches the gateway, and the uses of a server's tools come back", async () => {
    await call("ask-image", "q");
    expect(JSON.stringify(gateway.runs[0]?.params)).toContain('"mimeType":"image/png"');
    const uses = ["Bern", "Rome"].map((city) => [{ type: "tool_use", id: `call_${city}`, name: "weather", input: { city } }]);
    gateway.onRun = (run) => {
      const content = uses.shift();
      run.reply("Sunny.", content === undefined ? {} : { content, stopReason: "toolUse" });
    };
    expect(JSON.parse(await call("ask-tools", "q"))).toEqual({ round: 3, content: [{ type: "text", text: "Sunny." }] });
  });

  test("many calls at once are told apart, each to its end", async () => {
    const questions = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? "same" : `other ${at}`));
    const said = await Promise.all(questions.map((question) => call("ask-five", question)));
    expect(said).toEqual(
      questions.map((question) => JSON.stringify([1, 2, 3, 4, 5].map((round) => `Reply to: ${question} (round ${round})`))),
    );
    const byOrigin = Map.groupBy(gateway.runs, ({ origin }) => origin["id"]);
    expect([...byOrigin.values()].map((runs) => runs.length)).toEqual(questions.map(() => 5));
    for (const runs of byOrigin.values()) expect(new Set(runs.map(({ prompt }) => prompt)).size).toBe(5);
  });

  test.each([
    ["denied", -1, "User rejected sampling request"],
    ["expired", -32_002, "Sampling request expired: nobody decided in time"],
  ])("%s: the call ends with that error, and its server is not asked again", async (_how, code, message) => {
    gateway.onRun = (run) => run.fail(code, message);
    await expect(call("ask-five", "q")).rejects.toMatchObject({ code, message: expect.stringContaining(message) as unknown });
    expect(gateway.runs).toHaveLength(1);
    await until(() => gateway.trail.some((each) => each.startsWith("DELETE")));
  });
});

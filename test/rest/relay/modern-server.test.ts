// The test server of 2026-07-28 with the official client directly: what the relay is compared with.
// The client answers the rounds itself.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { continuationsOf, type ModernServer, repeatedContinuations, serveModern } from "../../outside/support/modern-server.ts";

let server: ModernServer;
let client: Client;
const asked: unknown[] = [];

beforeEach(async () => {
  asked.length = 0;
  server = await serveModern();
  client = ownClient();
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
});
afterEach(async () => {
  await client.close();
  await server.close();
});

/** A client that has everything that the server asks for. It counts its replies. */
function ownClient(): Client {
  const own = new Client(
    { name: "own", version: "1" },
    {
      capabilities: { sampling: { tools: {} }, elicitation: { form: {}, url: {} }, roots: {} },
      versionNegotiation: { mode: "auto" },
    },
  );
  own.setRequestHandler("sampling/createMessage", ({ params }) => {
    asked.push(params);
    const uses = params.tools !== undefined && asked.length < 3;
    return uses
      ? {
          model: "m",
          role: "assistant",
          stopReason: "toolUse",
          content: [{ type: "tool_use", id: `${asked.length}`, name: "weather", input: {} }],
        }
      : { model: "m", role: "assistant", content: { type: "text", text: `reply ${asked.length}` } };
  });
  own.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { confirm: true } }));
  own.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///work" }] }));
  return own;
}

const textOf = ({ content }: { content: unknown[] }): string => content.map((block) => (block as { text: string }).text).join();

test.each([
  ["ask", "reply 1", 1],
  ["ask-image", "reply 1", 1],
  ["ask-two", '["reply 1","reply 2"]', 1],
  ["ask-five", '["reply 1","reply 2","reply 3","reply 4","reply 5"]', 5],
  ["ask-later", "reply 1", 2],
  ["ask-streamed", "reply 1", 1],
  ["ask-tools", '{"round":3,"content":[{"type":"text","text":"reply 3"}]}', 3],
  ["ask-and-elicit", '{"reply":"reply 1","action":"accept","content":{"confirm":true}}', 1],
  ["ask-roots", '{"reply":"reply 1","roots":[{"uri":"file:///work"}]}', 1],
  ["ask-url", '{"reply":"reply 1","action":"accept"}', 1],
])("%s ends with the client's reply", async (name, expected, rounds) => {
  const given = { question: "Why?", ...(name === "ask-url" ? { url: "https://pages.example.com/" } : {}) };
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  const result = await client.callTool({ name, arguments: given });
  expect(textOf(result)).toBe(expected);
  expect(continuationsOf(server.received)).toHaveLength(rounds);
  expect(new Set(server.received.map(({ id }) => id)).size).toBe(server.received.length);
  expect(repeatedContinuations(server.received)).toEqual([]);
  const last = server.received.at(-1);
  expect(last).toMatchObject({ method: "tools/call", name, headers: { "mcp-method": "tools/call", "mcp-name": name } });
});

test("a prompt and a resource sample, and what does not sample answers at once", async () => {
  const prompt = await client.getPrompt({ name: "ask-prompt", arguments: { topic: "wine" } });
  expect(prompt.messages).toMatchObject([{ content: { text: "reply 1" } }]);
  expect((await client.readResource({ uri: "test://ask" })).contents).toMatchObject([{ text: "reply 2" }]);
  expect((await client.readResource({ uri: "test://plain" })).contents).toMatchObject([{ text: "plain" }]);
  expect(textOf(await client.callTool({ name: "echo", arguments: { text: "grüße" } }))).toBe("grüße");
  expect(asked).toHaveLength(2);
});

test("progress comes before the result; slow ends when the test says so or the client leaves; a header of a tool comes along", async () => {
  const heard: unknown[] = [];
  await client.callTool({ name: "progress" }, { onprogress: ({ progress }) => heard.push(progress) });
  expect(heard).toEqual([1, 2, 3]);
  const leaving = new AbortController();
  const left = client.callTool({ name: "slow" }, { signal: leaving.signal });
  await expect.poll(() => server.slow.waiting).toBe(1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await expect.poll(() => server.slow.cancelled).toBe(1);
  const stayed = client.callTool({ name: "slow" });
  server.release();
  expect(textOf(await stayed)).toBe("done");
  await client.listTools();
  await client.callTool({ name: "region", arguments: { region: "eu" } });
  expect(server.received.at(-1)?.headers).toMatchObject({ "mcp-param-region": "eu" });
});

test("a client without sampling, and one of the 2025 family whatever it has, are refused", async () => {
  const none = new Client({ name: "none", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await none.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  await expect(none.callTool({ name: "ask", arguments: { question: "Why?" } })).rejects.toMatchObject({ code: -32021 });
  await none.close();
  const old = new Client({ name: "old", version: "1" }, { capabilities: { sampling: {} } });
  await old.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  expect(await old.callTool({ name: "ask", arguments: { question: "Why?" } })).toMatchObject({ isError: true });
  await old.close();
});

test.each([
  ["hostile-endless", 11],
  ["hostile-same", 11],
  ["hostile-nothing", 1],
  ["hostile-unknown", 1],
])("%s makes the client give up", async (name, calls) => {
  await expect(client.callTool({ name })).rejects.toThrow();
  expect(server.received.filter((each) => each.name === name)).toHaveLength(calls);
});

test("a state of 1 MB comes back byte for byte", async () => {
  expect(textOf(await client.callTool({ name: "hostile-state" }))).toBe("1000000");
});

test("the same server over stdio", async () => {
  const file = fileURLToPath(new URL("../../outside/support/modern-stdio.ts", import.meta.url));
  const own = ownClient();
  await own.connect(new StdioClientTransport({ command: process.execPath, args: [file] }));
  expect(own.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  expect(textOf(await own.callTool({ name: "ask-five", arguments: { question: "Why?" } }))).toContain("reply 5");
  await own.close();
});

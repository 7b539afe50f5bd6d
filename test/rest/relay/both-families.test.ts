// A server that speaks both families and keeps sessions, through the relay by default settings:
// each client is served in its own family.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type BothServer, serveBoth } from "../../outside/support/both-families.ts";
import { cellClient } from "../../outside/support/cell-clients.ts";
import { rawClient, until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

const reply = "Hello from the scripted provider.";
const pushed = JSON.stringify({ type: "text", text: reply });

let office: RelayOffice;
let server: BothServer;
beforeAll(async () => {
  [office, server] = await Promise.all([relayOffice({ HEARTBEAT_SECONDS: "1" }), serveBoth()]);
  await office.serve({ both: { url: server.url, allowPrivate: true } });
});
afterAll(async () => {
  await Promise.all([office?.close(), server?.close()]);
});
beforeEach(() => {
  server.methods.length = 0;
});

describe("a client of SDK 1.x", () => {
  let client: Client;
  let transport: StreamableHTTPClientTransport;
  const heard: string[] = [];
  /**
   * Opens when the stand-alone stream is there: a server that asks before that asks nobody, with
   * the relay or without.
   */
  const listens = Promise.withResolvers<void>();

  beforeAll(async () => {
    client = new Client({ name: "older", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { confirm: true } }));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(String(params.data)));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
    transport = new StreamableHTTPClientTransport(new URL(office.relay("both")), {
      requestInit: { headers: { Authorization: `Bearer ${relayKey}` } },
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        if (init?.method === "GET") listens.resolve();
        return answer;
      },
    });
    // The SDK's own class; its types differ in optional members alone.
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    await listens.promise;
  });
  afterAll(() => client?.close());
  beforeEach(() => {
    heard.length = 0;
  });

  const call = async (name: string): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { question: `What of ${name}?` } });
    return (content as { text: string }[]).map(({ text }) => text).join();
  };

  test.each(["push", "aside"])("gets the reply to sampling that the server sends as a request: %s", async (tool) => {
    expect(await call(tool)).toBe(pushed);
    expect(server.methods).not.toContain("2026 tools/call");
  });

  test("gets the reply to sampling of a round, which the SDK asks for in its session", async () => {
    expect(await call("ask")).toBe(reply);
  });

  test("is asked what the server elicits", async () => {
    expect(JSON.parse(await call("elicit"))).toEqual({ action: "accept", content: { confirm: true } });
  });

  test("sets the level from which the server logs", async () => {
    await call("log");
    expect(heard).toEqual(["a detail", "a failure"]);
    await client.setLoggingLevel("error");
    await call("log");
    expect(heard).toEqual(["a detail", "a failure", "a failure"]);
  });

  test("subscribes to a resource, and is told of its update", async () => {
    await client.subscribeResource({ uri: "test://plain" });
    expect(JSON.parse(await call("touch"))).toEqual(["test://plain"]);
    await until("the update", () => heard.includes("test://plain"));
  });

  test.each(["push", "aside"])("subscribes to a resource whose subscription samples: %s", async (how) => {
    await client.subscribeResource({ uri: `test://${how}` });
    expect(office.model.requests.filter(({ body }) => JSON.stringify(body).includes(`Of test://${how}?`))).toHaveLength(1);
  });

  test("resumes a stream that the server closed", async () => {
    expect(await call("resumed")).toBe("Resumed.");
    expect(server.methods.filter((method) => method === "2025 GET")).not.toEqual([]);
  });
});

test("a session that was ended is not found any more, here and at the server", async () => {
  const before = server.sessions();
  const client = await rawClient(office.relay("both"));
  expect(server.sessions()).toBe(before + 1);
  expect((await client.end()).status).toBe(200);
  expect(server.sessions()).toBe(before);
  expect((await client.post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(404);
});

test("a client's own initialize begins its session: no other one is left at the server", async () => {
  const before = server.sessions();
  const client = await rawClient(office.relay("both"));
  expect(server.methods).toEqual(["2025 initialize"]);
  expect(server.sessions()).toBe(before + 1);
  await client.end();
});

test("a client of 2026-07-28 is served in that revision, and begins no session", async () => {
  const before = server.sessions();
  const client = await cellClient("SDK 2.x, 2026", office.relay("both"), { Authorization: `Bearer ${relayKey}` });
  expect((await client.call("ask", { question: "In the newer revision?" })).text).toBe(reply);
  await client.close();
  expect(server.methods.filter((method) => !method.startsWith("2026"))).toEqual([]);
  expect(server.sessions()).toBe(before);
});

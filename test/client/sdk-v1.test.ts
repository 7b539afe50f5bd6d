import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CreateMessageResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createSamplingHandler, type SamplingHandlerOptions, type SamplingProgress } from "../../client/sampling-handler.ts";
import { FAKE_KEY, FakeGateway, until } from "../support/fake-gateway.ts";

let gateway: FakeGateway;
beforeEach(() => {
  gateway = new FakeGateway();
});

/**
 * A host and a server of SDK 1.x, joined in memory (like stdio, the transport does not show
 * response streams).
 */
async function connected(options: Partial<SamplingHandlerOptions> = {}) {
  const sampling = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, fetch: gateway.fetch, ...options });
  const client = new Client({ name: "host", version: "1" });
  sampling.attach(client, { server: "notes" });
  const server = new McpServer({ name: "notes", version: "1" });
  const cancel = new AbortController();
  const progress: unknown[] = [];
  server.registerTool("ask", { inputSchema: { text: z.string() } }, async ({ text }, extra): Promise<CallToolResult> => {
    const params = { messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 10 };
    const result = await extra.sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultSchema, {
      signal: cancel.signal,
      resetTimeoutOnProgress: true,
      onprogress: (update) => progress.push(update),
    });
    return { content: [{ type: "text", text: JSON.stringify(result) }] };
  });
  server.registerTool("later", {}, async (): Promise<CallToolResult> => {
    setTimeout(
      () =>
        void server.server
          .createMessage({ messages: [{ role: "user", content: { type: "text", text: "late" } }], maxTokens: 1 })
          .catch((error: unknown) => late.push(error)),
      20,
    );
    return { content: [] };
  });
  const late: unknown[] = [];
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  await client.connect(mine);
  const ask = (text: string, signal?: AbortSignal) =>
    client.callTool({ name: "ask", arguments: { text } }, undefined, signal === undefined ? {} : { signal });
  return { sampling, client, server, cancel, progress, late, ask };
}

const textOf = (result: Awaited<ReturnType<Client["callTool"]>>): string =>
  (result as CallToolResult).content.map((block) => (block.type === "text" ? block.text : "")).join("");

describe("a host on SDK 1.x", () => {
  test("declares sampling with tools and as a task, and nothing that it does not do", async () => {
    const { server } = await connected();
    expect(server.server.getClientCapabilities()).toEqual({
      sampling: { tools: {} },
      experimental: { "countersign/responseFormat": {} },
      tasks: { cancel: {}, requests: { sampling: { createMessage: {} } } },
    });
  });

  test("gives the server the reviewed reply, and the gateway the server's own id, params and where it belongs", async () => {
    const { ask } = await connected();
    expect(JSON.parse(textOf(await ask("hello")))).toMatchObject({
      role: "assistant",
      content: { type: "text", text: "Reviewed reply to: hello" },
      model: "fake-model",
    });
    const run = await gateway.run(0);
    expect(run.requestId).toBe(0);
    expect(run.origin).toEqual({ id: 1, method: "tools/call", name: "ask", server: "notes", inferred: true });
    expect(run.session).toMatch(/^[\x21-\x7e]{20,128}$/);
    expect(run.params["maxTokens"]).toBe(10);
  });

  test("tells the gateway that the request ended, and that the session ended, once each and only after sampling", async () => {
    const { ask, client, sampling } = await connected({ session: "s/1" });
    await client.callTool({ name: "later" });
    await ask("hello");
    await client.close();
    await sampling.flush();
    expect(gateway.trail).toEqual([
      "POST /sampling sampling/createMessage",
      "DELETE /sessions/s%2F1/requests/2?server=notes",
      "DELETE /sessions/s%2F1",
    ]);
  });

  test("says nothing to the gateway about requests and sessions that it never heard of", async () => {
    const { client, sampling } = await connected();
    await client.listTools();
    await client.close();
    await sampling.flush();
    expect(gateway.trail).toEqual([]);
  });

  test("refuses sampling while no request is open, without asking the gateway", async () => {
    const errors: Error[] = [];
    const { client, late } = await connected({ onError: (error) => errors.push(error) });
    await client.callTool({ name: "later" });
    await until(() => late.length > 0);
    expect(late[0]).toMatchObject({
      code: -32602,
      message: expect.stringContaining("Sampling request is not associated with a client request"),
    });
    expect(errors[0]?.message).toContain('"notes"');
    expect(gateway.seen).toEqual([]);
  });

  test("by default refuses what it cannot place among several open requests", async () => {
    const { ask } = await connected();
    gateway.onRun = () => undefined;
    const first = ask("first");
    const run = await gateway.run(0);
    await expect(ask("second")).resolves.toMatchObject({ isError: true });
    run.reply("done");
    expect(textOf(await first)).toContain("done");
    expect(gateway.runs).toHaveLength(1);
  });

  test("in inFlight mode takes the newest of several open requests and says that this is inferred", async () => {
    const { ask } = await connected({ association: "inFlight" });
    gateway.onRun = () => undefined;
    const first = ask("first");
    await gateway.run(0);
    const second = ask("second");
    const run = await gateway.run(1);
    expect(gateway.runs[0]?.origin).toEqual({ id: 1, method: "tools/call", name: "ask", server: "notes", inferred: true });
    expect(run.origin).toEqual({ id: 2, method: "tools/call", name: "ask", server: "notes", inferred: true });
    for (const open of gateway.runs) open.reply("done");
    await Promise.all([first, second]);
  });

  test("hands a person's no on to the server with its code, message and data", async () => {
    const { server, client } = await connected();
    gateway.onRun = (run) => run.fail(-1, "User rejected sampling request", { outcome: "rejected" });
    const caught: unknown[] = [];
    server.registerTool("catch", {}, async (extra): Promise<CallToolResult> => {
      const params = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "x" } }], maxTokens: 1 };
      await extra
        .sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultSchema)
        .catch((error: unknown) => caught.push(error));
      return { content: [] };
    });
    await client.callTool({ name: "catch" });
    expect(caught).toEqual([
      expect.objectContaining({
        code: -1,
        message: expect.stringContaining("User rejected sampling request"),
        data: { outcome: "rejected" },
      }),
    ]);
  });

  test("passes progress to the host and to the server that asked for it", async () => {
    const seen: SamplingProgress[] = [];
    const { ask, progress } = await connected({ onProgress: (update) => seen.push(update) });
    gateway.onRun = () => undefined;
    const result = ask("hello");
    const run = await gateway.run(0);
    await until(() => run.watchers.size > 0);
    run.progress("waiting for a person at the request gate");
    run.progress("generating");
    await until(() => progress.length === 2);
    run.reply("done");
    await result;
    expect(progress).toEqual([
      { progress: 1, message: "waiting for a person at the request gate" },
      { progress: 2, message: "generating" },
    ]);
    expect(seen.map(({ message, server, origin }) => ({ message, server, name: origin.name }))).toEqual([
      { message: "waiting for a person at the request gate", server: "notes", name: "ask" },
      { message: "generating", server: "notes", name: "ask" },
    ]);
  });

  test("tells the gateway when the server cancels, also for the request with the id 0", async () => {
    const { ask, cancel } = await connected({ session: "s" });
    gateway.onRun = () => undefined;
    const result = ask("hello");
    const run = await gateway.run(0);
    expect(run.requestId).toBe(0);
    cancel.abort("no longer needed");
    await until(() => gateway.trail.includes("POST /sampling notifications/cancelled"));
    const notice = gateway.seen.find(({ body }) => body["method"] === "notifications/cancelled");
    expect(notice?.body["params"]).toEqual({
      requestId: 0,
      _meta: {
        "countersign/session": "s",
        "countersign/originatingRequest": { id: 1, method: "tools/call", name: "ask", server: "notes", inferred: true },
      },
    });
    expect(run.outcome).toMatchObject({ error: { data: { outcome: "cancelled" } } });
    await result;
  });

  test("ends the originating request when the host cancels it, and answers the server no more", async () => {
    const { ask, sampling } = await connected({ session: "s" });
    gateway.onRun = () => undefined;
    const host = new AbortController();
    const result = ask("hello", host.signal);
    const run = await gateway.run(0);
    host.abort("changed my mind");
    await expect(result).rejects.toThrow("changed my mind");
    await sampling.flush();
    expect(gateway.trail).toContain("DELETE /sessions/s/requests/1?server=notes");
    expect(run.outcome).toMatchObject({ error: { data: { outcome: "cancelled" } } });
  });

  test("begins a new session when the client connects again, because its request ids begin again", async () => {
    const { ask, client, server, sampling } = await connected({ session: "s" });
    await ask("one");
    await client.close();
    const [mine, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs);
    await client.connect(mine);
    await ask("two");
    expect(gateway.runs.map((run) => run.session)).toEqual(["s", "s.2"]);
    await client.close();
    await sampling.flush();
  });

  test("refuses a client that answers sampling itself, and one that is connected already", async () => {
    const sampling = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY });
    const { client } = await connected();
    expect(() => sampling.attach(client, { server: "notes" })).toThrow("attach() comes before client.connect()");
  });
});

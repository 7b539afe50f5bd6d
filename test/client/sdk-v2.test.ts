import { Client, type ClientOptions, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createSamplingHandler, type SamplingHandlerOptions } from "../../client/sampling-handler.ts";
import { FAKE_KEY, FakeGateway, until } from "../support/fake-gateway.ts";

let gateway: FakeGateway;
beforeEach(() => {
  gateway = new FakeGateway();
});

/** A host and a server of SDK 2.x in a 2025 revision, joined in memory. */
async function connected(options: Partial<SamplingHandlerOptions> = {}, clientOptions: ClientOptions = {}) {
  const sampling = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, fetch: gateway.fetch, session: "s", ...options });
  const client = new Client({ name: "host", version: "1" }, clientOptions);
  sampling.attach(client, { server: "notes" });
  const server = new McpServer({ name: "notes", version: "1" });
  const cancel = new AbortController();
  const progress: unknown[] = [];
  const errors: unknown[] = [];
  server.registerTool("ask", { inputSchema: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
    const params = { messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 10 };
    const result = await ctx.mcpReq
      .send({ method: "sampling/createMessage", params }, { signal: cancel.signal, onprogress: (update) => progress.push(update) })
      .catch((error: unknown) => (errors.push(error), error));
    return { content: [{ type: "text", text: JSON.stringify(result) }] };
  });
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  await client.connect(mine);
  const ask = (text: string, signal?: AbortSignal) =>
    client.callTool({ name: "ask", arguments: { text } }, signal === undefined ? {} : { signal });
  return { sampling, client, server, cancel, progress, errors, ask };
}

describe("a host on SDK 2.x", () => {
  test("declares sampling with tools and as a task, beside what the host declares itself", async () => {
    const { server } = await connected({}, { capabilities: { roots: { listChanged: true } } });
    expect(server.server.getClientCapabilities()).toEqual({
      roots: { listChanged: true },
      sampling: { tools: {} },
      experimental: { "countersign/responseFormat": {} },
      tasks: { cancel: {}, requests: { sampling: { createMessage: {} } } },
    });
  });

  test("gives the server the reviewed reply, and ends request and session when they end", async () => {
    const { ask, client, sampling } = await connected();
    expect(JSON.stringify(await ask("hello"))).toContain("Reviewed reply to: hello");
    await client.close();
    await sampling.flush();
    expect(gateway.runs[0]?.origin).toEqual({ id: 1, method: "tools/call", name: "ask", server: "notes", inferred: true });
    expect(gateway.trail).toEqual([
      "POST /sampling sampling/createMessage",
      "DELETE /sessions/s/requests/1?server=notes",
      "DELETE /sessions/s",
    ]);
  });

  test("hands a person's no on to the server with its code, message and data", async () => {
    const { ask, errors } = await connected();
    gateway.onRun = (run) => run.fail(-1, "User rejected sampling request", { outcome: "rejected" });
    await ask("hello");
    expect(errors).toEqual([
      expect.objectContaining({
        code: -1,
        message: expect.stringContaining("User rejected sampling request"),
        data: { outcome: "rejected" },
      }),
    ]);
  });

  test("passes progress on to the server that asked for it", async () => {
    const { ask, progress } = await connected();
    gateway.onRun = () => undefined;
    const result = ask("hello");
    const run = await gateway.run(0);
    await until(() => run.watchers.size > 0);
    run.progress("waiting for a person at the request gate");
    await until(() => progress.length > 0);
    run.reply("done");
    await result;
    expect(progress).toEqual([{ progress: 1, message: "waiting for a person at the request gate" }]);
  });

  test("tells the gateway when the server cancels, and when the host does", async () => {
    for (const who of ["server", "host"] as const) {
      gateway = new FakeGateway();
      const { ask, cancel, sampling } = await connected();
      gateway.onRun = () => undefined;
      const host = new AbortController();
      const result = ask("hello", host.signal).catch(() => undefined);
      const run = await gateway.run(0);
      (who === "server" ? cancel : host).abort("enough");
      await until(() => run.outcome);
      await result;
      await sampling.flush();
      expect(gateway.trail.at(1)).toBe(
        who === "server" ? "POST /sampling notifications/cancelled" : "DELETE /sessions/s/requests/1?server=notes",
      );
    }
  });

  test("leaves other requests of the server to the host's own fallback", async () => {
    const sampling = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, fetch: gateway.fetch });
    const client = new Client({ name: "host", version: "1" });
    const asked: string[] = [];
    client.fallbackRequestHandler = async ({ method }) => {
      asked.push(method);
      return { mine: true };
    };
    sampling.attach(client, { server: "notes" });
    const server = new McpServer({ name: "notes", version: "1" });
    const [mine, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs);
    await client.connect(mine);
    expect(await server.server.request({ method: "example/ask" }, z.looseObject({}))).toMatchObject({ mine: true });
    expect(asked).toEqual(["example/ask"]);
  });

  test("answers what nobody handles as an unknown method, and a task that is not its own as unknown", async () => {
    const { server } = await connected();
    await expect(server.server.request({ method: "example/ask" }, z.looseObject({}))).rejects.toMatchObject({ code: -32601 });
    await expect(server.server.request({ method: "tasks/get", params: { taskId: "x" } }, z.looseObject({}))).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("refuses a client that answers sampling itself", () => {
    const client = new Client({ name: "host", version: "1" }, { capabilities: { sampling: {} } });
    client.setRequestHandler("sampling/createMessage", () => Promise.reject(new Error("own")));
    const sampling = createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY });
    expect(() => sampling.attach(client, { server: "notes" })).toThrow('has a handler of its own for "sampling/createMessage"');
  });
});

import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { type EventStore, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CreateMessageResultSchema, type CallToolResult, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, inputRequired, McpServer as McpServerV2 } from "@modelcontextprotocol/server";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createSamplingHandler, type FetchLike, type SamplingHandlerOptions } from "../../client/sampling-handler.ts";
import { FAKE_KEY, FakeGateway, until } from "../support/fake-gateway.ts";

let gateway: FakeGateway;
beforeEach(() => {
  gateway = new FakeGateway();
});

const SERVER_URL = new URL("http://server.test/mcp");

class MemoryEvents implements EventStore {
  readonly #events: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}/${this.#events.length}`;
    this.#events.push({ id, stream, message });
    return Promise.resolve(id);
  }
  async replayEventsAfter(lastId: string, { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> }): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === lastId);
    const stream = this.#events[at]?.stream ?? "";
    for (const event of this.#events.slice(at + 1)) if (event.stream === stream) await send(event.id, event.message);
    return stream;
  }
}

/**
 * A server of SDK 1.x over Streamable HTTP, without sockets. `ask` samples on its response stream,
 * `aside` outside it.
 */
async function startServer(): Promise<{ fetch: FetchLike; closeStreams: Set<() => void> }> {
  const server = new McpServer({ name: "notes", version: "1" });
  const closeStreams = new Set<() => void>();
  const params = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 10 });
  const shape = { inputSchema: { text: z.string() } };
  server.registerTool("ask", shape, async ({ text }, extra): Promise<CallToolResult> => {
    const result = await extra.sendRequest({ method: "sampling/createMessage", params: params(text) }, CreateMessageResultSchema);
    return { content: [{ type: "text", text: JSON.stringify(result.content) }] };
  });
  server.registerTool("aside", shape, async ({ text }): Promise<CallToolResult> => {
    const result = await server.server.createMessage(params(text));
    return { content: [{ type: "text", text: JSON.stringify(result.content) }] };
  });
  server.registerTool("resumed", shape, async ({ text }, extra): Promise<CallToolResult> => {
    extra.closeSSEStream?.();
    const result = await extra.sendRequest({ method: "sampling/createMessage", params: params(text) }, CreateMessageResultSchema);
    return { content: [{ type: "text", text: JSON.stringify(result.content) }] };
  });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    eventStore: new MemoryEvents(),
    retryInterval: 10,
  });
  await server.connect(transport);
  return { closeStreams, fetch: (input, init) => transport.handleRequest(new Request(input, init)) };
}

type Host = { call: (name: string, text: string) => Promise<string>; close: () => Promise<void>; flush: () => Promise<void> };
type Start = (serverFetch: FetchLike, options?: Partial<SamplingHandlerOptions> & { plainFetch?: boolean }) => Promise<Host>;

const handler = (options: Partial<SamplingHandlerOptions>) =>
  createSamplingHandler({ url: gateway.url, apiKey: FAKE_KEY, fetch: gateway.fetch, session: "s", ...options });

const hostV1: Start = async (serverFetch, { plainFetch = false, ...options } = {}) => {
  const sampling = handler(options);
  const client = new ClientV1({ name: "host", version: "1" });
  const { fetch } = sampling.attach(client, { server: "notes", fetch: serverFetch });
  await client.connect(new TransportV1(SERVER_URL, { fetch: plainFetch ? serverFetch : fetch }));
  return {
    call: async (name, text) => JSON.stringify(await client.callTool({ name, arguments: { text } })),
    close: () => client.close(),
    flush: () => sampling.flush(),
  };
};

const hostV2: Start = async (serverFetch, { plainFetch = false, ...options } = {}) => {
  const sampling = handler(options);
  const client = new ClientV2({ name: "host", version: "1" });
  const { fetch } = sampling.attach(client, { server: "notes", fetch: serverFetch });
  await client.connect(new TransportV2(SERVER_URL, { fetch: plainFetch ? serverFetch : fetch }));
  return {
    call: async (name, text) => JSON.stringify(await client.callTool({ name, arguments: { text } })),
    close: () => client.close(),
    flush: () => sampling.flush(),
  };
};

describe.each([
  ["SDK 1.x", hostV1],
  ["SDK 2.x", hostV2],
])("a host on %s over Streamable HTTP", (_name, start) => {
  test("places each of two concurrent tool calls' sampling by the response stream that it came on", async () => {
    const host = await start((await startServer()).fetch);
    gateway.onRun = () => undefined;
    const calls = [host.call("ask", "alpha"), host.call("ask", "beta")];
    await gateway.run(1);
    for (const run of gateway.runs) run.reply(`for ${run.prompt}`);
    const [alpha, beta] = await Promise.all(calls);
    expect(alpha).toContain("for alpha");
    expect(beta).toContain("for beta");
    const placed = Object.fromEntries(gateway.runs.map((run) => [run.prompt, run.origin["id"]]));
    expect(placed["alpha"]).not.toBe(placed["beta"]);
    // The first call has the lower id, whichever reached the gateway first.
    expect(Number(placed["alpha"])).toBeLessThan(Number(placed["beta"]));
    expect(gateway.runs.every((run) => run.origin["inferred"] === undefined)).toBe(true);
    await host.close();
    await host.flush();
    expect(gateway.trail.filter((line) => line.startsWith("DELETE")).toSorted()).toEqual(
      [`DELETE /sessions/s`, ...Object.values(placed).map((id) => `DELETE /sessions/s/requests/${String(id)}?server=notes`)].toSorted(),
    );
  });

  test("places them rightly in whichever order the replies come", async () => {
    const host = await start((await startServer()).fetch);
    gateway.onRun = () => undefined;
    const calls = [host.call("ask", "alpha"), host.call("ask", "beta")];
    await gateway.run(1);
    for (const run of gateway.runs.toReversed()) run.reply(`for ${run.prompt}`);
    const [alpha, beta] = await Promise.all(calls);
    expect(alpha).toContain("for alpha");
    expect(beta).toContain("for beta");
    await host.close();
  });

  test("refuses, of two, what comes outside the response streams", async () => {
    const host = await start((await startServer()).fetch);
    gateway.onRun = () => undefined;
    const first = host.call("ask", "alpha");
    const run = await gateway.run(0);
    expect(await host.call("aside", "beta")).toContain("not associated with a client request");
    run.reply("done");
    await first;
    await host.close();
  });

  test("takes what comes outside the response streams for the only open request", async () => {
    const host = await start((await startServer()).fetch);
    expect(await host.call("aside", "gamma")).toContain("Reviewed reply to: gamma");
    expect(gateway.runs[0]?.origin).toMatchObject({ method: "tools/call", name: "aside" });
    await host.close();
  });

  test("without the wrapped fetch says in onError what to do", async () => {
    const errors: Error[] = [];
    const host = await start((await startServer()).fetch, { plainFetch: true, onError: (error) => errors.push(error) });
    gateway.onRun = () => undefined;
    const first = host.call("ask", "alpha");
    const run = await gateway.run(0);
    expect(await host.call("ask", "beta")).toContain("not associated with a client request");
    expect(errors[0]?.message).toContain("give the transport the fetch that attach() returns");
    run.reply("done");
    await first;
    await host.close();
  });

  test("follows a response stream that the server closed and the client resumed with Last-Event-ID", async () => {
    const host = await start((await startServer()).fetch);
    gateway.onRun = () => undefined;
    const first = host.call("ask", "alpha");
    await gateway.run(0);
    const second = host.call("resumed", "beta");
    const run = await gateway.run(1);
    expect(run.prompt).toBe("beta");
    expect(run.origin).toMatchObject({ name: "resumed" });
    for (const open of gateway.runs) open.reply("done");
    expect(await first).toContain("done");
    expect(await second).toContain("done");
    await host.close();
  });
});

describe("a host on SDK 2.x with a server of revision 2026-07-28", () => {
  /**
   * Asks for two samplings in its first result and for one more, under a name used before, in its
   * second.
   */
  const serverFetch = (): FetchLike => {
    const ask = (text: string) =>
      inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 10 });
    const mcp = createMcpHandler(
      () => {
        const server = new McpServerV2({ name: "notes", version: "1" });
        server.registerTool("ask", { inputSchema: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
          const state = ctx.mcpReq.requestState();
          const answers = JSON.stringify(ctx.mcpReq.inputResponses ?? {});
          if (state === undefined)
            return inputRequired({ inputRequests: { one: ask(`${text} 1`), two: ask(`${text} 2`) }, requestState: `${text}:first` });
          if (text === "hangs" && state === "hangs:first") await new Promise(() => undefined);
          if (state === `${text}:first`) return inputRequired({ inputRequests: { one: ask(`${text} 3`) }, requestState: `${text}:second` });
          return { content: [{ type: "text", text: answers }] };
        });
        return server;
      },
      { responseMode: "sse" },
    );
    return (input, init) => mcp.fetch(new Request(input, init));
  };

  async function modernHost() {
    const sampling = handler({});
    const client = new ClientV2({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const { fetch } = sampling.attach(client, { server: "notes", fetch: serverFetch() });
    await client.connect(new TransportV2(SERVER_URL, { fetch }));
    expect(client.getProtocolEra()).toBe("modern");
    return { sampling, client };
  }

  test("answers the sampling inside results, all rounds for the request that began them, which ends once", async () => {
    const { sampling, client } = await modernHost();
    const results = await Promise.all(["a", "b"].map((text) => client.callTool({ name: "ask", arguments: { text } })));
    expect(JSON.stringify(results[0])).toContain("Reviewed reply to: a 3");
    expect(JSON.stringify(results[1])).toContain("Reviewed reply to: b 3");
    const origins = (letter: string) =>
      new Set(gateway.runs.filter((run) => run.prompt.startsWith(letter)).map((run) => JSON.stringify(run.origin)));
    expect(gateway.runs).toHaveLength(6);
    expect(origins("a").size).toBe(1);
    expect(origins("b").size).toBe(1);
    expect([...origins("a")]).not.toEqual([...origins("b")]);
    expect(new Set(gateway.runs.map((run) => `${JSON.stringify(run.origin)} ${run.requestId}`)).size).toBe(6);
    await sampling.flush();
    expect(gateway.trail.filter((line) => line.startsWith("DELETE"))).toHaveLength(2);
    await client.close();
    await sampling.flush();
    expect(gateway.trail.at(-1)).toBe("DELETE /sessions/s");
  });

  test("tells two equal calls apart, whose server asks for the same and has no state", async () => {
    const sampling = handler({});
    const client = new ClientV2({ name: "host", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const params = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "same" } }], maxTokens: 10 };
    const mcp = createMcpHandler(() => {
      const server = new McpServerV2({ name: "notes", version: "1" });
      server.registerTool("ask", {}, (ctx) => {
        const answers = ctx.mcpReq.inputResponses ?? {};
        if ("two" in answers) return { content: [{ type: "text", text: JSON.stringify(answers) }] };
        return inputRequired({ inputRequests: { ["one" in answers ? "two" : "one"]: inputRequired.createMessage(params) } });
      });
      return server;
    });
    const serverFetch: FetchLike = (input, init) => mcp.fetch(new Request(input, init));
    const { fetch } = sampling.attach(client, { server: "notes", fetch: serverFetch });
    await client.connect(new TransportV2(SERVER_URL, { fetch }));
    gateway.onRun = () => undefined;
    const order: number[] = [];
    const call = async (at: number): Promise<void> => {
      await client.callTool({ name: "ask", arguments: {} });
      order.push(at);
    };
    const calls = [call(0), call(1)];
    await gateway.run(1);
    const ids = gateway.runs.map(({ origin }) => origin["id"]);
    expect(new Set(ids).size).toBe(2);
    expect(gateway.runs.every(({ origin }) => origin["inferred"] === undefined)).toBe(true);
    // The second is answered first: its next round is still its own.
    gateway.runs[1]?.reply("for the second");
    const third = await gateway.run(2);
    expect(third.origin["id"]).toBe(ids[1]);
    gateway.runs[0]?.reply("for the first");
    const fourth = await gateway.run(3);
    expect(fourth.origin["id"]).toBe(ids[0]);
    third.reply("and again");
    await until(() => order.length === 1);
    await until(() => gateway.trail.some((line) => line.startsWith("DELETE")));
    expect(gateway.trail.filter((line) => line.startsWith("DELETE"))).toEqual([
      `DELETE /sessions/s/requests/${String(ids[1])}?server=notes`,
    ]);
    expect(fourth.outcome).toBeUndefined();
    fourth.reply("well");
    await Promise.all(calls);
    expect(
      new Set(gateway.seen.filter(({ path }) => path === "/sampling").map(({ headers }) => headers.get("mcp-protocol-version"))),
    ).toEqual(new Set(["2026-07-28"]));
    await client.close();
  });

  test("ends the request when a person says no, because the client will not repeat it", async () => {
    const { sampling, client } = await modernHost();
    gateway.onRun = (run) => run.fail(-1, "User rejected sampling request", { outcome: "rejected" });
    await expect(client.callTool({ name: "ask", arguments: { text: "a" } })).rejects.toThrow("User rejected sampling request");
    await sampling.flush();
    expect(gateway.trail.filter((line) => line.startsWith("DELETE"))).toHaveLength(1);
    await client.close();
  });

  test("ends the request when the host cancels it in a later round, which drops the stream and says nothing", async () => {
    const { sampling, client } = await modernHost();
    const host = new AbortController();
    const call = client.callTool({ name: "ask", arguments: { text: "hangs" } }, { signal: host.signal });
    await until(() => gateway.runs.length === 2 && gateway.runs.every((run) => run.outcome !== undefined));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(gateway.trail.filter((line) => line.startsWith("DELETE"))).toEqual([]);
    host.abort();
    await expect(call).rejects.toThrow();
    await until(() => gateway.trail.some((line) => line.startsWith("DELETE /sessions/s/requests/")));
    await client.close();
    await sampling.flush();
  });

  test("ends the request when the host cancels it while a person thinks", async () => {
    const { sampling, client } = await modernHost();
    gateway.onRun = () => undefined;
    const host = new AbortController();
    const call = client.callTool({ name: "ask", arguments: { text: "a" } }, { signal: host.signal });
    await gateway.run(1);
    host.abort();
    await expect(call).rejects.toThrow();
    await until(() => gateway.trail.some((line) => line.startsWith("DELETE /sessions/s/requests/")));
    await sampling.flush();
    expect(gateway.runs.every((run) => run.outcome !== undefined && "error" in run.outcome)).toBe(true);
    await client.close();
  });
});

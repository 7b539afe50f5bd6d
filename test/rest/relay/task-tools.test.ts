// A tool that runs as a task (2025-11-25) and samples while its result is waited for: the request
// comes on the stream of `tasks/result`, and serves the `tools/call` that the task was made for.

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CreateMessageResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../scripts/local-gateway.ts";
import { pause } from "../../outside/support/killable-gateway.ts";
import { eventually } from "../../outside/support/program.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";
import { serveStreaming, type StreamingServer } from "../../outside/support/relay-serve.ts";
import { sessionsOf } from "../../outside/support/relay-sessions.ts";

const prompt = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "hi" } }], maxTokens: 10 };

const make = () => {
  const server = new McpServer(
    { name: "t", version: "1" },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  server.experimental.tasks.registerToolTask(
    "work",
    { description: "w", inputSchema: {}, execution: { taskSupport: "required" } },
    {
      createTask: async (_args, extra) => {
        const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 100 });
        void (async () => {
          await extra.taskStore.updateTaskStatus(task.taskId, "input_required");
          const related: object = { relatedTask: { taskId: task.taskId } };
          const text = await extra
            .sendRequest({ method: "sampling/createMessage", params: prompt }, CreateMessageResultSchema, related)
            .then(
              (reply) => JSON.stringify(reply.content),
              (error: Error) => error.message,
            );
          await extra.taskStore.storeTaskResult(task.taskId, "completed", { content: [{ type: "text", text }] });
        })();
        return { task };
      },
      getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (_args, extra) => (await extra.taskStore.getTaskResult(extra.taskId)) as { content: [] },
    },
  );
  return server.server;
};

/**
 * The SDK's own example: while the result is waited for it asks on the stand-alone stream, and
 * names the task.
 */
const example = fileURLToPath(import.meta.resolve("@modelcontextprotocol/sdk/examples/server/simpleTaskInteractive.js"));

let office: RelayOffice;
let server: StreamingServer;
let third: ChildProcess;
beforeAll(async () => {
  office = await relayOffice();
  server = await serveStreaming(sessionsOf(make));
  const port = await freePort();
  third = spawn(process.execPath, [example], { env: { PATH: process.env["PATH"], PORT: String(port) }, stdio: "ignore" });
  const entry = { url: `${server.url}/mcp`, allowPrivate: true };
  await office.serve({
    tasks: entry,
    "other-tool": { ...entry, samplingTools: ["another"] },
    example: { url: `http://127.0.0.1:${port}/mcp`, allowPrivate: true, association: "strict" },
  });
  await eventually("the example", () =>
    fetch(`http://127.0.0.1:${port}/mcp`).then(
      () => true,
      () => false,
    ),
  );
});
afterAll(async () => {
  await office?.close();
  await server?.close();
  third?.kill();
});

/** What the tool says in the end. */
async function work(name: string, tool = "work"): Promise<string> {
  const client = new Client({ name: "plain", version: "1" }, { capabilities: {} });
  const listens = Promise.withResolvers<void>();
  const transport = new StreamableHTTPClientTransport(new URL(office.relay(name)), {
    requestInit: { headers: { Authorization: `Bearer ${relayKey}` } },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === "GET") listens.resolve();
      return response;
    },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]); // The SDK's own class; its types differ in optional members alone.
  try {
    await client.listTools();
    await listens.promise;
    let last = "";
    for await (const message of client.experimental.tasks.callToolStream({ name: tool, arguments: {} })) last = JSON.stringify(message);
    return last;
  } finally {
    await client.close();
  }
}

test("gets its reply, and the record names the call that the task was made for", async () => {
  office.model.reset();
  office.model.script({ answer: "reply", text: "Hello, task." });
  expect(await work("tasks")).toContain("Hello, task.");
  // The record of what nobody was asked about is written a moment after the answer.
  let received: object | undefined;
  while (received === undefined) {
    received = (await office.record()).events.map(({ fact }) => fact).find(({ kind }) => kind === "received");
    await pause(50);
  }
  expect(received).toMatchObject({ method: "tools/call", name: "work", provenance: "observed" });
});

test("does not pass a rule about its tool by asking from a task", async () => {
  office.model.reset();
  expect(await work("other-tool")).toContain("refus");
  expect(office.model.requests).toEqual([]);
});

test("of a server that nobody here wrote gets its reply by the name of the task, on the stand-alone stream", async () => {
  office.model.reset();
  office.model.script({ answer: "reply", text: "An old silent pond" });
  expect(await work("example", "write_haiku")).toContain("An old silent pond");
  const of = async () => (await office.record()).events.find(({ fact }) => fact.kind === "received" && fact.server === "example")?.fact;
  expect(await eventually("the record", of)).toMatchObject({
    name: "write_haiku",
    provenance: "observed",
    association: "observed: the server named the request's task",
  });
});

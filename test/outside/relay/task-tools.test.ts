// A tool that runs as a task (2025-11-25) and samples while its result is waited for: the request comes on the stream of
// `tasks/result`, and serves the `tools/call` that the task was made for.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CreateMessageResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pause } from "../support/killable-gateway.ts";
import { type RelayOffice, relayKey, relayOffice } from "../support/relay-office.ts";
import { serveStreaming, type StreamingServer } from "../support/relay-serve.ts";
import { sessionsOf } from "../support/relay-sessions.ts";

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

let office: RelayOffice;
let server: StreamingServer;
beforeAll(async () => {
  office = await relayOffice();
  server = await serveStreaming(sessionsOf(make));
  const entry = { url: `${server.url}/mcp`, allowPrivate: true };
  await office.serve({ tasks: entry, "other-tool": { ...entry, samplingTools: ["another"] } });
});
afterAll(async () => {
  await office?.close();
  await server?.close();
});

/** What the tool says in the end. */
async function work(name: string): Promise<string> {
  const client = new Client({ name: "plain", version: "1" }, { capabilities: {} });
  const transport = new StreamableHTTPClientTransport(new URL(office.relay(name)), {
    requestInit: { headers: { Authorization: `Bearer ${relayKey}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]); // The SDK's own class; its types differ in optional members alone.
  try {
    await client.listTools();
    let last = "";
    for await (const message of client.experimental.tasks.callToolStream({ name: "work", arguments: {} })) last = JSON.stringify(message);
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

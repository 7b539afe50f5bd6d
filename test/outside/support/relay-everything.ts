// The reference server over HTTP, and a tour of everything that it has: each tool, prompt and
// resource, each kind of notification.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import {
  type ClientRequest,
  CreateMessageRequestSchema,
  type CreateMessageResult,
  ElicitRequestSchema,
  EmptyResultSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { freePort, pause } from "../../../scripts/local-gateway.ts";
import { type Told, heardBy } from "../stdio/clients.ts";

export type Everything = { readonly url: string; readonly close: () => void };

const folder = dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json"));

/** Starts the server as a process of its own, and waits until it listens. */
export async function startEverything(): Promise<Everything> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(folder, "dist/index.js"), "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  // Also where a test file fails before it could close it.
  const killed = (): void => void child.kill();
  process.once("exit", killed);
  child.once("exit", () => process.off("exit", killed));
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => chunk.toString().includes("listening") && resolve());
    child.once("exit", () => reject(new Error("the server ended")));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => void child.kill() };
}

/** What a client saw, with what is different each time taken out. */
export type Tour = {
  readonly server: unknown;
  readonly lists: Readonly<Record<string, unknown>>;
  /** Tool, arguments, and the result or error. */
  readonly calls: readonly (readonly [string, unknown, unknown])[];
  readonly other: Readonly<Record<string, unknown>>;
  readonly progress: readonly Told[];
  /** Sorted: those on the stand-alone stream have no order with the results. */
  readonly notifications: readonly string[];
  /** What the client was asked, in order, each once. */
  readonly asked: readonly string[];
};

const calls: readonly (readonly [string, Record<string, unknown>])[] = [
  ["echo", { message: 'What passes here is \u2028 "quoted", \\escaped and Füße 🦶' }],
  ["get-annotated-message", { messageType: "error", includeImage: true }],
  ["get-env", {}],
  ["get-resource-links", { count: 3 }],
  ["get-resource-reference", { resourceType: "Text", resourceId: 1 }],
  ["get-structured-content", { location: "Chicago" }],
  ["get-sum", { a: 2, b: 40 }],
  ["get-sum", { a: "no number" }],
  ["get-tiny-image", {}],
  ["gzip-file-as-resource", { name: "zipped.gz", data: "data:text/plain,zipped", outputType: "resourceLink" }],
  ["toggle-simulated-logging", {}],
  ["toggle-subscriber-updates", {}],
  ["trigger-long-running-operation", { duration: 0.2, steps: 4 }],
  ["get-roots-list", {}],
  ["trigger-elicitation-request", {}],
  ["trigger-elicitation-request-async", {}],
  ["trigger-url-elicitation", { url: "https://example.com/", elicitationId: "elicitation-1" }],
  ["trigger-url-elicitation", { url: "https://example.com/", elicitationId: "elicitation-2", errorPath: true }],
  ["no-such-tool", {}],
];

/**
 * The tools that the tour leaves to others: those that sample, and the one that only runs as a
 * task.
 */
export const sampling = { "trigger-sampling-request": {}, "trigger-sampling-request-async": {} };

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const time = /\d{1,2}:\d\d:\d\d(?: [AP]M)?/g;
const instant = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const base64Time = /UmVzb3VyY2Ug[A-Za-z0-9+/=]+/g;
const taskIds = /[0-9a-f]{32}/g;

/** The same text wherever only ids and times differ. */
const still = (text: string): string =>
  text
    .replaceAll(instant, "<instant>")
    .replaceAll(uuid, "<uuid>")
    .replaceAll(taskIds, "<task>")
    .replaceAll(base64Time, (coded) => still(Buffer.from(coded, "base64").toString()))
    .replaceAll(time, "<time>")
    // Levels of simulated logging are random.
    .replaceAll(/"level":"[a-z]+","data":"[A-Z][a-z]+[- ]level[- ]message - SessionId/g, '"level":"<any>","data":"<any> - SessionId')
    .replaceAll(/(?:Poll \d+: [a-z_]+(?: - [^\\"]*)?\\\\n)+/g, "<polls>");

const stillOf = (value: unknown): unknown => JSON.parse(still(JSON.stringify(value)));

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (result) => stillOf(result),
    (error: Error) => stillOf({ error: error.message, ...error }),
  );

export type Visitor = {
  readonly client: Client;
  readonly sampled: () => number;
  readonly asked: string[];
  readonly notifications: string[];
  readonly progress: readonly Told[];
};

/**
 * A client with everything that a client may have; with sampling only where `reply` says what its
 * model answers.
 */
export async function visit(url: string, headers: Record<string, string>, reply?: CreateMessageResult): Promise<Visitor> {
  const tasks = new InMemoryTaskStore();
  const client = new Client(
    { name: "visitor", version: "1" },
    {
      taskStore: tasks,
      capabilities: {
        roots: { listChanged: true },
        elicitation: { form: {}, url: {} },
        ...(reply === undefined ? {} : { sampling: {} }),
        tasks: {
          list: {},
          cancel: {},
          requests: { elicitation: { create: {} }, ...(reply === undefined ? {} : { sampling: { createMessage: {} } }) },
        },
      },
    },
  );
  const asked: string[] = [];
  const notifications: string[] = [];
  let sampled = 0;
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///a", name: "a" }] }));
  client.setRequestHandler(ElicitRequestSchema, async ({ params }, extra) => {
    asked.push(still(JSON.stringify(params)));
    const answer = { action: "accept" as const, content: { name: "Ada" } };
    if (params.task === undefined || extra.taskStore === undefined) return answer;
    const task = await extra.taskStore.createTask({ ttl: 60_000 });
    await extra.taskStore.storeTaskResult(task.taskId, "completed", answer);
    return { task };
  });
  if (reply !== undefined)
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }, extra) => {
      sampled += 1;
      if (params.task === undefined || extra.taskStore === undefined) return reply;
      const task = await extra.taskStore.createTask({ ttl: 60_000 });
      await extra.taskStore.storeTaskResult(task.taskId, "completed", reply);
      return { task };
    });
  client.fallbackNotificationHandler = (notification) => {
    notifications.push(still(JSON.stringify(notification)));
    return Promise.resolve();
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return { client, sampled: () => sampled, asked, notifications, progress: heardBy(transport) };
}

const seen = async (what: string, look: () => boolean): Promise<void> => {
  for (let tries = 0; !look(); tries += 1) {
    if (tries === 1_200) throw new Error(`never seen: ${what}`);
    await pause(100);
  }
};

/**
 * The server asks for the roots 350 ms after the beginning, and says that it has them. Where its
 * stream to the client is not open by then, as on a slow machine, the SDK drops that request; it
 * asks again when the client says that they changed.
 */
async function hearRoots(client: Client, hasHeard: () => boolean): Promise<void> {
  for (let tries = 0; !hasHeard(); tries += 1) {
    if (tries > 0) await client.sendRootsListChanged();
    for (let pauses = 0; pauses < 30 && !hasHeard(); pauses += 1) await pause(100);
    if (tries === 40) throw new Error("never seen: Roots updated");
  }
}

/** Walks through everything but sampling. */
export async function tour({ client, asked, notifications, progress }: Visitor): Promise<Tour> {
  const heard = (kind: string) => seen(kind, () => notifications.some((each) => each.includes(kind)));
  await client.setLoggingLevel("debug");
  await hearRoots(client, () => notifications.some((each) => each.includes("Roots updated")));
  await client.subscribeResource({ uri: "demo://resource/dynamic/text/1" });
  await heard("Received Subscribe Resource request");
  const made: [string, unknown, unknown][] = [];
  for (const [name, given] of calls)
    made.push([
      name,
      given,
      await outcome(client.callTool({ name, arguments: given }, undefined, { onprogress: () => undefined, timeout: 60_000 })),
    ]);
  await heard("notifications/resources/updated");
  await heard("SessionId");
  await heard("notifications/resources/list_changed");
  const lists = {
    tools: await outcome(client.listTools()),
    resources: await outcome(client.listResources()),
    templates: await outcome(client.listResourceTemplates()),
    prompts: await outcome(client.listPrompts()),
  };
  const { resources } = await client.listResources();
  const read: unknown[] = [];
  for (const uri of [
    ...resources.map((each) => each.uri),
    "demo://resource/dynamic/text/1",
    "demo://resource/dynamic/blob/2",
    "demo://resource/none",
  ])
    read.push([uri, await outcome(client.readResource({ uri }))]);
  const { prompts } = await client.listPrompts();
  const got: unknown[] = [];
  for (const prompt of prompts) {
    const given: Record<string, string> = Object.fromEntries((prompt.arguments ?? []).map(({ name }) => [name, valueFor(name)]));
    got.push([prompt.name, given, await outcome(client.getPrompt({ name: prompt.name, arguments: given }))]);
    got.push([prompt.name, {}, await outcome(client.getPrompt({ name: prompt.name }))]);
  }
  const research: unknown[] = [];
  for await (const message of client.experimental.tasks.callToolStream(
    { name: "simulate-research-query", arguments: { topic: "python", ambiguous: true } },
    undefined,
    { timeout: 60_000 },
  ))
    if (message.type === "result" || message.type === "error") research.push(stillOf(message));
  const other = {
    read,
    got,
    research,
    ping: await outcome(client.ping()),
    completed: await outcome(
      client.complete({
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "department", value: "S" },
      }),
    ),
    unknown: await outcome(client.request({ method: "no/such/method" } as unknown as ClientRequest, EmptyResultSchema)),
    unsubscribed: await outcome(client.unsubscribeResource({ uri: "demo://resource/dynamic/text/1" })),
    stopped: await outcome(client.callTool({ name: "toggle-subscriber-updates" })),
    quiet: await outcome(client.callTool({ name: "toggle-simulated-logging" })),
  };
  await heard("Received Unsubscribe");
  await heard('"status":"completed"');
  return {
    server: [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()],
    lists,
    calls: made,
    other,
    progress,
    // How often those come that a clock sends depends on the machine; and the tools change while
    // the stream is only being opened.
    notifications: [...new Set(notifications)].filter((each) => !each.includes("notifications/tools/list_changed")).toSorted(),
    asked: [...new Set(asked)],
  };
}

const valueFor = (name: string): string =>
  ({ city: "Bern", resourceType: "Text", resourceId: "1", department: "Sales", name: "David" })[name] ?? "one";

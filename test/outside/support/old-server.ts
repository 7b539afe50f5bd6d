// A server of the 2025 family on SDK 1.x that asks its client in every way: sampling, forms and
// roots, on the stream of the request or beside it. It counts what came, so that a test can tell
// that nothing came twice.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  CreateMessageResultWithToolsSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type SamplingMessage,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { laterMs, onePixel } from "./modern-tools.ts";
import { MemoryEvents, sessionsOf } from "./relay-sessions.ts";
import { serveStreaming } from "./relay-serve.ts";

/** One message as it came. */
export type OldReceived = {
  readonly session: string | null;
  readonly text: string;
  readonly message: {
    readonly id?: string | number;
    readonly method?: string;
    readonly params?: { readonly arguments?: { readonly question?: string } };
  };
};

export type OldServer = {
  readonly url: string;
  readonly close: () => Promise<void>;
  /** The names of the tools that were called. */
  readonly runs: string[];
  /** The client's responses, as they came. */
  readonly answers: string[];
  /** Every request and notification. */
  readonly methods: string[];
  /** Every message. */
  readonly received: OldReceived[];
  /** How many sessions were begun. */
  readonly sessions: () => number;
  /** Tells the clients of every session, on the stream that belongs to no request. */
  readonly notify: (method: string, params?: Record<string, unknown>) => Promise<void>;
  /** Forgets every session and ends their streams, as a server that starts again. */
  readonly restart: () => void;
};

export type OldServerOptions = {
  /** Whether it keeps its events, so that a stream can be resumed. */
  readonly resumable?: boolean;
  readonly json?: boolean;
  /** 400 for a session that is not known, as many servers have it. */
  readonly says400?: boolean;
};

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
const timeout = 120_000;

const question = (text: string) => ({
  method: "sampling/createMessage" as const,
  params: { messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 20 },
});
const form = (message: string) => ({
  message,
  requestedSchema: { type: "object" as const, properties: { confirm: { type: "boolean" as const } } },
});
const said = (text: string, isError = false) => ({ content: [{ type: "text" as const, text }], ...(isError ? { isError } : {}) });

const toolNames = [
  "plain",
  "count",
  "ask",
  "aside",
  "ask-image",
  "ask-tools",
  "ask-two",
  "ask-five",
  "elicit",
  "elicit-aside",
  "elicit-three",
  "ask-and-elicit",
  "ask-roots",
  "roots-aside",
  "undeclared",
  "elicit-url",
  "gives-up",
  "steps",
  "later",
];

const weather = {
  name: "weather",
  description: "The weather of a city",
  inputSchema: { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] },
};

/** Samples until the model calls no tool any more: how many rounds it took, and what it said. */
async function toolLoop(text: string, extra: Extra): Promise<string> {
  const messages: SamplingMessage[] = [...question(text).params.messages];
  for (let round = 1; ; round += 1) {
    const params = { messages, maxTokens: 200, tools: [weather], toolChoice: { mode: "auto" as const } };
    const request = { method: "sampling/createMessage" as const, params };
    const { content } = await extra.sendRequest(request, CreateMessageResultWithToolsSchema, { timeout });
    const uses = [content].flat().filter((block) => block.type === "tool_use");
    if (uses.length === 0) return JSON.stringify({ round, content: [content].flat() });
    const results = uses.map(({ id }) => ({
      type: "tool_result" as const,
      toolUseId: id,
      content: [{ type: "text" as const, text: "Sunny" }],
    }));
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
}

function oldServer(runs: string[]): Server {
  const server = new Server(
    { name: "old", version: "1.2.3" },
    {
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
      instructions: "Ask plainly.",
    },
  );
  let count = 0;
  const sample = async (text: string, extra: Extra): Promise<string> => {
    const { content } = await extra.sendRequest(question(text), CreateMessageResultSchema, { timeout });
    return content.type === "text" ? content.text : content.type;
  };
  const elicit = (text: string, extra: Extra) =>
    extra.sendRequest({ method: "elicitation/create", params: form(text) }, ElicitResultSchema, { timeout });
  const tools: Readonly<Record<string, (text: string, extra: Extra) => Promise<object> | object>> = {
    plain: () => said("Plain."),
    count: () => said(String((count += 1))),
    ask: async (text, extra) => said(await sample(text, extra)),
    aside: async (text) => {
      const { content } = await server.createMessage(question(text).params, { timeout });
      return said(content.type === "text" ? content.text : content.type);
    },
    "ask-image": async (text, extra) => {
      const image = { type: "image" as const, data: onePixel, mimeType: "image/png" };
      const messages = [question(text).params.messages[0], { role: "user" as const, content: image }].filter((each) => each !== undefined);
      const params = { messages, maxTokens: 20 };
      const { content } = await extra.sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultSchema, { timeout });
      return said(content.type === "text" ? content.text : content.type);
    },
    "ask-tools": async (text, extra) => said(await toolLoop(text, extra)),
    "ask-two": async (text, extra) => said(JSON.stringify([await sample(`${text} 1`, extra), await sample(`${text} 2`, extra)])),
    "ask-five": async (text, extra) =>
      said(JSON.stringify(await Promise.all([1, 2, 3, 4, 5].map((each) => sample(`${text} ${each}`, extra))))),
    elicit: async (text, extra) => said(JSON.stringify(await elicit(text, extra))),
    "elicit-aside": async (text) => said(JSON.stringify(await server.elicitInput(form(text), { timeout }))),
    "elicit-three": async (text, extra) => {
      const answers = [];
      for (const each of [1, 2, 3]) answers.push((await elicit(`${text} ${each}`, extra)).action);
      return said(JSON.stringify(answers));
    },
    "ask-and-elicit": async (text, extra) => {
      const [reply, { action, content }] = await Promise.all([sample(text, extra), elicit(text, extra)]);
      return said(JSON.stringify({ reply, action, content }));
    },
    "ask-roots": async (text, extra) => {
      const { roots } = await extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema, { timeout });
      return said(JSON.stringify({ reply: await sample(text, extra), roots }));
    },
    "roots-aside": async () => said(JSON.stringify((await server.listRoots(undefined, { timeout })).roots)),
    undeclared: async (_, extra) => {
      const params = { mode: "url" as const, message: "Open it", url: "https://example.com/", elicitationId: "1" };
      return said(JSON.stringify(await extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema, { timeout })));
    },
    "elicit-url": async (text, extra) => {
      const params = { mode: "url" as const, message: "Open it", url: text, elicitationId: "one" };
      return said(JSON.stringify(await extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema, { timeout })));
    },
    "gives-up": async (text, extra) => {
      const params = form(text);
      await extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema, { timeout: 1_500 });
      return said("never");
    },
    later: async (text) => {
      await new Promise((resolve) => setTimeout(resolve, laterMs));
      return said(`Ran: ${text}`);
    },
    steps: async (text, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const progress of [1, 2, 3])
        if (progressToken !== undefined)
          await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 3, message: text } });
      await extra.sendNotification({ method: "notifications/message", params: { level: "warning", data: `${text} warned` } });
      await extra.sendNotification({ method: "notifications/message", params: { level: "debug", data: `${text} whispered` } });
      return said("Stepped.");
    },
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: toolNames.map((name) => ({
      name,
      inputSchema: { type: "object" as const, properties: { question: { type: "string" } } },
      execution: { taskSupport: "forbidden" as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    runs.push(params.name);
    const tool = tools[params.name];
    try {
      return (await tool?.(String(params.arguments?.["question"] ?? params.name), extra)) ?? said(`no tool ${params.name}`, true);
    } catch (error) {
      return said(error instanceof Error ? error.message : "failed", true);
    }
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: "ask-prompt", arguments: [{ name: "topic" }] }] }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra) => ({
    messages: [
      {
        role: "user" as const,
        content: { type: "text" as const, text: await sample(`prompt ${params.arguments?.["topic"] ?? ""}`, extra) },
      },
    ],
  }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: "test://plain", name: "plain" }] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, extra) => ({
    contents: [{ uri, text: uri === "test://ask" ? await sample("resource", extra) : "plain" }],
  }));
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => ({
    completion: { values: ["weather", "wine"].filter((each) => each.startsWith(params.argument.value)) },
  }));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    if (uri.startsWith("test://refused")) throw new Error("there is no such resource");
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server;
}

export async function serveOld({ resumable = false, json = false, says400 = false }: OldServerOptions = {}): Promise<OldServer> {
  const runs: string[] = [];
  const answers: string[] = [];
  const methods: string[] = [];
  const received: OldReceived[] = [];
  let begun = 0;
  const servers: Server[] = [];
  const make = () => {
    const server = oldServer(runs);
    servers.push(server);
    return server;
  };
  const options = () => ({ enableJsonResponse: json, ...(resumable ? { eventStore: new MemoryEvents() } : {}) });
  let endpoint = sessionsOf(make, options);
  const { url, close } = await serveStreaming(async (request) => {
    if (request.method === "POST") {
      const text = await request.clone().text();
      const message = JSON.parse(text) as OldReceived["message"];
      received.push({ session: request.headers.get("Mcp-Session-Id"), text, message });
      if (message.method === undefined) answers.push(text);
      else methods.push(message.method);
      if (message.method === "initialize") begun += 1;
    }
    const answer = await endpoint(request);
    return says400 && answer.status === 404
      ? Response.json(
          { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Bad Request: No valid session ID provided" } },
          { status: 400 },
        )
      : answer;
  });
  return {
    url: `${url}/mcp`,
    close,
    runs,
    answers,
    methods,
    received,
    sessions: () => begun,
    notify: async (method, params = {}) => {
      // The SDK's union of notifications knows each method by its params.
      for (const server of servers) await server.notification({ method, params } as ServerNotification);
    },
    restart: () => {
      for (const server of servers.splice(0)) void server.close();
      endpoint = sessionsOf(make, options);
    },
  };
}

// A server with everything that the official conformance suite asks a server for, on SDK 1.x. What
// each tool, prompt and resource is called and has to do is written in the suite's scenarios.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  type CallToolResult,
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  EmptyResultSchema,
  type GetPromptResult,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Endpoint } from "./relay-serve.ts";
import { MemoryEvents, sessionsOf } from "./relay-sessions.ts";

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Arguments = Readonly<Record<string, unknown>>;
export type ConformingTool = {
  readonly inputSchema?: { readonly type: "object"; readonly [key: string]: unknown };
  readonly run: (given: Arguments, extra: Extra, server: Server) => Promise<CallToolResult> | CallToolResult;
};
export type ConformingPrompt = {
  readonly needs: readonly string[];
  readonly get: (given: Arguments, extra: Extra) => Promise<GetPromptResult> | GetPromptResult;
};
/** What a server has beside what the suite of the 2025 revisions asks for. */
export type More = {
  readonly tools: Readonly<Record<string, ConformingTool>>;
  readonly prompts: Readonly<Record<string, ConformingPrompt>>;
};

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const noSound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (value: string) => ({ type: "text" as const, text: value });
const image = { type: "image" as const, data: onePixel, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, value: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: value },
});
const saying = (...content: CallToolResult["content"]): CallToolResult => ({ content });
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
const oneString = (name: string) => ({ type: "object" as const, properties: { [name]: { type: "string" } }, required: [name] });

async function elicit(extra: Extra, message: string, properties: object): Promise<CallToolResult> {
  const requestedSchema = { type: "object", properties, required: [] };
  // The suite wants the deprecated `enumNames` too, which the SDK's type for forms has and its
  // union cannot tell apart here.
  const request = { method: "elicitation/create", params: { mode: "form", message, requestedSchema } } as unknown as ServerRequest;
  const { action, content } = await extra.sendRequest(request, ElicitResultSchema);
  return saying(text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`));
}

const values = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word}${index + 1}`);
const titled = values(3, "value").map((each) => ({ const: each, title: `Title of ${each}` }));

const ownTools: More["tools"] = {
  test_simple_text: { run: () => saying(text("This is a simple text response for testing.")) },
  test_image_content: { run: () => saying(image) },
  test_audio_content: { run: () => saying({ type: "audio", data: noSound, mimeType: "audio/wav" }) },
  test_embedded_resource: {
    run: () => saying(resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  },
  test_multiple_content_types: {
    run: () =>
      saying(
        text("Multiple content types test:"),
        image,
        resource("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 })),
      ),
  },
  test_tool_with_logging: {
    run: async (_, extra) => {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
        await pause();
      }
      return saying(text("Logged three times."));
    },
  },
  test_tool_with_progress: {
    run: async (_, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        await pause();
      }
      return saying(text("Went from 0 to 100."));
    },
  },
  test_error_handling: {
    run: () => ({ isError: true, content: [text("This tool intentionally returns an error for testing")] }),
  },
  test_sampling: {
    inputSchema: oneString("prompt"),
    run: async ({ prompt }, extra) => {
      const messages = [{ role: "user" as const, content: text(String(prompt)) }];
      const reply = await extra.sendRequest(
        { method: "sampling/createMessage", params: { messages, maxTokens: 100 } },
        CreateMessageResultSchema,
      );
      return saying(text(`LLM response: ${reply.content.type === "text" ? reply.content.text : reply.content.type}`));
    },
  },
  test_elicitation: {
    inputSchema: oneString("message"),
    run: ({ message }, extra) =>
      elicit(extra, String(message), {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      }),
  },
  test_elicitation_sep1034_defaults: {
    run: (_, extra) =>
      elicit(extra, "Please confirm", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    run: (_, extra) =>
      elicit(extra, "Please choose", {
        untitledSingle: { type: "string", enum: values(3, "option") },
        titledSingle: { type: "string", oneOf: titled },
        legacyEnum: { type: "string", enum: values(3, "opt"), enumNames: values(3, "Option ") },
        untitledMulti: { type: "array", items: { type: "string", enum: values(3, "option") } },
        titledMulti: { type: "array", items: { anyOf: titled } },
      }),
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
    run: (given) => saying(text(JSON.stringify(given))),
  },
  test_reconnection: {
    run: async (_, extra) => {
      extra.closeSSEStream?.();
      await pause();
      return saying(text("Sent after the stream was closed."));
    },
  },
};

const ownPrompts: More["prompts"] = {
  test_simple_prompt: {
    needs: [],
    get: () => ({ messages: [{ role: "user", content: text("This is a simple prompt for testing.") }] }),
  },
  test_prompt_with_arguments: {
    needs: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => ({
      messages: [{ role: "user", content: text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`) }],
    }),
  },
  test_prompt_with_embedded_resource: {
    needs: ["resourceUri"],
    get: ({ resourceUri }) => ({
      messages: [
        { role: "user", content: resource(String(resourceUri), "text/plain", "Embedded resource content for testing.") },
        { role: "user", content: text("Please process the embedded resource above.") },
      ],
    }),
  },
  test_prompt_with_image: {
    needs: [],
    get: () => ({
      messages: [
        { role: "user", content: image },
        { role: "user", content: text("Please analyze the image above.") },
      ],
    }),
  },
};

const described = (name: string) => ({ name, description: `What the conformance suite knows as ${name}` });
const listed = [
  { uri: "test://static-text", mimeType: "text/plain", text: "This is the content of the static text resource." },
  { uri: "test://static-binary", mimeType: "image/png", blob: onePixel },
  { uri: "test://watched-resource", mimeType: "text/plain", text: "Watched." },
];

function conformingServer(more: More): Server {
  const [tools, prompts] = [
    { ...ownTools, ...more.tools },
    { ...ownPrompts, ...more.prompts },
  ];
  const server = new Server(
    { name: "conforming", version: "1" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
    },
  );
  server.setRequestHandler(SetLevelRequestSchema, () => EmptyResultSchema.parse({}));
  server.setRequestHandler(CompleteRequestSchema, () => ({ completion: { values: ["paris", "park"], total: 2, hasMore: false } }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { inputSchema }]) => ({
      ...described(name),
      inputSchema: inputSchema ?? { type: "object" as const, properties: {} },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools[params.name];
    if (tool === undefined) throw new Error(`there is no tool ${params.name}`);
    return tool.run(params.arguments ?? {}, extra, server);
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, { needs }]) => ({
      ...described(name),
      arguments: needs.map((each) => ({ ...described(each), required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }, extra) => {
    const prompt = prompts[params.name];
    if (prompt === undefined) throw new Error(`there is no prompt ${params.name}`);
    return prompt.get(params.arguments ?? {}, extra);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: listed.map(({ uri, mimeType }) => ({ uri, mimeType, ...described(uri) })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", mimeType: "application/json", ...described("template") }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const found = listed.find((each) => each.uri === uri);
    if (found !== undefined) return { contents: [found] };
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    // The code of the revisions with sessions.
    if (id === undefined) throw new McpError(-32_002, `There is no resource ${uri}`, { uri });
    return {
      contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }],
    };
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server;
}

/** The endpoint of such a server: stateful, resumable, and closed to other hosts than its own. */
export const conformingEndpoint = (more: More = { tools: {}, prompts: {} }): Endpoint => {
  const sessions = sessionsOf(
    () => conformingServer(more),
    () => ({ eventStore: new MemoryEvents(), retryInterval: 50 }),
  );
  return async (request) => {
    const own = request.headers.get("Host") ?? "";
    const origin = request.headers.get("Origin");
    if (!/^127\.0\.0\.1:\d+$/.test(own) || (origin !== null && origin !== `http://${own}`))
      return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Another host" } }, { status: 403 });
    // One scenario names an older revision in its header than the one that it agreed on, and then
    // looks for what came with the latest.
    const headers = new Headers(request.headers);
    if (headers.has("MCP-Protocol-Version")) headers.set("MCP-Protocol-Version", "2025-11-25");
    return sessions(new Request(request, { headers }));
  };
};

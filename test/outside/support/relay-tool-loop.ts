// A server whose tool has a model work with tools of its own until it answers in words: the tool
// loop of sampling in 2025-11-25.

import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as TransportV1 } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { type CallToolResult, CreateMessageResultWithToolsSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpServer as ServerV2, WebStandardStreamableHTTPServerTransport as TransportV2 } from "@modelcontextprotocol/server";
import type { Endpoint } from "./relay-serve.ts";

type Use = { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Record<string, unknown> };
type Text = { readonly type: "text"; readonly text: string };
type Result = { readonly type: "tool_result"; readonly toolUseId: string; readonly content: Text[] };
type Message = { readonly role: "user" | "assistant"; readonly content: Text | (Text | Use | Result)[] };
type Reply = { readonly content: Text | Use | (Text | Use)[]; readonly stopReason?: string };
type Sample = (params: Record<string, unknown>) => Promise<Reply>;

const offered = [
  {
    name: "weather",
    description: "The weather of a city",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];

/** Samples until the model has no more calls. What a sampling request fails with is the result. */
async function work(sample: Sample): Promise<CallToolResult> {
  const messages: Message[] = [{ role: "user", content: { type: "text", text: "Compare the weather of Bern and Rome." } }];
  try {
    for (let round = 1; ; round += 1) {
      const { content, stopReason } = await sample({ messages, tools: offered, toolChoice: { mode: "auto" }, maxTokens: 200 });
      const blocks = Array.isArray(content) ? content : [content];
      const uses = blocks.filter((block) => block.type === "tool_use");
      if (stopReason !== "toolUse" || uses.length === 0) return { content: [{ type: "text", text: JSON.stringify({ round, blocks }) }] };
      // All calls of one turn at the same time, and their results in one message.
      const results = await Promise.all(uses.map(({ id, input }) => result(id, String(input["city"]))));
      messages.push({ role: "assistant", content: blocks }, { role: "user", content: results });
    }
  } catch (error) {
    const { code, message } = error as { code?: number; message: string };
    return { isError: true, content: [{ type: "text", text: JSON.stringify({ code, message }) }] };
  }
}

const result = async (toolUseId: string, city: string): Promise<Result> => ({
  type: "tool_result",
  toolUseId,
  content: [{ type: "text", text: `Sunny in ${city}` }],
});

/** The server of SDK 1.x or 2.x, with one session for each client. */
export function toolLoopEndpoint(sdk: 1 | 2): Endpoint {
  const sessions = new Map<string, { handleRequest: (request: Request) => Promise<Response> }>();
  const options = () => ({ sessionIdGenerator: () => crypto.randomUUID() });
  return async (request) => {
    const known = sessions.get(request.headers.get("Mcp-Session-Id") ?? "");
    if (known !== undefined) return known.handleRequest(request);
    const transport =
      sdk === 1
        ? new TransportV1({ ...options(), onsessioninitialized: (id) => void sessions.set(id, transport) })
        : new TransportV2({ ...options(), onsessioninitialized: (id) => void sessions.set(id, transport) });
    if (transport instanceof TransportV1) await loopV1().connect(transport);
    else await loopV2().connect(transport);
    return transport.handleRequest(request);
  };
}

function loopV1(): ServerV1 {
  const server = new ServerV1({ name: "loop", version: "1" });
  server.registerTool("compare", { description: "Compares" }, (extra) =>
    work(
      (params) =>
        extra.sendRequest(
          { method: "sampling/createMessage", params } as Parameters<typeof extra.sendRequest>[0],
          CreateMessageResultWithToolsSchema,
        ) as Promise<Reply>,
    ),
  );
  return server;
}

function loopV2(): ServerV2 {
  const server = new ServerV2({ name: "loop", version: "1" });
  server.registerTool("compare", { description: "Compares" }, (context) =>
    // Its types know of no result with several blocks, which is what a request with tools may get.
    work((params) => context.mcpReq.send({ method: "sampling/createMessage", params }) as Promise<unknown> as Promise<Reply>),
  );
  return server;
}

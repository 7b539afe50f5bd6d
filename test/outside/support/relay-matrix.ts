// MCP servers and clients of both SDK generations, in any of the 2025 revisions, for what is tried
// in every combination of them.

import { Client as ClientV2, StreamableHTTPClientTransport as ClientTransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as ClientTransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  type EventStore,
  WebStandardStreamableHTTPServerTransport as TransportV1,
} from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { type CallToolResult, CreateMessageResultSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { McpServer as ServerV2, WebStandardStreamableHTTPServerTransport as TransportV2 } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Endpoint } from "./relay-serve.ts";
import { MemoryEvents } from "./relay-sessions.ts";

export const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export type Revision = (typeof revisions)[number];

/** What the server heard of its client when a session began, and every message that came to it. */
export type Heard = {
  capabilities: unknown;
  readonly messages: unknown[];
  /** How many stand-alone streams are open or have been. */
  streams: number;
};

export type ServerKind = {
  readonly sdk: 1 | 2;
  readonly stateful: boolean;
  readonly json: boolean;
  /** Whether it keeps its events, so that a client can resume a stream. */
  readonly resumable?: boolean;
};

/**
 * The servers' tools: `plain` only answers; `ask` samples on its response stream, `aside` outside
 * it, and `resumed` on its response stream after that was closed.
 */
export const tools = ["plain", "ask", "aside", "resumed"] as const;

const sampling = (question: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text: question } }],
  maxTokens: 20,
});
const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
const saidBy = ({ content }: { content: unknown }): CallToolResult => said(JSON.stringify(content));
const plainText = "Nobody was asked.";
const question = { question: z.string() };

function serverV1(heard: Heard): ServerV1 {
  const server = new ServerV1({ name: "matrix", version: "1" });
  server.server.oninitialized = () => (heard.capabilities = server.server.getClientCapabilities());
  server.registerTool("plain", { description: "Answers" }, () => said(plainText));
  server.registerTool("ask", { description: "Asks", inputSchema: question }, async (given, extra) =>
    saidBy(await extra.sendRequest({ method: "sampling/createMessage", params: sampling(given.question) }, CreateMessageResultSchema)),
  );
  server.registerTool("aside", { description: "Asks elsewhere", inputSchema: question }, async (given) =>
    saidBy(await server.server.createMessage(sampling(given.question))),
  );
  server.registerTool("resumed", { description: "Asks later", inputSchema: question }, async (given, extra) => {
    if (extra.closeSSEStream === undefined) throw new Error("this stream cannot be resumed");
    extra.closeSSEStream();
    return saidBy(
      await extra.sendRequest({ method: "sampling/createMessage", params: sampling(given.question) }, CreateMessageResultSchema),
    );
  });
  return server;
}

function serverV2(heard: Heard): ServerV2 {
  const server = new ServerV2({ name: "matrix", version: "1" });
  server.server.oninitialized = () => (heard.capabilities = server.server.getClientCapabilities());
  server.registerTool("plain", { description: "Answers" }, () => said(plainText));
  server.registerTool("ask", { description: "Asks", inputSchema: z.object(question) }, async (given, context) =>
    saidBy((await context.mcpReq.send({ method: "sampling/createMessage", params: sampling(given.question) })) as { content: unknown }),
  );
  server.registerTool("aside", { description: "Asks elsewhere", inputSchema: z.object(question) }, async (given, context) =>
    // The 2.x SDK's own call for this does not say which request it serves: it goes to the
    // stand-alone stream.
    saidBy(await context.mcpReq.requestSampling(sampling(given.question))),
  );
  server.registerTool("resumed", { description: "Asks later", inputSchema: z.object(question) }, async (given, context) => {
    if (context.http?.closeSSE === undefined) throw new Error("this stream cannot be resumed");
    context.http.closeSSE();
    return saidBy(
      (await context.mcpReq.send({ method: "sampling/createMessage", params: sampling(given.question) })) as { content: unknown },
    );
  });
  return server;
}

type Transport = { readonly handleRequest: (request: Request) => Promise<Response> };
type Begun = {
  readonly sessionIdGenerator?: () => string;
  readonly onsessioninitialized?: (id: string) => void;
  readonly enableJsonResponse: boolean;
  readonly eventStore?: EventStore;
  readonly retryInterval?: number;
};

async function begin(sdk: 1 | 2, heard: Heard, options: Begun): Promise<Transport> {
  if (sdk === 1) {
    const transport = new TransportV1(options);
    await serverV1(heard).connect(transport);
    return transport;
  }
  const transport = new TransportV2(options);
  await serverV2(heard).connect(transport);
  return transport;
}

/**
 * The endpoint of such a server. A stateless one begins anew with every request, as the SDKs have
 * it.
 */
export function matrixEndpoint({ sdk, stateful, json, resumable = false }: ServerKind): {
  readonly endpoint: Endpoint;
  readonly heard: Heard;
} {
  const heard: Heard = { capabilities: undefined, messages: [], streams: 0 };
  const sessions = new Map<string, Transport>();
  const endpoint: Endpoint = async (request) => {
    if (request.method === "POST") heard.messages.push(await request.clone().json());
    if (!stateful) return (await begin(sdk, heard, { enableJsonResponse: json })).handleRequest(request);
    const session = request.headers.get("Mcp-Session-Id");
    if (session !== null) {
      const answer = (await sessions.get(session)?.handleRequest(request)) ?? new Response(null, { status: 404 });
      if (request.method === "GET" && answer.ok) heard.streams += 1;
      return answer;
    }
    const transport = await begin(sdk, heard, {
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      enableJsonResponse: json,
      ...(resumable ? { eventStore: new MemoryEvents(), retryInterval: 20 } : {}),
    });
    return transport.handleRequest(request);
  };
  return { endpoint, heard };
}

/**
 * A server without sessions that samples all the same: it knows what it waits for by the ids of its
 * requests alone.
 */
export function statelessAskingEndpoint(): { readonly endpoint: Endpoint; readonly heard: Heard } {
  const heard: Heard = { capabilities: undefined, messages: [], streams: 0 };
  const waiting = new Map<string, (result: { content: unknown }) => void>();
  type Message = {
    readonly id?: string | number;
    readonly method?: string;
    readonly params?: {
      readonly name?: string;
      readonly protocolVersion?: string;
      readonly capabilities?: unknown;
      readonly arguments?: { readonly question?: string };
    };
    readonly result?: { content: unknown };
  };
  const described = (name: string) => ({
    name,
    description: name,
    inputSchema: { type: "object", properties: { question: { type: "string" } } },
  });
  const endpoint: Endpoint = async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { Allow: "POST" } });
    const { id, method, params, result } = (await request.json()) as Message; // a client of ours
    heard.messages.push({ id, method, params, result });
    if (method === undefined || id === undefined) {
      waiting.get(String(id))?.(result ?? { content: "an error" });
      return new Response(null, { status: 202 });
    }
    const answer = (value: object) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: value })}\n\n`;
    const stream = (body: BodyInit) => new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    switch (method) {
      case "initialize":
        heard.capabilities = params?.capabilities;
        return stream(
          answer({ protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "matrix", version: "1" } }),
        );
      case "tools/list":
        return stream(answer({ tools: tools.map(described) }));
      case "tools/call": {
        if (params?.name === "plain") return stream(answer(said(plainText)));
        const own = `asked-${crypto.randomUUID()}`;
        const reply = new Promise<{ content: unknown }>((resolve) => waiting.set(own, resolve));
        const asked = { jsonrpc: "2.0", id: own, method: "sampling/createMessage", params: sampling(params?.arguments?.question ?? "") };
        const encoder = new TextEncoder();
        return stream(
          new ReadableStream({
            start: async (controller) => {
              controller.enqueue(encoder.encode(`data: ${JSON.stringify(asked)}\n\n`));
              controller.enqueue(encoder.encode(answer(saidBy(await reply))));
              controller.close();
            },
          }),
        );
      }
      default:
        return stream(`data: ${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } })}\n\n`);
    }
  };
  return { endpoint, heard };
}

/** A client of either generation that asks for this revision and declares nothing. */
export type MatrixClient = {
  readonly agreed: () => string | undefined;
  readonly list: () => Promise<string[]>;
  /** The text of a tool's result. */
  readonly call: (name: string, question?: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

export const clientKinds = ["sdk 1", "sdk 2"] as const;

const textOf = (result: object): string => {
  const { content } = result as { content: { text: string }[] }; // a tool of the matrix
  return content.map(({ text }) => text).join();
};

/**
 * The 1.x client asks for the latest revision that it knows; it is told another in what it sends.
 */
class OlderTransport extends ClientTransportV1 {
  readonly #revision: Revision;

  constructor(url: URL, headers: Record<string, string>, revision: Revision) {
    super(url, { requestInit: { headers } });
    this.#revision = revision;
  }

  override send(message: JSONRPCMessage | JSONRPCMessage[], options?: object): Promise<void> {
    if (!Array.isArray(message) && "method" in message && message.method === "initialize")
      return super.send({ ...message, params: { ...message.params, protocolVersion: this.#revision } }, options);
    return super.send(message, options);
  }
}

export async function matrixClient(
  kind: (typeof clientKinds)[number],
  url: string,
  headers: Record<string, string>,
  revision: Revision,
): Promise<MatrixClient> {
  const about = { name: "matrix", version: "1" };
  const given = (asked: string | undefined) => (asked === undefined ? {} : { question: asked });
  if (kind === "sdk 1") {
    const client = new ClientV1(about);
    const transport = new OlderTransport(new URL(url), headers, revision);
    await client.connect(transport);
    return {
      agreed: () => transport.protocolVersion,
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, asked) => textOf(await client.callTool({ name, arguments: given(asked) })),
      close: () => client.close(),
    };
  }
  const client = new ClientV2(about, { supportedProtocolVersions: [revision] });
  const transport = new ClientTransportV2(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return {
    agreed: () => client.getNegotiatedProtocolVersion(),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, asked) => textOf(await client.callTool({ name, arguments: given(asked) })),
    close: () => client.close(),
  };
}

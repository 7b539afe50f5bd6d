// A server that speaks both families of revisions at one address: a client of the 2025 family gets
// a session of its own, and one of 2026-07-28 is answered request by request, as the SDK's own
// documentation has it (`isLegacyRequest`).

import { createMcpHandler, isLegacyRequest, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";
import { modernServer } from "./modern-tools.ts";
import { type Endpoint, serveStreaming } from "./relay-serve.ts";
import { MemoryEvents } from "./relay-sessions.ts";

/** One endpoint of two: each request goes to that of its own family. */
export const ofBothFamilies =
  (sessions: Endpoint, stateless: Endpoint): Endpoint =>
  async (request) =>
    (await isLegacyRequest(request.clone())) ? sessions(request) : stateless(request);

const sampling = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 20 });
const said = (text: string) => ({ content: [{ type: "text" as const, text }] });
const question = z.object({ question: z.string() });

/**
 * The tools of modern-tools.ts, and those that only a session allows: what they ask is a request of
 * the server, not a round.
 */
function serverWithSessions(): McpServer {
  const server = modernServer({ waiting: 0, cancelled: 0, released: new Promise(() => {}) });
  const watched = new Set<string>();
  server.server.registerCapabilities({ resources: { subscribe: true }, logging: {} });
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, { mcpReq }) => {
    if (uri === "test://push") await mcpReq.send({ method: "sampling/createMessage", params: sampling(`Of ${uri}?`) });
    else if (uri === "test://aside") await mcpReq.requestSampling(sampling(`Of ${uri}?`));
    else watched.add(uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params }) => (watched.delete(params.uri), {}));
  server.registerTool("push", { description: "Samples on its stream", inputSchema: question }, async (given, { mcpReq }) => {
    const { content } = await mcpReq.send({ method: "sampling/createMessage", params: sampling(given.question) });
    return said(JSON.stringify(content));
  });
  server.registerTool("aside", { description: "Samples beside its stream", inputSchema: question }, async (given, { mcpReq }) => {
    const { content } = await mcpReq.requestSampling(sampling(given.question));
    return said(JSON.stringify(content));
  });
  server.registerTool("elicit", { description: "Asks its client's user" }, async ({ mcpReq }) => {
    const requestedSchema = { type: "object" as const, properties: { confirm: { type: "boolean" as const } } };
    return said(JSON.stringify(await mcpReq.elicitInput({ message: "Is it right?", requestedSchema })));
  });
  server.registerTool("log", { description: "Logs at two levels" }, async ({ mcpReq }) => {
    await mcpReq.log("info", "a detail");
    await mcpReq.log("error", "a failure");
    return said("logged");
  });
  server.registerTool("touch", { description: "Tells who watches" }, async () => {
    for (const uri of watched) await server.server.sendResourceUpdated({ uri });
    return said(JSON.stringify([...watched]));
  });
  server.registerTool("resumed", { description: "Answers on a stream that is resumed" }, async ({ http }) => {
    if (http?.closeSSE === undefined) throw new Error("this stream cannot be resumed");
    http.closeSSE();
    return said("Resumed.");
  });
  return server;
}

export type BothServer = {
  readonly url: string;
  readonly close: () => Promise<void>;
  /** The method of each message, with its family. */
  readonly methods: string[];
  /** The sessions that are open. */
  readonly sessions: () => number;
};

/** Such a server on SDK 2.x, which keeps its sessions and their events. */
export async function serveBoth(): Promise<BothServer> {
  const methods: string[] = [];
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const sessions: Endpoint = async (request) => {
    const id = request.headers.get("Mcp-Session-Id");
    if (id !== null) return (await transports.get(id)?.handleRequest(request)) ?? sessionNotFound();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (begun) => void transports.set(begun, transport),
      onsessionclosed: (ended) => void transports.delete(ended),
      eventStore: new MemoryEvents(),
      retryInterval: 20,
    });
    await serverWithSessions().connect(transport);
    return transport.handleRequest(request);
  };
  const modern = createMcpHandler(serverWithSessions, { legacy: "reject" });
  const counted =
    (family: string, endpoint: Endpoint): Endpoint =>
    async (request) => {
      const text = request.method === "POST" ? await request.clone().text() : "{}";
      methods.push(`${family} ${(JSON.parse(text) as { method?: string }).method ?? request.method}`);
      return endpoint(request);
    };
  const { url, close } = await serveStreaming(
    ofBothFamilies(
      counted("2025", sessions),
      counted("2026", (request) => modern.fetch(request)),
    ),
  );
  return { url: `${url}/mcp`, close, methods, sessions: () => transports.size };
}

const sessionNotFound = (): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }, { status: 404 });

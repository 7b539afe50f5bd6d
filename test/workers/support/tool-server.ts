// An MCP server whose tools are functions of the control endpoint: mcp-server.ts with a list of
// tools and an answer to their calls.

import { type Upstream, type UpstreamCall, configureServers, initializeResult, scriptUpstream, upstreamOrigin } from "./mcp-server.ts";

export const sumTool = {
  name: "sum",
  description: "Adds two numbers",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
};

export type ToolServer = {
  readonly upstream: Upstream;
  tools: readonly object[];
  /** The result of `tools/call`, or the whole answer to it. */
  result: (call: UpstreamCall) => object | Response | Promise<Response>;
  /** The revision that it speaks; "2026-07-28" has no handshake. */
  revision: string;
  /** As one JSON value, or as a stream with other messages before the answer. */
  framing: "json" | "stream";
  /** Replaces the answer to any message before anything else is looked at; undefined leaves it. */
  instead: (call: UpstreamCall) => Response | Promise<Response> | undefined;
  /** What it was asked to run, oldest first: the params of `tools/call`. */
  readonly ran: () => readonly Record<string, unknown>[];
  /** How often it was asked with this method. */
  readonly count: (method: string) => number;
};

export const resultOf = (message: { readonly id?: string | number }, result: object): object => ({
  jsonrpc: "2.0",
  id: message.id,
  result,
});
export const textResult = (text: string, more: object = {}): object => ({ content: [{ type: "text", text }], ...more });

let servers = 0;

/** A server `tools` with the function `sum`, and whatever else `entry` says of it. */
export async function scriptToolServer(entry: object = {}): Promise<ToolServer> {
  const upstream = scriptUpstream();
  const called = (): UpstreamCall[] => upstream.calls.filter(({ message }) => message.method === "tools/call");
  const server: ToolServer = {
    upstream,
    tools: [sumTool],
    result: ({ message }) => {
      const { a, b } = (message.params?.["arguments"] ?? {}) as { a: number; b: number }; // checked by the endpoint
      return textResult(String(a + b));
    },
    revision: "2025-11-25",
    framing: "json",
    instead: () => undefined,
    ran: () => called().map(({ message }) => message.params ?? {}),
    count: (method) => upstream.calls.filter(({ message }) => message.method === method).length,
  };
  upstream.answer = async (call) => (await server.instead(call)) ?? answer(server, call);
  // Each is another entry: what an isolate still knows of the tools of one is not the next one's.
  servers += 1;
  await configureServers({
    tools: { url: `${upstreamOrigin}/mcp`, functions: ["sum"], headers: { "X-Server": String(servers) }, ...entry },
  });
  return server;
}

async function answer(server: ToolServer, call: UpstreamCall): Promise<Response | undefined> {
  const { message } = call;
  switch (message.method) {
    case "initialize":
      return Response.json(resultOf(message, initializeResult(server.revision)), {
        headers: { "Mcp-Session-Id": server.upstream.session },
      });
    case "tools/list":
      return framed(server, resultOf(message, { tools: server.tools }));
    case "tools/call": {
      const result = await server.result(call);
      return result instanceof Response ? result : framed(server, resultOf(message, result));
    }
    default:
      // A notification, or the end of the session.
      if (message.id === undefined) return undefined;
      return Response.json({ jsonrpc: "2.0", id: message.id, error: { code: -32_601, message: "Method not found" } });
  }
}

function framed({ framing }: ToolServer, message: object): Response {
  if (framing === "json") return Response.json(message);
  const said = [{ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "at work" } }, message];
  const text = said.map((each) => `event: message\ndata: ${JSON.stringify(each)}\n\n`).join("");
  return new Response(`: open\n\n${text}`, { headers: { "Content-Type": "text/event-stream" } });
}

// A bare MCP server for the benchmark: it knows one session, and answers each tool call at once, as
// JSON or as a stream. At /2026 it speaks revision 2026-07-28, which has no sessions.

type Message = { readonly id?: unknown; readonly method: string; readonly params?: { readonly name?: string } };

const answers = (id: unknown, more: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { ...more, content: [{ type: "text", text: "The notes of the meeting are ready." }] } });

const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const { id, method, params } = (await request.json()) as Message;
    if (id === undefined) return new Response(null, { status: 202 });
    const isStateless = new URL(request.url).pathname === "/2026";
    if (isStateless && method === "server/discover") return Response.json({ jsonrpc: "2.0", id, result: discovered });
    const more = isStateless ? { resultType: "complete" } : {};
    if (method === "initialize" && !isStateless) {
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "bench", version: "1" } };
      return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "Mcp-Session-Id": "bench" } });
    }
    if (method !== "tools/call") return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } });
    if (params?.name === "json") return new Response(answers(id, more), { headers: { "Content-Type": "application/json" } });
    return new Response(`event: message\nid: 1\ndata: ${answers(id, more)}\n\n`, { headers: { "Content-Type": "text/event-stream" } });
  },
};

// An MCP server over Streamable HTTP whose tool runs only with the receipt of a person's approval.
// The gateway's entry for it says `receipts: true`.

import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { receiptKey, verifyReceipt } from "../../client/sampling-handler.ts";

const issuer = process.env["COUNTERSIGN_URL"] ?? "http://localhost:8787";
const audience = process.env["COUNTERSIGN_SERVER"] ?? "branches";

/** Ids of receipts that were used, until they expire. Several processes need one store for them. */
const used = new Map<string, number>();
function isFirstUse(id: string, until: number): boolean {
  for (const [each, end] of used) if (end < Date.now() / 1000) used.delete(each);
  return !used.has(id) && used.set(id, until).size > 0;
}

/** @param params Of the call as they came: the SDK adds a schema's defaults to the arguments. */
function serverFor(params: unknown): McpServer {
  const server = new McpServer({ name: "branches", version: "1.0.0" });
  const inputSchema = { branch: z.string(), force: z.boolean().default(false) };
  server.registerTool("delete_branch", { description: "Deletes a branch.", inputSchema }, async ({ branch }, { _meta }) => {
    const request = { method: "tools/call", params };
    const verdict = await verifyReceipt(_meta?.[receiptKey], { issuer, audience, request, modes: ["human"], isFirstUse });
    if (!verdict.ok) return { isError: true, content: [{ type: "text", text: `Not run: no receipt of an approval (${verdict.error}).` }] };
    return { content: [{ type: "text", text: `Deleted ${branch}.` }] };
  });
  return server;
}

createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array); // a request without an encoding gives bytes
  const message = JSON.parse(Buffer.concat(chunks).toString() || "{}") as { readonly params?: unknown };
  const transport = new StreamableHTTPServerTransport({});
  await serverFor(message.params).connect(transport as Parameters<McpServer["connect"]>[0]); // its declarations differ in optional members
  await transport.handleRequest(request, response, message);
}).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");

// The same server as ask-server-v1.ts, of SDK 2.x.

import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const server = new McpServer({ name: "ask", version: "1" });
server.registerTool("ask", { inputSchema: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
  const params = { messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 10 };
  const reply = await ctx.mcpReq.send({ method: "sampling/createMessage", params });
  return { content: [{ type: "text", text: JSON.stringify({ reply, client: server.server.getClientCapabilities() }) }] };
});
await server.connect(new StdioServerTransport());

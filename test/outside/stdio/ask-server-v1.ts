// A server of SDK 1.x whose tool asks for a model's reply and says what came, and what the client
// is said to be able to do.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CreateMessageResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const server = new McpServer({ name: "ask", version: "1" });
server.registerTool("ask", { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
  const params = { messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 10 };
  const reply = await extra.sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultSchema);
  return { content: [{ type: "text", text: JSON.stringify({ reply, client: server.server.getClientCapabilities() }) }] };
});
await server.connect(new StdioServerTransport());

// A server whose tool lets a model use tools of the server's own, round after round, until it
// answers in text.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CreateMessageResultWithToolsSchema, type SamplingMessage, type ToolUseContent } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const server = new McpServer({ name: "loop", version: "1" });
const tools = [
  {
    name: "add",
    description: "Adds two numbers.",
    inputSchema: { type: "object" as const, properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  },
];

const sum = ({ input }: ToolUseContent): number => Number(input["a"]) + Number(input["b"]);

server.registerTool("solve", { inputSchema: { task: z.string() } }, async ({ task }, extra) => {
  const messages: SamplingMessage[] = [{ role: "user", content: { type: "text", text: task } }];
  for (let round = 1; ; round += 1) {
    const params = { messages, maxTokens: 200, tools, toolChoice: { mode: "auto" as const } };
    const reply = await extra.sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultWithToolsSchema);
    const content = Array.isArray(reply.content) ? reply.content : [reply.content];
    const uses = content.filter((block): block is ToolUseContent => block.type === "tool_use");
    if (uses.length === 0) {
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
      return { content: [{ type: "text", text: `${text} (round ${round}, ${reply.stopReason})` }] };
    }
    messages.push({ role: "assistant", content });
    messages.push({
      role: "user",
      content: uses.map((use) => ({
        type: "tool_result" as const,
        toolUseId: use.id,
        content: [{ type: "text", text: String(sum(use)) }],
      })),
    });
  }
});

await server.connect(new StdioServerTransport());

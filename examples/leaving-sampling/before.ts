// An MCP server that summarizes text by sampling: its client answers, or a gateway in its client's
// place.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CreateMessageResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { serve } from "./serve.ts";

const TEN_MINUTES = 600_000;
const systemPrompt = "You write short, plain summaries.";

serve(() => {
  const server = new McpServer({ name: "summarize", version: "1.0.0" });
  server.registerTool(
    "summarize",
    { description: "Summarizes a text in one sentence.", inputSchema: { text: z.string() } },
    async ({ text }, { sendRequest }) => {
      const prompt = `Summarize in one sentence:\n\n${text}`;
      const result = await sendRequest(
        {
          method: "sampling/createMessage",
          params: {
            messages: [{ role: "user", content: { type: "text", text: prompt } }],
            systemPrompt,
            maxTokens: 200,
          },
        },
        CreateMessageResultSchema,
        { timeout: TEN_MINUTES },
      );
      const reply = result.content.type === "text" ? result.content.text : "";
      return { content: [{ type: "text", text: reply }] };
    },
  );
  return server;
});

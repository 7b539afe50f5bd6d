// The same server with a gateway's API under /v1: it trades its sampling request for a token, and
// asks with the OpenAI SDK. Where its client gives no token, the request was an ordinary sampling
// request, and its result has the reply.

import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CreateMessageResultSchema } from "@modelcontextprotocol/sdk/types.js";
import OpenAI from "openai";
import { z } from "zod";
import { serve } from "./serve.ts";

const TEN_MINUTES = 600_000;
const systemPrompt = "You write short, plain summaries.";

/**
 * The gateway that tokens are used at: set by who runs this server, and not taken from a client.
 */
const baseURL = process.env["COUNTERSIGN_V1_URL"] ?? "http://localhost:8787/v1";
const tokenField = "countersign/v1Token";
const tokenSchema = z.object({ token: z.string() });

serve(() => {
  const server = new McpServer({ name: "summarize", version: "2.0.0" });
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
            _meta: { [tokenField]: { maxUsd: 0.05 } },
          },
        },
        CreateMessageResultSchema,
        { timeout: TEN_MINUTES },
      );
      const given = tokenSchema.safeParse(result._meta?.[tokenField]);
      if (given.success) {
        const openai = new OpenAI({ apiKey: given.data.token, baseURL, timeout: TEN_MINUTES });
        const messages = [
          { role: "system" as const, content: systemPrompt },
          { role: "user" as const, content: prompt },
        ];
        const { choices } = await openai.chat.completions.create(
          { model: "auto", messages, max_completion_tokens: 200 },
          // A second try of the SDK finds the first one's review.
          { headers: { "Idempotency-Key": randomUUID() } },
        );
        const [choice] = choices;
        if (choice?.message.refusal != null) throw new Error(choice.message.refusal);
        return { content: [{ type: "text", text: choice?.message.content ?? "" }] };
      }
      const reply = result.content.type === "text" ? result.content.text : "";
      return { content: [{ type: "text", text: reply }] };
    },
  );
  return server;
});

// The moved server on SDK 2.x, for clients of revision 2026-07-28: the request for the token is an
// input of the tool's first round.

import { inputRequired, inputResponse, McpServer } from "@modelcontextprotocol/server";
import OpenAI from "openai";
import { z } from "zod";

const TEN_MINUTES = 600_000;
const systemPrompt = "You write short, plain summaries.";
const tokenField = "countersign/v1Token";
const tokenSchema = z.object({ token: z.string() });

/** The server, without a transport. `baseURL`: the gateway that tokens are used at. */
export function summarizeServer(baseURL: string): McpServer {
  const server = new McpServer({ name: "summarize", version: "2.0.0" });
  server.registerTool(
    "summarize",
    { description: "Summarizes a text in one sentence.", inputSchema: z.object({ text: z.string() }) },
    async ({ text }, { mcpReq }) => {
      const prompt = `Summarize in one sentence:\n\n${text}`;
      const view = inputResponse(mcpReq.inputResponses, "reply");
      if (view.kind !== "sampling") {
        const reply = inputRequired.createMessage({
          messages: [{ role: "user", content: { type: "text", text: prompt } }],
          systemPrompt,
          maxTokens: 200,
          // Inside a result a request has no _meta.
          metadata: { [tokenField]: { maxUsd: 0.05 } },
        });
        return inputRequired({ inputRequests: { reply } });
      }
      const { content, _meta } = view.result;
      const given = tokenSchema.safeParse(_meta?.[tokenField]);
      if (given.success) {
        const openai = new OpenAI({ apiKey: given.data.token, baseURL, timeout: TEN_MINUTES });
        const messages = [
          { role: "system" as const, content: systemPrompt },
          { role: "user" as const, content: prompt },
        ];
        const { choices } = await openai.chat.completions.create(
          { model: "auto", messages, max_completion_tokens: 200 },
          // A second try of the SDK finds the first one's review.
          { headers: { "Idempotency-Key": crypto.randomUUID() } },
        );
        const [choice] = choices;
        if (choice?.message.refusal != null) throw new Error(choice.message.refusal);
        return { content: [{ type: "text", text: choice?.message.content ?? "" }] };
      }
      const [block] = [content].flat();
      return { content: [{ type: "text", text: block?.type === "text" ? block.text : "" }] };
    },
  );
  return server;
}

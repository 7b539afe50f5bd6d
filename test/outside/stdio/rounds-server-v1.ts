// A server of SDK 1.x that samples in the ways of modern-tools.ts, by requests to its client.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  type CreateMessageRequestParams,
  CreateMessageResultWithToolsSchema,
  ElicitResultSchema,
  type SamplingMessage,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const server = new McpServer({ name: "rounds", version: "1" });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const said = (text: string) => ({ content: [{ type: "text" as const, text }] });

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Send = (messages: SamplingMessage[], more?: Partial<CreateMessageRequestParams>) => Promise<SamplingMessage>;
const sender =
  ({ sendRequest }: Extra): Send =>
  async (messages, more = {}) => {
    const params = { messages, maxTokens: 100, ...more };
    const { role, content } = await sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultWithToolsSchema);
    return { role, content };
  };
const asked = (text: string): SamplingMessage => ({ role: "user", content: { type: "text", text } });
const blocksOf = ({ content }: SamplingMessage) => [content].flat();
const textOf = (message: SamplingMessage): string =>
  blocksOf(message)
    .map((block) => (block.type === "text" ? block.text : JSON.stringify(block)))
    .join("");

function register(name: string, work: (question: string, send: Send, extra: Extra) => Promise<string>): void {
  server.registerTool(name, { inputSchema: { question: z.string() } }, async ({ question }, extra) =>
    said(await work(question, sender(extra), extra)),
  );
}

register("ask", async (question, send) => textOf(await send([asked(question)])));
register("ask-image", async (question, send) =>
  textOf(
    await send([
      {
        role: "user",
        content: [
          { type: "text", text: question },
          { type: "image", data: pixel, mimeType: "image/png" },
        ],
      },
    ]),
  ),
);
register("ask-two", async (question, send) => {
  const replies = await Promise.all(["first", "second"].map((each) => send([asked(`${question} (${each})`)])));
  return JSON.stringify(replies.map(textOf));
});
register("ask-five", async (question, send) => {
  const replies: string[] = [];
  for (const round of [1, 2, 3, 4, 5]) replies.push(textOf(await send([asked(`${question} (round ${round})`)])));
  return JSON.stringify(replies);
});
register("ask-and-elicit", async (question, send, { sendRequest }) => {
  const requestedSchema = { type: "object" as const, properties: { confirm: { type: "boolean" as const } }, required: ["confirm"] };
  const params = { message: "Is the question right?", requestedSchema };
  const [reply, form] = await Promise.all([
    send([asked(question)]),
    sendRequest({ method: "elicitation/create", params }, ElicitResultSchema),
  ]);
  return JSON.stringify({ reply: textOf(reply), action: form.action, content: form.content });
});
register("ask-tools", async (question, send) => {
  const tools = [
    {
      name: "weather",
      description: "The weather of a city",
      inputSchema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
    },
  ];
  const messages = [asked(question)];
  for (let round = 1; ; round += 1) {
    const reply = await send(messages, { tools, toolChoice: { mode: "auto" } });
    const uses = blocksOf(reply).flatMap((block) => (block.type === "tool_use" ? [block] : []));
    if (uses.length === 0) return JSON.stringify({ round, content: blocksOf(reply) });
    const results = uses.map(({ id, input }) => ({
      type: "tool_result" as const,
      toolUseId: id,
      content: [{ type: "text" as const, text: `Sunny: ${JSON.stringify(input)}` }],
    }));
    messages.push(reply, { role: "user", content: results });
  }
});

await server.connect(new StdioServerTransport());

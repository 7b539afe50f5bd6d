// The smallest tool of xmcp that asks for sampling as revision 2026-07-28 does: in a round of input. xmcp builds the servers around it.

import { inputRequired, inputResponse } from "@modelcontextprotocol/server";

export const schema = {};
export const metadata = { name: "ask", description: "Asks the client's model" };

const params = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "Say hello." } }], maxTokens: 50 };

export default function ask(_given: unknown, extra: { inputResponses?: Record<string, unknown> }): unknown {
  const reply = inputResponse(extra.inputResponses, "reply");
  if (reply.kind !== "sampling") return inputRequired({ inputRequests: { reply: inputRequired.createMessage(params) } });
  return { content: [{ type: "text", text: JSON.stringify(reply.result.content) }] };
}

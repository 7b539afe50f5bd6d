// The smallest server of mcp-use whose tool asks for sampling as revision 2026-07-28 does: in a round of input.
import { inputRequired, inputResponse, MCPServer } from "mcp-use";

const params = { messages: [{ role: "user", content: { type: "text", text: "Say hello." } }], maxTokens: 50 };
const server = new MCPServer({ name: "mcp-use", version: "1.0.0" });
server.tool({ name: "ask", description: "Asks the client's model" }, (_given, context) => {
  const reply = inputResponse(context.inputResponses, "reply");
  if (reply.kind !== "sampling") return inputRequired({ inputRequests: { reply: inputRequired.createMessage(params) } });
  return { content: [{ type: "text", text: JSON.stringify(reply.result.content) }] };
});
await server.listen(Number(process.env.PORT));

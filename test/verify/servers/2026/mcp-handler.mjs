// The smallest server of mcp-handler whose tool asks for sampling as revision 2026-07-28 does: in a round of input.
import { createServer } from "node:http";
import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { createMcpHandler } from "mcp-handler";

const params = { messages: [{ role: "user", content: { type: "text", text: "Say hello." } }], maxTokens: 50 };
const handler = createMcpHandler((server) => {
  server.registerTool("ask", { description: "Asks the client's model" }, ({ mcpReq }) => {
    const reply = inputResponse(mcpReq.inputResponses, "reply");
    if (reply.kind !== "sampling") return inputRequired({ inputRequests: { reply: inputRequired.createMessage(params) } });
    return { content: [{ type: "text", text: JSON.stringify(reply.result.content) }] };
  });
});

// It is a function from a request to a response: what serves it is up to its user.
const server = createServer(async (incoming, outgoing) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
  const request = new Request(`http://127.0.0.1${incoming.url}`, { method: incoming.method, headers: incoming.headers, ...body });
  const response = await handler(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const piece of response.body ?? []) outgoing.write(piece);
  outgoing.end();
});
server.listen(Number(process.env.PORT), "127.0.0.1");

// The tools on mcp-handler.
import { createServer } from "node:http";
import { createMcpHandler } from "mcp-handler";
import { z } from "zod";
import { tools } from "./rounds.mjs";

const handler = createMcpHandler((server) => {
  for (const [name, run] of Object.entries(tools))
    server.registerTool(name, { description: name, inputSchema: z.object({ question: z.string() }) }, ({ question }, { mcpReq }) =>
      run(question, mcpReq.inputResponses, mcpReq.requestState?.()),
    );
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

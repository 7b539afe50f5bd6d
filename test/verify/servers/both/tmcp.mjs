// The tools on tmcp, which speaks both families: a call to the client is a request of a session, or
// a round of input that runs the tool again.
import { createServer } from "node:http";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { HttpTransport } from "@tmcp/transport-http";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import { z } from "zod";
import { tools } from "../asks.mjs";

const about = { name: "tmcp", version: "1.0.0", description: "The tools on tmcp" };
const server = new McpServer(about, { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } });
const confirmed = z.object({ confirm: z.boolean() });
for (const [name, run] of Object.entries(tools))
  server.tool({ name, description: name, schema: z.object({ question: z.string() }), replayable: true }, async ({ question }) => {
    const sample = (params, key) => server.message(params, { key });
    const elicit = ({ message }, key) => server.elicitation(message, confirmed, { key });
    return { content: [{ type: "text", text: await run(question, { sample, elicit }) }] };
  });

if (process.argv[2] === "stdio") new StdioTransport(server).listen();
else {
  const transport = new HttpTransport(server);
  const respond = async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 });
  createServer(createRequestListener(respond)).listen(Number(process.env.PORT), "127.0.0.1");
}

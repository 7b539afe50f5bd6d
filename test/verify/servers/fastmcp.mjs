// The tools on the fastmcp framework.
import { FastMCP } from "fastmcp";
import { z } from "zod";
import { tools } from "./asks.mjs";

const server = new FastMCP({ name: "fastmcp", version: "1.0.0" });
for (const [name, run] of Object.entries(tools))
  server.addTool({
    name,
    description: name,
    parameters: z.object({ question: z.string() }),
    execute: async ({ question }, { sessionId }) => {
      // Over stdio there is one session, without an id; it is listed a moment after its client was
      // answered.
      const find = () => (sessionId === undefined ? server.sessions[0] : server.sessions.find((each) => each.sessionId === sessionId));
      while (find() === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
      const session = find();
      const sample = (params) => session.requestSampling(params, { timeout: 120_000 });
      return run(question, { sample, elicit: session.requestElicitation?.bind(session) });
    },
  });
const port = Number(process.env.PORT);
await server.start(process.argv[2] === "stdio" ? { transportType: "stdio" } : { transportType: "httpStream", httpStream: { port } });

// The tools on mcp-use.
import { MCPServer } from "mcp-use";
import { z } from "zod";
import { tools } from "./rounds.mjs";

const server = new MCPServer({ name: "mcp-use", version: "1.0.0" });
for (const [name, run] of Object.entries(tools))
  server.tool({ name, description: name, schema: z.object({ question: z.string() }) }, ({ question }, context) =>
    run(question, context.inputResponses, typeof context.requestState === "function" ? context.requestState() : context.requestState),
  );
await server.listen(Number(process.env.PORT));

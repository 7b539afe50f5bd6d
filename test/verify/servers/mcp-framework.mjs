// The tools on mcp-framework.
import { MCPServer, MCPTool } from "mcp-framework";
import { z } from "zod";
import { tools } from "./asks.mjs";

const toolClass = (name, run) =>
  class extends MCPTool {
    name = name;
    description = name;
    schema = z.object({ question: z.string().describe("What to ask") });

    async execute({ question }) {
      const sample = (params) => this.samplingRequest(params, { timeout: 120_000 });
      return run(question, { sample, elicit: undefined });
    }
  };

const transport = process.argv[2] === "stdio" ? { type: "stdio" } : { type: "http-stream", options: { port: Number(process.env.PORT) } };
const server = new MCPServer({ name: "mcp-framework", version: "1.0.0", transport });
for (const [name, run] of Object.entries(tools)) server.addTool(toolClass(name, run));
await server.start();

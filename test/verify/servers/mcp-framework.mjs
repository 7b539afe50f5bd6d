// The smallest server of mcp-framework whose tool asks for sampling by the framework's own call.
import { MCPServer, MCPTool } from "mcp-framework";
import { z } from "zod";

class Ask extends MCPTool {
  name = "ask";
  description = "Asks the client's model";
  schema = z.object({ about: z.string().describe("What to ask about") });

  async execute() {
    const reply = await this.samplingRequest({
      messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
      maxTokens: 50,
    });
    return JSON.stringify(reply.content);
  }
}

const transport = process.argv[2] === "stdio" ? { type: "stdio" } : { type: "http-stream", options: { port: Number(process.env.PORT) } };
const server = new MCPServer({ name: "mcp-framework", version: "1.0.0", transport });
server.addTool(Ask);
await server.start();

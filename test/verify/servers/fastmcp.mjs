// The smallest server of the fastmcp framework whose tool asks for sampling by the framework's own call.
import { FastMCP } from "fastmcp";

const server = new FastMCP({ name: "fastmcp", version: "1.0.0" });
server.addTool({
  name: "ask",
  description: "Asks the client's model",
  execute: async (_args, { sessionId }) => {
    // Over stdio there is one session, without an id; it is listed a moment after its client was answered.
    const find = () => (sessionId === undefined ? server.sessions[0] : server.sessions.find((each) => each.sessionId === sessionId));
    while (find() === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    const session = find();
    const reply = await session.requestSampling({
      messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
      maxTokens: 50,
    });
    return JSON.stringify(reply.content);
  },
});
const port = Number(process.env.PORT);
await server.start(process.argv[2] === "stdio" ? { transportType: "stdio" } : { transportType: "httpStream", httpStream: { port } });

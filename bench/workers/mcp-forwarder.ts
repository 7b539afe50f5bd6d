// A relay without features, for comparison: Hono parses the message and forwards it, and passes the
// answer on as it comes.

import { Hono } from "hono";

const app = new Hono<{ Bindings: { SERVER: string } }>();

app.post("/mcp", async (c) => {
  const message = await c.req.json<object>();
  const headers = new Headers({ "Content-Type": "application/json" });
  for (const name of ["Accept", "Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"]) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const answer = await fetch(c.env.SERVER, { method: "POST", headers, body: JSON.stringify(message) });
  return new Response(answer.body, answer);
});

export default app;

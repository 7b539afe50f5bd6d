// A gateway without features, for comparison: Hono parses and forwards the body, and passes the answer on.

import { Hono } from "hono";

const app = new Hono<{ Bindings: { PROVIDER: string } }>();

app.post("/chat", async (c) => {
  const body = await c.req.json<object>();
  const answer = await fetch(`${c.env.PROVIDER}/v1/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer k" },
    body: JSON.stringify(body),
  });
  return c.json(await answer.json());
});

export default app;

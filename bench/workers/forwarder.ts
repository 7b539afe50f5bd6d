// A gateway without features, for comparison: Hono parses and forwards the body, and passes the
// answer on. A stream is passed on as it comes.

import { Hono } from "hono";

const app = new Hono<{ Bindings: { PROVIDER: string } }>();

app.post("/chat", async (c) => {
  const body = await c.req.json<{ stream?: boolean }>();
  const answer = await fetch(`${c.env.PROVIDER}/v1/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer k" },
    body: JSON.stringify(body),
  });
  if (body.stream === true) return new Response(answer.body, { headers: { "Content-Type": "text/event-stream" } });
  return c.json(await answer.json());
});

export default app;

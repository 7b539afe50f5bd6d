// The same through the `openai` client, made once.

import { Hono } from "hono";
import OpenAI from "openai";

const app = new Hono<{ Bindings: { PROVIDER: string } }>();
let client: OpenAI | undefined;

app.post("/chat", async (c) => {
  client ??= new OpenAI({ apiKey: "k", baseURL: `${c.env.PROVIDER}/v1`, maxRetries: 0 });
  const body = await c.req.json<OpenAI.ChatCompletionCreateParamsNonStreaming>();
  return c.json(await client.chat.completions.create(body));
});

export default app;

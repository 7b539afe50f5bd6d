// The mock provider of the benchmark: one fixed Chat Completions answer, as cheaply as workerd can
// give it. As a stream, its first token comes at once and the other pieces a few milliseconds
// later.

const chunkFacts = { id: "chatcmpl-1", created: 1, model: "mock-1" };
const pieces = ["Paris", " is", " the", " capital", " of", " France."];
const usage = { prompt_tokens: 24, completion_tokens: 8, total_tokens: 32 };
const body = JSON.stringify({
  ...chunkFacts,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: pieces.join(""), refusal: null }, logprobs: null, finish_reason: "stop" }],
  usage,
});

const event = (data: object): string => `data: ${JSON.stringify({ ...chunkFacts, object: "chat.completion.chunk", ...data })}\n\n`;
const delta = (content: string): string => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const [first = "", ...others] = pieces;
const start = event({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }) + delta(first);
const rest =
  others.map(delta).join("") +
  event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  event({ choices: [], usage }) +
  "data: [DONE]\n\n";
const restAfterMs = 5;

function streamed(): Response {
  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = async (): Promise<void> => {
    await writer.write(encoder.encode(start));
    await new Promise((resolve) => setTimeout(resolve, restAfterMs));
    await writer.write(encoder.encode(rest));
    await writer.close();
  };
  // A caller that leaves ends the stream.
  write().catch(() => {});
  return new Response(readable, { headers: { "Content-Type": "text/event-stream" } });
}

export default {
  async fetch(request: Request, { DELAY_MS }: { readonly DELAY_MS: string }): Promise<Response> {
    const asked = await request.text();
    if (asked.includes('"stream":true')) return streamed();
    if (DELAY_MS !== "0") await new Promise((resolve) => setTimeout(resolve, Number(DELAY_MS)));
    return new Response(body, { headers: { "Content-Type": "application/json" } });
  },
};

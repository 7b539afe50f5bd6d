// The mock provider of the benchmark: one fixed Chat Completions answer, as cheaply as workerd can give it.

const body = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "mock-1",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Paris is the capital of France.", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 24, completion_tokens: 8, total_tokens: 32 },
});

export default {
  async fetch(request: Request): Promise<Response> {
    await request.text();
    return new Response(body, { headers: { "Content-Type": "application/json" } });
  },
};

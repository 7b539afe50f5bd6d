import { describe, expect, test } from "vitest";
import type { Envelope, Turn } from "../../../../shared/wire/control/envelope.ts";
import { choiceRequest, embeddingRequest, generationRequest } from "../../../../shared/wire/control/neutral.ts";
import { jsonSentence } from "../../../../shared/wire/json-sentence.ts";
import { parseEnvelope } from "../../../../shared/wire/control/read-envelope.ts";
import { edited, envelopes } from "./envelopes.ts";

const p = "/task/parameters";

/** Read as the endpoint reads it, so that no request is made of what is none. */
function read<T extends Envelope["task"]["type"]>(
  type: T,
  value: unknown,
): Envelope & { readonly task: Extract<Envelope["task"], { type: T }> } {
  const parsed = parseEnvelope(value);
  if (!parsed.ok || parsed.value.task.type !== type) throw new Error(JSON.stringify(parsed));
  return { ...parsed.value, task: parsed.value.task as Extract<Envelope["task"], { type: T }> };
}

const history: readonly Turn[] = [
  { role: "system", content: "s1" },
  { role: "user", content: "u1" },
  { role: "assistant", content: "a1" },
  { role: "system", content: "s2" },
];
const said = (role: "user" | "assistant", text: string) => ({ role, content: [{ type: "text", text }] });
const asked = { namedModel: { name: "m" }, modelPreferences: { hints: [{ name: "m" }] } };

describe("text generation becomes a request", () => {
  test("of the prompt alone, and of nothing that was not asked for", () => {
    const request = generationRequest(read("text_generation", envelopes.text), { history: [] });
    expect(request).toEqual({ kind: "chat", ...asked, messages: [said("user", "p")], maxTokens: 512 });
  });

  test("with every parameter, the history before the prompt, and system messages in order behind the system prompt", () => {
    const parameters = { prompt: "p", max_tokens: 9, temperature: 0, top_p: 0, top_k: 3, stop: ["x"], response_format: "json" };
    const envelope = edited(edited(envelopes.text, p, parameters), "/context", { system_prompt: "s0" });
    const model = { name: "m", version: "2", provider: "q" };
    const request = generationRequest(read("text_generation", edited(envelope, "/model", model)), { history });
    expect(request).toEqual({
      kind: "chat",
      namedModel: model,
      modelPreferences: { hints: [{ name: "m" }] },
      messages: [said("user", "u1"), said("assistant", "a1"), said("user", "p")],
      systemPrompt: `s0\n\ns1\n\ns2\n\n${jsonSentence}`,
      maxTokens: 9,
      temperature: 0,
      topP: 0,
      topK: 3,
      stopSequences: ["x"],
      responseFormat: { type: "json" },
    });
  });

  test("without a system prompt where there is only an empty one", () => {
    const envelope = read("text_generation", edited(envelopes.text, "/context", { system_prompt: "" }));
    expect(generationRequest(envelope, { history: [{ role: "system", content: "" }] })).not.toHaveProperty("systemPrompt");
  });

  test("whose images stand before the prompt, in their order", () => {
    const images = [
      { data: "aGk=", mimeType: "image/png" },
      { data: "aG8=", mimeType: "image/gif" },
    ];
    const request = generationRequest(read("multimodal_generation", envelopes.multimodal), { history, images });
    expect(request.messages.at(-1)).toEqual({
      role: "user",
      content: [...images.map((image) => ({ type: "image", ...image })), { type: "text", text: "p" }],
    });
    expect(request.messages).toHaveLength(3);
  });
});

test("texts to embed become one message each, in order", () => {
  expect(embeddingRequest(read("embedding", envelopes.embedding))).toEqual({
    ...asked,
    kind: "embedding",
    messages: [said("user", "a"), said("user", "b")],
  });
});

describe("functions that a model chooses among", () => {
  const functions = [
    { name: "f", description: "d", parameters: { properties: { a: { type: "string" } }, required: ["a"] } },
    { name: "g" },
  ];

  test("become tools, one of which has to be used", () => {
    const request = choiceRequest(read("function_call", edited(envelopes.choice, `${p}/functions`, functions)), { history });
    expect(request).toEqual({
      kind: "chat",
      ...asked,
      messages: [said("user", "u1"), said("assistant", "a1"), said("user", "p")],
      systemPrompt: "s1\n\ns2",
      maxTokens: 2_048,
      tools: [
        { name: "f", description: "d", inputSchema: { properties: { a: { type: "string" } }, required: ["a"], type: "object" } },
        { name: "g", inputSchema: { type: "object" } },
      ],
      toolChoice: "required",
    });
  });

  test("are chosen for the history where there is no prompt", () => {
    const without = edited(edited(envelopes.choice, `${p}/prompt`, undefined), "/context", { history });
    expect(choiceRequest(read("function_call", without), { history }).messages).toEqual([said("user", "u1"), said("assistant", "a1")]);
  });
});

test("no credential and no name of the request gets into any of them", () => {
  const secret = { api_key: "secret-key", token: "secret-token" };
  const withAuth = (value: unknown): unknown => edited(edited(value, "/auth", secret), "/request_id", "secret-id");
  const requests = [
    generationRequest(read("text_generation", withAuth(envelopes.text)), { history }),
    embeddingRequest(read("embedding", withAuth(envelopes.embedding))),
    choiceRequest(read("function_call", withAuth(envelopes.choice)), { history }),
  ];
  expect(JSON.stringify(requests)).not.toContain("secret");
});

// Candidates and arbitrary neutral requests for tests of the providers.

import type { ModelCall } from "../../../shared/provider/model-call.ts";
import * as fc from "fast-check";
import type { Block, Message, ChatRequest, ToolResultBlock } from "../../../shared/model/sampling.ts";
import type { Candidate } from "../../../shared/routing/choose.ts";
import { pdf } from "../pdf-file.ts";
import { defaultModel } from "../model-why.ts";
import { routingTableSchema, type Model, type Provider } from "../../../shared/routing/table.ts";

/** A candidate that takes everything, with the changes given. */
export function candidate(kind: Provider["kind"], model: Partial<Model> = {}, provider: Partial<Provider> = {}): Candidate {
  const table = routingTableSchema.parse({
    providers: { p: { kind, secret: "PROVIDER_KEY", allowPrivate: true } },
    models: [
      {
        id: "model-1",
        provider: "p",
        name: "vendor/model-1",
        accepts: ["text", "image", "audio", "pdf"],
        tools: true,
        contextTokens: 200_000,
        maxOutputTokens: 64_000,
        price: { inputPerMTok: 1, outputPerMTok: 2 },
        scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 },
      },
    ],
  });
  const [first] = table.models;
  const known = table.providers["p"];
  if (first === undefined || known === undefined) throw new Error("no model");
  return { model: { ...first, ...model }, provider: { ...known, ...provider }, why: defaultModel, worstCostUsd: 0.01 };
}

export const user = (...content: Block[]): Message => ({ role: "user", content });
export const assistant = (...content: Block[]): Message => ({ role: "assistant", content });
export const text = (value: string): Block => ({ type: "text", text: value });

export const request = (changes: Partial<ChatRequest> = {}): ChatRequest => ({
  kind: "chat",
  messages: [user(text("How high is the tower?"))],
  maxTokens: 100,
  ...changes,
});

export const callOf = (kind: Provider["kind"], changes: Partial<ChatRequest> = {}, model: Partial<Model> = {}): ModelCall => ({
  request: request(changes),
  candidate: candidate(kind, model),
});

export const weather = {
  name: "weather",
  description: "The weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** One round of the tool loop: a question, one use for each result, the results. */
export const round = (...results: ToolResultBlock[]): Message[] => [
  user(text("What is the weather?")),
  assistant(...results.map((result): Block => ({ type: "tool_use", id: result.toolUseId, name: "weather", input: { city: "Oslo" } }))),
  user(...results),
];

export const png = "iVBORw0KGgo=";

/** A mark of letters that no translation has a reason to change, so that it can be looked for. */
const mark = fc.integer({ min: 0, max: 2 ** 30 }).map((number) => `m${number.toString(36)}x`);
const words = fc
  .tuple(fc.string({ unit: "grapheme", maxLength: 30 }), mark, fc.string({ maxLength: 10 }))
  .map(([a, b, c]) => `${a} ${b}${c}`);
const image = fc
  .constantFrom("image/png", "image/jpeg", "IMAGE/GIF", "image/jpg; q=1")
  .map((mimeType): Block & { type: "image" } => ({ type: "image", data: png, mimeType }));
const audio = fc
  .constantFrom("audio/wav", "audio/mpeg")
  .map((mimeType): Block & { type: "audio" } => ({ type: "audio", data: "UklGRg==", mimeType }));
const pdfBlock = fc
  .option(words, { nil: undefined })
  .map((name): Block => ({ type: "pdf", data: pdf, ...(name === undefined ? {} : { name }) }));
/** Now and then a text that says nothing, which one of the APIs refuses. */
const blank = fc.constantFrom("", " ", "\n\t");
const textBlock = fc
  .oneof({ weight: 5, arbitrary: words }, { weight: 1, arbitrary: blank })
  .map((value): Block & { type: "text" } => ({ type: "text", text: value }));

const resource = fc.oneof(
  words.map((value) => ({ type: "resource" as const, resource: { uri: "file:///a", text: value } })),
  fc.constant({ type: "resource" as const, resource: { uri: "file:///b", mimeType: "image/png", blob: png } }),
  words.map((name) => ({ type: "resource_link" as const, uri: "https://example.com/c", name })),
);

/**
 * Any request that keeps the protocol's rules; with `audio`, sounds too. Tool rounds are complete
 * and their ids unique.
 */
export function anyRequest(options: { audio: boolean }): fc.Arbitrary<ChatRequest> {
  const media = options.audio ? fc.oneof(image, audio) : image;
  const result = fc.record(
    {
      content: fc.array(fc.oneof(textBlock, media, resource), { maxLength: 3 }),
      structuredContent: fc.dictionary(fc.string({ maxLength: 5 }), fc.oneof(words, fc.integer(), fc.boolean()), { maxKeys: 2 }),
      isError: fc.boolean(),
    },
    { requiredKeys: ["content"] },
  );
  const name = fc.oneof(fc.constantFrom("weather", "maps.route", "a/b"), fc.string({ minLength: 1, maxLength: 90, size: "max" }));
  const toolRound = fc.array(fc.record({ id: fc.oneof(mark, fc.string({ minLength: 1, maxLength: 60, size: "max" })), name, result }), {
    minLength: 1,
    maxLength: 3,
  });
  const turn = fc.oneof(
    fc.array(fc.oneof(textBlock, media, pdfBlock), { minLength: 1, maxLength: 3 }).map((content) => [user(...content)]),
    fc.array(textBlock, { minLength: 1, maxLength: 2 }).map((content) => [assistant(...content)]),
    toolRound.map((uses) => [
      assistant(...uses.map(({ id, name: tool }): Block => ({ type: "tool_use", id, name: tool, input: { q: 1 } }))),
      user(...uses.map(({ id, result: given }): Block => ({ type: "tool_result", toolUseId: id, ...given }))),
    ]),
  );
  const rest = fc.record(
    {
      maxTokens: fc.integer({ min: 1, max: 200_000 }),
      systemPrompt: fc.oneof(fc.constant(""), words),
      temperature: fc.double({ min: -1, max: 5, noNaN: true }),
      topP: fc.double({ min: 0, max: 1, noNaN: true }),
      topK: fc.integer({ min: 1, max: 500 }),
      stopSequences: fc.array(fc.oneof(fc.string({ maxLength: 5 }), fc.constant(" ")), { maxLength: 8 }),
      metadata: fc.dictionary(fc.constantFrom("user_id", "trace", "other"), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
      tools: fc.uniqueArray(name, { maxLength: 3 }).map((names) => names.map((tool) => ({ name: tool, inputSchema: { type: "object" } }))),
      toolChoice: fc.constantFrom("auto" as const, "required" as const, "none" as const),
    },
    { requiredKeys: ["maxTokens"] },
  );
  return fc
    .tuple(fc.array(turn, { minLength: 1, maxLength: 4 }), rest)
    .map(([turns, fields]) => distinctIds({ kind: "chat", ...fields, messages: turns.flat() } as ChatRequest));
}

/** Ids are unique in a valid request. */
function distinctIds(given: ChatRequest): ChatRequest {
  let round = 0;
  const messages = given.messages.map((message) => {
    if (message.content.some((block) => block.type === "tool_use")) round += 1;
    return {
      role: message.role,
      content: message.content.map((block, at): Block => {
        if (block.type === "tool_use") return { ...block, id: `${block.id}-${round}-${at}` };
        return block.type === "tool_result" ? { ...block, toolUseId: `${block.toolUseId}-${round}-${at}` } : block;
      }),
    };
  });
  return { ...given, messages };
}

/** Every mark in a request's own text. */
export const marksOf = (value: unknown): string[] => JSON.stringify(value).match(/m[0-9a-z]+x/g) ?? [];

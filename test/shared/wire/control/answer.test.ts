import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { controlAnswer, handedBackAnswer, refusalControlAnswer } from "../../../../shared/wire/control/answer.ts";
import { answerJsonSchema } from "../../../../shared/wire/control/answer-schema.ts";
import { callOf, chosenIn, endedCall, validatedCall } from "../../../../shared/wire/control/answered-call.ts";
import type { Envelope } from "../../../../shared/wire/control/envelope.ts";
import { parseEnvelope } from "../../../../shared/wire/control/read-envelope.ts";
import { statusOf, statusWord } from "../../../../shared/wire/status.ts";
import { describeOutcome, describeRefusal } from "../../../../shared/wire/describe.ts";
import type { Outcome, Refusal, RunMeta } from "../../../../shared/model/outcome.ts";
import type { ReplyBlock, ChatRequest, SamplingRequest } from "../../../../shared/model/sampling.ts";
import type { Note } from "../../../../shared/model/call.ts";
import { completed } from "../../../../shared/run/run-outcome.ts";
import { edited, envelopes } from "./envelopes.ts";

const published = new Ajv2020({ strict: false, validateFormats: false }).compile(answerJsonSchema);

function read(value: unknown): Envelope {
  const parsed = parseEnvelope(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

const meta: RunMeta = {
  id: "run-1",
  model: { id: "p/m", why: "It was asked for." },
  edited: { request: false, response: true },
  usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.5 },
};
const plain: ChatRequest = { kind: "chat", messages: [{ role: "user", content: [{ type: "text", text: "p" }] }], maxTokens: 1 };

/** What the pipeline answers where a model replied with these blocks. */
const replied = (content: ReplyBlock[], request: SamplingRequest = plain, more: Partial<RunMeta> = {}): Outcome =>
  completed({ content, model: "m-1", stopReason: "endTurn" }, request, { ...meta, ...more });
const text = (said: string): ReplyBlock => ({ type: "text", text: said });

/** As the endpoint gives it; of the shape that is published. */
function answerOf(value: unknown, outcome: Outcome, more: object = {}) {
  const given = controlAnswer(outcome, { envelope: read(value), ...more });
  expect([published(given), published.errors]).toEqual([true, null]);
  return given;
}

test("an answer names its request, the model that was asked for and the one that answered, what was used, and what people changed", () => {
  const model = { name: "m", version: "2", provider: "q" };
  expect(answerOf(edited({ ...envelopes.text, colour: 1 }, "/model", model), replied([text("a"), text("b")]))).toEqual({
    protocol_version: "1.0",
    request_id: "r-1",
    status: "completed",
    model: { id: "p/m", name: "m-1", requested: model, why: "It was asked for." },
    result: { type: "text_generation", text: "ab", stop_reason: "end_turn" },
    usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost_usd: 0.5 },
    run: "run-1",
    edited: { request: false, response: true },
    notes: ["Ignored: /colour, which this version and task do not use."],
  });
});

test("the usage has what the provider read from and wrote to its cache, where it said so", () => {
  const usage = { inputTokens: 30, outputTokens: 4, cachedInputTokens: 10, cacheWriteTokens: 15, costUsd: 0.5 };
  expect(answerOf(envelopes.text, replied([text("a")], plain, { usage }))["usage"]).toEqual({
    input_tokens: 30,
    output_tokens: 4,
    total_tokens: 34,
    cached_input_tokens: 10,
    cache_write_tokens: 15,
    cost_usd: 0.5,
  });
});

describe("the result of", () => {
  const result = (value: unknown, outcome: Outcome, more = {}) => answerOf(value, outcome, more)["result"];
  const json = edited(envelopes.text, "/task/parameters/response_format", "json");

  test("text that was to be JSON holds the value, and only the text where a reviewer made it something else", () => {
    expect(result(json, replied([text('{"a":[1]}')]))).toMatchObject({ text: '{"a":[1]}', json: { a: [1] } });
    expect(result(json, replied([text("null")]))).toMatchObject({ json: null });
    expect(result(json, replied([text("no, {")]))).toEqual({ type: "text_generation", text: "no, {", stop_reason: "end_turn" });
  });

  test("images and a prompt is text", () => {
    expect(result(envelopes.multimodal, replied([text("a cat")]))).toMatchObject({ type: "multimodal_generation", text: "a cat" });
  });

  test("no block at all is an empty text", () => {
    expect(result(envelopes.text, replied([]))).toMatchObject({ text: "" });
  });

  test("a translation is its text, with the language that was named, or found out, or null", () => {
    const unnamed = edited(envelopes.translation, "/task/parameters/source_lang", undefined);
    const reply = (said: object) => replied([text(JSON.stringify(said))]);
    const expected = { type: "translation", text: "Hallo", target_lang: "de", stop_reason: "end_turn" };
    expect(result(envelopes.translation, reply({ translation: "Hallo" }))).toEqual({ ...expected, source_lang: "en" });
    expect(result(unnamed, reply({ translation: "Hallo", source_lang: "EN-gb" }))).toEqual({ ...expected, source_lang: "en-GB" });
    expect(result(unnamed, reply({ translation: "Hallo", source_lang: "und" }))).toEqual({ ...expected, source_lang: null });
    expect(result(unnamed, replied([text("Hallo")]))).toEqual({ ...expected, source_lang: null });
  });

  test("an embedding is a vector for each text, in order, and their size", () => {
    const vectors: ReplyBlock[] = [
      { type: "embedding", vector: [1, 2] },
      { type: "embedding", vector: [3, 4] },
    ];
    expect(result(envelopes.embedding, replied(vectors, { kind: "embedding", messages: plain.messages }))).toEqual({
      type: "embedding",
      embeddings: [
        { index: 0, vector: [1, 2] },
        { index: 1, vector: [3, 4] },
      ],
      dimensions: 2,
    });
  });

  test("a choice among functions is what became of each call, and what the model said beside", () => {
    const uses: ReplyBlock[] = [
      { type: "tool_use", id: "1", name: "f", input: { a: 1 } },
      { type: "tool_use", id: "2", name: "g", input: {} },
    ];
    const answer = replied([text("Let me see."), ...uses], { ...plain, tools: [] });
    expect(chosenIn(answer)).toEqual(uses);
    const handed = { name: "f", arguments: { a: 1 }, status: "validated" };
    expect(result(envelopes.choice, answer)).toEqual({
      type: "function_call",
      calls: [handed, { name: "g", arguments: {}, status: "validated" }],
      text: "Let me see.",
    });
    const error = describeRefusal({ kind: "functionUnavailable", function: "s/g", why: "uncheckableSchema" });
    const calls = [validatedCall({ name: "f", input: { a: 1 } }), endedCall({ name: "g", input: {} }, error)];
    expect(result(envelopes.choice, answer, { calls })).toMatchObject({
      calls: [handed, { name: "g", status: "failed", error: { code: -32_011, details: { function: "s/g", reason: "uncheckableSchema" } } }],
    });
  });

  test("a function that ran is the server's result, under the caller's name for it, with the arguments that it got", () => {
    const answer: Outcome = {
      kind: "ran",
      call: { kind: "toolCall", server: "s", tool: "tool", arguments: { edited: true } },
      result: { kind: "toolResult", content: [{ type: "text", text: "Rain." }], structuredContent: { mm: 3 }, isError: true },
      meta,
    };
    const call = callOf({ name: "s/tool", input: { edited: false } }, answer);
    expect(result(envelopes.functionCall, answer, { calls: [call] })).toEqual({
      type: "function_call",
      calls: [
        {
          name: "s/tool",
          arguments: { edited: true },
          status: "executed",
          content: [{ type: "text", text: "Rain." }],
          structured_content: { mm: 3 },
          is_error: true,
          run: "run-1",
        },
      ],
    });
  });
});

test("a call that is handed back was asked of nobody: no run, no model, nothing used", () => {
  const given = handedBackAnswer(read(envelopes.functionCall), [validatedCall({ name: "f", input: { a: 1 } })]);
  expect([published(given), published.errors]).toEqual([true, null]);
  expect(given).toEqual({
    protocol_version: "2.1",
    request_id: "r-1",
    status: "completed",
    model: { requested: { name: "m" } },
    result: { type: "function_call", calls: [{ name: "f", arguments: { a: 1 }, status: "validated" }] },
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 },
  });
});

test("an answer from the cache says so, and when it was made", () => {
  expect(answerOf(envelopes.text, replied([text("a")], plain, { cachedAt: 0 }))).toMatchObject({
    cache: { hit: true, at: "1970-01-01T00:00:00.000Z" },
  });
  expect(answerOf(envelopes.text, replied([text("a")]))).not.toHaveProperty("cache");
});

test("what was left out or changed is said in sentences", () => {
  const notes: Note[] = [
    { kind: "omitted", field: "topK", why: "It knows none." },
    { kind: "clamped", field: "temperature", from: 2, to: 1 },
    { kind: "overLimit", reportedTokens: 9, maxTokens: 5, cut: true },
    { kind: "overLimit", reportedTokens: 9, maxTokens: 5, cut: false },
  ];
  expect(answerOf(envelopes.text, replied([text("a")], plain, { notes }))["notes"]).toEqual([
    "Left out: top_k. It knows none.",
    "Changed: temperature from 2 to 1, the nearest value that the model supports.",
    "The model reported 9 tokens where max_tokens allowed 5; the reply was cut.",
    "The model reported 9 tokens where max_tokens allowed 5; the reply was not cut.",
  ]);
});

const refusals: readonly [string, number, Refusal][] = [
  ["invalid", 400, { kind: "notJson" }],
  ["invalid", 400, { kind: "invalidParams", errors: [{ pointer: "/a", message: "is required" }] }],
  ["invalid", 413, { kind: "tooLarge", limitBytes: 5 }],
  ["invalid", 415, { kind: "notJsonType" }],
  ["unauthorized", 401, { kind: "unauthorized", why: "missing" }],
  ["unauthorized", 403, { kind: "wrongScope", scope: "control" }],
  ["unavailable", 503, { kind: "issuerUnavailable" }],
  ["conflict", 409, { kind: "sameIdOtherParams" }],
  ["conflict", 409, { kind: "noLongerKept" }],
  ["rate_limited", 429, { kind: "rateLimited", limit: "concurrent", max: 1, retryAfterMs: 5 }],
  ["over_budget", 402, { kind: "budgetUsedUp", budget: "all", resetsAt: 1_790_000_000_000 }],
  ["refused", 403, { kind: "policyRefused", rule: "r" }],
  ["no_model", 422, { kind: "noModel", reasons: [], named: true }],
  ["failed", 502, { kind: "functionUnavailable", function: "s/f", why: "noSuchTool" }],
  ["failed", 502, { kind: "functionUnavailable", function: "s/f", why: "uncheckableSchema" }],
  ["error", 500, { kind: "broken", quote: "q" }],
];

describe("an error", () => {
  test.each(refusals)("is %s with HTTP %i: %j, with the code that every endpoint gives", (status, http, refusal) => {
    const described = describeRefusal(refusal);
    const given = refusalControlAnswer({ version: null, requestId: "r" }, described);
    expect([published(given), published.errors]).toEqual([true, null]);
    expect(given).toEqual({
      protocol_version: null,
      request_id: "r",
      status,
      error: { code: described.code, message: described.message, ...(described.data !== undefined && { details: described.data }) },
    });
    expect(statusOf(described)).toBe(http);
    // The same word and code where the pipeline says it of a request that was begun.
    expect(answerOf(envelopes.text, { kind: "refused", refusal })).toMatchObject({
      status,
      error: { code: described.code },
      model: { requested: { name: "m" } },
    });
  });

  test.each([
    ["rejected", 403, { kind: "rejected", gate: "request", reason: "no" }],
    ["expired", 504, { kind: "expired", gate: "response" }],
    ["undeliverable", 503, { kind: "undeliverable", gate: "request" }],
    ["cancelled", 409, { kind: "cancelled" }],
    ["failed", 502, { kind: "failed", attempts: [] }],
    ["error", 500, { kind: "broken", quote: "q" }],
  ] as const)("is %s with HTTP %i at the end of a run: %j", (status, http, outcome) => {
    const described = describeOutcome(outcome);
    const given = answerOf(envelopes.text, outcome);
    expect(given).toMatchObject({ status, error: { code: described.code } });
    expect(given).not.toHaveProperty("result");
    expect(statusOf(described)).toBe(http);
  });

  test("of a code that nobody knows is an error, and -1 that says no more is refused", () => {
    expect([statusWord({ code: -1, message: "" }), statusWord({ code: 7, message: "" })]).toEqual(["refused", "error"]);
    expect(statusWord({ code: -1, message: "", data: { outcome: "completed" } })).toBe("refused");
  });
});

import Anthropic from "@anthropic-ai/sdk";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatRequest } from "../../../../shared/model/sampling.ts";
import { anthropicVersion, fromAnthropic, toAnthropic } from "../../../../shared/provider/anthropic/anthropic-translation.ts";
import { cannotCarry } from "../../../../shared/provider/carry.ts";
import { anthropicMessage, anthropicRefusals } from "../../../support/providers/anthropic-wire.ts";
import { pdf } from "../../../support/pdf-file.ts";
import { anyRequest, assistant, callOf, candidate, png, request, round, text, user, weather } from "../../../support/providers/requests.ts";

const paramsOf = (changes: Partial<ChatRequest>, model = {}) => toAnthropic(callOf("anthropic", changes, model));
const uncached = { promptCache: false };
const answer = (content: unknown[], stop: string | null = "end_turn", extra: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-real-name",
  content,
  stop_reason: stop,
  usage: { input_tokens: 10, output_tokens: 5 },
  ...extra,
});

describe("a neutral request in Anthropic's words", () => {
  test("a plain request is the model's name, the limit and the messages, and nothing else", () => {
    expect(paramsOf({ systemPrompt: "Be brief." })).toEqual({
      params: {
        model: "vendor/model-1",
        max_tokens: 100,
        system: "Be brief.",
        messages: [{ role: "user", content: [{ type: "text", text: "How high is the tower?" }] }],
      },
      notes: [],
    });
  });

  test("preferences and context wishes are advice for us and reach no provider", () => {
    const { params } = paramsOf({ modelPreferences: { hints: [{ name: "sonnet" }], costPriority: 1 }, includeContext: "thisServer" });
    expect(Object.keys(params).sort()).toEqual(["max_tokens", "messages", "model"]);
  });

  test("an image is a base64 source under the API's own name for its type", () => {
    const { params } = paramsOf({ messages: [user(text("See:"), { type: "image", data: png, mimeType: "image/jpg" })] });
    expect(params.messages[0]?.content).toEqual([
      { type: "text", text: "See:" },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: png } },
    ]);
  });

  test("a PDF is a document in base64, with its name as the title", () => {
    const source = { type: "base64", media_type: "application/pdf", data: pdf };
    const { params } = paramsOf({ messages: [user({ type: "pdf", data: pdf, name: "bill.pdf" }, { type: "pdf", data: pdf })] });
    expect(params.messages[0]?.content).toEqual([
      { type: "document", source, title: "bill.pdf" },
      { type: "document", source },
    ]);
  });

  test.each([
    ["auto", { type: "auto" }],
    ["required", { type: "any" }],
    ["none", { type: "none" }],
  ] as const)("tool choice %s is %o, beside the tools", (toolChoice, wire) => {
    const { params } = paramsOf({ tools: [weather], toolChoice });
    expect(params.tool_choice).toEqual(wire);
    expect(params.tools).toEqual([{ name: "weather", description: "The weather of a city", input_schema: weather.inputSchema }]);
  });

  test("thinking and effort are sent only where the table says, and only what this API knows", () => {
    expect(paramsOf({}, { thinking: "disabled", reasoningEffort: "low" }).params).toMatchObject({
      thinking: { type: "disabled" },
      output_config: { effort: "low" },
    });
    expect(paramsOf({}, { reasoningEffort: "minimal" }).params).not.toHaveProperty("output_config");
  });

  test("parallel tool uses and their results keep their ids and their order", () => {
    const { params } = paramsOf({
      tools: [weather],
      messages: round(
        { type: "tool_result", toolUseId: "a", content: [{ type: "text", text: "12 degrees" }] },
        { type: "tool_result", toolUseId: "b", content: [{ type: "text", text: "no such city" }], isError: true },
      ),
    });
    expect(params.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } },
          { type: "tool_use", id: "b", name: "weather", input: { city: "Oslo" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "12 degrees" }] },
          { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "no such city" }], is_error: true },
        ],
      },
    ]);
  });

  test("everything a tool result may hold is carried: images as images, the rest as text that says what it is", () => {
    const { params } = paramsOf(
      {
        tools: [weather],
        messages: round({
          type: "tool_result",
          toolUseId: "a",
          content: [
            { type: "image", data: png, mimeType: "image/png" },
            { type: "resource_link", uri: "file:///map", name: "map", mimeType: "text/plain" },
            { type: "resource", resource: { uri: "file:///note", mimeType: "text/plain", text: "Rain later." } },
            { type: "resource", resource: { uri: "file:///pic", mimeType: "image/webp", blob: png } },
          ],
          structuredContent: { degrees: 12 },
        }),
      },
      uncached,
    );
    const last = params.messages.at(-1);
    expect(last?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "a",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
          { type: "text", text: 'Resource link (not read): {"uri":"file:///map","name":"map","mimeType":"text/plain"}' },
          { type: "text", text: 'Resource {"uri":"file:///note","mimeType":"text/plain"}:\nRain later.' },
          { type: "text", text: 'Resource {"uri":"file:///pic","mimeType":"image/webp"}:' },
          { type: "image", source: { type: "base64", media_type: "image/webp", data: png } },
          { type: "text", text: 'Structured content: {"degrees":12}' },
        ],
      },
    ]);
  });

  test("structured content that a text block already holds is not sent twice", () => {
    const { params } = paramsOf({
      tools: [weather],
      messages: round({
        type: "tool_result",
        toolUseId: "a",
        content: [{ type: "text", text: '{ "b": 1, "a": 2 }' }],
        structuredContent: { a: 2, b: 1 },
      }),
    });
    expect(JSON.stringify(params)).not.toContain("Structured content");
  });

  test("the images of a failed result follow after the results, since the API takes text only in one", () => {
    const { params } = paramsOf(
      {
        tools: [weather],
        messages: round(
          { type: "tool_result", toolUseId: "a", content: [{ type: "image", data: png, mimeType: "image/png" }], isError: true },
          { type: "tool_result", toolUseId: "b", content: [] },
        ),
      },
      uncached,
    );
    expect(params.messages.at(-1)?.content).toEqual([
      { type: "tool_result", tool_use_id: "a", is_error: true },
      { type: "tool_result", tool_use_id: "b" },
      { type: "text", text: "Images of the result of tool call a:" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    ]);
  });

  test.each([
    [-0.5, 0],
    [1.7, 1],
  ])("a temperature of %d is sent as %d and noted", (from, to) => {
    const { params, notes } = paramsOf({ temperature: from });
    expect(params.temperature).toBe(to);
    expect(notes).toEqual([{ kind: "clamped", field: "temperature", from, to }]);
  });

  test("a temperature that the model refuses is left out and noted", () => {
    const { params, notes } = paramsOf({ temperature: 0.5 }, { omits: ["temperature"] });
    expect(params).not.toHaveProperty("temperature");
    expect(notes).toMatchObject([{ kind: "omitted", field: "temperature" }]);
  });

  test("top_p and top_k are passed", () => {
    expect(paramsOf({ topP: 0.9, topK: 40 })).toMatchObject({ params: { top_p: 0.9, top_k: 40 }, notes: [] });
  });

  test("top_p and top_k that the model refuses are left out, each with its note", () => {
    const { params, notes } = paramsOf({ topP: 0.9, topK: 40 }, { omits: ["temperature", "topP", "topK"] });
    expect(Object.keys(params)).toEqual(["model", "max_tokens", "messages"]);
    expect(notes).toMatchObject([
      { kind: "omitted", field: "topP" },
      { kind: "omitted", field: "topK" },
    ]);
  });

  test("of a temperature and top_p the temperature is passed, since newer models refuse both together", () => {
    const { params, notes } = paramsOf({ temperature: 0.5, topP: 0.9 });
    expect(params).toMatchObject({ temperature: 0.5 });
    expect(params).not.toHaveProperty("top_p");
    expect(notes).toMatchObject([{ kind: "omitted", field: "topP" }]);
    expect(paramsOf({ temperature: 0.5, topP: 0.9 }, { omits: ["temperature"] }).params).toMatchObject({ top_p: 0.9 });
  });

  test("for JSON nothing is sent beside the prompt, and nothing is noted: the reply is what is checked", () => {
    const { params, notes } = paramsOf({ responseFormat: { type: "json", schema: { type: "object" } } });
    expect(Object.keys(params)).toEqual(["model", "max_tokens", "messages"]);
    expect(notes).toEqual([]);
  });

  test("all stop sequences are passed, however many", () => {
    const stopSequences = ["1", "2", "3", "4", "5", "6"];
    expect(paramsOf({ stopSequences })).toMatchObject({ params: { stop_sequences: stopSequences }, notes: [] });
  });

  test("only metadata that the table names is passed; the rest is noted without its names", () => {
    const { params, notes } = paramsOf({ metadata: { user_id: "u-1", secret_thing: "x" } }, { metadataKeys: ["user_id"] });
    expect(params.metadata).toEqual({ user_id: "u-1" });
    expect(notes).toMatchObject([{ kind: "omitted", field: "metadata" }]);
    expect(JSON.stringify(notes)).not.toContain("secret_thing");
  });

  test("white space at the end of a begun reply is left out, which the API would refuse", () => {
    const { params } = paramsOf({ messages: [user(text("Begin.")), assistant(text("It is "))] });
    expect(params.messages.at(-1)?.content).toEqual([{ type: "text", text: "It is" }]);
  });

  test("every valid request that the model can take becomes a body that the API takes, with all of its text", () => {
    fc.assert(
      fc.property(anyRequest({ audio: false }), (any) => {
        const one = candidate("anthropic", { metadataKeys: ["user_id"] });
        fc.pre(cannotCarry(any, one.model, "anthropic") === undefined);
        const { params } = toAnthropic({ request: any, candidate: one });
        const wire: unknown = JSON.parse(JSON.stringify(params));
        expect(anthropicRefusals(wire, anthropicVersion(params))).toEqual([]);
        expect(params.max_tokens).toBe(any.maxTokens);
        for (const message of any.messages)
          for (const block of message.content) if (block.type === "text") expect(textsIn(wire)).toContain(block.text.trimEnd());
      }),
      { numRuns: 300 },
    );
  });
});

const textsIn = (value: unknown): string => {
  const found: string[] = [];
  JSON.stringify(value, (key, member: unknown) => {
    if (key === "text" && typeof member === "string") found.push(member);
    return member;
  });
  return found.join("\n");
};

test("the version that is sent is the one of the SDK's types, where no sampling parameter wants an older one", async () => {
  const sent: (string | null)[] = [];
  const sdk = new Anthropic({
    apiKey: "key",
    fetch: async (_url, init) => {
      sent.push(new Headers(init?.headers).get("anthropic-version"));
      return Response.json({ data: [] });
    },
  });
  await sdk.models.list();
  expect(sent).toEqual([anthropicVersion({ model: "m", max_tokens: 1 })]);
  expect(anthropicVersion({ top_k: 5 })).toBe("2023-06-01");
});

describe("Anthropic's answer as a neutral reply", () => {
  const read = (response: unknown, changes: Partial<ChatRequest> = {}) => fromAnthropic(response, callOf("anthropic", changes));

  test.each([
    ["end_turn", "endTurn"],
    ["stop_sequence", "stopSequence"],
    ["max_tokens", "maxTokens"],
    ["refusal", "refusal"],
    ["pause_turn", "pause_turn"],
    ["model_context_window_exceeded", "model_context_window_exceeded"],
    ["something_new", "something_new"],
  ])("the stop reason %s is delivered as %s", (wire, neutral) => {
    expect(read(answer([{ type: "text", text: "Hi" }], wire))).toMatchObject({ ok: true, value: { reply: { stopReason: neutral } } });
  });

  test("the reply has the model's real name, every block and the usage with cached tokens counted in", () => {
    const tools = [weather];
    const response = answer(
      [
        { type: "thinking", thinking: "…", signature: "s" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" } },
      ],
      "tool_use",
      {
        usage: { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 },
      },
    );
    expect(read(response, { tools })).toEqual({
      ok: true,
      value: {
        reply: {
          content: [
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" } },
          ],
          model: "claude-real-name",
          stopReason: "toolUse",
        },
        usage: { inputTokens: 17, outputTokens: 5, cachedInputTokens: 4, cacheWriteTokens: 3 },
        notes: [],
      },
    });
  });

  test("an empty reply with a reason is an empty text", () => {
    expect(read(answer([]))).toMatchObject({
      ok: true,
      value: { reply: { content: [{ type: "text", text: "" }], stopReason: "endTurn" } },
    });
  });

  test.each([
    ["no object", "Hello", "notJson"],
    ["an error document", { type: "error", error: { type: "overloaded_error", message: "secret words" } }, "errorInSuccess"],
    ["another wire's answer", { choices: [] }, undefined],
    ["content that is no list", answer([]) && { ...answer([]), content: "Hello" }, undefined],
    ["a block that we do not know", answer([{ type: "hologram" }]), undefined],
    ["a text block without text", answer([{ type: "text" }]), undefined],
    [
      "tool arguments that are no object",
      answer([{ type: "tool_use", id: "t", name: "weather", input: "city" }], "tool_use"),
      "toolArguments",
    ],
    ["a stop for tools without any", answer([{ type: "text", text: "hm" }], "tool_use"), "empty"],
    ["an empty reply without a reason", answer([], null), "empty"],
  ])("%s is a broken answer, not an empty success", (_name, response, detail) => {
    const result = read(response, { tools: [weather] });
    expect(result).toMatchObject({ ok: false, error: { kind: "brokenAnswer", then: "next", ...(detail === undefined ? {} : { detail }) } });
    expect(JSON.stringify(result)).not.toContain("secret words");
  });

  test("a tool use where the request had no tools is a broken answer", () => {
    expect(read(answer([{ type: "tool_use", id: "t", name: "weather", input: {} }], "tool_use")).ok).toBe(false);
  });

  test("a name that the API would refuse comes back as the server wrote it", () => {
    const tools = [
      { name: "maps.route", inputSchema: { type: "object" } },
      { name: "maps/route", inputSchema: { type: "object" } },
    ];
    const { params } = toAnthropic(callOf("anthropic", { tools }));
    const wires = params.tools?.map((tool) => ("name" in tool ? tool.name : ""));
    expect(new Set(wires).size).toBe(2);
    const response = answer([{ type: "tool_use", id: "t", name: wires?.[1], input: {} }], "tool_use");
    expect(read(response, { tools })).toMatchObject({ ok: true, value: { reply: { content: [{ name: "maps/route" }] } } });
  });

  test("whatever JSON a provider sends, nothing is thrown and a success is never empty", () => {
    const shaped = fc.record(
      {
        type: fc.constantFrom("message", "error"),
        content: fc.oneof(
          fc.array(
            fc.oneof(
              fc.jsonValue(),
              fc.record({
                type: fc.constantFrom("text", "tool_use"),
                text: fc.jsonValue(),
                input: fc.jsonValue(),
                id: fc.jsonValue(),
                name: fc.jsonValue(),
              }),
            ),
          ),
          fc.jsonValue(),
        ),
        stop_reason: fc.jsonValue(),
        usage: fc.jsonValue(),
        model: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), shaped), (response) => {
        const result = read(response, { tools: [weather] });
        if (result.ok) expect(result.value.reply.content.length).toBeGreaterThan(0);
        else expect(result.error.kind).toBe("brokenAnswer");
      }),
      { numRuns: 500 },
    );
  });

  test("arguments nested without end are a broken answer, not a crash", () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    expect(read(answer([{ type: "tool_use", id: "t", name: "weather", input: deep }], "tool_use"), { tools: [weather] }).ok).toBe(false);
  });

  test("the scripted server's own answer is a whole one", () => {
    const response = anthropicMessage({ model: "m", text: "Hi", calls: [], stop: "end_turn", usage: { input: 1, output: 2 } });
    expect(fromAnthropic(response, { request: request(), candidate: candidate("anthropic") })).toMatchObject({
      ok: true,
      value: { usage: { inputTokens: 1, outputTokens: 2 } },
    });
  });
});

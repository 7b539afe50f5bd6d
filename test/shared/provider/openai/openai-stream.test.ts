import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromOpenAI } from "../../../../shared/provider/openai/openai-translation.ts";
import { chatCompletion, chatErrorEvent, chatEvents, type ChatAnswer } from "../../../support/providers/openai-wire.ts";
import { callOf, weather } from "../../../support/providers/requests.ts";
import { anyCut, anyCuts, anyStops, anyText, bytesOf, streamed } from "../../../support/providers/streams.ts";
import type { ChatRequest } from "../../../../shared/model/sampling.ts";

const said = (text: string | undefined, more: Partial<ChatAnswer> = {}): ChatAnswer => ({
  model: "gpt-real",
  text,
  calls: [],
  stop: "stop",
  usage: { input: 9, output: 4 },
  ...more,
});
const whole = (text: string): string[] => (text === "" ? [] : [text]);
const chunk = (fields: object): string => `data: ${JSON.stringify({ choices: [], ...fields })}\n\n`;
const choice = (delta: object, finish: unknown = null): string => chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
const read = (events: readonly string[], changes: Partial<ChatRequest> = {}) =>
  streamed("openai", callOf("openai", changes), bytesOf(events));
const tools = { tools: [weather] };
const fault = (detail?: string) => ({
  ok: false,
  error: { kind: "brokenAnswer", then: "next", ...(detail === undefined ? {} : { detail }) },
});

test("however a stream's texts and bytes are cut, it comes to what the whole answer comes to, and its pieces are that text", async () => {
  const calls = fc.array(
    fc.record({
      id: fc.constantFrom("", "c1", "c2"),
      name: fc.constant("weather"),
      input: fc.oneof(fc.constant("{"), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 })),
    }),
    { maxLength: 2 },
  );
  const answer = fc.record({
    model: fc.constant("gpt-real"),
    text: fc.option(anyText, { nil: undefined }),
    calls,
    stop: fc.constantFrom("stop", "length", "tool_calls", "content_filter"),
    usage: fc.constantFrom({ input: 9, output: 4 }, { input: 9, output: 100 }),
    refusal: fc.constantFrom("", "No. END"),
  });
  const asked = fc.record({ stopSequences: anyStops, responseFormat: fc.constantFrom({ type: "json" as const }) }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(answer, asked, anyCut, anyCuts, async (given, changes, cut, cuts) => {
      const call = callOf("openai", { ...changes, ...tools });
      const one = fromOpenAI(chatCompletion(given), { ...call, streamed: true });
      const { deltas, agrees, result } = await streamed("openai", call, bytesOf(chatEvents(given, cut, true)), cuts);
      expect(result).toEqual(one);
      expect(agrees).toBe(true);
      if (one.ok) expect(deltas.join("")).toBe(one.value.reply.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
    }),
    { numRuns: 300 },
  );
});

test("every piece is handed on when it comes", async () => {
  const { deltas } = await read(chatEvents(said("Hello there"), (text) => text.match(/.{1,3}/g) ?? [], true));
  expect(deltas).toEqual(["Hel", "lo ", "the", "re"]);
});

describe("a stream of Chat Completions is whole", () => {
  test("with the reason why it stopped, also where no [DONE] and no count of tokens comes, which is then estimated", async () => {
    const { result } = await read([choice({ content: "Hello" }), choice({}, "stop")]);
    expect(result).toMatchObject({ ok: true, value: { reply: { stopReason: "endTurn" }, usage: { estimated: true } } });
  });

  test("with the count that comes after it", async () => {
    const { result } = await read(chatEvents(said("Hello"), whole, true));
    expect(result).toMatchObject({ ok: true, value: { usage: { inputTokens: 9, outputTokens: 4 } } });
  });

  test.each([
    ["nothing at all", []],
    ["[DONE] alone", ["data: [DONE]\n\n"]],
    ["text and a clean end", [choice({ content: "Hello" })]],
    ["text and [DONE]", [choice({ content: "Hello" }), "data: [DONE]\n\n"]],
    ["an empty reason", [choice({ content: "Hello" }, "")]],
    ["half an event", [choice({ content: "Hello" }), choice({}, "stop").slice(0, -20)]],
  ])("but not with %s", async (_what, events) => {
    expect((await read(events)).result).toMatchObject(fault("cutOff"));
  });

  test.each([
    ["an error document", chatErrorEvent("Overloaded")],
    [
      "an error beside an empty choice",
      chunk({ error: { code: 502, message: "gone" }, choices: [{ delta: { content: "" }, finish_reason: "error" }] }),
    ],
    ["an error inside the choice", chunk({ choices: [{ delta: {}, error: { code: 502 }, finish_reason: "error" }] })],
    ["an error as its reason", choice({}, "error")],
    ["an error that is a text", chunk({ error: "gone" })],
  ])("nor with %s", async (_what, event) => {
    expect((await read([choice({ content: "Hello" }), event, "data: [DONE]\n\n"])).result).toMatchObject(fault("errorInSuccess"));
  });

  test.each([
    ["no JSON", "data: {\n\n", "notJson"],
    ["a number", "data: 5\n\n", "notJson"],
    ["content that is no text", choice({ content: 5 }), undefined],
  ])("nor with %s", async (_what, event, detail) => {
    expect((await read([event, choice({}, "stop")])).result).toMatchObject(fault(detail));
  });
});

describe("what compatible servers do otherwise", () => {
  test.each([
    ["comments while they think", [": OPENROUTER PROCESSING\n\n", ": keep-alive\n\n"]],
    ["events without data, or empty ones", ["event: ping\n\n", "data:\n\n", "data\n\n", "id: 5\nretry: 100\n\n"]],
    ["a first chunk about filters alone", [chunk({ prompt_filter_results: [] })]],
    ["a chunk without choices", [`data: {"id":"x"}\n\n`, chunk({ choices: null })]],
    ["a mark of byte order", ["\uFEFF"]],
  ])("%s mean nothing", async (_what, before) => {
    const { result, deltas } = await read([...before, choice({ content: "Hello" }), choice({}, "stop")]);
    expect(result.ok).toBe(true);
    expect(deltas).toEqual(["Hello"]);
  });

  test.each(["\n", "\r\n", "\r"])(
    "lines that end with %j are lines, data on several lines is one, and a character cut into its bytes is whole",
    async (end) => {
      const pretty = (event: object) =>
        JSON.stringify(event, null, 1)
          .split("\n")
          .map((line) => `data:${line}`);
      const lines = [
        ...pretty({ choices: [{ delta: { content: "Héllo 😀" } }] }),
        "",
        ": comment",
        ...pretty({ choices: [{ delta: {}, finish_reason: "stop" }] }),
        "",
        "",
      ];
      const bytes = bytesOf([lines.join(end)]);
      for (const cuts of [[], Array.from(bytes.keys())]) {
        const { result, deltas } = await streamed("openai", callOf("openai"), bytes, cuts);
        expect(result.ok).toBe(true);
        expect(deltas).toEqual(["Héllo 😀"]);
      }
    },
  );

  test("the whole message may come as the one chunk", async () => {
    const event = chunk({ choices: [{ message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }] });
    expect((await read([event])).deltas).toEqual(["Hello"]);
  });

  test("parts of a list are text, thinking is not, wherever it comes", async () => {
    const thinking = { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }], reasoning_content: "hm" };
    const { result, deltas } = await read([choice(thinking), choice({ content: [{ type: "text", text: "Hello" }] }), choice({}, "stop")]);
    expect(deltas).toEqual(["Hello"]);
    expect(result).toMatchObject({ ok: true, value: { reply: { content: [{ type: "text", text: "Hello" }] } } });
  });

  test("a count that comes with every chunk is the last one, and one that cannot be read is none", async () => {
    const count = (prompt: unknown, completion: unknown) => chunk({ usage: { prompt_tokens: prompt, completion_tokens: completion } });
    const { result } = await read([count(9, 1), choice({ content: "Hello" }), count(9, 2), choice({}, "stop"), count(null, -1)]);
    expect(result).toMatchObject({ ok: true, value: { usage: { inputTokens: 9, outputTokens: 2 } } });
  });

  test("what was read from and written to the cache is counted with the rest", async () => {
    const counted = { prompt_tokens: 900, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 500, cache_write_tokens: 300 } };
    const { result } = await read([choice({ content: "Hello" }), choice({}, "stop"), chunk({ choices: [], usage: counted })]);
    const usage = { inputTokens: 900, outputTokens: 4, cachedInputTokens: 500, cacheWriteTokens: 300 };
    expect(result).toMatchObject({ ok: true, value: { usage } });
  });

  test("the stop sequence that vLLM names is why it stopped", async () => {
    const event = chunk({ choices: [{ delta: {}, finish_reason: "stop", stop_reason: "END" }] });
    const { result } = await read([choice({ content: "Hello" }), event], { stopSequences: ["END"] });
    expect(result).toMatchObject({ ok: true, value: { reply: { stopReason: "stopSequence" } } });
  });
});

describe("tool calls", () => {
  const piece = (fields: object, ...rest: object[]) => choice({ tool_calls: [fields, ...rest] });
  const oslo = { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } };
  const rome = { type: "tool_use", id: "c2", name: "weather", input: { city: "Rome" } };
  const end = choice({}, "tool_calls");

  test.each([
    [
      "side by side",
      [
        piece(
          { index: 0, id: "c1", function: { name: "weather", arguments: "" } },
          { index: 1, id: "c2", function: { name: "weather", arguments: '{"ci' } },
        ),
        piece({ index: 1, function: { arguments: 'ty":"Rome"}' } }, { index: 0, function: { arguments: '{"city":"Oslo"}' } }),
      ],
    ],
    [
      "whole, all with the index 0",
      [
        piece({ index: 0, id: "c1", function: { name: "weather", arguments: '{"city":"Oslo"}' } }),
        piece({ index: 0, id: "c2", function: { name: "weather", arguments: '{"city":"Rome"}' } }),
      ],
    ],
    [
      "whole, without an index, as objects",
      [
        piece(
          { id: "c1", function: { name: "weather", arguments: { city: "Oslo" } } },
          { id: "c2", function: { name: "weather", arguments: { city: "Rome" } } },
        ),
      ],
    ],
    [
      "with their id in every piece",
      [
        piece({ index: 0, id: "c1", function: { name: "weather", arguments: '{"city"' } }),
        piece({ index: 0, id: "c1", function: { arguments: ':"Oslo"}' } }),
        piece({ index: 1, id: "c2", function: { name: "weather", arguments: '{"city":"Rome"}' } }),
      ],
    ],
  ])("come %s", async (_how, events) => {
    const { result, deltas } = await read([...events, end], tools);
    expect(result).toMatchObject({ ok: true, value: { reply: { content: [oslo, rome], stopReason: "toolUse" } } });
    expect(deltas).toEqual([]);
  });

  test.each([
    ["arguments that are cut", piece({ index: 0, id: "c1", function: { name: "weather", arguments: '{"city":"Os' } })],
    ["arguments that are a list", piece({ index: 0, id: "c1", function: { name: "weather", arguments: [1] } })],
    [
      "two calls of no id in one place",
      piece({ index: 0, function: { name: "weather", arguments: "{}" } }, { index: 0, function: { name: "weather", arguments: "{}" } }),
    ],
    ["no name", piece({ index: 0, id: "c1", function: { arguments: "{}" } })],
    ["a call that is none", choice({ tool_calls: ["weather"] })],
  ])("with %s are a broken answer", async (_what, event) => {
    expect((await read([event, end], tools)).result).toMatchObject(fault("toolArguments"));
  });

  test("without end are not kept", async () => {
    const events = Array.from({ length: 1_001 }, (_, index) => piece({ index, id: `c${index}`, function: { name: "weather" } }));
    expect((await read([...events, end], tools)).result).toMatchObject(fault("tooLarge"));
  });
});

test("a refusal is what the model said, after any text, and is handed on at the end", async () => {
  const { result, deltas } = await read(chatEvents(said("Well.", { refusal: "I cannot." }), whole, true));
  expect(deltas.join("")).toBe("Well.I cannot.");
  expect(result).toMatchObject({ ok: true, value: { reply: { stopReason: "refusal" } } });
});

test("a model of which no text came has made something all the same: its thinking, its arguments", async () => {
  const { stream } = await read([
    choice({ reasoning_content: "0123456789" }),
    choice({ tool_calls: [{ index: 0, function: { arguments: "01234" } }] }),
  ]);
  expect(stream.characters()).toBe(15);
});

test("whatever JSON comes as events, nothing is thrown", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.jsonValue(),
          fc.jsonValue().map((delta) => ({ choices: [{ delta }] })),
        ),
        { maxLength: 5 },
      ),
      async (events) => {
        await read([...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), choice({}, "stop")], tools);
      },
    ),
  );
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromAnthropic } from "../../../../shared/provider/anthropic/anthropic-translation.ts";
import { anthropicErrorEvent, anthropicEvents, anthropicMessage, type MessageAnswer } from "../../../support/providers/anthropic-wire.ts";
import { callOf, request, weather } from "../../../support/providers/requests.ts";
import { anyCut, anyCuts, anyStops, anyText, bytesOf, streamed } from "../../../support/providers/streams.ts";
import type { ChatRequest } from "../../../../shared/model/sampling.ts";
import { usageSoFar } from "../../../../shared/provider/text-deltas.ts";

const said = (text: MessageAnswer["text"], more: Partial<MessageAnswer> = {}): MessageAnswer => ({
  model: "claude-real",
  text,
  calls: [],
  stop: "end_turn",
  usage: { input: 9, output: 4 },
  ...more,
});
const whole = (text: string): string[] => (text === "" ? [] : [text]);
const event = (type: string, fields: object = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const read = (events: readonly string[], changes: Partial<ChatRequest> = {}) =>
  streamed("anthropic", callOf("anthropic", changes), bytesOf(events));
const fault = (detail?: string) => ({
  ok: false,
  error: { kind: "brokenAnswer", then: "next", ...(detail === undefined ? {} : { detail }) },
});

const started = event("message_start", {
  message: {
    type: "message",
    role: "assistant",
    model: "claude-real",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 9, output_tokens: 1 },
  },
});
const start = (index: number, block: object = { type: "text", text: "" }) => event("content_block_start", { index, content_block: block });
const delta = (index: number, fields: object) => event("content_block_delta", { index, delta: fields });
const words = (index: number, text: string) => delta(index, { type: "text_delta", text });
const stop = (index: number) => event("content_block_stop", { index });
const ended = event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 4 } });
const stopped = event("message_stop");
const hello = [started, start(0), words(0, "Hello"), stop(0)];

test("however a stream's texts and bytes are cut, it comes to what the whole answer comes to, and its pieces are that text", async () => {
  const input = fc.oneof(fc.constant("{"), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }));
  const answer = fc.record(
    {
      model: fc.constant("claude-real"),
      text: fc.array(anyText, { maxLength: 3 }),
      calls: fc.array(fc.record({ id: fc.constantFrom("t1", "t2"), name: fc.constant("weather"), input }), { maxLength: 2 }),
      stop: fc.constantFrom("end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal"),
      usage: fc.constantFrom({ input: 9, output: 4 }, { input: 9, output: 200 }),
      thinking: fc.constant("Let me think."),
    },
    { requiredKeys: ["model", "text", "calls", "stop", "usage"] },
  );
  const asked = fc.record({ stopSequences: anyStops, responseFormat: fc.constantFrom({ type: "json" as const }) }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(answer, asked, anyCut, anyCuts, async (given, changes, cut, cuts) => {
      const call = callOf("anthropic", { ...changes, tools: [weather] });
      const message = JSON.parse(JSON.stringify(anthropicMessage(given))) as { content: { type: string; input?: unknown }[] };
      // Without a stream the API has parsed the arguments already.
      for (const block of message.content) if (typeof block.input === "string") block.input = undefined;
      const one = fromAnthropic(message, { ...call, streamed: true });
      const { deltas, agrees, result } = await streamed("anthropic", call, bytesOf(anthropicEvents(given, cut)), cuts);
      expect(result).toEqual(one);
      expect(agrees).toBe(true);
      if (one.ok) expect(deltas.join("")).toBe(one.value.reply.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
    }),
    { numRuns: 300 },
  );
});

test("every piece is handed on when it comes, and thinking never", async () => {
  const { deltas, result } = await read(
    anthropicEvents(said(["Hello", " there"], { thinking: "hm" }), (text) => text.match(/.{1,3}/g) ?? []),
  );
  expect(deltas).toEqual(["Hel", "lo", " th", "ere"]);
  expect(result).toMatchObject({ ok: true, value: { reply: { model: "claude-real", stopReason: "endTurn" } } });
});

describe("a stream of messages is whole", () => {
  test("with message_stop, and counts what message_delta says in the end", async () => {
    const { result } = await read([...hello, ended, stopped]);
    expect(result).toMatchObject({ ok: true, value: { usage: { inputTokens: 9, outputTokens: 4 } } });
  });

  test("whatever else comes: pings, events and kinds of deltas that nobody knows yet", async () => {
    const { result } = await read([
      event("ping"),
      started,
      event("news", { text: "of something" }),
      start(0),
      delta(0, { type: "citations_delta", citation: {} }),
      delta(0, { type: "something_delta", text: "no text" }),
      words(0, "Hello"),
      stop(0),
      event("message_delta", { delta: {}, usage: { input_tokens: null, output_tokens: 2, cache_read_input_tokens: 20 } }),
      ended,
      stopped,
      "data: after the end\n\n",
    ]);
    expect(result).toMatchObject({
      ok: true,
      value: { reply: { content: [{ type: "text", text: "Hello" }] }, usage: { inputTokens: 29, cachedInputTokens: 20, outputTokens: 4 } },
    });
  });

  test.each([
    ["nothing at all", []],
    ["a clean end in the middle of a text", hello.slice(0, 3)],
    ["a clean end after the last block", hello],
    ["a clean end after the reason", [...hello, ended]],
    ["half of message_stop", [...hello, ended, stopped.slice(0, -2)]],
  ])("but not with %s", async (_what, events) => {
    expect((await read(events)).result).toMatchObject(fault("cutOff"));
  });

  test.each([
    ["at once", []],
    ["in the middle", hello.slice(0, 3)],
    ["before the end", [...hello, ended]],
  ])("nor with an error %s", async (_when, events) => {
    expect((await read([...events, anthropicErrorEvent("Overloaded"), stopped])).result).toMatchObject(fault("errorInSuccess"));
  });

  test.each([
    ["no JSON", ["data: {\n\n"], "notJson"],
    ["two beginnings", [started, started], undefined],
    ["a block before the beginning", [start(0)], undefined],
    ["a beginning without a message", [event("message_start")], undefined],
    ["a block under a wrong number", [started, start(1), stop(0)], undefined],
    ["a block inside another", [started, start(0), start(1), stop(1)], undefined],
    ["a delta of no block", [started, words(0, "Hello")], undefined],
    ["a delta of a block that has ended", [...hello, words(0, "Hello")], undefined],
    ["a delta of another block", [started, start(0), words(1, "Hello"), stop(0)], undefined],
    ["text in a block that is no text", [started, start(0, { type: "thinking", thinking: "" }), words(0, "Hello"), stop(0)], undefined],
    ["text that is none", [started, start(0), delta(0, { type: "text_delta", text: 5 }), stop(0)], undefined],
    ["arguments in a text", [started, start(0), delta(0, { type: "input_json_delta", partial_json: "{}" }), stop(0)], undefined],
    ["an end inside a block", [started, start(0), stopped], undefined],
    ["an end before the beginning", [stopped], undefined],
    ["the end of a block twice", [...hello, stop(0)], undefined],
  ])("nor with %s", async (_what, events, detail) => {
    expect((await read([...events, ended, stopped])).result).toEqual({
      ok: false,
      error: { kind: "brokenAnswer", status: 200, then: "next", ...(detail === undefined ? {} : { detail }) },
    });
  });
});

describe("tool uses", () => {
  const use = (input: unknown = {}) => start(0, { type: "tool_use", id: "t1", name: "weather", input });
  const json = (piece: string) => delta(0, { type: "input_json_delta", partial_json: piece });
  const tools = { tools: [weather] };
  const end = [stop(0), event("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 4 } }), stopped];

  test.each([
    ["in pieces", [use(), json(""), json('{"ci'), json('ty":"Os'), json('lo"}')], { city: "Oslo" }],
    ["without any piece", [use()], {}],
    ["with the block itself", [use({ city: "Oslo" })], { city: "Oslo" }],
  ])("get their arguments %s", async (_how, events, input) => {
    const { result, deltas } = await read([started, ...events, ...end], tools);
    expect(result).toMatchObject({
      ok: true,
      value: { reply: { content: [{ type: "tool_use", id: "t1", name: "weather", input }], stopReason: "toolUse" } },
    });
    expect(deltas).toEqual([]);
  });

  test.each([['{"city":'], ["[1]"], ["{} {}"], ["nothing"]])("with %j for arguments are a broken answer", async (piece) => {
    expect((await read([started, use(), json(piece), ...end], tools)).result).toMatchObject(fault("toolArguments"));
  });

  test("without end are not kept", async () => {
    const blocks = Array.from({ length: 1_001 }, (_, index) => [start(index), stop(index)]).flat();
    expect((await read([started, ...blocks, ended, stopped])).result).toMatchObject(fault("tooLarge"));
  });
});

test("a refusal in the middle leaves what was said, and says why it ends", async () => {
  const { result, deltas } = await read(anthropicEvents(said("First,", { stop: "refusal" }), whole));
  expect(deltas).toEqual(["First,"]);
  expect(result).toMatchObject({ ok: true, value: { reply: { stopReason: "refusal" } } });
});

test("what was read from and written to the cache is counted, and so it is where the stream breaks", async () => {
  const events = anthropicEvents(said("Hello there", { usage: { input: 900, output: 4, cached: 500, written: 300 } }), whole);
  const input = { inputTokens: 900, cachedInputTokens: 500, cacheWriteTokens: 300 };
  expect((await read(events)).result).toMatchObject({ ok: true, value: { usage: { ...input, outputTokens: 4 } } });
  const { stream } = await read(events.slice(0, -3));
  expect(usageSoFar(request(), stream)).toEqual({ ...input, outputTokens: 3, estimated: true });
});

test("of a stream that breaks it is known what was counted and what was made", async () => {
  const thinking = [start(0, { type: "thinking", thinking: "" }), delta(0, { type: "thinking_delta", thinking: "0123456789" }), stop(0)];
  const { stream } = await read([started, ...thinking, start(1), words(1, "01234")]);
  expect(stream.usage()).toEqual({ inputTokens: 9, outputTokens: 1 });
  expect(stream.characters()).toBeGreaterThanOrEqual(15);
});

test("whatever JSON comes as events, nothing is thrown", async () => {
  const types = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
  ];
  const any = fc.oneof(
    fc.jsonValue(),
    fc
      .tuple(
        fc.constantFrom(...types),
        fc.dictionary(fc.constantFrom("index", "delta", "message", "content_block", "usage"), fc.oneof(fc.constant(0), fc.jsonValue())),
      )
      .map(([type, fields]) => ({ type, ...fields })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(any, { maxLength: 8 }), async (events) => {
      await read([...hello, ...events.map((given) => `data: ${JSON.stringify(given)}\n\n`), ended, stopped]);
    }),
  );
});

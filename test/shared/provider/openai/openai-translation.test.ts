import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatRequest, ToolResultBlock } from "../../../../shared/model/sampling.ts";
import { cannotCarry } from "../../../../shared/provider/carry.ts";
import { fromOpenAI, toOpenAI } from "../../../../shared/provider/openai/openai-translation.ts";
import { openaiRefusals } from "../../../support/providers/openai-wire.ts";
import { pdf, pdfUrl } from "../../../support/pdf-file.ts";
import { anyRequest, assistant, callOf, candidate, marksOf, png, round, text, user, weather } from "../../../support/providers/requests.ts";

const paramsOf = (changes: Partial<ChatRequest>, model = {}) => toOpenAI(callOf("openai", changes, model));
const wav = "UklGRg==";

describe("a neutral request in Chat Completions' words", () => {
  test("a plain request is the model's name, the limit and the messages, and nothing else", () => {
    expect(paramsOf({ systemPrompt: "Be brief." })).toEqual({
      params: {
        model: "vendor/model-1",
        max_tokens: 100,
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "How high is the tower?" },
        ],
      },
      notes: [],
    });
  });

  test.each([
    ["a lone surrogate", '{"a":"\\ud800"}'],
    ["a number without bounds", '{"a":1e999}'],
    ["more levels than any value may have", '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)],
  ])("a tool result whose text is JSON with %s stands beside its structured content, and is only text", (_what, said) => {
    const result = { type: "tool_result" as const, toolUseId: "t1", content: [text(said)], structuredContent: { city: "Oslo" } };
    const [, , answered] = paramsOf({ messages: round(result as ToolResultBlock), tools: [weather] }).params.messages;
    expect(answered).toMatchObject({ role: "tool", content: `${said}\nStructured content: {"city":"Oslo"}` });
  });

  test("the limit goes in the field that the model's API reads", () => {
    const { params } = paramsOf({}, { tokenField: "max_completion_tokens" });
    expect(params).toMatchObject({ max_completion_tokens: 100 });
    expect(params).not.toHaveProperty("max_tokens");
  });

  test("top_p is passed; top_k is left out with a note, unless the table says that this server takes it", () => {
    expect(paramsOf({ topP: 0.9 })).toMatchObject({ params: { top_p: 0.9 }, notes: [] });
    const { params, notes } = paramsOf({ topP: 0.9, topK: 40 }, { omits: ["topP"] });
    expect(Object.keys(params)).toEqual(["model", "messages", "max_tokens"]);
    expect(notes).toEqual([
      { kind: "omitted", field: "topP", why: "This model's API does not take top_p." },
      { kind: "omitted", field: "topK", why: "This model's API does not take top_k." },
    ]);
    expect(paramsOf({ topK: 40 }, { takes: ["topK"] })).toMatchObject({ params: { top_k: 40 }, notes: [] });
  });

  test("JSON is asked for as an object, or with the schema where there is one, which is not strict", () => {
    const json = { type: "json" as const };
    expect(paramsOf({ responseFormat: json, systemPrompt: "Answer in JSON." }).params.response_format).toEqual({ type: "json_object" });
    const schema = { type: "object" };
    expect(paramsOf({ responseFormat: { ...json, schema } }).params.response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "reply", schema, strict: false },
    });
  });

  test("JSON is not asked for where the API would refuse it, and a note says so", () => {
    const nowhere = paramsOf({ responseFormat: { type: "json" } });
    expect(nowhere.params).not.toHaveProperty("response_format");
    expect(nowhere.notes).toMatchObject([{ kind: "omitted", field: "responseFormat" }]);
    const refused = paramsOf({ responseFormat: { type: "json", schema: {} } }, { omits: ["responseFormat"] });
    expect(refused.params).not.toHaveProperty("response_format");
    expect(refused.notes).toMatchObject([{ kind: "omitted", field: "responseFormat" }]);
  });

  test("an image is sent as an image and audio as audio, each in its own part", () => {
    const { params } = paramsOf({
      messages: [
        user(
          text("See and hear:"),
          { type: "image", data: png, mimeType: "image/png" },
          { type: "audio", data: wav, mimeType: "audio/x-wav" },
          { type: "audio", data: wav, mimeType: "audio/mpeg" },
        ),
      ],
    });
    expect(params.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "See and hear:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          { type: "input_audio", input_audio: { data: wav, format: "wav" } },
          { type: "input_audio", input_audio: { data: wav, format: "mp3" } },
        ],
      },
    ]);
  });

  test("a PDF is a file with its name, or with one of ours, since the API refuses a file without one", () => {
    const { params } = paramsOf({ messages: [user({ type: "pdf", data: pdf, name: "bill.pdf" }, { type: "pdf", data: pdf })] });
    expect(params.messages[0]?.content).toEqual([
      { type: "file", file: { file_data: pdfUrl, filename: "bill.pdf" } },
      { type: "file", file: { file_data: pdfUrl, filename: "document.pdf" } },
    ]);
  });

  test.each(["auto", "required", "none"] as const)("tool choice %s is passed beside the tools", (toolChoice) => {
    const { params } = paramsOf({ tools: [weather], toolChoice });
    expect(params.tool_choice).toBe(toolChoice);
    expect(params.tools).toEqual([
      { type: "function", function: { name: "weather", description: "The weather of a city", parameters: weather.inputSchema } },
    ]);
  });

  test("a tool choice without tools is not passed, and noted where it asked for a tool", () => {
    expect(paramsOf({ toolChoice: "required" })).toMatchObject({ notes: [{ kind: "omitted", field: "toolChoice" }] });
    expect(paramsOf({ toolChoice: "required", tools: [] }).params).not.toHaveProperty("tool_choice");
    expect(paramsOf({ toolChoice: "none" }).notes).toEqual([]);
  });

  test('where the API does not know "none", the tools are left out, which comes to the same, and that is noted', () => {
    const { params, notes } = paramsOf({ tools: [weather], toolChoice: "none" }, { toolChoices: ["auto", "required"] });
    expect(params).not.toHaveProperty("tools");
    expect(params).not.toHaveProperty("tool_choice");
    expect(notes).toMatchObject([{ kind: "omitted", field: "toolChoice" }]);
  });

  test("how long a model may think is sent only where the table says", () => {
    expect(paramsOf({}, { reasoningEffort: "low" }).params).toMatchObject({ reasoning_effort: "low" });
  });

  test("parallel tool uses are the calls of one message, and each result is one tool message", () => {
    const messages = round(
      { type: "tool_result", toolUseId: "a", content: [{ type: "text", text: "12 degrees" }] },
      { type: "tool_result", toolUseId: "b", content: [{ type: "text", text: "no such city" }], isError: true },
    );
    expect(paramsOf({ tools: [weather], messages }).params.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: ["a", "b"].map((id) => ({ id, type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } })),
      },
      { role: "tool", tool_call_id: "a", content: "12 degrees" },
      { role: "tool", tool_call_id: "b", content: "The tool reported an error.\nno such city" },
    ]);
  });

  test("images and sounds of results follow all results in one user message that names their calls", () => {
    const messages = round(
      {
        type: "tool_result",
        toolUseId: "a",
        content: [
          { type: "text", text: "a map" },
          { type: "image", data: png, mimeType: "image/png" },
        ],
      },
      { type: "tool_result", toolUseId: "b", content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] },
    );
    expect(paramsOf({ tools: [weather], messages }).params.messages.slice(2)).toEqual([
      { role: "tool", tool_call_id: "a", content: "a map\n1 attachment(s) of this result follow in the next user message." },
      { role: "tool", tool_call_id: "b", content: "1 attachment(s) of this result follow in the next user message." },
      {
        role: "user",
        content: [
          { type: "text", text: "Attachments of the result of tool call a:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          { type: "text", text: "Attachments of the result of tool call b:" },
          { type: "input_audio", input_audio: { data: wav, format: "wav" } },
        ],
      },
    ]);
  });

  test("a long stop list is passed as far as the API takes it, and the rest is noted", () => {
    const { params, notes } = paramsOf({ stopSequences: ["1", "2", "3", "4", "5", "6"] });
    expect(params.stop).toEqual(["1", "2", "3", "4"]);
    expect(notes).toMatchObject([{ kind: "omitted", field: "stopSequences" }]);
  });

  test("four stop sequences are passed without a note", () => {
    expect(paramsOf({ stopSequences: ["1", "2", "3", "4"] })).toMatchObject({ params: { stop: ["1", "2", "3", "4"] }, notes: [] });
  });

  test.each([
    [-1, 0],
    [2.5, 2],
  ])("a temperature of %d is sent as %d and noted", (from, to) => {
    const { params, notes } = paramsOf({ temperature: from });
    expect(params.temperature).toBe(to);
    expect(notes).toEqual([{ kind: "clamped", field: "temperature", from, to }]);
  });

  test("named metadata is passed as text, as the API wants it", () => {
    const { params } = paramsOf({ metadata: { trace: { a: 1 }, other: true } }, { metadataKeys: ["trace"] });
    expect(params.metadata).toEqual({ trace: '{"a":1}' });
  });

  test("several texts of one message stay several", () => {
    const { params } = paramsOf({ messages: [user(text("one"), text("two")), assistant(text("three"), text("four"))] });
    expect(params.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "three" },
          { type: "text", text: "four" },
        ],
      },
    ]);
  });

  test("every valid request that the model can take becomes a body that the API takes, with all of its text", () => {
    fc.assert(
      fc.property(anyRequest({ audio: true }), (any) => {
        const one = candidate("openai", { metadataKeys: ["user_id", "trace"] });
        expect(cannotCarry(any, one.model, "openai")).toBeUndefined();
        const { params } = toOpenAI({ request: any, candidate: one });
        expect(openaiRefusals(JSON.parse(JSON.stringify(params)))).toEqual([]);
        expect(params.max_tokens).toBe(any.maxTokens);
        const sent = new Set(marksOf(params.messages));
        const { messages, systemPrompt } = any;
        for (const block of messages.flatMap((message) => message.content)) {
          if (block.type === "text") for (const mark of marksOf(block.text)) expect(sent).toContain(mark);
          if (block.type === "tool_result")
            for (const mark of marksOf([block.content, block.structuredContent ?? {}])) expect(sent).toContain(mark);
        }
        for (const mark of marksOf(systemPrompt ?? "")) expect(sent).toContain(mark);
      }),
      { numRuns: 300 },
    );
  });
});

const answer = (message: object, finish: unknown = "stop", extra: object = {}) => ({
  id: "c1",
  model: "gpt-real-name",
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finish, ...extra }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
const call = (name: string, args: unknown, id = "call_1") => ({ id, type: "function", function: { name, arguments: args } });

describe("Chat Completions' answer as a neutral reply", () => {
  const read = (response: unknown, changes: Partial<ChatRequest> = {}) => fromOpenAI(response, callOf("openai", changes));

  test.each([
    ["stop", "endTurn"],
    ["length", "maxTokens"],
    ["content_filter", "content_filter"],
    ["something_new", "something_new"],
  ])("the finish reason %s is delivered as %s", (wire, neutral) => {
    expect(read(answer({ content: "Hi" }, wire))).toMatchObject({ ok: true, value: { reply: { stopReason: neutral } } });
  });

  test("a server that says which stop sequence it met is believed", () => {
    const response = answer({ content: "Hi" }, "stop", { stop_reason: "END" });
    expect(read(response, { stopSequences: ["END"] })).toMatchObject({ value: { reply: { stopReason: "stopSequence" } } });
    expect(read(response, { stopSequences: ["OTHER"] })).toMatchObject({ value: { reply: { stopReason: "endTurn" } } });
  });

  test("text and parallel calls are delivered with the model's real name and the usage", () => {
    const response = answer(
      { content: "Let me look.", tool_calls: [call("weather", '{"city":"Oslo"}'), call("weather", "", "call_2")] },
      "tool_calls",
    );
    expect(read(response, { tools: [weather] })).toEqual({
      ok: true,
      value: {
        reply: {
          content: [
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } },
            { type: "tool_use", id: "call_2", name: "weather", input: {} },
          ],
          model: "gpt-real-name",
          stopReason: "toolUse",
        },
        usage: { inputTokens: 10, outputTokens: 5 },
        notes: [],
      },
    });
  });

  test("calls that a server ends with the plain stop are still calls", () => {
    const response = answer({ tool_calls: [call("weather", "{}")] }, "stop");
    expect(read(response, { tools: [weather] })).toMatchObject({ value: { reply: { stopReason: "toolUse" } } });
  });

  test("calls without ids, or with the ids of earlier calls, get ids of their own", () => {
    const response = answer(
      { tool_calls: [call("weather", "{}", ""), call("weather", "{}", ""), call("weather", "{}", "a")] },
      "tool_calls",
    );
    const messages = round({ type: "tool_result", toolUseId: "a", content: [] });
    const result = read(response, { tools: [weather], messages });
    const ids = result.ok ? result.value.reply.content.map((block) => (block.type === "tool_use" ? block.id : "")) : [];
    expect(new Set([...ids, "a", ""]).size).toBe(5);
  });

  test("a refusal is delivered as what was said, with a stop reason that says so", () => {
    expect(read(answer({ refusal: "I cannot help with that." }))).toMatchObject({
      ok: true,
      value: { reply: { content: [{ type: "text", text: "I cannot help with that." }], stopReason: "refusal" } },
    });
  });

  test("a reply of thinking alone that met the limit is an empty text, not a failure", () => {
    expect(read(answer({ content: "" }, "length"))).toMatchObject({
      ok: true,
      value: { reply: { content: [{ type: "text", text: "" }], stopReason: "maxTokens" } },
    });
  });

  test.each([
    ["counted", { cached_tokens: 4, cache_write_tokens: 3 }, { cachedInputTokens: 4, cacheWriteTokens: 3 }],
    ["none", { cached_tokens: 0 }, {}],
    ["no counts", { cached_tokens: -4, cache_write_tokens: "3" }, {}],
    ["more than the input", { cached_tokens: 8, cache_write_tokens: 8 }, { cachedInputTokens: 8, cacheWriteTokens: 2 }],
    ["no list of them", null, {}],
  ])("tokens of the cache are part of the input: %s", (_, details, cache) => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: details };
    const result = read({ ...answer({ content: "Hi" }), usage });
    expect(result.ok && result.value.usage).toEqual({ inputTokens: 10, outputTokens: 5, ...cache });
  });

  test("a server that does not count gets our estimate, marked as one", () => {
    const { usage: _usage, ...rest } = answer({ content: "twelve chars" });
    expect(read(rest)).toMatchObject({ ok: true, value: { usage: { estimated: true } } });
  });

  test.each([
    ["no object", null, "notJson"],
    ["an error document", { error: { message: "secret words", code: 502 } }, "errorInSuccess"],
    ["no choices", { ...answer({}), choices: [] }, undefined],
    ["a choice that holds an error", answer({ content: "half" }, "error", { error: { message: "secret words" } }), "errorInSuccess"],
    ["a message that is none", { choices: [{ message: "Hi" }] }, undefined],
    ["a part that we do not know", answer({ content: [{ type: "hologram" }] }), undefined],
    ["arguments that are no JSON", answer({ tool_calls: [call("weather", '{"city": "Os')] }, "tool_calls"), "toolArguments"],
    ["arguments that are no object", answer({ tool_calls: [call("weather", "[1]")] }, "tool_calls"), "toolArguments"],
    ["arguments with a lone surrogate", answer({ tool_calls: [call("weather", '{"city":"\\ud800"}')] }, "tool_calls"), "toolArguments"],
    [
      "arguments named __proto__",
      answer({ tool_calls: [call("weather", '{"__proto__":{"city":"Oslo"}}')] }, "tool_calls"),
      "toolArguments",
    ],
    ["a call without a name", answer({ tool_calls: [call("", "{}")] }, "tool_calls"), "toolArguments"],
    ["a stop for tools without any", answer({ content: "hm" }, "tool_calls"), "empty"],
    ["an empty reply without a reason", answer({}, null), "empty"],
  ])("%s is a broken answer, not an empty success", (_name, response, detail) => {
    const result = read(response, { tools: [weather] });
    expect(result).toMatchObject({ ok: false, error: { kind: "brokenAnswer", then: "next", ...(detail === undefined ? {} : { detail }) } });
    expect(JSON.stringify(result)).not.toContain("secret words");
  });

  test("a call where the request forbade tools is a broken answer", () => {
    expect(read(answer({ tool_calls: [call("weather", "{}")] }, "tool_calls"), { tools: [weather], toolChoice: "none" }).ok).toBe(false);
  });

  test("a call where the request had no tools is a broken answer", () => {
    expect(read(answer({ tool_calls: [call("weather", "{}")] }, "tool_calls")).ok).toBe(false);
  });

  test("whatever JSON a provider sends, nothing is thrown and a success is never empty", () => {
    const message = fc.record(
      {
        content: fc.jsonValue(),
        refusal: fc.jsonValue(),
        tool_calls: fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.record({
              id: fc.jsonValue(),
              function: fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), arguments: fc.jsonValue() })),
            }),
          ),
        ),
      },
      { requiredKeys: [] },
    );
    const shaped = fc.record({
      choices: fc.array(
        fc.record({
          message: fc.oneof(message, fc.jsonValue()),
          finish_reason: fc.oneof(fc.constantFrom("stop", "tool_calls"), fc.jsonValue()),
        }),
      ),
      usage: fc.oneof(fc.jsonValue(), fc.record({ prompt_tokens: fc.integer(), completion_tokens: fc.integer() })),
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), shaped), (response) => {
        const result = read(response, { tools: [weather], stopSequences: ["a"] });
        if (result.ok) expect(result.value.reply.content.length).toBeGreaterThan(0);
        else expect(result.error.kind).toBe("brokenAnswer");
      }),
      { numRuns: 500 },
    );
  });
});

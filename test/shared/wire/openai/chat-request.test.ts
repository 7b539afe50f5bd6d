// Every member of the chat completions request, as the official SDK declares it, is passed on, used
// for the answer, noted or refused. A member that a newer SDK adds fails the first test here until
// somebody decides.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../shared/encoding.ts";
import { digestOf } from "../../../../shared/encoding.ts";
import { type ParsedChat, parseChat } from "../../../../shared/wire/openai/chat-request.ts";
import { defaultMaxTokens } from "../../../../shared/wire/openai/openai-request.ts";
import { mostMembers } from "../../../../shared/wire/mcp-2025/sampling-params.ts";
import { type DecidedMembers, mutated, notedAt, odd, refusedAt, testDecided } from "./decided.ts";
import { pdf, pdfUrl } from "../../../support/pdf-file.ts";
import { sdkTypes } from "./sdk-types.ts";

const base = { model: "m", messages: [{ role: "user", content: "?" }], max_completion_tokens: 9 };
const withMessages = (...messages: object[]): object => ({ messages });
const withPart = (part: object): object => withMessages({ role: "user", content: [part] });
const calls = [{ id: "c", type: "function", function: { name: "add", arguments: '{"x":1}' } }];
const called = (call: object): object => withMessages(said, { role: "assistant", tool_calls: [call] }, result);
const said = { role: "user", content: "?" };
const result = { role: "tool", tool_call_id: "c", content: "2" };
const toolUse = { type: "tool_use", id: "c", name: "add", input: { x: 1 } };
const add = { type: "function", function: { name: "add", description: "Adds.", parameters: { type: "object", required: ["x"] } } };
const sub = { type: "function", function: { name: "sub" } };
const offered = { name: "add", description: "Adds.", inputSchema: { type: "object", required: ["x"] } };
const named = { type: "function", function: { name: "add" } };
const custom = { type: "custom", custom: { name: "add" } };
const picture = "aGVsbG8=";
const png = { url: `data:image/png;base64,${picture}` };
const file = (more: object): object => ({ type: "file", file: { file_data: pdfUrl, ...more } });
const sound = { data: picture, format: "wav" };
const schema = { type: "object", properties: { x: { type: "number" } } };
const jsonSchema = (more: object): object => ({ response_format: { type: "json_schema", json_schema: { name: "n", schema, ...more } } });
const block = (one: object): object => ({ messages: [{ role: "user", content: [one] }] });
const text = { type: "text", text: "t" };
const times = (count: number, value: object): object[] => Array.from({ length: count }, () => value);

/** Of each interface, each member. */
const decided: DecidedMembers = {
  ChatCompletionCreateParamsBase: {
    messages: [{}, { passed: { messages: [{ role: "user", content: [{ type: "text", text: "?" }] }] } }],
    model: [{}, { passed: { namedModel: { name: "m" }, modelPreferences: { hints: [{ name: "m" }] } } }],
    audio: [{ audio: { format: "wav", voice: "ash" } }, refusedAt("/audio", "replies are text and tool calls")],
    frequency_penalty: [{ frequency_penalty: 1 }, notedAt("/frequency_penalty", "frequency_penalty")],
    function_call: [{ function_call: "auto" }, refusedAt("/function_call", "send tool_choice")],
    functions: [{ functions: [{ name: "add" }] }, refusedAt("/functions", "send tools")],
    logit_bias: [{ logit_bias: { "50256": -100 } }, notedAt("/logit_bias", "logit_bias")],
    logprobs: [{ logprobs: true }, refusedAt("/logprobs", "must be false")],
    max_completion_tokens: [{}, { passed: { maxTokens: 9 } }],
    max_tokens: [{ max_tokens: 8 }, { passed: { maxTokens: 8 } }],
    metadata: [{ metadata: { team: "a" } }, { passed: { metadata: { team: "a" } } }],
    modalities: [{ modalities: ["text", "audio"] }, refusedAt("/modalities", 'must be ["text"]')],
    moderation: [{ moderation: { model: "x" } }, refusedAt("/moderation", "not sent to another model")],
    n: [{ n: 2 }, refusedAt("/n", "must be 1")],
    parallel_tool_calls: [{ tools: [add], parallel_tool_calls: false }, { passed: { parallelToolCalls: false } }],
    prediction: [{ prediction: { type: "content", content: "x" } }, notedAt("/prediction", "prediction")],
    presence_penalty: [{ presence_penalty: 1 }, notedAt("/presence_penalty", "presence_penalty")],
    prompt_cache_key: [{ prompt_cache_key: "k" }, notedAt("/prompt_cache_key", "prompt_cache_key")],
    prompt_cache_options: [{ prompt_cache_options: { mode: "implicit" } }, notedAt("/prompt_cache_options", "prompt_cache_options")],
    prompt_cache_retention: [{ prompt_cache_retention: "24h" }, notedAt("/prompt_cache_retention", "prompt_cache_retention")],
    reasoning_effort: [{ reasoning_effort: "low" }, notedAt("/reasoning_effort", "reasoning_effort")],
    response_format: [{ response_format: { type: "json_object" } }, { passed: { responseFormat: { type: "json" } } }],
    safety_identifier: [{ safety_identifier: "s" }, notedAt("/safety_identifier", "safety_identifier")],
    seed: [{ seed: 1 }, notedAt("/seed", "seed")],
    service_tier: [{ service_tier: "flex" }, notedAt("/service_tier", "service_tier")],
    stop: [{ stop: "x" }, { passed: { stopSequences: ["x"] } }],
    store: [{ store: true }, notedAt("/store", "store")],
    stream: [{ stream: true }, { answered: { stream: true } }],
    stream_options: [{ stream: true, stream_options: { include_usage: true } }, { answered: { includeUsage: true } }],
    temperature: [{ temperature: 0.5 }, { passed: { temperature: 0.5 } }],
    tool_choice: [{ tools: [add], tool_choice: "required" }, { passed: { toolChoice: "required" } }],
    tools: [{ tools: [add] }, { passed: { tools: [offered] } }],
    top_logprobs: [{ top_logprobs: 2 }, refusedAt("/top_logprobs", "has no probabilities")],
    top_p: [{ top_p: 0.5 }, { passed: { topP: 0.5 } }],
    user: [{ user: "u" }, notedAt("/user", "user")],
    verbosity: [{ verbosity: "low" }, notedAt("/verbosity", "verbosity")],
    web_search_options: [{ web_search_options: {} }, refusedAt("/web_search_options", "seen by no reviewer")],
  },
  ChatCompletionStreamOptions: {
    include_obfuscation: [
      { stream_options: { include_obfuscation: true } },
      notedAt("/stream_options/include_obfuscation", "stream_options"),
    ],
    include_usage: [{ stream_options: { include_usage: true } }, { answered: { includeUsage: true } }],
  },
  ChatCompletionSystemMessageParam: {
    content: [withMessages({ role: "system", content: [text] }, said), { passed: { systemPrompt: "t" } }],
    role: [withMessages({ role: "system", content: "s" }, said), { passed: { systemPrompt: "s" } }],
    name: [withMessages({ role: "system", content: "s", name: "a" }, said), notedAt("/messages/0/name")],
  },
  ChatCompletionDeveloperMessageParam: {
    content: [withMessages({ role: "developer", content: [text] }, said), { passed: { systemPrompt: "t" } }],
    role: [withMessages({ role: "developer", content: "s" }, said), { passed: { systemPrompt: "s" } }],
    name: [withMessages({ role: "developer", content: "s", name: "a" }, said), notedAt("/messages/0/name")],
  },
  ChatCompletionUserMessageParam: {
    content: [withPart(text), { passed: block(text) }],
    role: [{}, { passed: { messages: [{ role: "user" }] } }],
    name: [withMessages({ ...said, name: "a" }), notedAt("/messages/0/name")],
  },
  ChatCompletionAssistantMessageParam: {
    role: [withMessages(said, { role: "assistant", content: "a" }), { passed: { messages: [{}, { role: "assistant" }] } }],
    audio: [withMessages(said, { role: "assistant", content: "a", audio: { id: "1" } }), refusedAt("/messages/1/audio", "not supported")],
    content: [
      withMessages(said, { role: "assistant", content: [text] }),
      { passed: { messages: [{}, { role: "assistant", content: [text] }] } },
    ],
    function_call: [
      withMessages(said, { role: "assistant", content: null, function_call: { name: "add", arguments: "{}" } }),
      refusedAt("/messages/1/function_call", "send tool_calls"),
    ],
    name: [withMessages(said, { role: "assistant", content: "a", name: "b" }), notedAt("/messages/1/name")],
    refusal: [
      withMessages(said, { role: "assistant", content: null, refusal: "No." }),
      { passed: { messages: [{}, { content: [{ type: "text", text: "No." }] }] } },
    ],
    tool_calls: [
      withMessages(said, { role: "assistant", tool_calls: calls }, result),
      { passed: { messages: [{}, { role: "assistant", content: [toolUse] }, {}] } },
    ],
  },
  ChatCompletionMessageFunctionToolCall: {
    id: [called(calls[0] ?? {}), { passed: { messages: [{}, { content: [{ id: "c" }] }, {}] } }],
    function: [called(calls[0] ?? {}), { passed: { messages: [{}, { content: [{ name: "add" }] }, {}] } }],
    type: [called({ ...calls[0], type: "x" }), refusedAt("/messages/1/tool_calls/0/type", "must be one of function")],
  },
  "ChatCompletionMessageFunctionToolCall.Function": {
    arguments: [called(calls[0] ?? {}), { passed: { messages: [{}, { content: [{ input: { x: 1 } }] }, {}] } }],
    name: [called(calls[0] ?? {}), { passed: { messages: [{}, { content: [{ name: "add" }] }, {}] } }],
  },
  ChatCompletionMessageCustomToolCall: {
    id: [called({ id: "c", type: "custom", custom: { name: "x", input: "" } }), refusedAt("/messages/1/tool_calls/0/type", "function")],
    custom: [called({ id: "c", type: "custom", custom: { name: "x", input: "" } }), refusedAt("/messages/1/tool_calls/0/type", "function")],
    type: [called({ id: "c", type: "custom", custom: { name: "x", input: "" } }), refusedAt("/messages/1/tool_calls/0/type", "function")],
  },
  ChatCompletionToolMessageParam: {
    content: [called(calls[0] ?? {}), { passed: { messages: [{}, {}, { content: [{ content: [{ type: "text", text: "2" }] }] }] } }],
    role: [called(calls[0] ?? {}), { passed: { messages: [{}, {}, { role: "user", content: [{ type: "tool_result" }] }] } }],
    tool_call_id: [called(calls[0] ?? {}), { passed: { messages: [{}, {}, { content: [{ toolUseId: "c" }] }] } }],
  },
  ChatCompletionFunctionMessageParam: {
    content: [withMessages({ role: "function", name: "add", content: "2" }), refusedAt("/messages/0/role", "must be one of")],
    name: [withMessages({ role: "function", name: "add", content: "2" }), refusedAt("/messages/0/role", "must be one of")],
    role: [withMessages({ role: "function", name: "add", content: "2" }), refusedAt("/messages/0/role", "must be one of")],
  },
  ChatCompletionContentPartText: {
    text: [withPart(text), { passed: block({ text: "t" }) }],
    type: [withPart(text), { passed: block({ type: "text" }) }],
    prompt_cache_breakpoint: [
      withPart({ ...text, prompt_cache_breakpoint: { mode: "explicit" } }),
      notedAt("/messages/0/content/0/prompt_cache_breakpoint"),
    ],
  },
  ChatCompletionContentPartImage: {
    image_url: [withPart({ type: "image_url", image_url: png }), { passed: block({ data: picture, mimeType: "image/png" }) }],
    type: [withPart({ type: "image_url", image_url: png }), { passed: block({ type: "image" }) }],
    prompt_cache_breakpoint: [
      withPart({ type: "image_url", image_url: png, prompt_cache_breakpoint: { mode: "explicit" } }),
      notedAt("/messages/0/content/0/prompt_cache_breakpoint"),
    ],
  },
  "ChatCompletionContentPartImage.ImageURL": {
    url: [
      withPart({ type: "image_url", image_url: { url: "https://x.example/a.png" } }),
      {
        answered: { addresses: [{ message: 0, block: 0, url: "https://x.example/a.png", pointer: "/messages/0/content/0/image_url/url" }] },
      },
    ],
    detail: [withPart({ type: "image_url", image_url: { ...png, detail: "low" } }), notedAt("/messages/0/content/0/image_url/detail")],
  },
  ChatCompletionContentPartInputAudio: {
    input_audio: [withPart({ type: "input_audio", input_audio: sound }), { passed: block({ data: picture }) }],
    type: [withPart({ type: "input_audio", input_audio: sound }), { passed: block({ type: "audio" }) }],
    prompt_cache_breakpoint: [
      withPart({ type: "input_audio", input_audio: sound, prompt_cache_breakpoint: { mode: "explicit" } }),
      notedAt("/messages/0/content/0/prompt_cache_breakpoint"),
    ],
  },
  "ChatCompletionContentPartInputAudio.InputAudio": {
    data: [withPart({ type: "input_audio", input_audio: sound }), { passed: block({ data: picture }) }],
    format: [withPart({ type: "input_audio", input_audio: { ...sound, format: "mp3" } }), { passed: block({ mimeType: "audio/mpeg" }) }],
  },
  "ChatCompletionContentPart.File": {
    file: [withPart(file({})), { passed: block({ type: "pdf", data: pdf }) }],
    type: [
      withPart({ ...file({}), type: "pdf" }),
      refusedAt("/messages/0/content/0/type", "must be one of text, image_url, input_audio, file"),
    ],
    prompt_cache_breakpoint: [
      withPart({ ...file({}), prompt_cache_breakpoint: { mode: "explicit" } }),
      notedAt("/messages/0/content/0/prompt_cache_breakpoint"),
    ],
  },
  "ChatCompletionContentPart.File.File": {
    file_data: [
      withPart(file({ file_data: `data:application/pdf;base64,${btoa("<html>")}` })),
      refusedAt("/messages/0/content/0/file/file_data", "must begin with %PDF-"),
    ],
    file_id: [withPart(file({ file_id: "f" })), refusedAt("/messages/0/content/0/file/file_id", "send a PDF in file_data")],
    filename: [withPart(file({ filename: "a.pdf" })), { passed: block({ type: "pdf", name: "a.pdf" }) }],
  },
  ChatCompletionContentPartRefusal: {
    refusal: [
      withMessages(said, { role: "assistant", content: [{ type: "refusal", refusal: "No." }] }),
      { passed: { messages: [{}, { content: [{ text: "No." }] }] } },
    ],
    type: [
      withMessages(said, { role: "assistant", content: [{ type: "refusal", refusal: "No." }] }),
      { passed: { messages: [{}, { content: [{ type: "text" }] }] } },
    ],
  },
  ChatCompletionFunctionTool: {
    function: [{ tools: [add] }, { passed: { tools: [offered] } }],
    type: [{ tools: [{ ...add, type: "x" }] }, refusedAt("/tools/0/type", "must be one of function")],
  },
  FunctionDefinition: {
    name: [{ tools: [sub] }, { passed: { tools: [{ name: "sub", inputSchema: { type: "object", properties: {} } }] } }],
    description: [{ tools: [add] }, { passed: { tools: [{ description: "Adds." }] } }],
    parameters: [{ tools: [add] }, { passed: { tools: [{ inputSchema: { type: "object", required: ["x"] } }] } }],
    strict: [{ tools: [{ ...add, function: { ...add.function, strict: true } }] }, notedAt("/tools/0/function/strict", "tools")],
  },
  ChatCompletionCustomTool: {
    custom: [{ tools: [custom] }, refusedAt("/tools/0/type", "custom tools are not supported")],
    type: [{ tools: [custom] }, refusedAt("/tools/0/type", "custom tools are not supported")],
  },
  ChatCompletionNamedToolChoice: {
    function: [
      { tools: [add, sub], tool_choice: { type: "function", function: { name: "add" } } },
      { passed: { tools: [offered], toolChoice: "required" } },
    ],
    type: [{ tools: [add], tool_choice: { type: "x", function: { name: "add" } } }, refusedAt("/tool_choice/type", "must be one of")],
  },
  "ChatCompletionNamedToolChoice.Function": {
    name: [{ tools: [add], tool_choice: { type: "function", function: { name: "sub" } } }, refusedAt("/tool_choice", "names a tool")],
  },
  ChatCompletionNamedToolChoiceCustom: {
    custom: [{ tools: [add], tool_choice: custom }, refusedAt("/tool_choice/type", "must be one of function, allowed_tools")],
    type: [{ tools: [add], tool_choice: custom }, refusedAt("/tool_choice/type", "must be one of function, allowed_tools")],
  },
  ChatCompletionAllowedToolChoice: {
    allowed_tools: [
      { tools: [add, sub], tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [named] } } },
      { passed: { tools: [offered], toolChoice: "auto" } },
    ],
    type: [
      { tools: [add], tool_choice: { type: "allowed", allowed_tools: { mode: "auto", tools: [named] } } },
      refusedAt("/tool_choice/type", "must be one of"),
    ],
  },
  ChatCompletionAllowedTools: {
    mode: [
      { tools: [add], tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: [named] } } },
      { passed: { toolChoice: "required" } },
    ],
    tools: [
      { tools: [add], tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [custom] } } },
      refusedAt("/tool_choice/allowed_tools/tools/0/type", "must be one of function"),
    ],
  },
  ResponseFormatText: { type: [{ response_format: { type: "text" } }, { passed: { messages: [{ role: "user" }] } }] },
  ResponseFormatJSONObject: { type: [{ response_format: { type: "json_object" } }, { passed: { responseFormat: { type: "json" } } }] },
  ResponseFormatJSONSchema: {
    json_schema: [jsonSchema({}), { passed: { responseFormat: { type: "json", schema } } }],
    type: [{ response_format: { type: "yaml" } }, refusedAt("/response_format/type", "must be one of")],
  },
  "ResponseFormatJSONSchema.JSONSchema": {
    // OpenAI wants a name; no reply has it.
    name: [jsonSchema({ name: "" }), refusedAt("/response_format/json_schema/name", "must not be empty")],
    description: [jsonSchema({ description: "d" }), notedAt("/response_format/json_schema/description", "response_format")],
    schema: [jsonSchema({}), { passed: { responseFormat: { schema } } }],
    // A reply is always checked by its schema: not to be strict is what cannot be asked for.
    strict: [jsonSchema({ strict: false }), notedAt("/response_format/json_schema/strict", "response_format")],
  },
};

const read = (more: object): ReturnType<typeof parseChat> => parseChat({ ...base, ...more });
const well = (more: object): ParsedChat => {
  const parsed = read(more);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};
const errorsOf = (more: object): readonly object[] => {
  const parsed = read(more);
  return parsed.ok || parsed.error.kind !== "invalid" ? [] : parsed.error.errors;
};

describe("the SDK declares", () => {
  const chat = sdkTypes("chat/completions/completions");
  const shared = sdkTypes("shared");
  const declared = (name: string): readonly string[] => chat.members.get(name) ?? shared.members.get(name) ?? [];

  test.each(Object.keys(decided))("of %s no member that nobody decided about", (name) => {
    expect(declared(name).toSorted()).toEqual(Object.keys(decided[name] ?? {}).toSorted());
  });

  test.each([
    "ChatCompletionMessageParam",
    "ChatCompletionContentPart",
    "ChatCompletionMessageToolCall",
    "ChatCompletionTool",
    "ChatCompletionToolChoiceOption",
  ])("of %s no kind that nobody decided about", (name) => {
    const kinds = chat.unions.get(name) ?? [];
    expect(kinds.length).toBeGreaterThan(1);
    expect(kinds.filter((kind) => !kind.startsWith("'") && decided[kind] === undefined)).toEqual([]);
  });

  test("three kinds of response_format", () => {
    const kinds = [...shared.members.keys()].filter((name) => /^ResponseFormat(?!TextGrammar|TextPython)\w+$/.test(name));
    expect(kinds.toSorted()).toEqual(["ResponseFormatJSONObject", "ResponseFormatJSONSchema", "ResponseFormatText"]);
  });
});

testDecided(decided, well, errorsOf);

test.each([
  "audio",
  "function_call",
  "functions",
  "logprobs",
  "max_tokens",
  "metadata",
  "modalities",
  "moderation",
  "n",
  "response_format",
  "stop",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "web_search_options",
])("%s: null is as if it were absent", (member) => {
  expect(well({ [member]: null })).toEqual({ ...well({}), pointerOf: expect.any(Function) as unknown });
});

test.each([{ n: 1 }, { logprobs: false }, { top_logprobs: 0 }, { functions: [] }, { modalities: ["text"] }, { tools: [] }, { stop: [] }])(
  "what asks for nothing is not refused: %j",
  (more) => expect(well(more).request).toEqual(well({}).request),
);

test("a request that names no limit gets one, and is told so", () => {
  const { request, notes } = well({ max_completion_tokens: undefined });
  expect(request.maxTokens).toBe(defaultMaxTokens);
  expect(notes).toEqual([expect.stringContaining(String(defaultMaxTokens))]);
});

test("a member that the API does not have is noted, and reviewers are not shown its name", () => {
  const { notes, ignored } = well({ "<b>free text": 1 });
  expect(notes).toEqual(["Not passed on: /<b>free text."]);
  expect(ignored).toEqual(["other"]);
});

describe("MCP preferences", () => {
  const preferred = (metadata: object): ParsedChat => well({ model: "auto", metadata });

  test("are those of the model auto, and are no metadata of the model's", () => {
    const metadata = { "mcp.hints": "claude, gpt", "mcp.costPriority": "0.2", "mcp.speedPriority": 1, team: "a" };
    const { request, notes } = preferred(metadata);
    expect(request).toMatchObject({
      modelPreferences: { hints: [{ name: "claude" }, { name: "gpt" }], costPriority: 0.2, speedPriority: 1 },
      metadata: { team: "a" },
    });
    expect(request.namedModel).toBeUndefined();
    expect(notes).toEqual([]);
  });

  test.each(["-1", "1.1", "much", " ", "NaN", 2])("a priority from 0 to 1, and no other: %j", (value) => {
    const parsed = parseChat({ ...base, model: "auto", metadata: { "mcp.costPriority": value } });
    expect(parsed).toMatchObject({ ok: false, error: { errors: [{ pointer: "/metadata/mcp.costPriority" }] } });
  });

  test("are noted where there are none of the name, and beside a model that was named", () => {
    expect(preferred({ "mcp.color": "red" }).notes).toEqual(["Not passed on: /metadata/mcp.color."]);
    const named = well({ metadata: { "mcp.hints": "claude" } });
    expect(named.notes).toEqual(["Not passed on: /metadata/mcp.hints."]);
    expect(named.request.metadata).toBeUndefined();
  });
});

describe("the conversation", () => {
  test("results of one turn's calls become one message, and instructions the system prompt, in their order", () => {
    const twice = ["a", "b"].map((id) => ({ id, type: "function", function: { name: "add", arguments: "" } }));
    const { request, notes } = well(
      withMessages(
        { role: "system", content: "s" },
        said,
        { role: "assistant", content: null, tool_calls: twice },
        { role: "tool", tool_call_id: "a", content: "1" },
        { role: "tool", tool_call_id: "b", content: "2" },
        { role: "developer", content: "d" },
        said,
      ),
    );
    expect(request.systemPrompt).toBe("s\n\nd");
    expect(request.messages.map(({ role, content }) => [role, content.length])).toEqual([
      ["user", 1],
      ["assistant", 2],
      ["user", 2],
      ["user", 1],
    ]);
    expect(notes).toEqual(["Moved before the conversation, into the system prompt: /messages/5."]);
  });

  test.each<[string, object[], object]>([
    ["instructions alone", [{ role: "system", content: "s" }], { errors: [{ pointer: "/messages" }] }],
    ["an assistant that says nothing", [said, { role: "assistant", content: "" }], { errors: [{ pointer: "/messages/1/content" }] }],
    ["a result of no call", [said, result], { errors: [{ pointer: "/messages/1/tool_call_id" }] }],
    [
      "a call without a result",
      [{ role: "system", content: "s" }, said, { role: "assistant", tool_calls: calls }],
      { kind: "toolResultMissing", pointer: "/messages/2/tool_calls/0" },
    ],
    [
      "a call's id twice",
      [said, { role: "assistant", tool_calls: [...calls, ...calls] }, result],
      { errors: [{ pointer: "/messages/1/tool_calls/1/id" }] },
    ],
    [
      "a result twice",
      [said, { role: "assistant", tool_calls: calls }, result, result],
      { errors: [{ pointer: "/messages/3/tool_call_id" }] },
    ],
  ])("is refused at its place: %s", (_what, messages, error) => {
    expect(read({ messages })).toMatchObject({ ok: false, error });
  });

  test.each([
    "http://x.example/a.png",
    "data:text/html;base64,aGk=",
    "data:image/png;base64,",
    "data:image/png,abc",
    "file:///etc/passwd",
    "",
  ])("an image is an https address or base64 of an image, not %j", (url) => {
    const [error] = errorsOf(withPart({ type: "image_url", image_url: { url } }));
    expect(error).toMatchObject({ pointer: "/messages/0/content/0/image_url/url" });
  });
});

test("what a tool takes is an object", () => {
  const typed = (type: unknown): object => ({ tools: [{ type: "function", function: { name: "f", parameters: { type } } }] });
  expect(errorsOf(typed("array"))).toMatchObject([{ pointer: "/tools/0/function/parameters" }]);
  expect(errorsOf(typed(["object", "null"]))).toMatchObject([{ pointer: "/tools/0/function/parameters" }]);
});

describe("hostile bodies", () => {
  test.each([
    ["a lone surrogate", '{"x":"\\ud800"}'],
    ["a member's name with one", '{"\\udc00":1}'],
    ["__proto__", '{"__proto__":{"admin":true}}'],
    ["a number that is too large", '{"x":1e999}'],
    ["65 levels", `${'{"x":'.repeat(65)}1${"}".repeat(65)}`],
    ["a million levels", "[".repeat(1_000_000)],
    ["a list", "[1]"],
    ["no JSON", "{x:1}"],
  ])("a call's arguments hold %s: refused at their place, as they would be in the body itself", (_what, text) => {
    const call = { id: "c", type: "function", function: { name: "add", arguments: text } };
    expect(errorsOf(called(call))).toMatchObject([{ pointer: "/messages/1/tool_calls/0/function/arguments" }]);
  });

  const nested = (levels: number): JsonObject => JSON.parse(`${'{"x":'.repeat(levels)}1${"}".repeat(levels)}`) as JsonObject;

  test.each<[string, unknown, string]>([
    ["a lone surrogate", { ...base, messages: [{ role: "user", content: "\ud800" }] }, "/messages/0/content"],
    [
      "65 levels",
      { ...base, tools: [{ type: "function", function: { name: "f", parameters: nested(62) } }] },
      "/tools/0/function/parameters",
    ],
    ["too many messages", { ...base, messages: times(mostMembers.messages + 1, said) }, "/messages"],
    ["too many parts in all", { ...base, messages: times(1_001, { role: "user", content: times(5, text) }) }, "/messages"],
    ["too many tools", { ...base, tools: times(mostMembers.tools + 1, add) }, "/tools"],
    ["too many ends", { ...base, stop: Array(mostMembers.stopSequences + 1).fill("x") }, "/stop"],
    ["too many hints", { ...base, model: "auto", metadata: { "mcp.hints": "a,".repeat(100_000) } }, "/metadata/mcp.hints"],
  ])("%s: refused", (_what, body, pointer) => {
    const parsed = parseChat(body);
    if (parsed.ok || parsed.error.kind !== "invalid") throw new Error("not refused");
    expect(parsed.error.errors[0]?.pointer.startsWith(pointer)).toBe(true);
  });

  test("__proto__ as JSON.parse gives it: refused, also in metadata", () => {
    const body: unknown = JSON.parse('{"model":"auto","messages":[{"role":"user","content":"?"}],"metadata":{"__proto__":"x"}}');
    expect(parseChat(body)).toMatchObject({ ok: false, error: { errors: [{ pointer: "/metadata" }] } });
  });

  test("64 levels, and the most parts, are read", () => {
    expect(well({ tools: [{ type: "function", function: { name: "f", parameters: nested(60) } }] }).request.tools).toHaveLength(1);
    const many = times(1_000, { role: "user", content: times(5, text) });
    expect(well({ messages: many }).request.messages).toHaveLength(1_000);
  });

  const samples = Object.values(decided).flatMap((members) => Object.values(members).map(([asked]) => ({ ...base, ...asked })));
  test("whatever is changed in a request, reading it never throws, and what is read has a digest", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(fc.tuple(fc.array(fc.nat(40), { maxLength: 7 }), odd), { minLength: 1, maxLength: 4 }),
        (sample, changes) => {
          const body = changes.reduce<unknown>((value, [steps, by]) => mutated(value, steps, by), sample);
          const parsed = parseChat(body);
          if (!parsed.ok) return;
          expect(digestOf("test", parsed.value.request)).toBeTypeOf("string");
          for (const [m, { content }] of parsed.value.request.messages.entries())
            for (const b of content.keys()) expect(parsed.value.pointerOf(m, b)).toMatch(/^\/messages\/\d/);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test("any value at all is read or refused", () => {
    fc.assert(fc.property(fc.anything(), (value) => void parseChat(value)));
  });
});

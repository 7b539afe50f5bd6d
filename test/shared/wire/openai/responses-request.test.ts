// Every member of the Responses API's request, as the official SDK declares it, is passed on, used
// for the answer, noted or refused; what is passed on is the neutral request that chat completions
// make of the same question.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../../shared/encoding.ts";
import { parseChat } from "../../../../shared/wire/openai/chat-request.ts";
import { defaultMaxTokens } from "../../../../shared/wire/openai/openai-request.ts";
import { parseResponses } from "../../../../shared/wire/openai/responses-request.ts";
import { mostMembers } from "../../../../shared/wire/mcp-2025/sampling-params.ts";
import { pdf, pdfUrl } from "../../../support/pdf-file.ts";
import { type DecidedMembers, mutated, notedAt, odd, refusedAt, testDecided } from "./decided.ts";
import { sdkTypes } from "./sdk-types.ts";

const base = { model: "m", input: "?", max_output_tokens: 9 };
const said = { role: "user", content: "?" };
const input = (...items: object[]): object => ({ input: items });
const part = (one: object): object => input({ role: "user", content: [one] });
const text = { type: "input_text", text: "t" };
const call = { type: "function_call", call_id: "c", name: "add", arguments: '{"x":1}' };
const result = { type: "function_call_output", call_id: "c", output: "2" };
const called = (more: object): object => input(said, { ...call, ...more }, result);
const answered = (more: object): object => input(said, call, { ...result, ...more });
const picture = "aGVsbG8=";
const image = { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${picture}` };
const imageBlock = { type: "image", data: picture, mimeType: "image/png" };
const output = (more: object): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "t", annotations: [], logprobs: [] }],
  ...more,
});
const add = { type: "function", name: "add", description: "Adds.", parameters: { type: "object", required: ["x"] }, strict: false };
const offered = { name: "add", description: "Adds.", inputSchema: { type: "object", required: ["x"] } };
const sub = { type: "function", name: "sub", parameters: null, strict: null };
const schema = { type: "object", properties: { x: { type: "number" } } };
const format = (more: object): object => ({ text: { format: { type: "json_schema", name: "n", schema, ...more } } });
const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" } };
const user = (...content: object[]): object => ({ messages: [{ role: "user", content }] });
const hosted = "no reviewer sees what they send out";
const notStored = "not stored";
const file = (more: object): object => part({ type: "input_file", file_data: pdfUrl, ...more });

const decided: DecidedMembers = {
  ResponseCreateParamsBase: {
    access_programs: [{ access_programs: { cyber: "standard" } }, notedAt("/access_programs", "access_programs")],
    background: [{ background: true }, refusedAt("/background", "must be false")],
    context_management: [{ context_management: [{ type: "compaction" }] }, notedAt("/context_management", "context_management")],
    conversation: [{ conversation: "conv_1" }, refusedAt("/conversation", notStored)],
    image: [{ image: { context_compression: "auto" } }, notedAt("/image", "image")],
    include: [{ include: ["message.output_text.logprobs"] }, refusedAt("/include", "has no probabilities")],
    input: [{}, { passed: user({ type: "text", text: "?" }) }],
    instructions: [{ instructions: "s" }, { passed: { systemPrompt: "s" } }],
    max_output_tokens: [{}, { passed: { maxTokens: 9 } }],
    max_tool_calls: [{ max_tool_calls: 3 }, notedAt("/max_tool_calls", "max_tool_calls")],
    metadata: [{ metadata: { team: "a" } }, { passed: { metadata: { team: "a" } } }],
    model: [{}, { passed: { namedModel: { name: "m" }, modelPreferences: { hints: [{ name: "m" }] } } }],
    moderation: [{ moderation: { model: "x" } }, refusedAt("/moderation", "not sent to another model")],
    parallel_tool_calls: [{ tools: [add], parallel_tool_calls: false }, { passed: { parallelToolCalls: false } }],
    previous_response_id: [{ previous_response_id: "resp_1" }, refusedAt("/previous_response_id", "send the whole conversation")],
    prompt: [{ prompt: { id: "pmpt_1" } }, refusedAt("/prompt", "only OpenAI has")],
    prompt_cache_key: [{ prompt_cache_key: "k" }, notedAt("/prompt_cache_key", "prompt_cache_key")],
    prompt_cache_options: [{ prompt_cache_options: { mode: "implicit" } }, notedAt("/prompt_cache_options", "prompt_cache_options")],
    prompt_cache_retention: [{ prompt_cache_retention: "24h" }, notedAt("/prompt_cache_retention", "prompt_cache_retention")],
    reasoning: [{ reasoning: { effort: "low" } }, notedAt("/reasoning", "reasoning")],
    safety_identifier: [{ safety_identifier: "s" }, notedAt("/safety_identifier", "safety_identifier")],
    service_tier: [{ service_tier: "flex" }, notedAt("/service_tier", "service_tier")],
    store: [{ store: true }, refusedAt("/store", notStored)],
    stream: [{ stream: true }, { answered: { stream: true } }],
    stream_options: [{ stream_options: { a: 1 } }, notedAt("/stream_options/a", "stream_options")],
    temperature: [{ temperature: 0.5 }, { passed: { temperature: 0.5 } }],
    text: [{ text: { format: { type: "json_object" } } }, { passed: { responseFormat: { type: "json" } } }],
    tool_choice: [{ tools: [add], tool_choice: "required" }, { passed: { toolChoice: "required" } }],
    tools: [{ tools: [add] }, { passed: { tools: [offered] } }],
    top_logprobs: [{ top_logprobs: 2 }, refusedAt("/top_logprobs", "has no probabilities")],
    top_p: [{ top_p: 0.5 }, { passed: { topP: 0.5 } }],
    truncation: [{ truncation: "auto" }, notedAt("/truncation", "truncation")],
    user: [{ user: "u" }, notedAt("/user", "user")],
  },
  "ResponseCreateParams.StreamOptions": {
    include_obfuscation: [
      { stream_options: { include_obfuscation: true } },
      notedAt("/stream_options/include_obfuscation", "stream_options"),
    ],
  },
  EasyInputMessage: {
    content: [input({ role: "user", content: [text] }), { passed: user({ type: "text", text: "t" }) }],
    role: [input({ role: "developer", content: "s" }, said), { passed: { systemPrompt: "s" } }],
    phase: [input(said, { role: "assistant", content: "a", phase: "commentary" }), notedAt("/input/1/phase", "input")],
    type: [input({ type: "message", ...said }), { silent: "/input/0/type" }],
  },
  "ResponseInputItem.Message": {
    content: [input({ type: "message", role: "system", content: [text] }, said), { passed: { systemPrompt: "t" } }],
    role: [input({ type: "message", role: "tool", content: "s" }, said), refusedAt("/input/0/role", "must be one of")],
    status: [input({ ...said, status: "completed" }), { silent: "/input/0/status" }],
    type: [input({ ...said, type: "message" }), { silent: "/input/0/type" }],
  },
  ResponseOutputMessage: {
    id: [input(said, output({})), { silent: "/input/1/id" }],
    content: [input(said, output({})), { passed: { messages: [{}, { role: "assistant", content: [{ type: "text", text: "t" }] }] } }],
    role: [input(said, output({})), { passed: { messages: [{}, { role: "assistant" }] } }],
    status: [input(said, output({})), { silent: "/input/1/status" }],
    type: [input(said, output({})), { silent: "/input/1/type" }],
    phase: [input(said, output({ phase: "final_answer" })), notedAt("/input/1/phase", "input")],
  },
  ResponseInputText: {
    text: [part(text), { passed: user({ text: "t" }) }],
    type: [part(text), { passed: user({ type: "text" }) }],
    prompt_cache_breakpoint: [part({ ...text, ...breakpoint }), notedAt("/input/0/content/0/prompt_cache_breakpoint", "input")],
  },
  ResponseInputImage: {
    detail: [part({ ...image, detail: "low" }), notedAt("/input/0/content/0/detail", "input")],
    type: [part(image), { passed: user(imageBlock) }],
    file_id: [part({ type: "input_image", file_id: "f" }), refusedAt("/input/0/content/0/file_id", "send the image")],
    image_url: [
      part({ ...image, image_url: "https://x.example/a.png" }),
      { answered: { addresses: [{ message: 0, block: 0, url: "https://x.example/a.png", pointer: "/input/0/content/0/image_url" }] } },
    ],
    prompt_cache_breakpoint: [part({ ...image, ...breakpoint }), notedAt("/input/0/content/0/prompt_cache_breakpoint", "input")],
  },
  ResponseInputFile: {
    type: [file({}), { passed: user({ type: "pdf", data: pdf }) }],
    detail: [file({ detail: "low" }), notedAt("/input/0/content/0/detail", "input")],
    file_data: [file({ file_data: pdf }), refusedAt("/input/0/content/0/file_data", "must be a data: URL of a PDF")],
    file_id: [file({ file_id: "f" }), refusedAt("/input/0/content/0/file_id", "send a PDF in file_data")],
    file_url: [file({ file_url: "https://x.example/a.pdf" }), refusedAt("/input/0/content/0/file_url", "no file is fetched")],
    filename: [file({ filename: "a.pdf" }), { passed: user({ type: "pdf", name: "a.pdf" }) }],
    prompt_cache_breakpoint: [file({ ...breakpoint }), notedAt("/input/0/content/0/prompt_cache_breakpoint", "input")],
  },
  ResponseOutputText: {
    annotations: [input(said, output({})), { silent: "/input/1/content/0/annotations" }],
    text: [input(said, output({})), { passed: { messages: [{}, { content: [{ text: "t" }] }] } }],
    type: [input(said, output({ content: [{ type: "x" }] })), refusedAt("/input/1/content/0/type", "must be one of")],
    logprobs: [input(said, output({})), { silent: "/input/1/content/0/logprobs" }],
  },
  ResponseOutputRefusal: {
    refusal: [
      input(said, output({ content: [{ type: "refusal", refusal: "No." }] })),
      { passed: { messages: [{}, { content: [{ type: "text", text: "No." }] }] } },
    ],
    type: [
      input(said, output({ content: [{ type: "refusal", refusal: "No." }] })),
      { passed: { messages: [{}, { content: [{ type: "text" }] }] } },
    ],
  },
  ResponseFunctionToolCall: {
    arguments: [called({}), { passed: { messages: [{}, { content: [{ input: { x: 1 } }] }, {}] } }],
    call_id: [called({}), { passed: { messages: [{}, { content: [{ type: "tool_use", id: "c" }] }, {}] } }],
    name: [called({}), { passed: { messages: [{}, { content: [{ name: "add" }] }, {}] } }],
    type: [called({ type: "custom_tool_call" }), refusedAt("/input/1/type", "tools that are not supported")],
    id: [called({ id: "fc_1" }), { silent: "/input/1/id" }],
    async: [called({ async: true }), notedAt("/input/1/async", "input")],
    caller: [called({ caller: { type: "direct" } }), notedAt("/input/1/caller", "input")],
    namespace: [called({ namespace: "n" }), notedAt("/input/1/namespace", "input")],
    status: [called({ status: "completed" }), { silent: "/input/1/status" }],
  },
  "ResponseInputItem.FunctionCallOutput": {
    output: [answered({}), { passed: { messages: [{}, {}, { content: [{ content: [{ type: "text", text: "2" }] }] }] } }],
    type: [answered({}), { passed: { messages: [{}, {}, { role: "user", content: [{ type: "tool_result" }] }] } }],
    id: [answered({ id: "o" }), { silent: "/input/2/id" }],
    call_id: [answered({}), { passed: { messages: [{}, {}, { content: [{ toolUseId: "c" }] }] } }],
    caller: [answered({ caller: { type: "direct" } }), notedAt("/input/2/caller", "input")],
    name: [answered({ name: "add" }), notedAt("/input/2/name", "input")],
    namespace: [answered({ namespace: "n" }), notedAt("/input/2/namespace", "input")],
    status: [answered({ status: "completed" }), { silent: "/input/2/status" }],
  },
  ResponseInputTextContent: {
    text: [answered({ output: [text] }), { passed: { messages: [{}, {}, { content: [{ content: [{ text: "t" }] }] }] } }],
    type: [answered({ output: [text] }), { passed: { messages: [{}, {}, { content: [{ content: [{ type: "text" }] }] }] } }],
    prompt_cache_breakpoint: [
      answered({ output: [{ ...text, ...breakpoint }] }),
      notedAt("/input/2/output/0/prompt_cache_breakpoint", "input"),
    ],
  },
  ResponseInputImageContent: {
    type: [answered({ output: [image] }), { passed: { messages: [{}, {}, { content: [{ content: [imageBlock] }] }] } }],
    detail: [answered({ output: [{ ...image, detail: "high" }] }), notedAt("/input/2/output/0/detail", "input")],
    file_id: [answered({ output: [{ type: "input_image", file_id: "f" }] }), refusedAt("/input/2/output/0/file_id", "send the image")],
    image_url: [
      answered({ output: [{ ...image, image_url: "https://x.example/a.png" }] }),
      refusedAt("/input/2/output/0/image_url", "must be a data: URL"),
    ],
    prompt_cache_breakpoint: [
      answered({ output: [{ ...image, ...breakpoint }] }),
      notedAt("/input/2/output/0/prompt_cache_breakpoint", "input"),
    ],
  },
  ResponseReasoningItem: {
    id: [input(said, { type: "reasoning", id: "rs_1", summary: [] }), notedAt("/input/1", "input")],
    summary: [input(said, { type: "reasoning", id: "rs_1", summary: [] }), notedAt("/input/1", "input")],
    type: [input(said, { type: "reasoning", id: "rs_1", summary: [] }), notedAt("/input/1", "input")],
    content: [input(said, { type: "reasoning", id: "rs_1", content: [] }), notedAt("/input/1", "input")],
    encrypted_content: [input(said, { type: "reasoning", id: "rs_1", encrypted_content: "x" }), notedAt("/input/1", "input")],
    status: [input(said, { type: "reasoning", id: "rs_1", status: "completed" }), notedAt("/input/1", "input")],
  },
  "ResponseInputItem.ItemReference": {
    id: [input(said, { id: "msg_1" }), refusedAt("/input/1", notStored)],
    type: [input(said, { id: "msg_1", type: "item_reference" }), refusedAt("/input/1", notStored)],
  },
  FunctionTool: {
    name: [{ tools: [sub] }, { passed: { tools: [{ name: "sub", inputSchema: { type: "object", properties: {} } }] } }],
    parameters: [{ tools: [add] }, { passed: { tools: [{ inputSchema: { type: "object", required: ["x"] } }] } }],
    strict: [{ tools: [{ ...add, strict: true }] }, notedAt("/tools/0/strict", "tools")],
    type: [{ tools: [{ type: "web_search" }] }, refusedAt("/tools/0/type", hosted)],
    allowed_callers: [{ tools: [{ ...add, allowed_callers: ["direct"] }] }, notedAt("/tools/0/allowed_callers", "tools")],
    async: [{ tools: [{ ...add, async: true }] }, notedAt("/tools/0/async", "tools")],
    defer_loading: [{ tools: [{ ...add, defer_loading: true }] }, notedAt("/tools/0/defer_loading", "tools")],
    description: [{ tools: [add] }, { passed: { tools: [{ description: "Adds." }] } }],
    output_schema: [{ tools: [{ ...add, output_schema: {} }] }, notedAt("/tools/0/output_schema", "tools")],
  },
  ToolChoiceFunction: {
    name: [{ tools: [add, sub], tool_choice: { type: "function", name: "add" } }, { passed: { tools: [offered], toolChoice: "required" } }],
    type: [{ tools: [add], tool_choice: { type: "web_search" } }, refusedAt("/tool_choice/type", "must be one of")],
  },
  ToolChoiceAllowed: {
    mode: [
      { tools: [add, sub], tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "add" }] } },
      { passed: { tools: [offered], toolChoice: "auto" } },
    ],
    tools: [
      { tools: [add], tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "sub" }] } },
      refusedAt("/tool_choice", "names a tool"),
    ],
    type: [
      { tools: [add], tool_choice: { type: "allowed", mode: "auto", tools: [{ type: "function", name: "add" }] } },
      refusedAt("/tool_choice/type", "must be one of"),
    ],
  },
  ResponseTextConfig: {
    format: [format({}), { passed: { responseFormat: { type: "json", schema } } }],
    verbosity: [{ text: { verbosity: "low" } }, notedAt("/text/verbosity", "text")],
  },
  ResponseFormatTextJSONSchemaConfig: {
    name: [format({ name: "" }), refusedAt("/text/format/name", "must not be empty")],
    schema: [format({}), { passed: { responseFormat: { schema } } }],
    type: [format({ type: "yaml" }), refusedAt("/text/format/type", "must be one of")],
    description: [format({ description: "d" }), notedAt("/text/format/description", "text")],
    strict: [format({ strict: false }), notedAt("/text/format/strict", "text")],
  },
};

const read = (more: object): ReturnType<typeof parseResponses> => parseResponses({ ...base, ...more });
const well = (more: object) => {
  const parsed = read(more);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};
const errorsOf = (more: object): readonly object[] => {
  const parsed = read(more);
  return parsed.ok || parsed.error.kind !== "invalid" ? [] : parsed.error.errors;
};

describe("the SDK declares", () => {
  const { members } = sdkTypes("responses/responses");

  test.each(Object.keys(decided))("of %s no member that nobody decided about", (name) => {
    expect(members.get(name)?.toSorted()).toEqual(Object.keys(decided[name] ?? {}).toSorted());
  });
});

testDecided(decided, well, errorsOf);

test.each([
  { background: false },
  { include: ["reasoning.encrypted_content"] },
  { include: [] },
  { store: false },
  { text: {} },
  { text: { format: { type: "text" } } },
  { tools: [] },
  { top_logprobs: 0 },
  { truncation: "disabled" },
  ...Object.keys(decided["ResponseCreateParamsBase"] ?? {}).flatMap((name) =>
    ["model", "input", "max_output_tokens"].includes(name) ? [] : [{ [name]: null }],
  ),
])("what asks for nothing is as if it were absent: %j", (more) => {
  const { request, echo } = well(more);
  expect({ request, echo }).toMatchObject({ request: well({}).request, echo: well({}).echo });
});

test("a request that names no limit gets one, and is told so", () => {
  const { request, notes, echo } = well({ max_output_tokens: undefined });
  expect([request.maxTokens, echo["max_output_tokens"]]).toEqual([defaultMaxTokens, defaultMaxTokens]);
  expect(notes).toEqual([expect.stringContaining("max_output_tokens was not given")]);
});

test("what the answer repeats of the request is what holds", () => {
  const choice = { type: "function", name: "add" };
  const { echo } = well({ instructions: "s", tools: [{ ...add, strict: true }, sub], tool_choice: choice, ...format({}) });
  expect(echo).toMatchObject({
    instructions: "s",
    tools: [
      { ...add, strict: false },
      { name: "sub", parameters: null, strict: false },
    ],
    tool_choice: choice,
    text: { format: { type: "json_schema", name: "n", schema, strict: true } },
  });
});

test.each([
  "web_search",
  "file_search",
  "mcp",
  "code_interpreter",
  "computer_use_preview",
  "image_generation",
  "shell",
  "custom",
  "namespace",
])("a tool that is no function is refused: %s", (type) =>
  expect(errorsOf({ tools: [{ type }] })).toEqual([{ pointer: "/tools/0/type", message: expect.stringContaining(hosted) as string }]),
);

describe("the conversation", () => {
  const twice = ["a", "b"].map((id) => ({ ...call, call_id: id }));
  const outputs = ["a", "b"].map((id) => ({ ...result, call_id: id }));

  test("calls join what the assistant said, and their results are one message; reasoning between them is nothing", () => {
    const { request, notes } = well(
      input(
        { role: "system", content: "s" },
        said,
        output({}),
        { type: "reasoning", id: "rs_1", summary: [] },
        ...twice,
        ...outputs,
        { role: "developer", content: "d" },
        said,
      ),
    );
    expect(request.systemPrompt).toBe("s\n\nd");
    expect(request.messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["text", "tool_use", "tool_use"]],
      ["user", ["tool_result", "tool_result"]],
      ["user", ["text"]],
    ]);
    expect(notes).toEqual(["Moved before the conversation, into the system prompt: /input/8.", "Not passed on: /input/3."]);
  });

  test("instructions come before those of the conversation", () => {
    expect(well({ instructions: "first", ...input({ role: "developer", content: "then" }, said) }).request.systemPrompt).toBe(
      "first\n\nthen",
    );
  });

  test("an assistant's message without a word is left out", () => {
    expect(well(input(said, { role: "assistant", content: "" }, said)).request.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  test.each<[string, object[], object]>([
    ["instructions alone", [{ role: "system", content: "s" }], { errors: [{ pointer: "/input" }] }],
    ["nothing", [], { errors: [{ pointer: "/input" }] }],
    ["a result of no call", [said, result], { errors: [{ pointer: "/input/1/call_id" }] }],
    ["a call without a result", [said, call], { kind: "toolResultMissing", pointer: "/input/1" }],
    ["a call's id twice", [said, call, call, result], { errors: [{ pointer: "/input/2/call_id" }] }],
    ["a result twice", [said, call, result, result], { errors: [{ pointer: "/input/3/call_id" }] }],
    ["arguments that are no object", [said, { ...call, arguments: "[1]" }, result], { errors: [{ pointer: "/input/1/arguments" }] }],
  ])("is refused at its place: %s", (_what, items, error) => {
    expect(read(input(...items))).toMatchObject({ ok: false, error });
  });

  test.each<[string, object, object]>([
    ["a text", { input: "?" }, { messages: [{ role: "user", content: "?" }] }],
    [
      "instructions, tools and JSON",
      { instructions: "s", tools: [add], tool_choice: "auto", ...format({}) },
      {
        messages: [
          { role: "system", content: "s" },
          { role: "user", content: "?" },
        ],
        tools: [{ type: "function", function: { name: "add", description: "Adds.", parameters: add.parameters } }],
        tool_choice: "auto",
        response_format: { type: "json_schema", json_schema: { name: "n", schema } },
      },
    ],
    [
      "a loop of tools",
      input(said, output({}), ...twice, ...outputs),
      {
        messages: [
          said,
          {
            role: "assistant",
            content: "t",
            tool_calls: ["a", "b"].map((id) => ({ id, type: "function", function: { name: "add", arguments: call.arguments } })),
          },
          ...["a", "b"].map((id) => ({ role: "tool", tool_call_id: id, content: "2" })),
        ],
      },
    ],
    ["an image", part(image), { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: image.image_url } }] }] }],
  ])("is the neutral request that a chat completion makes of it: %s", (_what, more, chat) => {
    const other = parseChat({ model: "m", max_completion_tokens: 9, ...chat });
    expect(other).toMatchObject({ ok: true, value: { request: well(more).request } });
  });
});

describe("hostile bodies", () => {
  const samples = Object.values(decided).flatMap((members) => Object.values(members).map(([asked]) => ({ ...base, ...asked })));

  test.each<[string, object, string]>([
    ["too many items", { input: Array.from({ length: mostMembers.messages + 1 }, () => said) }, "/input"],
    [
      "too many parts in all",
      { input: Array.from({ length: 1_001 }, () => ({ role: "user", content: [text, text, text, text, text] })) },
      "/input",
    ],
    ["too many tools", { tools: Array.from({ length: mostMembers.tools + 1 }, () => add) }, "/tools"],
    ["a lone surrogate", { input: "\ud800" }, "/input"],
  ])("%s: refused", (_what, more, pointer) => {
    expect(errorsOf(more)).toContainEqual({ pointer, message: expect.any(String) as string });
  });

  test("whatever is changed in a request, reading it never throws, and what is read has a digest", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(fc.tuple(fc.array(fc.nat(40), { maxLength: 7 }), odd), { minLength: 1, maxLength: 4 }),
        (sample, changes) => {
          const parsed = parseResponses(changes.reduce<unknown>((value, [steps, by]) => mutated(value, steps, by), sample));
          if (!parsed.ok) return;
          expect(digestOf("test", parsed.value.request)).toBeTypeOf("string");
          for (const [m, { content }] of parsed.value.request.messages.entries())
            for (const b of content.keys()) expect(parsed.value.pointerOf(m, b)).toMatch(/^\/input/);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test("any value at all is read or refused", () => {
    fc.assert(fc.property(fc.anything(), (value) => void parseResponses(value)));
  });
});

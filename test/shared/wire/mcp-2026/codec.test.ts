import { describe, expect, test } from "vitest";
import type { ReplyBlock } from "../../../../shared/model/sampling.ts";
import { completed } from "../../../../shared/run/run-outcome.ts";
import { codecs2025 } from "../../../../shared/wire/mcp-2025/codec.ts";
import { codec2026 } from "../../../../shared/wire/mcp-2026/codec.ts";
import { fixture, officialErrors } from "../official.ts";

const codec2025 = codecs2025["2025-11-25"];
const hello = { role: "user", content: { type: "text", text: "hello" } };
const params = (more: object = {}): object => ({ messages: [hello], maxTokens: 100, ...more });
const withTool = (tool: object): object => params({ tools: [{ name: "t", inputSchema: { type: "object" }, ...tool }] });
const withResult = (structuredContent: unknown): object =>
  params({
    messages: [
      { role: "assistant", content: { type: "tool_use", id: "1", name: "t", input: {} } },
      { role: "user", content: { type: "tool_result", toolUseId: "1", content: [], structuredContent } },
    ],
  });

describe("params of sampling in revision 2026-07-28", () => {
  test.each<readonly [string, unknown]>([
    ...["basic-request", "request-with-tools", "follow-up-with-tool-results"].map(
      (name) => [name, fixture(`2026-07-28/examples/CreateMessageRequestParams/${name}.json`)] as const,
    ),
    ["of a request", (fixture("2026-07-28/examples/CreateMessageRequest/sampling-request.json") as { params: unknown }).params],
    [
      "of a round of input",
      (
        fixture("2026-07-28/examples/InputRequests/elicitation-and-sampling-input-requests.json") as {
          capital_of_france: { params: unknown };
        }
      ).capital_of_france.params,
    ],
  ])("are read where they are an official example: %s", (_name, example) => {
    expect(officialErrors("2026-07-28", "CreateMessageRequestParams", example)).toEqual([]);
    expect(codec2026.decode(example)).toEqual(codec2025.decode(example));
    expect(codec2026.decode(example)).toMatchObject({ ok: true });
  });

  /** Whether each revision takes it, by its official schema and by its codec. */
  test.each<[string, object, { readonly before: boolean; readonly now: boolean }]>([
    ["plain", params(), { before: true, now: true }],
    ["without messages", { maxTokens: 1 }, { before: false, now: false }],
    ["with a task, which is a member without meaning now", params({ task: { ttl: "long" } }), { before: false, now: true }],
    ["with structured content that is a list", withResult([1, 2]), { before: false, now: true }],
    ["with structured content that is a text", withResult("done"), { before: false, now: true }],
    ["with structured content that is null", withResult(null), { before: false, now: true }],
    [
      "with a tool's schema of any form",
      withTool({ inputSchema: { type: "object", properties: { a: true } } }),
      { before: false, now: true },
    ],
    ["with a tool's schema of another type", withTool({ inputSchema: { type: "array" } }), { before: false, now: false }],
    ["with an output of another type", withTool({ outputSchema: { type: "array" } }), { before: false, now: true }],
    ["with an output schema that is none", withTool({ outputSchema: true }), { before: false, now: false }],
    ["with a tool's execution", withTool({ execution: { taskSupport: "never" } }), { before: false, now: true }],
  ])("%s", (_what, given, { before, now }) => {
    for (const [revision, codec, taken] of [
      ["2025-11-25", codec2025, before],
      ["2026-07-28", codec2026, now],
    ] as const) {
      expect([revision, officialErrors(revision, "CreateMessageRequestParams", given).length === 0]).toEqual([revision, taken]);
      expect([revision, codec.decode(given).ok]).toEqual([revision, taken]);
    }
  });

  test("never run as a task", () => {
    expect(codec2026.decode(params({ task: { ttl: 1 } }))).toEqual(codec2026.decode(params()));
  });

  test.each([
    [{ a: 1 }, { a: 1 }],
    [[1], { result: [1] }],
    [null, { result: null }],
    ["done", { result: "done" }],
  ])("with structured content %j have it as the object %j", (given, read) => {
    const decoded = codec2026.decode(withResult(given));
    expect(decoded.ok && decoded.value.request.messages[1]?.content[0]).toMatchObject({ structuredContent: read });
  });

  test("keep a tool's schema as it came", () => {
    const inputSchema = { type: "object", oneOf: [{ required: ["a"] }], properties: { a: false }, required: "all" };
    const decoded = codec2026.decode(withTool({ inputSchema }));
    expect(decoded.ok && decoded.value.request.tools).toEqual([{ name: "t", inputSchema }]);
  });
});

describe("a reply in revision 2026-07-28", () => {
  test.each(["text-response", "final-response", "tool-use-response"])("is the official example where the reply is the same: %s", (name) => {
    const example = fixture(`2026-07-28/examples/CreateMessageResult/${name}.json`) as {
      content: ReplyBlock | ReplyBlock[];
      model: string;
      stopReason: string;
    };
    const { model, stopReason } = example;
    const reply = { content: [example.content].flat(), model, stopReason };
    const meta = {
      id: "run-1",
      model: { id: "p/m", why: "It was asked for." },
      edited: { request: false, response: false },
      usage: { inputTokens: 1, outputTokens: 2, costUsd: 0 },
    };
    const answer = codec2026.encode(completed(reply, { kind: "chat", messages: [], maxTokens: 1, tools: [] }, meta));
    const { _meta, ...result } = "result" in answer ? answer.result : {};
    expect(result).toEqual(example);
    expect(officialErrors("2026-07-28", "CreateMessageResult", { ...result, _meta })).toEqual([]);
    expect(officialErrors("2026-07-28", "InputResponses", { reply: result })).toEqual([]);
  });
});

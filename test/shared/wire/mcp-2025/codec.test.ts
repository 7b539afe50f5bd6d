import { describe, expect, test } from "vitest";
import type { Outcome, RunMeta } from "../../../../shared/model/outcome.ts";
import type { ReplyBlock, SamplingReply, ChatRequest } from "../../../../shared/model/sampling.ts";
import { completed } from "../../../../shared/run/run-outcome.ts";
import { responseOf } from "../../../../shared/wire/json-rpc.ts";
import { codecs2025 } from "../../../../shared/wire/mcp-2025/codec.ts";
import { features2026 } from "../../../../shared/wire/mcp-2026/features.ts";
import { features2025, type Revision2025 } from "../../../../shared/wire/mcp-2025/features.ts";
import { defaultCodec, mcpCodec } from "../../../../shared/wire/mcp-codecs.ts";
import { featuresOf, isKnownRevision } from "../../../../shared/wire/mcp-features.ts";
import { fixture, officialErrors } from "../official.ts";

const plain: ChatRequest = { kind: "chat", messages: [], maxTokens: 1 };
const tools: ChatRequest = { ...plain, tools: [] };
const text = (said: string): ReplyBlock => ({ type: "text", text: said });
const image: ReplyBlock = { type: "image", data: "AAAA", mimeType: "image/png" };
const audio: ReplyBlock = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
const use: ReplyBlock = { type: "tool_use", id: "1", name: "t", input: { a: 1 } };
const reply = (...content: ReplyBlock[]): SamplingReply => ({ content, model: "m-1", stopReason: "endTurn" });
const meta: RunMeta = {
  id: "run-1",
  model: { id: "p/m", why: "It was asked for." },
  edited: { request: false, response: true },
  usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.25 },
};
const older = ["2024-11-05", "2025-03-26", "2025-06-18"] as const;
const revisions = Object.keys(codecs2025) as Revision2025[]; // its own names

const encode = (revision: Revision2025, given: SamplingReply, request = plain) =>
  codecs2025[revision].encode(completed(given, request, meta));
const resultIn = (answer: ReturnType<typeof encode>) => ("result" in answer ? answer.result : {});

describe("a reply in revision 2025-11-25", () => {
  test.each<[string, ReplyBlock[], ChatRequest, unknown]>([
    ["one text as an object", [text("a")], plain, text("a")],
    ["one text as an object, with tools too", [text("a")], tools, text("a")],
    ["one tool use as an object", [use], tools, use],
    ["several texts joined with nothing between them", [text("a"), text("b")], plain, text("ab")],
    ["several texts as they are where the request had tools", [text("a"), text("b")], tools, [text("a"), text("b")]],
    ["text and a tool use as a list", [text("a"), use], tools, [text("a"), use]],
    ["text and an image as a list, since nothing may be lost", [text("a"), image], plain, [text("a"), image]],
    ["nothing as an empty text", [], plain, text("")],
    ["nothing as an empty text, with tools too", [], tools, text("")],
  ])("has %s", (_what, content, request, expected) => {
    const result = resultIn(encode("2025-11-25", reply(...content), request));
    expect(result).toEqual({
      role: "assistant",
      content: expected,
      model: "m-1",
      stopReason: "endTurn",
      _meta: { "countersign/run": meta },
    });
    expect(officialErrors("2025-11-25", "CreateMessageResult", result)).toEqual([]);
    expect(officialErrors("2026-07-28", "CreateMessageResult", result)).toEqual([]);
  });

  test("leaves the stop reason out where the provider gave none", () => {
    expect(resultIn(encode("2025-11-25", { content: [text("a")], model: "m" }))).not.toHaveProperty("stopReason");
  });

  test("says when it was cached, and leaves out the notes, for which a result has no place", () => {
    const more: RunMeta = { ...meta, cachedAt: 7, notes: [{ kind: "contextAdded", parts: ["arguments"], characters: 1 }] };
    expect(resultIn(codecs2025["2025-11-25"].encode(completed(reply(text("a")), plain, more)))).toMatchObject({
      _meta: { "countersign/run": { ...meta, cachedAt: 7 } },
    });
    expect(JSON.stringify(codecs2025["2025-11-25"].encode(completed(reply(text("a")), plain, more)))).not.toContain("contextAdded");
  });

  test.each([
    "2026-07-28/examples/CreateMessageResult/text-response.json",
    "2026-07-28/examples/CreateMessageResult/final-response.json",
    "2026-07-28/examples/CreateMessageResult/tool-use-response.json",
  ])("is the official example where the reply is the same: %s", (path) => {
    expect(resultLike(fixture(path))).toEqual(fixture(path));
  });

  test.each([
    "documentation/2024-11-05/result.json",
    "documentation/2025-06-18/result.json",
    "documentation/2025-11-25/result.json",
    "documentation/2025-11-25/result-with-tool-uses.json",
    "documentation/2025-11-25/result-after-tools.json",
  ])("in a response is the official message where the reply is the same: %s", (path) => {
    const message = fixture(path) as { id: number; result: unknown }; // of the documentation
    expect(responseOf(message.id, { result: resultLike(message.result) })).toEqual(message);
  });

  /** The result that we give for the reply that an example shows, without our own _meta. */
  function resultLike(example: unknown) {
    const { content, model, stopReason } = example as { content: ReplyBlock | ReplyBlock[]; model: string; stopReason: string };
    const { _meta, ...result } = resultIn(encode("2025-11-25", { content: [content].flat(), model, stopReason }, tools));
    return result;
  }
});

describe("a reply in an older revision", () => {
  test.each(older)("of %s always has one block and stands in its schema", (revision) => {
    for (const content of [[text("a")], [text("a"), text("b")], [image], [], ...(revision === "2024-11-05" ? [] : [[audio]])]) {
      const result = resultIn(encode(revision, reply(...content)));
      expect(result).toMatchObject({ role: "assistant", model: "m-1", _meta: { "countersign/run": meta } });
      expect(officialErrors(revision, "CreateMessageResult", result)).toEqual([]);
    }
    expect(resultIn(encode(revision, reply(text("a"), text("b"))))).toMatchObject({ content: text("ab") });
    // Also where the request had tools, of which the revision knows nothing.
    expect(resultIn(encode(revision, reply(text("a"), text("b")), tools))).toMatchObject({ content: text("ab") });
  });

  test.each<[(typeof older)[number], ReplyBlock[], string]>([
    ["2025-06-18", [use], "tool_use"],
    ["2025-06-18", [text("a"), image], "text, image"],
    ["2024-11-05", [audio], "audio"],
  ])("of %s is an error that names what the revision cannot carry, and not cut", (revision, content, types) => {
    expect(encode(revision, reply(...content))).toEqual({
      error: {
        code: -32603,
        message: `The reply has blocks that revision ${revision} of the protocol cannot carry as one (${types}); ask for text alone, or use revision 2025-11-25`,
      },
    });
  });
});

test("an outcome without a reply is the same error in every revision, without what belongs to HTTP", () => {
  const outcomes: Outcome[] = [
    { kind: "rejected", gate: "request", reason: "No." },
    { kind: "expired", gate: "response" },
    { kind: "undeliverable", gate: "request" },
    { kind: "cancelled" },
    { kind: "failed", attempts: [] },
    { kind: "broken", quote: "q" },
    { kind: "refused", refusal: { kind: "policyRefused", rule: "r" } },
  ];
  for (const outcome of outcomes) {
    const answers = revisions.map((revision) => codecs2025[revision].encode(outcome));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toEqual({ error: expect.objectContaining({ code: expect.any(Number), message: expect.any(String) }) });
    expect(answers[0]).not.toHaveProperty("error.status");
    expect(answers[0]).not.toHaveProperty("error.retryAfterMs");
  }
});

describe("the registry", () => {
  test("has each revision's own codec, and the newest of the family for whoever says none that is spoken here", () => {
    for (const revision of [...revisions, "2026-07-28"]) expect(mcpCodec(revision).revision).toBe(revision);
    for (const revision of [undefined, "", "2023-01-01", "2099-01-01", "__proto__", "constructor"])
      expect(mcpCodec(revision)).toBe(defaultCodec);
    expect(defaultCodec.revision).toBe("2025-11-25");
  });

  test("knows the features of a revision that it does not speak by those that came before it", () => {
    for (const revision of revisions) expect(featuresOf(revision)).toBe(features2025[revision]);
    expect(featuresOf("2025-07-01")).toBe(features2025["2025-06-18"]);
    expect(featuresOf("2026-01-01")).toBe(features2025["2025-11-25"]);
    for (const revision of ["2026-07-28", "2099-01-01"]) expect(featuresOf(revision)).toBe(features2026);
    for (const revision of ["", "2023-01-01"]) expect(featuresOf(revision)).toBe(features2025["2024-11-05"]);
    expect([isKnownRevision("2025-06-18"), isKnownRevision("2099-01-01"), isKnownRevision("toString"), isKnownRevision(1)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

test.each(revisions)("what a tool returned is one block in revision %s", (revision) => {
  const ran: Outcome = {
    kind: "ran",
    call: { kind: "toolCall", server: "s", tool: "t", arguments: {} },
    result: { kind: "toolResult", content: [{ type: "text", text: "Rain." }], isError: true },
    meta,
  };
  expect(codecs2025[revision].encode(ran)).toMatchObject({
    result: { content: { type: "tool_result", toolUseId: "call_1", content: [{ type: "text", text: "Rain." }], isError: true } },
  });
});

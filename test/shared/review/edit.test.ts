import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SamplingReply, ChatRequest, SamplingRequest } from "../../../shared/model/sampling.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import { isJsonReply } from "../../../shared/provider/json-reply.ts";
import { applyEdits } from "../../../shared/review/edit.ts";
import { fieldsOf } from "../../../shared/review/subject/parts.ts";
import { editErrorWords } from "../../../shared/channels/content-words.ts";

const request: ChatRequest = {
  kind: "chat",
  systemPrompt: "You summarise notes.\r\nBe short.",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "\n\nSummarise note 7." },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: { id: 7, deep: [1, { x: null }] } }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          toolUseId: "t1",
          content: [
            { type: "text", text: "the note" },
            { type: "resource", resource: { uri: "note://7", text: "whole note" } },
            { type: "resource_link", uri: "note://8", name: "eight" },
          ],
          structuredContent: { title: "Seven" },
        },
      ],
    },
  ],
  maxTokens: 2000,
  temperature: 0.7,
  stopSequences: ["\n\nHuman:", "END"],
  tools: [{ name: "read", description: "Reads a note", inputSchema: { type: "object" } }],
  metadata: { ticket: 1 },
};

const reply: SamplingReply = {
  content: [
    { type: "text", text: "It says hello." },
    { type: "tool_use", id: "u1", name: "read", input: { id: 8 } },
  ],
  model: "claude-sonnet-4-5-20250929",
  stopReason: "toolUse",
};

const edit = (path: string, text: string) => applyEdits(request, new Map([[path, text]]));

/**
 * What a browser does to a text on its way through a page and a form. The browser itself is asked
 * in test/outside/pages.
 */
const throughForm = (text: string) =>
  text
    .replaceAll(/\r\n?|\n/g, "\r\n")
    .replaceAll("\0", "\ufffd")
    .toWellFormed();

describe("applyEdits of a request", () => {
  test("changes one field and nothing else", () => {
    const result = edit("/messages/0/content/0/text", "Summarise note 8.");
    const expected = structuredClone(request);
    expected.messages[0]!.content[0] = { type: "text", text: "Summarise note 8." };
    expect(result).toEqual({ ok: true, value: { value: expected, changed: true } });
  });

  test.each([
    [
      "/messages/1/content/0/input",
      '{"id": 8}',
      (r: SamplingRequest) => r.messages[1]?.content[0],
      { type: "tool_use", id: "t1", name: "read", input: { id: 8 } },
    ],
    ["/messages/2/content/0/structuredContent", "{}", (r: SamplingRequest) => r.messages[2]?.content[0], { structuredContent: {} }],
    ["/messages/2/content/0/content/0/text", "x", (r: SamplingRequest) => r.messages[2]?.content[0], { content: [{ text: "x" }, {}, {}] }],
    [
      "/messages/2/content/0/content/1/resource/text",
      "x",
      (r: SamplingRequest) => r.messages[2]?.content[0],
      { content: [{}, { resource: { uri: "note://7", text: "x" } }, {}] },
    ],
    [
      "/tools/0/description",
      "Other",
      (r: SamplingRequest) => r.tools?.[0],
      { name: "read", description: "Other", inputSchema: { type: "object" } },
    ],
    ["/maxTokens", "1999", (r: SamplingRequest) => r, { maxTokens: 1999 }],
    ["/temperature", "0.2", (r: SamplingRequest) => r, { temperature: 0.2 }],
    ["/stopSequences/1", "STOP", (r: SamplingRequest) => r, { stopSequences: ["\n\nHuman:", "STOP"] }],
    ["/stopSequences/0", "", (r: SamplingRequest) => r, { stopSequences: ["END"] }],
  ])("edits %s", (path, text, read, expected) => {
    const result = edit(path, text);
    expect(result).toMatchObject({ ok: true, value: { changed: true } });
    expect(result.ok && read(result.value.value)).toMatchObject(expected);
  });

  test.each([
    ["/systemPrompt", "systemPrompt"],
    ["/temperature", "temperature"],
  ])("leaves %s out where it was emptied", (path, member) => {
    const result = edit(path, "");
    expect(result.ok && member in result.value.value).toBe(false);
  });

  test("leaves the stop sequences out where each was emptied, and keeps a list that came empty", () => {
    const emptied = applyEdits(
      request,
      new Map([
        ["/stopSequences/0", ""],
        ["/stopSequences/1", ""],
      ]),
    );
    expect(emptied.ok && "stopSequences" in emptied.value.value).toBe(false);
    const cameEmpty = applyEdits({ ...request, stopSequences: [] }, new Map([["/maxTokens", "1"]]));
    expect(cameEmpty.ok && cameEmpty.value.value.stopSequences).toEqual([]);
  });

  test.each([
    ["/maxTokens", "2001", /only be lowered/],
    ["/maxTokens", "0", /whole number/],
    ["/maxTokens", "-5", /whole number/],
    ["/maxTokens", "1.5", /whole number/],
    ["/maxTokens", "", /whole number/],
    ["/temperature", "warm", /number/],
    ["/temperature", "NaN", /number/],
    ["/temperature", "1e999", /number/],
    ["/messages/0/content/0/text", "", /empty/],
    ["/messages/1/content/0/input", "{", /valid JSON/],
    ["/messages/1/content/0/input", "[1]", /JSON object/],
    ["/messages/1/content/0/input", "null", /JSON object/],
    ["/messages/1/content/0/input", '{"a":"\\ud800"}', /lone surrogate/],
    ["/messages/1/content/0/input", '{"\\udc00":1}', /lone surrogate/],
    ["/messages/1/content/0/input", '{"a":1e999}', /too large/],
    ["/messages/1/content/0/input", '{"__proto__":{"a":1}}', /__proto__/],
    ["/messages/1/content/0/input", `${'{"a":'.repeat(100)}1${"}".repeat(100)}`, /levels deep/],
    ["/messages/1/content/0/input", `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, /levels deep/],
  ])("refuses %s as %j", (path, text, message) => {
    const result = edit(path, text);
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.error.map(({ field, fault }) => [field, editErrorWords(fault, catalogues.en)])).toEqual([
      [path, expect.stringMatching(message)],
    ]);
  });

  test.each([
    "/messages/0/content/1/data",
    "/messages/0/role",
    "/tools/0/name",
    "/metadata",
    "/__proto__/x",
    "/messages/9/content/0/text",
    "",
  ])("refuses the path %j, which is not editable", (path) => {
    expect(edit(path, "x")).toMatchObject({ ok: false, error: [{ field: "" }] });
  });

  test("gives every fault at once", () => {
    const result = applyEdits(
      request,
      new Map([
        ["/maxTokens", "9999"],
        ["/temperature", "x"],
      ]),
    );
    expect(result.ok ? [] : result.error.map((fault) => fault.field).sort()).toEqual(["/maxTokens", "/temperature"]);
  });

  test("takes a number that was written differently as unchanged", () => {
    expect(edit("/maxTokens", " 2000 ")).toMatchObject({ ok: true, value: { changed: false } });
    expect(edit("/temperature", "0.70")).toMatchObject({ ok: true, value: { changed: false } });
  });

  test("gives a text with only \\r\\n its line ends back when it is edited", () => {
    const result = edit("/systemPrompt", "You summarise notes.\r\nBe very short.\r\n");
    expect(result.ok && result.value.value.systemPrompt).toBe("You summarise notes.\r\nBe very short.\r\n");
    const plain = edit("/messages/0/content/0/text", "one\r\ntwo");
    expect(plain.ok && plain.value.value.messages[0]?.content[0]).toEqual({ type: "text", text: "one\ntwo" });
  });

  test("keeps the very request where every field comes back untouched, whatever is in it", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("\r", "\n", "\r\n", "\0", "\ud800", "\udc00", " ", "a", "\ufeff", "\u2028") }),
    );
    fc.assert(
      fc.property(text, text, text, fc.dictionary(text, text), (systemPrompt, message, stop, input) => {
        const any: ChatRequest = {
          kind: "chat",
          systemPrompt,
          messages: [
            { role: "user", content: [{ type: "text", text: message }] },
            { role: "assistant", content: [{ type: "tool_use", id: "1", name: "n", input }] },
          ],
          maxTokens: 5,
          stopSequences: [stop],
        };
        const submitted = new Map([...fieldsOf(any)].map(([path, value]) => [path, throughForm(value)]));
        const result = applyEdits(any, submitted);
        expect(result).toEqual({ ok: true, value: { value: any, changed: false } });
        expect(result.ok && result.value.value).toBe(any);
      }),
    );
  });

  test("any edit of one text leaves every other field as it was", () => {
    fc.assert(
      fc.property(fc.constantFrom(...fieldsOf(request).keys()), fc.string(), (path, text) => {
        const result = edit(path, text);
        if (!result.ok || text === "") return;
        const after = fieldsOf(result.value.value);
        for (const [other, value] of fieldsOf(request)) if (other !== path) expect(after.get(other)).toBe(value);
        expect(result.value.value.messages.map((message) => [message.role, message.content.map((block) => block.type)])).toEqual(
          request.messages.map((message) => [message.role, message.content.map((block) => block.type)]),
        );
      }),
    );
  });
});

describe("applyEdits of a reply", () => {
  test("edits a text, which may be emptied, and a tool's input, and keeps the model's name", () => {
    const result = applyEdits(
      reply,
      new Map([
        ["/content/0/text", ""],
        ["/content/1/input", '{"id":9}'],
      ]),
    );
    expect(result).toEqual({
      ok: true,
      value: {
        changed: true,
        value: {
          ...reply,
          content: [
            { type: "text", text: "" },
            { type: "tool_use", id: "u1", name: "read", input: { id: 9 } },
          ],
        },
      },
    });
  });

  test("keeps the very reply where nothing was touched", () => {
    const result = applyEdits(reply, new Map([...fieldsOf(reply)].map(([path, text]) => [path, throughForm(text)])));
    expect(result.ok && result.value.value).toBe(reply);
  });

  test.each(["/model", "/stopReason", "/systemPrompt"])("refuses the path %j", (path) => {
    expect(applyEdits(reply, new Map([[path, "x"]]))).toMatchObject({ ok: false });
  });

  test("what the client asked for is held: each text that an edit changed is at fault where it no longer fits, and nothing else is", () => {
    const json: SamplingReply = {
      model: "m",
      stopReason: "endTurn",
      content: [
        { type: "text", text: '{"city":' },
        { type: "text", text: '"Paris"}' },
      ],
    };
    const fault = { kind: "notRequestedJson", hasSchema: false } as const;
    const rule = (edited: SamplingReply) => (isJsonReply(edited, { type: "json" }) ? null : fault);
    const edited = (text: string) => applyEdits(json, new Map([["/content/1/text", text]]), rule);
    expect(edited("Paris, France")).toEqual({ ok: false, error: [{ field: "/content/1/text", fault }] });
    expect(edited('"Lyon"}')).toMatchObject({ ok: true, value: { changed: true } });
    // What nobody edited is as the model gave it.
    expect(applyEdits(reply, new Map(), rule)).toMatchObject({ ok: true, value: { changed: false } });
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../shared/encoding.ts";
import type { SamplingReply, ChatRequest } from "../../../shared/model/sampling.ts";
import type { RequestVersion } from "../../../shared/model/subject/subject.ts";
import { changedReply, changedRequest, isPromised, shownDigest } from "../../../shared/review/changes.ts";
import { fieldsOf } from "../../../shared/review/subject/parts.ts";

const request: ChatRequest = {
  kind: "chat",
  systemPrompt: "You summarize notes.",
  messages: [{ role: "user", content: [{ type: "text", text: "Summarize note 7.\nBe short." }] }],
  maxTokens: 200,
  temperature: 0.7,
  stopSequences: ["END", "STOP"],
};
const current: RequestVersion = { request, models: ["first", "second", "third"] };
const reply: SamplingReply = { content: [{ type: "text", text: "It says hello." }], model: "first-1", stopReason: "endTurn" };

const changesOf = (edits: Readonly<Record<string, string>>, model?: string): readonly string[] | "refused" => {
  const changed = changedRequest(current, { edits: new Map(Object.entries(edits)), ...(model === undefined ? {} : { model }) });
  return changed.ok ? changed.value.changes.map(({ path }) => path) : "refused";
};

describe("a promise of changes", () => {
  const changed = (text: string) => {
    const form = changedRequest(current, { edits: new Map([["/systemPrompt", text]]) });
    if (!form.ok) throw new Error("not a change");
    return form.value.changes;
  };

  test("holds for the very changes that were shown, and for no other of the same number", () => {
    const shown = shownDigest(changed("Shown."));
    expect(isPromised(changed("Shown."), { count: 1, shown }, new Map())).toBe(true);
    expect(isPromised(changed("Other."), { count: 1, shown }, new Map())).toBe(false);
    expect(isPromised(changed("Shown."), { count: 2, shown }, new Map())).toBe(false);
    expect(isPromised([], { count: 1, shown }, new Map())).toBe(false);
  });

  test("of a page that showed none holds for none alone", () => {
    expect([isPromised([], { count: 0 }, new Map()), isPromised([], { count: 0, shown: shownDigest([]) }, new Map())]).toEqual([
      true,
      true,
    ]);
    expect([
      isPromised(changed("X"), { count: 1 }, new Map()),
      isPromised(changed("X"), { count: 1, shown: shownDigest([]) }, new Map()),
    ]).toEqual([false, false]);
  });

  test("of a script is about their number", () => {
    expect([
      isPromised(changed("X"), { count: 1, shown: "live" }, new Map()),
      isPromised(changed("X"), { count: 0, shown: "live" }, new Map()),
    ]).toEqual([true, false]);
  });
});

describe("a form's changes", () => {
  test.each<[string, Readonly<Record<string, string>>, string | undefined, readonly string[] | "refused"]>([
    ["nothing", {}, undefined, []],
    ["every field as it came", Object.fromEntries(fieldsOf(request)), "first", []],
    ["line ends as a browser sends them", { "/messages/0/content/0/text": "Summarize note 7.\r\nBe short." }, undefined, []],
    ["one text", { "/messages/0/content/0/text": "Summarize note 8." }, undefined, ["/messages/0/content/0/text"]],
    ["the limit in tokens", { "/maxTokens": "100" }, undefined, ["/maxTokens"]],
    ["the model", {}, "third", ["/model"]],
    ["a text and the model", { "/systemPrompt": "" }, "second", ["/systemPrompt", "/model"]],
    [
      "two stop sequences, which are one field on the page",
      { "/stopSequences/0": "", "/stopSequences/1": "HALT" },
      undefined,
      ["/stopSequences"],
    ],
    ["a model that is not in the list", {}, "other", "refused"],
    ["a higher limit", { "/maxTokens": "400" }, undefined, "refused"],
  ])("are counted by field: %s", (_name, edits, model, expected) => {
    expect(changesOf(edits, model)).toEqual(expected);
  });

  test("move the chosen model to the front and leave the others in their order", () => {
    const changed = changedRequest(current, { edits: new Map(), model: "third" });
    expect(changed.ok && changed.value.value.models).toEqual(["third", "first", "second"]);
  });

  test("there are none exactly where the content is the same to the byte", () => {
    const value = fc.oneof(fc.string(), fc.constantFrom("100", "200", "0.7", "END", "\r\n", ""));
    const edits = fc.dictionary(fc.constantFrom(...fieldsOf(request).keys()), value);
    fc.assert(
      fc.property(edits, fc.option(fc.constantFrom(...current.models), { nil: undefined }), (texts, model) => {
        const changed = changedRequest(current, { edits: new Map(Object.entries(texts)), ...(model === undefined ? {} : { model }) });
        if (!changed.ok) return;
        const { value: after, changes } = changed.value;
        expect(changes.length === 0).toBe(digestOf("test/v1", after) === digestOf("test/v1", current));
      }),
    );
  });

  test("of a reply are counted in the same way", () => {
    const changed = changedReply(reply, new Map([["/content/0/text", "It says goodbye."]]), undefined);
    expect(changed.ok && changed.value.changes.map(({ path }) => path)).toEqual(["/content/0/text"]);
    const same = changedReply(reply, new Map([["/content/0/text", "It says hello."]]), undefined);
    expect(same.ok && same.value.changes).toEqual([]);
  });
});

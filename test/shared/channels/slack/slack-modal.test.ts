import { describe, expect, test } from "vitest";
import { applyEdits } from "../../../../shared/review/edit.ts";
import { denyModal, editModal, modalErrors, outcomeModal } from "../../../../shared/channels/slack/slack-modal.ts";
import { editsFrom } from "../../../../shared/channels/slack/slack-submission.ts";
import { catalogues } from "../../../../shared/channels/words/words.ts";
import type { ReviewView } from "../../../../shared/review/view.ts";
import { viewRefusal } from "../../../support/slack/block-rules.ts";
import { controlSequences } from "../../../support/slack/hostile.ts";
import { plainReply, plainRequest } from "../../../support/slack/views.ts";

const { en: words } = catalogues;
const reference = "r".repeat(112);
const withText = (text: string): ReviewView => ({
  ...plainRequest,
  request: { ...plainRequest.request, messages: [{ role: "user", content: [{ type: "text", text }] }] },
});
const path = "/messages/0/content/0/text";

const inputsOf = (view: ReviewView) =>
  new Map(
    (editModal(view, reference, words)?.blocks ?? []).flatMap((block) =>
      block.type === "input" ? [[block.block_id, block] as const] : [],
    ),
  );
/** What Slack sends back where nobody touches anything. */
const untouched = (view: ReviewView): Map<string, string> =>
  new Map([...inputsOf(view)].map(([id, { element }]) => [id, "initial_value" in element ? element.initial_value : ""]));

describe("the modal for a denial", () => {
  test("asks for one reason, which may be left out, and says who hears of it", () => {
    for (const [tellReason, sentence] of [
      [true, "The server will be told"],
      [false, "The server is not told"],
      [undefined, "Other reviewers can see"],
    ] as const) {
      const view = { ...plainRequest, ...(tellReason === undefined ? {} : { tellReason }) };
      const modal = denyModal(view, reference, words);
      expect(viewRefusal(modal)).toBeNull();
      expect(modal).toMatchObject({ callback_id: "deny", private_metadata: reference });
      expect(JSON.stringify(modal)).toContain(sentence);
      expect(modal.blocks[0]).toMatchObject({ type: "input", optional: true, element: { max_length: 1_000 } });
    }
  });
});

describe("the modal for an edit", () => {
  test("has every field of this version with its text, and its button begins with Approve", () => {
    const modal = editModal(plainRequest, reference, words);
    expect(viewRefusal(modal)).toBeNull();
    expect(modal).toMatchObject({ submit: { text: expect.stringMatching(/^Approve/) }, private_metadata: reference });
    expect(Object.fromEntries(untouched(plainRequest))).toEqual({
      "/systemPrompt": "Keep it short.",
      [path]: "Summarise.",
      "/maxTokens": "800",
      "/temperature": "0.3",
      "/stopSequences/0": "STOP-HERE",
    });
    expect([...inputsOf(plainRequest)].filter(([, { optional }]) => !optional).map(([id]) => id)).toEqual([path, "/maxTokens"]);
    expect(viewRefusal(editModal(plainReply, reference, words))).toBeNull();
    expect(Object.fromEntries(untouched(plainReply))).toEqual({ "/content/0/text": "A summary." });
  });

  test.each([
    [2_999, "a", true],
    [3_000, "a", true],
    [3_001, "a", false],
    [600, "&", true],
    [601, "&", false],
    [1_500, "😀", true],
    [1_501, "😀", false],
  ] as const)("with %i times %j in a text: %s", (count, character, fits) => {
    const modal = editModal(withText(character.repeat(count)), reference, words);
    expect(modal !== null).toBe(fits);
    if (modal !== null) expect(viewRefusal(modal)).toBeNull();
  });

  test.each([
    ["a character that nobody would see", "a\u200bb"],
    ["a carriage return", "a\r\nb"],
    ["what looks like one of Slack's escapes", "a &lt; b"],
  ])("is not offered for a text with %s", (_, text) => expect(editModal(withText(text), reference, words)).toBeNull());

  test("is not offered for more than twenty fields, or for a reply that is not there", () => {
    const messages = (count: number): ReviewView => ({
      ...plainRequest,
      request: {
        kind: "chat",
        maxTokens: 5,
        messages: Array.from({ length: count }, () => ({
          role: "user",
          content: [{ type: "text", text: "a" }],
        })),
      },
    });
    expect(viewRefusal(editModal(messages(19), reference, words))).toBeNull();
    expect(editModal(messages(20), reference, words)).toBeNull();
    expect(editModal({ ...plainReply, reply: null }, reference, words)).toBeNull();
  });

  test.each(controlSequences.filter((text) => !/&(?:amp|lt|gt|#)/.test(text)))("has the text as it is: %j", (text) => {
    expect(viewRefusal(editModal(withText(text), reference, words))).toBeNull();
    expect(untouched(withText(text)).get(path)).toBe(text);
    expect(editsFrom(withText(text), untouched(withText(text)))).toEqual([]);
  });
});

describe("an edit that comes back", () => {
  test("untouched changes nothing, whatever Slack does to line ends and to white space at the end", () => {
    const view = withText("one\ntwo \n");
    for (const change of [(text: string) => text, (text: string) => text.trimEnd(), (text: string) => text.replaceAll("\n", "\r\n")]) {
      const values = new Map([...untouched(view)].map(([id, text]) => [id, change(text)]));
      expect(editsFrom(view, values)).toEqual([]);
    }
    expect(editsFrom(view, new Map())).toEqual([]);
  });

  test("holds the fields that changed and no other, and is what the page's form would give", () => {
    const values = untouched(plainRequest).set(path, "Translate.").set("/maxTokens", "100").set("/systemPrompt", "").set("/unknown", "x");
    const edits = editsFrom(plainRequest, values);
    expect(edits).toEqual([
      ["/systemPrompt", ""],
      [path, "Translate."],
      ["/maxTokens", "100"],
    ]);
    const { systemPrompt: _, ...rest } = plainRequest.request;
    expect(applyEdits(plainRequest.request, new Map(edits))).toEqual({
      ok: true,
      value: {
        changed: true,
        value: { ...rest, maxTokens: 100, messages: [{ role: "user", content: [{ type: "text", text: "Translate." }] }] },
      },
    });
  });

  test("with faults names each beside its field, or not at all where one has no field", () => {
    const issue = { field: "/maxTokens", fault: { kind: "raised", requested: 100 } } as const;
    expect(modalErrors(plainRequest, [issue], words)).toEqual({ "/maxTokens": "This can only be lowered; 100 was requested." });
    expect(modalErrors(plainRequest, [issue, { ...issue, field: "" }], words)).toBeNull();
    expect(modalErrors(plainRequest, [{ ...issue, field: "/nowhere" }], words)).toBeNull();
    expect(modalErrors(plainRequest, [], words)).toBeNull();
  });

  test("that decided nothing gives way to a sentence", () => {
    expect(viewRefusal(outcomeModal("This was decided before.", words))).toBeNull();
  });
});

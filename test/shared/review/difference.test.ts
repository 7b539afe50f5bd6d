import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import { condense, differenceOf, changesBetween, type Change } from "../../../shared/review/difference.ts";

const without = (changes: readonly Change[], kind: "added" | "removed") =>
  changes.map((change) => (change.kind === "skipped" || change.kind === kind ? "" : change.text)).join("");

describe("differenceOf", () => {
  test("shows the words that changed", () => {
    expect(differenceOf("Summarise note 7.", "Summarise note 8.")).toEqual([
      { kind: "same", text: "Summarise note " },
      { kind: "removed", text: "7" },
      { kind: "added", text: "8" },
      { kind: "same", text: "." },
    ]);
  });

  test("shows a change of a line's end and of spaces", () => {
    expect(differenceOf("a\r\nb", "a\nb").some((change) => change.kind !== "same")).toBe(true);
    expect(differenceOf("a  b", "a b").some((change) => change.kind !== "same")).toBe(true);
  });

  test("has words that were replaced one after another as one replacement", () => {
    expect(differenceOf("Summarize in one sentence:", "Summarize in three bullet points:")).toEqual([
      { kind: "same", text: "Summarize in " },
      { kind: "removed", text: "one sentence" },
      { kind: "added", text: "three bullet points" },
      { kind: "same", text: ":" },
    ]);
    // What was only taken out or put in stays apart, and so do lines.
    expect(differenceOf("a b c", "b x c").map(({ kind }) => kind)).toEqual(["removed", "same", "added", "same"]);
    expect(differenceOf("a\nb", "c\nd").map(({ kind }) => kind)).toEqual(["removed", "added", "same", "removed", "added"]);
  });

  test("holds both texts, whole, for any two texts", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\r\n", "\r", "word", "é", "\u200b", "\ud800") });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = differenceOf(before, after);
        expect(without(changes, "added")).toBe(before);
        expect(without(changes, "removed")).toBe(after);
      }),
    );
  });

  test("falls back from words to lines to the whole, and still holds both texts", () => {
    const lines = (word: string, count: number) => Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");
    for (const [before, after] of [
      [lines("same", 6000), lines("same", 6000).replace("same 3000\n", "other\n")],
      [lines("a", 1000) + lines("x", 2000), lines("b", 1000) + lines("x", 2000)],
      [lines("a", 40_000), lines("b", 40_000)],
      ["a ".repeat(15_000), "b ".repeat(15_000)],
    ] as const) {
      const changes = differenceOf(before, after);
      expect(without(changes, "added")).toBe(before);
      expect(without(changes, "removed")).toBe(after);
    }
    expect(differenceOf(lines("a", 40_000), lines("b", 40_000)).map((change) => change.kind)).toEqual(["removed", "added"]);
  });
});

describe("condense", () => {
  test("says how many unchanged lines it leaves out, and keeps two on either side of a change", () => {
    const before = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join("");
    const condensed = condense(differenceOf(before, before.replace("line 15\n", "line fifteen\n")));
    expect(condensed[0]).toEqual({ kind: "skipped", lines: 13 });
    expect(condensed[1]).toEqual({ kind: "same", text: "line 13\nline 14\nline " });
    expect(condensed.at(-1)).toEqual({ kind: "skipped", lines: 12 });
  });

  test("leaves out nothing that changed", () => {
    const text = fc.string({ unit: fc.constantFrom("a\n", "b\n", "c", "\n"), maxLength: 80 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = differenceOf(before, after);
        const changed = (list: readonly Change[]) => list.filter((change) => change.kind === "added" || change.kind === "removed");
        expect(changed(condense(changes))).toEqual(changed(changes));
      }),
    );
  });
});

describe("changesBetween", () => {
  const request: ChatRequest = {
    kind: "chat",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "one two" },
          { type: "image", data: "AAAA", mimeType: "image/png" },
        ],
      },
    ],
    maxTokens: 100,
    stopSequences: ["A", "B", "C"],
  };

  test("is empty for equal requests", () => {
    expect(changesBetween(request, structuredClone(request))).toEqual([]);
  });

  test("names each field that differs", () => {
    const edited: ChatRequest = { ...request, maxTokens: 50, stopSequences: ["B", "C"], systemPrompt: "new" };
    expect(
      changesBetween(request, edited)
        .map((change) => change.path)
        .sort(),
    ).toEqual(["/maxTokens", "/stopSequences", "/systemPrompt"]);
  });

  test("shows what no edit can change too, media by size and digest", () => {
    const other = structuredClone(request);
    other.messages[0]!.content[1] = { type: "image", data: "BBBBBBBB", mimeType: "image/png" };
    const [change, ...more] = changesBetween(request, other);
    expect(more).toEqual([]);
    expect(change?.path).toBe("");
    expect(JSON.stringify(change)).toContain("characters of base64");
    expect(JSON.stringify(change)).not.toContain("BBBBBBBB");
  });

  test("shows another role, another tool name, another stop reason", () => {
    const role = structuredClone(request);
    role.messages[0]!.role = "assistant";
    expect(changesBetween(request, role).map((change) => change.path)).toEqual([""]);
    const reply = { content: [{ type: "text" as const, text: "x" }], model: "m", stopReason: "endTurn" };
    expect(changesBetween(reply, { ...reply, stopReason: "maxTokens" }).map((change) => change.path)).toEqual([""]);
    expect(changesBetween(reply, { ...reply, content: [{ type: "text", text: "y" }] }).map((change) => change.path)).toEqual([
      "/content/0/text",
    ]);
  });
});

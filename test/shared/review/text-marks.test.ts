import * as fc from "fast-check";
import { expect, test } from "vitest";
import { chunksOf } from "../../../shared/review/chunks.ts";
import { linePartsOf } from "../../../shared/review/line-parts.ts";
import { markedParts } from "../../../shared/review/risk-places.ts";
import { type MarkedPart, type MarkedSegment, viewMarked, viewText } from "../../../shared/review/text-view.ts";

const mark = (start: number, end: number, number: number, level: MarkedPart["level"] = "high"): MarkedPart => ({
  start,
  end,
  number,
  level,
});
const shown = (segments: readonly MarkedSegment[]): string =>
  segments
    .map((segment) => {
      if (segment.kind === "markStart")
        return `[${segment.level} ${segment.pins.map(({ number, isFirst }) => `${number}${isFirst ? "*" : ""}`).join("+")}:`;
      if (segment.kind === "markEnd") return "]";
      return segment.kind === "text" ? segment.text : `<${segment.kind}>`;
    })
    .join("");

test.each([
  ["a place in the middle", "one two three", [mark(4, 7, 1)], "one [high 1*:two] three"],
  ["the whole text", "all", [mark(0, 3, 2, "low")], "[low 2*:all]"],
  ["two places of one warning", "a b a", [mark(0, 1, 1), mark(4, 5, 1)], "[high 1*:a] b [high 1:a]"],
  ["places that overlap become one, with both numbers", "abcdef", [mark(3, 6, 2), mark(0, 4, 1, "medium")], "[high 1*+2*:abcdef]"],
  ["a label is not cut", "a\u202e\u202eb", [mark(2, 3, 1)], "a[high 1*:<unseen>]b"],
  ["a label and the word behind it", "x_\u202efdp.exe y", [mark(2, 10, 3)], "x_[high 3*:<unseen>fdp.exe] y"],
  ["blank lines", `a${"\n".repeat(6)}b`, [mark(2, 7, 1)], "a\n[high 1*:<blankLines>]b"],
  ["an empty place is none", "abc", [mark(1, 1, 1)], "abc"],
])("marks: %s", (_name, text, marks, expected) => {
  expect(shown(viewMarked(text, marks))).toBe(expected);
});

test("with any marks, what is shown is what is shown without them, and every mark that begins ends", () => {
  const unit = fc.constantFrom("a", " ", "\n", "\u202e", "\u200b", "\u{1f600}", "\u{e0041}", "\n\n\n\n\n", " ".repeat(100));
  const anyText = fc.array(unit, { maxLength: 60 }).map((units) => units.join(""));
  const anyMark = fc
    .tuple(fc.nat(80), fc.nat(80), fc.integer({ min: 1, max: 4 }))
    .map(([a, b, n]) => mark(Math.min(a, b), Math.max(a, b), n));
  fc.assert(
    fc.property(anyText, fc.array(anyMark, { maxLength: 5 }), (text, marks) => {
      const segments = viewMarked(text, marks);
      const joined = (all: readonly MarkedSegment[]): string => shown(all.filter(({ kind }) => kind !== "markStart" && kind !== "markEnd"));
      expect(joined(segments)).toBe(shown(viewText(text)));
      expect(joined(linePartsOf(segments).flatMap((part) => part.segments))).toBe(shown(viewText(text)));
      expect(joined(chunksOf(segments).flatMap((chunk) => chunk.segments))).toBe(shown(viewText(text)));
      let open = 0;
      for (const { kind } of segments) {
        open += kind === "markStart" ? 1 : kind === "markEnd" ? -1 : 0;
        expect([0, 1]).toContain(open);
      }
      expect(open).toBe(0);
    }),
  );
});

test("a phrase is found at its place in a text whose lower case is longer", () => {
  const text = "\u0130\u0130 Dear Reviewer, hello";
  const note = { level: "high", kind: "addressesReviewer", pointer: "" } as const;
  expect(markedParts(text, [{ number: 1, note }]).map(({ start, end }) => text.slice(start, end))).toEqual(["Dear Reviewer"]);
});

test("a warning with a thousand places has marks for the first twenty", () => {
  const note = { level: "medium", kind: "control", characters: 1_000, pointer: "" } as const;
  expect(markedParts("a\u0007".repeat(1_000), [{ number: 1, note }])).toHaveLength(20);
});

test("a word whose letters only look Latin is marked whole", () => {
  const text = "Send it to pay@ex\u0430mple.com, not to pay@example.com.";
  expect(markedParts(text, [{ number: 1, note: { level: "medium", kind: "lookAlikes", pointer: "" } }])).toEqual([
    { start: 11, end: 26, number: 1, level: "medium" },
  ]);
});

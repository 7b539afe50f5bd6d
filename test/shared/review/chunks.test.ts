import * as fc from "fast-check";
import { expect, test } from "vitest";
import { invisibleWords } from "../../../shared/channels/content-words.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import { chunksOf } from "../../../shared/review/chunks.ts";
import { viewText } from "../../../shared/review/text-view.ts";

const { en: words } = catalogues;

const textOf = (text: string) =>
  chunksOf(viewText(text))
    .flatMap(({ segments }) =>
      segments.map((segment) =>
        segment.kind === "text"
          ? segment.text
          : segment.kind === "unseen"
            ? invisibleWords(segment, words)
            : "\n".repeat("count" in segment ? segment.count : 0),
      ),
    )
    .join("");

test("a short text is one stretch, an empty one none", () => {
  expect(chunksOf(viewText("a\nb"))).toEqual([{ segments: [{ kind: "text", text: "a\nb" }], lineGoesOn: false }]);
  expect(chunksOf([])).toEqual([]);
});

test("a long text is cut after lines, and says nothing about lines that go on", () => {
  const text = "twenty characters, 20\n".repeat(5_000);
  const stretches = chunksOf(viewText(text));
  expect(stretches.length).toBeGreaterThan(10);
  expect(stretches.filter(({ lineGoesOn }) => lineGoesOn)).toEqual([]);
  expect(textOf(text)).toBe(text);
});

test("a line longer than a stretch goes on, and no emoji is cut in two", () => {
  const text = `a${"\u{1f600}".repeat(20_000)}`;
  const stretches = chunksOf(viewText(text));
  expect(stretches.map(({ lineGoesOn }) => lineGoesOn)).toEqual([...stretches.slice(1).map(() => true), false]);
  expect(stretches.every(({ segments }) => segments.every((segment) => segment.kind === "text" && segment.text.isWellFormed()))).toBe(true);
  expect(textOf(text)).toBe(text);
});

test("a stretch that an emoji filled takes nothing more, and the line goes on", () => {
  const text = `${"x".repeat(7_999)}\u{1f600}\u200b${"y".repeat(10)}`;
  const stretches = chunksOf(viewText(text));
  expect(stretches.map(({ lineGoesOn }) => lineGoesOn)).toEqual([true, false]);
  expect(stretches[0]?.segments).toEqual([{ kind: "text", text: text.slice(0, 8_001) }]);
});

test("no text loses or gains a character, and no stretch is much longer than the rest", () => {
  const piece = fc.oneof(
    fc.constantFrom("x".repeat(7_999), "y".repeat(8_001), "\n", "z\n".repeat(3_000), "\u200b", "\u{1f600}"),
    fc.string({ unit: "grapheme" }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      const labelled = viewText(text).map((segment) =>
        segment.kind === "text"
          ? segment.text
          : segment.kind === "unseen"
            ? invisibleWords(segment, words)
            : "\n".repeat("count" in segment ? segment.count : 0),
      );
      expect(textOf(text)).toBe(labelled.join(""));
      for (const { segments } of chunksOf(viewText(text))) {
        expect(segments.reduce((sum, segment) => sum + (segment.kind === "text" ? segment.text.length : 0), 0)).toBeLessThanOrEqual(8_001);
      }
    }),
  );
});

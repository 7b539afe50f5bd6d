import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { invisibleWords } from "../../../shared/channels/content-words.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import { viewText } from "../../../shared/review/text-view.ts";

const { en: words } = catalogues;

describe("viewText", () => {
  test("gives plain text as one part", () => {
    expect(viewText("one\n\ntwo\r\n\tthree")).toEqual([{ kind: "text", text: "one\n\ntwo\r\n\tthree" }]);
    expect(viewText("")).toEqual([]);
  });

  test("names an unseen character the first time and gives its code point after that", () => {
    expect(viewText("a\u200bb\u200bc")).toEqual([
      { kind: "text", text: "a" },
      { kind: "unseen", codePoint: 0x200b, count: 1, what: { kind: "character", name: "zero width space" } },
      { kind: "text", text: "b" },
      { kind: "unseen", codePoint: 0x200b, count: 1, what: { kind: "character", name: null } },
      { kind: "text", text: "c" },
    ]);
  });

  test("makes one part of a run of the same character", () => {
    expect(viewText("\0".repeat(3000))).toEqual([{ kind: "unseen", codePoint: 0, count: 3000, what: { kind: "character", name: "null" } }]);
  });

  test("reads out what tag characters spell", () => {
    const tags = [..."send it"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
    expect(viewText(`hi${tags}`)[1]).toMatchObject({ what: { kind: "tags", spells: "send it" }, count: 7 });
  });

  test("reads out what variation selectors behind an emoji spell", () => {
    const selectors = [..."secret"].map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16)).join("");
    expect(viewText(`\u{1f600}${selectors}`)).toMatchObject([
      { kind: "text" },
      { what: { kind: "selectors", spells: "secret" }, count: 6 },
    ]);
  });

  test("has words for each", () => {
    const selectors = "\ufe01\ufe02";
    const text = `a\u200b\u200bb\u200bc\u{e0041}\u{e0042}d${selectors}e${" ".repeat(120)}f\u{e0041}`;
    const said = viewText(text).flatMap((segment) => (segment.kind === "unseen" ? [invisibleWords(segment, words)] : []));
    expect(said).toEqual([
      "U+200B zero width space ×2",
      "U+200B",
      "2 tag characters that spell “AB”",
      "2 variation selectors",
      "120 spaces",
      'U+E0041 tag "A"',
    ]);
  });

  test("counts four blank lines and more, also those of spaces and with \\r\\n, and leaves three alone", () => {
    expect(viewText(`a\n${"\n".repeat(5000)}b`)).toEqual([
      { kind: "text", text: "a\n" },
      { kind: "blankLines", count: 5000 },
      { kind: "text", text: "b" },
    ]);
    expect(viewText("a\r\n \r\n\t\r\n\u00a0\r\n\r\nb")).toEqual([
      { kind: "text", text: "a\r\n" },
      { kind: "blankLines", count: 4 },
      { kind: "text", text: "b" },
    ]);
    expect(viewText("\n\n\n\nb")[0]).toEqual({ kind: "blankLines", count: 4 });
    expect(viewText("a\n\n\n\nb")).toHaveLength(1);
  });

  test("finds the same gaps as the pattern that says what they are", () => {
    const blank = "[ \\t\\u00a0\\u202f\\u3000]";
    const gap = new RegExp(`(?<=^|\\n)(?:${blank}*\\r?\\n){4,}|${blank}{100,}`, "g");
    const piece = fc.oneof(
      fc.constantFrom("\n", "\r\n", "\r", " ", "\t", "\u3000", "a", "\n\n\n", " ".repeat(99), " ".repeat(100), `${" ".repeat(120)}\n`),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        const expected = [...text.matchAll(gap)].map(([run]): number | string => {
          const lines = run.split("\n").length - 1;
          return lines > 0 ? lines : `${run.length} ×`;
        });
        const found = viewText(text).flatMap((part): (number | string)[] =>
          part.kind === "blankLines" ? [part.count] : part.kind === "unseen" && part.codePoint === 0x20 ? [`${part.count} ×`] : [],
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test("counts three million line breaks, and as many lines of spaces", () => {
    expect(viewText("\n".repeat(3_000_000))).toEqual([{ kind: "blankLines", count: 3_000_000 }]);
    expect(viewText(" \r\n".repeat(1_000_000))).toEqual([{ kind: "blankLines", count: 1_000_000 }]);
  });

  test("counts a long run of spaces inside a line", () => {
    expect(viewText(`a${" ".repeat(4000)}b`)[1]).toEqual({ kind: "unseen", codePoint: 0x20, count: 4000, what: { kind: "spaces" } });
  });

  const unit = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      "\n\n\n\n\n",
      "\r\n",
      "\r",
      " ",
      "\u200b",
      "\u200d",
      "\u{e0041}",
      "\u{e0041}\u{e0042}",
      "\u{1f600}",
      "\ud800",
      "\ufe01",
      " ".repeat(120),
    ),
  );

  test("cuts nothing: leaving blank lines out, the parts are the text", () => {
    const families = /[\u{e0000}-\u{e01ef}\ufe00-\ufe0f]/gu;
    const bare = (text: string) => text.replaceAll(/[ \t\r\n\u00a0\u202f\u3000]/g, "").replaceAll(families, "");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        const shown = viewText(text).map((part) =>
          part.kind === "text" ? part.text : part.kind === "unseen" ? String.fromCodePoint(part.codePoint).repeat(part.count) : "",
        );
        expect(bare(shown.join(""))).toBe(bare(text));
      }),
    );
  });

  test("accounts for every character: texts and counts add up", () => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        const lines = viewText(text).reduce(
          (sum, part) => sum + (part.kind === "text" ? part.text.split("\n").length - 1 : part.kind === "blankLines" ? part.count : 0),
          0,
        );
        expect(lines).toBe(text.split("\n").length - 1);
      }),
    );
  });
});

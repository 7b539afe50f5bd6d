import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findInvisible } from "../../shared/invisible-characters.ts";

const hex = (text: string) => findInvisible(text).map((unseen) => unseen.codePoint.toString(16));

describe("findUnseen", () => {
  test.each([
    ["a bidirectional override", "a\u202eb", "202e", "bidi", "right-to-left override"],
    ["an isolate", "a\u2066b", "2066", "bidi", "left-to-right isolate"],
    ["a mark", "a\u200fb", "200f", "bidi", "right-to-left mark"],
    ["an arabic letter mark", "a\u061cb", "61c", "bidi", "arabic letter mark"],
    ["a zero width space", "a\u200bb", "200b", "zeroWidth", "zero width space"],
    ["a joiner between Latin letters", "a\u200db", "200d", "zeroWidth", "zero width joiner"],
    ["a byte order mark", "\ufeffa", "feff", "zeroWidth", "zero width no-break space"],
    ["a word joiner", "a\u2060b", "2060", "zeroWidth", "word joiner"],
    ["a grapheme joiner", "a\u034fb", "34f", "zeroWidth", "combining grapheme joiner"],
    ["a tag character", "a\u{e0041}b", "e0041", "tag", 'tag "A"'],
    ["a null", "a\0b", "0", "control", "null"],
    ["an escape", "\u001b[2J", "1b", "control", "escape"],
    ["a delete", "\u007f", "7f", "control", "delete"],
    ["a C1 control", "\u0090", "90", "control", "control character"],
    ["a line separator", "a\u2028b", "2028", "control", "line separator"],
    ["a lone carriage return", "a\rb", "d", "control", "carriage return"],
    ["a soft hyphen", "pass\u00adword", "ad", "other", "soft hyphen"],
    ["an invisible operator", "2\u2062x", "2062", "other", "invisible times"],
    ["a hangul filler", "a\u3164b", "3164", "other", "hangul filler"],
    ["an unusual space", "a\u2003b", "2003", "other", "space of unusual width"],
    ["the braille blank", "a\u2800b", "2800", "other", "braille blank"],
    ["a lone high surrogate", "a\ud800", "d800", "other", "lone surrogate"],
    ["a lone low surrogate", "\udc00a", "dc00", "other", "lone surrogate"],
    ["private use", "a\ue000b", "e000", "other", "private use"],
    ["private use of plane 16", "\u{10fffd}", "10fffd", "other", "private use"],
    ["a noncharacter", "\u{1fffe}", "1fffe", "other", "noncharacter"],
    ["a variation selector after a letter", "a\ufe0fb", "fe0f", "other", "variation selector 16"],
    ["a supplementary variation selector", "x\u{e0100}", "e0100", "other", "variation selector 17"],
  ])("finds %s", (_, text, codePoint, kind, name) => {
    const [found, ...more] = findInvisible(text);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ kind, name });
    expect(found?.codePoint.toString(16)).toBe(codePoint);
  });

  test.each([
    ["plain text with line ends of both kinds and tabs", "one\ttwo\r\nthree\n\nfour ~"],
    ["a joined emoji of four people", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}"],
    ["joined emoji with skin tone and presentation selector", "\u{1f3c3}\u{1f3fd}\u200d\u2640\ufe0f and \u2764\ufe0f\u200d\u{1f525}"],
    ["a text presentation selector", "\u2764\ufe0e"],
    ["a keycap at the beginning and after text", "1\ufe0f\u20e3 #\ufe0f\u20e3"],
    ["the flag of Scotland", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["the non-joiner of Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
    ["the joiner of an Indic script", "\u0915\u094d\u200d\u0937"],
    ["no-break spaces and the ideographic space", "Bonjour\u00a0! 10\u202f000 \u3000\u6771\u4eac"],
    ["letters of many scripts", "\u00e9\u00df \u03b1 \u0436 \u05d0 \u0627 \u0e01 \u4e2d \u{1f600} \u{20000}"],
  ])("leaves alone %s", (_, text) => {
    expect(findInvisible(text)).toEqual([]);
  });

  test("finds a joiner that follows an emoji but joins nothing", () => {
    expect(hex("\u{1f600}\u200d")).toEqual(["200d"]);
    expect(hex("\u{1f600}\u200dabc")).toEqual(["200d"]);
    expect(hex("\u{1f600}\u200d\u200d\u{1f600}")).toEqual(["200d", "200d"]);
  });

  test("finds every selector after the first on one emoji", () => {
    expect(hex("\u{1f600}\ufe0f\ufe0f\ufe01")).toEqual(["fe0f", "fe01"]);
  });

  test("finds tags after a black flag that spell no flag", () => {
    expect(hex("\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}")).toEqual(["e0068", "e0069", "e007f"]);
  });

  test("finds an odd number of carriage returns before a line feed", () => {
    expect(findInvisible("a\r\r\nb").map((unseen) => unseen.at)).toEqual([1]);
  });

  test("gives places that cut exactly the characters named", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(
            fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
            fc.constantFrom("\u200d", "\u{e0041}", "\ud800", "\r", "\n", "\ufe0f", "\u{1f600}"),
          ),
        }),
        (text) => {
          let last = 0;
          for (const unseen of findInvisible(text)) {
            expect(unseen.at).toBeGreaterThanOrEqual(last);
            expect(text.codePointAt(unseen.at)).toBe(unseen.codePoint);
            expect(unseen.length).toBe(unseen.codePoint > 0xffff ? 2 : 1);
            last = unseen.at + unseen.length;
          }
        },
      ),
    );
  });

  test("finds nothing in any text of printable ASCII, tabs and line feeds", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\t\n\x20-\x7e]*$/), (text) => {
        expect(findInvisible(text)).toEqual([]);
      }),
    );
  });

  test("finds what is put into any such text, wherever it is put", () => {
    const hidden = fc.constantFrom(0x200b, 0x202e, 0xe0041, 0x00, 0xad, 0x3164, 0x2800, 0xe000, 0xfffc, 0x1b);
    fc.assert(
      fc.property(fc.stringMatching(/^[\t\n\x20-\x7e]*$/), hidden, fc.stringMatching(/^[\t\n\x20-\x7e]*$/), (before, codePoint, after) => {
        expect(findInvisible(before + String.fromCodePoint(codePoint) + after)).toMatchObject([{ at: before.length, codePoint }]);
      }),
    );
  });
});

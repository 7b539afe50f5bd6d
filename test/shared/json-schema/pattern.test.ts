import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePattern, patternLimits } from "../../../shared/json-schema/pattern.ts";

function matches(source: string, text: string): boolean {
  const pattern = compilePattern(source);
  if (!pattern.ok) throw new Error(`${source}: ${pattern.error}`);
  return pattern.value.matches(text);
}

describe("a pattern that a backtracking matcher takes hours for", () => {
  test.each<[string, (n: number) => string]>([
    ["^(a+)+$", (n) => "a".repeat(n)],
    ["(a|a)*b", (n) => "a".repeat(n)],
    ["^((a*)+)+$", (n) => "a".repeat(n)],
    ["^([a-z]{1,30}){1,30}$", (n) => "a".repeat(n)],
    ["^(a?){40}a{40}$", (n) => "a".repeat(n / 50)],
    ["^(\\w+\\s?)*$", (n) => "a".repeat(n)],
    ["(.*)*x", (n) => "😀".repeat(n)],
    ["^(?!(a+)+b)c", (n) => "a".repeat(n)],
    ["^(?<year>(?:\\d|\\d\\d)+)-$", (n) => "1".repeat(n)],
  ])("%s does not match, and says so", (source, text) => {
    expect(matches(source, `${text(4_000)}!`)).toBe(false);
  });
});

/**
 * What `RegExp` says at the beginning of each character, which is where ECMA-262 has a match start
 * with the flag `u`. V8's own search, without the flag `y`, also starts between the two halves of a
 * surrogate pair: `/\B/u.test("a😀a")` is true there.
 */
function matchesInEcma(source: string, text: string): boolean {
  const expression = new RegExp(source, "uy");
  let at = 0;
  return [...text, ""].some((character) => {
    expression.lastIndex = at;
    at += character.length;
    return expression.test(text);
  });
}

const zodEmail = "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";
const texts = ["", "ab", "A1b!", "a\n", "[:alpha:]", "aa", "a{02}", "a😀a", ...String.raw`ab-]éλ😀`, ..."\n\u2028\u00a0\ufeff\v\b\u0001\0"];
const addresses = ["ann@example.com", ".ann@example.com", "an..n@example.com", "ann@example", "@example.com"];

describe("a pattern means what it does in ECMA-262", () => {
  const sources = String.raw`
    ^(?=.*[A-Z])(?=.*\d).{3,}$ ^(?=a|b)a ^(?!(?:a|b)$)(?<n>.+)$ a ^a$ ^.$ . \s \S [\s] [^\s] [\S] [^\S] [] [^] [\b] \bb \w \W [\d-]
    \u0061 \u{1F600} \ud83d\ude00 [\u{1F600}-\u{1F64F}] \x61 [\x61-\x62] \cA \0 \/ [\-] \v \p{L} \P{L} [^\p{Lu}] \p{Script=Greek}
    \p{Letter} \P{gc=Uppercase_Letter} [\p{digit}b] [[:alpha:] [[:alpha:][b] (?:a|b){2} a{0,3}?$ [(?<[>*] \B ^a{02}$ ^a{1,02}?$ ^a{00}$`;

  test.each([zodEmail, ...sources.trim().split(/\s+/)])("%s", (source) => {
    for (const text of [...texts, ...addresses]) expect([text, matches(source, text)]).toEqual([text, matchesInEcma(source, text)]);
  });

  test("a match starts at a character, never inside of one", () => {
    expect(matches("\\B", "a😀a")).toBe(false);
    expect(matchesInEcma("\\B", "a😀a")).toBe(false);
    expect(matches("\\B", "a😀😀a")).toBe(true);
  });

  test("a number of repetitions is the same after a zero", () => {
    expect(matches("^a{02}$", "aa")).toBe(true);
    expect(matches("^a{02}$", "a{02}")).toBe(false);
  });

  test("whatever it is", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "a",
        "b",
        ".",
        "(",
        ")",
        "(?:",
        "(?=",
        "(?!",
        "(?<n>",
        "[^a]",
        "[a-",
        "]",
        "*",
        "+?",
        "?",
        "{2,3}",
        "{0}",
        "|",
        "^",
        "$",
      ),
      fc.constantFrom(
        "\\b",
        "\\B",
        "\\s",
        "\\S",
        "\\w",
        "\\p{L}",
        "\\u{1F600}",
        "\\]",
        "[",
        "-",
        "[\\s\\w]",
        "\\x61",
        "^(?!a)",
        "^(?=b)",
        "{02}",
        "😀",
        "\\ud83d",
      ),
    );
    const source = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    const text = fc.string({
      unit: fc.constantFrom("a", "b", " ", "\n", "\u00a0", "😀", "-", "[", "\u2028", "\ud83d", "\ude00"),
      maxLength: 6,
    });
    let compiled = 0;
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 1, maxLength: 5 }), (given, some) => {
        const pattern = compilePattern(given);
        if (!pattern.ok) expect(pattern.error).toMatch(/^(?:must|has) /);
        if (!pattern.ok) return;
        compiled += 1;
        for (const each of some) expect([each, pattern.value.matches(each)]).toEqual([each, matchesInEcma(given, each)]);
      }),
      { numRuns: 5_000 },
    );
    expect(compiled).toBeGreaterThan(500);
  });
});

describe("what cannot be matched cheaply is refused with the reason", () => {
  test.each([
    ["[", "regular expression"],
    ["a{2", "regular expression"],
    ["\\-", "regular expression"],
    ["(a)\\1", "backreference"],
    ["(?<x>a)\\k<x>", "backreference"],
    ["(?<=a)b", "look behind"],
    ["(?<!a)b", "look behind"],
    ["a(?=b)", "look ahead"],
    ["^(?!a)b|c", "look ahead"],
    ["^(?=a(?!b))a", "look ahead"],
    ["(?i:a)", "kind of group"],
    ["a".repeat(2_001), "longer than 2000"],
    ["((a?){99}){99}", "must be smaller"],
    ["a{1000}".repeat(280), "must be smaller"],
  ])("%s", (source, why) => {
    expect(compilePattern(source)).toEqual({ ok: false, error: expect.stringContaining(why) as string });
  });

  test("before it is compiled, also where the numbers are too large to be numbers", () => {
    const huge = "9".repeat(400);
    const nested = `${"(".repeat(70)}a${"{99999})".repeat(70)}`;
    for (const source of [`a{${huge}}`, nested, `(?:${nested}){0}(a{1000}){1000}`]) {
      expect(compilePattern(source)).toEqual({ ok: false, error: "must be smaller, or repeat less" });
    }
    expect(matches(`^a{2,${huge}}$`, "aaaa")).toBe(true);
    expect(matches(`^(?:){${"9".repeat(3)}}$`, "")).toBe(true);
    expect(compilePattern(`(?:){${huge}}`)).toMatchObject({ ok: false });
  });

  test("a program is no larger than what it may be, and each size that fits is enough", () => {
    const pieces = fc.array(fc.constantFrom("a", "[bc]", "(", ")", "{3}", "{0,9}", "{2,}", "*", "|", ".", "\\p{L}"), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 500 }), (some, most) => {
        const source = some.join("");
        const pattern = compilePattern(source);
        if (!pattern.ok) return;
        const { size } = pattern.value;
        expect(compilePattern(source, most).ok).toBe(size <= most);
      }),
      { numRuns: 1_000 },
    );
    expect(compilePattern("a".repeat(patternLimits.length))).toMatchObject({ ok: true });
  });

  test("a class counts for more where the platform takes long to ask", () => {
    const sizeOf = (source: string): number => {
      const pattern = compilePattern(source);
      return pattern.ok ? pattern.value.size : Number.NaN;
    };
    expect(sizeOf("[a-z]")).toBeGreaterThan(sizeOf("a"));
    expect(sizeOf("\\p{L}")).toBeGreaterThan(sizeOf("[a-z]"));
    expect(sizeOf("[\\p{L}\\P{N}]")).toBeGreaterThan(sizeOf("[\\p{L}]"));
    // Once, however often it stands there.
    expect(sizeOf("\\p{L}{10}")).toBe(sizeOf("\\p{L}") + 9);
  });
});

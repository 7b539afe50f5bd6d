import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countablePattern, matchingSteps } from "../../../shared/json-schema/pattern-work.ts";

const most = 2_000_000;

function steps(source: string, text: string): number {
  const pattern = countablePattern(source);
  if (!pattern.ok) throw new Error(`${source}: ${pattern.error}`);
  return matchingSteps(pattern.value, text, most);
}

describe("a pattern that backtracks without end", () => {
  test.each<[string, (n: number) => string]>([
    ["^(a+)+$", (n) => "a".repeat(n)],
    ["(a|a)*b", (n) => "a".repeat(n)],
    ["(a*)*$", (n) => "a".repeat(n)],
    ["^((a*)+)+$", (n) => "a".repeat(n)],
    ["^(a|aa)+$", (n) => "a".repeat(n)],
    ["^([a-z]{1,30}){1,30}$", (n) => "a".repeat(n)],
    ["^(a?){40}a{40}$", (n) => "a".repeat(n)],
    ["^(?:a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?)(?:a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?)b", (n) => "a".repeat(n)],
    ["(?=(a+)+b)a", (n) => "a".repeat(n)],
    ["(?!(a+)+b)c", (n) => "a".repeat(n)],
    ["^(\\w+\\s?)*$", (n) => "a".repeat(n)],
    ["^([^\\s]+[a-z]*)+$", (n) => "a".repeat(n)],
    ["(.*)*x", (n) => "😀".repeat(n)],
    ["^(?:\\p{Emoji_Component}|[0-9])+$", (n) => "1".repeat(n)],
    ["^(?<year>(?:\\d|\\d\\d)+)-$", (n) => "1".repeat(n)],
    ["(|){50}", () => "!"],
  ])("%s has more ways than are gone for a short text", (source, text) => {
    expect(steps(source, `${text(45)}!`)).toBe(Infinity);
  });

  test("is no reason to refuse a text for which there are few", () => {
    expect(steps("^(a+)+$", "aaaa!")).toBeLessThan(100);
  });
});

describe("a pattern that a schema really has takes steps in proportion to the text", () => {
  const zodEmail = "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";
  test.each([
    [zodEmail, (n: number) => "a".repeat(n)],
    [zodEmail, (n: number) => `a@${"a.".repeat(n / 2)}1`],
    ["^\\d{4}-\\d{2}-\\d{2}$", (n: number) => "1".repeat(n)],
    ["^[A-Z]{2}-[0-9]{4}$", (n: number) => "A".repeat(n)],
    ["^(?:foo|bar)*$", (n: number) => "foo".repeat(n / 3)],
    ["^https?://[^\\s/]+(/[^\\s]*)?$", (n: number) => `https://${"a".repeat(n)}`],
    ["^[a-z0-9]+(?:-[a-z0-9]+)*$", (n: number) => "a-".repeat(n / 2)],
    ["^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$", (n: number) => "a".repeat(n)],
  ])("%s", (source, text) => {
    expect(steps(source, `${text(3_000)}!`)).toBeLessThan(100 * 3_000);
  });
});

/** A backtracking matcher of the plainest kind, which counts every character that it looks at; nothing of it is shared with the code under test. */
type Tree =
  | { readonly is: "a" | "b" | "." }
  | { readonly all: readonly Tree[] }
  | { readonly any: readonly Tree[] }
  | { readonly of: Tree; readonly min: number; readonly max: number };

const sourceOf = (tree: Tree): string => {
  if ("is" in tree) return tree.is;
  if ("all" in tree) return tree.all.map((each) => ("any" in each ? `(?:${sourceOf(each)})` : sourceOf(each))).join("");
  if ("any" in tree) return tree.any.map(sourceOf).join("|");
  return `(?:${sourceOf(tree.of)}){${tree.min},${tree.max === Infinity ? "" : tree.max}}`;
};

class Backtracking {
  looked = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Every way, as if each failed in the end. */
  search(tree: Tree): void {
    for (let at = 0; at <= this.#text.length; at += 1) this.#go(tree, at, () => {});
  }

  #go(tree: Tree, at: number, then: (at: number) => void): void {
    if (this.looked > 100_000) return;
    if ("is" in tree) {
      this.looked += 1;
      if (at < this.#text.length && (tree.is === "." || this.#text[at] === tree.is)) then(at + 1);
    } else if ("all" in tree) this.#each(tree.all, at, then);
    else if ("any" in tree) for (const each of tree.any) this.#go(each, at, then);
    else this.#times(tree.of, tree.min, tree.max, at, then);
  }

  #each([first, ...others]: readonly Tree[], at: number, then: (at: number) => void): void {
    if (first === undefined) then(at);
    else this.#go(first, at, (next) => this.#each(others, next, then));
  }

  /** ECMA-262, RepeatMatcher: beyond the least number, what consumed nothing is dropped. */
  #times(of: Tree, min: number, max: number, at: number, then: (at: number) => void): void {
    if (max > 0)
      this.#go(of, at, (next) => {
        if (min === 0 && next === at) return;
        this.#times(of, Math.max(0, min - 1), max - 1, next, then);
      });
    if (min === 0) then(at);
  }
}

const tree: fc.Arbitrary<Tree> = fc.letrec<{ of: Tree }>((tie) => ({
  of: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Tree>({ is: "a" }, { is: "b" }, { is: "." }),
    fc.array(tie("of"), { maxLength: 3 }).map((all): Tree => ({ all })),
    fc.array(tie("of"), { minLength: 2, maxLength: 3 }).map((any): Tree => ({ any })),
    fc
      .record({ of: tie("of"), min: fc.nat(2), more: fc.constantFrom(0, 1, 2, Infinity) })
      .map(({ of, min, more }): Tree => ({ of, min, max: min + more })),
  ),
})).of;

test("never fewer steps are counted than a backtracking matcher takes", () => {
  fc.assert(
    fc.property(tree, fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 }), (shape, text) => {
      const pattern = countablePattern(sourceOf(shape));
      if (!pattern.ok) return;
      const matcher = new Backtracking(text);
      matcher.search(shape);
      expect(matchingSteps(pattern.value, text, most)).toBeGreaterThanOrEqual(Math.min(matcher.looked, 100_000));
    }),
    { numRuns: 2_000 },
  );
});

describe("what is not counted is refused, with the reason", () => {
  test.each([
    ["[", "regular expression"],
    ["a{2", "regular expression"],
    ["\\-", "regular expression"],
    ["(a)\\1", "backreference"],
    ["(?<x>a)\\k<x>", "backreference"],
    ["(?<=a)b", "look behind"],
    ["(?<!a)b", "look behind"],
    ["a".repeat(2_001), "longer than 2000"],
    ["(".repeat(60) + ")".repeat(60), "groups inside one another"],
    ["(a?){5000}", "so large"],
    ["((a?){99}){99}", "so large"],
  ])("%s", (source, why) => {
    expect(countablePattern(source)).toEqual({ ok: false, error: expect.stringContaining(why) as string });
  });

  test("any text at all gives a pattern or a sentence, and steps for any text", () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom("(", ")", "(?:", "(?=", "(?<n>", "[^a]", "*", "+?", "{2,3}", "|", "^", "$", "\\b", "\\p{L}", "\\u{1F600}", "\\]"),
    );
    const source = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(source, fc.string({ unit: "binary", maxLength: 10 }), (given, text) => {
        const pattern = countablePattern(given);
        if (pattern.ok) expect(matchingSteps(pattern.value, text, most)).toBeGreaterThanOrEqual(1);
        else expect(pattern.error).toMatch(/^(?:must|has) /);
      }),
      { numRuns: 3_000 },
    );
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../../shared/encoding.ts";
import { checkJson, isDeeperThan } from "../../../shared/json/json-rules.ts";
import { IssueCollector } from "../../../shared/json/issue-collector.ts";

const errorsOf = (value: unknown) => {
  const issues = new IssueCollector();
  checkJson(value, issues);
  return issues.found;
};

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

describe("a JSON value", () => {
  test("that is let through has a canonical form", () => {
    // Halves of surrogate pairs, which may or may not meet, and the numbers that JSON cannot spell.
    const halves = fc.string({ unit: fc.constantFrom("a", "é", "\ud83d", "\ude00"), maxLength: 4 });
    const anything = fc.letrec((tie) => ({
      value: fc.oneof(fc.string(), halves, fc.double(), fc.constantFrom(null, true), tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 4 }),
      object: fc.dictionary(fc.oneof(fc.string(), halves), tie("value"), { maxKeys: 4 }),
    })).value;
    const seen = { sound: 0, unsound: 0 };
    fc.assert(
      fc.property(anything, (value) => {
        const sound = errorsOf(value).length === 0;
        seen[sound ? "sound" : "unsound"] += 1;
        if (sound) expect(() => canonicalJson(value)).not.toThrow();
        else if (!JSON.stringify(value).includes('"__proto__"')) expect(() => canonicalJson(value)).toThrow();
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.sound, seen.unsound)).toBeGreaterThan(20);
  });

  test("that JSON does not know is refused where it stands", () => {
    expect(errorsOf({ a: [1n, () => 1, Symbol("s"), undefined] }).map(({ pointer }) => pointer)).toEqual(["/a/0", "/a/1", "/a/2"]);
  });

  test("of 64 levels is let through and of 65 is not, and a hundred thousand overflow nothing", () => {
    expect(errorsOf(nested(64))).toEqual([]);
    expect(errorsOf(nested(65))).toHaveLength(1);
    expect(errorsOf(nested(100_000))).toHaveLength(1);
  });

  test("has its depth told exactly", () => {
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.nat({ max: 100 }), (levels, limit) => {
        expect(isDeeperThan(limit, nested(levels + 1))).toBe(levels + 1 > limit);
      }),
    );
    expect(isDeeperThan(0, "text")).toBe(false);
    expect(isDeeperThan(128, nested(100_000))).toBe(true);
  });
});

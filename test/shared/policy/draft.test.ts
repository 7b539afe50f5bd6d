import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/encoding.ts";
import {
  addRules,
  changesIn,
  isEqual,
  moveRule,
  nameOf,
  newRule,
  peopleIn,
  readDraft,
  removeRule,
  rulesIn,
} from "../../../shared/policy/draft.ts";

const draftOf = (...names: readonly string[]): JsonObject => ({
  version: 3,
  rules: names.map((name) => ({ name })),
  default: {},
  later: [1],
});
const namesOf = (draft: JsonObject): string[] => rulesIn(draft).map(nameOf);

describe("a draft", () => {
  test.each([
    [0, 2, ["b", "c", "a"]],
    [2, 0, ["c", "a", "b"]],
    [1, 9, ["a", "c", "b"]],
    [1, -1, ["b", "a", "c"]],
    [7, 0, ["a", "b", "c"]],
  ])("rule %i moved to %i", (from, to, expected) => {
    expect(namesOf(moveRule(draftOf("a", "b", "c"), from, to))).toEqual(expected);
  });

  test("keeps what the editor does not know", () => {
    const draft = { ...draftOf("a"), rules: [{ name: "a", extra: true }] };
    expect(addRules(removeRule(moveRule(draft, 0, 0), 5), [{ name: "b" }], 0)).toEqual({
      ...draft,
      rules: [{ name: "b" }, { name: "a", extra: true }],
    });
  });

  test("gets a rule with a name of its own", () => {
    expect(nameOf(newRule(draftOf("rule 2", "rule 3")))).toBe("rule 4");
  });

  test("is read from any text or refused, and never throws", () => {
    expect(readDraft("[]")).toBeNull();
    expect(readDraft("no")).toBeNull();
    fc.assert(
      fc.property(fc.json(), (text) => {
        const draft = readDraft(text);
        if (draft !== null) expect(changesIn(draft, draftOf("a")).changes).toHaveLength(namesOf(draft).length);
        expect(peopleIn(draft ?? {}).people.every((name) => typeof name === "string")).toBe(true);
      }),
    );
    expect(rulesIn({ rules: [1, null, { name: "a" }] })).toEqual([{}, {}, { name: "a" }]);
    expect(peopleIn({ reviewers: { g: [{ name: "Ann" }, 1], h: [{ name: "Ann" }] } })).toEqual({ groups: ["g", "h"], people: ["Ann"] });
  });
});

describe("a draft beside the version in use", () => {
  test("says what is new, changed, moved and removed", () => {
    const before = draftOf("a", "b", "c", "d");
    const after = { ...before, rules: [{ name: "a", when: { risk: "high" } }, { name: "c" }, { name: "b" }, { name: "e" }] };
    expect(changesIn(after, before)).toEqual({
      changes: [{ kind: "changed", was: { name: "a" }, from: 0 }, { kind: "moved", from: 2 }, { kind: "moved", from: 1 }, { kind: "new" }],
      removed: ["d"],
    });
    expect(changesIn(before, before).changes.every(({ kind }) => kind === "same")).toBe(true);
  });

  test("members in another order are no change", () => {
    expect(isEqual({ a: 1, b: { c: [1, null] } }, { b: { c: [1, null] }, a: 1 })).toBe(true);
    expect(isEqual({ a: [1] }, { a: { 0: 1 } })).toBe(false);
    expect(isEqual({ a: 1 }, { a: 1, b: false })).toBe(false);
  });
});

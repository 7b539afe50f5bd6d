// Two changes of one document, joined.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeJson } from "../../../shared/json/merge.ts";

const models = (...names: readonly (string | [string, number])[]) => ({
  models: names.map((each) => (typeof each === "string" ? { id: each, speed: 0 } : { id: each[0], speed: each[1] })),
});

describe("joining two changes", () => {
  test.each([
    ["different members", { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 3 }, { a: 2, b: 3 }],
    ["one adds, one removes", { a: 1, b: 1 }, { a: 1, b: 1, c: 1 }, { a: 1 }, { a: 1, c: 1 }],
    ["the same change twice", { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
    ["different models", models("x", "y"), models(["x", 1], "y"), models("x", ["y", 2]), models(["x", 1], ["y", 2])],
    ["a new model on each side", models("x", "y"), models("x", "new", "y"), models("x", "y", "other"), models("x", "new", "y", "other")],
    ["one sorts, one changes", models("x", "y"), models("y", "x"), models(["x", 1], "y"), models("y", ["x", 1])],
    ["one removes, one changes another", models("x", "y"), models("y"), models("x", ["y", 1]), models(["y", 1])],
    ["a list without names that one changed", { a: [1, 2] }, { a: [1, 2, 3] }, { a: [1, 2], b: 1 }, { a: [1, 2, 3], b: 1 }],
  ])("%s", (_name, base, mine, theirs, joined) => {
    expect(mergeJson(base, mine, theirs)).toEqual({ ok: true, value: joined });
  });

  test.each([
    ["one member", { a: { b: 1 } }, { a: { b: 2 } }, { a: { b: 3 } }, ["/a/b"]],
    ["a member that one removed", { a: { b: 1 } }, {}, { a: { b: 3 } }, ["/a"]],
    ["one model", models("x"), models(["x", 1]), models(["x", 2]), ["/models/x/speed"]],
    ["two new models of one name", models(), models(["x", 1]), models(["x", 2]), ["/models/x"]],
    ["the order", models("x", "y", "z"), models("y", "x", "z"), models("x", "z", "y"), ["/models"]],
    ["a list without names", { a: [1] }, { a: [2] }, { a: [3] }, ["/a"]],
  ])("is refused where both changed %s", (_name, base, mine, theirs, pointers) => {
    expect(mergeJson(base, mine, theirs)).toEqual({ ok: false, error: pointers });
  });

  test("who changed nothing gets what the other made", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (base, other) => {
        expect(mergeJson(base, base, other)).toEqual({ ok: true, value: other });
        expect(mergeJson(base, other, base)).toEqual({ ok: true, value: other });
      }),
    );
  });
});

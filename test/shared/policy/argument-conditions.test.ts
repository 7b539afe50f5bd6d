// What a rule asks of the arguments of a tool's call, and what a tool says of itself.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../shared/encoding.ts";
import { type ArgumentCondition, argumentConditionsSchema, isArgumentMet } from "../../../shared/policy/argument-conditions.ts";
import { carefulHints, hintsOf } from "../../../shared/policy/tool-hints.ts";
import { pointerTo } from "../../../shared/routing/issues.ts";

const met = (condition: ArgumentCondition, given: JsonObject, sent: JsonObject = given): boolean =>
  isArgumentMet(condition, { given, sent });

const call: JsonObject = {
  env: "production",
  amount: 250,
  rate: 0.5,
  force: false,
  note: null,
  account: "42",
  "a/b": { "~": 1 },
  items: [{ name: "first" }, { name: "second" }],
  big: 9_007_199_254_740_992,
};

describe("a condition on an argument", () => {
  test.each<[ArgumentCondition, boolean]>([
    [{ pointer: "/env", equals: "production" }, true],
    [{ pointer: "/env", equals: "Production" }, false],
    [{ pointer: "/amount", equals: 250 }, true],
    [{ pointer: "/amount", equals: "250" }, false],
    [{ pointer: "/account", equals: 42 }, false],
    [{ pointer: "/force", equals: false }, true],
    [{ pointer: "/force", equals: 0 }, false],
    [{ pointer: "/note", equals: null }, true],
    [{ pointer: "/missing", equals: null }, false],
    [{ pointer: "/items/1/name", equals: "second" }, true],
    [{ pointer: "/items/01/name", equals: "second" }, false],
    [{ pointer: "/items/-1/name", equals: "second" }, false],
    [{ pointer: "/items/length", present: true }, false],
    [{ pointer: "/env/length", present: true }, false],
    [{ pointer: "/a~1b/~0", equals: 1 }, true],
    [{ pointer: "/env", oneOf: ["staging", "production"] }, true],
    [{ pointer: "/env", oneOf: ["staging"] }, false],
    [{ pointer: "/env", glob: "prod*" }, true],
    [{ pointer: "/amount", glob: "*" }, false],
    [{ pointer: "/amount", over: 249.5 }, true],
    [{ pointer: "/amount", over: 250 }, false],
    [{ pointer: "/account", over: 1 }, false],
    [{ pointer: "/rate", under: 1 }, true],
    [{ pointer: "/missing", under: 1 }, false],
    [{ pointer: "/note", present: true }, true],
    [{ pointer: "/note", present: false }, false],
    [{ pointer: "/missing", present: false }, true],
    [{ pointer: "/constructor", present: false }, true],
    [{ pointer: "/__proto__", present: false }, true],
    [{ pointer: "", present: true }, true],
    // Another whole number that is read as this one.
    [{ pointer: "/big", equals: 9_007_199_254_740_992 }, false],
    [{ pointer: "/big", over: 1_000 }, true],
  ])("%j: %j", (condition, expected) => {
    expect(met(condition, call)).toBe(expected);
  });

  test("on what redaction masks equals nothing, not even the marker that the call is sent with", () => {
    const marker = "[redacted: API key]";
    const masked = { token: marker };
    expect(met({ pointer: "/token", equals: marker }, { token: "sk-1" }, masked)).toBe(false);
    expect(met({ pointer: "/token", oneOf: [marker] }, { token: "sk-1" }, masked)).toBe(false);
    expect(met({ pointer: "/token", equals: "sk-1" }, { token: "sk-1" }, masked)).toBe(false);
    expect(met({ pointer: "/token", equals: marker }, masked)).toBe(true);
    expect(met({ pointer: "/token", present: true }, { token: "sk-1" }, masked)).toBe(true);
  });

  test("that equals one value holds for that value of that type and for no other", () => {
    const value = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(value, value, fc.array(fc.string(), { minLength: 1, maxLength: 3 }), (wanted, other, path) => {
        const inside = path.toReversed().reduce<Json>((at, name) => ({ [name]: at }) as Json, other) as JsonObject;
        const isExact = typeof other !== "number" || !Number.isInteger(other) || Number.isSafeInteger(other);
        expect(met({ pointer: pointerTo(path), equals: wanted }, inside)).toBe(wanted === other && isExact);
      }),
    );
  });

  test("on an argument that is not there is met by its absence alone", () => {
    const comparison: fc.Arbitrary<Omit<ArgumentCondition, "pointer">> = fc.oneof(
      fc.record({ equals: fc.constantFrom("", 0, null, false) }),
      fc.record({ oneOf: fc.array(fc.constantFrom(null, ""), { minLength: 1 }) }),
      fc.record({ glob: fc.constant("*") }),
      fc.record({ over: fc.constant(-1e300) }),
      fc.record({ under: fc.constant(1e300) }),
      fc.record({ present: fc.constant(true) }),
    );
    fc.assert(
      fc.property(comparison, (each) => {
        expect(met({ pointer: "/nowhere", ...each }, call)).toBe(false);
      }),
    );
  });

  test.each([
    ["none of the comparisons", [{ pointer: "/a" }]],
    ["two of them", [{ pointer: "/a", over: 1, under: 3 }]],
    ["no pointer", [{ pointer: "a", equals: 1 }]],
    ["half an escape", [{ pointer: "/a~2", equals: 1 }]],
    ["a number that is read as another", [{ pointer: "/a", equals: 2 ** 53 }]],
    ["a list to equal", [{ pointer: "/a", equals: [] }]],
    ["no condition", []],
  ])("is refused with %s", (_, conditions) => {
    expect(argumentConditionsSchema.safeParse(conditions).success).toBe(false);
  });
});

describe("what a tool says of itself", () => {
  test.each([
    [{}, { readOnly: false, destructive: true, openWorld: true }],
    [{ readOnlyHint: true }, { readOnly: true, destructive: false, openWorld: true }],
    [
      { readOnlyHint: true, destructiveHint: true },
      { readOnly: true, destructive: true, openWorld: true },
    ],
    [
      { destructiveHint: false, openWorldHint: false },
      { readOnly: false, destructive: false, openWorld: false },
    ],
    [{ readOnlyHint: "true", destructiveHint: "false", openWorldHint: 0 }, carefulHints],
  ])("%j counts where its server is trusted", (annotations, hints) => {
    expect(hintsOf(annotations, true)).toEqual(hints);
    expect(hintsOf(annotations, false)).toEqual(carefulHints);
  });

  test("is the worst where it says nothing", () => {
    expect(hintsOf(undefined, true)).toEqual(carefulHints);
  });
});

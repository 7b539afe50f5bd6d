// What an isolate keeps: one state for each environment, until it begins anew.

import { expect, test } from "vitest";
import { byNamespace, isolateMap, isolateState, resetIsolate } from "../../../workers/platform/isolate.ts";
import { env } from "../support/gateway.ts";

const here = { ...env };
const other = { ...here };

test("a state is made once for each environment, and again after a reset", () => {
  let made = 0;
  const stateOf = isolateState(() => ({ number: (made += 1) }));
  expect([stateOf(here), stateOf(other), stateOf(here), stateOf(other)].map(({ number }) => number)).toEqual([1, 2, 1, 2]);
  resetIsolate();
  expect(stateOf(here).number).toBe(3);
});

test("a state of the namespace is the same with other variables", () => {
  const stateOf = isolateState(() => ({}), byNamespace);
  expect(stateOf(here)).toBe(stateOf(other));
});

test("what cannot be made is not kept", () => {
  let isBroken = true;
  const stateOf = isolateState(() => {
    if (isBroken) throw new Error("broken");
    return 1;
  });
  expect(() => stateOf(here)).toThrow("broken");
  isBroken = false;
  expect(stateOf(here)).toBe(1);
});

test("a map is empty after a reset", () => {
  const map = isolateMap<string, number>();
  map.set("a", 1);
  resetIsolate();
  expect(map.size).toBe(0);
});

// What a release stored stays as it was: its file in test/upgrade, and the tables of its objects,
// which change by a migration alone.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { digestOfState, frozenStates, nextState, stateFile, tablesNow } from "../../scripts/freeze-state.ts";

const states = Object.entries(frozenStates());

test("the state of this version is there: a frozen one, or the one that follows", () => {
  const last = Math.max(1, nextState() - 1);
  for (const number of states.length === 0 ? [1] : Array.from({ length: last }, (_, index) => index + 1))
    expect(existsSync(fileURLToPath(new URL(`../upgrade/${stateFile(number)}`, import.meta.url)))).toBe(true);
});

test("no frozen state was changed", () => {
  expect(states.filter(([number, { state }]) => digestOfState(Number(number)) !== state).map(([number]) => number)).toEqual([]);
});

test("no object's tables differ from those that a release stored in the same version", () => {
  const now = tablesNow();
  const changed = states.flatMap(([number, { tables }]) =>
    Object.entries(tables)
      .filter(([name, { version, digest }]) => now[name]?.version === version && now[name].digest !== digest)
      .map(([name]) => `${name} (state ${number}): add a migration in workers/objects/schema/, and make the next state`),
  );
  expect(changed).toEqual([]);
});

test("no object of a release is gone, or stored in an earlier version", () => {
  const now = tablesNow();
  const lost = states.flatMap(([, { tables }]) =>
    Object.entries(tables).filter(([name, { version }]) => (now[name]?.version ?? 0) < version),
  );
  expect(lost).toEqual([]);
});

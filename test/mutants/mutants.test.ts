// The list against the source: a mutation that no longer applies would be a check that nobody
// watches.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mutants } from "./all.ts";
import { countOf } from "./mutant.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("each mutation applies to exactly one place, and changes it", () => {
  const wrong = mutants.filter(({ file, from, to }) => countOf(read(file), from) !== 1 || from === to);
  expect(wrong.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test("each mutation has a name of its own, and a test that is there", () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(mutants.filter(({ test: { file } }) => !existsSync(join(root, file))).map(({ name }) => name)).toEqual([]);
});

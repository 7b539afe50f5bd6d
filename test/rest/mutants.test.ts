// The command that takes checks away, run as its user runs it.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("npm run test:mutants tells a check that is watched from one that is not", () => {
  const run = (only: string) =>
    spawnSync(process.execPath, ["scripts/mutants.ts", "--again", "--only", only], { cwd: root, encoding: "utf8" }).stdout;
  expect(run("an answer is about the current digest")).toMatch(
    /1\/1 killed .*an answer is about the current digest[\s\S]*1 as expected, 0 not/,
  );
  expect(run("a seal's key is named")).toMatch(/1\/1 survived .*a seal's key is named[\s\S]*1 as expected, 0 not/);
}, 600_000);

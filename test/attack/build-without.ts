// Builds the Workers once for all files of `npm run attack`. WITHOUT removes one of the gateway's
// checks first, by a part of its name in test/mutants/: attacks that find nothing there would show
// nothing.

import { rmSync } from "node:fs";
import type { V4WorkerOptions } from "miniflare";
import type { TestProject } from "vitest/node";
import { builtWorkers } from "../../scripts/built-workers.ts";
import { makeCopy, removeCheck } from "../../scripts/mutants.ts";
import { mutants } from "../mutants/all.ts";

export default async function setup({ provide }: TestProject): Promise<void> {
  const without = process.env["WITHOUT"];
  provide("builtWorkers", await (without === undefined ? builtWorkers() : workersWithout(without)));
}

async function workersWithout(name: string): Promise<V4WorkerOptions[]> {
  const exact = mutants.filter((mutant) => mutant.name === name);
  const [mutant, ...others] = exact.length > 0 ? exact : mutants.filter((each) => each.name.includes(name));
  if (mutant === undefined || others.length > 0) throw new Error(`WITHOUT: no check, or more than one, has "${name}" in its name`);
  const copy = makeCopy(0);
  try {
    if (!removeCheck(copy, mutant)) throw new Error(`WITHOUT: ${mutant.file} has no such check any more`);
    return await builtWorkers(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

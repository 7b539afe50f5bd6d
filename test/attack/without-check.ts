// The gateway with one of its checks removed, built from a copy: attacks that find nothing there would show nothing here.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { V4WorkerOptions } from "miniflare";
import { mutants } from "../mutants/all.ts";
import { countOf } from "../mutants/mutant.ts";
import { builtWorkers } from "../../scripts/built-workers.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Builds the Workers without the check whose name has this in it. Throws where there is none, or more than one. */
export async function workersWithout(name: string): Promise<[V4WorkerOptions, ...V4WorkerOptions[]]> {
  const exact = mutants.filter((mutant) => mutant.name === name);
  const chosen = exact.length === 1 ? exact : mutants.filter((mutant) => mutant.name.includes(name));
  const [mutant] = chosen;
  if (mutant === undefined || chosen.length > 1) throw new Error(`--without: ${chosen.length} checks have "${name}" in their names`);
  const copy = mkdtempSync(join(tmpdir(), "countersign-without-"));
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  for (const part of ["shared", "workers", "wrangler.toml", "package.json", "tsconfig.base.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  if (countOf(source, mutant.from) !== 1) throw new Error(`--without: ${mutant.file} has no such check any more`);
  writeFileSync(
    path,
    source.replace(mutant.from, () => mutant.to),
  );
  return builtWorkers(copy);
}

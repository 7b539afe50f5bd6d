// The Nodes of this machine that the package is started on.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The path of a `node` of this major version, from PATH or where systems put it; undefined where
 * there is none.
 */
export function nodeOf(major: number): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/bin", "/usr/bin"];
  const paths = [process.execPath, ...folders.filter(Boolean).map((folder) => join(folder, "node"))];
  return paths.filter(existsSync).find((path) => execFileSync(path, ["--version"], { encoding: "utf8" }).startsWith(`v${major}.`));
}

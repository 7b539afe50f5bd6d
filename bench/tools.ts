// Programs from npm that the gateway is compared with. They are no dependencies: each is fetched in
// an exact version at its first use.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Settings } from "./options.ts";

const folder = fileURLToPath(new URL("../.bench/tools", import.meta.url));

class NotFetched extends Error {}

/**
 * The folder of an npm package in this version. It is fetched into .bench/ where it is not there,
 * without its install scripts.
 */
export function tool(name: string, version: string): string {
  const home = join(folder, `${name.replaceAll("/", "+")}@${version}`);
  const installed = join(home, "node_modules", name);
  if (existsSync(join(home, "complete"))) return installed;
  console.error(`Fetching ${name} ${version} from npm into .bench/ …`);
  mkdirSync(home, { recursive: true });
  const args = ["install", "--prefix", home, "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  try {
    execFileSync("npm", [...args, `${name}@${version}`], { stdio: ["ignore", "ignore", "inherit"], cwd: home, timeout: 120_000 });
  } catch {
    rmSync(home, { recursive: true, force: true });
    throw new NotFetched(
      `${name} ${version} could not be fetched from npm. The comparison needs it once: run the command again with a connection to the registry.`,
    );
  }
  mkdirSync(join(home, "complete"));
  return installed;
}

/** The contenders that need a tool. A short run without a connection does without them. */
export async function withTools<T>({ short }: Settings, contenders: () => Promise<T[]>): Promise<T[]> {
  try {
    return await contenders();
  } catch (error) {
    if (!short || !(error instanceof NotFetched)) throw error;
    console.error(`Left out: ${error.message}`);
    return [];
  }
}

// The secrets that a deployment made, in a file for this user alone: Cloudflare shows none again,
// and a deployment that stops half-way goes on with the same ones.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { makePrivate } from "../private-folder.ts";

export const keptPath = (folder: string, name: string): string => join(folder, `${name}.env`);

/** Empty where there is no such file. */
export function keptSecrets(folder: string, name: string): Record<string, string> {
  const path = keptPath(folder, name);
  if (!existsSync(path)) return {};
  const read = parseEnv(readFileSync(path, "utf8"));
  return Object.fromEntries(Object.entries(read).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** Adds these to the file. The values are base64url, which needs no quotes. */
export function keepSecrets(folder: string, name: string, made: Readonly<Record<string, string>>): void {
  if (Object.keys(made).length === 0) return;
  makePrivate(folder);
  const lines = Object.entries({ ...keptSecrets(folder, name), ...made }).map(([key, value]) => `${key}=${value}`);
  const path = keptPath(folder, name);
  const text = `# Secrets of the gateway ${name}, made by npm run deploy. Put them into a password manager, and delete this file.\n${lines.join("\n")}\n`;
  // Whole or not at all: what it replaces may be the only copy.
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

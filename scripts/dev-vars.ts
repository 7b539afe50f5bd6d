// The secrets of a local gateway: `.dev.vars`, made the first time. What it has is never
// overwritten; what it lacks is added.

import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";

const path = new URL("../.dev.vars", import.meta.url);
const header = "# Secrets of this machine's gateway. Made by npm start; keep it out of version control.\n";
const names = ["ADMIN_TOKEN", "LINK_KEY", "DEV_API_KEY"] as const;

/** Every variable of `.dev.vars`; none where there is no such file. */
export const fileVariables = (file = path): Record<string, string> =>
  existsSync(file)
    ? Object.fromEntries(
        Object.entries(parseEnv(readFileSync(file, "utf8"))).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      )
    : {};

export type DevVars = Readonly<Record<(typeof names)[number], string>>;

/**
 * Reads `.dev.vars`; makes it where it is missing, adds the secrets that it lacks, and closes it to
 * other users. Throws where it has one that is too short to be a secret.
 * @returns also `added`: the names that the file of a person lacked.
 */
export function devVars(file = path): DevVars & {
  readonly made: boolean;
  readonly added: readonly string[];
  readonly has: (name: string) => boolean;
} {
  const made = !existsSync(file);
  // A line `NAME=` has no value, as in an example that somebody copied: the one behind it counts.
  const missing = names.filter((name) => (fileVariables(file)[name] ?? "") === "");
  const lines = missing.map((name) => `${name}=${randomBytes(24).toString("base64url")}\n`).join("");
  if (made) writeFileSync(file, `${header}${lines}`, { mode: 0o600, flag: "wx" });
  else if (lines !== "") appendFileSync(file, `${/[^\n]$/.test(readFileSync(file, "utf8")) ? "\n" : ""}${lines}`);
  chmodSync(file, 0o600);
  const found = new Map(Object.entries(fileVariables(file)));
  const of = (name: (typeof names)[number]): string => {
    const value = found.get(name) ?? "";
    if (value.length < 16)
      throw new Error(`${name} in .dev.vars must have 16 characters or more: give it a longer value, or remove its line and start again`);
    return value;
  };
  const secrets = { ADMIN_TOKEN: of("ADMIN_TOKEN"), LINK_KEY: of("LINK_KEY"), DEV_API_KEY: of("DEV_API_KEY") };
  return { ...secrets, made, added: made ? [] : missing, has: (name) => found.has(name) };
}

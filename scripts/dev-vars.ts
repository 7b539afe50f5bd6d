// The secrets of a local gateway: `.dev.vars`, made the first time and never overwritten.

import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";

const path = new URL("../.dev.vars", import.meta.url);
const names = ["ADMIN_TOKEN", "LINK_KEY", "DEV_API_KEY"] as const;

/** Every variable of `.dev.vars`; none where there is no such file. */
export const fileVariables = (): Record<string, string> =>
  existsSync(path)
    ? Object.fromEntries(
        Object.entries(parseEnv(readFileSync(path, "utf8"))).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      )
    : {};

export type DevVars = Readonly<Record<(typeof names)[number], string>>;

/**
 * Reads `.dev.vars`; makes it where it is missing, and closes it to other users. Throws where it
 * lacks a name that the gateway needs.
 */
export function devVars(): DevVars & { readonly made: boolean; readonly has: (name: string) => boolean } {
  const made = !existsSync(path);
  if (made) {
    const lines = names.map((name) => `${name}=${randomBytes(24).toString("base64url")}`);
    writeFileSync(path, `# Secrets of this machine's gateway. Made by npm start; keep it out of version control.\n${lines.join("\n")}\n`, {
      mode: 0o600,
      flag: "wx",
    });
  }
  chmodSync(path, 0o600);
  const found = new Map(Object.entries(fileVariables()));
  const of = (name: (typeof names)[number]): string => {
    const value = found.get(name);
    if (value === undefined || value.length < 16)
      throw new Error(`.dev.vars has no ${name} of 16 characters or more: add the line ${name}=…, or delete the file and start again`);
    return value;
  };
  return { ADMIN_TOKEN: of("ADMIN_TOKEN"), LINK_KEY: of("LINK_KEY"), DEV_API_KEY: of("DEV_API_KEY"), made, has: (name) => found.has(name) };
}

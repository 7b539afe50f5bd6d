// Variables and secrets of the environment by the names that the configuration documents give them.

import type { Env } from "./env.ts";

/** Reads a variable or secret by name; undefined for a binding. */
export function lookupIn(env: Env): (name: string) => string | undefined {
  const values: Readonly<Record<string, unknown>> = { ...env };
  return (name) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
}

// Variables and secrets of the environment by the names that configuration gives them.

import type { Env } from "./env.ts";

/** A variable or secret of the environment by name; bindings that are no text are none. */
export function lookupIn(env: Env): (name: string) => string | undefined {
  const values: Readonly<Record<string, unknown>> = { ...env };
  return (name) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
}

// Variables and secrets of the environment by the names that the configuration documents give them.

/** Reads a variable or secret by name; undefined for a binding. */
export function lookupIn(env: object): (name: string) => string | undefined {
  const values: Readonly<Record<string, unknown>> = { ...env };
  return (name) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
}

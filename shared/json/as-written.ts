// A JSON text as a value for a digest, in which numbers that a parser would round stay apart.

import { isObject } from "./values.ts";

type Context = { readonly source?: string };
type Reviver = (name: string, value: unknown, context: Context) => unknown;

/**
 * Equal for texts that differ in white space and in the order of members alone. A text is its JSON,
 * so that it is no number, and has no half of a surrogate pair; a number that JavaScript would
 * write in another way is kept as it was written. Throws where it is no JSON.
 */
export function valueAsWritten(json: string): unknown {
  const keep: Reviver = (_name, value, { source }) => {
    if (typeof value === "string") return JSON.stringify(value);
    if (isObject(value) && Object.keys(value).some((name) => !name.isWellFormed()))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [JSON.stringify(name), each]));
    return typeof value === "number" && source !== undefined && String(value) !== source ? source : value;
  };
  // The third parameter is ECMAScript 2026; not every declaration of it has it.
  return JSON.parse(json, keep as (name: string, value: unknown) => unknown);
}

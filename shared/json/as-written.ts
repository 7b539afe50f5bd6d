// A JSON text as a value for a digest, in which numbers that a parser would round stay apart.

import { isObject } from "./values.ts";

type Context = { readonly source?: string };
type Reviver = (name: string, value: unknown, context: Context) => unknown;

/** The third parameter is ECMAScript 2026; not every declaration of it has it. */
const revived = (json: string, reviver: Reviver): unknown => JSON.parse(json, reviver as (name: string, value: unknown) => unknown);

const tellsSource = revived("0", (_name, _value, context?: Context) => context?.source === "0") === true;

/**
 * Equal for texts that differ in white space and in the order of members alone. A text is its JSON,
 * so that it is no number, and has no half of a surrogate pair; a number that JavaScript would
 * write in another way is kept as it was written. Where the runtime does not tell how a number was
 * written (Node 20), texts are equal that are so byte for byte. Throws where it is no JSON.
 */
export function valueAsWritten(json: string): unknown {
  if (!tellsSource) {
    JSON.parse(json);
    return json;
  }
  const keep: Reviver = (_name, value, { source }) => {
    if (typeof value === "string") return JSON.stringify(value);
    if (isObject(value) && Object.keys(value).some((name) => !name.isWellFormed()))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [JSON.stringify(name), each]));
    return typeof value === "number" && source !== undefined && String(value) !== source ? source : value;
  };
  return revived(json, keep);
}

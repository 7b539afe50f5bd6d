// Which arguments of a tool are repeated in headers, by its schema, and the headers of one call.
// Source: 2026-07-28, basic/transports/streamable-http, "Custom Headers from Tool Parameters".

import type { JsonObject } from "../../encoding.ts";
import { isObject, objectOf } from "../../json/values.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header-values.ts";

/** `path`: the members that lead to the argument. */
export type ParamHeader = { readonly name: string; readonly path: readonly string[] };

const deepest = 20;
const most = 100;

/**
 * The annotated properties of a tool's `inputSchema`: those that are reached by `properties` alone.
 */
export function paramHeadersIn(schema: JsonObject, path: readonly string[] = []): ParamHeader[] {
  const properties = objectOf(schema["properties"]);
  if (properties === null || path.length >= deepest) return [];
  const found = Object.entries(properties).flatMap(([name, value]): ParamHeader[] => {
    const property = objectOf(value);
    if (property === null) return [];
    const header = property["x-mcp-header"];
    const own =
      typeof header === "string" && /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(header) ? [{ name: header, path: [...path, name] }] : [];
    return [...own, ...paramHeadersIn(property, [...path, name])];
  });
  return found.slice(0, most);
}

/**
 * The headers for these arguments; none for an argument that is not there, or of a kind that has no
 * header.
 */
export const headersFor = (headers: readonly ParamHeader[], given: unknown): [string, string][] =>
  headers.flatMap((header): [string, string][] => {
    const said = saidOf(argumentAt(header, given));
    return said === undefined ? [] : [[`Mcp-Param-${header.name}`, encodeHeaderValue(said)]];
  });

const argumentAt = ({ path }: ParamHeader, given: unknown): unknown =>
  path.reduce<unknown>((at, member) => (isObject(at) ? at[member] : undefined), given);

/** What a header says of an argument. */
const saidOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : undefined;

/**
 * The first header that repeats no argument, by the tool's schema; where that is not known (null),
 * that says what no argument says. Null: there is none. A server, or what stands before it, may go
 * by a header that a reviewer was not shown.
 */
export function strayParamHeader(given: Iterable<readonly [string, string]>, args: JsonObject, schema: JsonObject | null): string | null {
  const known = schema === null ? null : paramHeadersIn(schema);
  const said = known === null ? new Set(saidIn(args)) : null;
  for (const [name, value] of given) {
    if (!name.toLowerCase().startsWith("mcp-param-")) continue;
    const decoded = decodeHeaderValue(value.trim());
    const header = known?.find((each) => `mcp-param-${each.name}`.toLowerCase() === name.toLowerCase());
    const isRepeated = said === null ? header !== undefined && saidOf(argumentAt(header, args)) === decoded : said.has(decoded);
    if (decoded === undefined || !isRepeated) return name;
  }
  return null;
}

const saidIn = (value: unknown, depth = 0): readonly (string | undefined)[] =>
  isObject(value) ? (depth < deepest ? Object.values(value).flatMap((each) => saidIn(each, depth + 1)) : []) : [saidOf(value)];

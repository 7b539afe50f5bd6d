// Which arguments of a tool are repeated in headers, by its schema, and the headers of one call.
// Source: 2026-07-28, basic/transports/streamable-http, "Custom Headers from Tool Parameters".

import type { JsonObject } from "../../encoding.ts";
import { isObject, objectOf } from "../../json/values.ts";
import { encodeHeaderValue } from "./header-values.ts";

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
export function headersFor(headers: readonly ParamHeader[], given: unknown): [string, string][] {
  return headers.flatMap(({ name, path }): [string, string][] => {
    const value = path.reduce<unknown>((at, member) => (isObject(at) ? at[member] : undefined), given);
    const isSayable = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
    return isSayable ? [[`Mcp-Param-${name}`, encodeHeaderValue(String(value))]] : [];
  });
}

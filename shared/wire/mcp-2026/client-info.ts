// What a client says of itself with each request of revision 2026-07-28.

import type { JsonObject } from "../../encoding.ts";
import { isObject } from "../../json/values.ts";

/**
 * The name and version of a client, cut to what every server reads; undefined where there is none.
 */
export function clientInfoOf(value: unknown): JsonObject | undefined {
  if (!isObject(value) || typeof value["name"] !== "string" || typeof value["version"] !== "string") return undefined;
  return { name: value["name"].slice(0, 200).toWellFormed(), version: value["version"].slice(0, 100).toWellFormed() };
}

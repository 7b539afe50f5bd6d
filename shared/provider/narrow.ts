// Narrow checks for what providers answer: the shapes we need, everything else ignored. Nothing here throws.

import type { JsonObject } from "../encoding.ts";
import { isObject } from "../json/values.ts";

/** A count of tokens: a whole number from 0. */
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Deeper than any tool's arguments, and shallow enough for every recursive function that they pass through later. */
const deepest = 64;

/**
 * A JSON object, at most 64 levels deep, that has a canonical form (RFC 8785: no lone surrogates, no infinite numbers) and no
 * member `__proto__`: what a tool's arguments must be, as a request's own values must.
 */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && isJson(value, deepest);
}

function isJson(value: unknown, levels: number): boolean {
  if (value === null || typeof value === "boolean") return true;
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || levels === 0) return false;
  if (Array.isArray(value)) return value.every((member) => isJson(member, levels - 1));
  return Object.entries(value).every(([name, member]) => name !== "__proto__" && name.isWellFormed() && isJson(member, levels - 1));
}

// Narrow checks for what providers answer: the shapes we need, everything else ignored. Nothing here throws.

import type { JsonObject } from "../encoding.ts";

export type Fields = { readonly [name: string]: unknown };

/** An object that is not a list. */
export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** A count of tokens: a whole number from 0. */
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Deeper than any tool's arguments, and shallow enough for every recursive function that they pass through later. */
const deepest = 64;

/** A JSON object, at most 64 levels deep: what a tool's arguments must be. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isFields(value) && isJson(value, deepest);
}

function isJson(value: unknown, levels: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || levels === 0) return false;
  return Object.values(value).every((member) => isJson(member, levels - 1));
}

/** The JSON value of a text, or undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

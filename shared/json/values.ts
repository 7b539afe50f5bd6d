// First checks of JSON from outside. Never throws.

import type { JsonObject } from "../json-types.ts";

export type Members = { readonly [name: string]: unknown };

/** Whether a value is an object and no list: for a value of JSON.parse, a JSON object. */
export const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

/** The object that a value out of JSON.parse is, or null where it is none. */
export const objectOf = (value: unknown): JsonObject | null => (isObject(value) ? (value as JsonObject) : null); // parsed from JSON

/** An object without the members of these names. */
export const without = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

/** The JSON value of a text, or undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

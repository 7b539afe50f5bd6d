// Narrow checks for what providers answer: the shapes we need, everything else ignored. Nothing here throws.

import type { JsonObject } from "../encoding.ts";
import { checkJson } from "../json/json-rules.ts";
import { Reading } from "../json/issue-collector.ts";
import { isObject } from "../json/values.ts";

/** A count of tokens: a whole number from 0. */
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** A JSON object that can be carried (`checkJson`): what a tool's arguments must be, as a request's own values must. */
export function isJsonObject(value: unknown): value is JsonObject {
  const reading = new Reading();
  checkJson(value, reading);
  return isObject(value) && reading.errors.length === 0;
}

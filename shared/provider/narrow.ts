// Narrow checks for what providers answer: the shapes we need, everything else ignored. Nothing here throws.

import type { JsonObject } from "../encoding.ts";
import { checkJson } from "../json/json-rules.ts";
import { IssueCollector } from "../json/issue-collector.ts";
import { isObject } from "../json/values.ts";

/** A count of tokens: a whole number from 0. */
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** A JSON object that can be carried (`checkJson`): what a tool's arguments must be, as a request's own values must. */
export function isJsonObject(value: unknown): value is JsonObject {
  const issues = new IssueCollector();
  checkJson(value, issues);
  return isObject(value) && issues.found.length === 0;
}

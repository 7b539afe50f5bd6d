// Narrow checks for what providers answer: the shapes we need, everything else ignored. Nothing
// here throws.

import type { JsonObject } from "../encoding.ts";
import { checkJson } from "../json/json-rules.ts";
import { IssueCollector } from "../json/issue-collector.ts";
import { isObject } from "../json/values.ts";
import type { Usage } from "../model/call.ts";

/** A count of tokens: a whole number from 0. */
export const isCount = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/**
 * A usage as a provider counted it. What it says of its cache is left out where that is no count,
 * or 0; the two together are never more than the input, of which they are parts.
 */
export function countedUsage(
  inputTokens: number,
  outputTokens: number,
  cache: { readonly read: unknown; readonly written: unknown },
): Usage {
  const read = Math.min(isCount(cache.read) ? cache.read : 0, inputTokens);
  const written = Math.min(isCount(cache.written) ? cache.written : 0, inputTokens - read);
  return {
    inputTokens,
    outputTokens,
    ...(read > 0 ? { cachedInputTokens: read } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
  };
}

/**
 * A JSON object that can be carried (`checkJson`): what a tool's arguments must be, as a request's
 * own values must.
 */
export function isJsonObject(value: unknown): value is JsonObject {
  const issues = new IssueCollector();
  checkJson(value, issues);
  return isObject(value) && issues.found.length === 0;
}

// Checks a function's arguments by the function's schema.

import type { Json } from "../../encoding.ts";
import type { PointedError } from "../../model/outcome.ts";
import { checkJson } from "../../json/json-rules.ts";
import { IssueCollector } from "../../json/issue-collector.ts";
import { err, ok, type Result } from "../../result.ts";
import { checkValue, type Unchecked, workLimits } from "../../json-schema/check-value.ts";
import { readSchema } from "../../json-schema/read-schema.ts";

/**
 * Whether the arguments fit the schema; where they do not, why: at most 50 errors, each at `at` and
 * its pointer in the arguments, with the rule that is broken and never the value. Never throws,
 * whatever the schema and the value are.
 *
 * Known standard formats are checked; others are annotations (JSON Schema validation, section 7).
 * Refused without being checked: values that cannot be carried (`checkJson`), and all values where
 * the schema is not usable (`schemaErrors` says why). Refused as soon as it is found: what takes
 * too much work (`workLimits`): 100,000 applications of a subschema to a value, 200 of these inside
 * one another, or 10,000,000 steps of the patterns, which are characters of a text times the size
 * of the pattern that it meets.
 */
export function checkArguments(schema: unknown, value: unknown, at: string): Result<void, readonly PointedError[]> {
  const ready = readSchema(schema, at);
  if (!ready.ok) return err([{ pointer: at, message: "cannot be checked: the function's schema is not usable" }]);
  const issues = new IssueCollector();
  checkJson(value, issues);
  if (value === undefined) issues.add("", "is required");
  // `checkJson` found no error in it, so it is JSON.
  const found = issues.found.length > 0 ? issues.found : checkValue(ready.value, value as Json);
  if (typeof found === "string") return err([{ pointer: at, message: uncheckedMessages[found] }]);
  return found.length === 0 ? ok(undefined) : err(found.map(({ pointer, message }) => ({ pointer: at + pointer, message })));
}

const uncheckedMessages: { readonly [why in Unchecked]: string } = {
  tooMuch: `would take more than ${workLimits.steps} steps to check by the function's schema`,
  tooMuchMatching: `would take more than ${workLimits.patternSteps} steps to match with the patterns of the function's schema`,
  tooDeep: `would have to be checked by more than ${workLimits.depth} schemas inside one another`,
  failed: "could not be checked by the function's schema",
};

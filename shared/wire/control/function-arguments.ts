// A function's arguments, checked by the function's schema.

import { validate } from "@cfworker/json-schema";
import type { Json } from "../../encoding.ts";
import type { PointedError } from "../../model/outcome.ts";
import { checkJson } from "../../json/json-rules.ts";
import { Reading } from "../../json/reading.ts";
import { err, ok, type Result } from "../../result.ts";
import { argumentFaults } from "../../json-schema/arguments-faults.ts";
import { type Work, workLimits, workOf } from "../../json-schema/arguments-work.ts";
import { readSchema, type ReadySchema } from "../../json-schema/read-schema.ts";

/** From here on only the first faults of a value are looked for, so that what is wrong with it stays smaller than it is. */
const largeValueSteps = 10_000;

/**
 * Whether the arguments fit the schema; where they do not, why: at most 50 faults, each at `at` and its place in the arguments, with the rule
 * that is broken and never the value. Never throws, whatever the schema and the value are.
 *
 * Formats that are known and standard are checked; others are annotations (JSON Schema validation, section 7). Refused without being checked: values
 * that cannot be carried (`checkJson`); by a schema that is not usable (`schemaErrors` says why); and what would take too much work, which is
 * counted before any is done: 100,000 applications of a subschema to a value, 200 of these inside one another, or 2,000,000 steps
 * of the patterns over the texts that they meet. The last is the rule against patterns that backtrack: not their looks are refused, but
 * a text for which there are too many ways through one.
 */
export function checkArguments(schema: unknown, value: unknown, at: string): Result<void, readonly PointedError[]> {
  const ready = readSchema(schema, at);
  if (!ready.ok) return err([{ pointer: at, message: "cannot be checked: the function's schema is not usable" }]);
  const reading = new Reading();
  checkJson(value, reading);
  if (value === undefined) reading.fault("", "is required");
  if (reading.errors.length > 0) return err(reading.errors.map(({ pointer, message }) => ({ pointer: at + pointer, message })));
  return checkReady(ready.value, value as Json, at);
}

const excuses: { readonly [excess in Exclude<Work, object>]: string } = {
  tooMuch: `would take more than ${workLimits.steps} steps to check by the function's schema`,
  tooMuchMatching: `would take more than ${workLimits.patternSteps} steps to match with the patterns of the function's schema`,
  tooDeep: `would have to be checked by more than ${workLimits.depth} schemas inside one another`,
};

function checkReady(ready: ReadySchema, value: Json, at: string): Result<void, readonly PointedError[]> {
  const { root, draft, lookup } = ready;
  const work = workOf(ready, value);
  if (typeof work === "string") return err([{ pointer: at, message: excuses[work] }]);
  try {
    // A schema of `true` or `false` is one too; the library's types leave it out, and its code does not.
    const { valid, errors } = validate(value, root as object, draft, lookup as Record<string, object>, work.steps > largeValueSteps);
    if (valid) return ok(undefined);
    const faults = argumentFaults(errors, ready, value, at);
    return err(faults.length > 0 ? faults : [{ pointer: at, message: "does not fit the function's schema" }]);
  } catch {
    // Nothing that is known throws; what is not known is no proof that the arguments fit.
    return err([{ pointer: at, message: "could not be checked by the function's schema" }]);
  }
}

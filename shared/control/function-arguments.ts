// Arguments of a function against its schema, with everything that is wrong at its place. The validator is a library; how much work it may
// do, and what is said of what it finds, is decided here.

import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { Json, JsonObject } from "../encoding.ts";
import type { PointedError } from "../outcome/outcome.ts";
import { MAX_ERRORS, pointerStep } from "../protocol/reading.ts";
import { err, ok, type Result } from "../result.ts";
import { isWithinWork, patternCost } from "./function-pattern.ts";
import { checkableSchema } from "./function-schema.ts";

/** One argument held against one part of a schema, so often at the most: well under a second. */
const mostSteps = 1_000_000;
/** Longer names are not repeated in a pointer. */
const longestStep = 128;

/**
 * Holds arguments against a schema (drafts 4 to 2020-12 by `$schema`, and 2020-12 without). Refused, with a pointer under `at` for each thing that does not
 * fit, 50 at most; and arguments that are too many, too long or too deep in references to be checked at all. Formats that are not known, and what
 * `schemaErrors` names, are not looked at. Never throws; messages never quote arguments. Takes JSON that is no deeper than `checkJson` lets it be.
 */
export function checkArguments(schema: JsonObject, value: Json, at: string): Result<void, readonly PointedError[]> {
  const { schema: checkable, size } = checkableSchema(schema, at);
  const refused = (message: string): Result<never, readonly PointedError[]> => err([{ pointer: at, message }]);
  const given = sizeOf(value);
  if (size * given.values > mostSteps) return refused("has too many values to be checked against the function's schema");
  if (!patternsOf(checkable).every((pattern) => isCheckable(pattern, given.longest)))
    return refused("has a text that is too long to be checked against a pattern of the function's schema");
  let errors: readonly OutputUnit[];
  try {
    const references = boundedLookup(dereference(checkable as Schema), mostSteps / size);
    ({ errors } = validate(value, checkable as Schema, draftOf(schema), references, false));
  } catch {
    // References without end, or more of them than there is time for.
    return refused("cannot be checked against the function's schema: its references lead too deep");
  }
  if (errors.length === 0) return ok(undefined);
  return err(told(errors, at));
}

/** Each reference that is followed is a look-up: a schema of a few lines can have them multiply without end. */
function boundedLookup(lookup: Record<string, Schema | boolean>, most: number): Record<string, Schema | boolean> {
  let left = most;
  return new Proxy(lookup, {
    get: (of, name) => {
      left -= 1;
      if (left < 0) throw new Error("too many references");
      return typeof name === "string" ? of[name] : undefined;
    },
  });
}

function draftOf({ $schema: named }: JsonObject): SchemaDraft {
  const draft = /\/draft-0([467])\/|\/(2019-09)\//.exec(typeof named === "string" ? named : "");
  if (draft?.[2] !== undefined) return "2019-09";
  if (draft?.[1] === undefined) return "2020-12";
  return draft[1] === "4" ? "4" : "7";
}

/** How many values there are, and the length of the longest text among them, names of members included. */
function sizeOf(value: Json): { values: number; longest: number } {
  if (typeof value === "string") return { values: 1, longest: value.length };
  if (typeof value !== "object" || value === null) return { values: 1, longest: 0 };
  let [values, longest] = [1, 0];
  for (const [name, member] of Object.entries(value)) {
    const inside = sizeOf(member);
    values += inside.values;
    longest = Math.max(longest, inside.longest, Array.isArray(value) ? 0 : name.length);
  }
  return { values, longest };
}

/** Every pattern of a checkable schema. One among the values of an `enum` is taken for one too, which only makes texts shorter. */
function patternsOf(schema: Json): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "pattern" && typeof value === "string") return [value];
    const names = keyword === "patternProperties" && typeof value === "object" && value !== null ? Object.keys(value) : [];
    return [...names, ...patternsOf(value)];
  });
}

function isCheckable(pattern: string, longest: number): boolean {
  const cost = patternCost(pattern);
  return cost === null || cost === undefined || isWithinWork(cost, longest);
}

/** What the validator says of a whole where it also says what in it is wrong. */
const wholes = new Set(
  "properties patternProperties additionalProperties unevaluatedProperties items prefixItems additionalItems unevaluatedItems allOf if dependentSchemas dependencies $ref".split(
    " ",
  ),
);
/** Of which the whole is what is wrong: each of its parts may be. */
const choices = new Set(["anyOf", "oneOf", "contains", "minContains", "maxContains", "propertyNames", "not"]);

function told(errors: readonly OutputUnit[], at: string): readonly PointedError[] {
  const said = new Map<string, PointedError>();
  let choice: OutputUnit | undefined;
  for (const [index, error] of errors.entries()) {
    if (said.size >= MAX_ERRORS) break;
    // Its parts follow it.
    if (
      choice !== undefined &&
      error.keywordLocation.startsWith(`${choice.keywordLocation}/`) &&
      error.instanceLocation.startsWith(choice.instanceLocation)
    )
      continue;
    choice = choices.has(error.keyword) ? error : undefined;
    const follows = errors[index + 1];
    if (wholes.has(error.keyword) && follows !== undefined && follows.instanceLocation.startsWith(error.instanceLocation)) continue;
    const missing = /^Instance does not have required property "(.*)"\.$/s.exec(error.error)?.[1];
    const pointer =
      at + pointerOf(error.instanceLocation) + (missing === undefined || missing.length > longestStep ? "" : pointerStep(missing));
    const message = messageOf(error);
    said.set(`${pointer} ${message}`, { pointer, message });
  }
  return [...said.values()];
}

/** `#/a%20b/0`, as the validator has it, as a pointer. */
function pointerOf(location: string): string {
  const steps = decodeURIComponent(location.slice(1)).split("/").slice(1);
  const named = steps.findIndex((step) => step.length > longestStep);
  return steps
    .slice(0, named === -1 ? steps.length : named)
    .map((step) => `/${step}`)
    .join("");
}

function messageOf({ keyword, error }: OutputUnit): string {
  switch (keyword) {
    case "required":
      return "is required";
    case "type":
      // The validator lists the schema's own types, which are words of JSON Schema.
      return `must be ${(/Expected "(.*)"\.$/.exec(error)?.[1] ?? "of another type").split('", "').join(" or ")}`;
    case "false":
      return "is not among what the function takes";
    case "enum":
    case "const":
      return "must be one of the values that the function takes";
    case "anyOf":
    case "oneOf":
      return "fits none, or not just one, of the shapes that the function takes";
    case "propertyNames":
      return "has a member whose name the function does not take";
    case "dependentRequired":
      return "lacks a member that another of its members needs";
    default:
      return `does not fit the function's schema (${keyword})`;
  }
}

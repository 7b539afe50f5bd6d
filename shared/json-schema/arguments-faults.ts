// What the library says of a value that does not fit, as pointed errors: one for each rule that is broken, where it is broken. Its own sentences
// hold the value, and are not used.

import type { OutputUnit, Schema } from "@cfworker/json-schema";
import type { Json } from "../encoding.ts";
import type { PointedError } from "../model/outcome.ts";
import { MAX_ERRORS, pointerStep } from "../json/reading.ts";
import type { ReadySchema } from "./read-schema.ts";

/** Faults that only say that there is another one further in. */
const containers = new Set([
  "$ref",
  "allOf",
  "if",
  "dependentSchemas",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
]);

/** Faults that stand for those after them: which of several schemas was meant, nobody knows. */
const summaries = new Set(["anyOf", "oneOf", "contains", "propertyNames"]);

/** The faults, at `at` and the place in the value, without doubles; at most 50. */
export function argumentFaults(units: readonly OutputUnit[], { root, lookup }: ReadySchema, value: Json, at: string): PointedError[] {
  const faults = new Map<string, PointedError>();
  const add = (steps: readonly string[], message: string): void => {
    const pointer = at + pointerTo(steps);
    faults.set(`${pointer} ${message}`, { pointer, message });
  };
  const tooFew = units
    .filter(({ keyword }) => keyword === "minContains")
    .map(({ keywordLocation }) => `${parentOf(keywordLocation)}/contains/`);
  let summary: string | undefined;
  let wasLeftOut = false;
  for (const [i, { keyword, keywordLocation, instanceLocation }] of units.entries()) {
    if (faults.size >= MAX_ERRORS) break;
    // `false` as a schema is said without its own place: it belongs to what was said before it.
    const isFalse = keyword === "false";
    const isWithin = summary !== undefined && keywordLocation.startsWith(summary);
    wasLeftOut = isFalse ? wasLeftOut : isWithin || tooFew.some((prefix) => keywordLocation.startsWith(prefix));
    if (wasLeftOut) continue;
    if (!isFalse) summary = summaries.has(keyword) ? `${keywordLocation}/` : undefined;
    wasLeftOut = summary !== undefined;
    if (containers.has(keyword)) continue;
    const place = stepsOf(instanceLocation);
    const limit = isFalse ? undefined : follow(root, stepsOf(keywordLocation), lookup);
    if (keyword === "required") for (const name of missing(limit, value, place)) add([...place, name], "is required");
    else if (keyword === "propertyNames")
      add(stepsOf(units[i + 1]?.instanceLocation ?? instanceLocation), "has a name that propertyNames does not allow");
    else add(place, sentence(keyword, limit));
  }
  return [...faults.values()].slice(0, MAX_ERRORS);
}

const parentOf = (location: string): string => location.slice(0, location.lastIndexOf("/"));

/** `#/a/b`, each step escaped as in a pointer and then as in an address. */
const stepsOf = (location: string): string[] =>
  location
    .split("/")
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));

/** What stands at a place of the schema; a step `$ref` leads to where the reference does. */
function follow(root: Schema | boolean, steps: readonly string[], lookup: ReadySchema["lookup"]): unknown {
  let at: unknown = root;
  for (const step of steps) {
    if (typeof at !== "object" || at === null) return undefined;
    const next: unknown = Object.hasOwn(at, step) ? (at as { readonly [name: string]: unknown })[step] : undefined;
    at = step === "$ref" && typeof next === "string" ? lookup[next] : next;
  }
  return at;
}

function missing(required: unknown, value: Json, place: readonly string[]): string[] {
  const object = follow(value as unknown as Schema, place, {});
  if (!Array.isArray(required) || typeof object !== "object" || object === null) return [];
  return required.filter((name): name is string => typeof name === "string" && !Object.hasOwn(object, name));
}

/** Types and numbers of the schema are named; texts of it are not. */
function sentence(keyword: string, limit: unknown): string {
  const given = typeof limit === "number" ? String(limit) : "the number that the schema gives";
  switch (keyword) {
    case "type":
      return `must be of type ${[limit].flat().join(" or ")}`;
    case "const":
      return "must be the value of const";
    case "enum":
      return "must be one of the values of enum";
    case "minimum":
      return `must not be below ${given}, the minimum`;
    case "maximum":
      return `must not be above ${given}, the maximum`;
    case "exclusiveMinimum":
      return `must be above ${given}, the exclusiveMinimum`;
    case "exclusiveMaximum":
      return `must be below ${given}, the exclusiveMaximum`;
    case "multipleOf":
      return `must be a multiple of ${given} (multipleOf)`;
    case "minLength":
      return `must not be shorter than ${given} characters (minLength)`;
    case "maxLength":
      return `must not be longer than ${given} characters (maxLength)`;
    case "minItems":
      return `must not have fewer than ${given} items (minItems)`;
    case "maxItems":
      return `must not have more than ${given} items (maxItems)`;
    case "minProperties":
      return `must not have fewer than ${given} members (minProperties)`;
    case "maxProperties":
      return `must not have more than ${given} members (maxProperties)`;
    case "uniqueItems":
      return "must not have two equal items (uniqueItems)";
    case "pattern":
      return "must match the pattern";
    case "format":
      return `must be of the format ${typeof limit === "string" ? limit : "that the schema gives"}`;
    case "dependentRequired":
      return "lacks a member that another one needs (dependentRequired)";
    case "contains":
      return "has no item that contains asks for";
    case "minContains":
      return `must have at least ${given} items that contains asks for (minContains)`;
    case "maxContains":
      return `must have at most ${given} items that contains asks for (maxContains)`;
    case "anyOf":
      return "must fit at least one of the schemas of anyOf";
    case "oneOf":
      return "must fit exactly one of the schemas of oneOf";
    case "not":
      return "must not fit the schema of not";
    case "false":
      return "is not allowed by the schema";
    default:
      return `breaks the rule ${keyword}`;
  }
}

const longestStep = 128;

/** Up to the first name that is too long to repeat, as everywhere. */
function pointerTo(steps: readonly string[]): string {
  const long = steps.findIndex((step) => step.length > longestStep);
  return (long === -1 ? steps : steps.slice(0, long)).map(pointerStep).join("");
}

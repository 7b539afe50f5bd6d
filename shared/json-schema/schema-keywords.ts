// The keywords of JSON Schema that check something, and what each must be. Every other keyword is
// an annotation: it is left out and passes.
//
// The keywords of all drafts are known in every draft: a caller who writes `definitions` or a list
// of `items` under 2020-12 means a check, and no check may be dropped silently.

import { isObject } from "../json/values.ts";
import * as z from "zod";
import type { Json } from "../encoding.ts";
import { ok, err, type Result } from "../result.ts";

export type Draft = "4" | "7" | "2019-09" | "2020-12";

const drafts: ReadonlyMap<string, Draft> = new Map([
  ["json-schema.org/draft-04/schema", "4"],
  ["json-schema.org/draft-07/schema", "7"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
]);

/**
 * The draft that a `$schema` names, with http or https and with an empty fragment or none; 2020-12
 * where there is no `$schema`.
 */
export function draftOf(given: unknown): Result<Draft, string> {
  if (given === undefined) return ok("2020-12");
  const name = typeof given === "string" ? /^https?:\/\/([^#]*)#?$/u.exec(given)?.[1] : undefined;
  const draft = drafts.get(name ?? "");
  return draft === undefined ? err("must name a supported draft: draft-04, draft-07, 2019-09 or 2020-12") : ok(draft);
}

/** Keywords whose value is one schema. `items` may also be a list: see `SchemaReader`. */
export const singleSchemas = [
  "not",
  "if",
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  "then",
  "else",
  "contains",
  "propertyNames",
  "additionalItems",
  "unevaluatedItems",
  "additionalProperties",
  "unevaluatedProperties",
] as const;
export const schemaLists = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;
export const schemasByName = ["$defs", "definitions", "properties", "patternProperties", "dependentSchemas"] as const;

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every((each) => typeof each === "string");

export const exclusiveMust = "must be a number; true or false in draft-04 alone";

const types = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const isType = (value: unknown): value is string => typeof value === "string" && types.has(value);
const isTypes = (value: unknown): value is string | string[] =>
  isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType));
const isNamesByName = (value: unknown): value is { readonly [name: string]: string[] } =>
  isObject(value) && Object.values(value).every(isNames);
const isDivisor = (value: unknown): value is number => isNumber(value) && value > 0;
const isNumberOrFlag = (value: unknown): value is number | boolean => isNumber(value) || typeof value === "boolean";

const number = z.custom<number>(isNumber, "must be a number");
const count = z.custom<number>(isCount, "must be a whole number of at least 0");
/** What it must be depends on the draft: see `SchemaReader`. */
const exclusive = z.custom<number | boolean>(isNumberOrFlag, exclusiveMust);
const text = z.string("must be a string");

/** What each keyword without subschemas must be. Every other one is left out. */
export const plainKeywords = z
  .object({
    type: z.custom<string | string[]>(isTypes, `must be one of ${[...types].join(", ")}, or a list of these`),
    enum: z.custom<readonly Json[]>(Array.isArray, "must be a list"),
    const: z.custom<Json>(() => true),
    required: z.custom<string[]>(isNames, "must be a list of property names"),
    dependentRequired: z.custom<{ readonly [name: string]: string[] }>(
      isNamesByName,
      "must hold a list of property names for each property",
    ),
    multipleOf: z.custom<number>(isDivisor, "must be a number above 0"),
    minimum: number,
    maximum: number,
    exclusiveMinimum: exclusive,
    exclusiveMaximum: exclusive,
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    minProperties: count,
    maxProperties: count,
    minContains: count,
    maxContains: count,
    uniqueItems: z.boolean("must be true or false"),
    format: text,
    pattern: text,
    $ref: text,
  })
  .partial();

type Plain = z.infer<typeof plainKeywords>;
/** With the exclusive limits of draft-04 as numbers, as they are in the others. */
export type PlainKeywords = Omit<Plain, "exclusiveMinimum" | "exclusiveMaximum"> & {
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
};

/** Keywords that check nothing by themselves, and the keyword that each needs beside it. */
export const companions: ReadonlyMap<string, string> = new Map([
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  ["then", "if"],
  ["else", "if"],
  ["minContains", "contains"],
  ["maxContains", "contains"],
]);

/** References that depend on the path by which a schema was reached; they are not supported. */
export const unsupported: ReadonlySet<string> = new Set(["$dynamicRef", "$recursiveRef"]);

/**
 * Formats that are checked: those of the library whose patterns take steps in proportion to the
 * text. All others are annotations.
 */
export const checkedFormats: ReadonlySet<string> = new Set([
  "date",
  "time",
  "date-time",
  "duration",
  "uuid",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
  "uri-template",
  "json-pointer",
  "relative-json-pointer",
  "regex",
]);

// The keywords of JSON Schema that check something, and what each must be. Every other keyword is an annotation: it is left out and passes.
//
// Keywords of all drafts are known in all of them, because a caller who writes `definitions` or a list of `items` under 2020-12 means a check by
// it; where a draft knows none, a check must not fall away without a word.

import { ok, err, type Result } from "../result.ts";

export type Draft = "4" | "7" | "2019-09" | "2020-12";

const drafts: ReadonlyMap<string, Draft> = new Map([
  ["json-schema.org/draft-04/schema", "4"],
  ["json-schema.org/draft-07/schema", "7"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
]);

/** The draft that a `$schema` names, with http or https and with an empty fragment or none; 2020-12 where there is no `$schema`. */
export function draftOf(given: unknown): Result<Draft, string> {
  if (given === undefined) return ok("2020-12");
  const name = typeof given === "string" ? /^https?:\/\/([^#]*)#?$/u.exec(given)?.[1] : undefined;
  const draft = drafts.get(name ?? "");
  return draft === undefined ? err("must name a draft that is known here: draft-04, draft-07, 2019-09 or 2020-12") : ok(draft);
}

/** How subschemas stand under a keyword: one, a list, by name, by pattern, either one or a list. */
export const subschemas: ReadonlyMap<string, "one" | "list" | "byName" | "byPattern" | "items" | "dependencies"> = new Map([
  ...["additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties", "propertyNames"].map(
    (keyword) => [keyword, "one"] as const,
  ),
  ...["not", "if", "then", "else"].map((keyword) => [keyword, "one"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => [keyword, "list"] as const),
  ...["$defs", "definitions", "properties", "dependentSchemas"].map((keyword) => [keyword, "byName"] as const),
  ["patternProperties", "byPattern"],
  ["items", "items"],
  ["dependencies", "dependencies"],
]);

const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
export const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every((each) => typeof each === "string");

const types = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const isType = (value: unknown): boolean => typeof value === "string" && types.has(value);

type Rule = { readonly holds: (value: unknown, draft: Draft) => boolean; readonly must: string };
const number: Rule = { holds: isNumber, must: "must be a number" };
const count: Rule = { holds: isCount, must: "must be a whole number of at least 0" };
const names: Rule = { holds: isNames, must: "must be a list of property names" };
const exclusive: Rule = {
  holds: (value, draft) => (draft === "4" ? typeof value === "boolean" : isNumber(value)),
  must: "must be a number; true or false in draft-04 alone",
};

/** What each keyword without subschemas must be. */
export const plainKeywords: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    "type",
    {
      holds: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
      must: `must be one of ${[...types].join(", ")}, or a list of these`,
    },
  ],
  ["enum", { holds: Array.isArray, must: "must be a list" }],
  ["const", { holds: () => true, must: "" }],
  ["required", names],
  [
    "dependentRequired",
    {
      holds: (value) => typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isNames),
      must: "must hold a list of property names for each property",
    },
  ],
  ["multipleOf", { holds: (value) => isNumber(value) && Number(value) > 0, must: "must be a number above 0" }],
  ...["minimum", "maximum"].map((keyword) => [keyword, number] as const),
  ...["exclusiveMinimum", "exclusiveMaximum"].map((keyword) => [keyword, exclusive] as const),
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"].map(
    (keyword) => [keyword, count] as const,
  ),
  ["uniqueItems", { holds: (value) => typeof value === "boolean", must: "must be true or false" }],
  ["format", { holds: (value) => typeof value === "string", must: "must be a string" }],
  ["pattern", { holds: (value) => typeof value === "string", must: "must be a string" }],
]);

/** Keywords that check nothing by themselves, and what they need beside them. */
export const companions: ReadonlyMap<string, string> = new Map([
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  ["then", "if"],
  ["else", "if"],
  ["minContains", "contains"],
  ["maxContains", "contains"],
]);

/** References that depend on how a schema was come to; nothing here follows them. */
export const unsupported: ReadonlySet<string> = new Set(["$dynamicRef", "$recursiveRef"]);

/** Formats that are checked: those of the library whose patterns take steps in proportion to the text. All others are annotations. */
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

// The schema of a function's arguments, as far as it can be checked here: every keyword that the validator knows, of the right shape. What
// it does not know is an annotation; what would send it round without end, or make it throw, never reaches it.

import type { Json, JsonObject } from "../encoding.ts";
import type { PointedError } from "../outcome/outcome.ts";
import { isObject, pointerStep, Reading } from "../protocol/reading.ts";
import { patternCost } from "./function-pattern.ts";

/** Formats that are checked. All others are annotations; so is `url`, whose check takes time without end. */
const formats = new Set(
  "date time date-time duration email hostname ipv4 ipv6 uri uri-reference uuid json-pointer relative-json-pointer".split(" "),
);
const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** What the value of a keyword has to be. */
type Shape =
  | "schema"
  | "schemas"
  | "schemaOrSchemas"
  | "schemaMap"
  | "dependencies"
  | "types"
  | "strings"
  | "stringsMap"
  | "list"
  | "anything"
  | "count"
  | "number"
  | "positive"
  | "limit"
  | "flag"
  | "pattern"
  | "format"
  | "reference"
  | "anchor"
  | "unsupported";

const named = (shape: Shape, names: string): [string, Shape][] => names.split(" ").map((name) => [name, shape]);

/** The keywords of drafts 4, 6, 7, 2019-09 and 2020-12 that say what fits. */
const keywords: ReadonlyMap<string, Shape> = new Map([
  ...named("schema", "additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames not if then else"),
  ...named("schemas", "prefixItems allOf anyOf oneOf"),
  ...named("schemaOrSchemas", "items"),
  ...named("schemaMap", "$defs definitions properties patternProperties dependentSchemas"),
  ...named("dependencies", "dependencies"),
  ...named("types", "type"),
  ...named("strings", "required"),
  ...named("stringsMap", "dependentRequired"),
  ...named("list", "enum"),
  ...named("anything", "const"),
  ...named("count", "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains"),
  ...named("number", "minimum maximum"),
  ...named("limit", "exclusiveMinimum exclusiveMaximum"),
  ...named("positive", "multipleOf"),
  ...named("flag", "uniqueItems"),
  ...named("pattern", "pattern"),
  ...named("format", "format"),
  ...named("reference", "$ref"),
  ...named("anchor", "$anchor"),
  ...named("unsupported", "$dynamicRef $recursiveRef"),
]);

/** Whose parts may be what does not fit. */
const turned = new Set(["not", "if", "oneOf", "contains"]);

export type CheckableSchema = {
  /** A copy with nothing in it but what can be checked. */
  readonly schema: JsonObject;
  /** Subschemas and listed values: what one argument may be held against. */
  readonly size: number;
  /** What was left out although it says what fits. */
  readonly errors: readonly PointedError[];
};

/** A schema without what cannot be checked, and what that was. `at`: its pointer. Takes any JSON that is no deeper than `checkJson` lets it be. */
export function checkableSchema(schema: JsonObject, at: string): CheckableSchema {
  const walk = new Walk(at);
  const copy = walk.subschema(schema, "");
  walk.resolve();
  return { schema: isObject(copy) ? (copy as JsonObject) : {}, size: walk.size, errors: walk.reading.errors };
}

/**
 * Why arguments could not be held against all that a schema says: keywords of the wrong shape, references that lead nowhere in it, patterns that
 * might take without end. Empty: they can be. The pointers begin with `at`.
 */
export const schemaErrors = (schema: JsonObject, at: string): readonly PointedError[] => checkableSchema(schema, at).errors;

type Copy = { [keyword: string]: Json };

class Walk {
  readonly reading = new Reading();
  size = 0;
  readonly #at: string;
  /** Where there are subschemas, and the names by which they may be called. */
  readonly #places = new Set<string>();
  readonly #references: { readonly of: Copy; readonly to: string; readonly at: string }[] = [];

  constructor(at: string) {
    this.#at = at;
  }

  subschema(value: unknown, at: string): Json | undefined {
    this.size += 1;
    if (typeof value === "boolean") {
      this.#places.add(at);
      return value;
    }
    if (!isObject(value)) return this.#fault(at, "must be a schema: an object, true or false");
    this.#places.add(at);
    // A part with a name of its own has references of its own.
    if (at !== "" && (value["$id"] !== undefined || typeof value["id"] === "string"))
      this.#fault(at, "has an id within a schema, which is not followed here");
    const copy: Copy = {};
    for (const [keyword, shape] of keywords) {
      if (!Object.hasOwn(value, keyword) || this.reading.full) continue;
      const before = this.reading.errors.length;
      const read = this.#read(shape, value[keyword], at + pointerStep(keyword));
      // Less of a schema lets more through: but not where it stands for what may not be.
      if (read === undefined || (turned.has(keyword) && this.reading.errors.length > before)) continue;
      copy[keyword] = read;
      if (shape === "reference") this.#references.push({ of: copy, to: String(read), at: at + pointerStep(keyword) });
      if (shape === "anchor") this.#places.add(`#${String(read)}`);
      if (keyword === "patternProperties" && isObject(read))
        for (const name of Object.keys(read)) this.#pattern(name, `${at}/patternProperties${pointerStep(name)}`, copy);
    }
    return copy;
  }

  /** A reference leads to a subschema of this very schema: nothing is fetched. */
  resolve(): void {
    for (const { of, to, at } of this.#references) {
      const place = placeOf(to);
      if (place !== undefined && this.#places.has(place)) continue;
      delete of["$ref"];
      this.#fault(at, "leads to no schema within this one; nothing is fetched");
    }
  }

  #fault(at: string, message: string): undefined {
    this.reading.fault(this.#at + at, message);
    return undefined;
  }

  #read(shape: Shape, value: unknown, at: string): Json | undefined {
    switch (shape) {
      case "schema":
        return this.subschema(value, at);
      case "schemas":
        return this.#list(value, at, (each, where) => this.subschema(each, where));
      case "schemaOrSchemas":
        return Array.isArray(value) ? this.#read("schemas", value, at) : this.subschema(value, at);
      case "schemaMap":
        return this.#map(value, at, (each, where) => this.subschema(each, where));
      case "dependencies":
        return this.#map(value, at, (each, where) =>
          Array.isArray(each) ? this.#read("strings", each, where) : this.subschema(each, where),
        );
      case "stringsMap":
        return this.#map(value, at, (each, where) => this.#read("strings", each, where));
      case "strings":
        return this.#list(value, at, (each, where) => (typeof each === "string" ? each : this.#fault(where, "must be a string")));
      case "types": {
        const isType = (each: unknown): boolean => typeof each === "string" && types.has(each);
        const ok = Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value);
        return ok ? (value as Json) : this.#fault(at, `must be one of ${[...types].join(", ")}, or a list of them`);
      }
      case "list":
        if (!Array.isArray(value)) return this.#fault(at, "must be a list");
        this.size += value.length;
        return value as Json;
      case "anything":
        return value as Json;
      case "count":
        return typeof value === "number" && Number.isInteger(value) && value >= 0
          ? value
          : this.#fault(at, "must be a whole number, 0 or more");
      case "number":
        return typeof value === "number" ? value : this.#fault(at, "must be a number");
      case "limit":
        // True or false in draft 4, a number since.
        return typeof value === "number" || typeof value === "boolean" ? value : this.#fault(at, "must be a number");
      case "positive":
        return typeof value === "number" && value > 0 ? value : this.#fault(at, "must be a number greater than 0");
      case "flag":
        return typeof value === "boolean" ? value : this.#fault(at, "must be true or false");
      case "format":
        if (typeof value !== "string") return this.#fault(at, "must be a string");
        return formats.has(value) ? value : undefined;
      case "pattern":
        return typeof value === "string" ? this.#pattern(value, at) : this.#fault(at, "must be a string");
      case "reference":
        return typeof value === "string" ? value : this.#fault(at, "must be a string");
      case "anchor":
        return typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value) ? value : this.#fault(at, "is no anchor's name");
      case "unsupported":
        return this.#fault(at, "is not followed here; use $ref");
      default:
        return shape satisfies never;
    }
  }

  /** `within`: the schema whose `patternProperties` has it. */
  #pattern(source: string, at: string, within?: Copy): string | undefined {
    const cost = patternCost(source);
    if (cost !== null && cost !== undefined) return source;
    const properties = within?.["patternProperties"];
    if (isObject(properties)) delete (properties as Copy)[source];
    // Without it nothing can be told of the members that it is for.
    if (within !== undefined) for (const keyword of ["additionalProperties", "unevaluatedProperties"]) delete within[keyword];
    return this.#fault(
      at,
      cost === undefined
        ? "is no regular expression (ECMA-262, with the flag u)"
        : "could take without end to be checked: repeat no group in which something is repeated or a choice, refer back to none, and look neither ahead nor behind",
    );
  }

  #list(value: unknown, at: string, read: (each: unknown, at: string) => Json | undefined): Json | undefined {
    if (!Array.isArray(value)) return this.#fault(at, "must be a list");
    // One that is left out makes everything of the others mean something else.
    const members = value.map((each, index) => (this.reading.full ? undefined : read(each, `${at}/${index}`)));
    return members.some((each) => each === undefined) ? undefined : (members as Json[]);
  }

  #map(value: unknown, at: string, read: (each: unknown, at: string) => Json | undefined): Json | undefined {
    if (!isObject(value)) return this.#fault(at, "must be an object");
    const members = Object.entries(value).flatMap(([name, each]) => {
      const member = this.reading.full ? undefined : read(each, at + pointerStep(name));
      return member === undefined ? [] : [[name, member] as const];
    });
    return Object.fromEntries(members);
  }
}

/** The place that a reference within its own document leads to, as a pointer, or `#` with an anchor's name. */
function placeOf(reference: string): string | undefined {
  if (!reference.startsWith("#")) return undefined;
  try {
    const fragment = decodeURIComponent(reference.slice(1));
    return fragment === "" || fragment.startsWith("/") ? fragment : reference;
  } catch {
    return undefined;
  }
}

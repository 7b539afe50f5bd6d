// Checks a value by a schema that was read. It counts its steps and stops when there are too many:
// a schema of a few hundred characters can demand any number of steps, with references that double
// at every step.

import { isObject } from "../json/values.ts";
import { format, ucs2length } from "@cfworker/json-schema";
import { canonicalJson, type Json, type JsonObject } from "../encoding.ts";
import { MAX_ERRORS, boundedPointerTo } from "../json/issue-collector.ts";
import type { PointedError } from "../model/outcome.ts";
import { type Bound, type BoundError, itemBounds, lengthBounds, memberBounds, numberBounds } from "./bounds.ts";
import { checkedFormats } from "./schema-keywords.ts";
import type { ReadySchema, Schema, SchemaNode } from "./schema-node.ts";

/**
 * `steps`: applications of a schema to a value, about a microsecond each. `patternSteps`:
 * characters of a text times the size of the pattern's program. `depth`: applications inside one
 * another, each of which takes a part of the stack.
 */
export const workLimits = { steps: 100_000, patternSteps: 10_000_000, depth: 200 } as const;

/** What was spent so far, by checks that share their limits. */
export type Work = { steps: number; patternSteps: number };

/** Why it is not known whether a value fits. */
export type Unchecked = "tooMuch" | "tooMuchMatching" | "tooDeep" | "failed";

/**
 * What a person may mend in a field, as a fact: the catalogues have a sentence for each. `unfit`:
 * by any other keyword.
 */
export type ValueError =
  | { readonly kind: "missing" | "notOffered" | "notAllowed" | "noMatch" | "repeatedItem" | "unfit" }
  | { readonly kind: "wrongType"; readonly types: readonly string[] }
  | { readonly kind: BoundError; readonly limit: number }
  | { readonly kind: "notOfFormat"; readonly format: string };

type SchemaError = PointedError & { readonly fault: ValueError };

const unfit: ValueError = { kind: "unfit" };
const notOffered: ValueError = { kind: "notOffered" };

/**
 * What is wrong with the value: at most 50 errors, each at its pointer and never quoting the value;
 * none where it fits. Or why that could not be determined within `workLimits`, of which `work` was
 * spent before.
 */
export function checkValue(ready: ReadySchema, value: Json, work?: Work): readonly SchemaError[] | Unchecked {
  const check = new Check(ready, work);
  try {
    const fits = check.apply(ready.root, value, { steps: [], depth: 1, seen: undefined });
    if (fits) return [];
    return check.errors.length > 0 ? check.errors : [{ pointer: "", message: "does not match the function's schema", fault: unfit }];
  } catch (error) {
    // No other exception is known, and an unknown one is no proof that the value fits.
    return error instanceof WorkExceeded ? error.why : "failed";
  }
}

/** Thrown through the whole recursion: the errors found so far are no result. */
class WorkExceeded extends Error {
  override readonly name = "WorkExceeded";
  readonly why: Unchecked;

  constructor(why: Unchecked) {
    super(why);
    this.why = why;
  }
}

/** Where a schema is applied. */
type Frame = {
  /**
   * The path into the value; undefined where errors are not reported, because the schema is one of
   * several alternatives.
   */
  readonly steps: readonly string[] | undefined;
  readonly depth: number;
  /**
   * Members and items that were evaluated; undefined where no `unevaluated…` keyword needs them.
   */
  readonly seen: Set<string> | undefined;
};
type Application = Frame & { fits: boolean };

class Check {
  readonly #ready: ReadySchema;
  readonly #errors = new Map<string, SchemaError>();
  readonly #work: Work;

  constructor(ready: ReadySchema, work: Work = { steps: 0, patternSteps: 0 }) {
    this.#ready = ready;
    this.#work = work;
  }

  get errors(): readonly SchemaError[] {
    return [...this.#errors.values()];
  }

  apply(schema: Schema, value: Json, from: Frame): boolean {
    if (from.depth > workLimits.depth) throw new WorkExceeded("tooDeep");
    this.#spend(1);
    if (typeof schema === "boolean") {
      if (!schema) this.#report(from.steps, "is not allowed by the schema", { kind: "notAllowed" });
      return schema;
    }
    const { unevaluatedItems, unevaluatedProperties } = schema.single;
    const needsSeen = from.seen !== undefined || unevaluatedItems !== undefined || unevaluatedProperties !== undefined;
    const here: Application = { ...from, seen: needsSeen ? new Set() : undefined, fits: true };
    this.#itself(schema, value, here);
    this.#inPlace(schema, value, here);
    if (typeof value === "string") this.#text(schema, value, here);
    else if (typeof value === "number") this.#bounds(numberBounds, schema, value, here);
    else if (Array.isArray(value)) this.#items(schema, value, here);
    else if (isObject(value)) this.#members(schema, value, here);
    if (here.fits) for (const name of here.seen ?? []) from.seen?.add(name);
    return here.fits;
  }

  #itself({ plain: { type, enum: options, const: constant } }: SchemaNode, value: Json, here: Application): void {
    if (type !== undefined) {
      const types = [type].flat();
      const isInteger = typeof value === "number" && Number.isInteger(value);
      const isOfType = types.includes(typeOf(value)) || (isInteger && types.includes("integer"));
      this.#must(isOfType, here, () => `must be of type ${types.join(" or ")}`, { kind: "wrongType", types });
    }
    if (constant !== undefined) this.#must(this.#areEqual(value, constant), here, () => "must be the value of const", notOffered);
    if (options !== undefined)
      this.#must(
        options.some((each) => this.#areEqual(value, each)),
        here,
        () => "must be one of the values of enum",
        notOffered,
      );
  }

  #inPlace({ single, lists, dependentSchemas }: SchemaNode, value: Json, here: Application): void {
    const inside = { ...here, depth: here.depth + 1 };
    const quiet = { ...inside, steps: undefined };
    const apart = { ...quiet, seen: undefined };
    if (single.$ref !== undefined) this.#also(single.$ref, value, inside, here);
    if (single.not !== undefined) this.#must(!this.apply(single.not, value, apart), here, () => "must not match the schema of not");
    if (lists.anyOf !== undefined) {
      const fitting = lists.anyOf.filter((each) => this.apply(each, value, quiet)).length;
      this.#must(fitting > 0, here, () => "must match at least one of the schemas of anyOf");
    }
    for (const each of lists.allOf ?? []) this.#also(each, value, inside, here);
    if (lists.oneOf !== undefined) {
      const fitting = lists.oneOf.filter((each) => this.apply(each, value, quiet)).length;
      this.#must(fitting === 1, here, () => "must match exactly one of the schemas of oneOf");
    }
    if (single.if !== undefined) {
      const next = this.apply(single.if, value, quiet) ? single.then : single.else;
      if (next !== undefined) this.#also(next, value, inside, here);
    }
    if (!isObject(value)) return;
    for (const [name, each] of dependentSchemas) if (Object.hasOwn(value, name)) this.#also(each, value, inside, here);
  }

  #text(schema: SchemaNode, value: string, here: Application): void {
    this.#spend(value.length / 256);
    const { minLength, maxLength, pattern, format: name } = schema.plain;
    if (minLength !== undefined || maxLength !== undefined) this.#bounds(lengthBounds, schema, ucs2length(value), here);
    if (pattern !== undefined) this.#must(this.#matches(pattern, value), here, () => "must match the pattern", { kind: "noMatch" });
    if (name !== undefined && checkedFormats.has(name))
      this.#must(format[name]?.(value) === true, here, () => `must be of the format ${name}`, { kind: "notOfFormat", format: name });
  }

  #items(schema: SchemaNode, items: readonly Json[], here: Application): void {
    this.#spend(items.length / 64);
    const { prefixItems = [] } = schema.lists;
    const { items: others, contains, unevaluatedItems } = schema.single;
    this.#bounds(itemBounds, schema, items.length, here);
    for (const [i, item] of items.entries()) {
      const applied = prefixItems[i] ?? others;
      if (applied === undefined) break;
      this.#also(applied, item, within(here, String(i)), here);
      here.seen?.add(String(i));
    }
    if (contains !== undefined) this.#contains(schema, contains, items, here);
    if (unevaluatedItems !== undefined)
      for (const [i, item] of items.entries())
        if (here.seen?.has(String(i)) === false) {
          this.#also(unevaluatedItems, item, within(here, String(i)), here);
          here.seen.add(String(i));
        }
    if (schema.plain.uniqueItems === true) {
      const different = new Set(items.map((item) => this.#canonical(item))).size;
      this.#must(different === items.length, here, () => "must not have two equal items (uniqueItems)", { kind: "repeatedItem" });
    }
  }

  #contains({ plain: { minContains, maxContains } }: SchemaNode, contains: Schema, items: readonly Json[], here: Application): void {
    let found = 0;
    for (const [i, item] of items.entries()) {
      if (!this.apply(contains, item, { steps: undefined, depth: here.depth + 1, seen: undefined })) continue;
      found += 1;
      if (this.#ready.containsEvaluates) here.seen?.add(String(i));
    }
    if (minContains === undefined) this.#must(found > 0, here, () => "has no item that matches contains");
    else this.#must(found >= minContains, here, () => `must have at least ${minContains} items that match contains (minContains)`);
    if (maxContains !== undefined)
      this.#must(found <= maxContains, here, () => `must have at most ${maxContains} items that match contains (maxContains)`);
  }

  #members(schema: SchemaNode, value: JsonObject, here: Application): void {
    const { properties, patternProperties, dependentRequired } = schema;
    const { propertyNames, additionalProperties, unevaluatedProperties } = schema.single;
    const { required = [] } = schema.plain;
    this.#spend((required.length + dependentRequired.size) / 16);
    const members = Object.entries(value);
    for (const name of required) this.#must(Object.hasOwn(value, name), here, () => "is required", { kind: "missing" }, name);
    this.#bounds(memberBounds, schema, members.length, here);
    for (const [name, needed] of dependentRequired) {
      if (!Object.hasOwn(value, name)) continue;
      this.#spend(needed.length / 16);
      this.#must(
        needed.every((each) => Object.hasOwn(value, each)),
        here,
        () => "lacks a member that another member requires (dependentRequired)",
      );
    }
    for (const [name, member] of members) {
      this.#spend(1 / 16);
      const inside = within(here, name);
      if (propertyNames !== undefined) {
        const isAllowed = this.apply(propertyNames, name, { ...inside, steps: undefined });
        this.#must(isAllowed, here, () => "has a name that propertyNames does not allow", unfit, name);
      }
      const own = properties.get(name);
      const matching = [...patternProperties].filter(([pattern]) => this.#matches(pattern, name)).map(([, each]) => each);
      const named = own === undefined ? matching : [own, ...matching];
      const applied = named.length === 0 && additionalProperties !== undefined ? [additionalProperties] : named;
      for (const each of applied) this.#also(each, member, inside, here);
      if (applied.length > 0) here.seen?.add(name);
      else if (unevaluatedProperties !== undefined && here.seen?.has(name) === false) {
        this.#also(unevaluatedProperties, member, inside, here);
        here.seen.add(name);
      }
    }
  }

  #bounds(bounds: readonly Bound[], { plain }: SchemaNode, measure: number, here: Application): void {
    for (const [keyword, allows, kind, message] of bounds) {
      const limit = plain[keyword];
      if (limit !== undefined) this.#must(allows(measure, limit), here, () => message(limit), { kind, limit });
    }
  }

  #also(schema: Schema, value: Json, frame: Frame, here: Application): void {
    if (!this.apply(schema, value, frame)) here.fits = false;
  }

  #must(isMet: boolean, here: Application, message: () => string, fault = unfit, name?: string): void {
    if (isMet) return;
    here.fits = false;
    this.#report(name === undefined ? here.steps : here.steps && [...here.steps, name], message(), fault);
  }

  #report(steps: readonly string[] | undefined, message: string, fault: ValueError): void {
    if (steps === undefined || this.#errors.size >= MAX_ERRORS) return;
    const pointer = boundedPointerTo(steps);
    this.#errors.set(`${pointer} ${message}`, { pointer, message, fault });
  }

  #matches(source: string, text: string): boolean {
    const pattern = this.#ready.patterns.get(source);
    if (pattern === undefined) throw new Error("checkValue: a pattern that was not read");
    this.#spend(1);
    this.#work.patternSteps += pattern.size * (text.length + 1);
    if (this.#work.patternSteps > workLimits.patternSteps) throw new WorkExceeded("tooMuchMatching");
    return pattern.matches(text);
  }

  #areEqual(value: Json, other: Json): boolean {
    this.#spend(1 / 16 + (typeof value === "string" ? value.length / 1_024 : 0));
    if (typeof value !== "object" || typeof other !== "object") return value === other;
    return Array.isArray(value) === Array.isArray(other) && this.#canonical(value) === this.#canonical(other);
  }

  #canonical(value: Json): string {
    const text = canonicalJson(value);
    this.#spend(1 / 4 + text.length / 32);
    return text;
  }

  #spend(steps: number): void {
    this.#work.steps += steps;
    if (this.#work.steps > workLimits.steps) throw new WorkExceeded("tooMuch");
  }
}

const within = ({ steps, depth }: Frame, step: string): Frame => ({
  steps: steps === undefined ? undefined : [...steps, step],
  depth: depth + 1,
  seen: undefined,
});

function typeOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

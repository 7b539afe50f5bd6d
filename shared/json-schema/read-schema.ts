// Reads a JSON Schema from outside into the form that values are checked by: known keywords are
// well-formed, every reference is resolved. It refuses what cannot be checked, at its pointer, so
// that no check is dropped silently.

import { isObject, type Members } from "../json/values.ts";
import type { PointedError } from "../model/outcome.ts";
import { checkJson } from "../json/json-rules.ts";
import { pointerStep, IssueCollector } from "../json/issue-collector.ts";
import { err, ok, type Result } from "../result.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import {
  companions,
  type Draft,
  draftOf,
  exclusiveMust,
  isNames,
  plainKeywords,
  type PlainKeywords,
  schemaLists,
  schemasByName,
  singleSchemas,
  unsupported,
} from "./schema-keywords.ts";
import { inPlace, type ReadySchema, type Schema, type SchemaNode } from "./schema-node.ts";
import { SchemaPlaces } from "./schema-places.ts";

/** Subschemas of one schema; one that is referred to several times counts once. */
const mostSubschemas = 2_000;

/** Instructions of all patterns of a schema, each counted once: some hundreds of ordinary ones. */
const mostPatternSize = 40_000;

/**
 * The schema, ready to check by, or its errors (50 at most), each at `at` and its pointer in the
 * schema. Never throws.
 */
export function readSchema(schema: unknown, at: string): Result<ReadySchema, readonly PointedError[]> {
  const issues = new IssueCollector();
  checkJson(schema, issues);
  if (!isObject(schema) && typeof schema !== "boolean") issues.add("", "must be an object");
  const draft = draftOf(isObject(schema) ? schema["$schema"] : undefined);
  if (!draft.ok) issues.add("/$schema", draft.error);
  const ready = draft.ok && issues.found.length === 0 ? new SchemaReader(draft.value, schema, issues).read(schema) : undefined;
  if (ready !== undefined && issues.found.length === 0) return ok(ready);
  return err(issues.found.map(({ pointer, message }) => ({ pointer: at + shown(pointer), message })));
}

class SchemaReader {
  readonly #draft: Draft;
  readonly #issues: IssueCollector;
  readonly #places: SchemaPlaces;
  readonly #schemas = new Map<string, Schema>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #references: { readonly from: SchemaNode; readonly target: string }[] = [];
  #sizeLeft = mostPatternSize;

  constructor(draft: Draft, root: unknown, issues: IssueCollector) {
    this.#draft = draft;
    this.#issues = issues;
    this.#places = new SchemaPlaces(draft, root, (path, why) => issues.add(path, why));
  }

  read(given: unknown): ReadySchema {
    const root = this.#schema(given, "");
    // The list grows during the loop: a value that no known keyword makes a subschema is read as
    // one when a reference points to it.
    for (const { from, target } of this.#references) {
      const found = this.#places.resolve(target, from.path);
      if (found.ok) from.single.$ref = this.#schemas.get(found.value.path) ?? this.#schema(found.value.value, found.value.path);
      else this.#issues.add(`${from.path}/$ref`, found.error);
    }
    this.#refuseEndless();
    return { root, patterns: this.#patterns, containsEvaluates: this.#draft !== "2019-09" };
  }

  #schema(value: unknown, path: string): Schema {
    if (!isObject(value)) {
      if (typeof value !== "boolean") this.#issues.add(path, "must be a schema: an object, or true or false");
      const schema = value !== false;
      this.#schemas.set(path, schema);
      return schema;
    }
    const ready: SchemaNode = {
      path,
      plain: this.#plain(value, path),
      single: {},
      lists: {},
      properties: new Map(),
      patternProperties: new Map(),
      dependentSchemas: new Map(),
      dependentRequired: new Map(),
    };
    this.#schemas.set(path, ready);
    if (this.#schemas.size > mostSubschemas) {
      if (this.#schemas.size === mostSubschemas + 1)
        this.#issues.add(path, `is one subschema too many; at most ${mostSubschemas} are allowed`);
      return true;
    }
    this.#places.collect({ path, value }, value);
    this.#refuseIneffective(value, path);
    this.#subschemas(value, ready);
    if (ready.plain.$ref !== undefined) this.#references.push({ from: ready, target: ready.plain.$ref });
    if (ready.plain.pattern !== undefined) this.#pattern(ready.plain.pattern, `${path}/pattern`);
    return ready;
  }

  #plain(value: Members, path: string): PlainKeywords {
    const read = plainKeywords.safeParse(value);
    for (const {
      path: [keyword],
      message,
    } of read.error?.issues ?? [])
      this.#issues.add(path + pointerStep(String(keyword)), message);
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...plain } = read.data ?? {};
    const exclusive = (side: "Minimum" | "Maximum", given: number | boolean | undefined, limit: number | undefined): number | undefined => {
      const at = `${path}/exclusive${side}`;
      if (given !== undefined && (typeof given === "boolean") !== (this.#draft === "4")) this.#issues.add(at, exclusiveMust);
      else if (given === true && limit === undefined) this.#issues.add(at, `has no effect without ${side.toLowerCase()} in draft-04`);
      return typeof given === "boolean" ? (given ? limit : undefined) : given;
    };
    return {
      ...plain,
      minimum,
      maximum,
      exclusiveMinimum: exclusive("Minimum", exclusiveMinimum, minimum),
      exclusiveMaximum: exclusive("Maximum", exclusiveMaximum, maximum),
    };
  }

  #subschemas(value: Members, ready: SchemaNode): void {
    const at = (keyword: string): string => ready.path + pointerStep(keyword);
    for (const keyword of singleSchemas)
      if (value[keyword] !== undefined) ready.single[keyword] = this.#schema(value[keyword], at(keyword));
    for (const keyword of schemaLists) {
      const list = value[keyword];
      if (Array.isArray(list) && list.length > 0) ready.lists[keyword] = list.map((each, i) => this.#schema(each, `${at(keyword)}/${i}`));
      else if (list !== undefined) this.#issues.add(at(keyword), "must be a list of schemas, and not empty");
    }
    const { items } = value;
    if (Array.isArray(items)) {
      ready.lists.prefixItems = items.map((each, i) => this.#schema(each, `${at("items")}/${i}`));
      if (ready.single.additionalItems !== undefined) ready.single.items = ready.single.additionalItems;
    } else if (items !== undefined) ready.single.items = this.#schema(items, at("items"));
    for (const keyword of schemasByName) {
      const schemas = value[keyword];
      if (schemas !== undefined && !isObject(schemas)) this.#issues.add(at(keyword), "must be an object of schemas");
      for (const [name, each] of Object.entries(isObject(schemas) ? schemas : {})) {
        const here = at(keyword) + pointerStep(name);
        if (keyword === "patternProperties") this.#pattern(name, here);
        const schema = this.#schema(each, here);
        // Definitions are read for their errors; references find them.
        if (keyword !== "$defs" && keyword !== "definitions") ready[keyword].set(name, schema);
      }
    }
    for (const [name, needed] of Object.entries(ready.plain.dependentRequired ?? {})) ready.dependentRequired.set(name, needed);
    if (value["dependencies"] !== undefined) this.#dependencies(value["dependencies"], ready, at("dependencies"));
  }

  /** `dependencies` of the drafts before 2019-09, as the two keywords that replaced it. */
  #dependencies(given: unknown, ready: SchemaNode, at: string): void {
    if (!isObject(given)) return this.#issues.add(at, "must be an object of schemas");
    for (const [name, each] of Object.entries(given)) {
      const here = at + pointerStep(name);
      if (!Array.isArray(each)) ready.dependentSchemas.set(name, this.#schema(each, here));
      else if (isNames(each)) ready.dependentRequired.set(name, each);
      else this.#issues.add(here, "must be a schema or a list of property names");
    }
  }

  #pattern(source: string, path: string): void {
    if (this.#patterns.has(source) || this.#issues.full) return;
    const pattern = compilePattern(source, this.#sizeLeft);
    if (!pattern.ok) return this.#issues.add(path, pattern.error);
    this.#sizeLeft -= pattern.value.size;
    this.#patterns.set(source, pattern.value);
  }

  /**
   * Refuses keywords that would have no effect because of another that is, or is not, beside them.
   */
  #refuseIneffective(value: Members, path: string): void {
    const refuse = (keyword: string, why: string): void => this.#issues.add(path + pointerStep(keyword), why);
    for (const keyword of unsupported) if (value[keyword] !== undefined) refuse(keyword, "is not supported; use $ref");
    for (const [keyword, needed] of companions)
      if (value[keyword] !== undefined && value[needed] === undefined) refuse(keyword, `has no effect without ${needed}`);
    const { items, prefixItems, additionalItems, dependencies, dependentRequired, dependentSchemas, $schema, $ref } = value;
    if (additionalItems !== undefined && additionalItems !== true && !Array.isArray(items))
      refuse("additionalItems", "has no effect where items is not a list");
    if (prefixItems !== undefined && Array.isArray(items)) refuse("items", "must be one schema beside prefixItems");
    if (dependencies !== undefined && (dependentRequired !== undefined || dependentSchemas !== undefined))
      refuse("dependencies", "must not be used together with dependentRequired or dependentSchemas");
    const draft = draftOf($schema);
    if ($schema !== undefined && !(draft.ok && draft.value === this.#draft))
      refuse("$schema", "must be the same draft as that of the whole schema");
    if ($ref !== undefined && (this.#draft === "4" || this.#draft === "7"))
      for (const keyword of checking)
        if (value[keyword] !== undefined) refuse(keyword, "has no effect beside $ref in draft-04 and draft-07; put both into allOf");
  }

  /** Refuses a schema that refers back to itself without going into the value. */
  #refuseEndless(): void {
    const open = new Set<SchemaNode>();
    const done = new Set<Schema>();
    const visit = (ready: SchemaNode): void => {
      open.add(ready);
      for (const [keyword, target] of inPlace(ready)) {
        if (typeof target === "boolean" || done.has(target)) continue;
        if (open.has(target)) this.#issues.add(`${ready.path}/${keyword}`, "applies the schema to the same value endlessly");
        else visit(target);
      }
      open.delete(ready);
      done.add(ready);
    };
    for (const schema of this.#schemas.values()) if (typeof schema !== "boolean" && !done.has(schema)) visit(schema);
  }
}

/** Keywords that check something, and have no effect beside `$ref` in the old drafts. */
const checking = [...Object.keys(plainKeywords.shape), ...singleSchemas, ...schemaLists, ...schemasByName, "items", "dependencies"].filter(
  (keyword) => !["$ref", "$defs", "definitions"].includes(keyword),
);

const longestStep = 128;

/** The pointer up to the first name that is too long to repeat. */
function shown(path: string): string {
  const steps = path.split("/");
  const long = steps.findIndex((step) => step.length > longestStep);
  return long === -1 ? path : steps.slice(0, long).join("/");
}

// A JSON Schema from outside, made ready to check by: only keywords that are known to be well-formed, every reference resolved. What could not
// be checked by is refused here, at its place, so that no check falls away without a word.

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

/** Subschemas of one schema; what is referred to counts once. */
const mostSubschemas = 2_000;

/** Instructions of all patterns of a schema, each counted once: some hundreds of ordinary ones. */
const mostPatternSize = 40_000;

/** Ready, or everything that is wrong with it (50 faults at most), each at `at` and its place in the schema. Never throws. */
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
  readonly #reading: IssueCollector;
  readonly #places: SchemaPlaces;
  readonly #schemas = new Map<string, Schema>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #references: { readonly from: SchemaNode; readonly target: string }[] = [];
  #sizeLeft = mostPatternSize;

  constructor(draft: Draft, root: unknown, issues: IssueCollector) {
    this.#draft = draft;
    this.#reading = issues;
    this.#places = new SchemaPlaces(draft, root, (path, why) => issues.add(path, why));
  }

  read(given: unknown): ReadySchema {
    const root = this.#schema(given, "");
    // The list grows while it is gone through: a place that is no subschema of a known keyword is read as one when something refers to it.
    for (const { from, target } of this.#references) {
      const found = this.#places.resolve(target, from.path);
      if (found.ok) from.single.$ref = this.#schemas.get(found.value.path) ?? this.#schema(found.value.value, found.value.path);
      else this.#reading.add(`${from.path}/$ref`, found.error);
    }
    this.#refuseEndless();
    return { root, patterns: this.#patterns, containsEvaluates: this.#draft !== "2019-09" };
  }

  #schema(value: unknown, path: string): Schema {
    if (!isObject(value)) {
      if (typeof value !== "boolean") this.#reading.add(path, "must be a schema: an object, or true or false");
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
        this.#reading.add(path, `is one subschema too many; at most ${mostSubschemas} are allowed`);
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
      this.#reading.add(path + pointerStep(String(keyword)), message);
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...plain } = read.data ?? {};
    const exclusive = (side: "Minimum" | "Maximum", given: number | boolean | undefined, limit: number | undefined): number | undefined => {
      const at = `${path}/exclusive${side}`;
      if (given !== undefined && (typeof given === "boolean") !== (this.#draft === "4")) this.#reading.add(at, exclusiveMust);
      else if (given === true && limit === undefined) this.#reading.add(at, `has no effect without ${side.toLowerCase()} in draft-04`);
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
      else if (list !== undefined) this.#reading.add(at(keyword), "must be a list of schemas, and not empty");
    }
    const { items } = value;
    if (Array.isArray(items)) {
      ready.lists.prefixItems = items.map((each, i) => this.#schema(each, `${at("items")}/${i}`));
      if (ready.single.additionalItems !== undefined) ready.single.items = ready.single.additionalItems;
    } else if (items !== undefined) ready.single.items = this.#schema(items, at("items"));
    for (const keyword of schemasByName) {
      const schemas = value[keyword];
      if (schemas !== undefined && !isObject(schemas)) this.#reading.add(at(keyword), "must be an object of schemas");
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

  /** What drafts before 2019-09 have in one keyword, as the two that came of it. */
  #dependencies(given: unknown, ready: SchemaNode, at: string): void {
    if (!isObject(given)) return this.#reading.add(at, "must be an object of schemas");
    for (const [name, each] of Object.entries(given)) {
      const here = at + pointerStep(name);
      if (!Array.isArray(each)) ready.dependentSchemas.set(name, this.#schema(each, here));
      else if (isNames(each)) ready.dependentRequired.set(name, each);
      else this.#reading.add(here, "must be a schema or a list of property names");
    }
  }

  #pattern(source: string, path: string): void {
    if (this.#patterns.has(source) || this.#reading.full) return;
    const pattern = compilePattern(source, this.#sizeLeft);
    if (!pattern.ok) return this.#reading.add(path, pattern.error);
    this.#sizeLeft -= pattern.value.size;
    this.#patterns.set(source, pattern.value);
  }

  /** What would be passed over in silence because of what stands, or does not stand, beside it. */
  #refuseIneffective(value: Members, path: string): void {
    const fault = (keyword: string, why: string): void => this.#reading.add(path + pointerStep(keyword), why);
    for (const keyword of unsupported) if (value[keyword] !== undefined) fault(keyword, "is not supported; use $ref");
    for (const [keyword, needed] of companions)
      if (value[keyword] !== undefined && value[needed] === undefined) fault(keyword, `has no effect without ${needed}`);
    const { items, prefixItems, additionalItems, dependencies, dependentRequired, dependentSchemas, $schema, $ref } = value;
    if (additionalItems !== undefined && additionalItems !== true && !Array.isArray(items))
      fault("additionalItems", "has no effect where items is not a list");
    if (prefixItems !== undefined && Array.isArray(items)) fault("items", "must be one schema beside prefixItems");
    if (dependencies !== undefined && (dependentRequired !== undefined || dependentSchemas !== undefined))
      fault("dependencies", "must not be used together with dependentRequired or dependentSchemas");
    const draft = draftOf($schema);
    if ($schema !== undefined && !(draft.ok && draft.value === this.#draft))
      fault("$schema", "must be the same draft as that of the whole schema");
    if ($ref !== undefined && (this.#draft === "4" || this.#draft === "7"))
      for (const keyword of checking)
        if (value[keyword] !== undefined) fault(keyword, "has no effect beside $ref in draft-04 and draft-07; put both into allOf");
  }

  /** A schema that comes back to itself without going into the value. */
  #refuseEndless(): void {
    const open = new Set<SchemaNode>();
    const done = new Set<Schema>();
    const visit = (ready: SchemaNode): void => {
      open.add(ready);
      for (const [keyword, target] of inPlace(ready)) {
        if (typeof target === "boolean" || done.has(target)) continue;
        if (open.has(target)) this.#reading.add(`${ready.path}/${keyword}`, "applies the schema to the same value endlessly");
        else visit(target);
      }
      open.delete(ready);
      done.add(ready);
    };
    for (const schema of this.#schemas.values()) if (typeof schema !== "boolean" && !done.has(schema)) visit(schema);
  }
}

/** Keywords that check something beside `$ref`. */
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

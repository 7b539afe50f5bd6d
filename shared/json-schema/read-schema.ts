// A JSON Schema from outside, made ready for the library that checks by it: only keywords that are known to be well-formed, every reference
// resolved here, nothing of it shared with what came in. The library itself takes any schema, passes over what it does not
// understand, follows references by name of property, and marks the objects that it is given.

import type { Schema } from "@cfworker/json-schema";
import type { PointedError } from "../model/outcome.ts";
import { checkJson } from "../json/json-rules.ts";
import { isObject, pointerStep, Reading } from "../json/reading.ts";
import { err, ok, type Result } from "../result.ts";
import { countablePattern, type Pattern } from "./pattern-work.ts";
import { checkedFormats, companions, draftOf, type Draft, isNames, plainKeywords, subschemas, unsupported } from "./schema-keywords.ts";
import { applicationFaults } from "./schema-applications.ts";
import { SchemaPlaces } from "./schema-places.ts";

export type ReadySchema = {
  readonly draft: Draft;
  readonly root: Schema | boolean;
  /** What each `$ref` of the schema means. */
  readonly lookup: { readonly [reference: string]: Schema | boolean };
  /** What one application of each schema costs beside the first step: how much there is in it to compare with. */
  readonly weights: ReadonlyMap<object, number>;
  readonly patterns: ReadonlyMap<string, Pattern>;
};

/** Subschemas of one schema; what is referred to counts once. */
export const mostSubschemas = 2_000;

/** Over all patterns of a schema, each counted once: some hundreds of ordinary ones. */
const mostPatternEdges = 40_000;

/** Ready, or everything that is wrong with it (50 faults at most), each at `at` and its place in the schema. Never throws. */
export function readSchema(schema: unknown, at: string): Result<ReadySchema, readonly PointedError[]> {
  const reader = new SchemaReader(at, schema);
  const ready = reader.read();
  return ready === undefined || reader.reading.errors.length > 0 ? err(reader.reading.errors) : ok(ready);
}

type Members = { readonly [name: string]: unknown };

class SchemaReader {
  readonly reading = new Reading();
  readonly #at: string;
  readonly #given: unknown;
  readonly #schemas = new Map<string, Schema | boolean>();
  readonly #patterns = new Map<string, Pattern>();
  #edgesLeft = mostPatternEdges;
  readonly #weights = new Map<object, number>();
  readonly #references: { readonly schema: Schema; readonly path: string; readonly target: string }[] = [];
  #draft: Draft = "2020-12";
  #places = new SchemaPlaces("2020-12");

  constructor(at: string, given: unknown) {
    this.#at = at;
    this.#given = given;
  }

  read(): ReadySchema | undefined {
    const json = new Reading();
    checkJson(this.#given, json);
    for (const { pointer, message } of json.errors) this.reading.fault(this.#at + pointer, message);
    if (!isObject(this.#given) && typeof this.#given !== "boolean") this.#fault("", "must be an object");
    const draft = draftOf(isObject(this.#given) ? this.#given["$schema"] : undefined);
    if (!draft.ok) this.#fault("/$schema", draft.error);
    if (this.reading.errors.length > 0 || !draft.ok) return undefined;
    this.#draft = draft.value;
    this.#places = new SchemaPlaces(draft.value);
    for (const { path, why } of this.#places.collect(this.#given)) this.#fault(path, why);
    const root = this.#schema(this.#given, "");
    const lookup = this.#resolve();
    if (this.reading.errors.length > 0) return undefined;
    const paths = new Map([...this.#schemas].flatMap(([path, schema]) => (typeof schema === "boolean" ? [] : [[schema, path]])));
    for (const { schema, keyword, why } of applicationFaults(paths.keys(), lookup)) this.#fault(`${paths.get(schema)}/${keyword}`, why);
    return { draft: this.#draft, root, lookup, weights: this.#weights, patterns: this.#patterns };
  }

  /** Reads on where references lead: a place that is no subschema of a known keyword is read as one when something refers to it. */
  #resolve(): { [reference: string]: Schema | boolean } {
    const lookup: { [reference: string]: Schema | boolean } = {};
    // The list grows while it is gone through.
    for (const { schema, path, target } of this.#references) {
      const found = this.#places.resolve(target, path);
      if (!found.ok) this.#fault(`${path}/$ref`, found.error);
      else {
        const name = `#${found.value.path}`;
        lookup[name] = this.#schemas.get(found.value.path) ?? this.#schema(found.value.value, found.value.path);
        schema.$ref = name;
      }
    }
    return lookup;
  }

  #schema(value: unknown, path: string): Schema | boolean {
    if (typeof value === "boolean") return this.#kept(path, value);
    if (!isObject(value)) {
      this.#fault(path, "must be a schema: an object, or true or false");
      return true;
    }
    const ready: Schema = {};
    this.#kept(path, ready);
    if (this.#schemas.size > mostSubschemas) {
      if (this.#schemas.size === mostSubschemas + 1) this.#fault(path, `is one subschema too many; there may be ${mostSubschemas}`);
      return true;
    }
    this.#reference(value, ready, path);
    for (const [keyword, given] of Object.entries(value)) {
      const plain = plainKeywords.get(keyword);
      if (plain !== undefined && !plain.holds(given, this.#draft)) this.#fault(path + pointerStep(keyword), plain.must);
      else if (plain !== undefined) this.#plain(keyword, given, ready, path);
      else if (subschemas.has(keyword)) this.#under(keyword, given, ready, path);
      else if (unsupported.has(keyword)) this.#fault(path + pointerStep(keyword), "is not supported; use $ref");
    }
    this.#together(value, path);
    this.#weights.set(ready, weightOf(value));
    return ready;
  }

  #kept<T extends Schema | boolean>(path: string, schema: T): T {
    this.#schemas.set(path, schema);
    return schema;
  }

  #reference(value: Members, ready: Schema, path: string): void {
    const { $ref: target, $schema: dialect } = value;
    if (path !== "" && dialect !== undefined) {
      const draft = draftOf(dialect);
      if (!draft.ok || draft.value !== this.#draft) this.#fault(`${path}/$schema`, "must be the same draft as that of the whole schema");
    }
    if (target === undefined) return;
    if (typeof target !== "string") return this.#fault(`${path}/$ref`, "must be a string");
    this.#references.push({ schema: ready, path, target });
    if (this.#draft !== "4" && this.#draft !== "7") return;
    for (const keyword of Object.keys(value)) {
      if (keyword === "definitions" || keyword === "$defs") continue;
      if (plainKeywords.has(keyword) || subschemas.has(keyword))
        this.#fault(path + pointerStep(keyword), "has no effect beside $ref in draft-04 and draft-07; put both into allOf");
    }
  }

  #plain(keyword: string, given: unknown, ready: Schema, path: string): void {
    if (keyword === "format" && !checkedFormats.has(String(given))) return;
    if (keyword === "pattern") this.#pattern(String(given), path + pointerStep(keyword));
    // `type` of one, lists of names: whatever the rule of the keyword let through is what the library takes.
    ready[keyword] = structured(given);
  }

  #pattern(source: string, path: string): void {
    if (this.#patterns.has(source)) return;
    const pattern = countablePattern(source, this.#edgesLeft);
    if (!pattern.ok) return this.#fault(path, pattern.error);
    this.#edgesLeft -= pattern.value.edges;
    this.#patterns.set(source, pattern.value);
  }

  #under(keyword: string, given: unknown, ready: Schema, path: string): void {
    const here = path + pointerStep(keyword);
    const kind = subschemas.get(keyword);
    if (kind === "one" || (kind === "items" && !Array.isArray(given))) ready[keyword] = this.#schema(given, here);
    else if (kind === "list" || kind === "items") {
      if (!Array.isArray(given) || (given.length === 0 && kind === "list")) this.#fault(here, "must be a list of schemas, and not empty");
      else ready[keyword] = given.map((each, i) => this.#schema(each, `${here}/${i}`));
    } else if (!isObject(given)) this.#fault(here, "must be an object of schemas");
    else if (kind === "dependencies") this.#dependencies(given, ready, here);
    else {
      const entries = Object.entries(given).map(([name, each]): [string, Schema | boolean] => {
        if (kind === "byPattern") this.#pattern(name, here + pointerStep(name));
        return [name, this.#schema(each, here + pointerStep(name))];
      });
      // Definitions are read for their faults, and found by whoever refers to them.
      if (keyword !== "$defs" && keyword !== "definitions") ready[keyword] = { ...ready[keyword], ...Object.fromEntries(entries) };
    }
  }

  /** What drafts before 2019-09 have in one keyword, as the two that came of it. */
  #dependencies(given: Members, ready: Schema, here: string): void {
    for (const [name, each] of Object.entries(given)) {
      if (!Array.isArray(each))
        ready.dependentSchemas = { ...ready.dependentSchemas, [name]: this.#schema(each, here + pointerStep(name)) as Schema };
      else if (isNames(each)) ready.dependentRequired = { ...ready.dependentRequired, [name]: [...each] };
      else this.#fault(here + pointerStep(name), "must be a schema or a list of property names");
    }
  }

  /** What would be passed over in silence because of what stands, or does not stand, beside it. */
  #together(value: Members, path: string): void {
    for (const [keyword, needed] of companions)
      if (value[keyword] !== undefined && value[needed] === undefined) this.#fault(`${path}/${keyword}`, `has no effect without ${needed}`);
    const { items, prefixItems, additionalItems, dependencies, dependentRequired, dependentSchemas } = value;
    if (additionalItems !== undefined && additionalItems !== true && !Array.isArray(items))
      this.#fault(`${path}/additionalItems`, "has no effect where items is not a list");
    if (prefixItems !== undefined && Array.isArray(items)) this.#fault(`${path}/items`, "must be one schema beside prefixItems");
    if (dependencies !== undefined && (dependentRequired !== undefined || dependentSchemas !== undefined))
      this.#fault(`${path}/dependencies`, "must not stand beside dependentRequired or dependentSchemas");
    for (const side of ["Minimum", "Maximum"])
      if (this.#draft === "4" && value[`exclusive${side}`] === true && value[side.toLowerCase()] === undefined)
        this.#fault(`${path}/exclusive${side}`, `has no effect without ${side.toLowerCase()} in draft-04`);
  }

  #fault(path: string, message: string): void {
    this.reading.fault(this.#at + shown(path), message);
  }
}

/** A copy, so that nobody else's change is checked by. */
const structured = (value: unknown): unknown => (typeof value === "object" ? (JSON.parse(JSON.stringify(value)) as unknown) : value);

const longestStep = 128;

/** The pointer up to the first name that is too long to repeat. */
function shown(path: string): string {
  const steps = path.split("/");
  const long = steps.findIndex((step) => step.length > longestStep);
  return long === -1 ? path : steps.slice(0, long).join("/");
}

const lengthOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length);
const sizeOf = (value: unknown): number => (isObject(value) ? Object.keys(value).length : 0);

/** In steps of about a microsecond: what is compared with, written into messages or gone through at every application. */
const weightOf = ({ enum: words, const: word, required, dependentRequired, dependencies, properties, pattern }: Members): number =>
  Math.ceil((lengthOf(words) + lengthOf(word) + lengthOf(required) + lengthOf(dependentRequired) + lengthOf(dependencies)) / 64) +
  Math.ceil(sizeOf(properties) / 8) +
  lengthOf(pattern);

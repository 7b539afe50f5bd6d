// How much work it is to check a value by a schema, counted before it is done. The library has no limit of its own, and a schema of a few hundred
// characters can ask for any amount: references that double at every step, patterns that backtrack, unique items by the thousand.

import type { Schema } from "@cfworker/json-schema";
import type { Json } from "../encoding.ts";
import { matchingSteps } from "./pattern-work.ts";
import type { ReadySchema } from "./read-schema.ts";
import { inPlace } from "./schema-applications.ts";

/**
 * `steps`: applications of a schema to a value, about a microsecond each. `patternSteps`: characters that a pattern looks at. `depth`:
 * applications inside one another, each of which takes a part of the stack.
 */
export const workLimits = { steps: 100_000, patternSteps: 2_000_000, depth: 200 } as const;

export type Work = { readonly steps: number } | "tooMuch" | "tooMuchMatching" | "tooDeep";

/** At least the work that the library has with it; what it would leave out (the `else` of a condition that holds, say) is counted too. */
export function workOf(ready: ReadySchema, value: Json): Work {
  const count = new WorkCount(ready);
  count.apply(ready.root, value, 1);
  return count.excess ?? { steps: count.steps };
}

class WorkCount {
  readonly #ready: ReadySchema;
  steps = 0;
  #patternSteps = 0;
  excess: Exclude<Work, object> | undefined;

  constructor(ready: ReadySchema) {
    this.#ready = ready;
  }

  apply(schema: Schema | boolean, value: Json, depth: number): void {
    if (depth > workLimits.depth) this.excess ??= "tooDeep";
    this.#spend(1);
    if (typeof schema === "boolean" || this.excess !== undefined) return;
    this.#spend(this.#ready.weights.get(schema) ?? 0);
    for (const [, target] of inPlace(schema, this.#ready.lookup)) {
      if (this.excess !== undefined) return;
      this.apply(target, value, depth + 1);
    }
    if (typeof value === "string") this.#text(schema, value);
    else if (Array.isArray(value)) this.#items(schema, value, depth + 1);
    else if (typeof value === "object" && value !== null) this.#properties(schema, value, depth + 1);
  }

  #text(schema: Schema, value: string): void {
    this.#spend(value.length / 256);
    if (schema.pattern !== undefined) this.#match(schema.pattern, value);
  }

  #items(schema: Schema, items: readonly Json[], depth: number): void {
    this.#spend(items.length / 64);
    const { prefixItems = [], items: each, additionalItems, unevaluatedItems, contains } = schema;
    const tuple = Array.isArray(each) ? each : prefixItems;
    const one = Array.isArray(each) ? [additionalItems] : [each];
    for (const [i, item] of items.entries()) {
      if (this.excess !== undefined) return;
      const schemas = [...(tuple[i] === undefined ? one : [tuple[i]]), unevaluatedItems, contains];
      for (const applied of schemas) if (applied !== undefined) this.apply(applied, item, depth);
    }
    // Every item with every other.
    if (schema.uniqueItems === true) this.#spend((items.length * this.#sizeOf(items)) / 16);
  }

  #properties(schema: Schema, value: { readonly [name: string]: Json }, depth: number): void {
    const { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties, propertyNames } = schema;
    const patterns = Object.entries(patternProperties);
    for (const [name, member] of Object.entries(value)) {
      if (this.excess !== undefined) return;
      this.#spend(1 / 16);
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own !== undefined) this.apply(own, member, depth);
      for (const [pattern, applied] of patterns) {
        this.#match(pattern, name);
        this.apply(applied, member, depth);
      }
      if (propertyNames !== undefined) this.apply(propertyNames, name, depth);
      if (own === undefined && additionalProperties !== undefined) this.apply(additionalProperties, member, depth);
      if (unevaluatedProperties !== undefined) this.apply(unevaluatedProperties, member, depth);
    }
  }

  #match(source: string, text: string): void {
    if (this.excess !== undefined) return;
    // The expression is made anew each time.
    this.#spend(1 + source.length / 16);
    const pattern = this.#ready.patterns.get(source);
    if (pattern !== undefined) this.#patternSteps += matchingSteps(pattern, text, workLimits.patternSteps - this.#patternSteps);
    if (this.#patternSteps > workLimits.patternSteps) this.excess ??= "tooMuchMatching";
  }

  /** In values and pieces of text; looking takes steps too. */
  #sizeOf(value: Json | readonly Json[]): number {
    if (this.excess !== undefined) return 0;
    this.#spend(1 / 16);
    if (typeof value === "string") return 1 + value.length / 32;
    if (typeof value !== "object" || value === null) return 1;
    let size = 1;
    for (const [name, member] of Object.entries(value)) size += name.length / 32 + this.#sizeOf(member);
    return size;
  }

  #spend(steps: number): void {
    this.steps += steps;
    if (this.steps > workLimits.steps) this.excess ??= "tooMuch";
  }
}

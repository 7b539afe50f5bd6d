// What a schema applies to the same value as itself, and what follows from it: schemas that would apply themselves for ever, and checks that
// the library would do by halves.

import type { Schema } from "@cfworker/json-schema";

export type Lookup = { readonly [reference: string]: Schema | boolean };
export type ApplicationFault = { readonly schema: Schema; readonly keyword: string; readonly why: string };

/** The schemas that a schema applies to the value in place, by keyword. A `$ref` first, as the library does. */
export function inPlace(schema: Schema, lookup: Lookup): [keyword: string, Schema | boolean][] {
  const { $ref, not, if: condition, then: met, else: unmet, anyOf = [], allOf = [], oneOf = [], dependentSchemas = {} } = schema;
  const one: [string, Schema | boolean | undefined][] = [
    ["$ref", $ref === undefined ? undefined : lookup[$ref]],
    ["not", not],
    ["if", condition],
    ["then", met],
    ["else", unmet],
  ];
  return [
    ...one.flatMap(([keyword, each]): [string, Schema | boolean][] => (each === undefined ? [] : [[keyword, each]])),
    ...anyOf.map((each): [string, Schema | boolean] => ["anyOf", each]),
    ...allOf.map((each): [string, Schema | boolean] => ["allOf", each]),
    ...oneOf.map((each): [string, Schema | boolean] => ["oneOf", each]),
    ...Object.values(dependentSchemas).map((each): [string, Schema | boolean] => ["dependentSchemas", each]),
  ];
}

/**
 * Two faults: a schema that comes back to itself without going into the value, and `unevaluatedProperties` or `unevaluatedItems` in a schema
 * that stands beside others. JSON Schema has it look at its own siblings alone; the library (4.1.6) hands it what was evaluated around it
 * too, so that it would let pass what it must not.
 */
export function applicationFaults(schemas: Iterable<Schema>, lookup: Lookup): ApplicationFault[] {
  const all = [...schemas];
  return [...endless(all, lookup), ...halfUnevaluated(all, lookup)];
}

function endless(schemas: readonly Schema[], lookup: Lookup): ApplicationFault[] {
  const faults: ApplicationFault[] = [];
  const open = new Set<Schema>();
  const done = new Set<Schema>();
  const visit = (schema: Schema): void => {
    open.add(schema);
    for (const [keyword, target] of inPlace(schema, lookup)) {
      if (typeof target === "boolean" || done.has(target)) continue;
      if (open.has(target)) faults.push({ schema, keyword, why: "applies the schema to the same value without end" });
      else visit(target);
    }
    open.delete(schema);
    done.add(schema);
  };
  for (const schema of schemas) if (!done.has(schema)) visit(schema);
  return faults;
}

const handsOn = new Set(["then", "else", "dependentSchemas"]);
const isApart = (keyword: string): boolean => keyword === "not" || keyword === "if";

function halfUnevaluated(schemas: readonly Schema[], lookup: Lookup): ApplicationFault[] {
  const reached = new Set<Schema>();
  const visit = (schema: Schema | boolean): void => {
    if (typeof schema === "boolean" || reached.has(schema)) return;
    reached.add(schema);
    for (const [keyword, target] of inPlace(schema, lookup)) if (!isApart(keyword)) visit(target);
  };
  for (const schema of schemas)
    for (const [keyword, target] of inPlace(schema, lookup))
      if (handsOn.has(keyword) || (schema.$ref !== undefined && !isApart(keyword) && keyword !== "$ref")) visit(target);
  return [...reached].flatMap((schema) =>
    ["unevaluatedProperties", "unevaluatedItems"]
      .filter((keyword) => schema[keyword] !== undefined && schema[keyword] !== true)
      .map((keyword) => ({ schema, keyword, why: "cannot be checked in a schema that stands beside others; put it beside these" })),
  );
}

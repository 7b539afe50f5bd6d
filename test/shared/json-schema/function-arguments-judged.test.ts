// The same question to another validator, which shares no code with ours.

import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkArguments } from "../../../shared/wire/control/function-arguments.ts";
import { schemaErrors } from "../../../shared/wire/control/function-schema.ts";
import type { Json, JsonObject } from "../../../shared/encoding.ts";

const leaf = fc.constantFrom<JsonObject>(
  { type: "string" },
  { type: "object" },
  { type: "integer", minimum: 0 },
  { type: ["number", "null"] },
  { enum: [1, "a", null, [1], { a: 1 }] },
  { const: { a: 1 } },
  { minLength: 2 },
  { maxLength: 1 },
  { multipleOf: 0.5 },
  { exclusiveMinimum: 1, maximum: 3 },
  { required: ["a"] },
  { maxProperties: 1 },
  { maxItems: 1 },
  { uniqueItems: true },
  { pattern: "^a" },
);
const name = fc.constantFrom("a", "b", "c");

/**
 * Subschemas of every kind that all three drafts have, and references, also to the whole from
 * inside of a value.
 */
const common = (tie: () => fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject>[] => [
  leaf,
  fc.record({ properties: fc.dictionary(name, tie(), { maxKeys: 2, noNullPrototype: true }), additionalProperties: fc.boolean() }),
  fc.record({ patternProperties: fc.record({ "^[ab]": tie() }), additionalProperties: tie() }),
  tie().map((items) => ({ items })),
  tie().map((propertyNames) => ({ propertyNames })),
  fc.array(tie(), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
  fc.array(tie(), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
  fc.array(tie(), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
  tie().map((not) => ({ not })),
  fc.tuple(tie(), tie(), tie()).map(([condition, met, unmet]) => ({ if: condition, then: met, else: unmet })),
  fc.constantFrom<JsonObject>({ $ref: "#/$defs/d" }, { properties: { a: { $ref: "#" } } }, { items: { $ref: "#/$defs/d" } }),
];

/**
 * Neither `contains` alone nor `unevaluated...`, of which ajv (8.20) is no judge: a list without
 * items passes where the one before it had the item, and what did not match counts as evaluated.
 * function-schema.test.ts has cases of these.
 */
const newer = (tie: () => fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject>[] => [
  fc.record({ dependentSchemas: fc.record({ a: tie() }), dependentRequired: fc.constant<Json>({ b: ["c"] }) }),
  fc.record({ contains: tie(), minContains: fc.constantFrom(0, 2), maxContains: fc.constantFrom(2, 3) }),
  fc.record({ $ref: fc.constant("#/$defs/d"), properties: fc.record({ b: tie() }) }),
];
const newest = (tie: () => fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject>[] => [
  fc.record({ prefixItems: fc.array(tie(), { minLength: 1, maxLength: 2 }), items: fc.oneof(fc.boolean(), tie()) }),
];
const older = (tie: () => fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject>[] => [
  fc.record({ items: fc.array(tie(), { minLength: 1, maxLength: 2 }), additionalItems: fc.oneof(fc.boolean(), tie()) }),
];
const oldest = (tie: () => fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject>[] => [
  fc.record({ dependencies: fc.record({ a: tie(), b: fc.constant<Json>(["c"]) }) }),
];

type Kinds = (tie: () => fc.Arbitrary<JsonObject>) => fc.Arbitrary<JsonObject>[];

function schemas(...kinds: Kinds[]): fc.Arbitrary<JsonObject> {
  const { of } = fc.letrec<{ of: JsonObject }>((tie) => ({
    of: fc.oneof({ maxDepth: 3 }, ...kinds.flatMap((each) => each(() => tie("of")))),
  }));
  return fc.tuple(of, of).map(([schema, d]) => ({ $defs: { d }, ...schema }));
}

const value = fc.letrec<{ of: Json }>((tie) => ({
  of: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>("", "a", "ab", 1, 2, -1, 1.5, null, true),
    fc.array(tie("of"), { maxLength: 3 }),
    fc.dictionary(name, tie("of"), { noNullPrototype: true }),
  ),
})).of;

const options = { strict: false, logger: false, validateSchema: false } as const;

test.each<[string, fc.Arbitrary<JsonObject>, Pick<Ajv, "compile" | "removeSchema">]>([
  ["https://json-schema.org/draft/2020-12/schema", schemas(common, newer, newest), new Ajv2020(options)],
  ["https://json-schema.org/draft/2019-09/schema", schemas(common, older), new Ajv2019(options)],
  ["http://json-schema.org/draft-07/schema#", schemas(common, older, oldest), new Ajv(options)],
])("what is taken by %s is what ajv takes", (draft, shape, ajv) => {
  const counts = { usable: 0, fits: 0, not: 0 };
  fc.assert(
    fc.property(shape, fc.array(value, { minLength: 1, maxLength: 5 }), (given, values) => {
      const schema = { $schema: draft, ...given };
      // What is refused as a schema is told elsewhere: references without end.
      if (schemaErrors(schema, "").length > 0) return;
      counts.usable += 1;
      const judge = ajv.compile(schema);
      for (const each of values) {
        const fits = judge(each) === true;
        counts[fits ? "fits" : "not"] += 1;
        expect({ each, ok: checkArguments(schema, each, "").ok }).toEqual({ each, ok: fits });
      }
      ajv.removeSchema(schema);
    }),
    { numRuns: 300 },
  );
  expect(Math.min(counts.usable, counts.fits, counts.not)).toBeGreaterThan(50);
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkArguments } from "../../../../shared/wire/control/function-arguments.ts";
import { schemaErrors } from "../../../../shared/wire/control/function-schema.ts";
import type { Json, JsonObject } from "../../../../shared/encoding.ts";

const faults = (schema: unknown, value: unknown): readonly string[] => {
  const checked = checkArguments(schema, value, "/at");
  return checked.ok ? [] : checked.error.map(({ pointer, message }) => `${pointer} ${message}`);
};

describe("arguments that do not fit are told, each at its place", () => {
  test.each<[string, JsonObject, Json, readonly string[]]>([
    ["a member that is missing", { required: ["city"] }, {}, ["/at/city is required"]],
    ["each of several", { required: ["a", "b", "c"] }, { b: 1 }, ["/at/a is required", "/at/c is required"]],
    ["a wrong type", { properties: { n: { type: "integer" } } }, { n: "seven" }, ["/at/n must be of type integer"]],
    ["one of several types", { properties: { n: { type: ["string", "null"] } } }, { n: 7 }, ["/at/n must be of type string or null"]],
    ["a member that nobody takes", { additionalProperties: false }, { "a/b~": 1 }, ["/at/a~1b~0 is not allowed by the schema"]],
    [
      "a value that is none of those listed",
      { properties: { u: { enum: ["C", "F"] } } },
      { u: "K" },
      ["/at/u must be one of the values of enum"],
    ],
    [
      "everything at once, also deep inside",
      { properties: { list: { items: { type: "object", required: ["a"], properties: { b: { minimum: 3 } } } } } },
      { list: [{ a: 1, b: 2 }, {}, 4] },
      ["/at/list/0/b must not be below 3, the minimum", "/at/list/1/a is required", "/at/list/2 must be of type object"],
    ],
    [
      "a choice, once",
      { properties: { x: { anyOf: [{ type: "string" }, { type: "object", required: ["y"] }, false] }, z: false } },
      { x: 1, z: 1 },
      ["/at/x must match at least one of the schemas of anyOf", "/at/z is not allowed by the schema"],
    ],
    ["what fits two of one", { oneOf: [{}, true] }, {}, ["/at must match exactly one of the schemas of oneOf"]],
    ["what must not be", { not: { required: ["a"] } }, { a: 1 }, ["/at must not match the schema of not"]],
    [
      "what a reference leads to",
      { $defs: { n: { type: "number" } }, properties: { n: { $ref: "#/$defs/n" } } },
      { n: "" },
      ["/at/n must be of type number"],
    ],
    [
      "a name with a space and a percent",
      { properties: { "a %25": { type: "null" } } },
      { "a %25": 1 },
      ["/at/a %25 must be of type null"],
    ],
    [
      "a name that is not allowed",
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      ["/at/abc has a name that propertyNames does not allow"],
    ],
    ["a known format", { properties: { at: { format: "date-time" } } }, { at: "soon" }, ["/at/at must be of the format date-time"]],
    [
      "too few of an item",
      { properties: { l: { contains: { type: "null" }, minContains: 2 } } },
      { l: [null, 1] },
      ["/at/l must have at least 2 items that match contains (minContains)"],
    ],
    ["no such item", { properties: { l: { contains: { type: "null" } } } }, { l: [2, 1] }, ["/at/l has no item that matches contains"]],
    [
      "what another member needs",
      { dependentRequired: { a: ["b"] } },
      { a: 1 },
      ["/at lacks a member that another member requires (dependentRequired)"],
    ],
    ["under a condition", { if: { required: ["a"] }, then: { required: ["b"] } }, { a: 1 }, ["/at/b is required"]],
    [
      "numbers and lengths",
      { properties: { a: { multipleOf: 3 }, b: { maxLength: 1 }, c: { minItems: 1 }, d: { exclusiveMaximum: 1 } } },
      { a: 4, b: "12", c: [], d: 1 },
      [
        "/at/a must be a multiple of 3 (multipleOf)",
        "/at/b must not be longer than 1 characters (maxLength)",
        "/at/c must not have fewer than 1 items (minItems)",
        "/at/d must be below 1, the exclusiveMaximum",
      ],
    ],
    ["arguments that are no JSON", {}, ["\ud800"] as Json, ["/at/0 has a lone surrogate, which is not a character"]],
  ])("%s", (_name, schema, value, expected) => {
    expect(faults(schema, value)).toEqual(expected);
  });

  test("without a word of what was sent", () => {
    const secret = "hunter2";
    const schema = {
      properties: { a: { const: "x" }, b: { pattern: "^x$" }, c: { not: { type: "string" } }, d: { enum: [1] } },
      maxProperties: 1,
    };
    const said = faults(schema, { a: secret, b: secret, c: secret, d: secret }).join("\n");
    expect(said.match(/\/at\/[abcd] /g)).toHaveLength(4);
    expect(said).not.toContain(secret);
  });

  test("50 of them at most, and a name that is too long to repeat is left out", () => {
    expect(
      faults(
        { items: { type: "string" } },
        Array.from({ length: 200 }, () => 1),
      ),
    ).toHaveLength(50);
    expect(faults({ additionalProperties: { type: "null" } }, { ["n".repeat(129)]: 1 })).toEqual(["/at must be of type null"]);
  });
});

test.each<[string, JsonObject]>([
  ["the source's own example", { properties: { date: { type: "string", format: "YYYY-MM-DD" } } }],
  ["the name of something that every object has", { properties: { date: { format: "constructor" } } }],
  ["`__proto__`", { properties: { date: { format: "__proto__" } } }],
])("a format that is not known is an annotation: %s", (_name, schema) => {
  expect(schemaErrors(schema, "")).toEqual([]);
  expect(faults(schema, { date: "2025-10-30" })).toEqual([]);
});

describe("arguments are not checked by a schema that is not usable, and do not pass", () => {
  test.each<[string, unknown]>([
    ["a reference out of it", { $ref: "https://example.com/schema.json" }],
    ["a pattern that is none", { properties: { a: { pattern: "[" } } }],
    ["no schema at all", 7],
    ["nothing", undefined],
  ])("%s", (_name, schema) => {
    expect(faults(schema, {})).toEqual(["/at cannot be checked: the function's schema is not usable"]);
  });
});

describe("what would take too much work is refused as soon as that is found", () => {
  const doubling = (last: JsonObject): JsonObject => ({
    $defs: Object.fromEntries([
      ...Array.from(
        { length: 40 },
        (_, i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }] as const,
      ),
      ["d40", last] as const,
    ]),
    $ref: "#/$defs/d0",
  });
  const numbers = (length: number): number[] => Array.from({ length }, (_, i) => i);
  const chain: JsonObject = {
    $defs: Object.fromEntries(numbers(300).map((i) => [`d${i}`, i === 299 ? {} : { $ref: `#/$defs/d${i + 1}` }])),
    $ref: "#/$defs/d0",
  };
  const large = numbers(2_000).map((i) => ({ [`${i}`]: "x".repeat(100) }));
  const steps = "/at would take more than 100000 steps to check by the function's schema";
  const matching = "/at would take more than 10000000 steps to match with the patterns of the function's schema";

  test.each<[string, JsonObject, Json, string]>([
    ["references that double", doubling({}), {}, steps],
    ["references that double inside", doubling({ properties: { a: { $ref: "#/$defs/d39" } } }), { a: {} }, steps],
    ["references that double with each level", { properties: { c: { allOf: [{ $ref: "#" }, { $ref: "#" }] } } }, nested(40), steps],
    ["many values under a long schema", { items: { allOf: numbers(1_000).map(() => ({ minLength: 1 })) } }, numbers(5_000), steps],
    ["large items with each other, again and again", { allOf: numbers(100).map(() => ({ uniqueItems: true })) }, large, steps],
    ["a large value with a large one, again and again", { allOf: numbers(100).map(() => ({ const: large })) }, large, steps],
    ["a long text with as long ones", { enum: numbers(100).map((i) => `${i % 10}${"x".repeat(1_000_000)}`) }, "x".repeat(1_000_001), steps],
    ["a long text, again and again", { allOf: numbers(1_000).map(() => ({ format: "email" })) }, "a".repeat(1_000_000), steps],
    ["many required members", { items: { required: numbers(10_000).map(String) } }, numbers(1_000).map(() => ({})), steps],
    ["a great many values", { items: {} }, numbers(200_000), steps],
    ["references in a long row", chain, {}, "/at would have to be checked by more than 200 schemas inside one another"],
    ["a large pattern for a long text", { pattern: "(?:a?){900}a{900}$" }, "a".repeat(10_000), matching],
    ["for the name of a member", { patternProperties: { "[ab]*a[ab]{900}$": {} } }, { ["a".repeat(20_000)]: 1 }, matching],
    ["for names", { propertyNames: { pattern: "[ab]*a[ab]{900}$" } }, { ["a".repeat(20_000)]: 1 }, matching],
    ["many texts for one pattern", { items: { pattern: "[ab]*a[ab]{900}$" } }, numbers(1_000).map(() => "a".repeat(200)), matching],
  ])("%s", (_name, schema, value, expected) => {
    expect(schemaErrors(schema, "")).toEqual([]);
    expect(faults(schema, value)).toEqual([expected]);
  });

  test("and what is large and simple is not", () => {
    expect(faults({ items: { type: "number" } }, numbers(80_000))).toEqual([]);
    expect(faults({ properties: { a: { type: "string", pattern: "^[a-z]+$" } } }, { a: "a".repeat(500_000) })).toEqual([]);
    expect(faults({ uniqueItems: true }, numbers(50_000))).toEqual([]);
    expect(faults({ uniqueItems: true }, [...numbers(50_000), 7])).toEqual(["/at must not have two equal items (uniqueItems)"]);
    expect(faults({ items: { enum: numbers(1_000) } }, numbers(1_000))).toEqual([]);
    expect(faults({ items: { type: "string" } }, numbers(80_000))).toHaveLength(50);
    expect(faults({ contains: { type: "string" } }, numbers(80_000))).toEqual(["/at has no item that matches contains"]);
  });

  test("what takes hours to backtrack is matched", () => {
    const pattern = (source: string, text: string): readonly string[] => faults({ properties: { a: { pattern: source } } }, { a: text });
    expect(pattern("^(a+)+$", `${"a".repeat(10_000)}!`)).toEqual(["/at/a must match the pattern"]);
    expect(pattern("a*a*a*b", "a".repeat(10_000))).toEqual(["/at/a must match the pattern"]);
    expect(pattern("(.*)*x", "ax")).toEqual([]);
    expect(faults({ patternProperties: { "^(a+)+$": { type: "null" } } }, { ["a".repeat(100)]: 1 })).toHaveLength(1);
  });

  test("a schema that calls itself for what is inside is followed as deep as arguments may go", () => {
    const any: JsonObject = {
      $defs: { any: { anyOf: [{ type: "object", additionalProperties: { $ref: "#/$defs/any" } }, { type: ["number", "string"] }] } },
      $ref: "#/$defs/any",
    };
    expect(faults(any, nested(60))).toEqual([]);
    const tree: JsonObject = { type: "object", properties: { c: { $ref: "#" }, n: { type: "number" } } };
    expect(faults(tree, { c: { c: { c: { n: 1 } } } })).toEqual([]);
    expect(faults(tree, { c: { c: { c: { n: "1" } } } })).toEqual(["/at/c/c/c/n must be of type number"]);
  });
});

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level += 1) value = { c: value };
  return value;
}

const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json);
const keyword = fc.constantFrom(
  ..."type properties required items prefixItems additionalItems enum const pattern format $ref $defs allOf anyOf oneOf not if then else additionalProperties unevaluatedProperties patternProperties dependencies dependentSchemas contains minContains minLength multipleOf uniqueItems $id id $anchor $schema $recursiveRef __absolute_ref__ __absolute_uri__ constructor".split(
    " ",
  ),
);
const word = fc.constantFrom<Json>("#", "#/$defs/a", "a", "string", "object", "^a", "date", 1, 0, true, false);
/** Keywords with anything at all in them. */
const anySchema = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(anyJson, word),
    fc.dictionary(keyword, tie("schema"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie("schema"), { maxLength: 2 }),
    fc.record({ a: tie("schema") }, { noNullPrototype: true }),
  ),
})).schema;

test("whatever the schema and the arguments are, nothing throws or is changed, and what is told has its place", () => {
  let usable = 0;
  fc.assert(
    fc.property(anySchema, anyJson, (schema, value) => {
      const before = JSON.stringify([schema, value]);
      const wrong = schemaErrors(schema, "/at");
      if (wrong.length === 0) usable += 1;
      for (const { pointer } of wrong) expect(pointer).toMatch(/^\/at/);
      for (const fault of faults(schema, value)) expect(fault).toMatch(wrong.length === 0 ? /^\/at/ : /not usable$/);
      expect(JSON.stringify([schema, value])).toBe(before);
      expect(Reflect.ownKeys(Object(schema) as object)).toEqual(Reflect.ownKeys(Object(JSON.parse(JSON.stringify(schema))) as object));
    }),
    { numRuns: 3_000 },
  );
  expect(usable).toBeGreaterThan(100);
});

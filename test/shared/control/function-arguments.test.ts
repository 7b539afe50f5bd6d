import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkArguments } from "../../../shared/control/function-arguments.ts";
import type { Json, JsonObject } from "../../../shared/encoding.ts";
import { schemaErrors } from "../../../shared/control/function-schema.ts";

const faults = (schema: JsonObject, value: Json): readonly string[] => {
  const checked = checkArguments(schema, value, "/at");
  return checked.ok ? [] : checked.error.map(({ pointer, message }) => `${pointer} ${message}`);
};

describe("arguments that do not fit are told, each at its place", () => {
  test.each<[string, JsonObject, Json, readonly string[]]>([
    ["a member that is missing", { required: ["city"] }, {}, ["/at/city is required"]],
    ["a wrong type", { properties: { n: { type: "integer" } } }, { n: "seven" }, ["/at/n must be integer"]],
    ["one of several types", { properties: { n: { type: ["string", "null"] } } }, { n: 7 }, ["/at/n must be string or null"]],
    ["a member that nobody takes", { additionalProperties: false }, { "a/b~": 1 }, ["/at/a~1b~0 is not among what the function takes"]],
    [
      "a value that is none of those listed",
      { properties: { unit: { enum: ["C", "F"] } } },
      { unit: "K" },
      ["/at/unit must be one of the values that the function takes"],
    ],
    [
      "everything at once, also deep inside",
      { properties: { list: { items: { type: "object", required: ["a"], properties: { b: { minimum: 3 } } } } } },
      { list: [{ a: 1, b: 2 }, {}, 4] },
      ["/at/list/0/b does not fit the function's schema (minimum)", "/at/list/1/a is required", "/at/list/2 must be object"],
    ],
    [
      "a choice, once",
      { properties: { x: { anyOf: [{ type: "string" }, { type: "object", required: ["y"] }] } } },
      { x: 1 },
      ["/at/x fits none, or not just one, of the shapes that the function takes"],
    ],
    [
      "what a reference leads to",
      { $defs: { n: { type: "number" } }, properties: { n: { $ref: "#/$defs/n" } } },
      { n: "" },
      ["/at/n must be number"],
    ],
    ["a name with a space and a percent", { properties: { "a %25": { type: "null" } } }, { "a %25": 1 }, ["/at/a %25 must be null"]],
    [
      "a known format",
      { properties: { at: { format: "date-time" } } },
      { at: "soon" },
      ["/at/at does not fit the function's schema (format)"],
    ],
  ])("%s", (_name, schema, value, expected) => {
    expect(faults(schema, value)).toEqual(expected);
  });

  test("without a word of what was sent", () => {
    const secret = "hunter2";
    const schema = { properties: { a: { const: "x" }, b: { pattern: "^x$" }, c: { not: { type: "string" } } }, maxProperties: 1 };
    const said = faults(schema, { a: secret, b: secret, c: secret }).join("\n");
    expect(said).toMatch(/\/at\/a .*\n.*\/at\/b .*\n.*\/at\/c /s);
    expect(said).not.toContain(secret);
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

describe("a schema that cannot be checked is told at its place", () => {
  test.each<[string, JsonObject, string]>([
    ["a keyword of the wrong shape", { properties: { a: { required: 5 } } }, "/properties/a/required"],
    ["a type that there is none of", { type: "datetime" }, "/type"],
    ["no regular expression", { properties: { a: { pattern: "[" } } }, "/properties/a/pattern"],
    ["a reference out of the schema", { properties: { a: { $ref: "https://example.com/schema.json" } } }, "/properties/a/$ref"],
    ["a reference to nothing", { $ref: "#/$defs/missing" }, "/$ref"],
    ["a reference that is not followed", { $dynamicRef: "#a" }, "/$dynamicRef"],
    ["a pattern that goes back over its text", { properties: { a: { pattern: "^(a+)+$" } } }, "/properties/a/pattern"],
    ["another of these", { properties: { a: { pattern: "(a|a)*b" } } }, "/properties/a/pattern"],
    ["in the name of a member", { patternProperties: { "(.*)*x": {} } }, "/patternProperties/(.*)*x"],
    ["a list that has to be a schema", { items: { not: [] } }, "/items/not"],
  ])("%s", (_name, schema, pointer) => {
    expect(schemaErrors(schema, "/at").map((error) => error.pointer)).toEqual([`/at${pointer}`]);
    expect(checkArguments(schema, {}, "/at")).toBeDefined();
  });

  test.each([
    "^[A-Z]{2}-[0-9]{4}$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^(?:foo|bar)$",
    "^[a-z]+@[a-z]+\\.[a-z]{2,}$",
    "(ab)*",
    "^(https?)://",
    "[)(*]+",
    "\\(.*\\)",
  ])("an ordinary pattern is none of these: %s", (pattern) => {
    expect(schemaErrors({ pattern }, "")).toEqual([]);
  });
});

describe("nothing takes time without end", () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]),
  );

  test.each<[string, JsonObject, Json]>([
    ["a reference to itself", { $ref: "#" }, {}],
    ["references that double", { $defs: { ...doubling, d40: {} }, $ref: "#/$defs/d0" }, {}],
    [
      "a long text under a pattern that goes over it again and again",
      { properties: { a: { pattern: "a*a*a*b" } } },
      { a: "a".repeat(10_000) },
    ],
    [
      "many values under a long schema",
      { items: { allOf: Array.from({ length: 1_000 }, () => ({ minLength: 1 })) } },
      Array.from({ length: 5_000 }, () => "a"),
    ],
  ])("%s: is refused", (_name, schema, value) => {
    const began = performance.now();
    expect(faults(schema, value)).toEqual([expect.stringMatching(/^\/at (?:cannot be checked|has )/)]);
    // Without a bound each would take longer than anybody lives.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("a schema that calls itself for what is inside is followed as deep as the arguments go", () => {
    const tree: JsonObject = { type: "object", properties: { child: { $ref: "#" }, n: { type: "number" } } };
    expect(faults(tree, { child: { child: { child: { n: 1 } } } })).toEqual([]);
    expect(faults(tree, { child: { child: { child: { n: "1" } } } })).toEqual(["/at/child/child/child/n must be number"]);
  });
});

const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json);
const keyword = fc.constantFrom(
  ..."type properties required items enum const pattern format $ref $defs allOf anyOf oneOf not if then else additionalProperties patternProperties dependencies minLength multipleOf uniqueItems $id $anchor $recursiveRef __absolute_ref__".split(
    " ",
  ),
);
/** Keywords with anything at all in them. */
const anySchema = fc
  .letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof({ maxDepth: 3 }, anyJson, fc.dictionary(keyword, tie("schema"), { maxKeys: 4, noNullPrototype: true })),
  }))
  .schema.map(
    (schema) => (typeof schema === "object" && schema !== null && !Array.isArray(schema) ? schema : { allOf: [schema] }) as JsonObject,
  );

test("whatever the schema and the arguments are, nothing throws, and what is told has its place", () => {
  fc.assert(
    fc.property(anySchema, anyJson, (schema, value) => {
      for (const { pointer } of schemaErrors(schema, "/at")) expect(pointer).toMatch(/^\/at/);
      for (const fault of faults(schema, value)) expect(fault).toMatch(/^\/at/);
    }),
    { numRuns: 2_000 },
  );
});

test("what is taken is what another validator takes", () => {
  const leaf = fc.constantFrom<JsonObject>(
    { type: "string" },
    { type: "integer", minimum: 0 },
    { type: ["number", "null"] },
    { enum: [1, "a", null] },
    { const: { a: 1 } },
    { minLength: 2 },
    { multipleOf: 2 },
    { required: ["a"] },
    { uniqueItems: true },
  );
  const shape = fc.letrec<{ of: JsonObject }>((tie) => ({
    of: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record({ type: fc.constant("object"), properties: fc.record({ a: tie("of"), b: tie("of") }), additionalProperties: fc.boolean() }),
      tie("of").map((items) => ({ items })),
      fc.tuple(tie("of"), tie("of")).map((anyOf) => ({ anyOf })),
      fc.tuple(tie("of"), tie("of")).map((oneOf) => ({ oneOf })),
      fc.tuple(tie("of"), tie("of")).map((allOf) => ({ allOf })),
      tie("of").map((not) => ({ not })),
    ),
  })).of;
  const value = fc.letrec<{ of: Json }>((tie) => ({
    of: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>("", "a", "ab", 1, 2, -1, 1.5, null, true),
      fc.array(tie("of"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c"), tie("of"), { noNullPrototype: true }),
    ),
  })).of;
  const ajv = new Ajv2020({ strict: false });
  fc.assert(
    fc.property(shape, value, (schema, given) => {
      expect(schemaErrors(schema, "")).toEqual([]);
      expect(faults(schema, given).length === 0).toBe(ajv.validate(schema, given));
    }),
    { numRuns: 1_000 },
  );
});

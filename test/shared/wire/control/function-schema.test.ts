import { describe, expect, test } from "vitest";
import { checkArguments } from "../../../../shared/wire/control/function-arguments.ts";
import { schemaErrors } from "../../../../shared/wire/control/function-schema.ts";
import type { JsonObject } from "../../../../shared/encoding.ts";

const pointers = (schema: unknown): string[] => schemaErrors(schema, "/at").map(({ pointer }) => pointer);
const fits = (schema: unknown, value: unknown): boolean => {
  expect(schemaErrors(schema, "")).toEqual([]);
  return checkArguments(schema, value, "").ok;
};
const draft4 = { $schema: "http://json-schema.org/draft-04/schema#" };
const draft7 = { $schema: "http://json-schema.org/draft-07/schema#" };
const draft2019 = { $schema: "https://json-schema.org/draft/2019-09/schema" };

describe("a schema that cannot be checked by is refused, at the place that is wrong", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["no object", "x", [""]],
    ["a list", [], [""]],
    ["a type that there is none of", { type: "datetime" }, ["/type"]],
    ["no types", { type: [] }, ["/type"]],
    ["a keyword of draft 3", { properties: { a: { required: true } } }, ["/properties/a/required"]],
    ["numbers as text", { minimum: "3", maxLength: "1" }, ["/minimum", "/maxLength"]],
    ["lengths that are none", { minLength: -1, maxItems: 1.5 }, ["/minLength", "/maxItems"]],
    ["a multiple of nothing", { multipleOf: 0 }, ["/multipleOf"]],
    ["words instead of lists", { enum: "a", required: "a", allOf: {} }, ["/enum", "/required", "/allOf"]],
    ["an empty choice", { anyOf: [] }, ["/anyOf"]],
    ["lists instead of schemas", { not: [], properties: [], items: { not: 1 } }, ["/not", "/properties", "/items/not"]],
    [
      "dependencies that are none",
      { dependentRequired: { a: "b" }, dependencies: { c: [1] } },
      ["/dependentRequired", "/dependencies", "/dependencies/c"],
    ],
    ["booleans of draft 4 in another", { exclusiveMinimum: true, minimum: 1 }, ["/exclusiveMinimum"]],
    ["a number in draft 4", { ...draft4, exclusiveMinimum: 1 }, ["/exclusiveMinimum"]],
    ["true without what it is about", { ...draft4, exclusiveMinimum: true }, ["/exclusiveMinimum"]],
    ["an unknown draft", { $schema: "http://json-schema.org/draft-03/schema#" }, ["/$schema"]],
    ["another draft inside", { properties: { a: draft7 } }, ["/properties/a/$schema"]],
    ["then and else without if", { then: {}, else: {} }, ["/then", "/else"]],
    ["counts without contains", { minContains: 1, maxContains: 2 }, ["/minContains", "/maxContains"]],
    ["the rest of no list", { items: {}, additionalItems: false }, ["/additionalItems"]],
    ["two lists", { prefixItems: [{}], items: [{}] }, ["/items"]],
    [
      "checks that a draft passes over beside $ref",
      { ...draft7, definitions: { a: {} }, properties: { a: { $ref: "#/definitions/a", minLength: 1 } } },
      ["/properties/a/minLength"],
    ],
    ["no regular expression", { pattern: "[", patternProperties: { "(": {} } }, ["/pattern", "/patternProperties/("]],
    [
      "patterns that need backtracking",
      { pattern: "(a)\\1", propertyNames: { pattern: "(?<=a)b" }, patternProperties: { "a(?=b)": {} } },
      ["/pattern", "/propertyNames/pattern", "/patternProperties/a(?=b)"],
    ],
    ["references that are not followed", { $dynamicRef: "#a", not: { $recursiveRef: "#" } }, ["/$dynamicRef", "/not/$recursiveRef"]],
    [
      "a reference to nothing",
      { properties: { a: { $ref: "#/$defs/missing" }, b: { $ref: "#name" } } },
      ["/properties/a/$ref", "/properties/b/$ref"],
    ],
    ["a reference out of it", { items: { $ref: "https://example.com/schema.json" } }, ["/items/$ref"]],
    ["a reference to a file", { items: { $ref: "other.json#/a" } }, ["/items/$ref"]],
    ["a reference that is none", { items: { $ref: 1 } }, ["/items/$ref"]],
    ["a reference to what is no schema", { title: "x", items: { $ref: "#/title" } }, ["/title"]],
    ["itself", { $ref: "#" }, ["/$ref"]],
    ["itself, around a corner", { allOf: [{ anyOf: [{ $ref: "#/allOf/0" }] }] }, ["/allOf/0/anyOf/0/$ref"]],
    ["itself, by a condition", { if: { not: { $ref: "#" } } }, ["/if/not/$ref"]],
    ["one name for two", { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, ["/$defs/b/$anchor"]],
    ["one address for two", { $defs: { a: { $id: "https://example.com/a" }, b: { $id: "https://example.com/a" } } }, ["/$defs/b/$id"]],
    ["names that are none", { $anchor: "#", $defs: { a: { $id: "#x" }, b: { $id: 1 } } }, ["/$anchor", "/$defs/a/$id", "/$defs/b/$id"]],
    ["text that is none", { title: "\ud800" }, ["/title"]],
    ["a name that is too long to repeat", { properties: { ["n".repeat(129)]: { type: "x" } } }, ["/properties"]],
  ])("%s", (_name, schema, expected) => {
    const found = pointers(schema);
    expect(found.toSorted()).toEqual(expected.map((pointer) => `/at${pointer}`).toSorted());
    expect(checkArguments(schema, {}, "").ok).toBe(false);
  });

  test("50 faults at most", () => {
    expect(schemaErrors({ allOf: Array.from({ length: 100 }, () => ({ type: 1 })) }, "")).toHaveLength(50);
  });

  test("2,000 subschemas at most, and 64 levels", () => {
    const wide = (length: number): JsonObject => ({ allOf: Array.from({ length }, () => ({})) });
    expect(pointers(wide(1_999))).toEqual([]);
    expect(pointers(wide(2_000))).toEqual(["/at/allOf/1999"]);
    expect(pointers(wide(5_000))).toEqual(["/at/allOf/1999"]);
    let deep: JsonObject = {};
    for (let level = 0; level < 70; level += 1) deep = { not: deep };
    expect(schemaErrors(deep, "")).toEqual([expect.objectContaining({ message: "is nested more than 64 levels deep" })]);
  });

  test("patterns that are not too large together, the same one counted once", () => {
    const all = (length: number, source: (i: number) => string): JsonObject => ({
      allOf: Array.from({ length }, (_, i) => ({ pattern: source(i) })),
    });
    const large = "((a?){12}){12}";
    expect(pointers(all(1_000, () => large))).toEqual([]);
    expect(pointers(all(500, (i) => `^[a-z]+(?:-[a-z0-9]+)*-${i}$`))).toEqual([]);
    expect(pointers(all(1_000, (i) => `${large}${i}`))).toHaveLength(50);
  });

  test("the same after it was checked by: the schema itself is not touched", () => {
    const schema = Object.freeze({ $defs: Object.freeze({ a: Object.freeze({ type: "string" }) }), $ref: "#/$defs/a" });
    expect(checkArguments(schema, "x", "").ok).toBe(true);
    expect(checkArguments(schema, 1, "").ok).toBe(false);
  });
});

describe("what is an annotation passes", () => {
  test.each<[string, JsonObject]>([
    [
      "as models and OpenAPI have them",
      {
        title: "T",
        description: "d",
        default: {},
        examples: [1],
        example: 1,
        nullable: true,
        deprecated: true,
        readOnly: true,
        discriminator: { propertyName: "x" },
        "x-order": 1,
      },
    ],
    ["of drafts that say nothing of it", { id: 5, $comment: "c", contentEncoding: "base64", $vocabulary: {} }],
    ["names that every object has", { constructor: 1, toString: 2, __absolute_ref__: "#x", __absolute_uri__: "y" }],
    ["a format of nobody's", { properties: { date: { type: "string", format: "YYYY-MM-DD" } } }],
    [
      "what stands beside $ref in an old draft",
      { ...draft7, definitions: { a: {} }, properties: { a: { $ref: "#/definitions/a", description: "d", default: 1 } } },
    ],
  ])("%s", (_name, schema) => {
    expect(fits(schema, { date: "2025-10-30" })).toBe(true);
  });

  test.each([
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-04/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
  ])("%s is known, and additional members are refused by it", ($schema) => {
    const schema = { $schema, type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    expect([fits(schema, { a: "" }), fits(schema, { b: "" })]).toEqual([true, false]);
  });
});

describe("a reference within the schema leads", () => {
  const number = { type: "number" };
  test.each<[string, JsonObject]>([
    ["to a definition", { $defs: { n: number }, properties: { a: { $ref: "#/$defs/n" } } }],
    ["to one of an old draft", { ...draft7, definitions: { n: number }, properties: { a: { $ref: "#/definitions/n" } } }],
    ["to another member", { properties: { b: number, a: { $ref: "#/properties/b" } } }],
    ["to a place that no keyword knows", { components: { schemas: { N: number } }, properties: { a: { $ref: "#/components/schemas/N" } } }],
    ["by names that are escaped", { $defs: { "a/b~c%d ": number }, properties: { a: { $ref: "#/$defs/a~1b~0c%25d%20" } } }],
    ["to an anchor", { $defs: { n: { $anchor: "n", ...number } }, properties: { a: { $ref: "#n" } } }],
    ["to an anchor of an old draft", { ...draft7, definitions: { n: { $id: "#n", ...number } }, properties: { a: { $ref: "#n" } } }],
    ["to an id", { $defs: { n: { $id: "https://example.com/n", ...number } }, properties: { a: { $ref: "https://example.com/n" } } }],
    [
      "to an id beside the schema's own",
      { $id: "https://example.com/s/root", $defs: { n: { $id: "n", ...number } }, properties: { a: { $ref: "n" } } },
    ],
    [
      "to an id by its path",
      { $id: "https://example.com/s/root", $defs: { n: { $id: "/n", ...number } }, properties: { a: { $ref: "https://example.com/n#" } } },
    ],
    [
      "to a place within an id",
      {
        $defs: { n: { $id: "https://example.com/n", $defs: { m: number } } },
        properties: { a: { $ref: "https://example.com/n#/$defs/m" } },
      },
    ],
    [
      "from within an id",
      {
        $defs: { n: { $id: "https://example.com/n", $defs: { m: number }, $ref: "#/$defs/m" } },
        properties: { a: { $ref: "https://example.com/n" } },
      },
    ],
    [
      "to the whole, by its id",
      { $id: "https://example.com/n", anyOf: [{ properties: { a: { $ref: "https://example.com/n" } }, type: "object" }, number] },
    ],
    ["in a row", { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/c" }, c: number }, properties: { a: { $ref: "#/$defs/a" } } }],
  ])("%s", (_name, schema) => {
    expect([fits(schema, { a: 1 }), fits(schema, { a: "1" })]).toEqual([true, false]);
  });
});

describe("what only some validators know is checked", () => {
  test.each<[string, JsonObject, unknown, boolean]>([
    ["unevaluated members, none", { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, true],
    ["unevaluated members, one", { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1, b: 1 }, false],
    [
      "through a reference",
      { $defs: { d: { properties: { a: {} } } }, $ref: "#/$defs/d", unevaluatedProperties: false },
      { a: 1, b: 1 },
      false,
    ],
    [
      "of a choice that was not met",
      { anyOf: [{ properties: { a: { type: "null" } } }, true], unevaluatedProperties: false },
      { a: 1 },
      false,
    ],
    ["of a choice that was", { anyOf: [{ properties: { a: { type: "number" } } }, true], unevaluatedProperties: false }, { a: 1 }, true],
    ["of a condition", { if: { properties: { a: { const: 1 } } }, unevaluatedProperties: false }, { a: 1 }, true],
    ["within a condition", { properties: { a: {} }, if: {}, then: { unevaluatedProperties: false } }, { a: 1 }, false],
    [
      "within a reference, what stands beside it",
      { $defs: { d: { unevaluatedProperties: false } }, $ref: "#/$defs/d", properties: { a: {} } },
      { a: 1 },
      false,
    ],
    ["of a pattern", { patternProperties: { "^a": {} }, unevaluatedProperties: false }, { ab: 1 }, true],
    ["items that are contained", { contains: { type: "null" }, unevaluatedItems: false }, [null], true],
    ["not in 2019-09", { ...draft2019, contains: { type: "null" }, unevaluatedItems: false }, [null], false],
    ["not from beside", { allOf: [{ properties: { a: {} } }, { unevaluatedProperties: false }] }, { a: 1 }, false],
    ["unevaluated items", { prefixItems: [{}], unevaluatedItems: false }, [1, 2], false],
    ["items that another took", { allOf: [{ prefixItems: [{}, {}] }], unevaluatedItems: false }, [1, 2], true],
    ["an item that is contained", { contains: { type: "null" } }, [1, null], true],
    ["no item that is contained", { contains: { type: "null" } }, [], false],
    ["each list for itself", { items: { contains: { type: "null" } } }, [[null], []], false],
    ["0 items are enough", { contains: { type: "null" }, minContains: 0 }, [], true],
    ["too many items", { contains: { type: "null" }, maxContains: 1 }, [null, null], false],
    ["the limits of draft 4", { ...draft4, minimum: 1, exclusiveMinimum: true }, 1, false],
    ["lists of items in any draft", { items: [{ type: "string" }], additionalItems: false }, ["a", "b"], false],
    ["dependencies of old drafts", { ...draft2019, dependencies: { a: ["b"], c: { required: ["d"] } } }, { c: 1 }, false],
    ["1.0 as an integer", { type: "integer" }, 1.0, true],
    ["an odd number of 16 digits as a multiple of 2", { multipleOf: 2 }, 9_007_199_254_740_991, false],
    ["a thousandth part, in its own notation", { multipleOf: 1e-7 }, 3e-7, true],
    ["0.1 as a part of 0.3", { multipleOf: 0.1 }, 0.3, true],
    ["false and 0 as two", { enum: [0] }, false, false],
    ["{} with members in another order as one", { const: { a: 1, b: 2 } }, { b: 2, a: 1 }, true],
    [
      "two equal items",
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    ["characters, not code units", { maxLength: 1 }, "😀", true],
    ["a pattern anywhere in the text", { pattern: "b" }, "abc", true],
    ["a member named like what objects have", { required: ["toString"] }, {}, false],
    ["a date", { format: "date" }, "2025-02-29", false],
    ["a date, of what is no text", { format: "date" }, 7, true],
    ["an address", { format: "uri" }, "nothing", false],
  ])("%s", (_name, schema, value, expected) => {
    expect(fits(schema, value)).toBe(expected);
  });
});

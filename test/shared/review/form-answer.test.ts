import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/encoding.ts";
import { formFields, isBox, typedOf } from "../../../shared/json-schema/form-fields.ts";
import { boxControl, isChecked } from "../../../shared/json-schema/field-controls.ts";
import { fieldsOfForm, formAnswerOf } from "../../../shared/review/form-answer.ts";
import { fixture, officialErrors } from "../wire/official.ts";

const schemaOf = (properties: object, required: readonly string[] = []): JsonObject =>
  ({ type: "object", properties, required }) as unknown as JsonObject; // JSON as it is written here
const formOf = (properties: object, required: readonly string[] = []) => ({ schema: schemaOf(properties, required) });
const typed = (values: Record<string, string>): Map<string, string> =>
  new Map(Object.entries(values).map(([name, text]) => [`/content/${name}`, text]));

const choices = (count: number): string[] => Array.from({ length: count }, (_, i) => `c${i}`);
const titled = [
  { const: "#FF0000", title: "Red" },
  { const: "#00FF00", title: "Green" },
];

/** By the names of the official schema; every way in which a field may be written. */
const primitives: Readonly<Record<string, readonly object[]>> = {
  StringSchema: [
    { type: "string" },
    { type: "string", title: "T", description: "d", minLength: 1, maxLength: 50, format: "email", default: "a@b.example" },
    ...["uri", "date", "date-time"].map((format) => ({ type: "string", format })),
  ],
  NumberSchema: [
    { type: "number", minimum: 0, maximum: 9.5, default: 1.5 },
    { type: "integer", default: 3 },
  ],
  BooleanSchema: [{ type: "boolean", default: true }],
  UntitledSingleSelectEnumSchema: [
    { type: "string", enum: ["a", "b"], default: "b" },
    // As many as there are time zones.
    { type: "string", enum: choices(1_000) },
  ],
  TitledSingleSelectEnumSchema: [{ type: "string", oneOf: titled, default: "#00FF00" }],
  UntitledMultiSelectEnumSchema: [{ type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 2, default: ["a"] }],
  TitledMultiSelectEnumSchema: [{ type: "array", items: { anyOf: titled }, default: ["#FF0000"] }],
  LegacyTitledEnumSchema: [
    { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
    { type: "string", enum: ["a", "b"], enumNames: ["A"] },
  ],
};

describe.each(["2025-11-25", "2026-07-28"] as const)("a form of %s", (revision) => {
  test("may have every field that the official schema names", () => {
    const { $defs } = fixture(`${revision}/schema.json`) as { $defs: { PrimitiveSchemaDefinition: { anyOf: { $ref: string }[] } } };
    const named = $defs.PrimitiveSchemaDefinition.anyOf.map(({ $ref }) => $ref.slice("#/$defs/".length));
    expect(named.toSorted()).toEqual(Object.keys(primitives).toSorted());
    for (const name of named)
      for (const field of primitives[name] ?? []) {
        expect([name, officialErrors(revision, name, field)]).toEqual([name, []]);
        expect([name, formFields(schemaOf({ field }), "").ok]).toEqual([name, true]);
      }
  });
});

test("what a form may not have is refused with what its server writes instead", () => {
  const why = (field: object): string => {
    const found = formFields(schemaOf({ field }), "");
    return found.ok ? "" : (found.error[0]?.message ?? "");
  };
  expect(why({ type: "object", properties: { a: { type: "string" } } })).toContain("give each of its members a field of its own");
  expect(why({ type: "array", items: { type: "string" } })).toContain("items with enum, or with anyOf of const and title");
  for (const union of [{ type: ["string", "number"] }, { anyOf: [{ type: "string" }, { type: "number" }] }])
    expect(why(union)).toContain("send one of them, or a field for each");
  expect(why({ type: "string", enum: choices(1_001) })).toContain("has 1001 choices, and a page shows at most 1000");
  expect(why({ type: "string", enum: [] })).toContain("name at least one");
  expect(why({ enum: [1, 2] })).toContain("write each as a text");
  expect(why({})).toContain("give it the type string, number, integer or boolean");
});

describe("the fields of a form", () => {
  test("are those of every way in which the revisions write them, in the schema's order", () => {
    const fields = fieldsOfForm(
      formOf(
        {
          email: { type: "string", format: "email", title: "Your email", description: "Of the host", default: "a@b.example" },
          age: { type: "integer", minimum: 1, maximum: 120 },
          ok: { type: "boolean", default: true },
          old: { type: "string", enum: ["a", "b"], enumNames: ["A!"], default: "b" },
          titled: { type: "string", oneOf: [{ const: "x", title: "X!" }] },
          several: { type: "array", items: { type: "string", enum: ["p", "q"] }, minItems: 1, default: ["q"] },
          titledSeveral: { type: "array", items: { anyOf: [{ const: "r", title: "R!" }] } },
          optional: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
        },
        ["age"],
      ),
    );
    expect(fields.map((field) => [field.name, isBox(field) ? "box" : field.kind, field.isRequired, field.title])).toEqual([
      ["email", "text", false, "Your email"],
      ["age", "number", true, "age"],
      ["ok", "box", false, "ok"],
      ["old", "choice", false, "old"],
      ["titled", "choice", false, "titled"],
      ["several", "choices", false, "several"],
      ["titledSeveral", "choices", false, "titledSeveral"],
      ["optional", "number", false, "optional"],
    ]);
    expect(fields.flatMap((field) => ("options" in field && !isBox(field) ? field.options.map(({ label }) => label) : []))).toEqual([
      "A!",
      "b",
      "X!",
      "p",
      "q",
      "R!",
    ]);
    expect([...typedOf(fields, null)]).toEqual([
      ["/content/email", "a@b.example"],
      ["/content/ok", "on"],
      ["/content/old", '"b"'],
      ["/content/several~.1", "on"],
    ]);
  });

  const nested = { type: "object", properties: { inner: { type: "string" } } };
  test.each<[string, unknown]>([
    ["an object inside", nested],
    ["a list of texts", { type: "array", items: { type: "string" } }],
    ["a list of lists", { type: "array", items: { type: "array", items: { type: "string", enum: ["a"] } } }],
    ["alternatives of objects", { anyOf: [nested, { type: "null" }] }],
    ["alternatives of a text", { type: "string", anyOf: [{ minLength: 1 }, { maxLength: 2 }] }],
    ["no type", {}],
    ["no schema", "string"],
    ["choices that are no texts", { type: "string", enum: [1, 2] }],
    ["no choices", { type: "string", enum: [] }],
    ["too many choices", { type: "string", enum: choices(1_001) }],
    ["too many choices with titles", { type: "string", oneOf: choices(1_001).map((each) => ({ const: each, title: each })) }],
    ["a pattern that needs backtracking", { type: "string", pattern: String.raw`(a+)\1$` }],
    ["a pattern that is far too large", { type: "string", pattern: "(a{1000}){1000}" }],
    ["a reference", { $ref: "#/nowhere" }],
  ])("are refused with %s, at the field", (_, property) => {
    const found = formFields(schemaOf({ good: { type: "string" }, bad: property }), "/requestedSchema");
    expect(!found.ok && found.error[0]?.pointer).toMatch(/^\/requestedSchema\/properties\/bad/);
  });

  test("are at most 50, and of an object", () => {
    const many = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { type: "boolean" }]));
    expect([formFields(schemaOf(many(50)), "").ok, formFields(schemaOf(many(51)), "").ok]).toEqual([true, false]);
    for (const schema of [{}, { type: "object" }, { type: "array" }, { type: "object", properties: [] }])
      expect(formFields(schema as JsonObject, "").ok).toBe(false); // JSON as it is written here
  });

  test("may have any name", () => {
    const names = ["a/b~c", "", "constructor"];
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const fields = fieldsOfForm(formOf(properties, names));
    expect(fields.map(({ pointer }) => pointer)).toEqual(["/content/a~1b~0c", "/content/", "/content/constructor"]);
    const answer = formAnswerOf(formOf(properties, names), new Map(fields.map(({ pointer }) => [pointer, "x"])));
    expect(formFields(schemaOf(JSON.parse('{"__proto__":{"type":"string"}}') as object), "").ok).toBe(false);
    expect(answer.ok && JSON.stringify(answer.value.content)).toBe('{"a/b~c":"x","":"x","constructor":"x"}');
  });
});

describe("an answer", () => {
  const room = formOf(
    {
      where: {
        type: "string",
        oneOf: [
          { const: "a", title: "Ada" },
          { const: "g", title: "Grace" },
        ],
      },
      people: { type: "integer", minimum: 1, maximum: 12 },
      price: { type: "number" },
      note: { type: "string", minLength: 2, maxLength: 5 },
      code: { type: "string", pattern: "^[A-Z]{2}$" },
      mail: { type: "string", format: "email" },
      link: { type: "string", format: "uri" },
      day: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
      ok: { type: "boolean" },
      tags: { type: "array", items: { type: "string", enum: ["x", "y", "z"] }, minItems: 1, maxItems: 2 },
    },
    ["where", "people"],
  );
  const good = { where: '"g"', people: " 4 " };

  test("has the values of its fields, with their types, and leaves empty ones out", () => {
    expect(formAnswerOf(room, typed(good))).toEqual({
      ok: true,
      value: { kind: "formAnswer", content: { where: "g", people: 4, ok: false } },
    });
    const all = {
      note: "a\r\nb",
      code: "AB",
      mail: "a@b.example",
      link: "https://a.example/",
      day: "2026-11-25",
      at: "2026-11-25T14:30:00Z",
    };
    const more = { ...good, ...all, price: "-1.5e2", ok: "on", "tags~.0": "on", "tags~.2": "on" };
    expect(formAnswerOf(room, typed(more))).toMatchObject({
      value: { content: { ...all, note: "a\nb", price: -150, ok: true, tags: ["x", "z"] } },
    });
  });

  test.each<[string, Record<string, string>, string, object]>([
    ["a required choice that is missing", { where: "" }, "where", { kind: "missing" }],
    ["a choice that is not offered", { where: '"h"' }, "where", { kind: "notOffered" }],
    ["a value in place of a choice", { where: "g" }, "where", { kind: "notOffered" }],
    ["a required number that is missing", { people: " " }, "people", { kind: "missing" }],
    ["no number", { people: "four" }, "people", { kind: "wrongType", types: ["integer"] }],
    ["no number of decimal digits", { people: "0x4" }, "people", { kind: "wrongType", types: ["integer"] }],
    ["no whole number", { people: "4.5" }, "people", { kind: "wrongType", types: ["integer"] }],
    ["a number that JSON would round", { people: "9007199254740993" }, "people", { kind: "wrongType", types: ["integer"] }],
    ["a number below", { people: "0" }, "people", { kind: "tooSmall", limit: 1 }],
    ["a number above", { people: "13" }, "people", { kind: "tooLarge", limit: 12 }],
    ["a text that is too short", { note: "a" }, "note", { kind: "tooShort", limit: 2 }],
    ["a text that is too long", { note: "abcdef" }, "note", { kind: "tooLong", limit: 5 }],
    ["a text beside its pattern", { code: "abc" }, "code", { kind: "noMatch" }],
    ["no email address", { mail: "a" }, "mail", { kind: "notOfFormat", format: "email" }],
    ["no address", { link: "a b" }, "link", { kind: "notOfFormat", format: "uri" }],
    ["no date", { day: "2026-02-30" }, "day", { kind: "notOfFormat", format: "date" }],
    ["no time", { at: "2026-11-25 14:30" }, "at", { kind: "notOfFormat", format: "date-time" }],
    ["too many of a list", { "tags~.0": "on", "tags~.1": "on", "tags~.2": "on" }, "tags", { kind: "tooMany", limit: 2 }],
  ])("with %s is refused, at its field", (_, wrong, name, fault) => {
    expect(formAnswerOf(room, typed({ ...good, ...wrong }))).toEqual({ ok: false, error: [{ field: `/content/${name}`, fault }] });
  });

  test("with a field that the form does not have is refused", () => {
    expect(formAnswerOf(room, typed({ ...good, other: "x" })).ok).toBe(false);
  });

  test("with too few of a required list is refused", () => {
    const list = formOf({ tags: { type: "array", items: { type: "string", enum: ["x", "y"] }, minItems: 2 } }, ["tags"]);
    expect(formAnswerOf(list, typed({ "tags~.0": "on" }))).toMatchObject({ error: [{ fault: { kind: "tooFew", limit: 2 } }] });
  });

  test("says everything that is wrong at once", () => {
    const wrong = formAnswerOf(room, typed({ people: "0", note: "a" }));
    expect(!wrong.ok && wrong.error.map(({ field }) => field)).toEqual(["/content/where", "/content/people", "/content/note"]);
  });

  test("that was given is shown as it was typed", () => {
    const fields = fieldsOfForm(room);
    const given = typed({ where: '"g"', people: "4", note: "abc", ok: "on", "tags~.1": "on" });
    const answer = formAnswerOf(room, given);
    expect(answer.ok && typedOf(fields, answer.value.content)).toEqual(given);
    const tags = fields.find(({ name }) => name === "tags");
    if (tags === undefined) throw new Error("no such field");
    expect([0, 1, 2].map((i) => isChecked(given, boxControl(tags, i)))).toEqual([false, true, false]);
  });

  test("to an address is empty, whatever is sent with it", () => {
    expect(formAnswerOf({ schema: {}, url: "https://a.example/" }, typed({ a: "b" }))).toEqual({
      ok: true,
      value: { kind: "formAnswer", content: {} },
    });
  });

  test("to a pattern of a bomb takes no longer than any other", () => {
    const bomb = formOf({ text: { type: "string", pattern: "^(a+)+$" } });
    const begun = performance.now();
    expect(formAnswerOf(bomb, typed({ text: `${"a".repeat(5_000)}!` })).ok).toBe(false);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

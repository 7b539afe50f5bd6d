// Fields by a JSON Schema, and what is read back from them: nothing of a value is lost, what nobody
// touched keeps its bytes, and an error stands beside its field.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/encoding.ts";
import { readSchema } from "../../../shared/json-schema/read-schema.ts";
import type { ReadySchema } from "../../../shared/json-schema/schema-node.ts";
import { type Typed, outControl } from "../../../shared/json-schema/field-controls.ts";
import { type SchemaField, boundsOf, shownIn } from "../../../shared/json-schema/schema-field.ts";
import { fieldOf } from "../../../shared/json-schema/schema-fields.ts";
import { controlsOf, readTyped } from "../../../shared/review/typed-fields.ts";
import { leavesOf, submitted } from "./filled-form.ts";

function ready(schema: object): ReadySchema {
  const read = readSchema(schema, "");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

const formOf = (schema: object, json?: string, typed?: Typed): SchemaField =>
  fieldOf({ schema: ready(schema), given: schema as JsonObject, json, at: "/arguments", ...(typed === undefined ? {} : { typed }) });

const leafAt = (field: SchemaField, pointer: string): SchemaField => {
  const found = leavesOf(field).find((each) => each.pointer === pointer);
  if (found === undefined)
    throw new Error(
      `no field at ${pointer}: ${leavesOf(field)
        .map((each) => each.pointer)
        .join(", ")}`,
    );
  return found;
};

/** The value with some controls filled in otherwise, through the form that shows what was typed. */
function typing(schema: object, json: string | undefined, more: Readonly<Record<string, string>>): ReturnType<typeof readTyped> {
  const typed = new Map([
    ...submitted(formOf(schema, json)),
    ...Object.entries(more).map(([pointer, text]) => [`/arguments${pointer}`, text] as const),
  ]);
  return readTyped(ready(schema), formOf(schema, json, typed), typed);
}

const jsonOf = (read: ReturnType<typeof readTyped>): string | undefined => {
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
};
const faultsOf = (read: ReturnType<typeof readTyped>) =>
  read.ok ? [] : read.error.map(({ pointer, fault }) => [pointer.slice("/arguments".length), fault.kind]);

type Sample = { readonly schema: object; readonly json: string };
const space = fc.constantFrom("", " ", "\n\t");
const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.constantFrom("1.0", "1e3", "-0", "0.10", "12345678901234567890.5"),
);
const sample = fc.letrec<{ any: Sample; leaf: Sample; object: Sample; list: Sample }>((tie) => ({
  leaf: fc.oneof(
    fc.string({ unit: "binary" }).map((value) => ({ schema: { type: "string" }, json: JSON.stringify(value.toWellFormed()) })),
    fc.constantFrom('"a\\r\\nb\\r\\nc"', '"a\\nb\\r"', '"\\u0000\\u00e9"').map((json) => ({ schema: { type: "string" }, json })),
    number.map((json) => ({ schema: { type: "number" }, json })),
    fc.constantFrom("true", "false").map((json) => ({ schema: { type: "boolean" }, json })),
    fc.constantFrom("null", '"x"').map((json) => ({ schema: { anyOf: [{ type: "string" }, { type: "null" }] }, json })),
    fc.constantFrom("1", '"b"', "null").map((json) => ({ schema: { enum: [1, "b", null] }, json })),
    fc.constantFrom("[]", '["b", "a"]', '["a"]').map((json) => ({ schema: { type: "array", items: { enum: ["a", "b"] } }, json })),
    fc.tuple(number, space).map(([n, s]) => ({ schema: {}, json: `[${s}${n},${s}{"a":${s}${n}}]` })),
    fc.jsonValue({ maxDepth: 2 }).map((value) => ({ schema: true as unknown as object, json: JSON.stringify(value) })),
  ),
  list: fc.tuple(fc.array(tie("any"), { maxLength: 3 }), space).map(([items, s]) => ({
    schema: { type: "array", items: { anyOf: items.length === 0 ? [true] : items.map(({ schema }) => schema) } },
    json: `[${items.map(({ json }) => s + json).join(",")}${s}]`,
  })),
  object: fc
    .tuple(
      fc.dictionary(
        fc.string().filter((name) => name !== "__proto__"),
        fc.tuple(tie("any"), fc.boolean(), fc.boolean()),
      ),
      space,
    )
    .map(([members, s]) => {
      const all = Object.entries(members);
      return {
        schema: {
          type: "object",
          properties: Object.fromEntries(all.filter(([, [, isKnown]]) => isKnown).map(([name, [{ schema }]]) => [name, schema])),
        },
        json: `{${all
          .filter(([, [, isKnown, isThere]]) => isThere || !isKnown)
          .map(([name, [{ json }]]) => `${s}${JSON.stringify(name)}${s}:${json}`)
          .join(",")}${s}}`,
      };
    }),
  any: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("list"), tie("object")),
}));

describe("any value that its schema allows", () => {
  test("comes back from its form untouched, byte for byte", () => {
    fc.assert(
      fc.property(sample.object, ({ schema, json }) => {
        const form = formOf(schema, json);
        const sent = submitted(form);
        expect(jsonOf(readTyped(ready(schema), formOf(schema, json, sent), sent))).toBe(json);
        expect(new Set([...sent.keys()].filter((name) => !name.includes("~."))).size).toBe(leavesOf(form).length);
        for (const name of sent.keys()) expect(controlsOf(form)).toContain(name);
      }),
      { numRuns: 300 },
    );
  });

  test("keeps the bytes of everything but the one field that is changed", () => {
    fc.assert(
      fc.property(sample.object, fc.string(), ({ schema, json }, text) => {
        const wider = { type: "object", properties: { ours: { type: "string" }, theirs: schema } };
        const read = jsonOf(typing(wider, `{"theirs":${json},"ours":""}`, { "/ours": `x${text}` }));
        expect(read).toBe(`{"theirs":${json},"ours":${JSON.stringify(`x${text}`.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\ufffd"))}}`);
      }),
    );
  });
});

const issue = {
  type: "object",
  required: ["owner", "labels"],
  properties: {
    owner: { type: "string", title: "Owner", description: "Of the repository", minLength: 1 },
    number: { type: "integer", minimum: 1, maximum: 9 },
    force: { type: "boolean" },
    state: { oneOf: [{ const: "open", title: "Still open" }, { const: "closed" }] },
    labels: { type: "array", items: { type: "string" }, maxItems: 3 },
    assignee: { $ref: "#/$defs/person" },
    team: { type: "array", items: { $ref: "#/$defs/person" } },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    env: { type: "object", additionalProperties: { type: "string" } },
  },
  additionalProperties: false,
  $defs: {
    person: { type: "object", required: ["name"], properties: { name: { type: "string" }, boss: { $ref: "#/$defs/person" } } },
  },
};
const given = '{"labels":["a","b"],"owner":"acme","number":2.0}';

describe("the fields", () => {
  test("stand in the order of the value, and then those of what is absent", () => {
    const form = formOf(issue, given);
    expect(form.kind === "object" && form.members.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ["labels", "list", true],
      ["owner", "text", true],
      ["number", "number", false],
      ["force", "choice", false],
      ["state", "choice", false],
      ["assignee", "object", false],
      ["team", "list", false],
      ["note", "text", false],
      ["env", "json", false],
    ]);
    expect(leafAt(form, "/arguments/owner")).toMatchObject({ title: "Owner", description: "Of the repository", rules: { minLength: 1 } });
    expect(leafAt(form, "/arguments/state")).toMatchObject({
      options: [
        { json: '"open"', label: "Still open" },
        { json: '"closed"', label: "closed" },
      ],
    });
    expect(shownIn(leafAt(form, "/arguments/number"))).toBe("2.0");
    expect(leafAt(form, "/arguments/assignee/boss").kind).toBe("json");
  });

  test.each<[string, object, string, string]>([
    ["text where the value is no text", { type: "string" }, "7", "json"],
    ["nothing that a schema of several types says", { type: ["string", "object"] }, "[1]", "json"],
    ["the one of several types that the value is of", { type: ["string", "integer"] }, "7", "number"],
    ["the alternative that the value fits", { anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] }, "[1]", "list"],
    ["a choice that shows a value that it does not offer", { enum: ["a"] }, '"b"', "choice"],
    ["a list of a fixed shape as JSON", { type: "array", prefixItems: [{ type: "string" }] }, '["a"]', "json"],
    ["a list of more than fifty as JSON", { type: "array", items: { type: "number" } }, JSON.stringify(Array(51).fill(1)), "json"],
    ["choices where each is offered", { type: "array", items: { anyOf: [{ const: 1, title: "one" }, { const: 2 }] } }, "[2]", "choices"],
    ["a list where one is not", { type: "array", items: { enum: [1, 2] } }, "[3]", "list"],
    ["titles of an enum", { enum: ["a"], enumNames: ["An A"] }, '"a"', "choice"],
    ["what an object does not name", {}, "{}", "json"],
    ["a text of no type as a text", { description: "anything" }, '"7"', "text"],
    ["the only value that a const allows as a choice", { type: "string", const: "find", title: "Operation" }, '"find"', "choice"],
    ["an enum of no values by its type", { type: "string", enum: [] }, '"a"', "text"],
  ])("say %s", (_name, schema, json, kind) => {
    const form = formOf({ type: "object", properties: { x: schema } }, `{"x":${json},"other":${json}}`);
    const [field, other] = form.kind === "object" ? form.members : [];
    // What no schema describes is JSON text, unless it is a text already.
    const drawn = field?.kind === "union" ? field.inner : field;
    expect([drawn?.kind, other?.kind]).toEqual([kind, json.startsWith('"') ? "text" : "json"]);
    expect(field?.source).toBe(json);
  });

  test("of members that no property names are by the pattern that their names match", () => {
    const schema = { type: "object", properties: { x: {} }, patternProperties: { "^n_": { type: "number" } }, additionalProperties: false };
    const form = formOf(schema, '{"n_a":1,"x":2}');
    expect(form.kind === "object" && form.members.map(({ name, kind }) => [name, kind])).toEqual([
      ["n_a", "number"],
      ["x", "json"],
    ]);
  });

  test.each<[string, object, string, object]>([
    ["of a number", { type: "number", minimum: 0, maximum: 9 }, "1", { min: 0, max: 9 }],
    ["of a whole number above another", { type: "integer", exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER }, "1", { min: 1 }],
    ["of a text", { type: "string", minLength: 1, maxLength: 5 }, '"a"', { max: 5 }],
  ])("have the bounds %s that tell something", (_name, schema, json, bounds) => {
    const form = formOf({ type: "object", properties: { x: schema } }, `{"x":${json}}`);
    expect(JSON.parse(JSON.stringify(boundsOf(leafAt(form, "/arguments/x"))))).toEqual(bounds);
  });

  test("of a schema that has itself inside have an end, and so have those of a very wide one", () => {
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`m${i}`, { $ref: "#" }]));
    expect(leavesOf(formOf({ type: "object", properties: wide })).length).toBe(30);
    const deep = { type: "object", properties: { a: { type: "array", items: { type: "object", properties: wide } } } };
    expect(leavesOf(formOf(deep, '{"a":[{},{}]}')).length).toBeLessThan(1_000);
  });
});

describe("what is typed", () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["a text", { "/owner": "other" }, '{"labels":["a","b"],"owner":"other","number":2.0}'],
    ["a number, as it is written", { "/number": " 3 " }, '{"labels":["a","b"],"owner":"acme","number":3}'],
    ["a choice of two that was absent", { "/force": "false" }, given.replace("}", ',"force":false}')],
    ["an item that is added", { "/labels/2": "c" }, given.replace('"b"]', '"b","c"]')],
    ["an item that is removed", { "/labels/0~.out": "on" }, given.replace('"a",', "")],
    ["a list that is emptied", { "/labels/0~.out": "on", "/labels/1~.out": "on" }, given.replace('["a","b"]', "[]")],
    ["a number that is emptied", { "/number": "" }, '{"labels":["a","b"],"owner":"acme"}'],
    ["an object that was absent", { "/assignee/name": "Bo" }, given.replace("}", ',"assignee":{"name":"Bo"}}')],
    ["an item with members", { "/team/0/name": "Bo" }, given.replace("}", ',"team":[{"name":"Bo"}]}')],
    ["JSON text", { "/env": '{ "A": "1",\n "N": "2" }' }, given.replace("}", ',"env":{"A":"1","N":"2"}}')],
  ])("is %s, and nothing else changes", (_name, more, json) => {
    expect(jsonOf(typing(issue, given, more))).toBe(json);
  });

  test("into a blank form makes the value", () => {
    const more = { "/owner": "a", "/labels/0": "x", "/labels/1": "y", "/assignee/name": "Bo", "/state": '"open"', "/note": "n" };
    expect(jsonOf(typing(issue, undefined, more))).toBe(
      '{"owner":"a","state":"open","labels":["x","y"],"assignee":{"name":"Bo"},"note":"n"}',
    );
  });

  test("as boxes keeps the order of those that stay", () => {
    const schema = { type: "object", properties: { of: { type: "array", items: { enum: ["a", "b", "c"] } } } };
    expect(jsonOf(typing(schema, '{"of":["c","b"]}', { "/of~.0": "on" }))).toBe('{"of":["c","b","a"]}');
    const only = new Map([
      ["/arguments/of", ""],
      ["/arguments/of~.1", "on"],
    ]);
    expect(jsonOf(readTyped(ready(schema), formOf(schema, '{"of":["c","b"]}'), only))).toBe('{"of":["b"]}');
  });

  test("makes a value that may be null null, where it cannot be left out", () => {
    const schema = { type: "object", required: ["x"], properties: { x: { type: ["string", "null"] } } };
    expect(jsonOf(typing(schema, '{"x":"a"}', { "/x~.out": "on" }))).toBe('{"x":null}');
    expect(outControl(leafAt(formOf(schema, '{"x":"a"}'), "/arguments/x"))).toBe("/arguments/x~.out");
  });

  test.each<[string, Readonly<Record<string, string>>, unknown]>([
    ["no number", { "/number": "four" }, [["/number", "wrongType"]]],
    ["out of bounds", { "/number": "10" }, [["/number", "tooLarge"]]],
    ["nothing that is offered", { "/force": '"yes"' }, [["/force", "notOffered"]]],
    ["no JSON", { "/env": "{" }, [["/env", "notJson"]]],
    ["a member twice", { "/env": '{"A":"1","A":"2"}' }, [["/env", "repeatedMember"]]],
    ["what no value can carry", { "/env": '{"A":"\\ud800"}' }, [["/env", "jsonRule"]]],
    ["wrong inside JSON text", { "/env": '{"A":1}' }, [["/env", "wrongType"]]],
    ["an item without what it needs", { "/team/0/boss": '{"name":"x"}' }, [["/team/0/name", "missing"]]],
    ["too many items", { "/labels/2": "c", "/labels/3": "d" }, [["/labels", "tooMany"]]],
  ])("is refused where it is %s, beside its field", (_name, more, faults) => {
    expect(faultsOf(typing(issue, given, more))).toEqual(faults);
  });

  test("has its error at its own field where an item before it is removed", () => {
    const schema = { type: "object", properties: { n: { type: "array", items: { type: "number", maximum: 5 } } } };
    expect(faultsOf(typing(schema, '{"n":[1,2,3]}', { "/n/0~.out": "on", "/n/2": "9" }))).toEqual([["/n/2", "tooLarge"]]);
  });

  test("is not refused for what was wrong before it, unless that is what was typed", () => {
    expect(jsonOf(typing(issue, '{"owner":"acme","other":1}', { "/owner": "a" }))).toBe('{"owner":"a","other":1}');
    expect(faultsOf(typing(issue, '{"owner":"acme","number":10,"labels":[]}', { "/number": "11" }))).toEqual([["/number", "tooLarge"]]);
  });
});

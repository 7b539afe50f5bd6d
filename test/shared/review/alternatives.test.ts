// A value of one of several schemas: the fields of the alternative that it is of, those of another
// one that a reviewer chooses, and what is read back from them.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ToolCall, argumentsJsonOf, argumentsOf } from "../../../shared/model/subject/tool-call.ts";
import { type Typed, areDrawn } from "../../../shared/json-schema/field-controls.ts";
import type { SchemaField } from "../../../shared/json-schema/schema-field.ts";
import { argumentFields, argumentTexts, editedCall } from "../../../shared/review/call-fields.ts";
import { changesBetween } from "../../../shared/review/difference.ts";
import { changedRequest } from "../../../shared/review/changes.ts";
import { submitted, unionsOf } from "./filled-form.ts";

const callOf = (inputSchema: object, json: string): ToolCall => ({
  kind: "toolCall",
  server: "s",
  tool: "t",
  ...argumentsOf(json),
  definition: { inputSchema: inputSchema as NonNullable<ToolCall["definition"]>["inputSchema"] & object },
});

const fieldsOf = (call: ToolCall, typed?: Typed): SchemaField => {
  const fields = argumentFields(call, typed);
  if (fields === null) throw new Error("a schema that cannot be read");
  return fields.field;
};

/** What a reviewer sends who chooses step by step, each on the page of the one before. */
function filled(call: ToolCall, ...steps: readonly Readonly<Record<string, string>>[]): Map<string, string> {
  let sent = new Map<string, string>(submitted(fieldsOf(call)));
  for (const step of steps) {
    const typed = new Map([...sent, ...Object.entries(step).map(([at, text]) => [`/arguments${at}`, text] as const)]);
    sent = new Map([...submitted(fieldsOf(call, typed)), ...[...typed].filter(([name]) => !name.endsWith("~.drawn"))]);
    for (const name of sent.keys()) if (![...submitted(fieldsOf(call, typed)).keys()].includes(name)) sent.delete(name);
  }
  return sent;
}

const edited = (call: ToolCall, typed: Typed): string | readonly unknown[] => {
  const read = editedCall(call, typed);
  return read.ok ? argumentsJsonOf(read.value) : read.error.map(({ field, fault }) => [field.slice("/arguments".length), fault.kind]);
};

const notify = {
  type: "object",
  required: ["to"],
  properties: {
    note: { type: "string" },
    to: {
      oneOf: [
        {
          type: "object",
          title: "Email",
          required: ["kind", "address"],
          properties: { kind: { const: "email" }, address: { type: "string" }, body: { type: "string" } },
          additionalProperties: false,
        },
        {
          type: "object",
          required: ["kind", "number"],
          properties: {
            kind: { const: "sms" },
            number: { type: "integer" },
            body: { type: "string", maxLength: 9 },
            parts: { type: "integer", default: 1 },
          },
          additionalProperties: false,
        },
        { $ref: "#/$defs/web" },
      ],
    },
  },
  $defs: {
    web: {
      type: "object",
      required: ["kind", "auth"],
      properties: {
        kind: { const: "web" },
        auth: { anyOf: [{ type: "string" }, { type: "object", required: ["user"], properties: { user: { type: "string" } } }] },
      },
      additionalProperties: false,
    },
  },
};
const mail = '{"note":"n","to":{"kind":"email", "address":"a@b","body":"hello"}}';

describe("a value of several schemas", () => {
  test("has the fields of the one that it is of, and says which others there are", () => {
    const [union] = unionsOf(fieldsOf(callOf(notify, mail)));
    expect(union).toMatchObject({ pointer: "/arguments/to", was: 0, chosen: 0, inner: { kind: "object", pointer: "/arguments/to" } });
    expect(union?.alternatives.map(({ title, fixed }) => [title, fixed.get("kind")])).toEqual([
      ["Email", "email"],
      [undefined, "sms"],
      [undefined, "web"],
    ]);
  });

  test.each<[string, object, string, number | null]>([
    ["types", { type: ["string", "integer", "null"] }, "7", 1],
    ["types, as null", { type: ["string", "integer", "null"] }, "null", 2],
    ["what describes most of it", { anyOf: [{ properties: { a: {} } }, { properties: { b: {}, c: {} } }] }, '{"b":1,"c":2}', 1],
    ["what is inside others", { oneOf: [{ type: "string" }, { anyOf: [{ type: "number" }, { type: "array" }] }] }, "[]", 2],
    [
      "what is beside common members",
      { type: "object", properties: { a: {} }, oneOf: [{ properties: { k: { const: 1 } } }, { properties: { k: { const: 2 } } }] },
      '{"a":0,"k":2}',
      1,
    ],
    ["a fixed member, where it fits none", notify.properties.to, '{"kind":"sms","number":"x"}', 1],
    ["none of them", { anyOf: [{ type: "number" }, { type: "string" }] }, "[1]", null],
  ])("is of %s", (_name, schema, json, was) => {
    const [union] = unionsOf(fieldsOf(callOf({ type: "object", properties: { x: schema }, $defs: notify.$defs }, `{"x":${json}}`)));
    expect(union?.was).toBe(was);
  });

  test.each<[string, object]>([
    ["one schema or null", { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["what must be there", { type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
    ["rules of one text", { type: "string", anyOf: [{ format: "email" }, { pattern: "^x" }] }],
    ["values alone", { oneOf: [{ const: "a" }, { const: "b" }] }],
    ["more than a person chooses from", { anyOf: Array.from({ length: 41 }, (_, i) => ({ type: "string", maxLength: i })) }],
    ["what doubles at every step", { $ref: "#/$defs/d0" }],
  ])("is no choice between %s", (_name, schema) => {
    const doubling = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`d${i}`, { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]),
    );
    const inputSchema = { type: "object", properties: { x: schema }, $defs: { ...doubling, d20: { type: "string" } } };
    expect(unionsOf(fieldsOf(callOf(inputSchema, '{"x":"a"}')))).toEqual([]);
  });
});

describe("another alternative", () => {
  test("begins with its fixed members, what it takes over, and its defaults", () => {
    const call = callOf(notify, mail);
    expect(edited(call, filled(call, { "/to~.as": "1" }, { "/to~.as1/number": "5" }))).toBe(
      '{"note":"n","to":{"kind":"sms","body":"hello","parts":1,"number":5}}',
    );
  });

  test("is one change, of the whole value", () => {
    const call = callOf(notify, mail);
    const edits = filled(call, { "/to~.as": "1" }, { "/to~.as1/number": "5", "/to~.as1/parts": "3" });
    const changed = changedRequest({ request: call, models: [] }, { edits });
    expect(changed.ok && changed.value.changes.map(({ path }) => path)).toEqual(["/arguments/to"]);
  });

  test("is what came, byte for byte, where the first one is chosen again", () => {
    const call = callOf(notify, mail);
    expect(edited(call, filled(call, { "/to~.as": "1" }, { "/to~.as1/number": "5" }, { "/to~.as": "0" }))).toBe(argumentsJsonOf(call));
  });

  test("may have another one inside it", () => {
    const call = callOf(notify, mail);
    const steps = [{ "/to~.as": "2" }, { "/to~.as2/auth~.as": "1" }, { "/to~.as2/auth~.as1/user": "ann" }];
    expect(edited(call, filled(call, ...steps))).toBe('{"note":"n","to":{"kind":"web","auth":{"user":"ann"}}}');
  });

  test("is of the whole of the arguments, whose common members stay", () => {
    const schema = {
      type: "object",
      required: ["id"],
      properties: { id: { type: "integer" } },
      oneOf: [
        { properties: { by: { type: "string" } }, required: ["by"] },
        { properties: { at: { type: "number" } }, required: ["at"] },
      ],
    };
    const call = callOf(schema, '{"id":90071992547409931,"by":"me"}');
    const edits = filled(call, { "~.as": "1" }, { "~.as1/at": "2" });
    expect(edited(call, edits)).toBe('{"id":90071992547409931,"at":2}');
    const changed = changedRequest({ request: call, models: [] }, { edits });
    expect(changed.ok && changed.value.changes.map(({ path }) => path)).toEqual(["/arguments"]);
  });

  test("makes a member that was absent, and an item that is added", () => {
    const schema = {
      type: "object",
      properties: { x: { type: ["string", "array"], items: { type: ["integer", "boolean"] } } },
    };
    const absent = callOf(schema, "{}");
    expect(edited(absent, filled(absent, { "/x~.as": "0" }, { "/x~.as0": "text" }))).toBe('{"x":"text"}');
    const list = callOf(schema, '{"x":[1]}');
    expect(edited(list, filled(list, { "/x/1~.as": "1" }, { "/x/1~.as1": "true" }))).toBe('{"x":[1,true]}');
  });

  test.each<[string, readonly Readonly<Record<string, string>>[], unknown]>([
    ["lacks a member that it must have", [{ "/to~.as": "1" }], [["/to~.as1/number", "missing"]]],
    [
      "has one that breaks its rule",
      [{ "/to~.as": "1" }, { "/to~.as1/number": "1", "/to~.as1/body": "longer than nine" }],
      [["/to~.as1/body", "tooLong"]],
    ],
    ["has nothing in it", [{ "/to~.as": "2" }, { "/to~.as2/auth~.as": "1" }], [["/to~.as2/auth~.as1/user", "missing"]]],
    ["is none that there is", [{ "/to~.as": "3" }], [["/to", "notOffered"]]],
    ["stays the first and breaks its rule", [{ "/to/address~.out": "" }, { "/to/kind": '"sms"' }], [["/to/kind", "notOffered"]]],
  ])("is refused at its field where it %s", (_name, steps, errors) => {
    const call = callOf(notify, mail);
    expect(edited(call, filled(call, ...steps))).toEqual(errors);
  });

  test("is refused for what it breaks, also where the value was wrong before", () => {
    const broken = callOf(notify, '{"to":{"kind":"email"}}');
    expect(edited(broken, filled(broken, { "/note": "n" }))).toBe('{"to":{"kind":"email"},"note":"n"}');
    expect(edited(broken, filled(broken, { "/to~.as": "1" }, { "/to~.as1/number": "x" }))).toEqual([["/to~.as1/number", "wrongType"]]);
    const none = callOf(notify, '{"to":{}}');
    expect(edited(none, filled(none, { "/to~.as": "1" }))).toEqual([["/to~.as1/number", "missing"]]);
  });

  test("is not what the page had where its fields were not drawn", () => {
    const call = callOf(notify, mail);
    const sent = new Map([...submitted(fieldsOf(call)), ["/arguments/to~.as", "1"]]);
    expect(areDrawn(sent)).toBe(false);
    expect(areDrawn(filled(call, { "/to~.as": "1" }))).toBe(true);
    // What was typed for the alternative before is left over, and does not count.
    expect(edited(call, sent)).toEqual([["/to~.as1/number", "missing"]]);
  });

  test("is refused with a control that no alternative has", () => {
    const call = callOf(notify, mail);
    expect(edited(call, new Map([["/arguments/tox", "1"]]))).toEqual([["", "unknownField"]]);
  });

  test("is always what is shown: the text of the change is the JSON that is sent", () => {
    const schema = { type: "object", properties: { x: notify.properties.to }, $defs: notify.$defs };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 2 }), fc.string(), (from, to, text) => {
        const values = [
          { kind: "email", address: text, body: text },
          { kind: "sms", number: 1, body: text.slice(0, 4) },
          { kind: "web", auth: text },
        ];
        const call = callOf(schema, JSON.stringify({ x: values[from] }));
        const at = from === to ? "/x" : `/x~.as${to}`;
        const more = [
          { [`${at}/address`]: `${text}!` },
          { [`${at}/number`]: "8" },
          to === from ? { "/x/auth": `${text}!` } : { [`${at}/auth~.as`]: "0", [`${at}/auth~.as0`]: `${text}!` },
        ][to];
        const read = editedCall(
          call,
          filled(call, { "/x~.as": String(to) }, to === 2 && from !== 2 ? { [`${at}/auth~.as`]: "0" } : {}, more ?? {}),
        );
        if (!read.ok) throw new Error(JSON.stringify(read.error));
        const [change, ...others] = changesBetween(call, read.value);
        const value = (JSON.parse(argumentsJsonOf(read.value)) as { x: object }).x; // what was made
        expect(others).toEqual([]);
        if (from === to) return;
        expect(change?.path).toBe("/arguments/x");
        expect(JSON.parse(argumentTexts(read.value, call).get("/arguments/x") ?? "")).toEqual(value);
      }),
      { numRuns: 100 },
    );
  });
});

import * as fc from "fast-check";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import { type FieldValues, box, changedBy, fieldAt, fieldsIn, membersOf, valuesOf } from "../../../shared/json/form-fields.ts";
import type { JsonObject } from "../../../shared/json-types.ts";

const schema = z.strictObject({
  url: z.string(),
  note: z.string().nullable().default(null),
  usd: z.number().optional(),
  tokens: z.int().default(5),
  isOn: z.boolean().default(true),
  isOld: z.boolean().optional(),
  kind: z.enum(["a", "b"]).default("a"),
  level: z.enum(["low", "high"]).nullable().default(null),
  scopes: z.array(z.enum(["x", "y"])).default(["x"]),
  list: z.array(z.string()).default([]),
  headers: z.record(z.string(), z.string()).default({}),
  price: z.strictObject({ input: z.number(), output: z.number().optional() }),
  limits: z.strictObject({ most: z.int(), above: z.strictObject({ from: z.int() }).optional() }).optional(),
});
const members = membersOf(schema);

const word = fc.constantFrom("one", "two words", "x:y");
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const whole = fc.record(
  {
    url: word,
    note: fc.option(word),
    usd: number,
    tokens: fc.nat(),
    isOn: fc.boolean(),
    isOld: fc.boolean(),
    kind: fc.constantFrom("a", "b"),
    level: fc.constantFrom(null, "low", "high"),
    scopes: fc.subarray(["x", "y"]),
    list: fc.array(word, { minLength: 1 }),
    headers: fc.dictionary(fc.constantFrom("X-A", "b"), word, { minKeys: 1 }),
    price: fc.record({ input: number, output: number }, { requiredKeys: ["input"] }),
    limits: fc.record({ most: fc.nat(), above: fc.record({ from: fc.nat() }) }, { requiredKeys: ["most"] }),
    later: fc.constant({ a: [1] }),
  },
  { requiredKeys: ["url", "price"] },
) as fc.Arbitrary<JsonObject>;

/** What a browser sends of a form with these values: boxes that are not checked are not in it. */
const sent = (values: FieldValues): FieldValues => Object.fromEntries(Object.entries(values).filter(([, texts]) => texts.length > 0));

describe("an object in a form", () => {
  test("has a field for every member, and each kind by its schema", () => {
    expect(fieldsIn(members).map(({ name, kind, isRequired, options }) => [name, kind, isRequired, options.join()])).toEqual([
      ["url", "text", true, ""],
      ["note", "text", false, ""],
      ["usd", "number", false, ""],
      ["tokens", "whole", false, ""],
      ["isOn", "box", false, ""],
      ["isOld", "choice", false, ",yes,no"],
      ["kind", "choice", false, "a,b"],
      ["level", "choice", false, ",low,high"],
      ["scopes", "boxes", false, "x,y"],
      ["list", "lines", false, ""],
      ["headers", "pairs", false, ""],
      ["price-input", "number", true, ""],
      ["price-output", "number", false, ""],
      ["limits-most", "whole", false, ""],
      ["limits-above-from", "whole", false, ""],
    ]);
  });

  test("that is sent back unchanged is unchanged, with what it leaves out and what no field says", () => {
    fc.assert(
      fc.property(whole, (object) => {
        expect(changedBy(members, object, sent(valuesOf(members, object)))).toEqual(object);
      }),
    );
  });

  test("becomes any other one by its fields", () => {
    fc.assert(
      fc.property(whole, whole, ({ later: _later, ...one }, { later: _other, ...other }) => {
        const changed = changedBy(members, one, sent(valuesOf(members, other)));
        expect(schema.parse(changed)).toEqual(schema.parse(other));
      }),
    );
  });

  test("keeps what cannot be read for the check of the schema, and shows it again", () => {
    const typed = { usd: ["five"], tokens: ["1.5"], headers: ["no colon"], "limits-above-from": ["x"] };
    const object = changedBy(members, {}, typed);
    expect(object).toMatchObject({ usd: "five", tokens: 1.5, headers: "no colon", limits: { above: { from: "x" } } });
    expect(valuesOf(members, object)).toMatchObject(typed);
  });

  test("leaves out a member whose fields are emptied, and no member that is required", () => {
    const object = { url: "u", list: ["a"], limits: { most: 1 }, price: { input: 1 } };
    expect(changedBy(members, object, { isOn: ["yes"], kind: ["a"], tokens: ["5"], scopes: ["x"] })).toEqual({ price: {} });
  });

  test("has codecs of its own in the place of the schema's, and no field where there is none", () => {
    const own = membersOf(schema, { kind: box("b", "a"), limits: null });
    expect(fieldsIn(own).map(({ name }) => name)).not.toContain("limits-most");
    expect(changedBy(own, { limits: { most: 1 } }, { kind: ["yes"] })).toMatchObject({ kind: "b", limits: { most: 1 } });
  });

  test("finds the field of a place in it", () => {
    expect([["url"], ["list", "0"], ["price"], ["limits", "above", "from"]].map((steps) => fieldAt(members, steps)?.name)).toEqual([
      "url",
      "list",
      "price-input",
      "limits-above-from",
    ]);
    expect([[], ["constructor"], ["later"]].map((steps) => fieldAt(members, steps))).toEqual([null, null, null]);
  });
});

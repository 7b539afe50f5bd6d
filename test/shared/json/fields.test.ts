import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Field,
  anyObject,
  fits,
  flag,
  integerWithin,
  keptAfter,
  leftOut,
  list,
  number,
  object,
  oneOf,
  oneOrMore,
  optional,
  record,
  refined,
  tagged,
  text,
  withDefault,
  withEither,
} from "../../../shared/json/fields.ts";
import { MAX_ERRORS, IssueCollector } from "../../../shared/json/issue-collector.ts";

function read<T>(field: Field<T>, value: unknown) {
  const issues = new IssueCollector();
  return { value: field.read(value, "", issues), errors: issues.found, ignored: issues.ignored };
}

const even = refined(number, (value) => (value % 2 === 0 ? value / 2 : undefined), "must be even");
const circle = object({ kind: oneOf(["circle"]), radius: number });
const square = object({ kind: oneOf(["square"]), side: number, "a/b": optional(text({ max: 3 })) });
const shape = tagged("kind", { circle, square });
const drawing = object({
  shapes: oneOrMore(shape, { max: 100 }),
  scale: withDefault(1, integerWithin(1, 10)),
  title: optional(text({ min: 1 })),
  note: leftOut(text()),
  half: optional(even),
  source: optional(withEither("blob", object({ blob: text() }), object({ text: text() }))),
  layers: optional(record(list(flag))),
  as: optional(keptAfter(object({ type: oneOf(["object"]) }))),
});
const one = { kind: "circle", radius: 1 };

describe("an object", () => {
  test("has its defaults, and neither what is absent nor what is left out", () => {
    expect(read(drawing, { shapes: one, note: "n", half: 4 })).toEqual({
      value: { shapes: [one], scale: 1, half: 2 },
      errors: [],
      ignored: [],
    });
    expect(Object.keys(read(drawing, { shapes: [], title: undefined }).value)).toEqual(["shapes", "scale"]);
  });

  test("is told what is wrong with each member, also with one that is left out, and which members nobody named", () => {
    const given = { shapes: [{ kind: "square", side: "1", "a/b": "four" }, 5], note: 1, half: 3, layers: { "x~y": [1] }, more: {} };
    expect(read(drawing, given)).toMatchObject({
      errors: [
        { pointer: "/shapes/0/side", message: "must be a number" },
        { pointer: "/shapes/0/a~1b", message: "must not have more than 3 characters" },
        { pointer: "/shapes/1", message: "must be an object" },
        { pointer: "/note", message: "must be a string" },
        { pointer: "/half", message: "must be even" },
        { pointer: "/layers/x~0y/0", message: "must be true or false" },
      ],
      ignored: ["/more"],
    });
  });

  test("that is none is told as that, and nothing of its members", () => {
    for (const value of [undefined, null, [], "a"]) expect(read(drawing, value).errors).toHaveLength(1);
  });

  test("of an unknown tag is told as that, and nothing of its members", () => {
    expect(read(shape, { kind: "line" }).errors).toEqual([{ pointer: "/kind", message: "must be one of circle, square" }]);
    expect(read(shape, {}).errors).toEqual([{ pointer: "/kind", message: "is required" }]);
  });

  test("that is checked and kept has all its members", () => {
    const as = { type: "object", more: 1 };
    expect(read(drawing, { shapes: one, as }).value.as).toBe(as);
    expect(read(drawing, { shapes: one, as: { type: "array" } }).errors).toEqual([
      { pointer: "/as/type", message: "must be one of object" },
    ]);
  });
});

test("a value fits where nothing is wrong with it and no member is unknown", () => {
  expect(fits(drawing, { shapes: one, source: { blob: "b" } })).toBe(true);
  expect(fits(drawing, { shapes: one, source: { blob: "b", text: "t" } })).toBe(false);
  expect(fits(drawing, { shapes: { ...one, radius: "1" } })).toBe(false);
  expect(fits(anyObject, { anything: 1 })).toBe(true);
});

test("what is longer than its bound is not read, and no more faults are gathered than anybody wants", () => {
  expect(read(drawing, { shapes: Array.from({ length: 101 }, () => 0) }).errors).toEqual([
    { pointer: "/shapes", message: "must not have more than 100 members; this has 101" },
  ]);
  expect(
    read(
      list(shape),
      Array.from({ length: 1_000_000 }, () => 0),
    ).errors,
  ).toHaveLength(MAX_ERRORS);
});

test("reading never throws, and gives something of the right type whatever the value is", () => {
  fc.assert(
    fc.property(fc.anything({ withMap: true, withNullPrototype: true }), fc.anything(), (value, other) => {
      for (const given of [value, { shapes: value, layers: other }, { shapes: [{ kind: "circle", radius: value }], source: other }]) {
        const { shapes, scale } = read(drawing, given).value;
        expect([Array.isArray(shapes), typeof scale]).toEqual([true, "number"]);
      }
    }),
  );
});

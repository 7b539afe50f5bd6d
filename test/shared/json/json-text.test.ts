// A JSON text with the place of everything in it, and what is wrong with one that is none.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineAt, placeOf, printJson, readJsonText } from "../../../shared/json/json-text.ts";

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((inside, step) => (inside as Record<string, unknown>)[step], value);

describe("reading", () => {
  test("accepts what JSON.parse accepts, and nothing else", () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', ":", "1", " ", "\\", "\u0001", "tru", "-"))
      .map(([text, at, put]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken, fc.string()), (text) => {
        const read = readJsonText(text);
        expect(read.ok).toBe(parses(text));
        if (read.ok) expect(read.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test("knows where every value begins", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, wide) => {
        const text = wide ? JSON.stringify(value, null, 3) : printJson(value);
        const read = readJsonText(text);
        if (!read.ok) throw new Error("not read");
        for (const [pointer, at] of read.places) {
          const here = JSON.stringify(valueAt(JSON.parse(text), pointer)).charAt(0);
          const name = pointer.slice(pointer.lastIndexOf("/") + 1);
          // A member's place is that of its name.
          expect([here, JSON.stringify(name.replaceAll("~1", "/").replaceAll("~0", "~")).charAt(0)]).toContain(text.charAt(at));
        }
      }),
    );
  });

  test.each([
    ["", "value", 0],
    ['{"a": }', "value", 6],
    ["{a: 1}", "memberName", 1],
    ['{"a" 1}', "colon", 5],
    ['{"a": 1 "b": 2}', "commaOrEnd", 8],
    ["[1, 2", "commaOrEnd", 5],
    ['{"a": 1,}', "trailingComma", 7],
    ["[1, ]", "trailingComma", 2],
    ['["open', "string", 1],
    ['["a\nb"]', "string", 1],
    ["[-]", "number", 1],
    ["[01]", "commaOrEnd", 2],
    ["{} {}", "afterEnd", 3],
    ['{ // a\n"a": 1}', "comment", 2],
    ["[".repeat(10_000), "deep", 201],
  ] as const)("%j: %s at %i", (text, fault, at) => {
    expect(readJsonText(text)).toEqual({ ok: false, fault, at });
  });

  test("names members that are given twice", () => {
    expect(readJsonText('{"a": {"b": 1, "b": 2}, "a/c": 1, "a/c": 2}')).toMatchObject({ ok: true, repeated: ["/a/b", "/a~1c"] });
  });

  test("finds the line of a pointer, and of what is around one that is not there", () => {
    const text = '{\n  "rules": [\n    { "name": "a" },\n    { "name": "b" }\n  ]\n}';
    const read = readJsonText(text);
    if (!read.ok) throw new Error("not read");
    const lines = ["", "/rules", "/rules/0", "/rules/1/name", "/rules/1/missing/deep", "/gone"].map((pointer) =>
      lineAt(text, placeOf(read.places, pointer)),
    );
    expect(lines).toEqual([1, 2, 3, 4, 4, 1]);
  });
});

describe("printing", () => {
  test("keeps the value, and no line of simple values is wider than 76 characters where it can be broken", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(printJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(printJson({ a: [1, 2], b: { c: "d" }, e: [{ f: 1 }], g: [] })).toBe(
      '{\n  "a": [1, 2],\n  "b": { "c": "d" },\n  "e": [\n    { "f": 1 }\n  ],\n  "g": []\n}',
    );
    expect(printJson({ long: Array.from({ length: 30 }, () => "abc") }).split("\n")).toHaveLength(34);
  });
});

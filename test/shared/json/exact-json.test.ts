// JSON as text: what is written stays as it is written.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../shared/encoding.ts";
import { compactJson, jsonLike, prettyJson } from "../../../shared/json/exact-json.ts";

const value = fc.jsonValue().map((each) => each as Json);

describe("JSON as it is written", () => {
  test("is indented and made compact as JSON.stringify does it, where no number is rounded", () => {
    fc.assert(
      fc.property(value, (each) => {
        const json = JSON.stringify(each);
        expect(prettyJson(json)).toBe(JSON.stringify(JSON.parse(json), null, 2));
        expect(compactJson(prettyJson(json))).toBe(json);
      }),
    );
  });

  test("keeps numbers and texts letter by letter", () => {
    const json = '{"n":9007199254740993,"f":1.0,"t":"\\u00e9 \\" ,: ","l":[1e3]}';
    expect(prettyJson(json)).toBe('{\n  "n": 9007199254740993,\n  "f": 1.0,\n  "t": "\\u00e9 \\" ,: ",\n  "l": [\n    1e3\n  ]\n}');
    expect(compactJson(prettyJson(json))).toBe(json);
  });

  test("keeps what is the same beside what is changed", () => {
    const json = '{"n":9007199254740993,"a":[1.0,"x",{"b":2.0}]}';
    const changed = { n: 2 ** 53, a: [1, "y", { b: 2, c: 3 }], d: null };
    expect(jsonLike(json, changed)).toBe('{"n":9007199254740993,"a":[1.0,"y",{"b":2.0,"c":3}],"d":null}');
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(jsonLike(JSON.stringify(before), after)).toBe(JSON.stringify(after));
      }),
    );
  });
});

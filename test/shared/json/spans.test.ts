import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edited, elementsOf, memberOf, membersOf, textAt, withMembers } from "../../../shared/json/spans.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const whole = (bytes: Uint8Array) => ({ from: 0, to: bytes.length });
const space = fc.constantFrom("", " ", "\n\t", "  \r\n");

/** JSON texts with white space in odd places, beside what they parse to. */
const layouts = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, "\t"))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe("the places of values in a JSON text", () => {
  test("are those that the parser finds, for any object and array, at any depth", () => {
    fc.assert(
      fc.property(layouts, space, space, (json, before, after) => {
        const check = (bytes: Uint8Array, span: { from: number; to: number }, value: unknown): void => {
          expect(JSON.parse(textAt(bytes, span))).toEqual(value);
          if (Array.isArray(value)) {
            const elements = elementsOf(bytes, span);
            expect(elements).toHaveLength(value.length);
            value.forEach((each, at) => check(bytes, elements[at] ?? span, each));
          } else if (typeof value === "object" && value !== null) {
            expect(
              membersOf(bytes, span)
                .map(({ name }) => name)
                .toSorted(),
            ).toEqual(Object.keys(value).toSorted());
            for (const [name, each] of Object.entries(value)) check(bytes, memberOf(bytes, span, name) ?? span, each);
          }
        };
        const bytes = bytesOf(before + json + after);
        check(bytes, whole(bytes), JSON.parse(json));
      }),
    );
  });

  test("keep what a parser would lose: long numbers, escapes, the last of two equal names", () => {
    const bytes = bytesOf(' { "id" : 12345678901234567890 , "n":1.0e2,"s":"a\\u0022}]\\\\" , "id":98765432109876543210}\n');
    const text = (name: string): string => textAt(bytes, memberOf(bytes, whole(bytes), name) ?? { from: 0, to: 0 });
    expect([text("id"), text("n"), text("s")]).toEqual(["98765432109876543210", "1.0e2", '"a\\u0022}]\\\\"']);
  });

  test("find a name however it is escaped, and none in a value that is no object", () => {
    const bytes = bytesOf('{"\\u0069d":1}');
    expect(memberOf(bytes, whole(bytes), "id")).toEqual({ name: "id", from: 11, to: 12 });
    for (const other of ["[1]", '"{}"', "7", "null"]) expect(membersOf(bytesOf(other), whole(bytesOf(other)))).toEqual([]);
    expect(elementsOf(bytesOf("{}"), { from: 0, to: 2 })).toEqual([]);
  });

  test("are found in a text that nests a hundred thousand deep", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const bytes = bytesOf(`{"a":${deep},"b":1}`);
    expect(memberOf(bytes, whole(bytes), "b")).toMatchObject({ from: bytes.length - 2, to: bytes.length - 1 });
  });
});

describe("setting members", () => {
  test("changes those and leaves every other byte, for any object", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("sampling", "tasks", "roots", "é", "x"), fc.jsonValue({ maxDepth: 2 })), (object) => {
        const bytes = bytesOf(JSON.stringify(object, null, 1));
        const after = edited(bytes, withMembers(bytes, whole(bytes), { sampling: { tools: {} }, tasks: 1 }));
        // Read again, because JSON has no -0.
        expect(JSON.parse(textOf(after))).toEqual({ ...JSON.parse(JSON.stringify(object)), sampling: { tools: {} }, tasks: 1 });
        for (const { name, from, to } of membersOf(bytes, whole(bytes)))
          if (name !== "sampling" && name !== "tasks") expect(textOf(after)).toContain(textOf(bytes.subarray(from, to)));
      }),
    );
  });

  test("puts new ones first, and a comma only where another follows", () => {
    const set = (text: string): string => textOf(edited(bytesOf(text), withMembers(bytesOf(text), whole(bytesOf(text)), { a: 1, b: 2 })));
    expect(set("{}")).toBe('{"a":1,"b":2}');
    expect(set(' { "z": 1.0 } ')).toBe(' {"a":1,"b":2, "z": 1.0 } ');
    expect(set('{"b":[],"a" : null}')).toBe('{"b":2,"a" : 1}');
  });

  test("keeps bytes that are no UTF-8", () => {
    const bytes = new Uint8Array([...bytesOf('{"x":"'), 0xff, 0xc3, ...bytesOf('"}')]);
    const after = edited(bytes, withMembers(bytes, whole(bytes), { a: 1 }));
    expect([...after]).toEqual([...bytesOf('{"a":1,"x":"'), 0xff, 0xc3, ...bytesOf('"}')]);
  });
});

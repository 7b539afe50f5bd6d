import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineCutter, type Piece } from "../../../client/stdio/lines.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function cut(input: Uint8Array, sizes: readonly number[], limitBytes: number): Piece[] {
  const cutter = new LineCutter(limitBytes);
  const pieces: Piece[] = [];
  let at = 0;
  for (let turn = 0; at < input.length; turn += 1) {
    const size = Math.max(1, sizes[turn % Math.max(1, sizes.length)] ?? 1);
    pieces.push(...cutter.push(input.subarray(at, at + size)));
    at += size;
  }
  return [...pieces, ...cutter.end()];
}

/** Lines as they are, and the parts of each long line as one. */
function lines(pieces: readonly Piece[]): string[] {
  const found: string[] = [];
  for (const piece of pieces) {
    const text = Buffer.from(piece.bytes).toString("latin1");
    if (piece.kind === "line") found.push(`line ${text}`);
    else if (piece.begins) found.push(`long ${text}`);
    else found[found.length - 1] += text;
  }
  return found;
}

const chunkSizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
/** Few different bytes, so that line feeds, carriage returns and cut characters are frequent. */
const someBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => bytes.map((byte) => [10, 10, 13, 123, 0xc3, 0xbc, 0xff][byte % 7] ?? 0));

describe("cutting a stream into lines", () => {
  test("gives the same lines whatever chunks they come in", () => {
    fc.assert(
      fc.property(someBytes, chunkSizes, fc.integer({ min: 0, max: 12 }), (input, sizes, limit) => {
        expect(lines(cut(input, sizes, limit))).toEqual(lines(cut(input, [1_000], limit)));
      }),
    );
  });

  test("loses, adds and changes no byte", () => {
    fc.assert(
      fc.property(someBytes, chunkSizes, fc.integer({ min: 0, max: 12 }), (input, sizes, limit) => {
        const out = Buffer.concat(cut(input, sizes, limit).map(({ bytes }) => bytes));
        expect(out.equals(Buffer.from(input))).toBe(true);
      }),
    );
  });

  test("never keeps more than the limit and the chunk that passed it, and never calls a line long that is not", () => {
    fc.assert(
      fc.property(someBytes, chunkSizes, fc.integer({ min: 0, max: 12 }), (input, sizes, limit) => {
        for (const piece of cut(input, sizes, limit)) {
          const length = piece.bytes.length - (piece.bytes.at(-1) === 10 ? 1 : 0);
          if (piece.kind === "line") expect(length).toBeLessThanOrEqual(limit);
          else expect(piece.bytes.length).toBeLessThanOrEqual(limit + Math.max(...sizes));
        }
        expect(
          lines(cut(input, sizes, limit)).every((each) => each.startsWith("line ") || each.slice(5).replace("\n", "").length > limit),
        ).toBe(true);
      }),
    );
  });

  test("ends a line at the line feed alone: not at a carriage return, nor at U+2028, which JSON may hold", () => {
    expect(cut(bytesOf('{"a":"x\u2028y\r"}\r\n{}\n'), [3], 100).map(({ bytes }) => textOf(bytes))).toEqual([
      '{"a":"x\u2028y\r"}\r\n',
      "{}\n",
    ]);
  });

  test("takes a line of exactly the limit whole, and passes one byte more in parts", () => {
    expect(cut(bytesOf("1234\n"), [2], 4)).toEqual([{ kind: "line", bytes: bytesOf("1234\n") }]);
    expect(cut(bytesOf("12345\n1\n"), [100], 4)).toEqual([
      { kind: "part", begins: true, ends: true, bytes: bytesOf("12345\n") },
      { kind: "line", bytes: bytesOf("1\n") },
    ]);
    expect(cut(bytesOf("12345678\n1\n"), [3], 4)).toEqual([
      { kind: "part", begins: true, ends: false, bytes: bytesOf("123456") },
      { kind: "part", begins: false, ends: true, bytes: bytesOf("78\n") },
      { kind: "line", bytes: bytesOf("1\n") },
    ]);
  });

  test("gives a last line without line feed when the stream ends, and nothing where nothing is left", () => {
    expect(cut(bytesOf("{}\n{}"), [100], 9).map(({ bytes }) => textOf(bytes))).toEqual(["{}\n", "{}"]);
    expect(cut(bytesOf("{}\n"), [100], 9)).toHaveLength(1);
    expect(cut(bytesOf("123456"), [3], 4)).toEqual([
      { kind: "part", begins: true, ends: false, bytes: bytesOf("123456") },
      { kind: "part", begins: false, ends: true, bytes: new Uint8Array() },
    ]);
  });
});

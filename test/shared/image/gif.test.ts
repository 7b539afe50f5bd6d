// GIF to raster, against codes that the test makes itself.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeGif } from "../../../shared/image/decode-gif.ts";
import { readGif } from "../../../shared/image/gif-blocks.ts";
import { gifOf } from "../../support/made-images.ts";

function decoded(file: Uint8Array): number[] | string {
  const parts = readGif(file);
  if (!parts.ok) return parts.error.kind;
  const raster = decodeGif(parts.value);
  return raster.ok ? [...raster.value.rgb] : raster.error.kind;
}

test("a picture anywhere on its canvas, interlaced or not, becomes its pixels, with white where it has none", () => {
  fc.assert(
    fc.property(
      fc.record({
        bits: fc.integer({ min: 2, max: 8 }),
        left: fc.nat(5),
        top: fc.nat(5),
        width: fc.integer({ min: 1, max: 90 }),
        height: fc.integer({ min: 1, max: 90 }),
        seed: fc.array(fc.nat(255), { minLength: 1, maxLength: 50 }),
        interlaced: fc.boolean(),
        clear: fc.option(fc.nat(3), { nil: undefined }),
      }),
      ({ bits, left, top, width, height, seed, interlaced, clear }) => {
        const colours = 1 << bits;
        const palette = Array.from({ length: colours * 3 }, (_, at) => (at * 91) & 255);
        const pixel = (x: number, y: number): number => (seed[(x + y * 3 + ((x * y) >> 3)) % seed.length] ?? 0) % colours;
        const [wide, high] = [left + width + 2, top + height + 1];
        const file = gifOf(wide, high, palette, [
          { left, top, width, height, pixel, interlaced, delay: 1, ...(clear === undefined ? {} : { clear }) },
        ]);
        const expected: number[] = [];
        for (let y = 0; y < high; y += 1) {
          for (let x = 0; x < wide; x += 1) {
            const isInside = x >= left && y >= top && x < left + width && y < top + height;
            const colour = isInside ? pixel(x - left, y - top) : null;
            expected.push(...(colour === null || colour === clear ? [255, 255, 255] : palette.slice(colour * 3, colour * 3 + 3)));
          }
        }
        expect(decoded(file)).toEqual(expected);
      },
    ),
    { numRuns: 100 },
  );
});

describe("a GIF is refused", () => {
  const palette = [0, 0, 0, 9, 9, 9, 20, 20, 20, 30, 30, 30];
  const frame = { width: 4, height: 4, pixel: (x: number) => x };
  const whole = gifOf(4, 4, palette, [frame]);
  /**
   * The four-by-four picture's data: 13 of header, 12 of palette, 7 of comment, 8 of control, 10 of
   * descriptor, then the code size.
   */
  const dataAt = 13 + 12 + 7 + 8 + 10;
  const changed = (at: number, ...values: readonly number[]): Uint8Array => {
    const file = whole.slice();
    file.set(values, at);
    return file;
  };

  test.each<[string, Uint8Array, string]>([
    ["of two pictures, the first for 10 ms", gifOf(4, 4, palette, [{ ...frame, delay: 1 }, frame]), "animated"],
    ["of two pictures, the first for a minute", gifOf(4, 4, palette, [{ ...frame, delay: 6_000 }, frame]), "animated"],
    ["without a picture", gifOf(4, 4, palette, []), "malformed"],
    ["that reaches over its canvas", gifOf(3, 4, palette, [frame]), "malformed"],
    ["without its trailer", whole.subarray(0, -1), "cutOff"],
    ["with half its data", whole.subarray(0, dataAt + 3), "cutOff"],
    ["with a code size that there is none of", changed(dataAt, 11), "malformed"],
    ["with a code that names none before it", changed(dataAt + 2, 0xff, 0xff), "undecodable"],
    ["with an unknown block", changed(13 + 12, 0x99), "malformed"],
  ])("%s", (_name, file, kind) => {
    expect(decoded(file)).toBe(kind);
  });
});

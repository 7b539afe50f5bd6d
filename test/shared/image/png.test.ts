// PNG to raster and back, against rows that the test makes itself.

import { inflateSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodePng } from "../../../shared/image/decode-png.ts";
import { encodePng } from "../../../shared/image/encode-png.ts";
import { readPng } from "../../../shared/image/png-chunks.ts";
import type { Raster } from "../../../shared/image/raster.ts";
import { type ColorType, type PngRecipe, pngOf, pngRows, pngWithRows } from "../../support/made-images.ts";
import { decoded, decodesAndEncodes } from "./large-png.ts";

const pixelsOf = ({ rgb }: Raster): number[] => [...rgb];

/** `sample` of 255, over white. */
const overWhite = (sample: number, alpha: number): number => Math.round((sample * alpha + 255 * (255 - alpha)) / 255);

const forms: readonly (readonly [ColorType, number])[] = [
  ...[1, 2, 4, 8, 16].map((depth) => [0, depth] as const),
  ...[8, 16].map((depth) => [2, depth] as const),
  ...[1, 2, 4, 8].map((depth) => [3, depth] as const),
  ...[8, 16].flatMap((depth) => [[4, depth] as const, [6, depth] as const]),
];
const samplesOf = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

type Picture = { readonly recipe: PngRecipe; readonly expected: readonly number[] };

/**
 * A picture in one of the forms, and its pixels over white by the standard's words, reckoned
 * without our code.
 */
const pictures = fc
  .record({
    form: fc.constantFrom(...forms),
    width: fc.integer({ min: 1, max: 19 }),
    height: fc.integer({ min: 1, max: 19 }),
    seed: fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 40 }),
    filters: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 9 }),
    interlaced: fc.boolean(),
    transparent: fc.boolean(),
  })
  .map(({ form: [colorType, bitDepth], width, height, seed, filters, interlaced, transparent }): Picture => {
    const most = 2 ** bitDepth - 1;
    const count = samplesOf[colorType];
    const pixel = (x: number, y: number): number[] =>
      Array.from({ length: count }, (_, sample) => (seed[(x * 7 + y * 13 + sample) % seed.length] ?? 0) % (most + 1));
    const palette = Array.from({ length: (most + 1) * 3 }, (_, at) => (at * 37 + (seed[0] ?? 0)) & 255);
    const clear = pixel(0, 0);
    const transparency = !transparent
      ? undefined
      : colorType === 3
        ? Array.from({ length: Math.min(most + 1, 5) }, (_, at) => (at * 60) & 255)
        : count % 2 === 0
          ? undefined
          : clear.flatMap((sample) => [sample >> 8, sample & 255]);
    const expected: number[] = [];
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const samples = pixel(x, y);
        const scaled = samples.map((sample) => Math.round((sample * 255) / most));
        const [first = 0] = samples;
        const colour =
          colorType === 3 ? palette.slice(first * 3, first * 3 + 3) : count >= 3 ? scaled.slice(0, 3) : [0, 0, 0].map(() => scaled[0] ?? 0);
        const isClear = transparency !== undefined && colorType !== 3 && samples.every((sample, at) => sample === clear[at]);
        const alpha = colorType === 3 ? (transparency?.[first] ?? 255) : isClear ? 0 : count % 2 === 0 ? (scaled[count - 1] ?? 0) : 255;
        expected.push(...colour.map((sample) => overWhite(sample, alpha)));
      }
    }
    const filter = (row: number): number => filters[row % filters.length] ?? 0;
    const recipe = { width, height, colorType, bitDepth, pixel, interlaced, filter };
    return {
      recipe: { ...recipe, ...(colorType === 3 ? { palette } : {}), ...(transparency === undefined ? {} : { transparency }) },
      expected,
    };
  });

test("every colour type, depth, filter and order of rows becomes the pixels that it says, over white", () => {
  fc.assert(
    fc.property(pictures, ({ recipe, expected }) => {
      expect(pixelsOf(decoded(pngOf(recipe)))).toEqual(expected);
    }),
    { numRuns: 400 },
  );
});

test("a raster encoded and decoded is the raster, and the same raster is the same bytes", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 12 }),
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      (width, height, seed) => {
        const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => (seed[at % seed.length] ?? 0) ^ (at >> 5));
        const file = encodePng({ width, height, rgb }, 1_000_000);
        if (file === null) throw new Error("too large");
        expect(decoded(file)).toEqual({ width, height, rgb });
        expect(encodePng({ width, height, rgb: rgb.slice() }, 1_000_000)).toEqual(file);
      },
    ),
    { numRuns: 200 },
  );
});

test("flat pictures of every size are read by another decoder than ours", () => {
  // What fflate's streams made of these could not be inflated.
  const seeds = [
    [1, 0, 3, 2, 0],
    [0, 0, 1],
    [7, 0],
    [0, 2, 0, 0],
  ];
  for (const [width, height] of [
    [1, 6],
    [3, 40],
    [40, 300],
    [120, 400],
  ] as const)
    for (const seed of seeds) {
      const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => (seed[at % seed.length] ?? 0) ^ ((at >> 5) & 1));
      const file = encodePng({ width, height, rgb }, 1_000_000);
      if (file === null) throw new Error("too large");
      expect(decoded(file)).toEqual({ width, height, rgb });
      const parts = readPng(file);
      if (!parts.ok) throw new Error(parts.error.kind);
      expect(inflateSync(Buffer.concat(parts.value.compressed))).toHaveLength((width * 3 + 1) * height);
    }
});

test("a file that would be longer than it may be is none", () => {
  const rgb = Uint8Array.from({ length: 30_000 }, (_, at) => (at * at * 31) >> 3);
  const file = encodePng({ width: 100, height: 100, rgb }, 1_000_000);
  expect(file).not.toBeNull();
  expect(encodePng({ width: 100, height: 100, rgb }, (file?.length ?? 0) - 1)).toBeNull();
  expect(encodePng({ width: 100, height: 100, rgb }, file?.length ?? 0)).toEqual(file);
});

describe("a PNG is refused", () => {
  const good = pngRows({ width: 4, height: 3, colorType: 2, pixel: () => [1, 2, 3] });
  test.each<[string, Uint8Array]>([
    ["with rows that end early", pngWithRows(4, 3, 2, good.subarray(0, -1))],
    ["with rows beyond what its header says", pngWithRows(4, 3, 2, Uint8Array.from([...good, 0]))],
    ["that inflates to a thousand times its header", pngWithRows(4, 3, 2, new Uint8Array(50_000_000))],
    ["with a filter that there is none of", pngWithRows(4, 3, 2, Uint8Array.from([9, ...good.subarray(1)]))],
    [
      "with a colour that its palette does not have",
      pngOf({ width: 1, height: 1, colorType: 3, pixel: () => [2], palette: [0, 0, 0, 1, 1, 1] }),
    ],
  ])("%s", (_name, file) => {
    const parts = readPng(file);
    expect(parts.ok && decodePng(parts.value)).toEqual({ ok: false, error: { kind: "undecodable" } });
  });
});

test("2 megapixels are decoded and encoded", () => decodesAndEncodes(2_000, 1_000));

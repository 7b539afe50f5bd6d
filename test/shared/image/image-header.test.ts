// What is told of an image by its header, before anything of it is decoded.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { imageErrorWords, mediaTypeError } from "../../../shared/image/image-error.ts";
import { readImage } from "../../../shared/image/image-header.ts";
import { mostImageBytes, mostPixelsOfWebp } from "../../../shared/image/image-limits.ts";
import { alphaWebp, greyJpeg, gif, images, jpeg, lossyWebp, noImages, padded, png, webp } from "../../support/image-files.ts";
import {
  apng,
  ascii,
  exifSegment,
  joined,
  jpegSegment,
  pngChunk,
  pngHeader,
  pngOf,
  pngSignature,
  vp8l,
  vp8x,
  webpChunk,
  webpOf,
  withSegments,
} from "../../support/made-images.ts";

const kindOf = (file: Uint8Array): string => {
  const read = readImage(file);
  return read.ok ? "read" : read.error.kind === "unsupported" ? read.error.what : read.error.kind;
};

/** A PNG's header and hardly any rows: what a header promises costs nothing to write. */
const promised = (width: number, height: number): Uint8Array =>
  joined(pngSignature, pngHeader(width, height, 6), pngChunk("IDAT", [0x78, 0x9c, 3, 0, 0, 0, 0, 1]), pngChunk("IEND", []));
const white = { width: 2, height: 2, colorType: 2, pixel: () => [255, 255, 255] } as const;
const black = { ...white, pixel: () => [0, 0, 0] } as const;
/**
 * The JPEG's frame header begins here: its marker, length, precision, height, width, components.
 */
const frameAt = jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xc2);
const jpegWith = (at: number, ...values: readonly number[]): Uint8Array => {
  const file = jpeg.slice();
  file.set(values, frameAt + at);
  return file;
};
const scanAt = jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xda);
const noScans = jpeg.subarray(0, scanAt);
const scan = jpeg.subarray(
  scanAt,
  jpeg.findIndex((byte, at) => at > scanAt + 12 && byte === 0xff && (jpeg[at + 1] ?? 0) >= 0xc0),
);
const end = [0xff, 0xd9];

test.each(Object.entries({ ...images, greyJpeg, lossyWebp, alphaWebp }))("%s is read", (_name, file) => {
  expect(kindOf(file)).toBe("read");
});

test.each(Object.entries(noImages))("%s is none", (_name, file) => {
  expect(kindOf(file)).toBe("unknownType");
});

test.each<[string, Uint8Array, string]>([
  ["an animated PNG with a default image of its own", apng(white, black), "animated"],
  ["a PNG with a frame and no word of animation", pngOf({ ...white, more: [pngChunk("fcTL", new Uint8Array(26))] }), "animated"],
  ["an animated WebP by its flag", webpOf(vp8x(2, 16, 8), [...webp.subarray(12)]), "animated"],
  ["an animated WebP by its chunks", webpOf(vp8x(0, 16, 8), webpChunk("ANMF", new Uint8Array(16))), "animated"],
  ["60,000 x 60,000 pixels in 100 bytes", promised(60_000, 60_000), "tooManyPixels"],
  ["one row over 16 megapixels", promised(4_000, 4_001), "tooManyPixels"],
  ["16 megapixels", promised(4_000, 4_000), "read"],
  ["no width", promised(0, 10), "noPixels"],
  ["a WebP of as many pixels as may be", webpOf(vp8l(4_200, mostPixelsOfWebp / 4_200)), "read"],
  ["a WebP of one row more", webpOf(vp8l(4_200, mostPixelsOfWebp / 4_200 + 1)), "tooManyPixels"],
  ["a progressive JPEG of 12 megapixels", jpegWith(5, 4_000 >> 8, 4_000 & 255, 3_000 >> 8, 3_000 & 255), "read"],
  [
    "one with its colours at full resolution",
    (() => {
      const file = jpegWith(5, 4_000 >> 8, 4_000 & 255, 3_000 >> 8, 3_000 & 255);
      file[frameAt + 11] = 0x11;
      return file;
    })(),
    "tooManyPixels",
  ],
  ["too many bytes", padded(png, mostImageBytes + 1), "tooManyBytes"],
  ["a PNG without its end", png.subarray(0, -12), "cutOff"],
  ["a PNG cut in a chunk", png.subarray(0, -16), "cutOff"],
  ["a JPEG without its end", jpeg.subarray(0, -2), "cutOff"],
  ["a JPEG cut in a segment", jpeg.subarray(0, 30), "cutOff"],
  ["a WebP that is shorter than it says", webp.subarray(0, -1), "cutOff"],
  ["a PNG with a wrong checksum", png.map((byte, at) => (at === 17 ? byte ^ 1 : byte)), "malformed"],
  ["a PNG with its rows in two places", pngOf({ ...white, more: [pngChunk("IDAT", [1]), pngChunk("tEXt", ascii("a\0b"))] }), "malformed"],
  ["a PNG with an extension that changes how it is read", pngOf({ ...white, more: [pngChunk("CgBI", [0])] }), "extension"],
  ["a WebP of another size than its canvas", webpOf(vp8x(0, 17, 8), [...webp.subarray(12)]), "malformed"],
  ["a WebP of two pictures", webpOf([...webp.subarray(12)], [...webp.subarray(12)]), "malformed"],
  ["a JPEG with arithmetic coding", jpegWith(1, 0xc9), "arithmetic"],
  ["a lossless JPEG", jpegWith(1, 0xc3), "lossless"],
  ["a JPEG of 12 bits", jpegWith(4, 12), "precision"],
  ["a JPEG in CMYK", withSegments(jpeg, jpegSegment(0xc0, [8, 0, 1, 0, 1, 4, ...Array.from({ length: 12 }, () => 1)])), "cmyk"],
  ["a JPEG of a height that is told later", jpegWith(5, 0, 0), "noPixels"],
  ["a JPEG with two frames", withSegments(jpeg, [...jpeg.subarray(frameAt, frameAt + 19)]), "malformed"],
  ["a JPEG of 100 scans", joined(noScans, ...Array.from({ length: 100 }, () => scan), end), "read"],
  ["a JPEG of 101 scans", joined(noScans, ...Array.from({ length: 101 }, () => scan), end), "tooManyScans"],
])("%s: %s", (_name, file, kind) => {
  expect(kindOf(file)).toBe(kind);
});

test("what follows an image's end is left out of it: archives, scripts, the second picture of a multi-picture file", () => {
  for (const file of [png, jpeg, gif, webp]) {
    const [alone, followed] = [readImage(file), readImage(joined(file, ascii("PK\x03\x04<script>"), jpeg))];
    expect(followed).toEqual(alone);
  }
});

test("a header is judged in the time of its bytes, whatever it promises: no array is made for it", () => {
  const made: number[] = [];
  const original = Uint8Array;
  const watched = new Proxy(original, {
    construct(target, given: [number]) {
      if (typeof given[0] === "number") made.push(given[0]);
      return Reflect.construct(target, given) as Uint8Array;
    },
  });
  globalThis.Uint8Array = watched;
  try {
    for (const file of [promised(60_000, 60_000), webpOf(vp8l(16_384, 16_384)), jpegWith(5, 255, 255, 255, 255)])
      expect(kindOf(file)).toBe("tooManyPixels");
  } finally {
    globalThis.Uint8Array = original;
  }
  expect(Math.max(0, ...made)).toBeLessThan(5_000);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])("Exif's orientation %i is found in either order of bytes", (orientation) => {
  for (const little of [false, true]) {
    expect(readImage(withSegments(jpeg, exifSegment(orientation, little)))).toMatchObject({ ok: true, value: { orientation } });
  }
});

test("an orientation that there is none of is none", () => {
  expect(readImage(withSegments(jpeg, exifSegment(9)))).toMatchObject({ ok: true, value: { orientation: 1 } });
});

test("the type that is given with an image must be its own", () => {
  expect([mediaTypeError("image/jpeg", "IMAGE/JPG; a=b"), mediaTypeError("image/png", "image/gif")]).toEqual([
    null,
    { kind: "otherType", found: "image/png" },
  ]);
  expect(imageErrorWords({ kind: "otherType", found: "image/png" })).toContain("is of type image/png");
});

describe("any bytes", () => {
  test("are read or refused, with a reason in words, and never thrown at", () => {
    const starts = [png, jpeg, gif, webp, lossyWebp].map((file) => file.subarray(0, 60));
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.nat(60), fc.uint8Array({ maxLength: 300 }), (start, kept, rest) => {
        const read = readImage(joined(start.subarray(0, kept), rest));
        expect(read.ok ? "read" : imageErrorWords(read.error)).toMatch(/^read$|^[a-z].*: [a-z].*[a-zA-Z0-9]$/);
      }),
      { numRuns: 2_000 },
    );
  });

  test("of a good image with some of them changed are read or refused", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(png, jpeg, gif, webp, alphaWebp),
        fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { maxLength: 5 }),
        (file, changes) => {
          const changed = file.slice();
          for (const [at, value] of changes) changed[at % file.length] = value;
          expect(["boolean"]).toContain(typeof readImage(changed).ok);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

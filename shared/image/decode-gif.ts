// A GIF's codes to a raster: the LZW of GIF89a (appendix F), each colour over the background.

import { type Result, err, ok } from "../result.ts";
import { type GifParts, subBlocks } from "./gif-blocks.ts";
import type { ImageError } from "./image-error.ts";
import { type Raster, emptyRaster } from "./raster.ts";

const mostCodes = 4_096;
const undecodable = err({ kind: "undecodable" } as const);

/** The first row of each pass over the picture, and the step to the next one. */
const passesOf = {
  whole: [[0, 1]],
  interlaced: [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ],
} as const;

/**
 * The picture. Refused: codes that name none before them, too few of them, a colour that is not in
 * the palette. What comes after the last pixel is left out.
 */
export function decodeGif(gif: GifParts): Result<Raster, ImageError> {
  const { frame, palette, clear } = gif;
  const raster = emptyRaster(gif.width, gif.height);
  const colours = expand(gif, frame.width * frame.height);
  if (colours === null) return undecodable;
  let pixel = 0;
  for (const [first, step] of passesOf[gif.interlaced ? "interlaced" : "whole"]) {
    for (let row = first; row < frame.height; row += step) {
      let to = ((frame.top + row) * gif.width + frame.left) * 3;
      for (const end = to + frame.width * 3; to < end; to += 3, pixel += 1) {
        const colour = colours[pixel] ?? 0;
        if (colour === clear) continue;
        if (colour * 3 >= palette.length) return undecodable;
        for (let part = 0; part < 3; part += 1) raster.rgb[to + part] = palette[colour * 3 + part] ?? 0;
      }
    }
  }
  return ok(raster);
}

/**
 * The colours of the first `count` pixels, as numbers in the palette; null where a code names none
 * before it, or the codes give fewer.
 */
function expand({ codes, minimumCodeSize }: GifParts, count: number): Uint8Array | null {
  const clearCode = 1 << minimumCodeSize;
  const endCode = clearCode + 1;
  const colours = new Uint8Array(count);
  let drawn = 0;
  // What a code beyond these two stands for was drawn before: from where, and how many pixels.
  const starts = new Uint32Array(mostCodes);
  const lengths = new Uint16Array(mostCodes);
  let next = endCode + 1;
  let size = minimumCodeSize + 1;
  let bits = 0;
  let held = 0;
  for (const block of subBlocks(codes)) {
    for (const byte of block) {
      bits |= byte << held;
      held += 8;
      while (held >= size) {
        const code = bits & ((1 << size) - 1);
        bits >>>= size;
        held -= size;
        if (code === clearCode) {
          size = minimumCodeSize + 1;
          next = endCode + 1;
          continue;
        }
        if (code === endCode || code >= next) return null;
        const start = starts[code] ?? 0;
        const length = code < clearCode ? 1 : (lengths[code] ?? 0);
        if (next < mostCodes) {
          // The next code: these pixels and the one that will follow them. Where it comes at once,
          // it reads what it has just drawn.
          starts[next] = drawn;
          lengths[next] = length + 1;
          next += 1;
        }
        for (let at = 0; at < length && drawn < count; at += 1, drawn += 1)
          colours[drawn] = code < clearCode ? code : (colours[start + at] ?? 0);
        if (drawn === count) return colours;
        // A decoder learns the newest code with the pixel that ends it, so it does not count yet.
        if (next - 1 === 1 << size && size < 12) size += 1;
      }
    }
  }
  return null;
}

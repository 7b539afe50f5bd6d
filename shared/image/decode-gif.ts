// A GIF's codes to a raster: the LZW of GIF89a (appendix F), each colour over the background.

import { type Result, err, ok } from "../result.ts";
import type { GifParts } from "./gif-blocks.ts";
import type { ImageError } from "./image-error.ts";
import { type Raster, emptyRaster } from "./raster.ts";

const mostCodes = 4_096;
const undecodable = err({ kind: "undecodable" } as const);

/** The picture. Refused: codes that name none before them, too few of them, a colour that is not in the palette. What comes after the last pixel is left out. */
export function decodeGif(gif: GifParts): Result<Raster, ImageError> {
  const { frame, palette, clear } = gif;
  const raster = emptyRaster(gif.width, gif.height);
  const rows = rowOrder(frame.height, gif.interlaced);
  let pixel = 0;
  let good = true;
  const draw = (colour: number): void => {
    if (colour !== clear) {
      if (colour * 3 >= palette.length) good = false;
      const row = rows[Math.floor(pixel / frame.width)] ?? 0;
      const to = ((frame.top + row) * gif.width + frame.left + (pixel % frame.width)) * 3;
      for (let part = 0; part < 3; part += 1) raster.rgb[to + part] = palette[colour * 3 + part] ?? 0;
    }
    pixel += 1;
  };
  const drawn = expand(gif, frame.width * frame.height, draw);
  return drawn && good ? ok(raster) : undecodable;
}

/** Calls `draw` with each colour, `count` times; false where the codes do not give so many. */
function expand({ codes, minimumCodeSize }: GifParts, count: number, draw: (colour: number) => void): boolean {
  const clearCode = 1 << minimumCodeSize;
  const endCode = clearCode + 1;
  // A string is its last colour, and the string before that.
  const last = new Uint8Array(mostCodes);
  const before = new Uint16Array(mostCodes);
  const backwards = new Uint8Array(mostCodes + 1);
  let size = minimumCodeSize + 1;
  let next = endCode + 1;
  let previous: number | null = null;
  let firstColour = 0;
  let bits = 0;
  let held = 0;
  let drawn = 0;
  for (const byte of codes) {
    bits |= byte << held;
    held += 8;
    while (held >= size) {
      const code = bits & ((1 << size) - 1);
      bits >>>= size;
      held -= size;
      if (code === clearCode) {
        size = minimumCodeSize + 1;
        next = endCode + 1;
        previous = null;
        continue;
      }
      if (code === endCode) return false;
      if (previous === null ? code > endCode : code > next) return false;
      let length = 0;
      let at: number = code;
      if (previous !== null && code === next) {
        backwards[length] = firstColour;
        length += 1;
        at = previous;
      }
      for (; at > endCode; at = before[at] ?? 0) {
        backwards[length] = last[at] ?? 0;
        length += 1;
      }
      firstColour = at;
      draw(at);
      drawn += 1;
      for (; length > 0 && drawn < count; length -= 1, drawn += 1) draw(backwards[length - 1] ?? 0);
      if (drawn === count) return true;
      if (previous !== null && next < mostCodes) {
        last[next] = firstColour;
        before[next] = previous;
        next += 1;
        if (next === 1 << size && size < 12) size += 1;
      }
      previous = code;
    }
  }
  return false;
}

/** Which row comes when: from the top, or in the four passes of an interlaced picture. */
function rowOrder(height: number, interlaced: boolean): readonly number[] {
  const every = (first: number, step: number): number[] => {
    const rows: number[] = [];
    for (let row = first; row < height; row += step) rows.push(row);
    return rows;
  };
  return interlaced ? [...every(0, 8), ...every(4, 8), ...every(2, 4), ...every(1, 2)] : every(0, 1);
}

// A raster as a PNG of eight bits of RGB: header, rows, end, and nothing else. The same raster is always the same bytes.

import { Zlib } from "fflate";
import { crc32 } from "./crc32.ts";
import { paeth } from "./decode-png.ts";
import type { Raster } from "./raster.ts";

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const step = 3;
const level = 6;

/** The file; null where it would be longer than `mostBytes`, which is noticed on the way. */
export function encodePng({ width, height, rgb }: Raster, mostBytes: number): Uint8Array | null {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 2, 0, 0, 0], 8);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const zlib = new Zlib({ level }, (piece) => {
    pieces.push(piece);
    bytes += piece.length;
  });
  const stride = width * step;
  const filter = new RowFilter(stride);
  let above: Uint8Array = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const row = rgb.subarray(y * stride, (y + 1) * stride);
    zlib.push(filter.filter(row, above), y === height - 1);
    if (bytes > mostBytes) return null;
    above = row;
  }
  const file = joined([Uint8Array.from(signature), chunk("IHDR", header), chunk("IDAT", joined(pieces)), chunk("IEND", new Uint8Array())]);
  return file.length > mostBytes ? null : file;
}

/** Writes rows with the filter that leaves the smallest differences: the standard's own heuristic (section 12.7). */
class RowFilter {
  /** One line for each filter, its number first; the lines are used again for each row. */
  readonly #lines: readonly Uint8Array[];

  constructor(stride: number) {
    this.#lines = [0, 1, 2, 3, 4].map((type) => new Uint8Array(stride + 1).fill(type, 0, 1));
  }

  /** A copy, for whoever keeps it. */
  filter(row: Uint8Array, above: Uint8Array): Uint8Array {
    const [none, sub, up, average, byPaeth] = this.#lines as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]; // five were made
    const sums = [0, 0, 0, 0, 0] as [number, number, number, number, number];
    for (let at = 0, to = 1; at < row.length; at += 1, to += 1) {
      const value = row[at] ?? 0;
      const isInside = at >= step;
      const left = isInside ? (row[at - step] ?? 0) : 0;
      const over = above[at] ?? 0;
      const corner = isInside ? (above[at - step] ?? 0) : 0;
      none[to] = value;
      sums[0] += distance(value);
      sums[1] += distance((sub[to] = (value - left) & 0xff));
      sums[2] += distance((up[to] = (value - over) & 0xff));
      sums[3] += distance((average[to] = (value - ((left + over) >> 1)) & 0xff));
      sums[4] += distance((byPaeth[to] = (value - paeth(left, over, corner)) & 0xff));
    }
    const best = sums.indexOf(Math.min(...sums));
    return (this.#lines[best] ?? none).slice();
  }
}

/** How far a difference is from none, either way round. */
const distance = (difference: number): number => (difference < 128 ? difference : 256 - difference);

function chunk(name: string, body: Uint8Array): Uint8Array {
  const whole = new Uint8Array(body.length + 12);
  const view = new DataView(whole.buffer);
  view.setUint32(0, body.length);
  for (let at = 0; at < 4; at += 1) whole[4 + at] = name.charCodeAt(at);
  whole.set(body, 8);
  view.setUint32(body.length + 8, crc32(whole.subarray(4, body.length + 8)));
  return whole;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

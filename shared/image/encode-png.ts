// A raster as a PNG of eight bits of RGB: header, rows, end, and nothing else. The same raster is
// always the same bytes.

import { zlibSync } from "fflate";
import { joinBytes } from "../bytes.ts";
import { crc32 } from "./crc32.ts";
import { rowFilter } from "./png-filters.ts";
import type { Raster } from "./raster.ts";

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Eight bits a sample, RGB, deflate, the five filters, not interlaced. */
const form = Uint8Array.of(8, 2, 0, 0, 0);
const level = 6;

/**
 * The file; null where it would be longer than `mostBytes`. All rows are compressed at once:
 * fflate's streams (0.8.3) match the zeros before their beginning, and of a flat picture they make
 * a file that nobody can read.
 */
export function encodePng({ width, height, rgb }: Raster, mostBytes: number): Uint8Array | null {
  const rowBytes = width * 3;
  const filter = rowFilter(rowBytes, 3);
  const rows = new Uint8Array((rowBytes + 1) * height);
  let above: Uint8Array = new Uint8Array(rowBytes);
  for (let y = 0; y < height; y += 1) {
    const row = rgb.subarray(y * rowBytes, (y + 1) * rowBytes);
    rows.set(filter(row, above), y * (rowBytes + 1));
    above = row;
  }
  const compressed = zlibSync(rows, { level });
  if (compressed.length > mostBytes) return null;
  const file = joinBytes([signature, chunk("IHDR", uint32(width), uint32(height), form), chunk("IDAT", compressed), chunk("IEND")]);
  return file.length > mostBytes ? null : file;
}

function chunk(name: string, ...body: readonly Uint8Array[]): Uint8Array {
  const checked = joinBytes([new TextEncoder().encode(name), ...body]);
  return joinBytes([uint32(checked.length - 4), checked, uint32(crc32(checked))]);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

// Draws the pictures of the inbox as an app, the sign of the pages' header, and writes them as
// base64 into workers/ui/inbox/icon-files.ts:
//
//   node scripts/inbox-icons.ts
//
// PNG with four shades, of which each pixel takes two bits: about 1 KB.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";

const background = [0x1d, 0x4e, 0x89];
const foreground = [0xff, 0xff, 0xff];
/** `brand` of workers/ui/icons.tsx, in a box of 24. */
const strokes = [
  [
    [2.5, 12.5],
    [6.5, 16.5],
    [14, 7.5],
  ],
  [
    [10.5, 15.5],
    [11.5, 16.5],
    [20, 6.5],
  ],
] as const;
const strokeWidth = 2.2;
/** A phone may cut the picture to a circle: the sign is in the middle four fifths. */
const scale = 0.62;
const samples = 4;

type Point = readonly [number, number];

function distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const [dx, dy] = [bx - ax, by - ay];
  const at = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - ax - at * dx, y - ay - at * dy);
}

const isInked = (point: Point): boolean =>
  strokes.some((points) => points.some((to, i) => i > 0 && distance(point, points[i - 1] ?? to, to) <= strokeWidth / 2));

function shadeAt(column: number, row: number, size: number): number {
  let inked = 0;
  for (let i = 0; i < samples * samples; i += 1) {
    const unit = (pixel: number, of: number): number => (((pixel + (of + 0.5) / samples) / size - 0.5) / scale) * 24 + 11.6;
    if (isInked([unit(column, i % samples), unit(row, Math.floor(i / samples))])) inked += 1;
  }
  return Math.round((inked / (samples * samples)) * 3);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function png(size: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([2, 3, 0, 0, 0], 8);
  const palette = Buffer.from(
    [0, 1, 2, 3].flatMap((shade) => background.map((from, i) => Math.round(from + (((foreground[i] ?? 0) - from) * shade) / 3))),
  );
  const rows = Array.from({ length: size }, (_, row) => {
    const line = Buffer.alloc(1 + size / 4);
    for (let column = 0; column < size; column += 1) line[1 + (column >> 2)]! |= shadeAt(column, row, size) << (6 - 2 * (column & 3));
    return line;
  });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.concat(rows), { level: 9 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("PLTE", palette), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

const lines = [192, 512].map((size) => `  "${size}.png": "${png(size).toString("base64")}",`);
const text = `// The pictures of the inbox as an app, PNG as base64. Made by scripts/inbox-icons.ts.

export const iconFiles = {
${lines.join("\n")}
} as const;
`;
writeFileSync(fileURLToPath(new URL("../workers/ui/inbox/icon-files.ts", import.meta.url)), text);

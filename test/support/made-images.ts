// Images made by hand, good and bad: whatever an encoder would never write is made here too.

import { zlibSync } from "fflate";
import { crc32 } from "../../shared/image/crc32.ts";

export const ascii = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
export const joined = (...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
const big = (value: number): number[] => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const little = (value: number): number[] => [value & 255, (value >>> 8) & 255];
const little32 = (value: number): number[] => big(value).toReversed();

// PNG

export type ColorType = 0 | 2 | 3 | 4 | 6;
const samplesOf = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

export type PngRecipe = {
  readonly width: number;
  readonly height: number;
  readonly colorType: ColorType;
  readonly bitDepth?: number;
  /** The samples of a pixel, each up to 2^bitDepth - 1. */
  readonly pixel: (x: number, y: number) => readonly number[];
  readonly palette?: readonly number[];
  readonly transparency?: readonly number[];
  readonly interlaced?: boolean;
  /** The filter of the row that is written as the so manieth. */
  readonly filter?: (row: number) => number;
  /** Chunks between the header and the rows. */
  readonly more?: readonly Uint8Array[];
};

export const pngSignature = [0x89, ...ascii("PNG\r\n\x1a\n")];

export function pngChunk(name: string, body: Uint8Array | readonly number[]): Uint8Array<ArrayBuffer> {
  const typed = joined(ascii(name), body);
  return joined(big(body.length), typed, big(crc32(typed)));
}

export const pngHeader = (width: number, height: number, colorType: number, bitDepth = 8, interlaced = false): Uint8Array<ArrayBuffer> =>
  pngChunk("IHDR", [...big(width), ...big(height), bitDepth, colorType, 0, 0, interlaced ? 1 : 0]);

const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The filtered rows, before they are deflated. */
export function pngRows(recipe: PngRecipe): Uint8Array<ArrayBuffer> {
  const { width, height, colorType, bitDepth = 8, pixel, interlaced = false, filter = () => 0 } = recipe;
  const bits = samplesOf[colorType] * bitDepth;
  const step = Math.max(1, bits / 8);
  const rows: number[][] = [];
  for (const [x0, y0, dx, dy] of interlaced ? adam7 : ([[0, 0, 1, 1]] as const)) {
    if (x0 >= width) continue;
    let above: readonly number[] = [];
    for (let y = y0; y < height; y += dy) {
      const samples: number[] = [];
      for (let x = x0; x < width; x += dx) samples.push(...pixel(x, y));
      const row = packed(samples, bitDepth);
      const type = filter(rows.length);
      rows.push([type, ...row.map((value, at) => (value - predicted(type, row, above, at, step)) & 255)]);
      above = row;
    }
  }
  return Uint8Array.from(rows.flat());
}

function packed(samples: readonly number[], bitDepth: number): number[] {
  if (bitDepth === 16) return samples.flatMap((sample) => [sample >> 8, sample & 255]);
  const perByte = 8 / bitDepth;
  return Array.from({ length: Math.ceil(samples.length / perByte) }, (_, byte) => {
    let value = 0;
    for (let at = 0; at < perByte; at += 1) value = (value << bitDepth) | (samples[byte * perByte + at] ?? 0);
    return value;
  });
}

function predicted(type: number, row: readonly number[], above: readonly number[], at: number, step: number): number {
  const [left, up, corner] = [row[at - step] ?? 0, above[at] ?? 0, above[at - step] ?? 0];
  switch (type) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return Math.floor((left + up) / 2);
    case 4: {
      const nearest = [left, up, corner].toSorted(
        (one, other) => Math.abs(left + up - corner - one) - Math.abs(left + up - corner - other),
      );
      return nearest[0] ?? 0;
    }
    default:
      return 0;
  }
}

export function pngOf(recipe: PngRecipe): Uint8Array<ArrayBuffer> {
  const { width, height, colorType, bitDepth, interlaced, palette, transparency, more = [] } = recipe;
  return joined(
    pngSignature,
    pngHeader(width, height, colorType, bitDepth, interlaced),
    ...more,
    ...(palette === undefined ? [] : [pngChunk("PLTE", palette)]),
    ...(transparency === undefined ? [] : [pngChunk("tRNS", transparency)]),
    pngChunk("IDAT", zlibSync(pngRows(recipe))),
    pngChunk("IEND", []),
  );
}

/** A PNG of one colour, `samples` of one byte each, however large: only its rows are made. */
export function flatPng(width: number, height: number, samples: readonly number[]): Uint8Array<ArrayBuffer> {
  const colorType = ([0, 4, 2, 6] as const)[samples.length - 1] ?? 0;
  const stride = 1 + width * samples.length;
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1)
    for (let at = 1; at < stride; at += 1) rows[y * stride + at] = samples[(at - 1) % samples.length] ?? 0;
  return joined(pngSignature, pngHeader(width, height, colorType), pngChunk("IDAT", zlibSync(rows)), pngChunk("IEND", []));
}

/** A PNG with any bytes for its rows. */
export const pngWithRows = (width: number, height: number, colorType: ColorType, rows: Uint8Array): Uint8Array<ArrayBuffer> =>
  joined(pngSignature, pngHeader(width, height, colorType), pngChunk("IDAT", zlibSync(rows)), pngChunk("IEND", []));

/**
 * An animation whose default image is no frame of it: who does not animate shows one picture, who
 * does shows another.
 */
export function apng(shown: PngRecipe, animated: PngRecipe): Uint8Array<ArrayBuffer> {
  const { width, height, colorType } = shown;
  return joined(
    pngSignature,
    pngHeader(width, height, colorType),
    pngChunk("acTL", [...big(1), ...big(0)]),
    pngChunk("IDAT", zlibSync(pngRows(shown))),
    pngChunk("fcTL", [...big(0), ...big(width), ...big(height), ...big(0), ...big(0), 0, 1, 0, 1, 0, 0]),
    pngChunk("fdAT", joined(big(1), zlibSync(pngRows(animated)))),
    pngChunk("IEND", []),
  );
}

// GIF

export type GifFrame = {
  readonly left?: number;
  readonly top?: number;
  readonly width: number;
  readonly height: number;
  /** Hundredths of a second. */
  readonly delay?: number;
  readonly clear?: number;
  readonly interlaced?: boolean;
  readonly pixel: (x: number, y: number) => number;
};

/** @param palette RGB triples of 4 to 256 colours, a power of two */
export function gifOf(width: number, height: number, palette: readonly number[], frames: readonly GifFrame[]): Uint8Array<ArrayBuffer> {
  const bits = Math.max(2, Math.log2(palette.length / 3));
  return joined(
    ascii("GIF89a"),
    little(width),
    little(height),
    [0x80 | (bits - 1), 0, 0],
    palette,
    [0x21, 0xfe, 3, ...ascii("hi!"), 0],
    ...frames.map((frame) => gifFrame(frame, bits)),
    [0x3b],
  );
}

function gifFrame({ left = 0, top = 0, width, height, delay = 0, clear, interlaced = false, pixel }: GifFrame, bits: number): number[] {
  const rows = Array.from({ length: height }, (_, y) => y);
  const order = interlaced
    ? [
        ...rows.filter((y) => y % 8 === 0),
        ...rows.filter((y) => y % 8 === 4),
        ...rows.filter((y) => y % 4 === 2),
        ...rows.filter((y) => y % 2 === 1),
      ]
    : rows;
  const codes = lzw(
    order.flatMap((y) => Array.from({ length: width }, (_, x) => pixel(x, y))),
    bits,
  );
  const blocks: number[] = [];
  for (let at = 0; at < codes.length; at += 255) blocks.push(Math.min(255, codes.length - at), ...codes.slice(at, at + 255));
  return [
    0x21,
    0xf9,
    4,
    clear === undefined ? 0 : 1,
    ...little(delay),
    clear ?? 0,
    0,
    0x2c,
    ...[left, top, width, height].flatMap(little),
    interlaced ? 0x40 : 0,
    bits,
    ...blocks,
    0,
  ];
}

function lzw(colours: readonly number[], bits: number): number[] {
  const [clearCode, endCode] = [1 << bits, (1 << bits) + 1];
  const bytes: number[] = [];
  let [held, count] = [0, 0];
  let size = bits + 1;
  const write = (code: number): void => {
    held |= code << count;
    for (count += size; count >= 8; count -= 8) {
      bytes.push(held & 255);
      held >>>= 8;
    }
  };
  let known = new Map<string, number>();
  let next = 0;
  const start = (): void => {
    write(clearCode);
    known = new Map(Array.from({ length: clearCode }, (_, colour) => [String(colour), colour]));
    next = endCode + 1;
    size = bits + 1;
  };
  start();
  let string = "";
  for (const colour of colours) {
    const longer = string === "" ? String(colour) : `${string},${colour}`;
    if (known.has(longer)) {
      string = longer;
      continue;
    }
    write(known.get(string) ?? 0);
    string = String(colour);
    if (next === 4_096) {
      start();
      continue;
    }
    known.set(longer, next);
    if (next === 1 << size && size < 12) size += 1;
    next += 1;
  }
  write(known.get(string) ?? 0);
  write(endCode);
  if (count > 0) bytes.push(held & 255);
  return bytes;
}

// JPEG and WebP: what is around the codec's own bytes

export const jpegSegment = (marker: number, body: readonly number[]): number[] => {
  const length = body.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...body];
};

/** Exif with an orientation, a place on earth and a name. */
export function exifSegment(orientation: number, little_ = false): number[] {
  const two = little_ ? little : (value: number): number[] => [value >> 8, value & 255];
  const four = little_ ? little32 : big;
  const entry = (tag: number, type: number, count: number, value: readonly number[]): number[] => [
    ...two(tag),
    ...two(type),
    ...four(count),
    ...value,
  ];
  return jpegSegment(0xe1, [
    ...ascii("Exif\0\0"),
    ...ascii(little_ ? "II" : "MM"),
    ...two(42),
    ...four(8),
    ...two(3),
    ...entry(0x010e, 2, 4, ascii("Ada\0")),
    ...entry(0x0112, 3, 1, [...two(orientation), 0, 0]),
    ...entry(0x8825, 4, 1, four(999)),
    ...four(0),
    ...ascii("GPS 52.5200 N 13.4050 E"),
  ]);
}

/** A JPEG with more segments after its start. */
export const withSegments = (jpeg: Uint8Array, ...segments: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> =>
  joined(jpeg.subarray(0, 2), ...segments, jpeg.subarray(2));

export const webpChunk = (name: string, body: Uint8Array | readonly number[]): number[] => [
  ...ascii(name),
  ...little32(body.length),
  ...body,
  ...(body.length % 2 === 0 ? [] : [0]),
];

export const webpOf = (...chunks: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> => {
  const body = chunks.flat();
  return joined(ascii("RIFF"), little32(body.length + 4), ascii("WEBP"), body);
};

/** The flags are those of VP8X; 2 is animation. */
export const vp8x = (flags: number, width: number, height: number): number[] =>
  webpChunk("VP8X", [flags, 0, 0, 0, ...little32(width - 1).slice(0, 3), ...little32(height - 1).slice(0, 3)]);

/** The head of a lossless picture of any size, and nothing after it. */
export const vp8l = (width: number, height: number): number[] =>
  webpChunk("VP8L", [0x2f, ...little32((width - 1) | ((height - 1) << 14)), 0]);

// A PNG's rows to a raster: inflated piece by piece, unfiltered, every colour type and depth to eight bits of RGB over the background.
//
// Never more than what the header says is inflated, and of that one row at a time is kept.

import { Unzlib } from "fflate";
import { type Result, err, ok } from "../result.ts";
import type { ImageError } from "./image-error.ts";
import type { PngParts } from "./png-chunks.ts";
import { type Raster, emptyRaster, flattenInto, overBackground } from "./raster.ts";

/** One pass over the picture: all of it, or one of the seven of Adam7. */
type Pass = { readonly x: number; readonly y: number; readonly dx: number; readonly dy: number };

const whole: readonly Pass[] = [{ x: 0, y: 0, dx: 1, dy: 1 }];
const adam7: readonly Pass[] = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

const samplesOf = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const satisfies Record<PngParts["colorType"], number>;

/** What is given to the inflater at once: at a thousandfold at most, 16 MB come out of it. */
const pieceBytes = 16_384;

const undecodable = err({ kind: "undecodable" } as const);

/** The picture. Refused: rows that are too few, too many or no zlib stream, an unknown filter, a colour that the palette does not have. */
export function decodePng(png: PngParts): Result<Raster, ImageError> {
  const rows = new PngRows(png);
  const inflater = new Unzlib((chunk) => rows.take(chunk));
  try {
    for (const [index, part] of png.compressed.entries()) {
      for (let from = 0; from < part.length || from === 0; from += pieceBytes) {
        const isLast = index === png.compressed.length - 1 && from + pieceBytes >= part.length;
        inflater.push(part.subarray(from, from + pieceBytes), isLast);
        if (rows.failed) return undecodable;
      }
    }
  } catch {
    return undecodable;
  }
  return rows.complete ? ok(rows.raster) : undecodable;
}

class PngRows {
  readonly raster: Raster;
  failed = false;
  readonly #png: PngParts;
  readonly #passes: readonly Pass[];
  readonly #bytesPerPixel: number;
  #pass = -1;
  /** Pixels and rows of the pass; the row in it that comes next. */
  #columns = 0;
  #rows = 0;
  #row = 0;
  /** The row that is being filled, with its filter first, and the one above it. */
  #current = new Uint8Array();
  #above = new Uint8Array();
  #filled = 0;

  constructor(png: PngParts) {
    this.#png = png;
    this.raster = emptyRaster(png.width, png.height);
    this.#bytesPerPixel = Math.max(1, (samplesOf[png.colorType] * png.bitDepth) / 8);
    this.#passes = (png.interlaced ? adam7 : whole).filter(({ x, y }) => x < png.width && y < png.height);
    this.#nextPass();
  }

  get complete(): boolean {
    return !this.failed && this.#pass === this.#passes.length;
  }

  take(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length && !this.failed;) {
      if (this.complete) {
        this.failed = true;
        return;
      }
      const piece = bytes.subarray(from, from + this.#current.length - this.#filled);
      this.#current.set(piece, this.#filled);
      this.#filled += piece.length;
      from += piece.length;
      if (this.#filled === this.#current.length) this.#endRow();
    }
  }

  #nextPass(): void {
    this.#pass += 1;
    const pass = this.#passes[this.#pass];
    if (pass === undefined) return;
    this.#columns = Math.ceil((this.#png.width - pass.x) / pass.dx);
    this.#rows = Math.ceil((this.#png.height - pass.y) / pass.dy);
    this.#row = 0;
    const bytes = Math.ceil((this.#columns * samplesOf[this.#png.colorType] * this.#png.bitDepth) / 8);
    this.#current = new Uint8Array(bytes + 1);
    this.#above = new Uint8Array(bytes + 1);
    this.#filled = 0;
  }

  #endRow(): void {
    if (!unfilter(this.#current, this.#above, this.#bytesPerPixel) || !this.#draw()) {
      this.failed = true;
      return;
    }
    [this.#current, this.#above] = [this.#above, this.#current];
    this.#filled = 0;
    this.#row += 1;
    if (this.#row === this.#rows) this.#nextPass();
  }

  /** The row's pixels into the raster; false where it names a colour that is not there. */
  #draw(): boolean {
    const { width, bitDepth, colorType, palette, transparency } = this.#png;
    const pass = this.#passes[this.#pass];
    if (pass === undefined) return false;
    const { rgb } = this.raster;
    const row = this.#current;
    const start = ((pass.y + this.#row * pass.dy) * width + pass.x) * 3;
    if (pass.dx === 1 && bitDepth === 8 && colorType === 2 && transparency.length === 0) {
      rgb.set(row.subarray(1), start);
      return true;
    }
    if (pass.dx === 1 && bitDepth === 8 && colorType === 6) {
      flattenInto(row.subarray(1), rgb.subarray(start, start + width * 3));
      return true;
    }
    const count = samplesOf[colorType];
    const isWide = bitDepth === 16;
    const most = 2 ** bitDepth - 1;
    const pair = (at: number): number => ((row[at] ?? 0) << 8) | (row[at + 1] ?? 0);
    /** A sample as it stands in the row. */
    const raw = (index: number): number => {
      if (isWide) return pair(1 + index * 2);
      if (bitDepth === 8) return row[1 + index] ?? 0;
      const bit = index * bitDepth;
      return ((row[1 + (bit >> 3)] ?? 0) >> (8 - bitDepth - (bit & 7))) & most;
    };
    const scale = bitDepth === 8 ? (sample: number): number => sample : (sample: number): number => Math.round((sample * 255) / most);
    /** `tRNS` of the types without a palette: this very colour is transparent. */
    const clear = colorType !== 3 && transparency.length > 0 ? wordsOf(transparency) : null;
    for (let column = 0, index = 0, to = start; column < this.#columns; column += 1, index += count, to += pass.dx * 3) {
      const first = raw(index);
      if (colorType === 3) {
        if (first * 3 >= palette.length) return false;
        const alpha = transparency[first] ?? 255;
        for (let part = 0; part < 3; part += 1) rgb[to + part] = overBackground(palette[first * 3 + part] ?? 0, alpha);
        continue;
      }
      const isColour = count >= 3;
      const [red, green, blue] = isColour ? [first, raw(index + 1), raw(index + 2)] : [first, first, first];
      const isClear = clear !== null && clear[0] === red && (!isColour || (clear[1] === green && clear[2] === blue));
      const alpha = isClear ? 0 : count % 2 === 0 ? scale(raw(index + count - 1)) : 255;
      rgb[to] = overBackground(scale(red), alpha);
      rgb[to + 1] = overBackground(scale(green), alpha);
      rgb[to + 2] = overBackground(scale(blue), alpha);
    }
    return true;
  }
}

const wordsOf = (bytes: Uint8Array): number[] =>
  Array.from({ length: bytes.length / 2 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0));

/** Undoes a row's filter (section 9 of the standard) in place; false for a filter that there is none of. */
function unfilter(row: Uint8Array, above: Uint8Array, step: number): boolean {
  const before = (at: number): number => (at > step ? (row[at - step] ?? 0) : 0);
  switch (row[0]) {
    case 0:
      return true;
    case 1:
      for (let at = 1 + step; at < row.length; at += 1) row[at] = (row[at] ?? 0) + (row[at - step] ?? 0);
      return true;
    case 2:
      for (let at = 1; at < row.length; at += 1) row[at] = (row[at] ?? 0) + (above[at] ?? 0);
      return true;
    case 3:
      for (let at = 1; at < row.length; at += 1) row[at] = (row[at] ?? 0) + ((before(at) + (above[at] ?? 0)) >> 1);
      return true;
    case 4:
      for (let at = 1; at < row.length; at += 1)
        row[at] = (row[at] ?? 0) + paeth(before(at), above[at] ?? 0, at > step ? (above[at - step] ?? 0) : 0);
      return true;
    default:
      return false;
  }
}

/** The predictor of filter 4: of left, above and above left the one nearest to left + above - above left. */
export function paeth(left: number, up: number, corner: number): number {
  const byLeft = Math.abs(up - corner);
  const byUp = Math.abs(left - corner);
  const byCorner = Math.abs(left + up - corner - corner);
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner;
}

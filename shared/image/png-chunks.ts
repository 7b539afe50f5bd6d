// A PNG as its chunks say it is (PNG, third edition): header, palette, transparency and the
// compressed rows. Nothing is inflated here.

import { type Result, err, ok } from "../result.ts";
import { crc32 } from "./crc32.ts";
import type { ImageError } from "./image-error.ts";

type PngHeader = {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  /** 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGB with alpha. */
  readonly colorType: 0 | 2 | 3 | 4 | 6;
  readonly interlaced: boolean;
};

export type PngParts = PngHeader & {
  /** RGB triples; empty but for colour type 3. */
  readonly palette: Uint8Array;
  /** The body of `tRNS`; empty where there is none. */
  readonly transparency: Uint8Array;
  /** The bodies of `IDAT`, in order: together one zlib stream. */
  readonly compressed: readonly Uint8Array[];
};

const depths: Readonly<Record<number, readonly number[]>> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] };

const malformed = err({ kind: "malformed" } as const);

/**
 * The parts of a PNG. Refused: an animation, also one whose default image is apart; chunks out of
 * order, or with a wrong checksum; what ends before `IEND`; a critical chunk that the standard does
 * not know. Text, colour profiles, gamma and what follows `IEND` are left out.
 * @param bytes begin with the signature.
 */
export function readPng(bytes: Uint8Array): Result<PngParts, ImageError> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: PngHeader | undefined;
  let palette: Uint8Array = new Uint8Array();
  let transparency: Uint8Array = new Uint8Array();
  const compressed: Uint8Array[] = [];
  let rowsEnded = false;
  for (let at = 8; ;) {
    if (at + 12 > bytes.length) return err({ kind: "cutOff" });
    const length = view.getUint32(at);
    const end = at + 12 + length;
    if (end > bytes.length) return err({ kind: "cutOff" });
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, at + 8 + length);
    const isCritical = (view.getUint8(at + 4) & 0x20) === 0;
    if ((isCritical || name === "tRNS") && crc32(bytes.subarray(at + 4, at + 8 + length)) !== view.getUint32(end - 4)) return malformed;
    at = end;
    if (header === undefined && name !== "IHDR") return malformed;
    if (name !== "IDAT" && compressed.length > 0) rowsEnded = true;
    switch (name) {
      case "IHDR": {
        const read = header === undefined ? readHeader(body) : undefined;
        if (read === undefined) return malformed;
        header = read;
        break;
      }
      case "acTL":
      case "fcTL":
      case "fdAT":
        return err({ kind: "animated" });
      case "PLTE":
        if (palette.length > 0 || compressed.length > 0 || length === 0 || length % 3 !== 0 || length > 768) return malformed;
        palette = body;
        break;
      case "tRNS":
        if (transparency.length > 0 || compressed.length > 0) return malformed;
        transparency = body;
        break;
      case "IDAT":
        if (rowsEnded) return malformed;
        compressed.push(body);
        break;
      case "IEND":
        if (header === undefined || compressed.length === 0) return malformed;
        return coloursFit(header, palette, transparency) ? ok({ ...header, palette, transparency, compressed }) : malformed;
      default:
        if (isCritical) return err({ kind: "unsupported", what: "extension" });
    }
  }
}

function readHeader(body: Uint8Array): PngHeader | undefined {
  if (body.length !== 13) return undefined;
  const view = new DataView(body.buffer, body.byteOffset);
  const [bitDepth = 0, colorType = 0, compression, filter, interlace = 2] = body.subarray(8);
  if (!(depths[colorType]?.includes(bitDepth) ?? false) || compression !== 0 || filter !== 0 || interlace > 1) return undefined;
  const type = colorType as PngHeader["colorType"]; // of those that `depths` has
  return { width: view.getUint32(0), height: view.getUint32(4), bitDepth, colorType: type, interlaced: interlace === 1 };
}

function coloursFit({ colorType }: PngHeader, palette: Uint8Array, transparency: Uint8Array): boolean {
  switch (colorType) {
    case 0:
      return transparency.length === 0 || transparency.length === 2;
    case 2:
      return transparency.length === 0 || transparency.length === 6;
    case 3:
      return palette.length > 0 && transparency.length <= palette.length / 3;
    case 4:
    case 6:
      return transparency.length === 0;
  }
}

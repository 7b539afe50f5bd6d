// A GIF of one picture as its blocks say it is (GIF89a): canvas, where the picture stands on it,
// its colours, its codes. Nothing is decoded here.

import { type Result, err, ok } from "../result.ts";
import type { ImageError } from "./image-error.ts";

export type GifParts = {
  readonly width: number;
  readonly height: number;
  /** Where the picture stands on the canvas. */
  readonly frame: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  readonly interlaced: boolean;
  /** RGB triples. */
  readonly palette: Uint8Array;
  /** The colour that is transparent; null where none is. */
  readonly clear: number | null;
  readonly minimumCodeSize: number;
  /** In sub-blocks: `subBlocks` has what is in them. */
  readonly codes: Uint8Array;
};

const malformed = err({ kind: "malformed" } as const);
const cutOff = err({ kind: "cutOff" } as const);

/**
 * The one picture. Refused: a second one, however short the first is shown; a picture that reaches
 * over the canvas or has no colours; what ends before the trailer. Comments, application data and
 * what follows the trailer are left out.
 * @param bytes begin with the signature.
 */
export function readGif(bytes: Uint8Array): Result<GifParts, ImageError> {
  if (bytes.length < 13) return cutOff;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  const flags = view.getUint8(10);
  const globalBytes = flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
  const global = bytes.subarray(13, 13 + globalBytes);
  let clear: number | null = null;
  let picture: GifParts | undefined;
  for (let at = 13 + globalBytes; ;) {
    const block = bytes[at];
    if (block === undefined) return cutOff;
    if (block === 0x3b) return picture === undefined ? malformed : ok(picture);
    if (block === 0x21) {
      // A graphic control extension is of the picture that follows it.
      if (bytes[at + 1] === 0xf9 && bytes[at + 2] === 4 && picture === undefined)
        clear = (bytes[at + 3] ?? 0) & 1 ? (bytes[at + 6] ?? 0) : null;
      const end = endOfSubBlocks(bytes, at + 2);
      if (end === undefined) return cutOff;
      at = end;
      continue;
    }
    if (block !== 0x2c) return malformed;
    if (picture !== undefined) return err({ kind: "animated" });
    if (at + 11 > bytes.length) return cutOff;
    const frame = {
      left: view.getUint16(at + 1, true),
      top: view.getUint16(at + 3, true),
      width: view.getUint16(at + 5, true),
      height: view.getUint16(at + 7, true),
    };
    const own = view.getUint8(at + 9);
    const ownBytes = own & 0x80 ? 3 << ((own & 7) + 1) : 0;
    const palette = ownBytes > 0 ? bytes.subarray(at + 10, at + 10 + ownBytes) : global;
    const minimumCodeSize = bytes[at + 10 + ownBytes];
    if (minimumCodeSize === undefined) return cutOff;
    if (palette.length === 0 || minimumCodeSize < 2 || minimumCodeSize > 8) return malformed;
    if (frame.left + frame.width > width || frame.top + frame.height > height || frame.width * frame.height === 0) return malformed;
    const codesAt = at + 11 + ownBytes;
    const end = endOfSubBlocks(bytes, codesAt);
    if (end === undefined) return cutOff;
    const codes = bytes.subarray(codesAt, end);
    picture = { width, height, frame, interlaced: (own & 0x40) !== 0, palette, clear, minimumCodeSize, codes };
    at = end;
  }
}

/** Where the block after these sub-blocks begins; undefined where their end is missing. */
function endOfSubBlocks(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; ;) {
    const size = bytes[at];
    if (size === undefined) return undefined;
    at += size + 1;
    if (size === 0) return at;
  }
}

/** The data of each of `codes`. */
export function* subBlocks(codes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0, size = codes[0] ?? 0; size > 0; at += size + 1, size = codes[at] ?? 0) yield codes.subarray(at + 1, at + 1 + size);
}

// A GIF of one picture as its blocks say it is (GIF89a): canvas, where the picture stands on it, its colours, its codes. Nothing is decoded here.

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
  readonly codes: Uint8Array;
};

const malformed = err({ kind: "malformed" } as const);
const cutOff = err({ kind: "cutOff" } as const);

/**
 * The one picture. Refused: a second one, however short the first is shown; a picture that reaches over the canvas or has no colours; what ends before the
 * trailer. Comments, application data and what follows the trailer are left out.
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
      const body = subBlocks(bytes, at + 2);
      if (body === undefined) return cutOff;
      at = body.end;
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
    const body = subBlocks(bytes, at + 11 + ownBytes);
    if (body === undefined) return cutOff;
    picture = { width, height, frame, interlaced: (own & 0x40) !== 0, palette, clear, minimumCodeSize, codes: body.bytes };
    at = body.end;
  }
}

/** The data of a block's sub-blocks, and where the next block begins; undefined where the end of them is missing. */
function subBlocks(bytes: Uint8Array, from: number): { readonly bytes: Uint8Array; readonly end: number } | undefined {
  let length = 0;
  let end = from;
  for (let size = bytes[end]; size !== 0; size = bytes[end]) {
    if (size === undefined || end + size >= bytes.length) return undefined;
    length += size;
    end += size + 1;
  }
  const whole = new Uint8Array(length);
  for (let at = from, to = 0; at < end;) {
    const size = bytes[at] ?? 0;
    whole.set(bytes.subarray(at + 1, at + 1 + size), to);
    to += size;
    at += size + 1;
  }
  return { bytes: whole, end: end + 1 };
}

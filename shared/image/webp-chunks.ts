// A WebP of one picture as its chunks say it is (RFC 9649): size, kind of coding, whether it has
// transparency. Nothing is decoded here.

import { type Result, err, ok } from "../result.ts";
import type { ImageError } from "./image-error.ts";

export type WebpParts = {
  readonly width: number;
  readonly height: number;
  readonly lossless: boolean;
  readonly hasAlpha: boolean;
  /** The file as its own header counts it: what follows is left out. */
  readonly bytes: Uint8Array;
};

const malformed = err({ kind: "malformed" } as const);
const cutOff = err({ kind: "cutOff" } as const);

type Picture = Pick<WebpParts, "width" | "height" | "lossless" | "hasAlpha">;

/**
 * The one picture. Refused: an animation by its flag or by its chunks, a second picture, one of
 * another size than its canvas, what is shorter than its own header counts. Colour profiles, Exif
 * and XMP are not looked at.
 * @param bytes begin with `RIFF`, four bytes and `WEBP`.
 */
export function readWebp(bytes: Uint8Array): Result<WebpParts, ImageError> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = view.getUint32(4, true) + 8;
  if (whole > bytes.length) return cutOff;
  let canvas: { readonly width: number; readonly height: number } | undefined;
  let alphaApart = false;
  let picture: Picture | undefined;
  for (let at = 12, index = 0; at < whole; index += 1) {
    if (at + 8 > whole) return cutOff;
    const name = String.fromCharCode(...bytes.subarray(at, at + 4));
    const length = view.getUint32(at + 4, true);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (at + 8 + length > whole) return cutOff;
    at += 8 + length + (length % 2);
    switch (name) {
      case "VP8X": {
        if (index > 0 || length < 10) return malformed;
        if ((body[0] ?? 0) & 2) return err({ kind: "animated" });
        canvas = { width: 1 + threeBytes(body, 4), height: 1 + threeBytes(body, 7) };
        break;
      }
      case "ANIM":
      case "ANMF":
        return err({ kind: "animated" });
      case "ALPH":
        alphaApart = true;
        break;
      case "VP8 ":
      case "VP8L": {
        const read = name === "VP8L" ? readLossless(body) : readLossy(body, alphaApart);
        if (read === undefined || picture !== undefined) return malformed;
        picture = read;
      }
    }
  }
  if (picture === undefined) return malformed;
  if (canvas !== undefined && (canvas.width !== picture.width || canvas.height !== picture.height)) return malformed;
  return ok({ ...picture, bytes: bytes.subarray(0, whole) });
}

const threeBytes = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);

/** A key frame of VP8 (RFC 6386, section 9.1). */
function readLossy(body: Uint8Array, hasAlpha: boolean): Picture | undefined {
  if (body.length < 10 || (body[0] ?? 1) & 1 || body[3] !== 0x9d || body[4] !== 0x01 || body[5] !== 0x2a) return undefined;
  const size = (at: number): number => ((body[at] ?? 0) | ((body[at + 1] ?? 0) << 8)) & 0x3fff;
  return { width: size(6), height: size(8), lossless: false, hasAlpha };
}

function readLossless(body: Uint8Array): Picture | undefined {
  if (body.length < 5 || body[0] !== 0x2f) return undefined;
  const bits = new DataView(body.buffer, body.byteOffset).getUint32(1, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff), lossless: true, hasAlpha: ((bits >>> 28) & 1) === 1 };
}

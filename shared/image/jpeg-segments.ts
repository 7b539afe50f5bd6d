// A JPEG as its markers say it is (ITU T.81): size, kind of coding, components, the orientation
// that its Exif gives. Nothing is decoded here.

import { type Result, err, ok } from "../result.ts";
import { type Orientation, exifOrientation } from "./exif.ts";
import type { ImageError } from "./image-error.ts";
import { mostScans } from "./image-limits.ts";

export type JpegParts = {
  readonly width: number;
  readonly height: number;
  readonly progressive: boolean;
  readonly components: 1 | 3;
  /** The colours have as many samples as the brightness. */
  readonly fullChroma: boolean;
  /** How a viewer is to turn it; 1: not at all. */
  readonly orientation: Orientation;
  /**
   * The first image alone: what follows its end (a second picture of a multi-picture file, a video,
   * an archive) is left out.
   */
  readonly bytes: Uint8Array;
};

const malformed = err({ kind: "malformed" } as const);
const cutOff = err({ kind: "cutOff" } as const);
const unsupported = (what: Extract<ImageError, { kind: "unsupported" }>["what"]) => err({ kind: "unsupported", what } as const);

type Frame = Omit<JpegParts, "orientation" | "bytes">;

/**
 * The first image of a JPEG. Refused: codings that few decoders take (arithmetic, lossless,
 * hierarchical, more than 8 bits), four components, more scans than `mostScans`, a second frame
 * header, what ends before the end marker.
 * @param bytes begin with the start marker.
 */
export function readJpeg(bytes: Uint8Array): Result<JpegParts, ImageError> {
  let frame: Frame | undefined;
  let orientation: Orientation = 1;
  let scans = 0;
  for (let at = 2; ;) {
    if (bytes[at] !== 0xff) return at >= bytes.length ? cutOff : malformed;
    while (bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    if (marker === undefined) return cutOff;
    at += 2;
    if (marker === 0xd9) {
      if (frame === undefined || scans === 0) return malformed;
      return ok({ ...frame, orientation, bytes: bytes.subarray(0, at) });
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) return malformed;
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    if (at + length > bytes.length) return cutOff;
    if (length < 2) return malformed;
    const body = bytes.subarray(at + 2, at + length);
    at += length;
    if (marker === 0xe1) orientation = exifOrientation(body) ?? orientation;
    else if (marker === 0xcc) return unsupported("arithmetic");
    else if (isFrame(marker)) {
      if (frame !== undefined) return malformed;
      const read = readFrame(marker, body);
      if (!read.ok) return read;
      frame = read.value;
    } else if (marker === 0xda) {
      if (frame === undefined) return malformed;
      scans += 1;
      if (scans > mostScans) return err({ kind: "tooManyScans" });
      const end = endOfScan(bytes, at);
      if (end === undefined) return cutOff;
      at = end;
    }
  }
}

/** SOF0 to SOF15, but for the three numbers that mean something else. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function readFrame(marker: number, body: Uint8Array): Result<Frame, ImageError> {
  if (marker > 0xc8) return unsupported("arithmetic");
  if (marker > 0xc2) return unsupported("lossless");
  const [precision, heightHigh = 0, heightLow = 0, widthHigh = 0, widthLow = 0, components] = body;
  if (precision !== 8) return unsupported("precision");
  if (components === 4) return unsupported("cmyk");
  if ((components !== 1 && components !== 3) || body.length !== 6 + components * 3) return malformed;
  const sampling = Array.from({ length: components }, (_, index) => body[7 + index * 3]);
  return ok({
    width: (widthHigh << 8) | widthLow,
    height: (heightHigh << 8) | heightLow,
    progressive: marker === 0xc2,
    components,
    fullChroma: sampling.every((each) => each === sampling[0]),
  });
}

/** Where the next marker stands that is no restart marker and no stuffed byte. */
function endOfScan(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) return undefined;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return undefined;
}

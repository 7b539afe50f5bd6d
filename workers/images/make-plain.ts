// Makes of an image's bytes the one raster that reviewer and model get, encoded anew: JPEG where
// the image was lossy, without transparency and not small, else PNG. Only pixels are carried over.

import { decodeGif } from "../../shared/image/decode-gif.ts";
import { decodePng } from "../../shared/image/decode-png.ts";
import { encodePng } from "../../shared/image/encode-png.ts";
import type { ImageError } from "../../shared/image/image-error.ts";
import { type ImageParts, readImage } from "../../shared/image/image-header.ts";
import { mostPlainBytes } from "../../shared/image/image-limits.ts";
import type { JpegParts } from "../../shared/image/jpeg-segments.ts";
import { type Raster, emptyRaster } from "../../shared/image/raster.ts";
import type { WebpParts } from "../../shared/image/webp-chunks.ts";
import { type Result, err, ok, unreachable } from "../../shared/result.ts";
import { decodeJpeg, encodeDecoded, encodeJpeg } from "./jpeg.ts";
import { decodeWebp } from "./webp.ts";

export type Plain = { readonly mimeType: "image/png" | "image/jpeg"; readonly bytes: Uint8Array };

/** Flat, as it crosses the RPC boundary. */
export type PlainAnswer = { readonly plain: Plain; readonly error: null } | { readonly plain: null; readonly error: ImageError };

export async function makePlain(bytes: Uint8Array): Promise<PlainAnswer> {
  const read = readImage(bytes);
  const made = read.ok ? await reencode(read.value) : read;
  return made.ok ? { plain: made.value, error: null } : { plain: null, error: made.error };
}

async function reencode(parts: ImageParts): Promise<Result<Plain, ImageError>> {
  switch (parts.type) {
    case "image/png":
      return asPng(decodePng(parts));
    case "image/gif":
      return asPng(decodeGif(parts));
    case "image/jpeg":
      return jpeg(parts);
    case "image/webp":
      return webp(parts);
    default:
      return unreachable(parts);
  }
}

async function jpeg(parts: JpegParts): Promise<Result<Plain, ImageError>> {
  const decoded = await decodeJpeg(parts);
  if (!decoded.ok) return decoded;
  if (!isSmall(parts)) return asJpeg(encodeDecoded(decoded.value));
  const raster = emptyRaster(decoded.value.width, decoded.value.height);
  decoded.value.moveTo(raster.rgb);
  return asPng(ok(raster));
}

async function webp(parts: WebpParts): Promise<Result<Plain, ImageError>> {
  const raster = await decodeWebp(parts);
  if (!raster.ok || parts.lossless || parts.hasAlpha || isSmall(parts)) return asPng(raster);
  return asJpeg(await encodeJpeg(raster.value));
}

/** A PNG of so few pixels is small too, and a JPEG would be mostly its tables. */
const isSmall = ({ width, height }: { readonly width: number; readonly height: number }): boolean => width * height <= 128 * 128;

function asPng(raster: Result<Raster, ImageError>): Result<Plain, ImageError> {
  if (!raster.ok) return raster;
  const bytes = encodePng(raster.value, mostPlainBytes);
  return bytes === null ? err({ kind: "plainTooLarge" }) : ok({ mimeType: "image/png", bytes });
}

const asJpeg = (bytes: Result<Uint8Array, ImageError>): Result<Plain, ImageError> =>
  bytes.ok ? ok({ mimeType: "image/jpeg", bytes: bytes.value }) : bytes;

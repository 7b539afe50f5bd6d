// What is known of an image before anything of it is decoded, and whether it may be decoded at all.

import { type Result, err, ok, unreachable } from "../result.ts";
import { type GifParts, readGif } from "./gif-blocks.ts";
import type { ImageError } from "./image-error.ts";
import { mostImageBytes, mostPixels, mostPixelsOfFullProgressive, mostPixelsOfWebp } from "./image-limits.ts";
import { imageTypeOf } from "./image-type.ts";
import { type JpegParts, readJpeg } from "./jpeg-segments.ts";
import { type PngParts, readPng } from "./png-chunks.ts";
import { type WebpParts, readWebp } from "./webp-chunks.ts";

export type ImageParts =
  | ({ readonly type: "image/png" } & PngParts)
  | ({ readonly type: "image/gif" } & GifParts)
  | ({ readonly type: "image/jpeg" } & JpegParts)
  | ({ readonly type: "image/webp" } & WebpParts);

/**
 * The parts of an image that may be decoded: one picture of at most so many pixels, whole, in a
 * form that every decoder takes. Nothing is decoded, inflated or made as large as the header says
 * for it.
 */
export function readImage(bytes: Uint8Array): Result<ImageParts, ImageError> {
  if (bytes.length > mostImageBytes) return err({ kind: "tooManyBytes" });
  const read = readParts(bytes);
  if (!read.ok) return read;
  const { width, height } = read.value;
  const most = mostPixelsOf(read.value);
  if (width === 0 || height === 0) return err({ kind: "noPixels" });
  return width * height > most ? err({ kind: "tooManyPixels", width, height, most }) : read;
}

function readParts(bytes: Uint8Array): Result<ImageParts, ImageError> {
  const type = imageTypeOf(bytes);
  switch (type) {
    case "image/png":
      return typed(type, readPng(bytes));
    case "image/gif":
      return typed(type, readGif(bytes));
    case "image/jpeg":
      return typed(type, readJpeg(bytes));
    case "image/webp":
      return typed(type, readWebp(bytes));
    case undefined:
      return err({ kind: "unknownType" });
    default:
      return unreachable(type);
  }
}

const typed = <Type extends string, Parts extends object>(type: Type, read: Result<Parts, ImageError>) =>
  read.ok ? ok({ type, ...read.value }) : read;

function mostPixelsOf(parts: ImageParts): number {
  if (parts.type === "image/webp") return mostPixelsOfWebp;
  return parts.type === "image/jpeg" && parts.progressive && parts.fullChroma && parts.components > 1
    ? mostPixelsOfFullProgressive
    : mostPixels;
}

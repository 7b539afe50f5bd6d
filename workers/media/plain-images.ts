// Makes of each image the one raster that reviewers and models get: headers are judged here, the
// images Worker decodes and encodes.

import { bytesToHex } from "../../shared/encoding.ts";
import type { ImageData } from "../../shared/image/content-images.ts";
import type { ImageDigests } from "../../shared/image/image-digests.ts";
import { type ImageError, mediaTypeError } from "../../shared/image/image-error.ts";
import { readImage } from "../../shared/image/image-header.ts";
import { mostImageBytes, mostPixelsAltogether, mostPlainBytesAltogether } from "../../shared/image/image-limits.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Env } from "../platform/env.ts";
import type { Plain } from "../images/make-plain.ts";
import { errorClass, logEvent } from "../platform/log.ts";

export type PlainImage = ImageData & { readonly mimeType: Plain["mimeType"]; readonly digests: ImageDigests };

export type ErrorOf = { readonly index: number; readonly error: ImageError };

/**
 * The rasters of all images in order, or every error. Nothing is decoded where a header is refused.
 * Images are decoded one after the other, because together they would need as many times the
 * memory.
 * @param given valid base64.
 */
export async function plainImages(env: Env, given: readonly ImageData[]): Promise<Result<readonly PlainImage[], readonly ErrorOf[]>> {
  const errors: ErrorOf[] = [];
  const files: Uint8Array[] = [];
  let pixels = 0;
  for (const [index, image] of given.entries()) {
    const file = fileOf(image);
    if (file.ok) pixels += file.value.pixels;
    if (!file.ok) errors.push({ index, error: file.error });
    else if (pixels > mostPixelsAltogether) errors.push({ index, error: { kind: "tooManyPixelsAltogether" } });
    else files.push(file.value.bytes);
  }
  if (errors.length > 0) return err(errors);
  const made: PlainImage[] = [];
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const plain = await decode(env, file);
    bytes += plain.ok ? plain.value.bytes.length : 0;
    if (!plain.ok) errors.push({ index, error: plain.error });
    else if (bytes > mostPlainBytesAltogether) errors.push({ index, error: { kind: "plainTooLargeAltogether" } });
    else
      made.push({
        data: plain.value.bytes.toBase64(),
        mimeType: plain.value.mimeType,
        digests: { received: await sha256Of(file), plain: await sha256Of(plain.value.bytes) },
      });
  }
  return errors.length === 0 ? ok(made) : err(errors);
}

function fileOf({ data, mimeType }: ImageData): Result<{ readonly bytes: Uint8Array; readonly pixels: number }, ImageError> {
  if ((data.length / 4) * 3 > mostImageBytes + 2) return err({ kind: "tooManyBytes" });
  const bytes = Uint8Array.fromBase64(data);
  const read = readImage(bytes);
  if (!read.ok) return read;
  const error = mediaTypeError(read.value.type, mimeType);
  return error === null ? ok({ bytes, pixels: read.value.width * read.value.height }) : err(error);
}

async function decode(env: Env, bytes: Uint8Array): Promise<Result<Plain, ImageError>> {
  try {
    const { plain, error } = await env.IMAGES.plain(bytes);
    return plain === null ? err(error) : ok(plain);
  } catch (error) {
    // The Worker is not bound, or the image was too much for it: an image that no reviewer could
    // see is not sent.
    logEvent("images.failed", { error: errorClass(error) });
    return err({ kind: "noDecoder" });
  }
}

/** The digest of an image's bytes as received, valid or not. */
export const receivedDigest = ({ data }: ImageData): Promise<string> => sha256Of(Uint8Array.fromBase64(data));

/** As `ImageDigests` has it. */
const sha256Of = async (bytes: Uint8Array): Promise<string> => bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

// Images as the one raster that people see and models get: judged by their headers here, decoded and encoded again by the images Worker.

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

/** What is wrong with which of the images that were given. */
export type ErrorOf = { readonly index: number; readonly fault: ImageError };

/**
 * The rasters of all images, in their order; or everything that is wrong with them. Nothing is decoded where one of them is refused by its header, and
 * they are decoded one after the other: beside each other they would need as many times the memory.
 * @param given base64 that was checked to be some.
 */
export async function plainImages(env: Env, given: readonly ImageData[]): Promise<Result<readonly PlainImage[], readonly ErrorOf[]>> {
  const faults: ErrorOf[] = [];
  const files: Uint8Array[] = [];
  let pixels = 0;
  for (const [index, image] of given.entries()) {
    const file = fileOf(image);
    if (file.ok) pixels += file.value.pixels;
    if (!file.ok) faults.push({ index, fault: file.error });
    else if (pixels > mostPixelsAltogether) faults.push({ index, fault: { kind: "tooManyPixelsAltogether" } });
    else files.push(file.value.bytes);
  }
  if (faults.length > 0) return err(faults);
  const made: PlainImage[] = [];
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const plain = await decode(env, file);
    bytes += plain.ok ? plain.value.bytes.length : 0;
    if (!plain.ok) faults.push({ index, fault: plain.error });
    else if (bytes > mostPlainBytesAltogether) faults.push({ index, fault: { kind: "plainTooLargeAltogether" } });
    else
      made.push({
        data: plain.value.bytes.toBase64(),
        mimeType: plain.value.mimeType,
        digests: { received: await sha256Of(file), plain: await sha256Of(plain.value.bytes) },
      });
  }
  return faults.length === 0 ? ok(made) : err(faults);
}

function fileOf({ data, mimeType }: ImageData): Result<{ readonly bytes: Uint8Array; readonly pixels: number }, ImageError> {
  if ((data.length / 4) * 3 > mostImageBytes + 2) return err({ kind: "tooManyBytes" });
  const bytes = Uint8Array.fromBase64(data);
  const read = readImage(bytes);
  if (!read.ok) return read;
  const fault = mediaTypeError(read.value.type, mimeType);
  return fault === null ? ok({ bytes, pixels: read.value.width * read.value.height }) : err(fault);
}

async function decode(env: Env, bytes: Uint8Array): Promise<Result<Plain, ImageError>> {
  try {
    const { plain, error: fault } = await env.IMAGES.plain(bytes);
    return plain === null ? err(fault) : ok(plain);
  } catch (error) {
    // It is not bound, or what it was given was too much for it: nothing is sent that nobody could have seen.
    logEvent("images.failed", { error: errorClass(error) });
    return err({ kind: "noDecoder" });
  }
}

/** The digest of an image as it came, whatever is wrong with it. */
export const receivedDigest = ({ data }: ImageData): Promise<string> => sha256Of(Uint8Array.fromBase64(data));

/** As `ImageDigests` has it. */
const sha256Of = async (bytes: Uint8Array): Promise<string> => bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

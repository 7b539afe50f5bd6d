// Reads the images of an envelope before any review: given as base64, or fetched from a host that
// the policy allows. They become plain rasters next (`plain-images.ts`). The address stays in this
// file, and no message has it.

import type { GivenImage } from "../../shared/wire/control/envelope.ts";
import { type AddressError, judgeImageUrl } from "../../shared/wire/control/image-address.ts";
import { imageErrorWords } from "../../shared/image/image-error.ts";
import { mostImageBytes } from "../../shared/image/image-limits.ts";
import { imageTypeOf } from "../../shared/image/image-type.ts";
import type { PointedError } from "../../shared/model/outcome.ts";
import { isBase64 } from "../../shared/wire/mcp-2025/content-rules.ts";
import { type ImageType, imageType } from "../../shared/model/media.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { readBounded } from "../http/body.ts";

export type ImageData = { readonly data: string; readonly mimeType: ImageType };

export type ImageLimits = {
  /** Of all images together, as base64. */
  readonly limitBytes: number;
  /** For all images together. */
  readonly timeoutMs: number;
  readonly fetch?: typeof fetch;
};

const mostRedirects = 3;
const atOnce = 3;

const allAt = "/task/parameters/images";
export const imagePointer = (index: number): string => `${allAt}/${index}/value`;

/** Where the images stand in their request: each, and all of them. */
type ImagePointers = { readonly of: (index: number) => string; readonly all: string };
const inEnvelope: ImagePointers = { of: imagePointer, all: allAt };

/**
 * The images in order, or every error with its pointer. An address is fetched without credentials
 * and only from a host of `imageHosts`; up to three redirects are followed by hand, each judged
 * like the first address. The answer must be an image of the same type by its Content-Type and by
 * its first bytes: PNG, JPEG, GIF or WebP. Base64 may be in a `data:` URL, as other APIs have it,
 * of the same type as its bytes. A host name that resolves to a private address cannot be detected
 * here: the operator who lists it is responsible.
 */
export async function fetchImages(
  given: readonly GivenImage[],
  imageHosts: readonly string[],
  limits: ImageLimits,
  pointers: ImagePointers = inEnvelope,
): Promise<Result<ImageData[], PointedError[]>> {
  const images: ImageData[] = [];
  const errors: PointedError[] = [];
  const signal = AbortSignal.timeout(limits.timeoutMs);
  let bytes = 0;
  for (let first = 0; first < given.length; first += atOnce) {
    const read = await Promise.all(
      given
        .slice(first, first + atOnce)
        .map((image) => (image.type === "base64" ? readGiven(image.value) : readFetched(image.value, imageHosts, limits, signal))),
    );
    for (const [index, one] of read.entries()) {
      if (one.ok) images.push(one.value);
      else errors.push({ pointer: pointers.of(first + index), message: one.error });
      bytes += one.ok ? one.value.data.length : 0;
    }
    if (bytes > limits.limitBytes) {
      errors.push({
        pointer: pointers.all,
        message: `are more than ${limits.limitBytes} bytes together as base64: send fewer or smaller ones`,
      });
      break;
    }
  }
  return errors.length === 0 ? ok(images) : err(errors);
}

const noImage = imageErrorWords({ kind: "unknownType" });
const tooLarge = imageErrorWords({ kind: "tooManyBytes" });
const otherType = (found: ImageType): string => imageErrorWords({ kind: "otherType", found });

function readGiven(value: string): Result<ImageData, string> {
  const prefixed = /^data:([a-z]+\/[a-z0-9.+-]+);base64,/i.exec(value.slice(0, 100));
  const data = prefixed === null ? value : value.slice(prefixed[0].length);
  if (data === "" || !isBase64(data)) return err("is not base64 (RFC 4648 section 4, without line breaks), nor a data: URL with it");
  if ((data.length / 4) * 3 > mostImageBytes + 2) return err(tooLarge);
  // 16 letters are 12 bytes.
  const mimeType = imageTypeOf(Uint8Array.from(atob(data.slice(0, 16)), (letter) => letter.charCodeAt(0)));
  if (mimeType === undefined) return err(noImage);
  if (prefixed !== null && imageType(prefixed[1] ?? "") !== mimeType) return err(otherType(mimeType));
  return ok({ data, mimeType });
}

const parse = (url: string): URL | undefined => URL.parse(url) ?? undefined;
const parseFrom =
  (base: string) =>
  (url: string): URL | undefined =>
    URL.parse(url, base) ?? undefined;

async function readFetched(
  url: string,
  imageHosts: readonly string[],
  limits: ImageLimits,
  signal: AbortSignal,
): Promise<Result<ImageData, string>> {
  const first = judgeImageUrl(url, parse, imageHosts);
  if (!first.ok) return err(addressWords[first.error]);
  let address = first.value;
  try {
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const response = await (limits.fetch ?? fetch)(address, { redirect: "manual", headers: { Accept: "image/*" }, signal });
      if (![301, 302, 303, 307, 308].includes(response.status)) return await imageIn(response);
      response.body?.cancel().catch(() => {});
      const next = judgeImageUrl(response.headers.get("Location") ?? "", parseFrom(address), imageHosts);
      if (!next.ok) return err(`redirects to an address that ${addressWords[next.error]}`);
      address = next.value;
    }
    return err(`redirects more than ${mostRedirects} times: give the image's own address`);
  } catch {
    return err(
      signal.aborted
        ? "did not arrive in time: try again, or send the image as base64"
        : "could not be fetched: try again, or send the image as base64",
    );
  }
}

async function imageIn(response: Response): Promise<Result<ImageData, string>> {
  const refuse = (message: string): Result<never, string> => {
    response.body?.cancel().catch(() => {});
    return err(message);
  };
  if (response.status !== 200) return refuse(`was answered with status ${response.status}, not with an image`);
  const said = response.headers.get("Content-Type") ?? "";
  if (!/^\s*image\//i.test(said)) return refuse("is not an image by its Content-Type");
  if (Number(response.headers.get("Content-Length") ?? "0") > mostImageBytes) return refuse(tooLarge);
  const bytes = response.body === null ? new Uint8Array() : await readBounded(response.body, mostImageBytes);
  if (bytes === null) return err(tooLarge);
  const mimeType = imageTypeOf(bytes);
  if (mimeType === undefined) return err(noImage);
  return imageType(said) === mimeType ? ok({ data: bytes.toBase64(), mimeType }) : err(otherType(mimeType));
}

const addressWords: Readonly<Record<AddressError, string>> = {
  noAddress: "is not an https address of at most 2048 characters",
  notHttps: "is not https, the only kind of address that images are fetched from",
  credentials: "has a user name or password: images are fetched without credentials",
  port: "names a port: images are fetched from the default port only",
  literalAddress: "has a numeric address as its host: images are fetched only from named hosts",
  notListed: "has a host that is not in the policy's imageHosts: ask the operator, or send the image as base64",
};

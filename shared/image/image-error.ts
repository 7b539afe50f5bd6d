// Why an image is refused: facts, and the words that the requestor gets for each. Nothing of the
// image's content is in them.

import { type ImageType, imageType } from "../model/media.ts";
import { unreachable } from "../result.ts";
import { mostImageBytes, mostPixelsAltogether, mostPlainBytes, mostPlainBytesAltogether, mostScans } from "./image-limits.ts";

export type ImageError =
  /** No PNG, JPEG, GIF or WebP by its first bytes. */
  | { readonly kind: "unknownType" }
  | { readonly kind: "otherType"; readonly found: ImageType }
  | { readonly kind: "tooManyBytes" }
  | { readonly kind: "animated" }
  | { readonly kind: "noPixels" }
  | { readonly kind: "tooManyPixels"; readonly width: number; readonly height: number; readonly most: number }
  | { readonly kind: "tooManyPixelsAltogether" }
  | { readonly kind: "tooManyScans" }
  /** It ends before its own end. */
  | { readonly kind: "cutOff" }
  /** It breaks its format's rules, so that decoders differ over it. */
  | { readonly kind: "malformed" }
  /** Its format allows it, and few decoders take it. */
  | { readonly kind: "unsupported"; readonly what: "cmyk" | "arithmetic" | "lossless" | "precision" | "extension" }
  /** Its header is good, and its pixels cannot be decoded. */
  | { readonly kind: "undecodable" }
  | { readonly kind: "plainTooLarge" | "plainTooLargeAltogether" }
  /** The images Worker gave no answer: it is not there, or ran out of memory. */
  | { readonly kind: "noDecoder" };

const megapixels = (pixels: number): string => `${Number((pixels / 1_000_000).toFixed(1))} megapixels`;
const mebibytes = (bytes: number): string => `${bytes / 1_048_576} MiB`;

/** What is wrong and what to do, as the end of a sentence whose subject is the image. */
export function imageErrorWords(fault: ImageError): string {
  switch (fault.kind) {
    case "unknownType":
      return "is not a PNG, JPEG, GIF or WebP image by its first bytes: send one of these";
    case "otherType":
      return `is of type ${fault.found} by its first bytes, not of the type given: give its actual type`;
    case "tooManyBytes":
      return `is larger than ${mebibytes(mostImageBytes)}: send a smaller image`;
    case "animated":
      return "is animated, so a reviewer and a model could see different frames: send one frame as PNG or JPEG";
    case "noPixels":
      return "has a width or height of 0: send an image with pixels";
    case "tooManyPixels":
      return `has ${fault.width} x ${fault.height} pixels, and at most ${megapixels(fault.most)} of its kind are decoded: send a smaller image`;
    case "tooManyPixelsAltogether":
      return `brings the images over ${megapixels(mostPixelsAltogether)} together: send fewer or smaller ones`;
    case "tooManyScans":
      return `has more than ${mostScans} scans: save it as a baseline JPEG`;
    case "cutOff":
      return "is truncated: send the whole file";
    case "malformed":
      return "violates its format, so decoders may read it differently: save it again";
    case "unsupported":
      return unsupportedWords[fault.what];
    case "undecodable":
      return "cannot be decoded: save it again";
    case "plainTooLarge":
      return `is larger than ${mebibytes(mostPlainBytes)} after re-encoding: send a smaller image`;
    case "plainTooLargeAltogether":
      return `brings the images over ${mebibytes(mostPlainBytesAltogether)} together after re-encoding: send fewer or smaller ones`;
    case "noDecoder":
      return "could not be decoded at the moment: try again, or send a smaller image";
    default:
      return unreachable(fault);
  }
}

const unsupportedWords = {
  cmyk: "is a CMYK JPEG, whose colours differ between decoders: convert it to RGB",
  arithmetic: "is a JPEG with arithmetic coding, which few decoders support: save it as a baseline JPEG",
  lossless: "is a lossless or hierarchical JPEG, which few decoders support: save it as PNG or as a baseline JPEG",
  precision: "has more than 8 bits for each sample of a JPEG, which few decoders support: save it with 8",
  extension: "needs an extension of its format that not every decoder has: save it again without",
} as const satisfies Record<Extract<ImageError, { kind: "unsupported" }>["what"], string>;

/**
 * The fault of bytes of one type that were given as another; parameters of the media type are
 * ignored.
 */
export const mediaTypeError = (found: ImageType, declared: string): ImageError | null =>
  imageType(declared) === found ? null : { kind: "otherType", found };

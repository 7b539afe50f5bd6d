// What type an image's bytes are.

import type { ImageType } from "../model/media.ts";

/**
 * The type by an image's first bytes, of the types that models take; 12 bytes are enough. Nothing
 * more of the image is checked.
 */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const begins = (from: number, ...with_: number[]): boolean => with_.every((byte, index) => bytes[from + index] === byte);
  if (begins(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (begins(0, 0xff, 0xd8, 0xff)) return "image/jpeg";
  if (begins(0, 0x47, 0x49, 0x46, 0x38) && (bytes[4] === 0x37 || bytes[4] === 0x39) && bytes[5] === 0x61) return "image/gif";
  if (begins(0, 0x52, 0x49, 0x46, 0x46) && begins(8, 0x57, 0x45, 0x42, 0x50)) return "image/webp";
  return undefined;
}

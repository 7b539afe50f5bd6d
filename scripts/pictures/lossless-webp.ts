// Encodes pixels as lossless WebP, as small as the encoder can: Chromium's own files are three
// times as large.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import encode, { init } from "@jsquash/webp/encode.js";

const { resolve } = createRequire(import.meta.url);
const ready = WebAssembly.compile(readFileSync(resolve("@jsquash/webp/codec/enc/webp_enc_simd.wasm"))).then((module) => init(module));

/** `rgba` has four bytes for each pixel, row by row. */
export async function losslessWebp(
  rgba: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  await ready;
  const pixels = { data: new Uint8ClampedArray(rgba), width, height, colorSpace: "srgb" as const };
  return new Uint8Array(await encode(pixels as ImageData, { lossless: 1, quality: 60, method: 4 }));
}

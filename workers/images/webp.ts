// WebP by libwebp, as WebAssembly. Each image has an instance of its own, so that a hostile one
// corrupts no other's memory.

import makeCodec from "@jsquash/webp/codec/dec/webp_dec.js";
import codecModule from "@jsquash/webp/codec/dec/webp_dec.wasm";
import type { ImageError } from "../../shared/image/image-error.ts";
import { type Raster, flattenRgba } from "../../shared/image/raster.ts";
import type { WebpParts } from "../../shared/image/webp-chunks.ts";
import { type Result, err, ok } from "../../shared/result.ts";

const undecodable = err({ kind: "undecodable" } as const);

/** The image over the background. Refused: one that does not decode to its header's size. */
export async function decodeWebp({ bytes, width, height }: WebpParts): Promise<Result<Raster, ImageError>> {
  const codec = await makeCodec({
    noInitialRun: true,
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(codecModule, imports);
      done(instance);
      return instance.exports;
    },
    print: () => {},
    printErr: () => {},
  });
  try {
    const decoded = codec.decode(bytes);
    if (decoded === null || decoded.width !== width || decoded.height !== height) return undecodable;
    const { buffer, byteOffset, byteLength } = decoded.data;
    if (byteLength !== width * height * 4) return undecodable;
    return ok(flattenRgba(new Uint8Array(buffer, byteOffset, byteLength), width, height));
  } catch {
    return undecodable;
  }
}

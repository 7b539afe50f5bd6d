// JPEG by libjpeg-turbo, as WebAssembly. Each image has an instance of its own, so that a hostile
// one corrupts no other's memory.

import makeCodec, { type JpegCodec } from "@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs";
import codecModule from "@cornerstonejs/codec-libjpeg-turbo-8bit/wasm";
import { isSideways, turn } from "../../shared/image/exif.ts";
import type { ImageError } from "../../shared/image/image-error.ts";
import { mostPlainBytes } from "../../shared/image/image-limits.ts";
import type { JpegParts } from "../../shared/image/jpeg-segments.ts";
import type { Raster } from "../../shared/image/raster.ts";
import { type Result, err, ok } from "../../shared/result.ts";

/** From 1 to 100: the first whose file is not too large is used. */
const qualities = [90, 75];

/** The library's number for chroma at half the resolution each way. */
const quarterChroma = 2;

const undecodable = err({ kind: "undecodable" } as const);

/** The image in the codec's memory, turned as its Exif says. */
type DecodedJpeg = {
  readonly width: number;
  readonly height: number;
  /** Writes it at three bytes a pixel, and frees its memory. To be called once. */
  readonly moveTo: (rgb: Uint8Array) => void;
  readonly codec: JpegCodec;
};

const newCodec = (): Promise<JpegCodec> =>
  makeCodec({
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(codecModule, imports);
      done(instance);
      return instance.exports;
    },
    // The library's output may quote the file.
    print: () => {},
    printErr: () => {},
  });

/** Refused: an image that decodes with a warning, or to another size than its header's. */
export async function decodeJpeg({ bytes, width, height, orientation }: JpegParts): Promise<Result<DecodedJpeg, ImageError>> {
  const codec = await newCodec();
  const decoder = new codec.JPEGDecoder();
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes);
    decoder.decode();
  } catch {
    return undecodable;
  }
  const info = decoder.getFrameInfo();
  const samples = info.componentCount === 1 ? 1 : 3;
  if (info.width !== width || info.height !== height || decoder.getDecodedBuffer().length !== width * height * samples) return undecodable;
  const moveTo = (rgb: Uint8Array): void => {
    turn({ pixels: decoder.getDecodedBuffer(), width, height, samples }, rgb, orientation);
    decoder.delete();
  };
  const size = isSideways(orientation) ? { width: height, height: width } : { width, height };
  return ok({ ...size, moveTo, codec });
}

/**
 * Encodes the image again, pixels alone, in the same codec's memory: a second codec's would not fit
 * beside it.
 */
export const encodeDecoded = ({ codec, moveTo, ...size }: DecodedJpeg): Result<Uint8Array, ImageError> => encode(codec, size, moveTo);

/** Encodes the raster of an image that was lossy before. */
export const encodeJpeg = async ({ rgb, ...size }: Raster): Promise<Result<Uint8Array, ImageError>> =>
  encode(await newCodec(), size, (pixels) => pixels.set(rgb));

type Size = { readonly width: number; readonly height: number };

/**
 * Chroma is at half the resolution each way: the library writes into a buffer of three bytes a
 * pixel, which such a file cannot exceed, and would write past it with full chroma.
 */
function encode(codec: JpegCodec, { width, height }: Size, fill: (rgb: Uint8Array) => void): Result<Uint8Array, ImageError> {
  const encoder = new codec.JPEGEncoder();
  encoder.setProgressive(false);
  encoder.setSubSampling(quarterChroma);
  fill(encoder.getDecodedBuffer({ width, height, bitsPerSample: 8, componentCount: 3, isSigned: false }));
  try {
    for (const quality of qualities) {
      encoder.setQuality(quality);
      encoder.encode();
      const file = encoder.getEncodedBuffer();
      if (file.length > width * height * 3) return undecodable;
      if (file.length <= mostPlainBytes) return ok(new Uint8Array(file));
    }
  } catch {
    return undecodable;
  }
  return err({ kind: "plainTooLarge" });
}

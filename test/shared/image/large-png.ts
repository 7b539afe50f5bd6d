// A large picture there and back: the work grows with its pixels.

import { expect } from "vitest";
import { decodePng } from "../../../shared/image/decode-png.ts";
import { encodePng } from "../../../shared/image/encode-png.ts";
import { readPng } from "../../../shared/image/png-chunks.ts";
import type { Raster } from "../../../shared/image/raster.ts";
import { flatPng } from "../../support/made-images.ts";

export function decoded(file: Uint8Array): Raster {
  const parts = readPng(file);
  if (!parts.ok) throw new Error(parts.error.kind);
  const raster = decodePng(parts.value);
  if (!raster.ok) throw new Error(raster.error.kind);
  return raster.value;
}

/** Both in pixels. */
export function decodesAndEncodes(width: number, height: number): void {
  const raster = decoded(flatPng(width, height, [10, 20, 30, 128]));
  expect([raster.width, raster.height, [...raster.rgb.subarray(-3)]]).toEqual([width, height, [132, 137, 142]]);
  expect(encodePng(raster, 1_000_000)?.length).toBeLessThan(200_000);
}

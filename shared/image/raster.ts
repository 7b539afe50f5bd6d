// A decoded image without transparency, and what stands behind what was transparent.

export type Raster = {
  readonly width: number;
  readonly height: number;
  /** Three bytes a pixel, row by row from the top. */
  readonly rgb: Uint8Array;
};

/**
 * What stands behind transparent pixels, as the page and the documents say it: white, as most
 * pictures with transparency are made for.
 */
const background = 255;

/** A sample over the background: `alpha` of 255 parts of it, rounded. Both are 0 to 255. */
export const overBackground = (sample: number, alpha: number): number =>
  alpha === 255 ? sample : ((sample * alpha + background * (255 - alpha)) / 255 + 0.5) | 0;

/** A raster that is the background alone. */
export const emptyRaster = (width: number, height: number): Raster => ({
  width,
  height,
  rgb: new Uint8Array(width * height * 3).fill(background),
});

/**
 * RGBA of one byte a sample as a raster over the background. In place: what comes back is the first
 * three quarters of what came in.
 */
export function flattenRgba(rgba: Uint8Array, width: number, height: number): Raster {
  const rgb = rgba.subarray(0, width * height * 3);
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    const alpha = rgba[from + 3] ?? 0;
    for (let part = 0; part < 3; part += 1) rgb[to + part] = overBackground(rgba[from + part] ?? 0, alpha);
  }
  return { width, height, rgb };
}

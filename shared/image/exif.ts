// The one thing that Exif says of how a picture looks: which way up it is.

/**
 * As Exif numbers them: 1 upright, 3 upside down, 6 to be turned a quarter clockwise, 8 a quarter
 * the other way; the even ones of 2 to 7 and 5 are mirrored.
 */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const orientations: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

/**
 * The orientation in the body of a JPEG's APP1 segment; undefined where it is no Exif or says none.
 */
export function exifOrientation(body: Uint8Array): Orientation | undefined {
  if (body.length < 14 || String.fromCharCode(...body.subarray(0, 6)) !== "Exif\0\0") return undefined;
  const tiff = new DataView(body.buffer, body.byteOffset + 6, body.byteLength - 6);
  const order = tiff.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return undefined;
  const little = order === 0x4949;
  const first = tiff.getUint32(4, little);
  if (first + 2 > tiff.byteLength) return undefined;
  const entries = tiff.getUint16(first, little);
  for (let entry = first + 2; entry < first + 2 + entries * 12 && entry + 12 <= tiff.byteLength; entry += 12) {
    if (tiff.getUint16(entry, little) !== 0x0112) continue;
    const value = tiff.getUint16(entry + 8, little);
    return orientations.find((each) => each === value);
  }
  return undefined;
}

/** Whether width and height change places. */
export const isSideways = (orientation: Orientation): boolean => orientation >= 5;

/** A decoded picture: `samples` bytes a pixel (one of grey, three of RGB), row by row. */
type Pixels = { readonly pixels: Uint8Array; readonly width: number; readonly height: number; readonly samples: 1 | 3 };

/** Copies a picture the way up that it is to be seen, as three bytes a pixel. */
export function turn({ pixels, width, height, samples }: Pixels, rgb: Uint8Array, orientation: Orientation): void {
  if (orientation === 1 && samples === 3) {
    rgb.set(pixels);
    return;
  }
  // How far a pixel to the right and a row down lead in `rgb`, in pixels, and which of the two are
  // mirrored.
  const [across, down] = isSideways(orientation) ? [height, 1] : [1, width];
  const isFromRight = [2, 3, 7, 8].includes(orientation);
  const isFromBelow = [3, 4, 6, 7].includes(orientation);
  const next = samples === 3 ? 1 : 0;
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = down * (isFromBelow ? height - 1 - y : y);
    for (let x = 0; x < width; x += 1, at += samples) {
      const to = (row + across * (isFromRight ? width - 1 - x : x)) * 3;
      rgb[to] = pixels[at] ?? 0;
      rgb[to + 1] = pixels[at + next] ?? 0;
      rgb[to + 2] = pixels[at + next * 2] ?? 0;
    }
  }
}

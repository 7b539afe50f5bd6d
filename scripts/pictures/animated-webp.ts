// Puts still WebP pictures together to a moving one: the container format alone
// (developers.google.com/speed/webp/docs/riff_container), for pictures that a browser encoded.

export type Frame = {
  /** A whole WebP file, without animation. */
  readonly picture: Uint8Array;
  /** Where it lies on the canvas. Both are even, as the format wants it. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly milliseconds: number;
};

/**
 * A moving picture that begins again for ever. Each frame covers what it covers, and the rest stays
 * as it was.
 */
export function animatedWebp(width: number, height: number, frames: readonly Frame[]): Buffer {
  const hasAnimation = 0b10;
  const body = [
    chunk("VP8X", Buffer.concat([u32(hasAnimation), u24(width - 1), u24(height - 1)])),
    chunk("ANIM", Buffer.concat([u32(0), u16(0)])),
    ...frames.map(frameChunk),
  ];
  return chunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...body]));
}

function frameChunk({ picture, x, y, width, height, milliseconds }: Frame): Buffer {
  if (x % 2 !== 0 || y % 2 !== 0) throw new Error(`a frame lies at ${x}, ${y}: both have to be even`);
  const overwrites = 0b10;
  const head = [u24(x / 2), u24(y / 2), u24(width - 1), u24(height - 1), u24(milliseconds), Buffer.of(overwrites)];
  return chunk("ANMF", Buffer.concat([...head, ...imageChunks(Buffer.from(picture))]));
}

/**
 * The parts of a still picture that are the picture: not its header, colour profile or metadata.
 */
function imageChunks(file: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 12; at + 8 <= file.length;) {
    const size = file.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (["ALPH", "VP8 ", "VP8L"].includes(file.toString("latin1", at, at + 4))) found.push(file.subarray(at, end));
    at = end;
  }
  if (found.length === 0) throw new Error("a frame is no WebP picture");
  return found;
}

const chunk = (name: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(name), u32(data.length), data, Buffer.alloc(data.length % 2)]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
const u24 = (value: number): Buffer => u32(value).subarray(0, 3);
const u16 = (value: number): Buffer => u32(value).subarray(0, 2);

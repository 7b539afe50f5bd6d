// Images: one raster for reviewer and model, judged before it is decoded.

import type { Mutant } from "./mutant.ts";

const header = { file: "test/shared/image/image-header.test.ts" };
const contract = (only: string) => ({ file: "test/workers/contract/images.test.ts", only });

export const imageMutants: readonly Mutant[] = [
  {
    name: "an animated PNG is refused",
    file: "shared/image/png-chunks.ts",
    from: 'return err({ kind: "animated" });',
    to: "break;",
    test: header,
  },
  {
    name: "a second picture of a GIF is refused",
    file: "shared/image/gif-blocks.ts",
    from: 'if (picture !== undefined) return err({ kind: "animated" });',
    to: "",
    test: { file: "test/shared/image/gif.test.ts" },
  },
  {
    name: "a WebP's flag of animation is refused",
    file: "shared/image/webp-chunks.ts",
    from: 'if ((body[0] ?? 0) & 2) return err({ kind: "animated" });',
    to: "",
    test: header,
  },
  {
    name: "an image's pixels are bounded by its header",
    file: "shared/image/image-header.ts",
    from: 'return width * height > most ? err({ kind: "tooManyPixels", width, height, most }) : read;',
    to: 'return most === 0 ? err({ kind: "noPixels" }) : read;',
    test: header,
  },
  {
    name: "rows beyond a PNG's header are refused",
    file: "shared/image/decode-png.ts",
    from: "return read(new Uint8Array(1)) === 0 ? ok(raster) : undecodable;",
    to: "return ok(raster);",
    test: { file: "test/shared/image/png.test.ts", only: "with rows beyond" },
  },
  {
    name: "a request's images are rasters before it is planned",
    file: "workers/pipeline/incoming/plain-request.ts",
    from: "imagesIn(content).length === 0)) return ok",
    to: "imagesIn(content).length >= 0)) return ok",
    test: contract("near-white"),
  },
  {
    name: "decoding is let in by the key's limits first",
    file: "workers/pipeline/incoming/plain-request.ts",
    from: "if (!admitted.ok) return admitted;",
    to: "",
    test: contract("decoding is counted"),
  },
  {
    name: "an image has the type that is given with it",
    file: "workers/media/plain-images.ts",
    from: "return error === null ? ok(",
    to: "return error !== undefined ? ok(",
    test: contract("says it is a JPEG"),
  },
  {
    name: "what a request may have decoded together is bounded",
    file: "workers/media/plain-images.ts",
    from: "else if (pixels > mostPixelsAltogether)",
    to: "else if (pixels < 0)",
    test: contract("more pixels together"),
  },
  {
    name: "a reply's images are rasters before anybody sees them",
    file: "workers/media/plain-reply.ts",
    from: "if (given.length === 0) return { content: blocks };",
    to: "if (given.length >= 0) return { content: blocks };",
    test: contract("of a function"),
  },
];

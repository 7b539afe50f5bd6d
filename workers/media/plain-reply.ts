// Replaces a reply's images by plain rasters, before a reviewer sees it and before it is delivered.

import { type Replacement, imagesIn, withImages } from "../../shared/image/content-images.ts";
import type { ImageDigests } from "../../shared/image/image-digests.ts";
import { type ImageError, imageErrorWords } from "../../shared/image/image-error.ts";
import type { ReplyBlock } from "../../shared/model/sampling.ts";
import type { ModelReply } from "../../shared/model/call.ts";
import type { Env } from "../platform/env.ts";
import { type PlainImage, plainImages, receivedDigest } from "./plain-images.ts";

export type PlainReply = { readonly reply: ModelReply; /** Absent where it has no images. */ readonly images?: readonly ImageDigests[] };

/**
 * The reply with a plain raster for each image. A text that says why replaces an image that cannot
 * be one, so that the rest of the reply is not lost: a function has already run.
 */
export async function plainReply(env: Env, modelReply: ModelReply): Promise<PlainReply> {
  const { reply } = modelReply;
  const given = imagesIn(reply.content);
  if (given.length === 0) return { reply: modelReply };
  const errors = new Map<number, ImageError>();
  let plain: readonly PlainImage[] = [];
  for (let isDone = false; !isDone;) {
    const tried = [...given.keys()].filter((index) => !errors.has(index));
    const made = await plainImages(
      env,
      given.filter((_, index) => !errors.has(index)),
    );
    isDone = made.ok;
    if (made.ok) plain = made.value;
    else for (const { index, error } of made.error) errors.set(tried[index] ?? 0, error);
  }
  const rasters = plain.values();
  const replacements: Replacement[] = [];
  const images: ImageDigests[] = [];
  for (const [index, image] of given.entries()) {
    const error = errors.get(index);
    const raster = error === undefined ? rasters.next().value : undefined;
    replacements.push(
      raster === undefined
        ? { type: "text", text: leftOut(error ?? { kind: "noDecoder" }) }
        : { data: raster.data, mimeType: raster.mimeType },
    );
    images.push(raster?.digests ?? { received: await receivedDigest(image), plain: null });
  }
  const content: ReplyBlock[] = withImages(reply.content, replacements.values());
  return { reply: { ...modelReply, reply: { ...reply, content } }, images };
}

const leftOut = (error: ImageError): string => `[The gateway removed an image here: it ${imageErrorWords(error)}.]`;

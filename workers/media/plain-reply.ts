// A reply whose images have become plain rasters, before anybody is shown it and before it is delivered.

import { type Replacement, imagesIn, withImages } from "../../shared/image/content-images.ts";
import type { ImageDigests } from "../../shared/image/image-digests.ts";
import { type ImageError, imageErrorWords } from "../../shared/image/image-error.ts";
import type { ReplyBlock } from "../../shared/model/sampling.ts";
import type { ModelReply } from "../../shared/model/call.ts";
import type { Env } from "../platform/env.ts";
import { type PlainImage, plainImages, receivedDigest } from "./plain-images.ts";

export type PlainReply = { readonly reply: ModelReply; /** Absent where it has no images. */ readonly images?: readonly ImageDigests[] };

/**
 * The reply with a plain raster in the place of each image. An image that cannot be one is left out, and a text in its place says so and why: what a
 * function did is done, and the rest of what it returned is not lost for it.
 */
export async function plainReply(env: Env, modelReply: ModelReply): Promise<PlainReply> {
  const { reply } = modelReply;
  const given = imagesIn(reply.content);
  if (given.length === 0) return { reply: modelReply };
  const faults = new Map<number, ImageError>();
  let plain: readonly PlainImage[] = [];
  for (let isDone = false; !isDone;) {
    const tried = [...given.keys()].filter((index) => !faults.has(index));
    const made = await plainImages(
      env,
      given.filter((_, index) => !faults.has(index)),
    );
    isDone = made.ok;
    if (made.ok) plain = made.value;
    else for (const { index, fault } of made.error) faults.set(tried[index] ?? 0, fault);
  }
  const rasters = plain.values();
  const replacements: Replacement[] = [];
  const images: ImageDigests[] = [];
  for (const [index, image] of given.entries()) {
    const fault = faults.get(index);
    const raster = fault === undefined ? rasters.next().value : undefined;
    replacements.push(
      raster === undefined
        ? { type: "text", text: leftOut(fault ?? { kind: "noDecoder" }) }
        : { data: raster.data, mimeType: raster.mimeType },
    );
    images.push(raster?.digests ?? { received: await receivedDigest(image), plain: null });
  }
  const content: ReplyBlock[] = withImages(reply.content, replacements.values());
  return { reply: { ...modelReply, reply: { ...reply, content } }, images };
}

const leftOut = (fault: ImageError): string => `[The gateway removed an image here: it ${imageErrorWords(fault)}.]`;

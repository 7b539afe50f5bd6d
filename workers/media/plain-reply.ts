// Replaces a reply's images by plain rasters, before a reviewer sees it and before it is delivered.

import { type Replacement, imagesIn, withImages } from "../../shared/image/content-images.ts";
import type { ImageDigests } from "../../shared/image/image-digests.ts";
import { type ImageError, imageErrorWords } from "../../shared/image/image-error.ts";
import type { ReplyBlock, SamplingReply } from "../../shared/model/sampling.ts";
import type { ToolResult } from "../../shared/model/subject/tool-call.ts";
import type { ModelReply } from "../../shared/model/call.ts";
import type { Env } from "../platform/env.ts";
import { type PlainImage, plainImages, receivedDigest } from "./plain-images.ts";

type Plain<T> = { readonly content: T; /** Absent where it has no images. */ readonly images?: readonly ImageDigests[] };

/** The reply with a plain raster for each image. */
export async function plainReply(
  env: Env,
  modelReply: ModelReply,
): Promise<{ readonly reply: ModelReply; readonly images?: readonly ImageDigests[] }> {
  const { content, ...images } = await plainContent(env, modelReply.reply.content);
  return { reply: { ...modelReply, reply: { ...modelReply.reply, content } }, ...images };
}

/** The same for a tool's result. */
export async function plainResult(
  env: Env,
  result: ToolResult,
): Promise<{ readonly result: ToolResult; readonly images?: readonly ImageDigests[] }> {
  const { kind: _kind, ...returned } = result;
  const { content, ...images } = await plainContent(env, [{ type: "tool_result", toolUseId: "", ...returned }]);
  const pieces = content.flatMap((block) => (block.type === "tool_result" ? block.content : []));
  return { result: { ...result, content: pieces }, ...images };
}

/**
 * A text that says why replaces an image that cannot be a plain raster, so that the rest is not
 * lost: a tool has already run.
 */
async function plainContent(env: Env, blocks: SamplingReply["content"]): Promise<Plain<ReplyBlock[]>> {
  const given = imagesIn(blocks);
  if (given.length === 0) return { content: blocks };
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
  return { content: withImages(blocks, replacements.values()), images };
}

const leftOut = (error: ImageError): string => `[The gateway removed an image here: it ${imageErrorWords(error)}.]`;

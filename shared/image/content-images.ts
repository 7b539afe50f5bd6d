// The images in a message's or a reply's blocks, wherever they stand: as blocks, within tool
// results, as the bytes of a resource.

import type { Block, ReplyBlock, TextBlock, ToolResultBlock } from "../model/sampling.ts";
import { mediaKind } from "../model/media.ts";

/** As the wire has it: base64, and the media type that was given with it. */
export type ImageData = { readonly data: string; readonly mimeType: string };

/**
 * `at`: where its base64 stands below the content, as the end of a JSON pointer that begins with
 * the block's number.
 */
type PlacedImage = ImageData & { readonly block: number; readonly at: string };

/** What stands in an image's place: another image, or a text where there is to be none. */
export type Replacement = ImageData | TextBlock;

type ResultPart = ToolResultBlock["content"][number];

/** The images of blocks, in their order. Text in a resource of an image's type (SVG) is text. */
export function imagesIn(content: readonly (Block | ReplyBlock)[]): PlacedImage[] {
  return content.flatMap((block, index) => {
    if (block.type === "image") return [{ data: block.data, mimeType: block.mimeType, block: index, at: "/data" }];
    if (block.type !== "tool_result") return [];
    return block.content.flatMap((part, place) => {
      const image = imageOf(part);
      return image === null
        ? []
        : [{ ...image, block: index, at: `/content/${place}${part.type === "image" ? "/data" : "/resource/blob"}` }];
    });
  });
}

/**
 * The blocks with others in the place of their images; `replacements` are as many as `imagesIn`
 * gives, in that order.
 */
export function withImages<Each extends Block | ReplyBlock>(
  content: readonly Each[],
  replacements: Iterator<Replacement>,
): (Each | TextBlock)[] {
  const next = (): Replacement => {
    const { value, done } = replacements.next();
    if (done === true) throw new Error("withImages: fewer replacements than images");
    return value;
  };
  return content.map((block): Each | TextBlock => {
    if (block.type === "image") {
      const replacement = next();
      return isText(replacement) ? replacement : { ...block, ...replacement };
    }
    if (block.type !== "tool_result") return block;
    return { ...block, content: block.content.map((part) => (imageOf(part) === null ? part : partWith(part, next()))) };
  });
}

function imageOf(part: ResultPart): ImageData | null {
  if (part.type === "image") return { data: part.data, mimeType: part.mimeType };
  if (part.type !== "resource" || !("blob" in part.resource)) return null;
  const { blob, mimeType } = part.resource;
  return mimeType !== undefined && mediaKind(mimeType) === "image" ? { data: blob, mimeType } : null;
}

function partWith(part: ResultPart, replacement: Replacement): ResultPart {
  if (isText(replacement)) return replacement;
  const { data, mimeType } = replacement;
  if (part.type !== "resource") return { type: "image", data, mimeType };
  return { type: "resource", resource: { uri: part.resource.uri, mimeType, blob: data } };
}

const isText = (replacement: Replacement): replacement is TextBlock => "text" in replacement;

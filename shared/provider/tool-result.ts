// A tool result as text, images and sounds, which is all that providers take. Links, resources and
// structured content become text that says what it is: nothing is fetched, and nothing is left out.

import { parseJson } from "../json/values.ts";
import { canonicalJson } from "../encoding.ts";
import type { AudioBlock, EmbeddedResourceBlock, ImageBlock, TextBlock, ToolResultBlock } from "../model/sampling.ts";
import { mediaKind } from "../model/media.ts";
import { isJsonObject } from "./narrow.ts";

export type ResultPart = TextBlock | ImageBlock | AudioBlock;

const text = (value: string): TextBlock => ({ type: "text", text: value });

/** Whether a resource's bytes are neither text, image nor sound: no provider here takes them. */
export const isOpaque = (block: EmbeddedResourceBlock): boolean =>
  "blob" in block.resource && mediaKind(block.resource.mimeType) === undefined;

/**
 * The parts in the result's own order, `structuredContent` last, and only where no text block has
 * the same JSON already (servers are told to send both). Throws on an opaque resource, which
 * `cannotCarry` has ruled out.
 */
export function resultParts(result: ToolResultBlock): ResultPart[] {
  const parts = result.content.flatMap((block): ResultPart[] => {
    switch (block.type) {
      case "text":
      case "image":
      case "audio":
        return [block];
      case "resource_link": {
        const { type: _type, ...link } = block;
        return [text(`Resource link (not read): ${JSON.stringify(link)}`)];
      }
      case "resource":
        return resourceParts(block);
    }
  });
  if (result.structuredContent === undefined) return parts;
  const structured = canonicalJson(result.structuredContent);
  const isInText = parts.some((part) => part.type === "text" && sameJson(part.text, structured));
  return isInText ? parts : [...parts, text(`Structured content: ${structured}`)];
}

function resourceParts(block: EmbeddedResourceBlock): ResultPart[] {
  const { resource } = block;
  const label = JSON.stringify({ uri: resource.uri, mimeType: resource.mimeType });
  if ("text" in resource) return [text(`Resource ${label}:\n${resource.text}`)];
  const kind = mediaKind(resource.mimeType);
  if (kind === undefined || resource.mimeType === undefined) throw new Error("resultParts: opaque resource");
  return [text(`Resource ${label}:`), { type: kind, data: resource.blob, mimeType: resource.mimeType }];
}

function sameJson(candidate: string, canonical: string): boolean {
  if (!candidate.trimStart().startsWith("{")) return false;
  const value = parseJson(candidate);
  // The text may be JSON without a canonical form, which equals nothing that has one.
  return isJsonObject(value) && canonicalJson(value) === canonical;
}

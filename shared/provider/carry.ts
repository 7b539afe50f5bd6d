// Whether a model can take a request's content at all. What it cannot take makes it ineligible, never a request with something missing.

import type { Block, SamplingRequest } from "../model/sampling.ts";
import type { Model, Provider } from "../routing/table.ts";
import { audioFormat, imageType } from "../model/media.ts";
import { isOpaque, resultParts, type ResultPart } from "./tool-result.ts";

/**
 * Why this model cannot take this request's content, as a plain clause ("it does not take images") without anything from the request; undefined
 * where it can. Only content is judged: limits, prices and permissions are routing's.
 *
 * Ineligible are tools for a model without tools; images and audio for a model without them; kinds of images and audio that
 * the API has no name for; media in an assistant's message, which neither API takes; resources that are neither text, image
 * nor audio; and, for Anthropic, any audio and a message of nothing but blank text.
 */
export function cannotCarry(request: SamplingRequest, model: Model, kind: Provider["kind"]): string | undefined {
  // Chat Completions' servers answer an empty text with 400, and an empty text has nothing to be near to.
  if (request.task === "embedding" && kind === "openai" && request.messages.some(({ content }) => content.every(isBlank)))
    return "its API makes no vector of a blank text";
  if ((request.tools?.length ?? 0) > 0 && !model.tools) return "it does not take tools";
  for (const message of request.messages) {
    for (const block of message.content) {
      const reason = blockReason(block, message.role, model, kind);
      if (reason !== undefined) return reason;
    }
    if (kind === "anthropic" && message.content.every(isBlank)) return "its API refuses a message of nothing but blank text";
  }
  return undefined;
}

/** A text block that Anthropic's API refuses and that says nothing. */
export const isBlank = (block: { readonly type: string; readonly text?: string }): boolean =>
  block.type === "text" && (block.text ?? "").trim() === "";

function blockReason(block: Block, role: "user" | "assistant", model: Model, kind: Provider["kind"]): string | undefined {
  switch (block.type) {
    case "text":
      return undefined;
    case "tool_use":
      return model.tools ? undefined : "it does not take tool uses";
    case "tool_result": {
      if (!model.tools) return "it does not take tool results";
      if (block.content.some((part) => part.type === "resource" && isOpaque(part)))
        return "it does not take resources that are neither text, image nor audio";
      return first(resultParts(block), (part) => mediaReason(part, model, kind));
    }
    case "image":
    case "audio":
      // The built-in demo only counts what it got, so for it the role makes no difference.
      if (role === "assistant" && kind !== "demo") return `its API does not take ${block.type} content in an assistant message`;
      return mediaReason(block, model, kind);
  }
}

function mediaReason(part: ResultPart, model: Model, kind: Provider["kind"]): string | undefined {
  if (part.type === "text") return undefined;
  if (!model.accepts.includes(part.type)) return part.type === "image" ? "it does not take images" : "it does not take audio";
  if (kind === "demo") return undefined;
  if (part.type === "image") return imageType(part.mimeType) === undefined ? "its API does not take this kind of image" : undefined;
  if (kind === "anthropic") return "its API does not take audio";
  return audioFormat(part.mimeType) === undefined ? "its API does not take this kind of audio" : undefined;
}

function first<T>(items: readonly T[], reasonOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const reason = reasonOf(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

// What Chat Completions and the embeddings API beside it cannot take of a request, and what a call
// leaves out or changes.

import { audioFormat, imageType } from "../../model/media.ts";
import { type ProviderRules, isBlank } from "../provider-rules.ts";
import { toOpenAI } from "./openai-translation.ts";

export const openaiRules: ProviderRules = {
  takesAssistantMedia: false,
  mediaReason(part) {
    if (part.type === "image") return imageType(part.mimeType) === undefined ? { key: "apiImageType" } : undefined;
    return audioFormat(part.mimeType) === undefined ? { key: "apiAudioType" } : undefined;
  },
  // Servers answer an empty text with 400, and its vector would mean nothing.
  messageReason: ({ content }, { kind }) => (kind === "embedding" && content.every(isBlank) ? { key: "apiBlankVector" } : undefined),
  plannedNotes: (call) => toOpenAI(call).notes,
};

// What Anthropic's Messages API cannot take of a request, and what a call leaves out or changes.

import { imageType } from "../../model/media.ts";
import { type ProviderRules, isBlank } from "../provider-rules.ts";
import { toAnthropic } from "./anthropic-translation.ts";

export const anthropicRules: ProviderRules = {
  takesAssistantMedia: false,
  mediaReason(part) {
    if (part.type === "audio") return { key: "apiNoAudio" };
    return imageType(part.mimeType) === undefined ? { key: "apiImageType" } : undefined;
  },
  messageReason: ({ content }) => (content.every(isBlank) ? { key: "apiBlankMessage" } : undefined),
  plannedNotes: (call) => toAnthropic(call).notes,
};

// What Anthropic's Messages API cannot take of a request, and what a call leaves out or changes.

import { imageType } from "../../model/media.ts";
import { type ProviderRules, isBlank } from "../provider-rules.ts";
import { toAnthropic } from "./anthropic-translation.ts";

export const anthropicRules: ProviderRules = {
  takesAssistantMedia: false,
  mediaReason(part) {
    if (part.type === "audio") return "its API does not take audio";
    return imageType(part.mimeType) === undefined ? "its API does not take this kind of image" : undefined;
  },
  messageReason: ({ content }) => (content.every(isBlank) ? "its API refuses a message of nothing but blank text" : undefined),
  plannedNotes: (call) => toAnthropic(call).notes,
};

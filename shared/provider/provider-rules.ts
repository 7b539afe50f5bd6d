// What is known of a kind of provider before one is called: what its API cannot take, and what it
// will leave out or change.

import type { Message, SamplingRequest } from "../model/sampling.ts";
import type { Note } from "../model/call.ts";
import type { ReasonPhrase } from "../words/reasons.ts";
import type { ModelCall } from "./model-call.ts";
import type { ResultPart } from "./tool-result.ts";

type MediaPart = Exclude<ResultPart, { type: "text" }>;

/**
 * No reason has anything from the request; undefined where the API takes
 * it.
 */
export type ProviderRules = {
  /** Whether images, audio and PDFs may stand in an assistant's message. */
  readonly takesAssistantMedia: boolean;
  /**
   * Why the API cannot take an image or audio of this media type, where the model takes such media
   * at all.
   */
  readonly mediaReason: (part: MediaPart) => ReasonPhrase | undefined;
  /** Why the API cannot take this message of the request as a whole. */
  readonly messageReason: (message: Message, request: SamplingRequest) => ReasonPhrase | undefined;
  /**
   * What a call will leave out or change, as far as it is known before. For requests that
   * `cannotCarry` lets through.
   */
  readonly plannedNotes: (call: ModelCall) => readonly Note[];
};

/** For kinds that take every request as it is. */
export const takesAnything: ProviderRules = {
  takesAssistantMedia: true,
  mediaReason: () => undefined,
  messageReason: () => undefined,
  plannedNotes: () => [],
};

/** A text of white space alone. */
export const isBlank = (block: { readonly type: string; readonly text?: string }): boolean =>
  block.type === "text" && (block.text ?? "").trim() === "";

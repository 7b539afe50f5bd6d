// The texts of an embedding request, and vectors as a reply, whichever API made them. No network,
// no key.

import { err, ok, type Result } from "../result.ts";
import type { SamplingRequest } from "../model/sampling.ts";
import type { ModelReply, ProviderError, Usage } from "../model/call.ts";
import { brokenAnswer } from "./provider-error.ts";

export type EmbeddingReply = { readonly vectors: readonly (readonly number[])[]; readonly model: string; readonly usage: Usage };

/** The texts of an embedding request: one for each message, its text blocks joined. */
export const textsToEmbed = (request: SamplingRequest): string[] =>
  request.messages.map(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")).join(""));

/** Vectors as a neutral reply: one block for each text, in order. */
export const embeddingReply = ({ vectors, model, usage }: EmbeddingReply): ModelReply => ({
  reply: {
    content: vectors.map((vector) => ({ type: "embedding", vector: [...vector] })),
    model: model.toWellFormed(),
  },
  usage,
  notes: [],
});

/**
 * Joins the results of several calls of one model (at least one), in order. A `brokenAnswer` where
 * their vectors differ in size, or are not of the size that was asked for: a server that does not
 * know `dimensions` leaves it out.
 */
export function joinEmbeddings(parts: readonly EmbeddingReply[], dimensions?: number): Result<EmbeddingReply, ProviderError> {
  const vectors = parts.flatMap((part) => part.vectors);
  const usage = sumOf(parts.map((part) => part.usage));
  const [first] = parts;
  const size = vectors[0]?.length;
  if (first === undefined || !areOfOneSize(vectors) || size !== (dimensions ?? size)) return err(brokenAnswer(undefined, usage));
  return ok({ vectors, model: first.model, usage });
}

/** The tokens of several calls together. */
export const sumOf = (usages: readonly Usage[]): Usage => ({
  inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  ...(usages.some(({ estimated }) => estimated) ? { estimated: true } : {}),
});

/** Whether the vectors have one size, and so can be compared. */
export const areOfOneSize = (vectors: readonly (readonly number[])[]): boolean =>
  vectors.every(({ length }) => length === vectors[0]?.length);

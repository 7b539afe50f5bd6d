// Texts to an embeddings API's parameters, and its answer to vectors. No network, no key.

import type OpenAI from "openai";
import { err, ok, type Result } from "../result.ts";
import type { SamplingRequest } from "../protocol/sampling.ts";
import type { Model } from "../routing/table.ts";
import type { ModelReply, ProviderFault, Usage } from "./call.ts";
import { brokenAnswer } from "./fault.ts";
import { isCount, isFields } from "./narrow.ts";

export type EmbeddingReply = { readonly vectors: readonly (readonly number[])[]; readonly model: string; readonly usage: Usage };

/** The texts that a request of the task `embedding` asks vectors for: one for each message, its text blocks put together. */
export const textsToEmbed = (request: SamplingRequest): string[] =>
  request.messages.map(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")).join(""));

/** Vectors as a reply goes through the gates and to the asker: one block for each text, in order. */
export const embeddingReply = ({ vectors, model, usage }: EmbeddingReply): ModelReply => ({
  reply: {
    content: vectors.map((vector) => ({ type: "embedding", vector: [...vector] })),
    model: model.toWellFormed(),
  },
  usage,
  notes: [],
});

/** The parameters of `POST /embeddings` for one or more texts. Numbers are asked for, which every compatible server knows. */
export const toEmbeddings = (texts: readonly string[], model: Model): OpenAI.EmbeddingCreateParams => ({
  model: model.name,
  input: [...texts],
  encoding_format: "float",
});

/** One vector of finite numbers for each text, all of one size, in the texts' order; anything else is a `brokenAnswer`. Never throws. */
export function fromEmbeddings(response: unknown, texts: readonly string[], model: Model): Result<EmbeddingReply, ProviderFault> {
  if (!isFields(response)) return err(brokenAnswer("notJson"));
  if (isFields(response["error"])) return err(brokenAnswer("errorInSuccess"));
  const { data } = response;
  if (!Array.isArray(data) || data.length !== texts.length) return err(brokenAnswer());
  const vectors: (readonly number[] | undefined)[] = texts.map(() => undefined);
  for (const [position, entry] of data.entries()) {
    if (!isFields(entry) || !isVector(entry["embedding"])) return err(brokenAnswer());
    const at = isCount(entry["index"]) ? entry["index"] : position;
    if (at >= vectors.length || vectors[at] !== undefined) return err(brokenAnswer());
    vectors[at] = entry["embedding"];
  }
  const whole = vectors.filter((vector) => vector !== undefined);
  if (whole.some((vector) => vector.length !== whole[0]?.length)) return err(brokenAnswer());
  const { usage, model: name } = response;
  const counted = isFields(usage) && isCount(usage["prompt_tokens"]) ? usage["prompt_tokens"] : undefined;
  const estimate = Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4);
  return ok({
    vectors: whole,
    model: typeof name === "string" && name !== "" ? name : model.name,
    usage: counted === undefined ? { inputTokens: estimate, outputTokens: 0, estimated: true } : { inputTokens: counted, outputTokens: 0 },
  });
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((member) => typeof member === "number" && Number.isFinite(member));

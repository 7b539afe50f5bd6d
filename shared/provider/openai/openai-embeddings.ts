// Texts as the parameters of an OpenAI-compatible embeddings API, and its answer as vectors. No
// network, no key.

import { isObject, type Members } from "../../json/values.ts";
import type OpenAI from "openai";
import { err, ok, type Result } from "../../result.ts";
import type { Model } from "../../routing/table.ts";
import type { ProviderError, Usage } from "../../model/call.ts";
import { type EmbeddingReply, areOfOneSize } from "../embedding.ts";
import { brokenAnswer } from "../provider-error.ts";
import { isCount } from "../narrow.ts";

/**
 * The parameters of `POST /embeddings` for one or more texts. Numbers are asked for, which every
 * compatible server knows.
 */
export const toEmbeddings = (texts: readonly string[], model: Model, dimensions?: number): OpenAI.EmbeddingCreateParams => ({
  model: model.name,
  input: [...texts],
  encoding_format: "float",
  ...(dimensions === undefined ? {} : { dimensions }),
});

/**
 * The most texts of one call: Gemini's compatible API answers more with 400; OpenAI's takes 2,048.
 */
const mostTexts = 100;

/** The texts as calls take them, in order. */
export const embeddingCalls = (texts: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(texts.length / mostTexts) }, (_, at) => texts.slice(at * mostTexts, (at + 1) * mostTexts));

/**
 * One vector of finite numbers for each text, all of one size, in the texts' order; anything else
 * is a `brokenAnswer`. Never throws.
 */
export function fromEmbeddings(response: unknown, texts: readonly string[], model: Model): Result<EmbeddingReply, ProviderError> {
  if (!isObject(response)) return err(brokenAnswer("notJson"));
  if (isObject(response["error"])) return err(brokenAnswer("errorInSuccess"));
  const { usage: reported, model: name } = response;
  const counted: Usage | undefined =
    isObject(reported) && isCount(reported["prompt_tokens"]) ? { inputTokens: reported["prompt_tokens"], outputTokens: 0 } : undefined;
  const vectors = vectorsIn(response, texts.length);
  if (vectors === undefined || !areOfOneSize(vectors)) return err(brokenAnswer(undefined, counted));
  const estimate = Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4);
  return ok({
    vectors,
    model: typeof name === "string" && name !== "" ? name : model.name,
    usage: counted ?? { inputTokens: estimate, outputTokens: 0, estimated: true },
  });
}

/** The vectors in the order of their `index`; an entry without one counts by its position. */
function vectorsIn({ data }: Members, count: number): (readonly number[])[] | undefined {
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const vectors = new Map<number, readonly number[]>();
  for (const [position, entry] of data.entries()) {
    if (!isObject(entry) || !isVector(entry["embedding"])) return undefined;
    const at = entry["index"] ?? position;
    if (!isCount(at) || at >= count || vectors.has(at)) return undefined;
    vectors.set(at, entry["embedding"]);
  }
  return [...vectors].toSorted(([a], [b]) => a - b).map(([, vector]) => vector);
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((member) => typeof member === "number" && Number.isFinite(member));

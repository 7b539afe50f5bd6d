// The vectors of a reply in words: how many, how long, and how each begins. In English also outside
// the catalogues: these words are in the excerpt that a webhook gets as JSON.

import type { EmbeddingBlock, SamplingReply } from "../model/sampling.ts";
import { vectorsEn } from "../words/en/vectors-en.ts";
import { type Texts, textOf } from "../words/text.ts";

const shownNumbers = 6;
/** Of a number's up to 17. */
const digits = 4;

export const vectorsIn = (reply: SamplingReply): EmbeddingBlock[] => reply.content.filter((block) => block.type === "embedding");

type VectorSizes = { readonly count: number; readonly least: number; readonly most: number };

/** How many vectors, and how many numbers the shortest and the longest have. */
export function vectorSizes(vectors: readonly EmbeddingBlock[]): VectorSizes {
  const sizes = vectors.map(({ vector }) => vector.length).toSorted((a, b) => a - b);
  return { count: sizes.length, least: sizes[0] ?? 0, most: sizes.at(-1) ?? 0 };
}

/** "3 vectors of 64 numbers", or "3 vectors of 2 to 64 numbers". */
export function vectorsWords({ count: n, least, most }: VectorSizes, texts: Texts<typeof vectorsEn>, lang: string): string {
  if (n === 0) return texts.none;
  return least === most ? textOf(texts.alike, { n, most }, lang) : textOf(texts.unlike, { n, least, most }, lang);
}

/** The first numbers, rounded for reading: "0.1231, -0.5, 0.02, …". */
export function beginningOfVector({ vector }: EmbeddingBlock): string {
  const numbers = vector.slice(0, shownNumbers).map((each) => String(Number(each.toPrecision(digits))));
  return [...numbers, ...(vector.length > shownNumbers ? ["…"] : [])].join(", ");
}

const mostVectors = 5;

/** Their number and the beginnings of the first five, a line each: for notices. */
export const vectorsText = (vectors: readonly EmbeddingBlock[]): string =>
  [
    `${vectorsWords(vectorSizes(vectors), vectorsEn, "en-GB")}, beginning with`,
    ...vectors.slice(0, mostVectors).map(beginningOfVector),
  ].join("\n");

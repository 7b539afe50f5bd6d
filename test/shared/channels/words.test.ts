// The catalogue of words: a second language is one more of the same shape, and the places in its
// sentences are the same.

import { describe, expect, test } from "vitest";
import { type Words, catalogues } from "../../../shared/channels/words/words.ts";

type Said = string | ((...values: never[]) => unknown) | { readonly [name: string]: Said };

describe("a catalogue", () => {
  test("that lacks a word does not compile", () => {
    const { atMost: _, ...review } = catalogues.en.review;
    // @ts-expect-error: one sentence is missing.
    const words: Words = { ...catalogues.en, review };
    expect(words.review.atMost).toBeUndefined();
  });

  test("has no sentence of a shared section in a section of its own again", () => {
    const { review, numbers: _, ...own } = catalogues.en;
    const sentencesIn = (said: Said): string[] => {
      if (typeof said === "string") return said.endsWith(".") ? [said] : [];
      return typeof said === "function" ? [] : Object.values(said).flatMap(sentencesIn);
    };
    const shared = new Set(sentencesIn(review));
    expect(sentencesIn(own).filter((sentence) => shared.has(sentence))).toEqual([]);
  });
});

// The catalogue of words: a second language is one more of the same shape, and the places in its
// sentences are the same.

import { describe, expect, test } from "vitest";
import { type Words, catalogues } from "../../../shared/channels/words/words.ts";

type Said = string | ((...values: never[]) => unknown) | { readonly [name: string]: Said };

/**
 * Every sentence by its path, with the places in it; of plurals the one that every
 * language has (`PluralForms`).
 */
function placesIn(said: Said, path: string): (readonly [string, readonly string[]])[] {
  if (typeof said === "string") return [[path, [...new Set(said.match(/(?<=\{)\w+(?=\}|, )/g))].toSorted()]];
  // What is computed has its values as parameters; a place in it stands in its source, perhaps once
  // for each number of things.
  if (typeof said === "function") return [[path, [...new Set(String(said).match(/(?<=(?<!\$)\{)\w+(?=\})/g))].toSorted()]];
  return Object.entries("other" in said ? { other: said["other"]! } : said).flatMap(([name, each]) => placesIn(each, `${path}/${name}`));
}

describe("a catalogue", () => {
  test("that lacks a word does not compile", () => {
    const { silence: _, ...review } = catalogues.en.review;
    // @ts-expect-error: one sentence is missing.
    const words: Words = { ...catalogues.en, review };
    expect(words.review.silence).toBeUndefined();
  });

  test.each(Object.entries(catalogues))("in %s has the same places in each sentence as the English one", (_, words) => {
    expect(Object.fromEntries(placesIn(words, ""))).toEqual(Object.fromEntries(placesIn(catalogues.en, "")));
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

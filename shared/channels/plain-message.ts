// Messages that are about no review, which every channel says in a title and a text: the test of a
// channel, and what operators are told.

import { type AlertInput, alertWordsOf } from "./alert-words.ts";
import { type TestInput, testWordsOf } from "./channel-test.ts";
import type { Language } from "./words/languages.ts";

export type PlainInput = ({ readonly kind: "test" } & TestInput) | ({ readonly kind: "alert" } & AlertInput);

/** Plain texts. `link`: null without one. */
export type PlainWords = {
  readonly title: string;
  readonly text: string;
  readonly link: { readonly label: string; readonly url: string } | null;
};

export const plainWordsOf = (said: PlainInput, language: Language): PlainWords =>
  said.kind === "test" ? { ...testWordsOf(said, language), link: null } : alertWordsOf(said, language);

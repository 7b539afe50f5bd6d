// What the operator's API says as a phrase, in the language of the page.

import type { Language } from "../../../shared/channels/words/languages.ts";
import { type AnyPhrase, phraseText } from "../../../shared/words/text.ts";
import { findingsZh } from "../../../shared/words/zh/findings-zh.ts";
import { useWords } from "../language.ts";

/** `english`: as the API says it; also for a phrase of another version. */
export const phraseIn = (language: Language, phrase: AnyPhrase | undefined, english: string): string =>
  (language === "zh-CN" && phrase !== undefined ? phraseText(phrase, findingsZh, "zh-CN") : undefined) ?? english;

/** The same in the language of the page that is being rendered. */
export const usePhrases = (): ((phrase: AnyPhrase | undefined, english: string) => string) => {
  const language = useWords().lang === "zh-CN" ? "zh-CN" : "en";
  return (phrase, english) => phraseIn(language, phrase, english);
};

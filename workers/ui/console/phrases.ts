// What the operator's API says as a phrase, in the language of the page.

import { type AnyPhrase, phraseText } from "../../../shared/words/text.ts";
import { findingsZh } from "../../../shared/words/zh/findings-zh.ts";
import { useWords } from "../language.ts";

/** `english`: as the API says it; also for a phrase of another version. */
export const usePhrases = (): ((phrase: AnyPhrase | undefined, english: string) => string) =>
  useWords().lang === "zh-CN"
    ? (phrase, english) => (phrase === undefined ? undefined : phraseText(phrase, findingsZh, "zh-CN")) ?? english
    : (_, english) => english;

// The words of a notice: in the language that the policy gives its reviewer.

import { languageFor } from "../../shared/channels/words/languages.ts";
import { type NoticeWords, noticeWordsOf } from "../../shared/channels/words/notice-words.ts";
import type { Reviewer } from "../../shared/policy/evaluate.ts";

export const wordsFor = (reviewer: Pick<Reviewer, "language"> | undefined): NoticeWords => noticeWordsOf(languageFor(reviewer?.language));

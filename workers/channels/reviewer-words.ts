// The words of a notice: in the language that the policy gives its reviewer.

import { type Words, languageFor, wordsOf } from "../../shared/channels/words/words.ts";
import type { Reviewer } from "../../shared/policy/evaluate.ts";

export const wordsFor = (reviewer: Pick<Reviewer, "language"> | undefined): Words => wordsOf(languageFor(reviewer?.language));

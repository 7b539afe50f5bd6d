// Why a model cannot serve a request, before it is in a language.

import { reasonsEn } from "./en/reasons-en.ts";
import { type Phrase, phraseText } from "./text.ts";

export type ReasonPhrase = Phrase<typeof reasonsEn>;

/** For the API, the wire and the record. */
export const reasonText = (why: ReasonPhrase): string => phraseText(why, reasonsEn, "en-GB") ?? why.key;

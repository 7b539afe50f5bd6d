// What the doctor and the gateway's health say, before it is in a language.

import { doctorEn } from "./en/doctor-en.ts";
import { issuesEn } from "./en/issues-en.ts";
import { reasonsEn } from "./en/reasons-en.ts";
import { type Phrase, type PhraseValue, phraseText } from "./text.ts";

export type DoctorPhrase = Phrase<typeof doctorEn>;

const english = { ...reasonsEn, ...issuesEn, ...doctorEn };

/** For the API, the terminal and the health check. */
export const doctorText = (says: DoctorPhrase): string => phraseText(says, english, "en-GB") ?? says.key;

/** One phrase of several, one after the other: `key` says what stands between two. */
export const joined = (key: "sentences" | "either" | "and", [first, ...rest]: readonly PhraseValue[]): PhraseValue =>
  first === undefined ? "" : rest.length === 0 ? first : { key, values: { first, rest: joined(key, rest) } };

/** What is wrong, each a clause, as sentences. */
export const issuesText = (issues: readonly DoctorPhrase[]): DoctorPhrase => ({
  key: "stop",
  values: { sentence: joined("sentences", issues) },
});

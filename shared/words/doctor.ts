// What the doctor and the gateway's health say, before it is in a language.

import { doctorEn } from "./en/doctor-en.ts";
import { issuesEn } from "./en/issues-en.ts";
import { reasonsEn } from "./en/reasons-en.ts";
import { type Phrase, phraseText } from "./text.ts";

export type DoctorPhrase = Phrase<typeof doctorEn>;

const english = { ...reasonsEn, ...issuesEn, ...doctorEn };

/** For the API, the terminal and the health check. */
export const doctorText = (says: DoctorPhrase): string => phraseText(says, english, "en-GB") ?? says.key;

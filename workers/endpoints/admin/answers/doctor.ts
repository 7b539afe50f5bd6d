// Answers of /admin/doctor: what is wrong with the configuration.

import * as z from "zod";
import { count, list, phrase, text, time } from "../../../../shared/json/answer-fields.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

/**
 * `title` and `says`: `check` and `text` before they are in English. No `title`: `check` is the
 * name of a variable or a channel. The doctor always gives `says`; the console also shows what the
 * gateway says of itself, some of it without.
 */
const check = () =>
  z.object({
    check: text(),
    state: z.enum(["good", "note", "fix"]),
    text: text(),
    title: phrase().exactOptional(),
    says: phrase().exactOptional(),
  });
export const doctorCheck = named("DoctorCheck", check);
export type DoctorCheck = AnswerOf<typeof doctorCheck>;

export const diagnosis = named("Diagnosis", () => z.object({ checks: list(check()), publicUrl: text().nullable() }));
export type Diagnosis = AnswerOf<typeof diagnosis>;

/** The version of a document that was checked, and the one that was written last. */
const checkedDocument = () =>
  z.object({ document: z.enum(["routing", "policy", "servers", "issuers", "budgets"]), checked: count(), current: count() });
export type CheckedDocument = AnswerOf<typeof checkedDocument>;

/** `at`: null where the doctor was never asked. */
export const lastDiagnosis = named("LastDiagnosis", () =>
  z.object({ at: time().nullable(), documents: list(checkedDocument()), checks: list(check()) }),
);
export type LastDiagnosis = AnswerOf<typeof lastDiagnosis>;

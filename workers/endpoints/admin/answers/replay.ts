// The answer of /admin/policy/replay.

import * as z from "zod";
import { count, text, time } from "../../../../shared/json/answer-fields.ts";
import { tallySchema } from "../../../../shared/record/replay-tally.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

/** `sum`: of the `read` requests of this answer. */
export const policyReplay = named("PolicyReplay", () =>
  z.object({ since: time(), total: count(), read: count(), sum: tallySchema, next: text().nullable() }),
);
export type PolicyReplay = AnswerOf<typeof policyReplay>;

// Answers of /admin/acts: what operators did.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import type { OperatorFact } from "../../../../shared/record/record.ts";
import { type AnswerOf, fact, named } from "../../answer-schema.ts";

export const actList = named("ActList", () =>
  z.object({
    month: text(),
    acts: list(z.object({ seq: count(), at: time(), fact: fact<OperatorFact>() })),
    next: count().nullable(),
  }),
);
export type ActList = AnswerOf<typeof actList>;

/** `at`: the event that is wrong. */
export const actCheck = named("ActCheck", () =>
  z.object({ month: text(), events: count(), issue: z.enum(["changed", "cutOff", "monthBefore"]).nullable(), at: count().nullable() }),
);
export type ActCheck = AnswerOf<typeof actCheck>;

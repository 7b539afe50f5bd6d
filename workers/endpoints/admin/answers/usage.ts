// The answer of /admin/usage: what requests came to.

import * as z from "zod";
import { list, text, time } from "../../../../shared/json/answer-fields.ts";
import { shownUsageSchema } from "../../../../shared/record/usage.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

/** `name`: null where there is none, and for all names that are not told apart (`isRest`). */
const row = () => shownUsageSchema().extend({ name: text().nullable(), isRest: z.boolean() });

export const usageRows = named("Usage", () =>
  z.object({
    by: z.enum(["server", "model", "key", "day", "hour"]),
    since: time(),
    until: time(),
    isComplete: z.boolean(),
    rows: list(row()),
    total: shownUsageSchema(),
    next: text().nullable(),
  }),
);
export type UsageRows = AnswerOf<typeof usageRows>;
export type UsageRow = AnswerOf<typeof row>;

// The answer of /admin/sunset: the servers that sample.

import * as z from "zod";
import { list, text } from "../../../../shared/json/answer-fields.ts";
import { sunsetLineSchema } from "../../../../shared/record/sunset.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

export const sunset = named("Sunset", () =>
  z.object({ isComplete: z.boolean(), servers: list(sunsetLineSchema()), next: text().nullable() }),
);
export type Sunset = AnswerOf<typeof sunset>;

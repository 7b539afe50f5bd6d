// The answer of /admin/runs/:id/review: whom an open review waits for.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

/**
 * `notice`: whether the channel's first notice was sent. `opened`: whether its link was. `askable`:
 * who else could be asked.
 */
export const runReview = named("RunReview", () =>
  z.object({
    gate: z.enum(["request", "response"]),
    quorum: count(),
    deadlineAt: time(),
    reviewers: list(
      z.object({
        name: text(),
        approved: z.boolean(),
        channels: list(z.object({ channel: text(), notice: z.enum(["queued", "sent", "failed"]), opened: z.boolean() })),
      }),
    ),
    askable: list(text()),
  }),
);
export type RunReview = AnswerOf<typeof runReview>;

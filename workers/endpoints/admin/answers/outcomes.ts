// The answer of /admin/outcomes: what fails now.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

const counted = () => z.object({ count: count(), failed: count() });

/**
 * `provider`: of a model. `now`: of the last five minutes. Times are those of the hour, of what did
 * not fail.
 */
const outcomeLine = () =>
  z.object({
    name: text(),
    provider: text().nullable(),
    isFailing: z.boolean(),
    now: counted(),
    hour: counted(),
    p50Ms: count().nullable(),
    p95Ms: count().nullable(),
    lastFailedAt: time().nullable(),
  });
const reviewCount = () => z.object({ now: count(), hour: count() });

/** Calls of providers and models, requests of servers; at most 200 of each, what fails first. */
export const outcomes = named("Outcomes", () =>
  z.object({
    at: time(),
    nowSince: time(),
    hourSince: time(),
    isPartial: z.boolean(),
    providers: list(outcomeLine()),
    models: list(outcomeLine()),
    servers: list(outcomeLine()),
    reviews: z.object({ expired: reviewCount(), undeliverable: reviewCount() }),
  }),
);
export type Outcomes = AnswerOf<typeof outcomes>;
export type OutcomeLine = AnswerOf<typeof outcomeLine>;

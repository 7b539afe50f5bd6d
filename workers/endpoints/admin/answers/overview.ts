// The answer of /admin/overview.

import * as z from "zod";
import { count, list, phrase, text, time } from "../../../../shared/json/answer-fields.ts";
import type { Cause } from "../../../../shared/record/cause.ts";
import { shownUsageSchema } from "../../../../shared/record/usage.ts";
import { type AnswerOf, fact, named } from "../../answer-schema.ts";
import { budgetLine } from "./spend.ts";

export const health = named("Health", () => z.object({ status: z.enum(["ok", "degraded", "down"]), problems: list(text()) }));
export type Health = AnswerOf<typeof health>;

/** `says`: `text` before it is in English; absent where a channel says it. */
const healthIssue = () => z.object({ text: text(), says: phrase().exactOptional() });
export type HealthIssue = AnswerOf<typeof healthIssue>;

/** Requests that failed at one model, of which null is none. The cause is the last one's. */
const failures = () =>
  z.object({
    provider: text().nullable(),
    model: text().nullable(),
    requests: count(),
    servers: list(text()),
    lastAt: time(),
    cause: text(),
    causeFacts: fact<Cause>(),
  });
export type Failures = AnswerOf<typeof failures>;

/** Steps without a request are left out. `failures`: of the last hour. */
export const overview = named("Overview", () =>
  z.object({
    since: time(),
    until: time(),
    step: z.enum(["hour", "day"]),
    isComplete: z.boolean(),
    isEmpty: z.boolean(),
    open: z.object({
      requests: count(),
      waiting: count(),
      isPartial: z.boolean(),
      oldestAt: time().nullable(),
      firstDue: z.object({ id: text(), server: text().nullable(), tool: text().nullable(), expiresAt: time() }).nullable(),
    }),
    total: shownUsageSchema(),
    before: shownUsageSchema(),
    steps: list(shownUsageSchema().extend({ at: time() })),
    spend: z.object({ since: time(), days: list(z.object({ day: z.iso.date(), costUsd: z.number() })) }),
    budgets: list(budgetLine()),
    moreBudgets: z.boolean(),
    health: health.schema().extend({
      issues: list(healthIssue()),
      failures: z.object({ since: time(), requests: count(), isPartial: z.boolean(), by: list(failures()) }),
    }),
  }),
);
export type Overview = AnswerOf<typeof overview>;

// Answers of /admin/runs: requests, and the record of one.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import type { Cause } from "../../../../shared/record/cause.ts";
import { type RecordFact, endStates, openStates } from "../../../../shared/record/record.ts";
import { shownUsageSchema } from "../../../../shared/record/usage.ts";
import { type AnswerOf, fact, named } from "../../answer-schema.ts";

const line = () =>
  z.object({
    id: text(),
    state: z.enum([...openStates, ...endStates]),
    server: text().nullable(),
    tool: text().nullable(),
    key: text(),
    model: text().nullable(),
    at: time(),
    endedAt: time().nullable(),
    cause: text().nullable(),
    causeFacts: fact<Cause>().nullable(),
    rule: text().nullable(),
    review: z
      .object({
        people: list(text()),
        by: list(text()),
        votes: count(),
        quorum: count(),
        edits: count(),
        askedAt: time(),
        waitedMs: count(),
      })
      .nullable(),
    usage: z.object({
      inputTokens: count(),
      outputTokens: count(),
      cachedInputTokens: count().exactOptional(),
      cacheWriteTokens: count().exactOptional(),
      costUsd: z.number(),
    }),
  });
export type RunLine = AnswerOf<typeof line>;

export const runList = named("RunList", () => z.object({ runs: list(line()), next: text().nullable() }));
export type RunList = AnswerOf<typeof runList>;

/**
 * `requests`: ended and open ones; the other sums are of those that have ended. `reviewed`: those
 * that people were asked about. `since`: earlier requests were not read; null: all are in the sums.
 */
export const runTotals = named("RunTotals", () =>
  shownUsageSchema().extend({ open: count(), reviewed: count(), since: time().nullable() }),
);
export type RunTotals = AnswerOf<typeof runTotals>;

/** `answered`: its requestor has the outcome. */
export const operatorRun = named("OperatorRun", () => line().extend({ updatedAt: time(), answered: z.boolean() }));
export type OperatorRun = AnswerOf<typeof operatorRun>;

/** `changedAt`: the first event that is not what the log's hashes say. */
export const runEvents = named("RunEvents", () =>
  z.object({
    events: list(z.object({ run: text(), seq: count(), at: time(), fact: fact<RecordFact>() })),
    next: count().nullable(),
    changedAt: count().nullable(),
  }),
);
export type RunEvents = AnswerOf<typeof runEvents>;

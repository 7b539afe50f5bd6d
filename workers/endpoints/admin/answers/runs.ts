// Answers of /admin/runs: requests, and the record of one.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import type { RecordFact } from "../../../../shared/record/record.ts";
import { shownUsageSchema } from "../../../../shared/record/usage.ts";
import { type AnswerOf, fact, named } from "../../answer-schema.ts";
import { runLine } from "./run-line.ts";

export const runList = named("RunList", () => z.object({ runs: list(runLine()), next: text().nullable() }));
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
export const operatorRun = named("OperatorRun", () => runLine().extend({ updatedAt: time(), answered: z.boolean() }));
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

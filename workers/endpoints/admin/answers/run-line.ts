// A request as the operator's lists and files have it: the schema of the answer, how it is made of
// the ledger's line, and the columns of a CSV file.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import { tokensOf } from "../../../../shared/model/call.ts";
import { type Cause, causeSentence } from "../../../../shared/record/cause.ts";
import { endStates, openStates } from "../../../../shared/record/record.ts";
import type { RunSummary } from "../../../../shared/record/run-summary.ts";
import { iso } from "../../../http/iso-time.ts";
import { type AnswerOf, fact } from "../../answer-schema.ts";
import type { Columns } from "../runs-export.ts";

export const runLine = () =>
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
export type RunLine = AnswerOf<typeof runLine>;

export const lineOf = (summary: RunSummary): RunLine => {
  const { run, state, server, name, key, model, createdAt, endedAt, cause, costUsd, rule = null, review } = summary;
  return {
    id: run,
    state,
    server,
    tool: name,
    key,
    model,
    at: iso(createdAt),
    endedAt: endedAt === null ? null : iso(endedAt),
    cause: cause === null ? null : causeSentence(cause),
    causeFacts: cause,
    rule,
    review: review === undefined ? null : { ...review, askedAt: iso(review.askedAt) },
    usage: { ...tokensOf(summary), costUsd },
  };
};

/** In their order. A member that has no column says so; one that is missing does not compile. */
const columnsOf: { readonly [Member in keyof RunLine]-?: Columns<Pick<RunLine, Member>> } = {
  id: [["id", ({ id }) => id]],
  at: [["at", ({ at }) => at]],
  endedAt: [["endedAt", ({ endedAt }) => endedAt]],
  state: [["state", ({ state }) => state]],
  server: [["server", ({ server }) => server]],
  tool: [["tool", ({ tool }) => tool]],
  key: [["key", ({ key }) => key]],
  model: [["model", ({ model }) => model]],
  rule: [["rule", ({ rule }) => rule]],
  cause: [["cause", ({ cause }) => cause]],
  causeFacts: [],
  review: [
    ["asked", ({ review }) => (review === null ? null : review.people.join("; "))],
    ["decidedBy", ({ review }) => (review === null ? null : review.by.join("; "))],
    ["waitedMs", ({ review }) => (review === null ? null : review.waitedMs)],
  ],
  usage: [
    ["inputTokens", ({ usage }) => usage.inputTokens],
    ["outputTokens", ({ usage }) => usage.outputTokens],
    ["costUsd", ({ usage }) => usage.costUsd],
  ],
};
export const runColumns: Columns<RunLine> = Object.values(columnsOf).flat();

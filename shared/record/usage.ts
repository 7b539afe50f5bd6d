// What requests came to: how they ended, their tokens, their cost, and how long people took. Counts
// alone, which can be added up in any order. Money is in whole billionths of a dollar, because sums
// of fractions depend on their order.

import * as z from "zod";
import { nanosInUsd } from "../budget/budgets.ts";
import { count } from "../json/answer-fields.ts";
import { unreachable } from "../result.ts";
import type { RunSummary } from "./run-summary.ts";
import { type WaitHistogram, addedWaits, histogramOf, noWaits, waitQuantile } from "./wait-histogram.ts";

/** `allowed`: answered, and nobody was asked. `approved`: answered after people approved it. */
export const usageOutcomes = ["allowed", "approved", "denied", "expired", "undeliverable", "cancelled", "failed", "refused"] as const;
type UsageOutcome = (typeof usageOutcomes)[number];

export type UsageSum = {
  /** Outcomes that did not occur are absent. */
  readonly outcomes: Readonly<Partial<Record<UsageOutcome, number>>>;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNanos: number;
  /** From the opening of a review to its decision, for each review that people decided. */
  readonly waits: WaitHistogram;
};

export const noUsage: UsageSum = { outcomes: {}, inputTokens: 0, outputTokens: 0, costNanos: 0, waits: noWaits };

/**
 * One request that has ended; null while it is open. The line of a flood counts as many refusals as
 * it has.
 */
export function usageOfLine(line: RunSummary): UsageSum | null {
  if (line.endedAt === null) return null;
  if (line.cause?.kind === "refusedMany") return refusals(line.cause.count);
  const decided = line.reviews.filter(({ how }) => how === "approved" || how === "denied");
  return {
    outcomes: { [outcomeOf(line)]: 1 },
    inputTokens: line.inputTokens,
    outputTokens: line.outputTokens,
    costNanos: Math.round(line.costUsd * nanosInUsd),
    waits: histogramOf(decided.map(({ ms }) => ms)),
  };
}

export const refusals = (count: number): UsageSum => ({ ...noUsage, outcomes: { refused: count } });

function outcomeOf({ state, reviews }: RunSummary): UsageOutcome {
  switch (state) {
    case "completed":
      return reviews.some(({ how }) => how === "approved") ? "approved" : "allowed";
    case "rejected":
      return "denied";
    case "expired":
    case "undeliverable":
    case "cancelled":
    case "failed":
    case "refused":
      return state;
    case "waiting":
    case "generating":
    case "responseReview":
      throw new Error("a line with an end is in an open state");
    default:
      return unreachable(state);
  }
}

export function summedUsage(all: readonly UsageSum[]): UsageSum {
  const [first] = all;
  if (all.length === 1 && first !== undefined) return first;
  const outcomes: Partial<Record<UsageOutcome, number>> = {};
  let [inputTokens, outputTokens, costNanos] = [0, 0, 0];
  for (const each of all) {
    for (const outcome in each.outcomes) {
      const name = outcome as UsageOutcome; // the only members that there are
      outcomes[name] = (outcomes[name] ?? 0) + (each.outcomes[name] ?? 0);
    }
    inputTokens += each.inputTokens;
    outputTokens += each.outputTokens;
    costNanos += each.costNanos;
  }
  return { outcomes, inputTokens, outputTokens, costNanos, waits: addedWaits(all.map(({ waits }) => waits)) };
}

export const requestsIn = ({ outcomes }: Pick<UsageSum, "outcomes">): number =>
  usageOutcomes.reduce((sum, each) => sum + (outcomes[each] ?? 0), 0);

/** Usage as the operator's API gives it. */
export const shownUsageSchema = () =>
  z.object({
    requests: count(),
    outcomes: z.record(z.enum(usageOutcomes), count()),
    inputTokens: count(),
    outputTokens: count(),
    costUsd: z.number(),
    /** How long people took to decide, within 5 %; null where nobody decided. */
    waitP50Ms: count().nullable(),
    waitP95Ms: count().nullable(),
  });
export type ShownUsage = z.infer<ReturnType<typeof shownUsageSchema>>;

export const shownUsage = (usage: UsageSum): ShownUsage => ({
  requests: requestsIn(usage),
  outcomes: Object.fromEntries(usageOutcomes.map((each) => [each, usage.outcomes[each] ?? 0])) as ShownUsage["outcomes"], // each of them
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
  costUsd: usage.costNanos / nanosInUsd,
  waitP50Ms: waitQuantile(usage.waits, 0.5),
  waitP95Ms: waitQuantile(usage.waits, 0.95),
});

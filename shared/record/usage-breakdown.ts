// Usage by name: of each server, model or key. Names of servers come from outside, so so many are
// told apart and no more; what is beyond them is added to the rest, and the whole stays right.

import type { RunSummary } from "./run-summary.ts";
import { type UsageSum, noUsage, requestsIn, summedUsage, usageOfLine } from "./usage.ts";

export const dimensions = ["server", "model", "key"] as const;
export type Dimension = (typeof dimensions)[number];

export type Breakdown = {
  /** Each name once. */
  readonly named: readonly (readonly [name: string, usage: UsageSum])[];
  /** Without a name: no model was asked, or the server could not be read. */
  readonly unnamed: UsageSum;
  /** Of the names that are not told apart. */
  readonly rest: UsageSum;
};

export const noBreakdown: Breakdown = { named: [], unnamed: noUsage, rest: noUsage };

export type CountedLine = { readonly line: RunSummary; readonly usage: UsageSum };

/** The lines that have ended, with what they count. */
export const countedLines = (lines: readonly RunSummary[]): CountedLine[] =>
  lines.flatMap((line) => {
    const usage = usageOfLine(line);
    return usage === null ? [] : [{ line, usage }];
  });

export function breakdownOf(lines: readonly CountedLine[], by: Dimension): Breakdown {
  const sums = [...Map.groupBy(lines, ({ line }) => line[by])].map(
    ([name, group]) => [name, summedUsage(group.map(({ usage }) => usage))] as const,
  );
  return {
    named: sums.flatMap(([name, usage]) => (name === null ? [] : [[name, usage] as const])),
    unnamed: sums.find(([name]) => name === null)?.[1] ?? noUsage,
    rest: noUsage,
  };
}

/** With every name that any of them has. */
export function summedBreakdowns(all: readonly Breakdown[]): Breakdown {
  const named = Map.groupBy(
    all.flatMap((each) => each.named),
    ([name]) => name,
  );
  return {
    named: [...named].map(([name, sums]) => [name, summedUsage(sums.map(([, usage]) => usage))]),
    unnamed: summedUsage(all.map(({ unnamed }) => unnamed)),
    rest: summedUsage(all.map(({ rest }) => rest)),
  };
}

/** The first `most` names; the others are added to the rest. */
export function boundedBreakdown(breakdown: Breakdown, most: number): Breakdown {
  const beyond = breakdown.named.slice(most).map(([, usage]) => usage);
  return beyond.length === 0
    ? breakdown
    : { ...breakdown, named: breakdown.named.slice(0, most), rest: summedUsage([breakdown.rest, ...beyond]) };
}

/** Those with the most requests first, and of as many the first by name. */
export const mostFirst = (breakdown: Breakdown): Breakdown => ({
  ...breakdown,
  named: breakdown.named.toSorted(([a, one], [b, other]) => requestsIn(other) - requestsIn(one) || (a < b ? -1 : 1)),
});

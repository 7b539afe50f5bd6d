// What the lines of a search come to: how many requests, how they ended, their tokens, their cost
// and how many of them people were asked about. Sums, which can be added up in any order.

import type { RunSummary } from "./run-summary.ts";
import { type UsageSum, noUsage, summedUsage, usageOfLine } from "./usage.ts";

/** `usage`: of those that have ended. */
export type LineTotals = { readonly usage: UsageSum; readonly open: number; readonly reviewed: number };

export const totalsOf = (lines: readonly RunSummary[]): LineTotals => ({
  usage: summedUsage([noUsage, ...lines.flatMap((line) => usageOfLine(line) ?? [])]),
  open: lines.filter(({ endedAt }) => endedAt === null).length,
  reviewed: lines.filter(({ review }) => review !== undefined).length,
});

export const summedTotals = (all: readonly LineTotals[]): LineTotals => ({
  usage: summedUsage([noUsage, ...all.map(({ usage }) => usage)]),
  open: all.reduce((sum, { open }) => sum + open, 0),
  reviewed: all.reduce((sum, { reviewed }) => sum + reviewed, 0),
});

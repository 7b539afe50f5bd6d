// One list of requests from the lists of the ledger's shards.

import type { RunSummary } from "./run-summary.ts";

/** A place in a list of lines, which begins with the newest. */
export type LinePlace = Pick<RunSummary, "createdAt" | "run">;

/**
 * Lines, newest first. `stoppedAt`: what is older than this place was not read; null: there is
 * nothing more.
 */
export type LinePage = { readonly lines: readonly RunSummary[]; readonly stoppedAt: LinePlace | null };

/** As arrays are sorted: the newer place first. */
export const byAge = (a: LinePlace, b: LinePlace): number => b.createdAt - a.createdAt || (a.run === b.run ? 0 : a.run < b.run ? 1 : -1);

/**
 * The newest lines of all shards, at most so many, and the place behind which the next page begins.
 * A shard that read less far than another may have lines among the other's: those wait for the next
 * page, so that the list has no gap and nothing twice.
 * @param pages one of each shard, all for one query.
 */
export function mergedLines(
  pages: readonly LinePage[],
  limit: number,
): { readonly lines: readonly RunSummary[]; readonly next: LinePlace | null } {
  const stops = pages.flatMap(({ stoppedAt }) => stoppedAt ?? []);
  const [frontier = null] = stops.toSorted(byAge);
  const known = pages
    .flatMap(({ lines }) => lines)
    .filter((line) => frontier === null || byAge(line, frontier) <= 0)
    .toSorted(byAge);
  const lines = known.slice(0, limit);
  const last = lines.at(-1);
  if (last === undefined || known.length === lines.length) return { lines, next: frontier };
  return { lines, next: { createdAt: last.createdAt, run: last.run } };
}

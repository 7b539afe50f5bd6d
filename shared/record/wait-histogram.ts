// How long people took to decide, as a histogram that can be added up: quantiles over all shards
// and any period come from the sum.
//
// Bounds grow by a constant factor, so a quantile is wrong by at most 5 % of itself, and below a
// second by at most half a second.

/** The greatest error of a quantile, relative to it. */
export const waitError = 0.05;

const factor = (1 + waitError) / (1 - waitError);
/** All that is shorter is one bin. */
const leastMs = 1_000;

/** How many waits are in each bin that has any, the shortest first. */
export type WaitHistogram = readonly (readonly [bin: number, count: number])[];

export const noWaits: WaitHistogram = [];

/**
 * Bin 0 has everything up to a second, bin n what is longer than bin n - 1 and at most `factor`
 * times as long.
 */
const binOf = (milliseconds: number): number =>
  milliseconds <= leastMs ? 0 : Math.ceil(Math.log(milliseconds / leastMs) / Math.log(factor));

/** The wait that stands for a bin: the one with the same relative error to both of its bounds. */
const middleOf = (bin: number): number => (bin === 0 ? leastMs / 2 : (leastMs * 2 * factor ** bin) / (factor + 1));

/** @param waits In milliseconds. */
export const histogramOf = (waits: readonly number[]): WaitHistogram => addedWaits(waits.map((wait) => [[binOf(wait), 1]]));

export function addedWaits(all: readonly WaitHistogram[]): WaitHistogram {
  const sum = new Map<number, number>();
  for (const waits of all) for (const [bin, count] of waits) sum.set(bin, (sum.get(bin) ?? 0) + count);
  return sum.size === 0 ? noWaits : [...sum].sort(([a], [b]) => a - b);
}

const countedWaits = (waits: WaitHistogram): number => waits.reduce((sum, [, count]) => sum + count, 0);

/**
 * The wait in whole milliseconds that a share of all waits does not exceed; null where there are
 * none.
 * @param share More than 0, at most 1: 0.5 is the median.
 */
export function waitQuantile(waits: WaitHistogram, share: number): number | null {
  const wanted = Math.ceil(countedWaits(waits) * share);
  let passed = 0;
  for (const [bin, count] of waits) {
    passed += count;
    if (passed >= wanted) return Math.round(middleOf(bin));
  }
  return null;
}

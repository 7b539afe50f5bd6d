// How long something took, as a histogram that can be added up: quantiles over all shards and any
// period come from the sum.
//
// Bounds grow by a constant factor, so a quantile is wrong by at most a part of itself, and below
// the least time by at most half of that.

/** `leastMs`: all that is shorter is one bin. `error`: the greatest one of a quantile, relative. */
export type WaitScale = { readonly leastMs: number; readonly error: number };

/** The greatest error of a quantile of people's time, relative to it. */
export const waitError = 0.05;

/** Of people's time: to half a second at best. */
const peoplesTime: WaitScale = { leastMs: 1_000, error: waitError };

const factorOf = ({ error }: WaitScale): number => (1 + error) / (1 - error);

/** How many waits are in each bin that has any, the shortest first. */
export type WaitHistogram = readonly (readonly [bin: number, count: number])[];

export const noWaits: WaitHistogram = [];

/**
 * Bin 0 has everything up to the least time, bin n what is longer than bin n - 1 and at most the
 * factor times as long.
 */
export const binOf = (milliseconds: number, scale: WaitScale): number =>
  milliseconds <= scale.leastMs ? 0 : Math.ceil(Math.log(milliseconds / scale.leastMs) / Math.log(factorOf(scale)));

/** The wait that stands for a bin: the one with the same relative error to both of its bounds. */
function middleOf(bin: number, scale: WaitScale): number {
  const factor = factorOf(scale);
  return bin === 0 ? scale.leastMs / 2 : (scale.leastMs * 2 * factor ** bin) / (factor + 1);
}

/** @param waits In milliseconds. */
export const histogramOf = (waits: readonly number[]): WaitHistogram => addedWaits(waits.map((wait) => [[binOf(wait, peoplesTime), 1]]));

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
export function waitQuantile(waits: WaitHistogram, share: number, scale: WaitScale = peoplesTime): number | null {
  const wanted = Math.ceil(countedWaits(waits) * share);
  let passed = 0;
  for (const [bin, count] of waits) {
    passed += count;
    if (passed >= wanted) return Math.round(middleOf(bin, scale));
  }
  return null;
}

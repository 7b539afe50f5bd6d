// Random moments and choices that a seed repeats.

import { seeded } from "../../support/seeded.ts";

export type Random = {
  /** From 0 up to, and without, 1. */
  readonly next: () => number;
  /** A whole number from 0 up to, and without, `below`. */
  readonly below: (below: number) => number;
  readonly pick: <T>(list: readonly [T, ...T[]]) => T;
};

export function randomOf(seed: number): Random {
  const next = seeded(seed);
  const below = (count: number): number => Math.floor(next() * count);
  return { next, below, pick: (list) => list[below(list.length)] ?? list[0] };
}

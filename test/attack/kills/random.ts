// Random numbers that a seed repeats.

export type Random = {
  /** From 0 up to, and without, 1. */
  readonly next: () => number;
  /** A whole number from 0 up to, and without, `below`. */
  readonly below: (below: number) => number;
  readonly pick: <T>(list: readonly [T, ...T[]]) => T;
};

/** Mulberry32: enough for moments, and the same everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return { next, below, pick: (list) => list[below(list.length)] ?? list[0] };
}

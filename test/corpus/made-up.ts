// Values made from a seed, by the form of what they stand for: the corpus has forms and no values, so that no scanner takes it for leaked secrets.

const alphabets = {
  a: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  A: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  l: "abcdefghijklmnopqrstuvwxyz",
  n: "abcdefghijklmnopqrstuvwxyz0123456789",
  h: "0123456789abcdef",
  d: "0123456789",
  b: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  w: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
} as const;

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The form with a value in place of each `{letter:length}`. */
export const madeFrom = (form: string, next: () => number): string =>
  form.replaceAll(/\{([aAlnhdbw]):(\d+)\}/g, (_, kind: keyof typeof alphabets, length: string) =>
    Array.from({ length: Number(length) }, () => alphabets[kind][Math.floor(next() * alphabets[kind].length)]).join(""),
  );

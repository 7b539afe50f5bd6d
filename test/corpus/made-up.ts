// Values made from a seed, by the form of what they stand for: the corpus has forms and no values,
// so that no scanner takes it for leaked secrets.

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

/** The form with a value in place of each `{letter:length}`. */
export const madeFrom = (form: string, next: () => number): string =>
  form.replaceAll(/\{([aAlnhdbw]):(\d+)\}/g, (_, kind: keyof typeof alphabets, length: string) =>
    Array.from({ length: Number(length) }, () => alphabets[kind][Math.floor(next() * alphabets[kind].length)]).join(""),
  );

// Samples of long matrices: `npm run test:rest` runs every n-th case, `npm run verify` runs them
// all (WHOLE=1).

export const isWhole = process.env["WHOLE"] === "1";

/** All of the cases, or every n-th of them, the first among them. */
export const oneIn = <T>(n: number, cases: readonly T[], first = 0): T[] => cases.filter((_, i) => isWhole || (i + first) % n === 0);

/** `whole` where everything is run, else `sample`. */
export const wholeOr = <T>(whole: T, sample: T): T => (isWhole ? whole : sample);

// When two names are one person's. The policy refuses two such reviewers, and bars and quorums
// compare names this way.

import { drawnAs } from "../look-alikes.ts";
import { foldCase } from "../routing/fold-case.ts";

/** `name` for comparison: without compatibility forms (NFKC), case, and white space at the ends. */
export const nameKey = (name: string): string => foldCase(name.normalize("NFKC")).normalize("NFKC").trim();

/**
 * Whether both names stand for one person. A key's owner is written by hand, apart from the policy.
 */
export const isSamePerson = (one: string | null, other: string): boolean => one !== null && nameKey(one) === nameKey(other);

/**
 * `name` with each character replaced by the Latin letter that it looks like: a reader cannot tell
 * names apart that are equal here. Covers the Cyrillic, Greek and Armenian letters, and the digits,
 * that pass for Latin letters (a subset of Unicode's confusables, UTS #39); no other scripts.
 */
export const drawnKey = (name: string): string => {
  let drawn = "";
  for (const character of name.normalize("NFKC").trim()) drawn += drawnAs.get(character) ?? character;
  return foldCase(drawn);
};

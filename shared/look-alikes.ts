// Characters of other alphabets, and digits, that pass for Latin letters: a subset of Unicode's
// confusables (UTS #39), with the Cyrillic, Greek and Armenian letters and no other scripts.

import type { Part } from "./secret-shapes.ts";

/** A letter, then the characters that look like it. */
const lookAlikes = [
  "aаɑα",
  "bЬ",
  "cсϲ",
  "dԁ",
  "eеҽ",
  "gɡց",
  "hһհ",
  "iіɩι",
  "jјϳ",
  "kκк",
  "lIӏ1|Ιⵏ",
  "mм",
  "nոռ",
  "oоοօσ0",
  "pрρ",
  "qԛզ",
  "rг",
  "sѕ",
  "tт",
  "uυսц",
  "vѵν",
  "wԝωѡ",
  "xхχ",
  "yуγү",
  "zᴢ",
  "AАΑ",
  "BВΒ",
  "CСϹ",
  "EЕΕ",
  "GԌ",
  "HНΗ",
  "lІӀ",
  "JЈ",
  "KКΚК",
  "MМΜ",
  "NΝ",
  "OОΟՕ",
  "PРΡ",
  "SЅՏ",
  "TТΤ",
  "UՍ",
  "VѴ",
  "WԜ",
  "XХΧ",
  "YҮΥУ",
  "ZΖ",
];

/** The Latin letter that each of the others looks like. */
export const drawnAs: ReadonlyMap<string, string> = new Map(
  lookAlikes.flatMap(([letter = "", ...others]) => others.map((other) => [other, letter] as const)),
);

/** Cyrillic, Armenian, and the Greek letters that nobody writes beside Latin ones in a formula. */
const foreign = /[\u0391-\u03a9\u03bf\u0400-\u058f]/;
const ofWord = /[\p{L}\p{M}\p{N}.@_-]/u;
const latin = /\p{Script=Latin}/u;
const ofOthers = /[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}]/gu;
/** No name, host or address is longer. */
const longestWord = 320;

/**
 * Words, addresses and names in which letters of another alphabet pass for Latin ones: some of
 * theirs are Latin, and each of the others looks like a Latin letter. Linear in the text's length.
 */
export function* disguisedWordsAt(text: string): Generator<Part> {
  let from = 0;
  for (let next = text.search(foreign); next !== -1;) {
    const at = from + next;
    let start = at;
    while (start > from && at - start < longestWord && ofWord.test(text[start - 1] ?? "")) start -= 1;
    let end = at + 1;
    while (end < text.length && end - at < longestWord && ofWord.test(text[end] ?? "")) end += 1;
    const word = text.slice(start, end);
    if (isAddress.test(word) ? isDisguised(word) : word.split(/[-_]/).some(isDisguised)) yield { start, end };
    from = end;
    next = text.slice(from).search(foreign);
  }
}

/** What its hyphens join is one name; in running text, where "PDF-ка" is a word, it is several. */
const isAddress = /[.@]\p{L}/u;

function isDisguised(word: string): boolean {
  const others = word.match(ofOthers) ?? [];
  return others.length > 0 && latin.test(word) && others.every((letter) => drawnAs.has(letter));
}

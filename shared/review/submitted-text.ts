// A text that a form gave back, beside the one that it showed.

import { plainLineEnds } from "./form.ts";

/**
 * A text as a browser gives it back untouched: line ends as `\n`; a null becomes U+FFFD when HTML
 * is parsed, a lone surrogate when the page is encoded as UTF-8 (HTML Standard, 13.2.5.2 and
 * 4.10.22; Encoding Standard).
 */
export const asSubmitted = (text: string): string => plainLineEnds(text).replaceAll("\0", "\ufffd").toWellFormed();

/**
 * New text takes the line ends of the old one where those are all `\r\n`: the form does not say
 * which were meant.
 */
function withLineEndsOf(original: string, text: string): string {
  const onlyPairs = original.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(original);
  return onlyPairs ? text.replaceAll("\n", "\r\n") : text;
}

/** What somebody wrote over a text; undefined where the form gave it back as it was. */
export function rewrittenText(original: string, submitted: string): string | undefined {
  const text = asSubmitted(submitted);
  return text === asSubmitted(original) ? undefined : withLineEndsOf(original, text);
}

// Puts values into the places of a sentence, on pages and in emails. It escapes nothing itself:
// hono/jsx escapes every string.

import type { Child } from "hono/jsx";
import { type Text, textOf, textParts } from "../../shared/words/text.ts";
import { useWords } from "./language.ts";

/** The parts of a sentence, with elements or texts in its places. */
export const fill = <Places extends string>(sentence: Text<Places>, values: Readonly<Record<NoInfer<Places>, Child>>): Child[] =>
  textParts<Child>(sentence, values, useWords().lang);

/** The same as one text. */
export const fillText = <Places extends string>(
  sentence: Text<Places>,
  values: Readonly<Record<NoInfer<Places>, string | number>>,
): string => textOf(sentence, values, useWords().lang);

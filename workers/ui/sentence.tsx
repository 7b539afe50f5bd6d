// Puts values into the places of a sentence. It escapes nothing itself: hono/jsx escapes every string that is put in.

import type { Child } from "hono/jsx";

/** The parts of `sentence`, with each `{name}` replaced by what stands under that name. A name without a value stays as it is. */
export const fill = (sentence: string, values: Readonly<Record<string, Child>>): Child[] =>
  sentence.split(/(\{\w+\})/).map((part) => (/^\{\w+\}$/.test(part) ? (values[part.slice(1, -1)] ?? part) : part));

// Puts values into a sentence's placeholders. It escapes nothing itself: hono/jsx escapes every
// string.

import type { Child } from "hono/jsx";

/**
 * The parts of `sentence`, with each `{name}` replaced by its value. A placeholder without a value
 * stays.
 */
export const fill = (sentence: string, values: Readonly<Record<string, Child>>): Child[] =>
  sentence.split(/(\{\w+\})/).map((part) => (/^\{\w+\}$/.test(part) ? (values[part.slice(1, -1)] ?? part) : part));

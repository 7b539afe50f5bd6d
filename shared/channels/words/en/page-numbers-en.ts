// Counts, times and amounts, in English: dates as the British write them, which cannot be read as
// another day.

import { numberWords } from "../by-intl.ts";

export const { plural, clockTime, stampedTime, time, span, left, dollars, bytes } = numberWords("en-GB", {
  units: "long",
  free: "free",
  under: "under {cost}",
  bytes: (count) => plural(count, "byte", "bytes"),
});

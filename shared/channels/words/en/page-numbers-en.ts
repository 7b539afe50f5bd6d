// Counts, times and amounts, in English: dates as the British write them, which cannot be read as
// another day.

import { numberWords } from "../by-intl.ts";

export const numbersEn = numberWords("en-GB", {
  units: "long",
  free: "free",
  under: "under {cost}",
  bytes: "{n, # byte/# bytes}",
});

export const { clockTime, stampedTime, dollars, bytes } = numbersEn;

import { expect, test } from "vitest";
import { timeOnClock } from "../../shared/zoned-time.ts";

const at = (text: string, zone: string): string => {
  const [date = "", time = "00:00"] = text.split("T");
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const found = timeOnClock({ date, minutes: hours * 60 + minutes }, zone);
  return Number.isNaN(found) ? "none" : new Date(found).toISOString().slice(0, 16);
};

test.each([
  ["2026-11-28T14:30", "UTC", "2026-11-28T14:30"],
  ["2026-11-28T14:30", "Asia/Kolkata", "2026-11-28T09:00"],
  ["2026-07-01", "Europe/Berlin", "2026-06-30T22:00"],
  // The clock leaps from 02:00 to 03:00.
  ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30"],
  // It shows 02:30 twice: the first time, in summer time.
  ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30"],
  // Midnight itself is leapt over.
  ["2026-09-06", "America/Santiago", "2026-09-06T04:00"],
  // A day that an island skipped.
  ["2011-12-30T12:00", "Pacific/Apia", "2011-12-30T22:00"],
  ["2026-13-40", "UTC", "none"],
])("%s in %s is %s", (text, zone, expected) => {
  expect(at(text, zone)).toBe(expected);
});

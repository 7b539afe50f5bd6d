// When a reviewer is there: their holiday, with who stands in for them, and the hours in which
// notices wait. Times are on the clock of the reviewer's time zone, with its summer time.

import * as z from "zod";
import { clockAt, clockIn, isTimeZone, timeOnClock } from "../zoned-time.ts";

export const timeZoneSchema = z.string().max(60).refine(isTimeZone, "notTimeZone");

const clockTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "notClockTime");

/** `from`, `until`: dates, both included. `to`: the reviewer who stands in. */
export const awaySchema = z
  .strictObject({ from: z.iso.date("notDate"), until: z.iso.date("notDate"), to: z.string().min(1, "noStandIn").max(80) })
  .refine(({ from, until }) => from <= until, { path: ["until"], message: "untilBeforeFrom" });

/** Until the next morning where `until` is earlier than `from`. */
export const quietHoursSchema = z
  .strictObject({ from: clockTime, until: clockTime })
  .refine(({ from, until }) => from !== until, { path: ["until"], message: "noQuietTime" });

/** `timeZone`: an IANA name; UTC where it is absent. */
export type Availability = {
  readonly timeZone?: string | undefined;
  readonly away?: z.infer<typeof awaySchema> | undefined;
  readonly quietHours?: z.infer<typeof quietHoursSchema> | undefined;
};

/** Whether it is a day of their holiday where they live. `now`: Unix milliseconds. */
export function isAway({ away, timeZone = "UTC" }: Availability, now: number): boolean {
  if (away === undefined) return false;
  const { date } = clockAt(clockIn(timeZone), now);
  return away.from <= date && date <= away.until;
}

/** When their holiday begins where they live, in Unix milliseconds; null where they have none. */
export const awayFrom = ({ away, timeZone = "UTC" }: Availability): number | null =>
  away === undefined ? null : timeOnClock({ date: away.from, minutes: 0 }, timeZone);

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * Until when notices to them wait, in Unix milliseconds: the first minute outside of their quiet
 * hours; null where they do not wait. Where the clock leaps over that minute, it is the one after
 * the leap.
 */
export function quietUntil({ quietHours, timeZone = "UTC" }: Availability, now: number): number | null {
  if (quietHours === undefined) return null;
  const clock = clockIn(timeZone);
  const [from, until] = [minutesOf(quietHours.from), minutesOf(quietHours.until)];
  const untilEnd = (at: number): number => (until - clockAt(clock, at).minutes + dayMinutes) % dayMinutes;
  const length = (until - from + dayMinutes) % dayMinutes;
  const isQuiet = (at: number): boolean => {
    const left = untilEnd(at);
    return left > 0 && left <= length;
  };
  let quiet = Math.floor(now / minuteMs);
  if (!isQuiet(quiet * minuteMs)) return null;
  // By the clock it is over then; a leap of the clock may put it earlier or later.
  let over = quiet + untilEnd(quiet * minuteMs);
  while (isQuiet(over * minuteMs)) over += untilEnd(over * minuteMs);
  while (over - quiet > 1) {
    const middle = Math.floor((quiet + over) / 2);
    if (isQuiet(middle * minuteMs)) quiet = middle;
    else over = middle;
  }
  return over * minuteMs;
}

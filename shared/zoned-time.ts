// The clocks of time zones, with their summer time: what one shows at a time, and when it shows it.
// Times are Unix milliseconds; zones are IANA names.

export function isTimeZone(name: string): boolean {
  try {
    clockIn(name);
    return true;
  } catch {
    return false;
  }
}

/** Throws where there is no such zone. */
export const clockIn = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone,
    calendar: "iso8601",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });

/** `date` as in ISO 8601; `minutes` since midnight by the clock. */
type ClockTime = { readonly date: string; readonly minutes: number };

export function clockAt(clock: Intl.DateTimeFormat, at: number): ClockTime {
  const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  return { date: `${of("year")}-${of("month")}-${of("day")}`, minutes: Number(of("hour")) * 60 + Number(of("minute")) };
}

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

const asUtc = ({ date, minutes }: ClockTime): number => Date.parse(date) + minutes * minuteMs;

/**
 * When the clock of the zone shows this: the first time where it shows it twice. Where it leaps
 * over it, the time as long after the leap. NaN where `date` is none.
 */
export function timeOnClock(shown: ClockTime, timeZone: string): number {
  const clock = clockIn(timeZone);
  const local = asUtc(shown);
  if (Number.isNaN(local)) return local;
  const aheadAt = (at: number): number => asUtc(clockAt(clock, at)) - Math.floor(at / minuteMs) * minuteMs;
  const [before, after] = [local - aheadAt(local - dayMs), local - aheadAt(local + dayMs)];
  const shownThen = [before, after].filter((at) => at + aheadAt(at) === local);
  return shownThen.length === 0 ? before : Math.min(...shownThen);
}

// Times, spans of time and amounts as a language writes them: all that Intl knows.

import { type Text, textOf } from "../../words/text.ts";

type NumberWords = {
  /**
   * Unix milliseconds as "14:52 UTC"; on another day than `now` with the day. A script of the page
   * makes it the reader's own time.
   */
  readonly clockTime: (at: number, now: number) => string;
  /** The same with seconds. */
  readonly stampedTime: (at: number, now: number) => string;
  /** The whole date and time. */
  readonly time: (at: number) => string;
  /** The two largest units of a time span in milliseconds, rounded down: "9 minutes 30 seconds". */
  readonly span: (milliseconds: number) => string;
  /** The same for the time left when a page was made: from one minute on without seconds. */
  readonly left: (milliseconds: number) => string;
  /** US dollars in one unit, rounded upwards and never to nothing: "$0.0138", "$3.40". */
  readonly dollars: (usd: number) => string;
  readonly bytes: (count: number) => string;
};

type Unit = "day" | "hour" | "minute" | "second";
const secondsIn: Readonly<Record<Unit, number>> = { day: 86_400, hour: 3_600, minute: 60, second: 1 };
const unitsDown = ["day", "hour", "minute", "second"] as const;

const wholeSeconds = (milliseconds: number): number => Math.max(0, Math.floor(milliseconds / 1_000));

/** The largest unit of a time span and how many of it, two or more where possible. */
export function roughSpan(milliseconds: number): { readonly unit: Unit; readonly n: number } {
  const seconds = wholeSeconds(milliseconds);
  const unit = seconds < 60 ? "second" : seconds < 2 * 3_600 ? "minute" : seconds < 2 * 86_400 ? "hour" : "day";
  return { unit, n: Math.floor(seconds / secondsIn[unit]) };
}

/**
 * `own`: what Intl cannot say: that nothing is paid, less than can be shown, the word for bytes,
 * and how long the names of units are.
 */
export function numberWords(
  locale: string,
  own: { readonly free: string; readonly under: string; readonly bytes: Text<"n">; readonly units: "long" | "short" },
): NumberWords {
  const unitOf = (count: number, unit: Unit): string => count.toLocaleString(locale, { style: "unit", unit, unitDisplay: own.units });
  const together = new Intl.ListFormat(locale, { type: "unit", style: "narrow" });
  const span = (milliseconds: number): string => {
    let rest = wholeSeconds(milliseconds);
    const counts = unitsDown.map((unit): readonly [number, Unit] => {
      const count = Math.floor(rest / secondsIn[unit]);
      rest -= count * secondsIn[unit];
      return [count, unit];
    });
    const from = counts.findIndex(([count]) => count > 0);
    if (from === -1) return unitOf(0, "second");
    const shown = counts.slice(from, from + 2).filter(([count]) => count > 0);
    return together.format(shown.map(([count, unit]) => unitOf(count, unit)));
  };
  return {
    ...timesIn(locale),
    span,
    left: (milliseconds) => span(milliseconds < 60_000 ? milliseconds : milliseconds - (milliseconds % 60_000)),
    dollars: (usd) => dollarsIn(locale, own, usd),
    bytes: (count) => {
      const [size, unit] = count < 1_048_576 ? [count / 1_024, "KB"] : [count / 1_048_576, "MB"];
      return count < 1_024
        ? textOf(own.bytes, { n: count }, locale)
        : `${size.toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`;
    },
  };
}

function timesIn(locale: string): Pick<NumberWords, "clockTime" | "stampedTime" | "time"> {
  const minutes = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" } as const;
  const dayPart = { day: "numeric", month: "short" } as const;
  const formats = (time: Intl.DateTimeFormatOptions) => ({
    time: new Intl.DateTimeFormat(locale, time),
    withDay: new Intl.DateTimeFormat(locale, { ...dayPart, ...time }),
  });
  const [clock, stamp] = [formats(minutes), formats({ ...minutes, second: "2-digit" })];
  const dayOf = (at: number): number => Math.floor(at / 86_400_000);
  const told =
    ({ time, withDay }: ReturnType<typeof formats>) =>
    (at: number, now: number): string =>
      `${(dayOf(at) === dayOf(now) ? time : withDay).format(at)} UTC`;
  const whole = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });
  return { clockTime: told(clock), stampedTime: told(stamp), time: (at) => `${whole.format(at)} UTC` };
}

function dollarsIn(locale: string, own: { readonly free: string; readonly under: string }, usd: number): string {
  if (usd === 0) return own.free;
  const least = 0.0001;
  const digits = usd >= 1 ? 2 : 4;
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  if (usd < least) return own.under.replace("{cost}", () => format.format(least));
  // Less a billionth, so that what is exact in decimals is not rounded up by its binary form.
  return format.format(Math.ceil(usd * 10 ** digits - 1e-9) / 10 ** digits);
}

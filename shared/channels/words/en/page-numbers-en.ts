// Counts, times and amounts, in English. A script of the page puts times into the reader's own time zone.

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
const seconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone: "UTC" });

const withDay = (at: number, now: number, time: string): string =>
  day.format(at) === day.format(now) && Math.abs(at - now) < 86_400_000 ? `${time} UTC` : `${day.format(at)}, ${time} UTC`;

/** Unix milliseconds as "14:52 UTC"; on another day than `now` "17 Nov, 14:52 UTC". */
export const clockTime = (at: number, now: number): string => withDay(at, now, clock.format(at));

/** The same with seconds. */
export const stampedTime = (at: number, now: number): string => withDay(at, now, seconds.format(at));

/** US dollars in one unit, rounded upwards and never to nothing: "$0.0138", "$3.40", "free". */
export function dollars(usd: number): string {
  if (usd === 0) return "free";
  if (usd < 0.0001) return "under $0.0001";
  const places = usd >= 1 ? 2 : 4;
  // Less a billionth, so that what is exact in decimals is not rounded up by its binary form.
  return `$${(Math.ceil(usd * 10 ** places - 1e-9) / 10 ** places).toFixed(places)}`;
}

/** "1 text", "2 texts". */
export const plural = (count: number, one: string, many: string): string => `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

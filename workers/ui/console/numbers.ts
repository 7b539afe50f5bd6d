// Counts, amounts and spans of time as tiles, charts and tables have them: short, in the language
// of the page.

import type { Language } from "../../../shared/channels/words/languages.ts";
import type { InLanguages } from "./page.ts";

const locales: InLanguages<string> = { en: "en-GB", "zh-CN": "zh-CN" };
const units: InLanguages<readonly [day: string, hour: string, minute: string, second: string]> = {
  en: [" d", " h", " min", " s"],
  "zh-CN": [" 天", " 小时", " 分", " 秒"],
};
const milli: InLanguages<string> = { en: " ms", "zh-CN": " 毫秒" };
const under: InLanguages<string> = { en: "under 1 s", "zh-CN": "不到 1 秒" };

export type Numbers = {
  readonly count: (n: number) => string;
  /** 0.035 as "3.5%". */
  readonly percent: (share: number) => string;
  /** To the cent; less than ten cents to a hundredth of one. */
  readonly dollars: (usd: number) => string;
  /** The two largest units: "4 min 10 s". */
  readonly span: (milliseconds: number) => string;
  /** What machines took: "420 ms", "1.2 s", from a minute on a span. */
  readonly brief: (milliseconds: number) => string;
  /** A day of UTC: "22 Nov". */
  readonly day: (at: number) => string;
  /** A month of UTC: "November". */
  readonly month: (at: number) => string;
  /** The hour of UTC, which the page's script makes the reader's own. */
  readonly hour: (at: number) => string;
};

export function numbersOf(language: Language): Numbers {
  const locale = locales[language];
  const written = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
    return (at: number): string => format.format(at);
  };
  const money = (digits: number) =>
    new Intl.NumberFormat(locale, {
      style: "currency",
      currency: "USD",
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  const [cents, fine] = [money(2), money(4)];
  const share = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  return {
    count: (n) => n.toLocaleString(locale),
    percent: (part) => share.format(part),
    dollars: (usd) => (usd === 0 || usd >= 0.1 ? cents : fine).format(usd),
    span: (milliseconds) => spanIn(language, milliseconds),
    brief: (milliseconds) => briefIn(language, milliseconds),
    day: written({ day: "numeric", month: "short" }),
    month: written({ month: "long" }),
    hour: (at) => `${written({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" })(at)} UTC`,
  };
}

function briefIn(language: Language, milliseconds: number): string {
  if (milliseconds >= 60_000) return spanIn(language, milliseconds);
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}${milli[language]}`;
  const [, , , second] = units[language];
  return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 1 : 0)}${second}`;
}

const secondsIn = [86_400, 3_600, 60, 1] as const;

function spanIn(language: Language, milliseconds: number): string {
  let rest = Math.round(milliseconds / 1_000);
  if (rest < 1) return under[language];
  const counts = secondsIn.map((seconds, i) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return [count, units[language][i] ?? ""] as const;
  });
  const from = counts.findIndex(([count]) => count > 0);
  return counts
    .slice(from, from + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(" ");
}

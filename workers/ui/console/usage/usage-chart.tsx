// Requests by how they ended: their bars, their legend, and the chart of days.

import type { ShownUsage } from "../../../../shared/record/usage.ts";
import { type Bar, type Plot, Swatch } from "../chart.tsx";
import type { Numbers } from "../numbers.ts";
import { deniedIn, otherIn } from "../overview/overview-parts.ts";
import { useTexts } from "../page.ts";
import type { UsageParts } from "./usage-page.tsx";
import { usageWords } from "./usage-words.ts";
import { fillText } from "../../sentence.tsx";

const dayMs = 86_400_000;

/** What was answered stands on the line; what was not hangs below it. */
export const barOf = (usage: ShownUsage | null | undefined): Bar =>
  usage == null
    ? { up: [], down: [] }
    : {
        up: [
          { of: "b2", count: usage.outcomes.allowed },
          { of: "b1", count: usage.outcomes.approved },
        ],
        down: [
          { of: "b3", count: deniedIn(usage) },
          { of: "b4", count: otherIn(usage) },
        ],
      };

/** `hasLine`: the bars stand on a line. Outcomes that no request had are left out. */
export const Legend = ({ of: usage, hasLine, numbers }: { of: ShownUsage; hasLine: boolean; numbers: Numbers }) => {
  const { legend, below } = useTexts(usageWords);
  const entries = [
    ["b2", legend.allowed, usage.outcomes.allowed],
    ["b1", legend.approved, usage.outcomes.approved],
    ["b3", hasLine ? fillText(below, { what: legend.denied }) : legend.denied, deniedIn(usage)],
    ["b4", legend.other, otherIn(usage)],
  ] as const;
  return (
    <span class="keyline">
      {entries
        .filter(([, , n]) => n > 0)
        .map(([of, sentence, n]) => (
          <span>
            <Swatch of={of} />
            {fillText(sentence, { n: numbers.count(n) })}
          </span>
        ))}
    </span>
  );
};

const marks = 5;

/** Days without a request have a place, too. */
export function daysPlot({ texts, numbers, answer: { since, until, rows, total } }: UsageParts): Plot {
  const byDay = new Map(rows.map((row) => [Date.parse(row.name ?? ""), row]));
  const begin = Date.parse(since);
  const days = Array.from({ length: Math.round((Date.parse(until) - begin) / dayMs) }, (_, i) => begin + i * dayMs);
  const most = rows.toSorted((a, b) => b.requests - a.requests)[0];
  const every = Math.max(1, Math.ceil(days.length / marks));
  return {
    bars: days.map((at) => barOf(byDay.get(at))),
    label: fillText(texts.chart, {
      total: numbers.count(total.requests),
      from: numbers.day(begin),
      to: numbers.day(days.at(-1) ?? begin),
      at: numbers.day(Date.parse(most?.name ?? since)),
      n: numbers.count(most?.requests ?? 0),
    }),
    top: (n) => fillText(texts.most, { n: numbers.count(n) }),
    marks: days.filter((_, i) => i % every === 0).map(numbers.day),
  };
}

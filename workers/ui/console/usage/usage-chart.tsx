// What the usage page draws: a bar for each day, and a bar in each row of the table.

import type { ShownUsage } from "../../../../shared/record/usage.ts";
import { type Bar, type BarPart, Bars, Swatch } from "../chart.tsx";
import { deniedIn, otherIn, said } from "../overview/overview-parts.ts";
import type { UsageParts } from "./usage-page.tsx";

const dayMs = 86_400_000;
const marks = 5;

/** What was answered, and what was not. */
export const answeredParts = ({ outcomes: { allowed, approved } }: ShownUsage): readonly BarPart[] => [
  { of: "b2", count: allowed },
  { of: "b1", count: approved },
];
export const unansweredParts = (usage: ShownUsage): readonly BarPart[] => [
  { of: "b3", count: deniedIn(usage) },
  { of: "b4", count: otherIn(usage) },
];

export const Legend = ({ texts: { legend, below }, numbers, by, answer: { total } }: UsageParts) => {
  const entries = [
    ["b2", legend.allowed, total.outcomes.allowed],
    ["b1", legend.approved, total.outcomes.approved],
    ["b3", by === "day" ? said(below, { what: legend.denied }) : legend.denied, deniedIn(total)],
    ["b4", legend.other, otherIn(total)],
  ] as const;
  return (
    <span class="keyline">
      {entries.flatMap(([of, sentence, n]) =>
        n === 0
          ? []
          : [
              <span>
                <Swatch of={of} />
                {said(sentence, { n: numbers.count(n) })}
              </span>,
            ],
      )}
    </span>
  );
};

/** Days without a request have a place, too. */
export const DaysChart = ({ texts, numbers, answer: { since, until, rows, total } }: UsageParts) => {
  const byDay = new Map(rows.map((row) => [Date.parse(row.name ?? ""), row]));
  const begin = Date.parse(since);
  const days = Array.from({ length: Math.round((Date.parse(until) - begin) / dayMs) }, (_, i) => begin + i * dayMs);
  const bars = days.map((at): Bar => {
    const row = byDay.get(at);
    return row === undefined ? { up: [], down: [] } : { up: answeredParts(row), down: unansweredParts(row) };
  });
  const most = rows.toSorted((a, b) => b.requests - a.requests)[0];
  const label = said(texts.chart, {
    total: numbers.count(total.requests),
    from: numbers.day(begin),
    to: numbers.day(days.at(-1) ?? begin),
    at: numbers.day(Date.parse(most?.name ?? since)),
    n: numbers.count(most?.requests ?? 0),
  });
  const every = Math.max(1, Math.ceil(days.length / marks));
  return (
    <>
      <Bars bars={bars} label={label} top={(n) => said(texts.most, { n: numbers.count(n) })} />
      <div class="axis" aria-hidden="true">
        {days
          .filter((_, i) => i % every === 0)
          .map((at) => (
            <span>{numbers.day(at)}</span>
          ))}
      </div>
    </>
  );
};

// The overview's charts over time: how requests ended, and how long people took. Each has its
// numbers as a table.

import type { Child } from "hono/jsx";
import type { ShownUsage } from "../../../../shared/record/usage.ts";
import { Time } from "../../names.tsx";
import { fill } from "../../sentence.tsx";
import { type Bar, type BarClass, Bars, Swatch } from "../chart.tsx";
import { Empty } from "../pieces.tsx";
import { everyStep } from "./overview-api.ts";
import { type Parts, deniedIn, otherIn, said } from "./overview-parts.ts";

/** Hours of the charts are hours of the reader, without the day. A constant. */
export const hoursScript = `
for (const element of document.querySelectorAll("[data-hour] time")) {
  element.textContent = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(element.dateTime));
}
`;

const barOf = (usage: ShownUsage | null): Bar =>
  usage === null
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

/** An hour, or a day of UTC. */
const At = ({ at, step, visit, numbers }: Pick<Parts, "visit" | "numbers"> & { at: number; step: "hour" | "day" }) =>
  step === "day" ? (
    <>{numbers.day(at)}</>
  ) : (
    <span data-hour>
      <Time at={at} now={visit.now} />
    </span>
  );

/** So many places of the axis are named, so that they fit on a phone. */
const mostMarks = 4;

export const Axis = ({ parts: { visit, overview, texts, numbers }, times }: { parts: Parts; times: readonly number[] }) => {
  const every = Math.ceil(times.length / mostMarks);
  return (
    <div class="axis" aria-hidden="true">
      {times
        .filter((_, i) => i % every === 0)
        .map((at) => (
          <span>
            <At at={at} step={overview.step} visit={visit} numbers={numbers} />
          </span>
        ))}
      <span>{texts.now}</span>
    </div>
  );
};

/** Above the line what was answered, below it what was not. */
export const RequestsChart = (parts: Parts) => {
  const { overview, texts, numbers } = parts;
  const { total, step } = overview;
  const steps = everyStep(overview);
  const [mostAt, most] = steps.reduce(
    (best, each) => ((each[1]?.requests ?? 0) > (best[1]?.requests ?? 0) ? each : best),
    steps[0] ?? [0, null],
  );
  const { allowed, approved } = total.outcomes;
  const label =
    most === null || total.requests === 0
      ? texts.chartNone
      : said(texts.chart, {
          at: step === "hour" ? numbers.hour(mostAt) : numbers.day(mostAt),
          n: numbers.count(most.requests),
          answered: numbers.count(allowed + approved),
          unanswered: numbers.count(total.requests - allowed - approved),
        });
  const entry = (of: BarClass, sentence: string, n: number): Child =>
    n === 0 ? null : (
      <span>
        <Swatch of={of} />
        {said(sentence, { n: numbers.count(n) })}
      </span>
    );
  return (
    <figure class="chart card">
      <figcaption class="head">
        <h2>{step === "hour" ? texts.perHour : texts.perDay}</h2>
        <span class="keyline">
          {entry("b2", texts.legend.allowed, allowed)}
          {entry("b1", texts.legend.approved, approved)}
          {entry("b3", texts.legend.denied, deniedIn(total))}
          {entry("b4", texts.legend.other, otherIn(total))}
        </span>
      </figcaption>
      {total.requests === 0 ? (
        <Empty>{texts.chartNone}</Empty>
      ) : (
        <>
          <Bars
            bars={steps.map(([, usage]) => barOf(usage))}
            label={label}
            top={(answered, not) => said(texts.most, { answered: numbers.count(answered), not: numbers.count(not) })}
          />
          <Axis parts={parts} times={steps.map(([at]) => at)} />
          <StepsTable {...parts} />
        </>
      )}
    </figure>
  );
};

/** Steps with a request, the newest first. */
const StepsTable = ({ visit, overview: { steps, step }, texts: { asTable, table }, numbers }: Parts) => (
  <details class="data">
    <summary class="act chev">{asTable}</summary>
    <div class="scrolls times" tabindex={0} role="region" aria-label={asTable}>
      <table>
        <thead>
          <tr>
            <th scope="col">{table[step]}</th>
            {[table.allowed, table.approved, table.denied, table.expired, table.other, table.wait, table.cost].map((name) => (
              <th scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.toReversed().map((each) => (
            <tr>
              <th scope="row">{step === "hour" ? <Time at={Date.parse(each.at)} now={visit.now} /> : numbers.day(Date.parse(each.at))}</th>
              {[
                each.outcomes.allowed,
                each.outcomes.approved,
                each.outcomes.denied,
                each.outcomes.expired + each.outcomes.undeliverable,
                otherIn(each),
              ].map((n) => (
                <td class="num">{numbers.count(n)}</td>
              ))}
              <td class="num">{each.waitP50Ms === null ? "–" : numbers.span(each.waitP50Ms)}</td>
              <td class="num">{numbers.dollars(each.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);

/** The median of people's time in each step. */
export const WaitChart = (parts: Parts) => {
  const { overview, texts, numbers } = parts;
  const steps = everyStep(overview);
  const waits = steps.flatMap(([at, usage]) => (usage?.waitP50Ms == null ? [] : [[at, usage.waitP50Ms] as const]));
  const [longest] = waits.toSorted(([, a], [, b]) => b - a);
  const [shortest] = waits.toSorted(([, a], [, b]) => a - b);
  return (
    <figure class="chart card">
      <figcaption class="head">
        <h2>{texts.wait}</h2>
        {longest === undefined ? null : (
          <span class="soft">
            {fill(texts.longest, {
              span: numbers.span(longest[1]),
              at: <At at={longest[0]} step={overview.step} visit={parts.visit} numbers={numbers} />,
            })}
          </span>
        )}
      </figcaption>
      {longest === undefined || shortest === undefined ? (
        <Empty>{texts.waitNone}</Empty>
      ) : (
        <>
          <Bars
            bars={steps.map(([, usage]) => ({ up: [{ of: "b5", count: usage?.waitP50Ms ?? 0 }], down: [] }))}
            label={said(texts.waitLabel, { least: numbers.span(shortest[1]), most: numbers.span(longest[1]) })}
          />
          <Axis parts={parts} times={steps.map(([at]) => at)} />
        </>
      )}
    </figure>
  );
};

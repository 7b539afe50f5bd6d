// The overview's charts over time: how requests ended, and how long people took. Each has its
// numbers as a table.

import type { Child } from "hono/jsx";
import { Time } from "../../names.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { Chart, type Plot } from "../chart.tsx";
import { Empty, Heads } from "../pieces.tsx";
import { Legend, barOf } from "../usage/usage-chart.tsx";
import { type OverviewContext, everyStep, otherIn } from "./overview-parts.ts";

/** Hours of the charts are hours of the reader, without the day. A constant. */
export const hoursScript = `
for (const element of document.querySelectorAll("[data-hour] time")) {
  element.textContent = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(element.dateTime));
}
`;

/** An hour, or a day of UTC. */
const At = ({ at, step, visit, numbers }: Pick<OverviewContext, "visit" | "numbers"> & { at: number; step: "hour" | "day" }) =>
  step === "day" ? (
    <>{numbers.day(at)}</>
  ) : (
    <span data-hour>
      <Time at={at} now={visit.now} />
    </span>
  );

/** So many places of the axis are named, so that they fit on a phone. */
const mostMarks = 4;

const marksOf = ({ visit, overview, texts, numbers }: OverviewContext): Child[] => {
  const steps = everyStep(overview);
  const every = Math.ceil(steps.length / mostMarks);
  const named = steps.filter((_, i) => i % every === 0);
  return [...named.map(([at]) => <At at={at} step={overview.step} visit={visit} numbers={numbers} />), texts.now];
};

/** Above the line what was answered, below it what was not. */
export const RequestsChart = (parts: OverviewContext) => {
  const { overview, texts, numbers } = parts;
  const { total, step } = overview;
  const steps = everyStep(overview);
  const [mostAt, most] = steps.reduce(
    (best, each) => ((each[1]?.requests ?? 0) > (best[1]?.requests ?? 0) ? each : best),
    steps[0] ?? [0, null],
  );
  const { allowed, approved } = total.outcomes;
  const title = step === "hour" ? texts.perHour : texts.perDay;
  const beside = <Legend of={total} hasLine numbers={numbers} />;
  if (most === null || total.requests === 0)
    return (
      <Chart title={title} beside={beside} plot={null}>
        <Empty>{texts.chartNone}</Empty>
      </Chart>
    );
  const plot: Plot = {
    bars: steps.map(([, usage]) => barOf(usage)),
    label: fillText(texts.chart, {
      at: step === "hour" ? numbers.hour(mostAt) : numbers.day(mostAt),
      n: numbers.count(most.requests),
      answered: numbers.count(allowed + approved),
      unanswered: numbers.count(total.requests - allowed - approved),
    }),
    top: (answered, not) => fillText(texts.most, { answered: numbers.count(answered), not: numbers.count(not) }),
    marks: marksOf(parts),
  };
  return (
    <Chart title={title} beside={beside} plot={plot}>
      <StepsTable {...parts} />
    </Chart>
  );
};

/** Steps with a request, the newest first. */
const StepsTable = ({ visit, overview: { steps, step }, texts: { asTable, table }, numbers }: OverviewContext) => (
  <details class="data">
    <summary class="act chev">{asTable}</summary>
    <div class="scrolls times" tabindex={0} role="region" aria-label={asTable}>
      <table>
        <thead>
          <tr>
            <th scope="col">{table[step]}</th>
            <Heads of={[table.allowed, table.approved, table.denied, table.expired, table.other, table.wait, table.cost]} class="num" />
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
export const WaitChart = (parts: OverviewContext) => {
  const { overview, texts, numbers } = parts;
  const steps = everyStep(overview);
  const waits = steps.flatMap(([at, usage]) => (usage?.waitP50Ms == null ? [] : [[at, usage.waitP50Ms] as const]));
  const [longest] = waits.toSorted(([, a], [, b]) => b - a);
  const [shortest] = waits.toSorted(([, a], [, b]) => a - b);
  if (longest === undefined || shortest === undefined)
    return (
      <Chart title={texts.wait} beside={null} plot={null}>
        <Empty>{texts.waitNone}</Empty>
      </Chart>
    );
  const at = <At at={longest[0]} step={overview.step} visit={parts.visit} numbers={numbers} />;
  const plot: Plot = {
    bars: steps.map(([, usage]) => ({ up: [{ of: "b5", count: usage?.waitP50Ms ?? 0 }], down: [] })),
    label: fillText(texts.waitLabel, { least: numbers.span(shortest[1]), most: numbers.span(longest[1]) }),
    marks: marksOf(parts),
  };
  const beside = <span class="soft">{fill(texts.longest, { span: numbers.span(longest[1]), at })}</span>;
  return <Chart title={texts.wait} beside={beside} plot={plot} />;
};

// Usage by server, model, key and day: drawn, as a table, and as CSV.

import { jurorBudgetName } from "../../../../shared/budget/budgets.ts";
import type { BudgetLine } from "../../../endpoints/admin/answers/spend.ts";
import type { UsageRows } from "../../../endpoints/admin/answers/usage.ts";
import { Name } from "../../outside-text.tsx";
import { fillText } from "../../sentence.tsx";
import { paths } from "../../../platform/urls.ts";
import { Chart } from "../chart.tsx";
import { type Numbers, numbersOf } from "../numbers.ts";
import type { ConsolePage, PageAnswer, Visit } from "../page.ts";
import { Chips, Download, Empty, LinkButton, Note } from "../pieces.tsx";
import { RangeFields, rangeIn, rangeOf } from "../time-range.tsx";
import { SpendMeter } from "../spend-meter.tsx";
import { Legend, daysPlot } from "./usage-chart.tsx";
import { UsageTable } from "./usage-table.tsx";
import { keyNamesOf } from "../requests/request-line.ts";
import { type UsageWords, usageWords } from "./usage-words.ts";

const views = ["server", "model", "key", "day"] as const;
type View = (typeof views)[number];
const periods = [7, 30, 90, 365] as const;
const defaultDays = 30;
const dayMs = 86_400_000;
const rowsOfPage = 50;

export type UsageParts = {
  readonly visit: Visit;
  readonly texts: UsageWords;
  readonly numbers: Numbers;
  readonly by: View;
  readonly answer: UsageRows;
  /** Names of keys by their ids. */
  readonly keyNames: ReadonlyMap<string, string>;
};

/** What each rule's juror costs: its calls are no requests. */
const Jurors = ({ lines, visit, texts }: { lines: readonly BudgetLine[]; visit: Visit; texts: UsageWords["jurors"] }) => (
  <section class="card" aria-labelledby="jurors">
    <h2 id="jurors">{texts.title}</h2>
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">{texts.rule}</th>
          <th scope="col">{texts.today}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr>
            <td class="main-cell">
              <Name value={line.part ?? ""} />
            </td>
            <td data-k={texts.today}>
              <SpendMeter line={line} visit={visit} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <p class="soft">{texts.apart}</p>
  </section>
);

/** The API's end is the beginning of the day after. */
const lastDayOf = ({ until }: UsageRows): string => new Date(Date.parse(until) - dayMs).toISOString().slice(0, 10);

async function renderUsage(visit: Visit): Promise<PageAnswer> {
  const { query } = visit;
  const by = views.find((each) => each === query.get("by")) ?? "server";
  const days = periods.find((each) => String(each) === query.get("days")) ?? defaultDays;
  const after = query.get("after");
  const said = rangeIn(query);
  const isOwn = Object.keys(said).length > 0;
  const between = isOwn ? rangeOf(said, visit) : { since: new Date(visit.now - (days - 1) * dayMs).toISOString().slice(0, 10) };
  const asked = new URLSearchParams({
    by,
    ...between,
    limit: String(by === "day" ? periods.at(-1) : rowsOfPage),
    ...(after === null ? {} : { after }),
  });
  const [answer, { budgets }, keyNames] = await Promise.all([
    visit.api.read(paths.admin.usage, { query: asked }),
    visit.api.read(paths.admin.spend),
    by === "key" ? visit.api.read(paths.admin.keys).then(keyNamesOf) : new Map<string, string>(),
  ]);
  const texts = usageWords[visit.language];
  const numbers = numbersOf(visit.language);
  const parts: UsageParts = { visit, texts, numbers, by, answer, keyNames };
  const jurors = budgets.filter(({ budget }) => budget === jurorBudgetName);
  const isEmpty = answer.total.requests === 0;
  const at = (view: View, time: number | typeof said, place: string | null = null): string =>
    visit.at("usage", {
      by: view === "server" ? null : view,
      ...(typeof time === "number" ? { days: time === defaultDays ? null : time } : time),
      after: place,
    });
  const here = isOwn ? said : days;
  return {
    kind: "page",
    title: texts.title,
    body: () => (
      <>
        <div class="head">
          <h1>{texts.title}</h1>
          <Download visit={visit} file="usage" query={{ by, ...between }}>
            {texts.csv}
          </Download>
        </div>
        <div class="head">
          <Chips label={texts.views} of={views.map((each) => ({ name: texts.by[each], href: at(each, here), isCurrent: each === by }))} />
          <Chips
            label={texts.periods}
            of={periods.map((each) => ({
              name: fillText(texts.days, { n: each }),
              href: at(by, each),
              isCurrent: !isOwn && each === days,
            }))}
          />
        </div>
        <details class="filters" open={isOwn}>
          <summary class="act">{texts.own}</summary>
          <form class="fields" method="get" action={visit.at("usage")}>
            {by === "server" ? null : <input type="hidden" name="by" value={by} />}
            <RangeFields visit={visit} said={said} />
            <button class="btn" type="submit">
              {texts.show}
            </button>
          </form>
        </details>
        {answer.isComplete ? null : <Note of="mind">{texts.counting}</Note>}
        <Chart
          title={texts.requests[by]}
          beside={<Legend of={answer.total} hasLine={by === "day"} numbers={numbers} />}
          plot={by === "day" && !isEmpty ? daysPlot(parts) : null}
        >
          {isEmpty ? <Empty>{texts.empty}</Empty> : <UsageTable {...parts} />}
          {answer.next === null && after === null ? null : (
            <p class="head">
              {after === null ? null : <a href={at(by, here)}>{texts.first}</a>}
              {answer.next === null ? null : <LinkButton to={at(by, here, answer.next)}>{texts.more}</LinkButton>}
            </p>
          )}
        </Chart>
        {jurors.length === 0 ? null : <Jurors lines={jurors} visit={visit} texts={texts.jurors} />}
        <p class="soft">
          {isOwn ? `${texts.whole.replace("{from}", answer.since.slice(0, 10)).replace("{until}", lastDayOf(answer))} ` : ""}
          {texts.utc}
        </p>
      </>
    ),
  };
}

export const usagePage: ConsolePage = { path: "usage", get: renderUsage };

// The overview: what waits, what fails now, what the requests of a period came to, people's time,
// spend against budget, and health.

import { paths } from "../../../platform/urls.ts";
import { Name } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { numbersOf } from "../numbers.ts";
import type { ConsolePage, PageAnswer, Visit } from "../page.ts";
import { Chips, Note } from "../pieces.tsx";
import { FirstSteps, keysIn } from "./first-steps.tsx";
import { Health } from "./health.tsx";
import { type OverviewContext, type Period, deniedIn, monthBudget } from "./overview-parts.ts";
import { hoursScript, RequestsChart, WaitChart } from "./overview-charts.tsx";
import { NowCard } from "./now.tsx";
import { nowScript } from "./now-script.ts";
import { type KeyNames, keyNamesOf } from "../requests/request-line.ts";
import { overviewWords } from "./overview-words.ts";
import { Spend } from "./spend-chart.tsx";

const periods = ["day", "week", "month"] as const satisfies readonly Period[];
/** A review that expires within this time is announced above everything. */
const soonMs = 5 * 60_000;

const FirstDue = ({ visit, overview: { open }, texts, numbers }: OverviewContext) => {
  const due = open.firstDue;
  const left = due === null ? Number.POSITIVE_INFINITY : Date.parse(due.expiresAt) - visit.now;
  if (due === null || left > soonMs || left < 0) return null;
  const name = [due.server ?? "", due.tool ?? ""]
    .filter((each) => each !== "")
    .map((each, i) => [i === 0 ? "" : " · ", <Name value={each} />]);
  return (
    <Note of="bad">
      {fill(texts.due, { name: <b>{name}</b>, left: <b class="num">{numbers.span(left)}</b> })}{" "}
      <a href={visit.at(`requests/${due.id}`)}>{texts.openRequest}</a>
    </Note>
  );
};

type TileProps = { readonly name: string; readonly value: string; readonly says: string; readonly to: string; readonly isHot?: boolean };

const Tile = ({ name, value, says, to, isHot = false }: TileProps) => (
  <a class={isHot ? "tile hot" : "tile"} href={to}>
    <span>{name}</span>
    <b>{value}</b>
    <span class="soft">{says}</span>
  </a>
);

const Tiles = ({ visit, overview, texts: { tiles }, numbers, period }: OverviewContext & { period: Period }) => {
  const { open, total, before, spend } = overview;
  const due = open.firstDue === null ? null : Math.max(0, Date.parse(open.firstDue.expiresAt) - visit.now);
  const oldest = open.oldestAt === null ? null : visit.now - Date.parse(open.oldestAt);
  const denied = deniedIn(total);
  const waiting = numbers.count(open.waiting);
  const spent = spend.days.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const budget = monthBudget(overview.budgets);
  return (
    <div class="tiles">
      <Tile
        name={tiles.waiting}
        value={open.isPartial ? fillText(tiles.atLeast, { n: waiting }) : waiting}
        says={
          due !== null
            ? fillText(tiles.firstIn, { left: numbers.span(due) })
            : oldest !== null
              ? fillText(tiles.since, { span: numbers.span(oldest) })
              : tiles.noneWait
        }
        to={visit.at("requests", { state: "open" })}
        isHot={open.waiting > 0}
      />
      <Tile
        name={tiles.requests}
        value={numbers.count(total.requests)}
        says={fillText(tiles.before[period], { n: numbers.count(before.requests) })}
        to={visit.at("requests")}
      />
      <Tile
        name={tiles.denied}
        value={numbers.count(denied)}
        says={
          denied === 0
            ? tiles.noneDenied
            : fillText(tiles.deniedOf, {
                percent: numbers.percent(denied / total.requests),
                expired: numbers.count(total.outcomes.expired),
              })
        }
        to={visit.at("requests", { state: "rejected" })}
      />
      <Tile
        name={tiles.wait}
        value={total.waitP50Ms === null ? "–" : numbers.span(total.waitP50Ms)}
        says={total.waitP95Ms === null ? tiles.noWait : fillText(tiles.waitP95, { span: numbers.span(total.waitP95Ms) })}
        to={visit.at("reviewers")}
      />
      <Tile
        name={fillText(tiles.spend, { month: numbers.month(Date.parse(spend.since)) })}
        value={numbers.dollars(spent)}
        says={budget === null ? tiles.noBudget : fillText(tiles.spendOf, { limit: numbers.dollars(budget.limit) })}
        to={visit.at(budget === null ? "usage" : "budgets")}
      />
    </div>
  );
};

async function renderOverview(visit: Visit): Promise<PageAnswer> {
  const period = periods.find((each) => each === visit.query.get("period")) ?? "day";
  const texts = overviewWords[visit.language];
  const numbers = numbersOf(visit.language);
  const [overview, outcomes, diagnosis, tools] = await Promise.all([
    visit.api.read(paths.admin.overview, { query: { period } }),
    visit.api.read(paths.admin.outcomes),
    visit.api.read(paths.admin.doctor),
    visit.api.read(paths.admin.tools),
  ]);
  const isNew = overview.isEmpty && overview.open.requests === 0;
  const keys = isNew ? await keysIn(visit) : 0;
  const hasParts = overview.budgets.some(({ part }) => part !== null);
  const keyNames: KeyNames = hasParts ? keyNamesOf(await visit.api.read(paths.admin.keys)) : new Map();
  const parts: OverviewContext = { visit, overview, texts, numbers, keyNames };
  return {
    kind: "page",
    title: texts.title,
    script: hoursScript + nowScript,
    body: () => (
      <>
        {isNew ? (
          <>
            <h1>{texts.title}</h1>
            <FirstSteps {...parts} keys={keys} />
          </>
        ) : (
          <>
            <div class="head">
              <h1>{texts.heading[period]}</h1>
              <Chips
                label={texts.periods}
                of={periods.map((each) => ({
                  name: texts.chips[each],
                  href: visit.at("", { period: each === "day" ? null : each }),
                  isCurrent: each === period,
                }))}
              />
            </div>
            {overview.isComplete ? null : <Note of="mind">{texts.counting}</Note>}
            <FirstDue {...parts} />
            <Tiles {...parts} period={period} />
            <NowCard visit={visit} outcomes={outcomes} />
            <RequestsChart {...parts} />
            <div class="grid half">
              <WaitChart {...parts} />
              <Spend {...parts} />
            </div>
          </>
        )}
        <Health {...parts} diagnosis={diagnosis} tools={tools} />
      </>
    ),
  };
}

export const overviewPage: ConsolePage = { path: "", get: renderOverview };

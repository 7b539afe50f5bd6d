// What was spent this month, against the budget of everything where there is one; and the other
// budgets.

import type { Overview } from "../../../endpoints/admin/answers/overview.ts";
import type { BudgetLine } from "../../../endpoints/admin/answers/spend.ts";
import { Name } from "../../outside-text.tsx";
import { Chart, Meter, type Plot } from "../chart.tsx";
import { Empty } from "../pieces.tsx";
import { nearPercent } from "../spend-meter.tsx";
import { type OverviewContext, monthBudget } from "./overview-parts.ts";
import { fillText } from "../../sentence.tsx";

const dayMs = 86_400_000;
/** Budgets that are shown beside the chart. */
const mostShown = 4;

type Month = {
  /** What was spent from the first on until the end of each day so far. */
  readonly sums: readonly number[];
  readonly days: number;
  readonly spent: number;
};

export function monthOf({ spend }: Pick<Overview, "spend">, now: number): Month {
  const begin = new Date(spend.since);
  const days = new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1, 0)).getUTCDate();
  const byDay = new Map(spend.days.map(({ day, costUsd }) => [Date.parse(day), costUsd]));
  const sums: number[] = [];
  for (let at = begin.getTime(); at <= now; at += dayMs) sums.push((sums.at(-1) ?? 0) + (byDay.get(at) ?? 0));
  return { sums, days, spent: sums.at(-1) ?? 0 };
}

/**
 * What the month comes to at the rate of its days so far; null in its first two days, which say
 * little.
 */
export function paceOf(month: Month, since: number, now: number): number | null {
  const passed = (now - since) / dayMs;
  return passed < 2 ? null : (month.spent / passed) * month.days;
}

export const Spend = ({ visit, overview, texts, numbers, keyNames }: OverviewContext) => {
  const month = monthOf(overview, visit.now);
  const name = numbers.month(Date.parse(overview.spend.since));
  const budget = monthBudget(overview.budgets);
  const spent = numbers.dollars(month.spent);
  const limit = budget === null ? null : numbers.dollars(budget.limit);
  const isEmpty = month.spent === 0 && budget === null;
  const plot: Plot = {
    line: { values: month.sums, room: month.days, limit: budget?.limit },
    label: [fillText(texts.spendLabel, { spent }), ...(limit === null ? [] : [fillText(texts.spendLimit, { limit })])].join(" "),
    marks: [1, 8, 15, 22, month.days],
  };
  const beside = isEmpty ? null : (
    <span class="keyline">
      <span>{fillText(texts.spent, { spent })}</span>
      {limit === null ? null : <span>{fillText(texts.budget, { limit })}</span>}
    </span>
  );
  return (
    <Chart title={fillText(texts.spend, { month: name })} beside={beside} plot={isEmpty ? null : plot}>
      {isEmpty ? <Empty>{texts.spendNone}</Empty> : null}
      <Budgets visit={visit} overview={overview} texts={texts} numbers={numbers} keyNames={keyNames} />
    </Chart>
  );
};

const Budgets = ({ visit, overview: { budgets, moreBudgets }, texts, numbers, keyNames }: OverviewContext) => {
  const others = budgets.filter((each) => each !== monthBudget(budgets));
  if (others.length === 0) return null;
  const amount = ({ unit }: BudgetLine, of: number): string => (unit === "usd" ? numbers.dollars(of) : numbers.count(of));
  return (
    <>
      <ul class="rank">
        {others.slice(0, mostShown).map((each) => (
          <li>
            <div class="line wraps">
              <span>
                <Name value={each.budget} />
                {each.part === null ? null : (
                  <>
                    {" "}
                    <Name value={keyNames.get(each.part) ?? each.part} />
                  </>
                )}
              </span>
              <span class="soft">
                {fillText(texts.budgetUsed[each.unit], {
                  spent: amount(each, each.spent + each.unaccounted),
                  limit: amount(each, each.limit),
                  per: texts.per[each.per],
                })}
              </span>
            </div>
            <Meter parts={[{ of: each.usedPercent >= nearPercent ? "b3" : "b1", count: Math.min(each.usedPercent, 100) }]} />
          </li>
        ))}
      </ul>
      {others.length > mostShown || moreBudgets ? <a href={visit.at("budgets")}>{texts.moreBudgets}</a> : null}
    </>
  );
};

// How much of a budget is used: a line and a bar.

import { wordsOf } from "../../../shared/channels/words/words.ts";
import type { Language } from "../../../shared/channels/words/languages.ts";
import type { BudgetLine } from "../../endpoints/admin/answers/spend.ts";
import { Icon } from "../icons.tsx";
import { Meter } from "./chart.tsx";
import { type InLanguages, type Visit, useTexts } from "./page.ts";

const en = {
  of: (spent: string, limit: string): string => `${spent} of ${limit}`,
  tokens: (count: string): string => `${count} tokens`,
  per: { day: "a day", month: "a month" },
  near: "nearly used up",
  full: "used up",
};
const zhCN: typeof en = {
  of: (spent, limit) => `已用 ${spent}，共 ${limit}`,
  tokens: (count) => `${count} 个 token`,
  per: { day: "每天", month: "每月" },
  near: "即将用完",
  full: "已用完",
};
const spendWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };

/** An amount of money or tokens. Nothing is "$0.00", where a price would be "free". */
export function amountIn(unit: BudgetLine["unit"], amount: number, language: Language): string {
  if (unit === "tokens") return spendWords[language].tokens(amount.toLocaleString(language === "en" ? "en-GB" : language));
  return amount === 0 ? "$0.00" : wordsOf(language).page.dollars(amount);
}

/** From so many percent on a budget is said to be nearly used up. */
export const nearPercent = 80;

export const SpendMeter = ({ line, visit }: { line: BudgetLine; visit: Visit }) => {
  const texts = useTexts(spendWords);
  const { unit, limit, usedPercent, per } = line;
  const used = line.spent + line.unaccounted;
  const shown = (amount: number): string => amountIn(unit, amount, visit.language);
  return (
    <div>
      {texts.of(shown(used), shown(limit))} {texts.per[per]}
      <span class="soft"> · {Math.floor(usedPercent)} %</span>{" "}
      {usedPercent < nearPercent ? null : (
        <span class={`tag ${usedPercent >= 100 ? "bad" : "mind"}`}>
          <Icon of="warning" />
          {usedPercent >= 100 ? texts.full : texts.near}
        </span>
      )}
      <Meter parts={[{ of: usedPercent >= nearPercent ? "b3" : "b1", count: Math.min(100, usedPercent) }]} />
    </div>
  );
};

// What every part of the overview is made from, and what it makes of the operator’s API.

import type { ShownUsage } from "../../../../shared/record/usage.ts";
import type { Overview } from "../../../endpoints/admin/answers/overview.ts";
import type { Numbers } from "../numbers.ts";
import type { Visit } from "../page.ts";
import type { KeyNames } from "../requests/request-line.ts";
import type { OverviewWords } from "./overview-words.ts";
import type { CheckedDocument, LastDiagnosis } from "../../../endpoints/admin/answers/doctor.ts";
import type { BudgetLine } from "../../../endpoints/admin/answers/spend.ts";

export type OverviewContext = {
  readonly visit: Visit;
  readonly overview: Overview;
  readonly texts: OverviewWords;
  readonly numbers: Numbers;
  /** Of the budgets that keys have parts of. */
  readonly keyNames: KeyNames;
};

export const deniedIn = ({ outcomes: { denied, expired, undeliverable } }: Pick<ShownUsage, "outcomes">): number =>
  denied + expired + undeliverable;

/** What else went without a reply. */
export const otherIn = ({ outcomes: { failed, cancelled, refused } }: Pick<ShownUsage, "outcomes">): number => failed + cancelled + refused;

export type Period = "day" | "week" | "month";

export const changedIn = ({ documents }: LastDiagnosis): readonly CheckedDocument[] =>
  documents.filter(({ checked, current }) => checked !== current);

const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** Every hour or day of the period in its order, those without a request too. */
export function everyStep({
  since,
  until,
  step,
  steps,
}: Pick<Overview, "since" | "until" | "step" | "steps">): readonly (readonly [number, ShownUsage | null])[] {
  const known = new Map(steps.map((each) => [Date.parse(each.at), each]));
  const [from, length] = [Date.parse(since), stepMs[step]];
  return Array.from({ length: Math.round((Date.parse(until) - from) / length) }, (_, i) => {
    const at = from + i * length;
    return [at, known.get(at) ?? null] as const;
  });
}

/** The budget of everything in dollars a month, where there is one: the lowest of several. */
export const monthBudget = (budgets: readonly BudgetLine[]): BudgetLine | null =>
  budgets.filter(({ everything, unit, per }) => everything && unit === "usd" && per === "month").toSorted((a, b) => a.limit - b.limit)[0] ??
  null;

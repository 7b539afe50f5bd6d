// What the overview reads from the operator's API.

import type { Cause } from "../../../../shared/record/cause.ts";
import type { AnyPhrase } from "../../../../shared/words/text.ts";
import type { ShownUsage } from "../../../../shared/record/usage.ts";

export type Period = "day" | "week" | "month";

export type StepUsage = { readonly at: string } & ShownUsage;

export type BudgetLine = {
  readonly budget: string;
  readonly part: string | null;
  /** It limits everything together. */
  readonly everything: boolean;
  readonly unit: "usd" | "tokens";
  readonly per: "day" | "month";
  readonly limit: number;
  readonly spent: number;
  readonly unaccounted: number;
  readonly usedPercent: number;
  readonly since: string;
  readonly resetsAt: string;
};

/** `GET /admin/overview`. Times are ISO 8601. Steps without a request are left out. */
export type Overview = {
  readonly since: string;
  readonly until: string;
  readonly step: "hour" | "day";
  readonly isComplete: boolean;
  readonly isEmpty: boolean;
  readonly open: {
    readonly requests: number;
    readonly waiting: number;
    readonly isPartial: boolean;
    readonly oldestAt: string | null;
    readonly firstDue: {
      readonly id: string;
      readonly server: string | null;
      readonly tool: string | null;
      readonly expiresAt: string;
    } | null;
  };
  readonly total: ShownUsage;
  readonly before: ShownUsage;
  readonly steps: readonly StepUsage[];
  readonly spend: { readonly since: string; readonly days: readonly { readonly day: string; readonly costUsd: number }[] };
  readonly budgets: readonly BudgetLine[];
  readonly moreBudgets: boolean;
  readonly health: {
    readonly status: "ok" | "degraded" | "down";
    readonly issues: readonly HealthIssue[];
    /** Of the last hour. */
    readonly failures: { readonly requests: number; readonly isPartial: boolean; readonly by: readonly Failures[] };
  };
};

/**
 * Requests that failed at one model; `provider` and `model` are null where none was asked.
 * `causeFacts`: the last one's.
 */
export type Failures = {
  readonly provider: string | null;
  readonly model: string | null;
  readonly requests: number;
  readonly servers: readonly string[];
  readonly lastAt: string;
  readonly causeFacts: Cause;
};

/** `says`: `text` before it is in English. */
export type HealthIssue = { readonly text: string; readonly says?: AnyPhrase };

/** `title`: `check` before it is in English. */
export type Check = HealthIssue & { readonly check: string; readonly state: "good" | "note" | "fix"; readonly title?: AnyPhrase };

/** The version of a document that was checked, and the one that was written last. */
export type CheckedDocument = {
  readonly document: "routing" | "policy" | "servers" | "issuers" | "budgets";
  readonly checked: number;
  readonly current: number;
};

/** `GET /admin/doctor`. `at`: null where it was never asked. */
export type Diagnosis = { readonly at: string | null; readonly documents: readonly CheckedDocument[]; readonly checks: readonly Check[] };

/** The documents that were written since the doctor looked. */
export const changedIn = ({ documents }: Diagnosis): readonly CheckedDocument[] =>
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

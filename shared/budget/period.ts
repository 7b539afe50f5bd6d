// A budget's days and months, of UTC.

import type { Allowance, Per } from "./budgets.ts";

/** In Unix milliseconds: from `startsAt`, before `endsAt`. */
type Period = { readonly startsAt: number; readonly endsAt: number };

/** What an allowance counts for at this moment: the day or month, or all of its time. */
export const periodOfAllowance = ({ per, endsAt }: Pick<Allowance, "per" | "endsAt">, now: number): Period =>
  endsAt === undefined ? periodOf(per, now) : { startsAt: 0, endsAt };

/** The day or month that has this moment (Unix milliseconds). */
export function periodOf(per: Per, now: number): Period {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return per === "day"
    ? { startsAt: Date.UTC(year, month, day), endsAt: Date.UTC(year, month, day + 1) }
    : { startsAt: Date.UTC(year, month, 1), endsAt: Date.UTC(year, month + 1, 1) };
}

// The answer of /admin/budgets/spend: how much of each budget is used.

import * as z from "zod";
import { list, text, time } from "../../../../shared/json/answer-fields.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

export const budgetLine = () =>
  z.object({
    budget: text(),
    /** The key or the owner whose part it is. */
    part: text().nullable(),
    /** It limits everything together. */
    everything: z.boolean(),
    unit: z.enum(["usd", "tokens"]),
    per: z.enum(["day", "month"]),
    limit: z.number(),
    spent: z.number(),
    reserved: z.number(),
    unaccounted: z.number(),
    usedPercent: z.number(),
    since: time(),
    resetsAt: time(),
  });
export type BudgetLine = AnswerOf<typeof budgetLine>;

export const spend = named("Spend", () => z.object({ budgets: list(budgetLine()) }));
export type Spend = AnswerOf<typeof spend>;

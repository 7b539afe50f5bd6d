// Budgets and the kill switch: what is never exceeded, what a loss costs, and what is not sent.

import type { Mutant } from "./mutant.ts";

const account = (only: string): Mutant["test"] => ({ file: "test/shared/budget/account.test.ts", only });
const budgets = (only: string): Mutant["test"] => ({ file: "test/workers/contract/budgets.test.ts", only });
const stops = (only: string): Mutant["test"] => ({ file: "test/workers/contract/stops.test.ts", only });

const arithmetic = { file: "shared/budget/account.ts" };
const spending = { file: "workers/pipeline/spend/spending.ts" };

export const budgetMutants: readonly Mutant[] = [
  {
    ...arithmetic,
    name: "what is held counts",
    from: "return Math.max(0, limit - spent - unaccounted - held);",
    to: "return Math.max(0, limit - spent - unaccounted);",
    test: account("in any history"),
  },
  {
    ...arithmetic,
    name: "what nobody settles counts as spent",
    from: "{ spent: 0, unaccounted: amount });",
    to: "{ spent: 0, unaccounted: 0 });",
    test: account("in any history"),
  },
  {
    ...arithmetic,
    name: "what a share's holder has under way stays held",
    from: "held: [...others, ...still] };",
    to: "held: [...others, ...still.slice(0, 0)] };",
    test: account("in any history"),
  },
  {
    ...arithmetic,
    name: "a settlement counts once",
    from: "if (given === undefined) return account;",
    to: "if (given === undefined) return { ...account, used: add(account, 0, { spent, unaccounted }) };",
    test: account("that nobody settles counts as spent"),
  },
  {
    file: "shared/budget/held-share.ts",
    name: "a share admits no more than it has",
    from: "if (this.isOver(now) || amount > this.#free) return null;",
    to: "if (this.isOver(now)) return null;",
    test: account("in any history"),
  },
  {
    file: "shared/budget/cost.ts",
    name: "an attempt whose answer is lost counts in full",
    from: "? { spent: 0, unaccounted: worst } :",
    to: "? { spent: 0, unaccounted: 0 } :",
    test: budgets("an attempt whose connection breaks counts in full"),
  },
  {
    file: "shared/routing/price.ts",
    name: "a write to a provider's cache is reserved at its price",
    from: "inputTokens * Math.max(input, cached, written) +",
    to: "inputTokens * input +",
    test: { file: "test/shared/budget/cost.test.ts", only: "costs no more than was reserved" },
  },
  {
    file: "workers/objects/budget-object.ts",
    name: "a reservation is written before its answer",
    from: "this.#write(share === null ? reserved : { ...reserved, held: [...reserved.held, share] });",
    to: "this.#account = share === null ? reserved : { ...reserved, held: [...reserved.held, share] };",
    test: budgets("what was reserved stays reserved"),
  },
  {
    ...spending,
    name: "nothing is sent above a budget",
    from: "return err(whyNot(all, spending.cheaperWithinBudget));",
    to: "return free;",
    test: budgets("a request that may cost more than is left"),
  },
  {
    ...spending,
    name: "nobody is asked to review what could not be sent",
    from: "return first === undefined || short.includes(undefined)",
    to: "return first !== null || short.includes(undefined)",
    test: budgets("nobody is asked for what could not be sent"),
  },
  {
    ...spending,
    name: "where the stops cannot be read nothing is sent",
    from: 'return err(unverifiedError("stopped"));',
    to: "return ok(null);",
    test: stops("where the stops cannot be read"),
  },
  {
    file: "workers/pipeline/spend/stops.ts",
    name: "what an isolate was told of stops is soon over",
    from: "if (this.#known === null || age < 0 || age >= stopsKnownMs) return null;",
    to: "if (this.#known === null || age < 0 || age >= 60 * stopsKnownMs) return null;",
    test: stops("with a stop of everything"),
  },
  {
    file: "workers/endpoints/admin/stops.ts",
    name: "a stop answers when no isolate goes by what it was told before",
    from: "await new Promise((resolve) => setTimeout(resolve, stopsKnownMs));",
    to: "await new Promise((resolve) => setTimeout(resolve, 0));",
    test: stops("under load"),
  },
  {
    file: "workers/objects/stop-object.ts",
    name: "a stop cancels what waits",
    from: 'runStub(this.env, run).cancel("stopped", by, only)',
    to: "Promise.resolve(run === by?.kind || run === only)",
    test: stops("open reviews are withdrawn"),
  },
  {
    file: "workers/objects/run/act/run-call.ts",
    name: "a run asks before it sends",
    from: "{ over, permit, traceOf });",
    to: "{ over, traceOf });",
    test: budgets("what is approved when the budget is used up"),
  },
];

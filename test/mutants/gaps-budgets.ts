// Budgets, stops and settings, where a weaker check once passed every test.

import type { Mutant } from "./mutant.ts";

const account = (only: string): Mutant["test"] => ({ file: "test/shared/budget/account.test.ts", only });
const costs: Mutant["test"] = { file: "test/shared/budget/cost.test.ts", only: "of an attempt that ends with" };
const budgets = (only: string): Mutant["test"] => ({ file: "test/workers/contract/budgets.test.ts", only });

const arithmetic = { file: "shared/budget/account.ts" };
const held = { file: "shared/budget/held-share.ts" };
const cost = { file: "shared/budget/cost.ts" };
const spending = { file: "workers/pipeline/spending.ts" };

export const budgetGapMutants: readonly Mutant[] = [
  {
    ...held,
    name: "what an attempt spent is not free again",
    from: "Math.max(0, amount - spent - unaccounted)",
    to: "amount",
    test: account("is not free again"),
  },
  {
    ...held,
    name: "what an attempt is sure to have spent is not free again",
    from: "Math.max(0, amount - spent - unaccounted)",
    to: "Math.max(0, amount - unaccounted)",
    test: account("is not free again"),
  },
  {
    ...held,
    name: "what an attempt may have spent is not free again",
    from: "Math.max(0, amount - spent - unaccounted)",
    to: "Math.max(0, amount - spent)",
    test: account("is not free again"),
  },
  {
    ...arithmetic,
    name: "a reservation that comes again with more is not the first one",
    from: "return known.amount >= wanted.amount ? account : null;",
    to: "return account;",
    test: account("is reserved and settled once"),
  },
  {
    ...arithmetic,
    name: "what a share's holder has under way ends when the share does",
    from: "until: given.until }));",
    to: "until: given.until + lateMs }));",
    test: account("leaves what is under way held"),
  },
  {
    ...arithmetic,
    name: "what a share's holder has under way is of the share's period",
    from: "startsAt: given.startsAt, until: given.until }));",
    to: "startsAt: given.until, until: given.until }));",
    test: account("leaves what is under way held"),
  },
  {
    ...cost,
    name: "an attempt without an answer in time may have been paid",
    from: 'kind === "timeout" || ',
    to: "",
    test: costs,
  },
  {
    ...cost,
    name: "an attempt with an answer that cannot be read may have been paid",
    from: ' || kind === "brokenAnswer"',
    to: "",
    test: costs,
  },
  {
    ...cost,
    name: "an attempt that the provider answered with an error was not paid",
    from: "isPaidMaybe && (status === undefined || status === 200)",
    to: "isPaidMaybe",
    test: costs,
  },
  {
    ...cost,
    name: "what breaks after an answer has begun may have been paid",
    from: "(status === undefined || status === 200)",
    to: "status === undefined",
    test: costs,
  },
  {
    ...cost,
    name: "an error that says what was used was paid so",
    from: "if (usage !== undefined) return known(unit, priced, usage);",
    to: "",
    test: costs,
  },
  {
    ...spending,
    name: "where the budgets cannot be read nothing is sent",
    from: 'if (allowances === null) return err(unverifiedError("overBudget"));',
    to: "if (allowances === null) return free;",
    test: budgets("not taken for none"),
  },
  {
    file: "workers/stores/documents.ts",
    name: "budgets that were never read bind nobody to none",
    from: "if (servedOf(env).budgets.isUnread) throw new ConfigurationUnavailable();",
    to: "",
    test: { file: "test/workers/stores/documents.test.ts", only: "malformed budgets bind nobody" },
  },
  {
    file: "workers/stores/documents.ts",
    name: "budgets that were never read are not in memory",
    from: "return budgets.isUnread ? null : budgets.recent(now);",
    to: "return budgets.recent(now);",
    test: { file: "test/workers/stores/documents.test.ts", only: "malformed budgets bind nobody" },
  },
];

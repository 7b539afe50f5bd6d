// What fails now, and who is alerted of it: what counts, and that each thing is said once.

import type { Mutant } from "./mutant.ts";

const outcomes = { file: "shared/telemetry/recent-outcomes.ts", test: { file: "test/shared/telemetry/recent-outcomes.test.ts" } };
const steps = { file: "shared/telemetry/alerts.ts", test: { file: "test/shared/telemetry/alerts.test.ts" } };
const alertTest = (only: string): Mutant["test"] => ({ file: "test/workers/contract/alerts.test.ts", only });
const object = { file: "workers/objects/alert-object.ts" };

export const alertMutants: readonly Mutant[] = [
  {
    ...outcomes,
    name: "an outcome fails now from three failures on",
    from: "failed >= 3 && failed * 2 >= count",
    to: "failed * 2 >= count",
  },
  { ...outcomes, name: "an outcome fails now where half of all do", from: "failed >= 3 && failed * 2 >= count", to: "failed >= 3" },
  {
    ...outcomes,
    name: "an outcome that a budget ended tells against no provider",
    from: ' || kind === "overBudget"',
    to: "",
  },
  {
    ...outcomes,
    name: "an outcome that the caller ended tells against no provider",
    from: 'if (detail === "cancelled" || ',
    to: "if (",
  },
  { ...outcomes, name: "an outcome of a refusal is none of its server", from: ' || state === "refused"', to: "" },
  { ...outcomes, name: "outcomes of a minute have a bounded number of names", from: ">= mostNames) {", to: ">= mostNames * 1_000) {" },
  {
    ...outcomes,
    name: "outcomes older than an hour are not read",
    from: ".filter(([minute]) => minute > current - keptMinutes)",
    to: "",
  },
  {
    name: "an outcome is one, in however many entries its line stands",
    file: "workers/objects/ledger/ledger-recent.ts",
    from: " && !ended.has(run);",
    to: ";",
    test: { file: "test/workers/objects/record-log.test.ts", only: "that failed is one failure" },
  },
  {
    name: "an outcome that is appended again is no second failure",
    file: "workers/objects/ledger/ledger-events.ts",
    from: "if (wholeTo > 0 && parts.length === 0) return { lineAt: line?.createdAt ?? null, isNewWhole: false,",
    to: "if (wholeTo > 0 && parts.length === 0) return { lineAt: line?.createdAt ?? null, isNewWhole: true,",
    test: { file: "test/workers/objects/record-log.test.ts", only: "that failed is one failure" },
  },
  { ...steps, name: "an alert begins once", from: " && !known.has(topicKey(topic))", to: "" },
  {
    ...steps,
    name: "an alert does not end while it is not surely over",
    from: 'now === undefined || now.is === "off"',
    to: 'now === undefined || now.is !== "on"',
  },
  { ...steps, name: "an alert is about what the policy says", from: ' is === "on" && about.includes(topic.kind)', to: ' is === "on"' },
  { ...steps, name: "an alert ends where a fifth fails at most", from: "last.failed * 5 <= last.count", to: "last.failed < last.count" },
  {
    name: "an alert has an object that is told of failures",
    file: "workers/objects/ledger/ledger-object.ts",
    from: "if (this.#recent.add(stored, this.now())) this.#lookForAlerts();",
    to: "this.#recent.add(stored, this.now());",
    test: alertTest("a provider that fails and works again"),
  },
  {
    name: "an alert is for whom the policy names, and else for nobody",
    file: "workers/stores/look-for-alerts.ts",
    from: "if (await hasAlerts(env, now, background)) await",
    to: "await",
    test: alertTest("nobody hears where the policy says so"),
  },
  {
    ...object,
    name: "an alert's beginning and its end are two messages",
    from: "`${row.id}-${row.phase}-",
    to: "`${row.id}-",
    test: alertTest("a provider that fails and works again"),
  },
  {
    ...object,
    name: "an alert beyond those of an hour is not sent",
    from: "const may = n < perHour;",
    to: "const may = n < perHour * 100;",
    test: alertTest("reviews that reach nobody and expire"),
  },
  {
    ...object,
    name: "an alert that is not sent is counted by the next one",
    from: 'INSERT INTO counted (at, told) VALUES (?, ?)", now, may ? 1 : 0);',
    to: 'INSERT INTO counted (at, told) VALUES (?, ?)", now, 1);',
    test: alertTest("reviews that reach nobody and expire"),
  },
  {
    ...object,
    name: "an alert of a budget ends where its document gives it room",
    from: "const allowance = currentOf(budgets, known);",
    to: "const allowance: Allowance | null = known;",
    test: alertTest("a budget is said to be used up"),
  },
  {
    name: "an alert of a budget is of what was spent alone",
    file: "workers/objects/budget-notices.ts",
    from: " || !isTooLittle(used, allowance.limit, wanted)",
    to: "",
    test: alertTest("a budget that refuses a call"),
  },
  {
    name: "an alert of a budget is none where a call may cost more than all of it",
    file: "shared/budget/account.ts",
    from: "wanted <= limit && wanted > rest",
    to: "wanted > rest",
    test: { file: "test/shared/budget/account.test.ts", only: "a budget has too little" },
  },
];

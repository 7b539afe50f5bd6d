// Why a request failed: the cause by its rule, and not the last attempt.

import type { Mutant } from "./mutant.ts";

const rule = { file: "shared/record/failed-models.ts", test: { file: "test/shared/record/failed-models.test.ts" } };

export const failureMutants: readonly Mutant[] = [
  {
    name: "the cause of a failure is how the first choice failed",
    ...rule,
    from: "(reasons[0] ?? null)",
    to: "(reasons.at(-1) ?? null)",
  },
  {
    name: "a failure is the cause where more than half of the models failed so",
    ...rule,
    from: ".length * 2 > reasons.length",
    to: ".length * 2 >= reasons.length",
  },
  {
    name: "a failure that most models share is the cause",
    ...rule,
    from: ".length * 2 > reasons.length",
    to: ".length > reasons.length",
  },
  {
    name: "a model that was not asked outvotes none",
    ...rule,
    from: "wasSent({ fault: failure }) && ",
    to: "",
  },
  {
    name: "a model counts for what it did most often",
    ...rule,
    from: ".toSorted((a, b) => b.times - a.times)",
    to: "",
  },
  {
    name: "the cause of a failure is of all attempts",
    ...rule,
    from: "reason: causeOf(failures)",
    to: "reason: causeOf(failures.slice(0, mostFailures))",
  },
  {
    name: "what to do about the cause of a failure comes first",
    ...rule,
    from: "all.toSorted((a, b) => Number(isCause(b)) - Number(isCause(a)))",
    to: "[...all].filter((each) => isCause(each) || true)",
  },
  {
    name: "a failure's line names the model that was asked first",
    file: "shared/record/run-summary.ts",
    from: "attempts.find(wasSent)",
    to: "attempts.findLast(wasSent)",
    test: { file: "test/workers/contract/usage.test.ts", only: "by model counts a failure" },
  },
];

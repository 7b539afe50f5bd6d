// The sums of `npm run week`, and what it says of a rule.

import { expect, test } from "vitest";
import { adviceOf, type Line, tallyWeek } from "../../scripts/week/tally.ts";

const lineOf = (rule: string, waitedMs: number, more: Partial<Line> & { readonly by?: string[]; readonly edits?: number } = {}): Line => {
  const { by = ["Ann"], edits = 0, ...rest } = more;
  const review = { by, people: ["Ann", "Bo"], edits, waitedMs };
  return { state: "completed", rule, endedAt: "2026-11-28T10:00:00.000Z", review, ...rest };
};
const many = (count: number, make: (index: number) => Line): Line[] => Array.from({ length: count }, (_, index) => make(index));

test("counts by reviewer and by rule what people decided, and leaves out what nobody was asked about or is open", () => {
  const { reviewers, rules } = tallyWeek([
    lineOf("deploys", 60_000, { by: ["Ann", "Bo"] }),
    lineOf("deploys", 120_000, { state: "rejected", by: ["Bo"] }),
    lineOf("deploys", 3_000, { edits: 1 }),
    lineOf("writes", 4_999),
    lineOf("writes", 5_000),
    lineOf("writes", 600_000, { state: "expired", by: [] }),
    lineOf("writes", 1, { endedAt: null }),
    { state: "completed", rule: "reads", endedAt: "2026-11-28T10:00:00.000Z", review: null },
  ]);
  expect(rules).toEqual([
    { name: "deploys", decided: 3, denied: 1, changed: 1, expired: 0, atOnce: 0, median: 60_000, slowest: 120_000 },
    { name: "writes", decided: 2, denied: 0, changed: 0, expired: 1, atOnce: 1, median: 4_999, slowest: 5_000 },
  ]);
  expect(reviewers).toEqual([
    { name: "Ann", decided: 4, denied: 0, changed: 1, expired: 1, atOnce: 1, median: 4_999, slowest: 60_000 },
    { name: "Bo", decided: 2, denied: 1, changed: 0, expired: 1, atOnce: 0, median: 60_000, slowest: 120_000 },
  ]);
});

test.each<[string, Line[], RegExp | null]>([
  ["that is approved in seconds", many(10, (index) => lineOf("r", index < 6 ? 1_000 : 60_000)), /within 5 s/],
  ["that never gets a no", many(10, () => lineOf("r", 60_000)), /nobody denied/],
  ["that got one no", many(10, (index) => lineOf("r", 60_000, index === 0 ? { state: "rejected" } : {})), null],
  ["with few decisions", many(9, () => lineOf("r", 1_000)), null],
  ["that nobody decides in time", many(2, () => lineOf("r", 1, { state: "expired", by: [] })), /not decided in time/],
])("says what to do about a rule %s", (_what, lines, said) => {
  const [rule] = tallyWeek(lines).rules;
  const advice = rule === undefined ? undefined : adviceOf(rule);
  if (said === null) expect(advice).toBeNull();
  else expect(advice).toMatch(said);
});

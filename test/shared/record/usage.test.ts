// What requests came to: sums that do not depend on their order, and quantiles of people's time
// within their error.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endStates } from "../../../shared/record/record.ts";
import type { RunSummary, ReviewTime } from "../../../shared/record/run-summary.ts";
import {
  boundedBreakdown,
  breakdownOf,
  countedLines,
  dimensions,
  mostFirst,
  noBreakdown,
  summedBreakdowns,
} from "../../../shared/record/usage-breakdown.ts";
import { noUsage, requestsIn, shownUsage, summedUsage, usageOfLine, usageOutcomes } from "../../../shared/record/usage.ts";
import { addedWaits, histogramOf, noWaits, waitError, waitQuantile } from "../../../shared/record/wait-histogram.ts";

const line = (more: Partial<RunSummary> = {}): RunSummary => ({
  run: "run_a",
  key: "key_a",
  server: "notes",
  name: "summarize",
  createdAt: 0,
  endedAt: 1,
  state: "completed",
  cause: null,
  model: "first",
  inputTokens: 10,
  outputTokens: 3,
  costUsd: 0.000_123,
  reviews: [],
  ...more,
});
const reviewed = (how: ReviewTime["how"], ms = 48_000): ReviewTime => ({ gate: "request", how, ms });

const anyLine: fc.Arbitrary<RunSummary> = fc
  .record({
    state: fc.constantFrom(...endStates),
    server: fc.constantFrom("notes", "deploy", null),
    model: fc.constantFrom("first", null),
    key: fc.constantFrom("key_a", "key_b", "key_c"),
    inputTokens: fc.nat(10_000),
    outputTokens: fc.nat(10_000),
    costUsd: fc.double({ min: 0, max: 100, noNaN: true }),
    reviews: fc.array(
      fc.record({ gate: fc.constant("request" as const), how: fc.constantFrom("approved", "denied", "expired"), ms: fc.nat(10_000_000) }),
      {
        maxLength: 2,
      },
    ),
  })
  .map((more) => line(more));

describe("the outcome of a request", () => {
  test.each([
    ["allowed", line()],
    ["approved", line({ reviews: [reviewed("approved")] })],
    ["denied", line({ state: "rejected", reviews: [reviewed("approved"), reviewed("denied")] })],
    ["expired", line({ state: "expired", reviews: [reviewed("expired")] })],
    ["undeliverable", line({ state: "undeliverable" })],
    ["cancelled", line({ state: "cancelled", reviews: [reviewed("cancelled")] })],
    ["failed", line({ state: "failed", reviews: [reviewed("approved")] })],
    ["refused", line({ state: "refused", model: null })],
  ] as const)("%s", (outcome, of) => {
    expect(usageOfLine(of)?.outcomes).toEqual({ [outcome]: 1 });
  });

  test("is none while it is open, and a flood has as many as were refused", () => {
    expect(usageOfLine(line({ state: "waiting", endedAt: null }))).toBeNull();
    const flood = line({ state: "refused", cause: { kind: "refusedMany", reason: "rateLimited", count: 7 } });
    expect(usageOfLine(flood)?.outcomes).toEqual({ refused: 7 });
  });
});

describe("a sum", () => {
  test("is the same in whatever order and parts it is made, and has every request once", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyLine, fc.nat(4))), (lines) => {
        const usages = lines.map(([each]) => usageOfLine(each) ?? noUsage);
        const whole = summedUsage(usages);
        const parts = [...Map.groupBy(lines, ([, part]) => part).values()].map((part) =>
          summedUsage(part.map(([each]) => usageOfLine(each) ?? noUsage)),
        );
        expect(summedUsage(parts)).toEqual(whole);
        expect(summedUsage(usages.toReversed())).toEqual(whole);
        expect(requestsIn(whole)).toBe(lines.length);
        expect(Object.values(shownUsage(whole).outcomes)).toHaveLength(usageOutcomes.length);
      }),
    );
  });

  test("by server, model and key comes to the same whole, however many names are told apart", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyLine, fc.nat(3))), fc.constantFrom(...dimensions), fc.nat(3), (lines, by, most) => {
        const counted = countedLines(lines.map(([each]) => each));
        const parts = [...Map.groupBy(lines, ([, part]) => part).values()].map((part) =>
          breakdownOf(countedLines(part.map(([each]) => each)), by),
        );
        const whole = summedUsage(counted.map(({ usage }) => usage));
        const bounded = parts.reduce((sum, part) => boundedBreakdown(summedBreakdowns([sum, part]), most), noBreakdown);
        expect(bounded.named.length).toBeLessThanOrEqual(most);
        expect(summedUsage([...bounded.named.map(([, usage]) => usage), bounded.unnamed, bounded.rest])).toEqual(whole);
        const byName = new Map(summedBreakdowns(parts).named);
        expect(byName).toEqual(new Map(breakdownOf(counted, by).named));
      }),
    );
  });

  test("has the names with the most requests first", () => {
    const lines = ["b", "a", "c", "c"].map((server) => line({ server }));
    expect(mostFirst(breakdownOf(countedLines(lines), "server")).named.map(([name]) => name)).toEqual(["c", "a", "b"]);
  });
});

describe("a quantile of people's time", () => {
  const exact = (waits: readonly number[], share: number): number =>
    waits.toSorted((a, b) => a - b)[Math.ceil(waits.length * share) - 1] ?? 0;

  test("is within its error, over any parts, from a millisecond to days", () => {
    const wait = fc.oneof(fc.nat(5_000), fc.nat(600_000), fc.nat(7 * 24 * 3_600_000));
    fc.assert(
      fc.property(fc.array(fc.tuple(wait, fc.nat(3)), { minLength: 1 }), fc.constantFrom(0.5, 0.95), (waits, share) => {
        const shards = [...Map.groupBy(waits, ([, shard]) => shard).values()].map((part) => histogramOf(part.map(([ms]) => ms)));
        const truth = exact(
          waits.map(([ms]) => ms),
          share,
        );
        const said = waitQuantile(addedWaits(shards), share) ?? Number.NaN;
        expect(Math.abs(said - truth)).toBeLessThanOrEqual(Math.max(500, truth * waitError) + 1);
      }),
    );
  });

  test("is unknown where nobody decided; what expired is nobody's time", () => {
    expect(waitQuantile(noWaits, 0.5)).toBeNull();
    expect(usageOfLine(line({ state: "expired", reviews: [reviewed("expired")] }))?.waits).toEqual([]);
  });
});

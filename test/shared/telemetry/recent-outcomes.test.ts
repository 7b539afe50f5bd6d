// What fails now: how outcomes are folded into minutes, added up over shards, and called failing.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attempt, ProviderError } from "../../../shared/model/call.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import {
  type RecentOutcome,
  RecentOutcomes,
  failsNow,
  minuteMs,
  mostNames,
  outcomesNow,
  outcomesOfEvents,
  outcomesOfLine,
} from "../../../shared/telemetry/recent-outcomes.ts";

const now = Date.UTC(2026, 10, 22, 14, 15, 30);
const providerOf = (model: string): string | undefined => ({ small: "acme", large: "acme", local: "mine" })[model];

const outcome = fc.record({
  of: fc.constantFrom("model" as const, "server" as const),
  name: fc.constantFrom("small", "large", "local", "notes"),
  at: fc.integer({ min: now - 70 * minuteMs, max: now }),
  isFailed: fc.boolean(),
  ms: fc.integer({ min: 0, max: 600_000 }),
});
const outcomes = fc
  .array(outcome, { maxLength: 300 })
  .map((all) => all.map(({ ms, ...each }): RecentOutcome => ({ ...each, tookMs: each.isFailed ? null : ms })));

const folded = (shards: readonly (readonly RecentOutcome[])[]) =>
  outcomesNow(
    shards.flatMap((shard) => {
      const recent = new RecentOutcomes();
      recent.add(shard, now);
      return recent.read(now).outcomes;
    }),
    providerOf,
  );

const attempt = (fault: Partial<ProviderError>): Attempt => ({
  model: "small",
  provider: "acme",
  at: now,
  durationMs: 5,
  fault: { kind: "connection", then: "next", ...fault },
});

describe("folded outcomes", () => {
  test("say of each name what a count of the hour's outcomes says, over shards in any order", () => {
    fc.assert(
      fc.property(outcomes, fc.integer({ min: 1, max: 5 }), (all, shards) => {
        const parts = Array.from({ length: shards }, (_, shard) => all.filter((_each, i) => i % shards === shard));
        const { models, servers, providers } = folded(parts);
        const minute = (at: number): number => Math.floor(at / minuteMs);
        const within = (minutes: number) => all.filter(({ at }) => minute(at) > minute(now) - minutes);
        for (const [listed, of] of [[models, "model"] as const, [servers, "server"] as const]) {
          for (const { name, now: last, hour, lastFailedAt } of listed) {
            const [ofHour, ofNow] = [within(60), within(5)].map((some) => some.filter((each) => each.of === of && each.name === name));
            expect(hour).toEqual({ count: ofHour?.length, failed: ofHour?.filter(({ isFailed }) => isFailed).length });
            expect(last).toEqual({ count: ofNow?.length, failed: ofNow?.filter(({ isFailed }) => isFailed).length });
            expect(lastFailedAt ?? 0).toBe(Math.max(0, ...(ofHour ?? []).filter(({ isFailed }) => isFailed).map(({ at }) => at)));
          }
          expect(listed.map(({ name }) => name).toSorted()).toEqual(
            [
              ...new Set(
                within(60)
                  .filter((each) => each.of === of)
                  .map(({ name }) => name),
              ),
            ].toSorted(),
          );
        }
        // A provider is its models together; a model that no provider is known of is in none.
        const acme = models.filter(({ provider }) => provider === "acme");
        expect(providers.find(({ name }) => name === "acme")?.hour.count ?? 0).toBe(acme.reduce((sum, { hour }) => sum + hour.count, 0));
        expect(folded([all.toReversed()])).toEqual(folded(parts));
      }),
    );
  });

  test("have quantiles that are a tenth wrong at most", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 20, max: 600_000 }), { minLength: 1, maxLength: 200 }), (took) => {
        const [model] = folded([took.map((tookMs) => ({ of: "model", name: "small", at: now, isFailed: false, tookMs }))]).models;
        const sorted = took.toSorted((a, b) => a - b);
        for (const [share, said] of [[0.5, model?.p50Ms] as const, [0.95, model?.p95Ms] as const]) {
          const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
          expect(Math.abs((said ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.1 + 10);
        }
      }),
    );
  });

  test("keep a bounded number of names in a minute, and say so", () => {
    const recent = new RecentOutcomes();
    recent.add(
      Array.from({ length: mostNames + 50 }, (_, i) => ({ of: "server", name: `s${i}`, at: now, isFailed: true, tookMs: null })),
      now,
    );
    const { isPartial, outcomes: read } = recent.read(now);
    expect([isPartial, read.length]).toEqual([true, mostNames]);
  });

  test("forget what is older than an hour", () => {
    const recent = new RecentOutcomes();
    recent.add([{ of: "model", name: "small", at: now, isFailed: true, tookMs: null }], now);
    expect(recent.read(now + 59 * minuteMs).outcomes).toHaveLength(1);
    expect(recent.read(now + 5 * minuteMs).outcomes[0]?.now.failed).toBe(0);
    expect(recent.read(now + 60 * minuteMs).outcomes).toEqual([]);
  });
});

describe("an attempt tells against its provider", () => {
  test.each<[string, boolean, Partial<ProviderError>]>([
    ["no connection", true, {}],
    ["a refused credential", true, { kind: "refusedCredential", status: 401 }],
    ["no credential", true, { kind: "noCredential" }],
    ["a model that it does not know", true, { kind: "badRequest", status: 404 }],
    ["a request that it cannot take", false, { kind: "badRequest", status: 400 }],
    ["a caller who left", false, { detail: "cancelled" }],
    ["a budget", false, { kind: "overBudget" }],
    ["a stop", false, { kind: "stopped" }],
    ["a full queue", false, { kind: "queueFull" }],
    ["no time left to ask it", false, { kind: "timeout", detail: "outOfTime" }],
  ])("%s: %s", (_, does, fault) =>
    expect(outcomesOfEvents([{ fact: { kind: "callFailed", call: 1, attempts: [attempt(fault)] } }])).toHaveLength(does ? 1 : 0),
  );
});

test("a line counts for its server without people's time, and its reviews by their end", () => {
  const line: RunSummary = {
    run: "run_1",
    key: "k",
    server: "notes",
    name: "sum",
    createdAt: now - 70_000,
    endedAt: now,
    state: "completed",
    cause: null,
    model: "small",
    costUsd: 0,
    inputTokens: 1,
    outputTokens: 1,
    reviews: [{ gate: "request", how: "approved", ms: 60_000 }],
  };
  expect(outcomesOfLine(line)).toEqual([
    { of: "review", name: "approved", at: now, isFailed: false, tookMs: null },
    { of: "server", name: "notes", at: now, isFailed: false, tookMs: 10_000 },
  ]);
  expect(outcomesOfLine({ ...line, state: "refused" })).toEqual([]);
  expect(outcomesOfLine({ ...line, endedAt: null })).toEqual([]);
});

test("three failures and half of all are failing now", () => {
  expect(
    [
      [0, 0],
      [2, 2],
      [3, 3],
      [6, 3],
      [7, 3],
    ].map(([count = 0, failed = 0]) => failsNow({ count, failed })),
  ).toEqual([false, false, true, true, false]);
});

// What a shard's requests came to, by hour, day, server, model and key: each request once, in a
// bounded number of rows, whatever the ledger has.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { numberEvents } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { requestsIn, summedUsage } from "../../../shared/record/usage.ts";
import { LedgerLines } from "../../../workers/objects/ledger/ledger-lines.ts";
import { LedgerUsage } from "../../../workers/objects/ledger/ledger-usage.ts";
import type { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import type { Flood, LedgerEntry, ShardOpen, ShardUsage, UsageQuery } from "../../../workers/stubs/ledger-calls.ts";
import type { RunList, RunTotals } from "../../../workers/endpoints/admin/answers/runs.ts";
import { ledgerStub } from "../../../workers/stubs/stubs.ts";
import { adminJson, env, eventually } from "../support/gateway.ts";
import { asObject, ringAlarm, ringNextAlarm, tablesOf } from "./inside.ts";
import { wholeOr } from "../support/whole.ts";

type Ledger = DurableObjectStub<LedgerObject>;

const hour = 3_600_000;
const day = 24 * hour;
/** The middle of a day of UTC. */
const begun = Date.UTC(2026, 10, 20, 12);

let shards = 0;
const newLedger = (): Ledger => {
  shards += 1;
  return asObject<LedgerObject>(env.LEDGER.getByName(`usage-of-test-${shards}`));
};

const line = (run: string, more: Partial<RunSummary> = {}): RunSummary => ({
  run,
  key: "key_a",
  server: "notes",
  name: "summarize",
  createdAt: begun,
  endedAt: begun,
  state: "completed",
  cause: null,
  model: "first",
  inputTokens: 10,
  outputTokens: 5,
  costUsd: 0.001,
  reviews: [],
  ...more,
});

const append = (ledger: Ledger, entries: readonly Partial<LedgerEntry>[]): Promise<void> =>
  ledger.append(jsonOf(entries.map((entry) => ({ events: [], summary: null, ...entry }))));
const appendLines = (ledger: Ledger, lines: readonly RunSummary[]): Promise<void> =>
  append(
    ledger,
    lines.map((summary) => ({ summary })),
  );

const always = { since: 0, until: begun + 10_000 * day };
const usageOf = async (ledger: Ledger, query: UsageQuery): Promise<ShardUsage> => readJsonOf(await ledger.usage(query));
const outcomesOf = async (ledger: Ledger) => summedUsage((await usageOf(ledger, { days: always })).days.map(([, usage]) => usage)).outcomes;
const many = (count: number, more: (n: number) => Partial<RunSummary> = () => ({})): RunSummary[] =>
  Array.from({ length: count }, (_, n) => line(`run_${n}`, { createdAt: begun + n, ...more(n) }));

describe("usage", () => {
  test("has each request once, whenever it comes and ends, however often it is written, and whenever it is counted", async () => {
    const step = fc.oneof(
      fc.record({ run: fc.nat(9), isEnded: fc.boolean() }),
      fc.record({ flood: fc.nat(2), count: fc.integer({ min: 1, max: 50 }) }),
      fc.constantFrom("page" as const, "alarm" as const, "reset" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const ledger = newLedger();
        const ended = new Set<number>();
        const floods = new Map<number, number>();
        const started = Date.now();
        for (const each of steps) {
          if (each === "page") await usageOf(ledger, {});
          else if (each === "reset") {
            await ledger.overdue(0, 1);
            await evictDurableObject(ledger);
          } else if (each === "alarm") await runDurableObjectAlarm(ledger);
          else if ("flood" in each) {
            // A flood is forgotten a day after its minute; its reports come within seconds.
            const since = started - each.flood * hour;
            const flood: Flood = {
              run: `run_f${each.flood}`,
              key: "key_a",
              endpoint: "sampling",
              reason: "rateLimited",
              since,
              until: since + 60_000,
              count: each.count,
            };
            await append(ledger, [{ flood }]);
            floods.set(each.flood, Math.max(floods.get(each.flood) ?? 0, each.count));
          } else {
            const createdAt = begun - each.run * day;
            const end = each.isEnded ? {} : { endedAt: null, state: "waiting" as const };
            const events = numberEvents(`run_${each.run}`, null, createdAt, [{ kind: "finished", outcome: "x" }]);
            await append(ledger, [{ events, summary: line(`run_${each.run}`, { createdAt, ...end }) }]);
            if (each.isEnded) ended.add(each.run);
          }
        }
        const { hours, days, by } = await usageOf(ledger, { hours: always, days: always, by: { dimension: "key", ...always } });
        const refused = [...floods.values()].reduce((sum, count) => sum + count, 0);
        const expected = {
          ...(ended.size === 0 ? {} : { allowed: ended.size }),
          ...(refused === 0 ? {} : { refused }),
        };
        for (const sums of [hours, days].map((all) => all.map(([, usage]) => usage))) expect(summedUsage(sums).outcomes).toEqual(expected);
        expect(summedUsage(by.named.map(([, usage]) => usage)).outcomes).toEqual(expected);
      }),
      { numRuns: wholeOr(25, 8) },
    );
  });

  test("is by hour and day of UTC when requests came, and by server, model and key of each day", async () => {
    const ledger = newLedger();
    await appendLines(ledger, [
      line("run_a", { reviews: [{ gate: "request", how: "approved", ms: 60_000 }] }),
      line("run_b", { createdAt: begun + hour, endedAt: begun + 2 * day, state: "rejected", server: "deploy", model: null }),
      line("run_c", { createdAt: begun + day, key: "key_b", server: null, state: "refused", model: null }),
    ]);
    const { hours, days, by, isBehind, isEmpty } = await usageOf(ledger, {
      hours: { since: begun, until: begun + day },
      days: always,
      by: { dimension: "server", ...always },
    });
    expect({ isBehind, isEmpty }).toEqual({ isBehind: false, isEmpty: false });
    expect(hours.map(([at, usage]) => [at, usage.outcomes])).toEqual([
      [begun, { approved: 1 }],
      [begun + hour, { denied: 1 }],
    ]);
    expect(days.map(([at, usage]) => [at, requestsIn(usage), usage.costNanos])).toEqual([
      [begun - 12 * hour, 2, 2_000_000],
      [begun + 12 * hour, 1, 1_000_000],
    ]);
    expect(by.named.map(([name, usage]) => [name, usage.outcomes])).toEqual([
      ["deploy", { denied: 1 }],
      ["notes", { approved: 1 }],
    ]);
    expect(by.unnamed.outcomes).toEqual({ refused: 1 });
    const models = (await usageOf(ledger, { by: { dimension: "model", since: begun - 12 * hour, until: begun + 12 * hour } })).by;
    expect([models.named.map(([name]) => name), requestsIn(models.unnamed)]).toEqual([["first"], 1]);
  });

  test("reads as many rows for a hundred times as many requests, and counts a bounded number in one call", async () => {
    await runInDurableObject(newLedger(), (_object, { storage }) => {
      const cursors: { readonly rowsRead: number }[] = [];
      const exec: SqlStorage["exec"] = (...args) => {
        const cursor = storage.sql.exec<never>(...args);
        cursors.push(cursor);
        return cursor;
      };
      // What it uses of the storage is exec alone. The object's own is not asked: each remembers
      // how far it has counted.
      const usage = new LedgerUsage({ exec } as SqlStorage);
      const lines = new LedgerLines(storage.sql);
      const rowsOf = (work: () => unknown): number => {
        const before = cursors.length;
        storage.transactionSync(work);
        return cursors.slice(before).reduce((sum, { rowsRead }) => sum + rowsRead, 0);
      };
      const asked = (): unknown => [usage.hours(always), usage.days(always), usage.by("server", always)];
      const countAll = (): void => {
        while (usage.counter.countNext(1_000));
      };
      for (const each of many(50)) lines.write(each);
      storage.transactionSync(countAll);
      const few = rowsOf(asked);
      for (const each of many(5_000)) lines.write({ ...each, run: `run_more_${each.run}`, createdAt: each.createdAt + 100 });
      expect(rowsOf(() => usage.counter.countNext(300))).toBeLessThan(400);
      storage.transactionSync(countAll);
      expect(summedUsage(usage.days(always).map(([, sum]) => sum)).outcomes).toEqual({ allowed: 5_050 });
      expect(rowsOf(asked)).toBe(few);
      expect(few).toBeLessThan(10);
    });
  });

  test("that is behind says so, and is counted by the alarm at once; a long backlog needs no page", async () => {
    const ledger = newLedger();
    await appendLines(
      ledger,
      many(3_000, () => ({ reviews: [] })).map((each, n) => ({ ...each, run: `run_behind_${n}` })),
    );
    const first = await usageOf(ledger, { days: always });
    expect(first.isBehind).toBe(true);
    // It goes off by itself too, since it is due: until it is due on another day.
    await eventually("the end of the backlog", async () => {
      await ringAlarm(ledger as DurableObjectStub);
      const next = await runInDurableObject(ledger, (_, { storage }) => storage.getAlarm());
      return next !== null && next > Date.now() + hour;
    });
    expect((await usageOf(ledger, {})).isBehind).toBe(false);
    expect(await outcomesOf(ledger)).toEqual({ allowed: 3_000 });
  });

  test("is counted while lines come, so that a page finds few that are not", async () => {
    const ledger = newLedger();
    for (let part = 0; part < 40; part += 1)
      await appendLines(
        ledger,
        many(25).map((each, n) => ({ ...each, run: `run_${part}_${n}`, createdAt: begun + part * 25 + n })),
      );
    const counted = (await tablesOf(ledger as DurableObjectStub))["usage_counted_to"];
    expect(Number(counted?.[0]?.["created_at"])).toBeGreaterThan(begun + 500);
  });

  test("tells so many names of a day apart, and the rest together", async () => {
    const ledger = newLedger();
    await appendLines(
      ledger,
      many(260, (n) => ({ server: `server-${n}` })),
    );
    const { by } = await usageOf(ledger, { by: { dimension: "server", ...always } });
    expect([by.named.length, requestsIn(by.rest)]).toEqual([200, 60]);
  });

  test("of hours is kept for 32 days, and of days for 400", async () => {
    const ledger = newLedger();
    const later = begun + 390 * day;
    await appendLines(ledger, [line("run_old"), line("run_new", { createdAt: later, endedAt: later })]);
    const cleanUpAt = async (now: number): Promise<ShardUsage> => {
      await runInDurableObject(ledger, (object: LedgerObject) => void (object.now = () => now));
      await ringNextAlarm(ledger as DurableObjectStub);
      return usageOf(ledger, { hours: { since: 0, until: later + day }, days: { since: 0, until: later + day } });
    };
    const first = await cleanUpAt(later + day);
    expect([first.hours.length, first.days.length]).toEqual([1, 2]);
    const second = await cleanUpAt(begun + 402 * day);
    expect([second.hours.length, second.days.length]).toEqual([1, 1]);
  });
});

describe("what waits", () => {
  const openNow = async (ledger: Ledger): Promise<ShardOpen> => readJsonOf(await ledger.openNow());

  test("is what has not ended: since when, and which review expires first", async () => {
    const ledger = newLedger();
    expect(await openNow(ledger)).toEqual({ isPartial: false, open: 0, waiting: 0, oldestAt: null, firstDue: null });
    const waiting = { endedAt: null, state: "waiting", model: null } as const;
    await appendLines(ledger, [
      line("run_a", { ...waiting, createdAt: begun + 1, deadlineAt: begun + 600_000 }),
      line("run_b", { ...waiting, createdAt: begun + 2, deadlineAt: begun + 60_000, server: "deploy", name: "ship" }),
      line("run_c", { ...waiting, createdAt: begun }),
      line("run_d", { endedAt: null, state: "generating", createdAt: begun - 1 }),
      line("run_e"),
    ]);
    expect(await openNow(ledger)).toEqual({
      isPartial: false,
      open: 4,
      waiting: 3,
      oldestAt: begun,
      firstDue: { run: "run_b", server: "deploy", name: "ship", deadlineAt: begun + 60_000 },
    });
  });

  test("is looked at up to a bound", async () => {
    const ledger = newLedger();
    await appendLines(
      ledger,
      many(260, () => ({ endedAt: null, state: "waiting" })),
    );
    expect(await openNow(ledger)).toMatchObject({ isPartial: true, open: 250 });
  });
});

test("a search that no call reads to its end has the exact sums of what all shards read, and says since when", async () => {
  const [busy, quiet] = [ledgerStub(env, 0), ledgerStub(env, 1)].map((stub) => asObject<LedgerObject>(stub));
  if (busy === undefined || quiet === undefined) throw new Error("two shards");
  const lines = many(4_000, (n) => (n % 4 === 0 ? { state: "failed", model: null, costUsd: 0 } : {}));
  for (let from = 0; from < lines.length; from += 1_000) await appendLines(busy, lines.slice(from, from + 1_000));
  const old = many(10, (n) => ({ run: `run_q${n}`, createdAt: begun - day + n }));
  const recent = many(6, (n) => ({ run: `run_r${n}`, createdAt: begun + 3_900 + n }));
  await appendLines(quiet, [...old, ...recent]);
  const totals = await adminJson<RunTotals>("/run-totals?tool=summarize");
  const since = Date.parse(totals.since ?? "");
  expect(since).toBeGreaterThan(begun);
  const read = [...lines, ...old, ...recent].filter(({ createdAt }) => createdAt >= since);
  const failed = read.filter(({ state }) => state === "failed").length;
  expect(totals).toMatchObject({ requests: read.length, outcomes: { failed, allowed: read.length - failed } });
  expect(await adminJson<RunTotals>("/run-totals?server=nobody")).toMatchObject({ requests: 0, since: null });
  // Of a page, too, one shard has more than it is asked for at first.
  const newest = [...lines, ...recent].toSorted((a, b) => b.createdAt - a.createdAt || (a.run < b.run ? 1 : -1));
  const { runs } = await adminJson<RunList>("/runs?limit=100");
  expect(runs.map(({ id }) => id)).toEqual(newest.slice(0, 100).map(({ run }) => run));
});

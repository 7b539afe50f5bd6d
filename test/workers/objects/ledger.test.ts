// A shard of the record: what is stored once, how it is listed, and how it is deleted in slices.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { digestOf } from "../../../shared/encoding.ts";
import { type RecordEvent, type RecordFact, numberEvents, firstGap } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { ReservedRequest } from "../../../shared/run/unknown-outcome.ts";
import type { LinePage } from "../../../shared/record/line-list.ts";
import type { RequestUse } from "../../../shared/record/request-use.ts";
import type { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import type { Flood, LedgerEntry, NoticeRow, RunsQuery, ShardEntries, ShardUse } from "../../../workers/stubs/ledger-calls.ts";
import { env } from "../support/gateway.ts";
import { asObject, ringNextAlarm, tablesOf, countedRows } from "./inside.ts";

type Ledger = DurableObjectStub<LedgerObject>;

const day = 24 * 3_600_000;
const begun = Date.now();
const bigNow = begun + 500 * day;
const mostInSlice = 500;

let shards = 0;
/** An empty shard. */
const newLedger = (): Ledger => {
  shards += 1;
  return asObject<LedgerObject>(env.LEDGER.getByName(`shard-of-test-${shards}`));
};

const append = (ledger: Ledger, entries: readonly Partial<LedgerEntry>[]): Promise<void> =>
  ledger.append(jsonOf(entries.map((entry) => ({ events: [], summary: null, ...entry }))));

const facts = (count: number): RecordFact[] =>
  Array.from({ length: count }, (_, index) => ({ kind: "finished", outcome: `of ${index + 1}` }));
const chain = (run: string, count: number, at = begun): RecordEvent[] => numberEvents(run, null, at, facts(count));

const eventsOf = async (ledger: Ledger, run: string): Promise<RecordEvent[]> => readJsonOf(await ledger.events(run, 0, 10_000));

/** Every event, by run and number. */
async function exported(ledger: Ledger): Promise<RecordEvent[]> {
  const all: RecordEvent[] = [];
  for (let from: number | null = 0; from !== null;) {
    const { events, next }: ShardEntries = readJsonOf(await ledger.entries(from));
    all.push(...events);
    from = next;
  }
  return all.toSorted((a, b) => (a.run === b.run ? a.seq - b.seq : a.run < b.run ? -1 : 1));
}

/** The events of a run, read in pages of this size. */
async function paged(ledger: Ledger, run: string, limit: number): Promise<RecordEvent[]> {
  const all: RecordEvent[] = [];
  for (;;) {
    const page = readJsonOf(await ledger.events(run, all.at(-1)?.seq ?? 0, limit));
    expect(page.length).toBeLessThanOrEqual(limit);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

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
  inputTokens: 1,
  outputTokens: 1,
  costUsd: 0,
  reviews: [],
  ...more,
});

const setNow = (ledger: Ledger, now: number): Promise<void> =>
  runInDurableObject(ledger, (object: LedgerObject) => void (object.now = () => now));
const alarmOf = (ledger: Ledger): Promise<number | null> => runInDurableObject(ledger, (_, state) => state.storage.getAlarm());
/** But for the sums of metrics, one row that is never deleted. */
const rowsIn = async (ledger: Ledger): Promise<number> => {
  const { metric_sums: _sums, ...tables } = await tablesOf(ledger as DurableObjectStub);
  return Object.values(tables).flat().length;
};

/**
 * Rings the alarm until the clean-up is done for the day; returns how many slices it had. Each may
 * delete so many rows and no more.
 */
async function cleanUp(ledger: Ledger, now: number): Promise<number> {
  await setNow(ledger, now);
  for (let slices = 1; ; slices += 1) {
    const before = await rowsIn(ledger);
    await ringNextAlarm(ledger as DurableObjectStub);
    expect(before - (await rowsIn(ledger))).toBeLessThanOrEqual(mostInSlice);
    if ((await alarmOf(ledger)) !== now) return slices;
  }
}

describe("an event", () => {
  test("of one append shares its row with all others of it", async () => {
    const ledger = newLedger();
    await append(ledger, [{ events: chain("run_a", 4) }, { events: chain("run_b", 4) }]);
    expect((await tablesOf(ledger as DurableObjectStub))["log_batch"]).toHaveLength(1);
  });

  test("is stored once, however often and with whatever others it comes, and what is stored does not change", async () => {
    const ledger = newLedger();
    const events = chain("run_a", 9);
    const forged = numberEvents("run_a", null, begun + 5, facts(9).toReversed());
    await append(ledger, [{ events: events.slice(0, 4) }]);
    const stored = await tablesOf(ledger as DurableObjectStub);
    for (const repeat of [events.slice(0, 4), events.slice(1, 3), forged.slice(0, 4)]) await append(ledger, [{ events: repeat }]);
    expect(await tablesOf(ledger as DurableObjectStub)).toEqual(stored);
    await append(ledger, [{ events: [...forged.slice(2, 4), ...events.slice(4, 6)] }]);
    await append(ledger, [{ events: [...events.slice(4), ...events.slice(4)] }]);
    expect(await eventsOf(ledger, "run_a")).toEqual(events);
  });

  test("is in its place, in whatever order and parts the events of its run come", async () => {
    const chains = new Map(["run_a", "run_b"].map((run) => [run, chain(run, 12)]));
    const part = fc.record({ run: fc.constantFrom("run_a", "run_b"), from: fc.nat(11), count: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.integer({ min: 1, max: 5 }), async (parts, limit) => {
        const ledger = newLedger();
        const sent = new Set<RecordEvent>();
        for (const { run, from, count } of parts) {
          const events = chains.get(run)?.slice(from, from + count) ?? [];
          for (const event of events) sent.add(event);
          await append(ledger, [{ events }]);
        }
        const expected = [...chains.values()].flat().filter((event) => sent.has(event));
        expect(await exported(ledger)).toEqual(expected);
        expect(await paged(ledger, "run_b", limit)).toEqual(expected.filter(({ run }) => run === "run_b"));
        expect(await eventsOf(ledger, "run_a")).toEqual(expected.filter(({ run }) => run === "run_a"));
      }),
      { numRuns: 60 },
    );
  });

  test("is stored also where all of an append are too long for a row", async () => {
    const ledger = newLedger();
    const events = numberEvents(
      "run_a",
      null,
      begun,
      Array.from({ length: 12 }, () => ({ kind: "finished", outcome: "é".repeat(300_000) })),
    );
    await append(ledger, [{ events }]);
    expect((await eventsOf(ledger, "run_a")).map(({ seq, fact }) => [seq, digestOf("x", fact)])).toEqual(
      events.map(({ seq, fact }) => [seq, digestOf("x", fact)]),
    );
  });

  test("of a flood goes on from its last one, and the counts add up", async () => {
    const ledger = newLedger();
    const flood = (count: number): Flood => ({
      run: "run_f",
      key: "key_a",
      endpoint: "sampling",
      reason: "rateLimited",
      since: begun,
      until: begun + 60_000,
      count,
    });
    await append(ledger, [{ flood: flood(5) }]);
    expect(await eventsOf(ledger, "run_f")).toEqual([]);
    for (const count of [5, 9, 9]) {
      await append(ledger, [{ flood: flood(count) }]);
      await setNow(ledger, begun + 120_000);
      await eventsOf(ledger, "run_f");
    }
    const events = await eventsOf(ledger, "run_f");
    expect(events.map(({ fact }) => (fact.kind === "refusedMany" ? fact.count : fact))).toEqual([5, 4]);
    expect(firstGap(events)).toBeNull();
    expect(readJsonOf((await ledger.line("run_f")) ?? jsonOf(null))).toMatchObject({ cause: { count: 9 } });
    await cleanUp(ledger, begun + 2 * day);
    expect((await tablesOf(ledger as DurableObjectStub))["flood"]).toEqual([]);
  });
});

describe("the clean-up", () => {
  test("deletes thousands of old entries in slices, in whole bundles, and nothing that is young", async () => {
    const ledger = newLedger();
    const entries = Array.from({ length: 2_000 }, (_, n) => ({ events: chain(`run_old-${n}`, 3), summary: line(`run_old-${n}`) }));
    const young = Array.from({ length: 40 }, (_, n) => ({
      events: chain(`run_new-${n}`, 3, bigNow - 399 * day),
      summary: line(`run_new-${n}`, { createdAt: bigNow - 399 * day }),
    }));
    const notice = (n: number, at: number): NoticeRow => ({
      id: `notice-${n}`,
      at,
      channel: "email",
      reviewer: "Ada",
      run: "run_old-1",
      gate: "request",
      state: "sent",
      link: null,
    });
    // To come, so that no alarm rings by itself and has a slice of its own.
    await setNow(ledger, begun + day);
    await append(ledger, entries);
    await append(ledger, [{ events: chain("run_open", 1), summary: line("run_open", { endedAt: null, state: "waiting" }) }]);
    await append(ledger, [{ notices: Array.from({ length: 600 }, (_, n) => notice(n, n < 590 ? begun : bigNow - day)) }]);
    await setNow(ledger, bigNow - 399 * day);
    await append(ledger, young);
    // Seven bundles, each in a slice of its own, and the lines and notices.
    expect(await cleanUp(ledger, bigNow)).toBe(7 + 6);
    const left = [...entries.slice(7 * 256), { events: chain("run_open", 1) }, ...young].flatMap(({ events }) => events);
    expect(await exported(ledger)).toEqual(left.toSorted((a, b) => (a.run === b.run ? a.seq - b.seq : a.run < b.run ? -1 : 1)));
    expect(await eventsOf(ledger, "run_old-5")).toEqual([]);
    const lines = readJsonOf(await ledger.runs({ limit: 500 })).lines.map(({ run }) => run);
    expect(lines.toSorted()).toEqual([...young.map(({ summary: { run } }) => run), "run_open"].toSorted());
    expect(readJsonOf(await ledger.notices({ limit: 500 }))).toHaveLength(10);
    expect(await alarmOf(ledger)).toBe(bigNow + day);
    const tables = await tablesOf(ledger as DurableObjectStub);
    expect((tables["log_entry"] ?? []).length).toBe(2_041 - 7 * 256);
    expect(tables["log_state"]).toMatchObject([{ pruned: 7 * 256 }]);
  });

  test("deletes the parts of a run that are old, and the tree goes on", async () => {
    const ledger = newLedger();
    const long = chain("run_b", 300);
    await append(
      ledger,
      long.map((event) => ({ events: [event] })),
    );
    await cleanUp(ledger, bigNow);
    expect(await eventsOf(ledger, "run_b")).toEqual(long.slice(256));
    const root = await rootOf(ledger);
    await append(ledger, [{ events: numberEvents("run_b", long.at(-1) ?? null, bigNow, facts(1)) }]);
    expect(await rootOf(ledger)).not.toEqual(root);
    expect((await eventsOf(ledger, "run_b")).at(-1)?.seq).toBe(301);
  });
});

const rootOf = (ledger: Ledger): Promise<string> => ledger.checkpoint().then((checkpoint) => checkpoint?.note.split("\n")[2] ?? "");

test("the events of one run are found without reading those of others", async () => {
  const ledger = newLedger();
  await append(
    ledger,
    Array.from({ length: 300 }, (_, n) => ({ events: chain(`run_${n}`, 3) })),
  );
  const { found, read } = await countedRows(ledger, (object) => object.events("run_150", 0, 500));
  expect(readJsonOf(found)).toHaveLength(3);
  expect(read).toBeLessThan(20);
});

describe("the lines of runs", () => {
  const states = ["completed", "failed", "waiting", "generating", "rejected"] as const;
  const minute = 60_000;
  const hourOf = ({ createdAt }: RunSummary): number => Math.floor(createdAt / (60 * minute));
  const lines = Array.from({ length: 3_000 }, (_, n) => {
    const state = states[n % 7] ?? "completed";
    return line(`run_${(n * 7_919) % 3_001}`, {
      key: n % 500 === 0 ? "key_rare" : `key_${n % 3}`,
      server: n % 5 === 0 ? null : `server_${n % 2}`,
      createdAt: begun + Math.floor(n / 4) * minute,
      endedAt: state === "waiting" || state === "generating" ? null : begun + n * minute,
      state,
    });
  });
  const newest = lines.toSorted((a, b) => b.createdAt - a.createdAt || (a.run < b.run ? 1 : -1));
  const middle = newest[1_500] ?? line("run_none");

  const isOpen = ({ endedAt }: RunSummary): boolean => endedAt === null;
  type By = "time" | "open" | "hours";
  const queries: readonly (readonly [string, Omit<RunsQuery, "limit">, (of: RunSummary) => boolean, By])[] = [
    ["nothing", {}, () => true, "time"],
    ["being open", { state: "open" }, isOpen, "open"],
    ["a state of open ones", { state: "waiting" }, ({ state }) => state === "waiting", "open"],
    ["a state", { state: "completed" }, ({ state }) => state === "completed", "hours"],
    ["a state that is rare", { state: "rejected" }, ({ state }) => state === "rejected", "hours"],
    ["a server", { server: "server_1" }, ({ server }) => server === "server_1", "hours"],
    ["a key", { key: "key_1" }, ({ key }) => key === "key_1", "hours"],
    ["a key that is rare", { key: "key_rare" }, ({ key }) => key === "key_rare", "hours"],
    ["a key and a server", { key: "key_rare", server: "server_0" }, (of) => of.key === "key_rare" && of.server === "server_0", "hours"],
    ["a time", { since: middle.createdAt }, ({ createdAt }) => createdAt >= middle.createdAt, "time"],
    [
      "a key and a time",
      { key: "key_1", since: middle.createdAt },
      ({ key, createdAt }) => key === "key_1" && createdAt >= middle.createdAt,
      "hours",
    ],
  ];
  const isAfterMiddle = ({ createdAt, run }: RunSummary): boolean =>
    createdAt < middle.createdAt || (createdAt === middle.createdAt && run < middle.run);

  test.each(queries)("by %s are listed newest first, and hours without any of them are not read", async (_, query, isWanted, by) => {
    const ledger = newLedger();
    await append(
      ledger,
      lines.map((summary) => ({ summary })),
    );
    const listedHours = by === "hours" ? ((await tablesOf(ledger as DurableObjectStub))["line_span"] ?? []).length : 0;
    const wanted = newest.filter(isWanted);
    for (const limit of [20, 5_000])
      for (const [more, expected] of [
        [{}, wanted],
        [{ after: { createdAt: middle.createdAt, run: middle.run } }, wanted.filter(isAfterMiddle)],
      ] as const) {
        const { found, read } = await listed(ledger, { ...query, ...more, limit, mostRead: 1_000_000 });
        expect(found).toEqual(expected.slice(0, limit));
        const hours = new Set(found.map(hourOf));
        const looked = { time: found, open: lines.filter(isOpen), hours: lines.filter((each) => hours.has(hourOf(each))) }[by];
        // But for the first line beyond each end.
        const ends = by === "hours" ? 2 * (hours.size + 1) : 2;
        expect(read).toBeLessThanOrEqual(looked.length + listedHours + ends);
      }
  });

  const review = { people: ['Ann "the rule" Lee', "Bo"], by: ["Bo"], votes: 1, quorum: 1, edits: 0, askedAt: begun, waitedMs: 5 };
  const some: Partial<RunSummary>[] = [
    { name: 'a"name":"b', costUsd: 0.5 },
    { model: "first/α", costUsd: 0.25 },
    { review, rule: "Bo" },
    {
      server: "Notes-EU",
      cause: { kind: "failed", tried: 1, reason: "timeout", failures: [{ model: "second", provider: "p", kind: "timeout", times: 1 }] },
      model: null,
    },
    { key: "key_named" },
  ];
  const varied = lines.map((each, n) => (n % 11 < some.length ? { ...each, ...some[n % 11] } : each));
  const wantedBy: readonly (readonly [string, Omit<RunsQuery, "limit">, (of: RunSummary) => boolean])[] = [
    ["a tool", { tool: 'a"name":"b' }, ({ name }) => name === 'a"name":"b'],
    ["a tool that is only a part", { tool: "b" }, () => false],
    ["a model that answered", { model: "first/α" }, ({ model }) => model === "first/α"],
    ["a model that failed", { model: "second" }, ({ cause }) => cause?.kind === "failed"],
    ["a provider by its models", { provider: { name: "q", models: ["x", "first/α"] } }, ({ model }) => model === "first/α"],
    ["a provider that failed", { provider: { name: "p", models: [] } }, ({ cause }) => cause?.kind === "failed"],
    ["a reviewer", { reviewer: 'Ann "the rule" Lee' }, (of) => of.review !== undefined],
    ["a reviewer's name that stands elsewhere too", { reviewer: "Bo" }, (of) => of.review !== undefined],
    ["nobody's name", { reviewer: "people" }, () => false],
    ["a part of a run's id", { run: "99" }, ({ run }) => run.includes("99")],
    ["a cost", { costOver: 0.25, costUnder: 1 }, ({ costUsd }) => costUsd === 0.5],
    ["a time before", { until: middle.createdAt }, ({ createdAt }) => createdAt < middle.createdAt],
    ["no reply", { state: "unanswered" }, ({ state }) => state === "failed" || state === "rejected"],
    ["words in a server's name", { search: { text: "NOTES-e", keys: [] } }, ({ server }) => server === "Notes-EU"],
    ["words in a model's name", { search: { text: "T/α", keys: [] } }, ({ model }) => model === "first/α"],
    ["words with a quote", { search: { text: '"THE', keys: [] } }, (of) => of.review !== undefined],
    ["words in a tool's name", { search: { text: '"b', keys: [] } }, ({ name }) => name?.endsWith("b") === true],
    ["words that stand in every line's JSON", { search: { text: "createdAt", keys: [] } }, () => false],
    [
      "words, and keys by their name",
      { search: { text: "9_9", keys: ["key_named"] } },
      ({ key, run }) => key === "key_named" || run.includes("9_9"),
    ],
    [
      "several of them",
      { state: "completed", server: "server_1", reviewer: "Bo", since: middle.createdAt - 300 * minute, costUnder: 1 },
      (of) =>
        of.review !== undefined && of.state === "completed" && of.server === "server_1" && of.createdAt >= middle.createdAt - 300 * minute,
    ],
  ];

  test("by everything that a query may name are found, however few lines a call may look at", async () => {
    const ledger = newLedger();
    await append(
      ledger,
      varied.map((summary) => ({ summary })),
    );
    const newestVaried = varied.toSorted((a, b) => b.createdAt - a.createdAt || (a.run < b.run ? 1 : -1));
    for (const [name, query, isWanted] of wantedBy)
      for (const mostRead of [97, 700, 10_000]) {
        const pages: LinePage[] = [];
        let after: Pick<RunsQuery, "after"> = {};
        for (;;) {
          const page = readJsonOf(await ledger.runs({ ...query, ...after, limit: 40, mostRead }));
          expect(page.lines.length).toBeLessThanOrEqual(40);
          pages.push(page);
          if (page.stoppedAt === null) break;
          after = { after: page.stoppedAt };
        }
        const found = pages.flatMap(({ lines: each }) => each.map(({ run }) => run));
        const wanted = newestVaried.filter(isWanted).map(({ run }) => run);
        expect([name, mostRead, found]).toEqual([name, mostRead, wanted]);
      }
  });

  test("are read only so far in one call", async () => {
    const ledger = newLedger();
    await append(
      ledger,
      lines.map((summary) => ({ summary })),
    );
    const { found, read } = await listed(ledger, { search: { text: "nothing has this", keys: [] }, limit: 40, mostRead: 500 });
    expect(found).toEqual([]);
    // The lines, and the way to the place where it stopped.
    expect(read).toBeLessThanOrEqual(2 * 500 + 2);
  });

  async function listed(ledger: Ledger, query: RunsQuery): Promise<{ found: readonly RunSummary[]; read: number }> {
    const { found, read } = await countedRows(ledger, (object) => object.runs(query));
    return { found: readJsonOf(found).lines, read };
  }

  test("go on with their run, and a late repeat does not reopen one that has ended", async () => {
    const ledger = newLedger();
    const open = line("run_a", { endedAt: null, state: "waiting", server: null });
    const ended = line("run_a");
    const of = async (query: Omit<RunsQuery, "limit">): Promise<unknown> => readJsonOf(await ledger.runs({ limit: 5, ...query })).lines;
    await append(ledger, [{ events: chain("run_a", 1), summary: open }]);
    expect([await of({ state: "open" }), await of({ state: "waiting" })]).toEqual([[open], [open]]);
    for (const summary of [ended, open, { ...ended, state: "failed" as const }]) await append(ledger, [{ summary }]);
    expect(await Promise.all([of({ state: "completed" }), of({ server: "notes" }), of({})])).toEqual([[ended], [ended], [ended]]);
    expect(await Promise.all([of({ state: "open" }), of({ state: "waiting" }), of({ state: "failed" })])).toEqual([[], [], []]);
    expect(readJsonOf((await ledger.line("run_a")) ?? jsonOf(null))).toEqual(ended);
  });
});

describe("the use of a server", () => {
  const use: RequestUse = { endpoint: "relay", revision: "2025-11-25", features: ["tools"], maxTokens: 100 };
  const sampled = (run: string, more: Partial<RunSummary> = {}): RunSummary => line(run, { use, ...more });
  const useIn = async (ledger: Ledger, after = "", limit = 10): Promise<ShardUse> => readJsonOf(await ledger.serverUse({ after, limit }));
  const counts = async (ledger: Ledger): Promise<Record<string, number>> =>
    Object.fromEntries((await useIn(ledger)).servers.map(({ server, use: { requests } }) => [server, requests]));
  const rowsOf = async (ledger: Ledger, table: string): Promise<unknown[]> => (await tablesOf(ledger as DurableObjectStub))[table] ?? [];

  test("counts each request once, when it has ended, however often its line comes and the report is asked for", async () => {
    const ledger = newLedger();
    const open = sampled("run_a", { endedAt: null, state: "waiting" });
    const ended = sampled("run_a");
    await append(ledger, [{ events: chain("run_a", 1), summary: open }]);
    expect(await counts(ledger)).toEqual({});
    for (const summary of [ended, open, ended, { ...ended, state: "failed" as const }]) {
      await append(ledger, [{ summary }]);
      expect(await counts(ledger)).toEqual({ notes: 1 });
    }
    const others = [sampled("run_b"), sampled("run_b"), sampled("run_c", { server: "files" }), sampled("run_d", { server: "control" })];
    await append(
      ledger,
      others.map((summary) => ({ summary })),
    );
    expect(await counts(ledger)).toEqual({ files: 1, notes: 2 });
    expect((await useIn(ledger)).servers[1]?.use.outcomes).toEqual([["completed", 2]]);
  });

  test("is that of all its lines, whenever they come and end, and whenever it is asked for", async () => {
    const step = fc.oneof(
      fc.record({ run: fc.nat(9), isEnded: fc.boolean() }),
      fc.constantFrom("report" as const, "alarm" as const, "reset" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const ledger = newLedger();
        const ended = new Set<number>();
        for (const each of steps) {
          if (each === "report") await useIn(ledger);
          else if (each === "reset") {
            // Only what runs can be reset.
            await ledger.overdue(0, 1);
            await evictDurableObject(ledger);
          } else if (each === "alarm") await runDurableObjectAlarm(ledger);
          else {
            const { run, isEnded } = each;
            // Later runs have earlier times: their lines stand behind those that are counted.
            const createdAt = begun - run * day;
            const end = isEnded ? {} : { endedAt: null, state: "waiting" as const };
            await append(ledger, [{ events: chain(`run_${run}`, 1), summary: sampled(`run_${run}`, { createdAt, ...end }) }]);
            if (isEnded) ended.add(run);
          }
        }
        expect((await counts(ledger))["notes"] ?? 0).toBe(ended.size);
      }),
      { numRuns: 30 },
    );
  });

  test("has a row for each month, whatever the number of requests, and lists servers by name", async () => {
    const ledger = newLedger();
    const servers = ["b", "a", "é"];
    const months = [Date.UTC(2026, 0, 31, 23), Date.UTC(2026, 1, 1), Date.UTC(2026, 1, 2)];
    await append(
      ledger,
      servers.flatMap((server) => months.map((createdAt, n) => ({ summary: sampled(`run_${server}_${n}`, { server, createdAt }) }))),
    );
    expect(await rowsOf(ledger, "server_use")).toEqual([]);
    const byMonth = [
      ["2026-01", 1],
      ["2026-02", 2],
    ];
    expect((await useIn(ledger)).servers.map(({ server, months: of }) => [server, of])).toEqual(
      ["a", "b", "é"].map((each) => [each, byMonth]),
    );
    expect(await rowsOf(ledger, "server_use")).toHaveLength(servers.length * 2);
    expect((await useIn(ledger, "", 1)).servers.map(({ server }) => server)).toEqual(["a"]);
    expect((await useIn(ledger, "a", 2)).servers.map(({ server }) => server)).toEqual(["b", "é"]);
    expect((await useIn(ledger, "é")).servers).toEqual([]);
  });

  test("of an append that fails is not counted, and is counted when it comes again", async () => {
    const ledger = newLedger();
    await append(ledger, [{ summary: sampled("run_z") }]);
    expect(await counts(ledger)).toEqual({ notes: 1 });
    const entries = JSON.stringify([
      { events: [], summary: sampled("run_a") },
      { events: [], summary: { ...sampled("run_b"), key: null } },
    ]) as JsonOf<LedgerEntry[]>; // a row without a key, which no Worker sends
    await runInDurableObject(ledger, async (object: LedgerObject) => {
      await expect(object.append(entries)).rejects.toThrow();
    });
    expect(await counts(ledger)).toEqual({ notes: 1 });
    await append(ledger, [{ summary: sampled("run_a") }]);
    expect(await counts(ledger)).toEqual({ notes: 2 });
  });

  test("counts so many lines in one call, and says whether there are more", async () => {
    const ledger = newLedger();
    const lines = Array.from({ length: 10_001 }, (_, n) => ({ summary: sampled(`run_${n}`, { createdAt: begun + n }) }));
    await append(ledger, lines);
    expect(await useIn(ledger)).toMatchObject({ isBehind: true, servers: [{ use: { requests: 10_000 } }] });
    expect(await useIn(ledger)).toMatchObject({ isBehind: false, servers: [{ use: { requests: 10_001 } }] });
  });

  test("is added up by the daily alarm too, in slices", async () => {
    const ledger = newLedger();
    // To come, so that no alarm rings by itself and has a slice of its own.
    await setNow(ledger, begun + day);
    await append(
      ledger,
      Array.from({ length: 4_500 }, (_, n) => ({ summary: sampled(`run_${n}`, { createdAt: begun + n }) })),
    );
    expect(await cleanUp(ledger, begun + day)).toBe(3);
    expect(await rowsOf(ledger, "counted_to")).toEqual([{ one: 1, created_at: begun + 4_499, run: "run_4499" }]);
    expect(await counts(ledger)).toEqual({ notes: 4_500 });
  });

  test("is deleted 400 days after its month, in the slices of everything else, its lines before", async () => {
    const ledger = newLedger();
    // To come, so that no alarm rings by itself.
    const old = Date.UTC(2100, 0, 15);
    const servers = Array.from({ length: 600 }, (_, n) => `server_${n}`);
    await append(
      ledger,
      servers.map((server) => ({ summary: sampled(`run_${server}`, { server, createdAt: old, endedAt: old }) })),
    );
    await append(ledger, [{ summary: sampled("run_new", { createdAt: old + 40 * day, endedAt: old + 40 * day }) }]);
    // The month goes on for those that came after the fifteenth. Lines are counted before they are
    // deleted.
    await cleanUp(ledger, old + 401 * day);
    expect(await rowsOf(ledger, "summary")).toHaveLength(1);
    expect(await rowsOf(ledger, "server_use")).toHaveLength(601);
    expect(await cleanUp(ledger, old + 420 * day)).toBeGreaterThan(1);
    expect(await counts(ledger)).toEqual({ notes: 1 });
    await cleanUp(ledger, old + 500 * day);
    expect(await rowsOf(ledger, "server_use")).toEqual([]);
  });
});

describe("a request whose Worker was cut off", () => {
  const reserved = (run: string): JsonOf<readonly ReservedRequest[]> =>
    jsonOf([
      {
        run,
        at: begun,
        facts: { key: "key_a", endpoint: "sampling", server: "notes", method: "sampling/createMessage", name: "summarize" },
      },
    ]);
  const kindsOf = async (ledger: Ledger, run: string): Promise<string[]> => (await eventsOf(ledger, run)).map(({ fact }) => fact.kind);
  const stateOf = async (ledger: Ledger, run: string) => readJsonOf((await ledger.line(run)) ?? jsonOf(null))?.cause;

  test("has an end that is unknown, once, behind what was written of it before", async () => {
    const ledger = newLedger();
    await append(ledger, [{ events: numberEvents("run_b", null, begun, [{ kind: "requestorLeft" }, { kind: "requestorBack" }]) }]);
    for (let times = 0; times < 2; times += 1) for (const run of ["run_a", "run_b"]) await ledger.appendUnknown(reserved(run));
    expect(await kindsOf(ledger, "run_a")).toEqual(["outcomeUnknown"]);
    expect(await kindsOf(ledger, "run_b")).toEqual(["requestorLeft", "requestorBack", "outcomeUnknown"]);
    for (const run of ["run_a", "run_b"]) expect(await stateOf(ledger, run)).toEqual({ kind: "outcomeUnknown" });
  });

  test("and that has its line keeps it, also where the line came after its first events", async () => {
    const ledger = newLedger();
    const [first, last] = chain("run_a", 2);
    if (first === undefined || last === undefined) throw new Error("two events");
    await append(ledger, [{ events: [first] }]);
    await append(ledger, [{ events: [last], summary: line("run_a") }]);
    expect(await stateOf(ledger, "run_a")).toBeNull();
    await evictDurableObject(ledger);
    await ledger.appendUnknown(reserved("run_a"));
    expect(await kindsOf(ledger, "run_a")).toEqual(["finished", "finished"]);
  });
});

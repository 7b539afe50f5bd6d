// A shard's log: what it costs, what goes to R2 and when, and that neither a crash, nor a repeat,
// nor R2 being away changes what is in it.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { utf8ToBytes } from "../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { type LogCheck, checkLog } from "../../../shared/record/log/check-log.ts";
import { entriesOf } from "../../../shared/record/log/entry.ts";
import { readBundle } from "../../../shared/record/log/bundle.ts";
import { type NoteKey, readVerifierKey } from "../../../shared/record/log/signed-note.ts";
import { type RecordEvent, numberEvents } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { newRunBytes, runIdOf } from "../../../shared/sealed-id.ts";
import type { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import { recordChecks } from "../../../workers/doctor/check-record.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import type { LedgerEntry, RunsQuery } from "../../../workers/stubs/ledger-calls.ts";
import { env } from "../support/gateway.ts";
import { asObject, countedRows, ringNextAlarm, tablesOf } from "./inside.ts";

type Ledger = DurableObjectStub<LedgerObject>;

let shards = 0;
const newShard = (): { readonly name: string; readonly ledger: Ledger } => {
  shards += 1;
  const name = `log-of-test-${shards}`;
  return { name, ledger: asObject<LedgerObject>(env.LEDGER.getByName(name)) };
};

const begun = Date.now();
const newRun = (at = begun): string => runIdOf(settingsOf(env).keys, newRunBytes(at, crypto.getRandomValues(new Uint8Array(16))));

/** A request as the fast path brings it: its events and its line at once. */
function answered(at = begun, more: Partial<RunSummary> = {}): LedgerEntry & { readonly summary: RunSummary } {
  const run = newRun(at);
  const events = numberEvents(run, null, at, [
    { kind: "called", call: 1, models: ["first"], digest: "d", again: false },
    { kind: "finished", outcome: "completed" },
  ]);
  const summary: RunSummary = {
    run,
    key: "key_a",
    server: "notes",
    name: "summarize",
    createdAt: at,
    endedAt: at + 5,
    state: "completed",
    cause: null,
    model: "first",
    inputTokens: 1,
    outputTokens: 1,
    costUsd: 0.5,
    reviews: [],
    ...more,
  };
  return { events, summary };
}

const append = (ledger: Ledger, entries: readonly LedgerEntry[]): Promise<void> => ledger.append(jsonOf(entries));
const many = (count: number, at = (n: number) => begun + n): (LedgerEntry & { readonly summary: RunSummary })[] =>
  Array.from({ length: count }, (_, n) => answered(at(n)));

const rowsOf = async (ledger: Ledger, table: string): Promise<Record<string, unknown>[]> =>
  ((await tablesOf(ledger as DurableObjectStub))[table] ?? []) as Record<string, unknown>[];
const setNow = (ledger: Ledger, now: number): Promise<void> =>
  runInDurableObject(ledger, (object: LedgerObject) => void (object.now = () => now));

const verify = async (publicKey: Uint8Array, signature: Uint8Array, text: Uint8Array): Promise<boolean> =>
  crypto.subtle.verify("Ed25519", await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]), signature, text);

async function keyOf(ledger: Ledger): Promise<NoteKey> {
  const key = readVerifierKey((await ledger.checkpoint())?.key ?? "");
  if (key === undefined) throw new Error("no key");
  return key;
}

/** What a verifier finds over the object's own files. */
async function checked(ledger: Ledger): Promise<LogCheck> {
  const note = (await ledger.checkpoint())?.note ?? "";
  const read = async (path: string): Promise<Uint8Array | null> => (path === "checkpoint" ? utf8ToBytes(note) : ledger.file(path));
  return checkLog({ read, key: await keyOf(ledger), verify });
}

/** A file of the bucket, uncompressed. */
async function bucketFile(name: string, path: string): Promise<Uint8Array | null> {
  const object = (await env.RECORD_BUCKET?.get(`record/${name}/${path}`)) ?? null;
  if (object === null) return null;
  const body = object.httpMetadata?.contentEncoding === "gzip" ? object.body.pipeThrough(new DecompressionStream("gzip")) : object.body;
  return new Uint8Array(await new Response(body).arrayBuffer());
}

const checkedBucket = async (name: string, ledger: Ledger): Promise<LogCheck> =>
  checkLog({ read: (path) => bucketFile(name, path), key: await keyOf(ledger), verify });

const publish = (ledger: Ledger): Promise<boolean> => ringNextAlarm(ledger as DurableObjectStub);

/** Rows of newer bundles than are kept here are dropped from the object. */
const drop = (ledger: Ledger): Promise<void> =>
  runInDurableObject(
    ledger,
    (_, { storage: { sql } }) => void sql.exec("DELETE FROM log_batch WHERE last < (SELECT stored * 256 FROM log_state)"),
  );

const lines = async (ledger: Ledger, query: Omit<RunsQuery, "limit"> & { readonly limit?: number } = {}): Promise<string[]> =>
  readJsonOf(await ledger.runs({ limit: 1_000, ...query })).lines.map(({ run }) => run);

describe("a request that is answered at once", () => {
  test("costs no row but its batch's, and is found by its id, in lists and in sums", async () => {
    const { ledger } = newShard();
    const some = many(40);
    await append(ledger, some);
    for (const table of ["summary", "log_entry"]) expect(await rowsOf(ledger, table)).toEqual([]);
    expect(await rowsOf(ledger, "log_batch")).toHaveLength(1);
    for (const { events, summary } of some.slice(0, 3)) {
      expect(readJsonOf((await ledger.line(summary.run)) ?? jsonOf(null))).toEqual(summary);
      expect(readJsonOf(await ledger.events(summary.run, 0, 10))).toEqual(events);
      expect(readJsonOf(await ledger.events(summary.run, 1, 10))).toEqual(events.slice(1));
      expect(readJsonOf(await ledger.eventsBefore({ run: summary.run, seq: 2 }, 10))).toEqual(events.slice(0, 1));
    }
    expect(await lines(ledger)).toEqual(some.map(({ summary: { run } }) => run).toReversed());
    const day = 24 * 3_600_000;
    const since = Math.floor(begun / day) * day;
    const { days } = readJsonOf(await ledger.usage({ days: { since, until: since + 2 * day } }));
    expect(days.map(([, { outcomes }]) => outcomes.allowed)).toEqual([40]);
    expect(readJsonOf(await ledger.metrics()).sums).toMatchObject({ countersign_requests_total: expect.anything() });
    expect(await ledger.begunSince(begun + 10)).toBe(30);
    expect(await ledger.line(newRun())).toBeNull();
  });

  test("has the place of its own entry, which its proof is of", async () => {
    const { ledger } = newShard();
    const entries = Array.from({ length: 300 }, () => answered());
    await append(ledger, entries);
    for (const index of [0, 7, 255, 256, 290]) {
      const run = entries[index]?.summary.run ?? "";
      expect((await ledger.place(run))?.index).toBe(index);
      expect((await ledger.proof(run))?.entry).toContain(run);
    }
  });

  test("is in the log once, however often it comes, also to an object that woke in between", async () => {
    const { ledger } = newShard();
    const [first, second, ...more] = many(300);
    if (first === undefined || second === undefined) throw new Error("two at least");
    await append(ledger, [first, second, first]);
    await append(ledger, [first]);
    await evictDurableObject(ledger);
    await append(ledger, [second, ...more]);
    await evictDurableObject(ledger);
    // The first ones are in a bundle by now, which is no longer read when the object wakes.
    await append(ledger, [first, second, ...more.slice(-5)]);
    expect(await ledger.logStatus()).toMatchObject({ size: 300 });
    expect(await checked(ledger)).toMatchObject({ entries: 300, findings: [] });
    expect(await lines(ledger)).toHaveLength(300);
    const { events } = readJsonOf(await ledger.entries(0));
    expect(events.filter(({ run }) => run === first.summary.run)).toEqual(first.events);
  });

  test("that failed is one failure, however often it comes, also to an object that woke in between", async () => {
    const { ledger } = newShard();
    const failed = answered(begun, { state: "failed", cause: null });
    const failures = async (): Promise<unknown> => readJsonOf(await ledger.failures(begun)).failures.map(({ requests }) => requests);
    await append(ledger, [failed]);
    await append(ledger, [failed]);
    await evictDurableObject(ledger);
    const later = numberEvents(failed.summary.run, failed.events.at(-1) ?? null, begun + 9, [{ kind: "requestorBack" }]);
    await append(ledger, [{ events: [...failed.events, ...later], summary: failed.summary }]);
    expect(await failures()).toEqual([1]);
    const recent = async (): Promise<unknown> => readJsonOf(await ledger.recent()).outcomes.map(({ name, hour }) => [name, hour.count]);
    expect(await recent()).toEqual([["notes", 1]]);
    await evictDurableObject(ledger);
    expect(await recent()).toEqual([["notes", 1]]);
  });

  test("goes on where its run does: earlier events stay where they are", async () => {
    const { ledger } = newShard();
    const entry = answered();
    const { run } = entry.summary;
    await append(ledger, [entry]);
    const later = numberEvents(run, entry.events.at(-1) ?? null, begun + 9, [{ kind: "requestorBack" }]);
    await append(ledger, [{ events: [...entry.events, ...later], summary: entry.summary }]);
    expect(readJsonOf(await ledger.events(run, 0, 10))).toEqual([...entry.events, ...later]);
    expect(await lines(ledger)).toEqual([run]);
    expect(readJsonOf((await ledger.line(run)) ?? jsonOf(null))).toEqual(entry.summary);
    // One that began with a part of it.
    const told = answered();
    await append(ledger, [{ events: told.events.slice(0, 1), summary: null }]);
    await append(ledger, [told]);
    expect(readJsonOf(await ledger.events(told.summary.run, 0, 10))).toEqual(told.events);
    expect(await lines(ledger)).toHaveLength(2);
  });

  test("with an id of another time has a line of its own, and is found all the same", async () => {
    const { ledger } = newShard();
    const old = answered(begun - 3_600_000);
    const toCome = answered(begun + 3_600_000);
    await append(ledger, [old, toCome]);
    expect(await rowsOf(ledger, "summary")).toHaveLength(2);
    expect(await lines(ledger)).toEqual([toCome, old].map(({ summary: { run } }) => run));
    for (const { summary, events } of [old, toCome]) {
      expect(readJsonOf((await ledger.line(summary.run)) ?? jsonOf(null))).toEqual(summary);
      expect(readJsonOf(await ledger.events(summary.run, 0, 10))).toEqual(events);
    }
  });
});

describe("lists", () => {
  test("are listed by what few of them have, from the hours that have any, and what none has is known without reading them", async () => {
    const { ledger } = newShard();
    const hour = 3_600_000;
    const begins = begun - 1_100 * hour;
    // Each is an hour behind the one before it, but for those that took long.
    const some = Array.from({ length: 1_100 }, (_, n) =>
      answered(begins + n * hour - ((n * 7_919) % 5 === 0 ? 30 * hour : 0), {
        key: n % 10 === 0 ? "key_b" : "key_a",
        server: n === 71 || n === 72 || n === 612 ? "rare" : "notes",
        state: n % 10 === 1 ? "failed" : "completed",
      }),
    );
    for (let at = 0; at < some.length; at += 90) await append(ledger, some.slice(at, at + 90));
    await publish(ledger);
    await drop(ledger);
    const newest = some.toSorted((a, b) => b.summary.createdAt - a.summary.createdAt || (a.summary.run < b.summary.run ? 1 : -1));
    const queries: [Omit<RunsQuery, "limit">, (of: RunSummary) => boolean][] = [
      [{ server: "rare" }, ({ server }) => server === "rare"],
      [{ server: "rare", until: begins + 100 * hour }, (of) => of.server === "rare" && of.createdAt < begins + 100 * hour],
      [{ key: "key_b" }, ({ key }) => key === "key_b"],
      [
        { key: "key_a", state: "unanswered", since: begins + 500 * hour },
        (of) => of.state === "failed" && of.createdAt >= begins + 500 * hour,
      ],
    ];
    for (const [query, isWanted] of queries)
      for (const limit of [1, 30, 2_000]) {
        const found: string[] = [];
        for (let after: Pick<RunsQuery, "after"> = {}; ;) {
          const page = readJsonOf(await ledger.runs({ ...query, ...after, limit, mostRead: 100_000 }));
          found.push(...page.lines.map(({ run }) => run));
          if (page.stoppedAt === null) break;
          after = { after: page.stoppedAt };
        }
        const wanted = newest.filter(({ summary }) => isWanted(summary)).map(({ summary: { run } }) => run);
        expect([query, limit, found]).toEqual([query, limit, wanted]);
      }
    // Each has some in every month, and no line has both.
    const { found, read } = await countedRows(ledger, (object) => object.runs({ key: "key_b", state: "failed", limit: 50 }));
    expect(readJsonOf(found)).toEqual({ lines: [], stoppedAt: null });
    expect(read).toBeLessThan(30);
  });

  test("say how far back their totals go before any line is read, and then have all since", async () => {
    const { ledger } = newShard();
    const some = many(2_100, (n) => begun - 60_000 + n * 20 + ((n * 7_919) % 2_000));
    for (let at = 0; at < some.length; at += 300) await append(ledger, some.slice(at, at + 300));
    const query = { server: "notes", until: begun };
    const { found: reached, read } = await countedRows(ledger, (object) => object.reach(query));
    const since = reached ?? 0;
    expect(read).toBeLessThan(60);
    const { usage, stoppedAt } = readJsonOf(await ledger.totals({ ...query, since }));
    const wanted = some.filter(({ summary: { createdAt } }) => createdAt >= since && createdAt < begun).length;
    expect(wanted).toBeGreaterThan(1_000);
    expect(wanted).toBeLessThan(some.length - 256);
    expect([usage.outcomes, stoppedAt]).toEqual([{ allowed: wanted }, null]);
    expect(await ledger.reach({ ...query, since })).toBeNull();
    expect(await ledger.reach({ ...query, server: "nobody" })).toBeNull();
  });

  test("are the same of the object and of R2, page by page, whatever they ask for", async () => {
    const { name, ledger } = newShard();
    // They arrive out of their order, as requests do that take longer.
    const some = Array.from({ length: 1_100 }, (_, n) => {
      const at = begun - 60_000 + n * 50 + ((n * 7_919) % 4_000);
      return answered(at, {
        key: n % 97 === 0 ? "key_rare" : "key_a",
        server: n % 2 === 0 ? "notes" : "files",
        state: n % 5 === 0 ? "failed" : "completed",
      });
    });
    for (let at = 0; at < some.length; at += 90) await append(ledger, some.slice(at, at + 90));
    const open = answered(begun, { endedAt: null, state: "waiting" });
    await append(ledger, [{ ...open, events: open.events.slice(0, 1) }]);
    const newest = [...some, open].toSorted(
      (a, b) => b.summary.createdAt - a.summary.createdAt || (a.summary.run < b.summary.run ? 1 : -1),
    );
    const queries: [Omit<RunsQuery, "limit">, (of: RunSummary) => boolean][] = [
      [{}, () => true],
      [{ server: "files" }, ({ server }) => server === "files"],
      [{ key: "key_rare" }, ({ key }) => key === "key_rare"],
      [{ key: "key_none" }, () => false],
      [{ state: "unanswered" }, ({ state }) => state === "failed"],
      [{ since: begun - 30_000, until: begun - 20_000 }, ({ createdAt }) => createdAt >= begun - 30_000 && createdAt < begun - 20_000],
      [{ search: { text: "KEY_RARE", keys: [] } }, ({ key }) => key === "key_rare"],
      [{ costOver: 0.4, tool: "summarize", model: "first" }, () => true],
      [{ provider: { name: "p", models: ["first"] } }, () => true],
      [{ provider: { name: "p", models: ["second"] } }, () => false],
    ];
    const compare = async (): Promise<void> => {
      for (const [query, isWanted] of queries)
        for (const mostRead of [90, 100_000]) {
          const found: string[] = [];
          for (let after: Pick<RunsQuery, "after"> = {}; ;) {
            const page = readJsonOf(await ledger.runs({ ...query, ...after, limit: 70, mostRead }));
            found.push(...page.lines.map(({ run }) => run));
            expect(page.lines.length).toBeLessThanOrEqual(70);
            if (page.stoppedAt === null) break;
            after = { after: page.stoppedAt };
          }
          const wanted = newest.filter(({ summary }) => isWanted(summary)).map(({ summary: { run } }) => run);
          expect([query, mostRead, found]).toEqual([query, mostRead, wanted]);
        }
      expect(await ledger.begunSince(begun - 30_000)).toBe(
        newest.filter(({ summary: { createdAt } }) => createdAt >= begun - 30_000).length,
      );
      const rows = readJsonOf(await ledger.replay({ since: begun - 60_000, after: { createdAt: begun - 20_000, run: "" }, limit: 20 }));
      const replayed = newest.filter(({ summary: { createdAt } }) => createdAt < begun - 20_000).slice(0, 20);
      expect(rows.map(({ run }) => run)).toEqual(replayed.map(({ summary: { run } }) => run));
      expect(rows.map(({ fact }) => fact?.kind)).toEqual(replayed.map(() => "called"));
    };
    await compare();
    await publish(ledger);
    await drop(ledger);
    expect((await rowsOf(ledger, "log_batch")).filter(({ first }) => Number(first) < 1_024)).toEqual([]);
    await compare();
    await evictDurableObject(ledger);
    await compare();
    const { events } = readJsonOf(await ledger.entries(0));
    expect(events[0]).toEqual(some[0]?.events[0]);
    expect(await checkedBucket(name, ledger)).toMatchObject({ entries: 1_024, findings: [] });
  });
});

describe("the log", () => {
  test("is one that anybody with the key can verify: over its files, and over the bucket", async () => {
    const { name, ledger } = newShard();
    const some = many(600);
    for (let at = 0; at < some.length; at += 37) await append(ledger, some.slice(at, at + 37));
    const before = await ledger.checkpoint();
    expect(await checked(ledger)).toMatchObject({ entries: 600, findings: [], checkpoint: { origin: `localhost:8787/record/${name}` } });
    await publish(ledger);
    expect(await checkedBucket(name, ledger)).toMatchObject({ entries: 512, findings: [] });
    expect(await ledger.checkpoint()).toEqual(before);
    const bundle = readBundle((await bucketFile(name, "tile/entries/001")) ?? new Uint8Array()) ?? [];
    const found = entriesOf(
      bundle.map((entry) => new TextDecoder().decode(entry)),
      256,
    );
    expect(found.map(({ run, index }) => [run, index])).toEqual(some.slice(256, 512).map(({ summary: { run } }, n) => [run, 256 + n]));
    await evictDurableObject(ledger);
    expect(await ledger.checkpoint()).toEqual(before);
    await append(ledger, many(300));
    expect(await checked(ledger)).toMatchObject({ entries: 900, findings: [] });
    for (const path of [
      "tile/0/003",
      "tile/0/003.p/200",
      "tile/entries/003.p/133",
      "tile/1/000",
      "tile/1/000.p/4",
      "tile/2/000.p/1",
      "checkpoint",
      "tile/0/../0",
    ])
      expect([path, await ledger.file(path)]).toEqual([path, null]);
    expect((await ledger.file("tile/0/002.p/7"))?.length).toBe(7 * 32);
  });

  test("says of an event whose entry was changed, in a full bundle and among the newest, that it is not the tree's", async () => {
    const { ledger } = newShard();
    const entries = Array.from({ length: 300 }, () => answered());
    await append(ledger, entries);
    const runs = [entries[7], entries[290]].map((entry) => entry?.summary.run ?? "");
    const known = await ledger.tree();
    for (const run of runs) expect(await ledger.logged(run, known)).toEqual({ lastSeq: 2, changedAt: null });
    await runInDurableObject(ledger as DurableObjectStub, (_object, { storage: { sql } }) => {
      for (const { first, entries: text } of sql
        .exec<{ first: number; entries: string }>("SELECT first, entries FROM log_batch")
        .toArray()) {
        const changed = runs.reduce((all, run) => all.replace(`{"run":"${run}","events":[`, `{"run":"${run}","events":[ `), text);
        expect(changed).not.toBe(text);
        sql.exec("UPDATE log_batch SET entries = ? WHERE first = ?", changed, first);
      }
    });
    for (const run of runs) expect(await ledger.logged(run, null)).toEqual({ lastSeq: 2, changedAt: 1 });
    expect(await ledger.logged("operators/2026-11", { ...known, root: "other" })).toEqual({ lastSeq: 0, changedAt: 1 });
  });

  test("has no other entry for what failed half-way", async () => {
    const { ledger } = newShard();
    await append(ledger, many(250));
    const before = await ledger.checkpoint();
    const broken = { ...answered(), notices: [{ id: null }] } as unknown as LedgerEntry; // a row that cannot be stored
    await runInDurableObject(ledger, async (object: LedgerObject) => {
      await expect(object.append(jsonOf([...many(20), broken]))).rejects.toThrow();
    });
    expect(await ledger.checkpoint()).toEqual(before);
    await append(ledger, many(20));
    expect(await checked(ledger)).toMatchObject({ entries: 270, findings: [] });
  });

  test("grows in its object while R2 is away, goes on where it stopped, and writes no file otherwise than before", async () => {
    const { name, ledger } = newShard();
    await append(ledger, many(300));
    await publish(ledger);
    const put = vi.fn<(key: string) => void>();
    let isAway = true;
    await runInDurableObject(ledger, (object: LedgerObject) => {
      const { RECORD_BUCKET: bucket } = env;
      object.bucket = {
        get: (key: string) => bucket?.get(key),
        delete: (key: string) => bucket?.delete(key),
        put: async (key: string, ...more: unknown[]) => {
          put(key);
          // It fails after some files: what was written is written again.
          if (isAway && put.mock.calls.length > 2) throw new Error("R2 is away");
          return bucket?.put(key, ...(more as [string]));
        },
      } as unknown as R2Bucket;
    });
    await append(ledger, many(700));
    await publish(ledger);
    expect(await ledger.logStatus()).toMatchObject({ size: 1_000, stored: 256, unpublished: 2 });
    expect(await checked(ledger)).toMatchObject({ entries: 1_000, findings: [] });
    expect(await checkedBucket(name, ledger)).toMatchObject({ entries: 256, findings: [] });
    isAway = false;
    await publish(ledger);
    expect(await ledger.logStatus()).toMatchObject({ size: 1_000, stored: 768, unpublished: 0 });
    expect(await checkedBucket(name, ledger)).toMatchObject({ entries: 768, findings: [] });
  });

  test("without R2 keeps to its object, and says so", async () => {
    const { ledger } = newShard();
    await runInDurableObject(ledger, (object: LedgerObject) => void (object.bucket = null));
    await append(ledger, many(700));
    await publish(ledger);
    expect(await ledger.logStatus()).toMatchObject({ size: 700, stored: 0, hasBucket: false, unpublished: 0 });
    expect(await checked(ledger)).toMatchObject({ entries: 700, findings: [] });
  });

  test("is pruned from the front, in R2 too, and what is left is verified", async () => {
    const { name, ledger } = newShard();
    await append(ledger, many(520));
    await publish(ledger);
    const later = begun + 401 * 24 * 3_600_000;
    await setNow(ledger, later);
    await append(
      ledger,
      many(300, (n) => later + n),
    );
    for (let n = 0; n < 4; n += 1) await publish(ledger);
    expect(await ledger.logStatus()).toMatchObject({ size: 820, pruned: 512, stored: 768 });
    expect(await bucketFile(name, "tile/entries/000")).toBeNull();
    expect(await checked(ledger)).toMatchObject({ from: 512, entries: 308, findings: [] });
    expect(await checkedBucket(name, ledger)).toMatchObject({ from: 512, entries: 256, findings: [] });
    expect(await lines(ledger)).toHaveLength(308);
  });

  test("is kept for as many days as RECORD_DAYS says", async () => {
    const { ledger } = newShard();
    await append(ledger, many(256));
    const prunedAfter = async (days: number): Promise<number> => {
      await setNow(ledger, begun + days * 24 * 3_600_000);
      await publish(ledger);
      return (await ledger.logStatus()).pruned;
    };
    await runInDurableObject(ledger, (object) => void Object.assign(object, { env: { ...env, RECORD_DAYS: "30" } }));
    expect(await prunedAfter(29)).toBe(0);
    expect(await prunedAfter(31)).toBe(256);
  });

  test("that is quiet is filled up, so that it gets into R2 and is deleted in time", async () => {
    const { name, ledger } = newShard();
    const some = many(3);
    await append(ledger, some);
    await publish(ledger);
    expect(await ledger.logStatus()).toMatchObject({ size: 3, stored: 0 });
    const day = 24 * 3_600_000;
    await setNow(ledger, begun + 1.5 * day);
    await publish(ledger);
    expect(await ledger.logStatus()).toMatchObject({ size: 256, stored: 256 });
    expect(await checkedBucket(name, ledger)).toMatchObject({ entries: 256, findings: [] });
    expect(await lines(ledger)).toHaveLength(3);
    await setNow(ledger, begun + 403 * day);
    await publish(ledger);
    expect(await ledger.logStatus()).toMatchObject({ size: 256, pruned: 256 });
    expect([await lines(ledger), await rowsOf(ledger, "log_batch"), await bucketFile(name, "tile/entries/000")]).toEqual([[], [], null]);
  });

  test("has what is too long for an entry in several, and nothing is cut", async () => {
    const { ledger } = newShard();
    const run = newRun();
    const events = numberEvents(run, null, begun, [
      { kind: "finished", outcome: "é\u0001😀".repeat(60_000) },
      { kind: "finished", outcome: "x" },
    ]);
    await append(ledger, [answered(), { events, summary: null }, answered()]);
    expect(readJsonOf(await ledger.events(run, 0, 10))).toEqual(events);
    const status = await ledger.logStatus();
    expect(status.size).toBeGreaterThan(20);
    expect(await checked(ledger)).toMatchObject({ entries: status.size, findings: [] });
    const all: RecordEvent[] = [];
    for (let from: number | null = 0; from !== null;) {
      const page: { events: readonly RecordEvent[]; next: number | null } = readJsonOf(await ledger.entries(from));
      all.push(...page.events);
      from = page.next;
    }
    expect(all.filter((event) => event.run === run)).toEqual(events);
    expect(all).toHaveLength(6);
    expect(await lines(ledger)).toHaveLength(2);
    expect(readJsonOf(await ledger.metrics()).isBehind).toBe(false);
  });

  test("is signed with one key of the gateway's", async () => {
    const { ledger } = newShard();
    const other = newShard().ledger;
    const [one, two] = await Promise.all([keyOf(ledger), keyOf(other)]);
    expect(one.publicKey).toEqual(two.publicKey);
    expect(one.publicKey).toHaveLength(32);
  });
});

test("the doctor says that the log goes to R2, that R2 does not take it, or how long the objects will do without", async () => {
  const shard = asObject<LedgerObject>(env.LEDGER.getByName("shard-0"));
  const said = async (now = begun): Promise<unknown> => (await recordChecks(env, now)).map(({ state, says }) => [state, says.key]);
  expect(await said()).toEqual([["good", "recordStored"]]);
  const { RECORD_BUCKET: bucket } = env;
  const away = { put: () => Promise.reject(new Error("R2 is away")) } as unknown as R2Bucket;
  await runInDurableObject(shard, (object: LedgerObject) => void (object.bucket = away));
  await append(shard, many(65 * 256));
  expect(await said()).toEqual([["good", "recordStored"]]);
  expect(await said(begun + 3_600_000)).toEqual([["fix", "recordBehind"]]);
  await runInDurableObject(shard, (object: LedgerObject) => void (object.bucket = null));
  expect(await said()).toEqual([["note", "recordInObjects"]]);
  expect(await said(begun + 3 * 24 * 3_600_000)).toEqual([["note", "recordInObjectsFor"]]);
  await runInDurableObject(shard, (object: LedgerObject) => void (object.bucket = bucket ?? null));
});

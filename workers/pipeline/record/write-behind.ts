// Writes behind, after the fast path has responded: the entries of `flushAfterMs` go to each object
// in one call. The calls of a flush are spread over time, so that requests are answered in between.
//
// A key's released leases go with the next call to the same object, or with the flush; a session's
// outcomes with the flush, or with a repeat of their request; the record to each shard in one call.
// One request of the isolate carries the flush for all of them, in its own `waitUntil`.

import { type JsonOf, jsonOf, jsonOfList } from "../../../shared/json/json-of.ts";
import { portions } from "../../../shared/portions.ts";
import type { RequestRef } from "../../../shared/run/run-input.ts";
import type { ShareReport } from "../../../shared/policy/share.ts";
import type { Settled } from "../../stubs/session-calls.ts";
import type { LedgerEntry } from "../../stubs/ledger-calls.ts";
import type { Env } from "../../platform/env.ts";
import { isolateState } from "../../platform/isolate.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { pause } from "../../platform/pause.ts";
import { keyStub, ledgerShardOf, ledgerStub, sessionById } from "../../stubs/stubs.ts";
import { budgetSharesOf } from "../spend/budget-shares.ts";
import { keySharesOf } from "../admit/key-shares.ts";

/**
 * Long enough that requests under load share a flush, and short before a person would look for a
 * record.
 */
const flushAfterMs = 250;
/**
 * Entries become texts so often: what a request made is then no longer in memory when the collector
 * looks for what is young, and a flush does not make a quarter of a second's entries in one go.
 */
const makeEveryMs = 32;
/**
 * A flush makes its calls in so many parts, with such a pause between them: less than
 * `flushAfterMs` in all.
 */
const mostParts = 25;
const betweenPartsMs = 8;
const abandonedAfterMs = 5_000;
/** A share of a key's limits that admitted nothing for so long is given back. */
const idleMs = flushAfterMs;
/**
 * A flush goes on for as long as shares are held, and no longer than this: the platform ends a
 * Worker that works on after its response.
 */
const longestFlushMs = 20_000;

type PendingEntry = { readonly run: string; readonly make: () => LedgerEntry };
type MadeEntry = { readonly run: string; readonly text: JsonOf<LedgerEntry> };

type WriteBehind = {
  /** By the session object's id. */
  readonly settled: Map<string, Settled[]>;
  /** Runs that ended, by the API key's id. */
  readonly released: Map<string, string[]>;
  /** Shares that have ended, by the API key's id. */
  readonly reports: Map<string, ShareReport[]>;
  /** Of the record, not made yet. */
  readonly unmade: PendingEntry[];
  /** By the shard of the record. */
  readonly entries: Map<number, MadeEntry[]>;
  /**
   * When the running flush began, in Unix milliseconds; after `abandonedAfterMs` its Worker counts
   * as cut off.
   */
  flushingSince: number | null;
};

const writeBehindOf = isolateState((): WriteBehind => ({
  settled: new Map(),
  released: new Map(),
  reports: new Map(),
  unmade: [],
  entries: new Map(),
  flushingSince: null,
}));

function add<K, V>(to: Map<K, V[]>, key: K, value: V): void {
  const list = to.get(key);
  if (list === undefined) to.set(key, [value]);
  else list.push(value);
}

type Background = Pick<ExecutionContext, "waitUntil">;

/**
 * A call to a session about one request, which carries that request's outcome where it is pending.
 * Where the call fails, it stays pending.
 */
export const withSettled = <T>(
  env: Env,
  ctx: Background,
  { session, originating, request }: RequestRef & { readonly session: string },
  call: (settled: Settled[]) => Promise<T>,
): Promise<T> =>
  withPending(env, ctx, writeBehindOf(env).settled, session, call, (each) => each.request === request && each.originating === originating);

/**
 * A call to this key that carries what has ended: runs, and shares of its limits. Where it fails,
 * both stay pending.
 */
export const withReleased = <T>(env: Env, ctx: Background, keyId: string, call: (ended: EndedOfKey) => Promise<T>): Promise<T> => {
  const pending = writeBehindOf(env);
  const now = Date.now();
  for (const report of keySharesOf(env).end(keyId, now, now - idleMs)) add(pending.reports, keyId, report);
  return withPending(env, ctx, pending.released, keyId, (released) =>
    withPending(env, ctx, pending.reports, keyId, async (reports) => {
      const answer = await call({ released, reports });
      reported(env, ctx, keyId, reports);
      return answer;
    }),
  );
};

export type EndedOfKey = { readonly released: readonly string[]; readonly reports: readonly ShareReport[] };

/**
 * What has ended while the reports were on their way is released after them: a report counts it as
 * running.
 */
function reported(env: Env, ctx: Background, keyId: string, reports: readonly ShareReport[]): void {
  for (const run of keySharesOf(env).reported(reports)) enqueue(env, ctx, { key: { id: keyId, run } });
}

async function withPending<V, T>(
  env: Env,
  ctx: Background,
  queue: Map<string, V[]>,
  of: string,
  call: (list: V[]) => Promise<T>,
  isWanted: (each: V) => boolean = () => true,
): Promise<T> {
  const { list = [], rest = [] } = Object.groupBy(queue.get(of) ?? [], (each) => (isWanted(each) ? "list" : "rest"));
  if (rest.length === 0) queue.delete(of);
  else if (list.length > 0) queue.set(of, rest);
  try {
    return await call(list);
  } catch (error) {
    for (const each of list) add(queue, of, each);
    if (list.length > 0) enqueue(env, ctx, {});
    throw error;
  }
}

/**
 * In UTF-16 code units, of at most two bytes; one call between objects carries 32 MiB. A single
 * text has only the platform's bound.
 */
const mostInCall = 8 * 1024 * 1024;

export type PendingEntries = {
  readonly session?: { readonly object: string; readonly settled: Settled };
  readonly key?: { readonly id: string; readonly run: string };
  /**
   * Called a moment later, so that the caller does not wait for the digests and hashes of a record.
   */
  readonly entry?: PendingEntry;
};

/** Queues these writes; a flush is running when this returns. */
export function enqueue(env: Env, ctx: Background, { session, key, entry }: PendingEntries): void {
  const pending = writeBehindOf(env);
  if (session !== undefined) add(pending.settled, session.object, session.settled);
  if (key !== undefined && !keySharesOf(env).release(key.id, key.run)) add(pending.released, key.id, key.run);
  if (entry !== undefined) pending.unmade.push(entry);
  const now = Date.now();
  if (pending.flushingSince !== null && now - pending.flushingSince < abandonedAfterMs) return;
  pending.flushingSince = now;
  goOnWith(ctx, flushWhileHeld(env, ctx, pending));
}

/** Goes on with work after the response, until it ends. */
export function goOnWith(ctx: Background, work: Promise<unknown>): void {
  underWay += 1;
  ctx.waitUntil(
    work.finally(() => {
      underWay -= 1;
    }),
  );
}

let underWay = 0;

/**
 * How much of this isolate's work goes on after responses: each part calls objects until it ends.
 */
export const flushesUnderWay = (): number => underWay;

/**
 * Flushes, and again while a share of a key's limits or of a budget is held: nobody else would give
 * it back where no request follows.
 */
async function flushWhileHeld(env: Env, ctx: Background, pending: WriteBehind): Promise<void> {
  const shares = keySharesOf(env);
  const budgets = budgetSharesOf(env);
  const end = Date.now() + longestFlushMs;
  for (let waitMs = flushAfterMs; ;) {
    await making(pending, waitMs);
    const now = Date.now();
    const isLast = now >= end || (shares.held().length === 0 && !budgets.isPending);
    pending.flushingSince = isLast ? null : now;
    for (const keyId of shares.held())
      for (const report of shares.end(keyId, now, now >= end ? now : now - idleMs)) add(pending.reports, keyId, report);
    await Promise.all([flush(env, ctx, pending), budgets.flush(now, now >= end ? now : now - idleMs)]);
    if (isLast) return;
    waitMs = Math.max(0, flushAfterMs - (Date.now() - now));
  }
}

/** Waits, by its own pauses and not by a clock, and makes the entries meanwhile. */
async function making(pending: WriteBehind, waitMs: number): Promise<void> {
  for (let rest = waitMs; rest > 0;) {
    const step = pending.unmade.length === 0 ? rest : Math.min(rest, makeEveryMs);
    await pause(step);
    rest -= step;
    makeEntries(pending);
  }
}

/** One that cannot be made is left out: the others are written all the same. */
function makeEntries({ unmade, entries }: WriteBehind): void {
  for (const { run, make } of unmade.splice(0)) {
    try {
      add(entries, ledgerShardOf(run), { run, text: jsonOf(make()) });
    } catch (error) {
      logEvent("writeBehind.flushFailed", { error: errorClass(error) });
    }
  }
}

/**
 * Makes the calls for everything that is pending now. A session hears of an outcome after the
 * record has its line, and that it does: what it did not hear it tells the record itself, later.
 */
async function flush(env: Env, ctx: Background, pending: WriteBehind): Promise<void> {
  const { released, reports } = pending;
  // At one moment: the lines of these outcomes are among these entries.
  makeEntries(pending);
  const [settled, entries] = [allOf(pending.settled), allOf(pending.entries)];
  const recorded = new Map<number, Promise<ReadonlySet<string>>>();
  const over = pause(recordedWithinMs);
  const calls = [
    ...entries.map(([shard, list]) => async () => {
      const appending = append(env, shard, list);
      recorded.set(shard, appending);
      await appending;
    }),
    ...[...new Set([...released.keys(), ...reports.keys()])].map(
      (id) => () => release(env, ctx, id, { released: taken(released, id), reports: taken(reports, id) }),
    ),
    ...settled.map(
      ([id, list]) =>
        async () =>
          settle(env, id, await withRecorded(list, recorded, over)),
    ),
  ];
  const inPart = Math.ceil(calls.length / mostParts);
  const sent: Promise<void>[] = [];
  for (const [index, call] of calls.entries()) {
    if (index > 0 && index % inPart === 0) await pause(betweenPartsMs);
    // Not awaited before the next: an object that does not answer holds up no other.
    sent.push(call());
  }
  await Promise.all(sent);
}

/** A repeat waits for its outcome: no longer than this for a shard that does not answer. */
const recordedWithinMs = 2_000;

async function withRecorded(
  list: readonly Settled[],
  recorded: ReadonlyMap<number, Promise<ReadonlySet<string>>>,
  over: Promise<void>,
): Promise<readonly Settled[]> {
  const shards = new Set(list.map(({ run }) => ledgerShardOf(run)));
  const runs = new Set<string>();
  const appended = Promise.all([...shards].map(async (shard) => (await recorded.get(shard))?.forEach((run) => runs.add(run))));
  await Promise.race([appended, over]);
  return list.map((each) => (runs.has(each.run) ? { ...each, isRecorded: true } : each));
}

function allOf<K, V>(from: Map<K, V[]>): (readonly [K, V[]])[] {
  const all = [...from];
  from.clear();
  return all;
}

/** Removed before the call is made: what cannot be sent is lost alone, and not retried for ever. */
function taken<K, V>(from: Map<K, V[]>, key: K): V[] {
  const list = from.get(key) ?? [];
  from.delete(key);
  return list;
}

async function settle(env: Env, session: string, list: readonly Settled[]): Promise<void> {
  const send = (part: readonly Settled[]): Promise<void> => sessionById(env, session).settle(jsonOf(part));
  await Promise.all(portions(list, mostInCall, ({ result }) => result.length).map((part) => attempt(() => send(part))));
}

async function release(env: Env, ctx: Background, keyId: string, { released, reports }: EndedOfKey): Promise<void> {
  if (released.length === 0 && reports.length === 0) return;
  await attempt(() => keyStub(env, keyId).release(released, reports));
  reported(env, ctx, keyId, reports);
}

/** Appends, and returns the runs of which the record has the line then. */
async function append(env: Env, shard: number, list: readonly MadeEntry[]): Promise<ReadonlySet<string>> {
  const text = jsonOfList(list.map((each) => each.text));
  return new Set((await attempt(() => ledgerStub(env, shard).append(text))) ? list.map(({ run }) => run) : []);
}

/**
 * Every write may be sent twice: one retry, with a fresh stub, covers an object that was reset in
 * between. Returns whether it was written.
 */
async function attempt(send: () => Promise<void>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch {
    return send().then(
      () => true,
      (error: unknown) => {
        logEvent("writeBehind.flushFailed", { error: errorClass(error) });
        return false;
      },
    );
  }
}

// What requests came to over all shards of the ledger. One call to each shard, whatever there is to
// count.

import { type HealthFailures, byWhatFailed, requestsIn } from "../../../shared/record/health-failures.ts";
import { type JsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { summedBreakdowns } from "../../../shared/record/usage-breakdown.ts";
import { summedUsage } from "../../../shared/record/usage.ts";
import type { Env } from "../../platform/env.ts";
import { type LineTotals, summedTotals } from "../../../shared/record/line-totals.ts";
import { byAge } from "../../../shared/record/line-list.ts";
import { addedToolCalls } from "../../../shared/record/tool-calls.ts";
import type {
  ShardOpen,
  ShardToolCalls,
  ShardTotals,
  ShardUsage,
  ToolCallsQuery,
  TotalsQuery,
  UsageAt,
  UsageQuery,
} from "../../stubs/ledger-calls.ts";
import { ledgerShards, ledgerStub } from "../../stubs/stubs.ts";

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Of all shards, in the order of time. */
export type LedgerUsage = Omit<ShardUsage, "isBehind"> & {
  /**
   * Whether every line is counted. Where not, the shards go on counting, and a later call has more.
   */
  readonly isComplete: boolean;
};

type Shard = ReturnType<typeof ledgerStub>;
const eachShard = <T>(env: Env, call: (shard: Shard) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: ledgerShards }, async (_, shard) => call(ledgerStub(env, shard))));
const ofEachShard = <T>(env: Env, call: (shard: Shard) => Promise<JsonOf<T>>): Promise<T[]> =>
  eachShard(env, async (shard) => readJsonOf(await call(shard)));

export async function usageOf(env: Env, query: UsageQuery): Promise<LedgerUsage> {
  const shards = await ofEachShard(env, async (shard) => shard.usage(query));
  return {
    isComplete: shards.every(({ isBehind }) => !isBehind),
    isEmpty: shards.every(({ isEmpty }) => isEmpty),
    hours: summedTimes(shards.map(({ hours }) => hours)),
    days: summedTimes(shards.map(({ days }) => days)),
    by: summedBreakdowns(shards.map(({ by }) => by)),
  };
}

const summedTimes = (all: readonly (readonly UsageAt[])[]): UsageAt[] =>
  [...Map.groupBy(all.flat(), ([at]) => at)]
    .map(([at, sums]): UsageAt => [at, summedUsage(sums.map(([, usage]) => usage))])
    .sort(([a], [b]) => a - b);

/** The calls of a server's tools, as far as the shards read back. */
export async function toolCallsOf(env: Env, query: ToolCallsQuery): Promise<ShardToolCalls> {
  const shards = await ofEachShard(env, async (shard) => shard.toolCalls(query));
  return { isPartial: shards.some(({ isPartial }) => isPartial), tools: addedToolCalls(shards.flatMap(({ tools }) => tools)) };
}

/** `since`: earlier requests were not read, and are in no sum; null: all are. */
type SearchTotals = LineTotals & { readonly since: number | null };

/**
 * What the requests of a search come to, as far back as every shard reads. `now`: Unix
 * milliseconds; what comes later is in no sum, so that a second look reads no further than the
 * first.
 */
export async function totalsOfSearch(env: Env, asked: TotalsQuery, now: number): Promise<SearchTotals> {
  const query = { ...asked, until: asked.until ?? now };
  const reaches = (await eachShard(env, async (shard) => shard.reach(query))).flatMap((each) => each ?? []);
  const reached = reaches.length === 0 ? null : Math.max(...reaches);
  const shards = await totalsSince(env, query, reached);
  const [frontier] = shards.flatMap(({ stoppedAt }) => stoppedAt ?? []).toSorted(byAge);
  if (frontier === undefined) return { ...summedTotals(shards), since: reached };
  // Each shard has read at least that far.
  const since = frontier.createdAt + 1;
  return { ...summedTotals(await totalsSince(env, query, since)), since };
}

const totalsSince = (env: Env, query: TotalsQuery, since: number | null): Promise<ShardTotals[]> =>
  ofEachShard(env, async (shard) => shard.totals(since === null ? query : { ...query, since }));

/** What waits now. Times are Unix milliseconds. */
export async function openNow(env: Env): Promise<ShardOpen> {
  const shards = await ofEachShard(env, async (shard) => shard.openNow());
  const sum = (of: "open" | "waiting"): number => shards.reduce((total, shard) => total + shard[of], 0);
  const oldest = shards.flatMap(({ oldestAt }) => oldestAt ?? []);
  return {
    isPartial: shards.some(({ isPartial }) => isPartial),
    open: sum("open"),
    waiting: sum("waiting"),
    oldestAt: oldest.length === 0 ? null : Math.min(...oldest),
    firstDue: shards.flatMap(({ firstDue }) => firstDue ?? []).toSorted((a, b) => a.deadlineAt - b.deadlineAt)[0] ?? null,
  };
}

export type Failures = { readonly isPartial: boolean; readonly requests: number; readonly by: readonly HealthFailures[] };

/** Requests that failed since then (Unix milliseconds), within the last hour. */
export async function failuresSince(env: Env, since: number): Promise<Failures> {
  const shards = await ofEachShard(env, async (shard) => shard.failures(since));
  const all = shards.flatMap(({ failures }) => failures);
  return { isPartial: shards.some(({ isPartial }) => isPartial), requests: requestsIn(all), by: byWhatFailed(all) };
}

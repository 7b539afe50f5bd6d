// The arithmetic of a key's limits: how many a minute, how many at once. It counts in whole numbers
// and reads no clock. The caller passes state and time, and commits the new state together with
// what was admitted.

import type { LimitName } from "../model/gate.ts";
import * as z from "zod";
import { err, ok, type Result } from "../result.ts";

export const defaultLimits = {
  requestsPerMinute: 60,
  concurrent: 20,
  heldStreams: 100,
  sessions: 10_000,
  roundsPerOriginatingRequest: 25,
  bodyBytes: 4 * 1024 * 1024,
} as const;

/** The largest `bodyBytes` of a key, and the bound on a body whose key is not known yet. */
const mostBodyBytes = 8 * 1024 * 1024;

export const limitsSchema = z.strictObject({
  /** Requests in a minute, on average. As many may come at once after a quiet minute. */
  requestsPerMinute: z.int().min(1).max(100_000).default(defaultLimits.requestsPerMinute),
  /** Requests in progress at the same time, those in review included. */
  concurrent: z.int().min(1).max(10_000).default(defaultLimits.concurrent),
  /**
   * Everything that the key sends in a minute, on average: the requests above, and what asks no
   * model (notifications, tasks, cancellations, every message at the relay). Absent: as
   * `callsPerMinuteOf`.
   */
  callsPerMinute: z.int().min(1).max(1_000_000).optional(),
  /** Responses open at the same time, streams at the relay included. */
  heldStreams: z.int().min(1).max(10_000).default(defaultLimits.heldStreams),
  /** Sessions that have sampled, were not ended, and were used within the last two days. */
  sessions: z.int().min(1).max(1_000_000).default(defaultLimits.sessions),
  /** Sampling requests that one originating request may cause. */
  roundsPerOriginatingRequest: z.int().min(1).max(10_000).default(defaultLimits.roundsPerOriginatingRequest),
  /**
   * The largest body of one request. It is bounded because a run has several copies of it in 128 MB
   * of memory.
   */
  bodyBytes: z.int().min(1024).max(mostBodyBytes).default(defaultLimits.bodyBytes),
});

export type Limits = z.infer<typeof limitsSchema>;

/** By default there is room for the other messages that belong to each request. */
export const callsPerMinuteOf = ({ callsPerMinute, requestsPerMinute }: Pick<Limits, "callsPerMinute" | "requestsPerMinute">): number =>
  callsPerMinute ?? Math.max(1_200, 10 * requestsPerMinute);

/** The messages that one batch may hold (revision `2025-03-26` alone has batches). */
export const mostInBatch = 100;

/** Why a key's request was not admitted. */
export type Refusal = { readonly limit: LimitName; readonly retryAfterMs: number };

/** `credit` is whole 60,000ths of a request, as of `at` (Unix milliseconds). */
export type Bucket = { readonly credit: number; readonly at: number };

/**
 * A request in progress. One whose end is never reported counts until `expiresAt` (Unix
 * milliseconds).
 */
export type Lease = { readonly id: string; readonly expiresAt: number };

/** A part of the limits that was given away (share.ts). */
export type GivenShare = {
  readonly id: string;
  readonly requests: number;
  readonly slots: number;
  /** The limit `requestsPerMinute` by which it was given. */
  readonly rate: number;
  /** Nothing is admitted from it after this: Unix milliseconds. */
  readonly endsAt: number;
  /** Its slots count as taken until then, or until it is reported: Unix milliseconds. */
  readonly until: number;
};

/** A part of `callsPerMinute` that was given away (call-share.ts). */
export type GivenCalls = {
  readonly id: string;
  readonly calls: number;
  /** The limit by which it was given. */
  readonly rate: number;
  /** Nothing is counted from it after this: Unix milliseconds. */
  readonly endsAt: number;
  /** What is left of it may come back until then: Unix milliseconds. */
  readonly until: number;
};

/** `calls` is the bucket of `callsPerMinute`. */
export type KeyState = {
  readonly bucket: Bucket | null;
  readonly calls: Bucket | null;
  readonly leases: readonly Lease[];
  readonly shares: readonly GivenShare[];
  readonly callShares: readonly GivenCalls[];
};

export const emptyKeyState: KeyState = { bucket: null, calls: null, leases: [], shares: [], callShares: [] };

/**
 * The credit for one request: a rate of n a minute then earns n for each millisecond, without
 * fractions.
 */
export const costOfOne = 60_000;

/** The wait where the key is at `concurrent`: it is unknown when a request ends. */
const concurrentRetryMs = 1_000;

/**
 * Takes `count` requests out of a token bucket with the capacity `rate` that fills at `rate` a
 * minute. In any 60 s at most twice the rate is admitted (a full bucket, and what a minute fills),
 * over long times at most the rate. A `count` above the capacity costs the capacity, so that it can
 * be admitted at all. `away`: requests of the capacity that are in shares and may come back: the
 * bucket fills up to the rest, since what it earned above that would be admitted twice.
 *
 * `now` is Unix milliseconds. Where the clock went back nothing is earned, and earning goes on from
 * the earlier time, so that a jump forwards and back does not lock the key out until the clock has
 * caught up. A lower limit takes effect at once. A refusal says after what time the requests would
 * be admitted; its state has to be stored too.
 */
export function take(
  bucket: Bucket | null,
  { rate, count, away = 0 }: { readonly rate: number; readonly count: number; readonly away?: number },
  now: number,
): { readonly admitted: boolean; readonly bucket: Bucket; readonly retryAfterMs: number } {
  const full = rate * costOfOne;
  const cost = Math.min(count * costOfOne, full);
  const at = Math.floor(now);
  // A full bucket takes 60,000 ms to fill, whatever the rate, so a longer time earns no more.
  const elapsed = bucket === null ? costOfOne : Math.min(Math.max(at - bucket.at, 0), costOfOne);
  // At least one, so that a rate that was lowered while more was away admits something.
  const most = Math.max(full - away * costOfOne, costOfOne);
  const credit = Math.min((bucket?.credit ?? full) + elapsed * rate, most);
  if (credit >= cost) return { admitted: true, bucket: { credit: credit - cost, at }, retryAfterMs: 0 };
  return { admitted: false, bucket: { credit, at }, retryAfterMs: Math.ceil((cost - credit) / rate) };
}

export const admit = (bucket: Bucket | null, { requestsPerMinute }: Pick<Limits, "requestsPerMinute">, now: number, away = 0) =>
  take(bucket, { rate: requestsPerMinute, count: 1, away }, now);

/** Counts messages of a key, of any kind. */
export function countCalls(
  state: KeyState,
  count: number,
  limits: Pick<Limits, "callsPerMinute" | "requestsPerMinute">,
  now: number,
): { readonly state: KeyState; readonly refusal: Refusal | null } {
  const away = callsAway(state.callShares, now);
  const { admitted, bucket, retryAfterMs } = take(state.calls, { rate: callsPerMinuteOf(limits), count, away }, now);
  return { state: { ...state, calls: bucket }, refusal: admitted ? null : { limit: "callsPerMinute", retryAfterMs } };
}

/** The leases whose `expiresAt` is after `now`. */
export const liveLeases = (leases: readonly Lease[], now: number): Lease[] => leases.filter(({ expiresAt }) => expiresAt > now);

/**
 * Adds a lease where fewer than `concurrent` are live. A live lease with the same id is renewed, so
 * that taking it twice is fine. A refusal says to retry after a second, or sooner where a lease
 * expires sooner.
 */
export function takeLease(
  leases: readonly Lease[],
  lease: Lease,
  limits: Pick<Limits, "concurrent">,
  now: number,
): Result<Lease[], Refusal> {
  const live = liveLeases(leases, now);
  const others = live.filter(({ id }) => id !== lease.id);
  if (others.length === live.length && others.length >= limits.concurrent) {
    const earliest = Math.min(...others.map(({ expiresAt }) => expiresAt));
    return err({ limit: "concurrent", retryAfterMs: Math.max(1, Math.min(concurrentRetryMs, Math.ceil(earliest - now))) });
  }
  return ok([...others, lease]);
}

/** The live leases without that one. Dropping an unknown lease changes nothing. */
export const dropLease = (leases: readonly Lease[], id: string, now: number): Lease[] =>
  liveLeases(leases, now).filter((lease) => lease.id !== id);

/**
 * Admits one request of a key by both limits: where one of them refuses, nothing is counted for the
 * other. A request with a live lease was admitted before: the lease is renewed and costs nothing.
 */
export function enter(
  state: KeyState,
  lease: Lease,
  limits: Pick<Limits, "requestsPerMinute" | "concurrent">,
  now: number,
): { readonly state: KeyState; readonly refusal: Refusal | null } {
  const live = liveLeases(state.leases, now);
  const leases = takeLease(live, lease, { concurrent: limits.concurrent - slotsAway(state.shares, now) }, now);
  if (!leases.ok) return { state: { ...state, leases: live }, refusal: leases.error };
  if (live.some(({ id }) => id === lease.id)) return { state: { ...state, leases: leases.value }, refusal: null };
  const { admitted, bucket, retryAfterMs } = admit(state.bucket, limits, now, requestsAway(state.shares, now));
  if (!admitted) return { state: { ...state, bucket, leases: live }, refusal: { limit: "requestsPerMinute", retryAfterMs } };
  return { state: { ...state, bucket, leases: leases.value }, refusal: null };
}

/** Whether one more request would be admitted now, by both limits. */
export const hasRoom = (state: KeyState, limits: Pick<Limits, "requestsPerMinute" | "concurrent">, now: number): boolean =>
  liveLeases(state.leases, now).length + slotsAway(state.shares, now) < limits.concurrent &&
  admit(state.bucket, limits, now, requestsAway(state.shares, now)).admitted;

/** How many slots are given away in shares. */
export const slotsAway = (shares: readonly GivenShare[], now: number): number =>
  shares.reduce((sum, { slots, until }) => (until > now ? sum + slots : sum), 0);

/** How many requests are given away in shares. */
export const requestsAway = (shares: readonly GivenShare[], now: number): number =>
  shares.reduce((sum, { requests, until }) => (until > now ? sum + requests : sum), 0);

/** How many messages are given away in shares. */
export const callsAway = (shares: readonly GivenCalls[], now: number): number =>
  shares.reduce((sum, { calls, until }) => (until > now ? sum + calls : sum), 0);

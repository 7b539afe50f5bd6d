// The arithmetic of a key's limits: how often, how many at once. It counts in whole numbers and never reads a clock; the
// caller keeps the state, passes the time, and commits what comes back together with whatever the admission is for.

import type { LimitName } from "../model/gate.ts";
import * as z from "zod";
import { err, ok, type Result } from "../result.ts";

export const defaultLimits = {
  requestsPerMinute: 60,
  concurrent: 20,
  heldStreams: 100,
  roundsPerOriginatingRequest: 25,
  bodyBytes: 4 * 1024 * 1024,
} as const;

/** The largest `bodyBytes` that a key may have: of bytes that nobody's key is known for yet, more are not read. */
const mostBodyBytes = 8 * 1024 * 1024;

export const limitsSchema = z.strictObject({
  /** Requests in a minute, on average; so many may also come at once after a quiet minute. */
  requestsPerMinute: z.int().min(1).max(100_000).default(defaultLimits.requestsPerMinute),
  /** Requests under way at the same time, those that wait for a person included. */
  concurrent: z.int().min(1).max(10_000).default(defaultLimits.concurrent),
  /**
   * Everything that the key sends in a minute, on average: the requests above, and what asks no model (notifications, tasks, cancellations,
   * every message at the relay). Absent: `callsPerMinuteOf` says.
   */
  callsPerMinute: z.int().min(1).max(1_000_000).optional(),
  /** Responses that are held open at the same time, streams at the relay included. */
  heldStreams: z.int().min(1).max(10_000).default(defaultLimits.heldStreams),
  /** Sampling requests that one originating request may cause. */
  roundsPerOriginatingRequest: z.int().min(1).max(10_000).default(defaultLimits.roundsPerOriginatingRequest),
  /** The largest body of one request. A run holds it several times over in 128 MB of memory, so there is a bound to this too. */
  bodyBytes: z.int().min(1024).max(mostBodyBytes).default(defaultLimits.bodyBytes),
});

export type Limits = z.infer<typeof limitsSchema>;

/** What a key may send in a minute where its limits do not say: room for what belongs to each of its requests. */
export const callsPerMinuteOf = ({ callsPerMinute, requestsPerMinute }: Pick<Limits, "callsPerMinute" | "requestsPerMinute">): number =>
  callsPerMinute ?? Math.max(1_200, 10 * requestsPerMinute);

/** The messages that one batch may hold (revision `2025-03-26` alone has batches). */
export const mostInBatch = 100;

/** Why a key's request was not admitted. A budget or a kill switch will be one more member. */
export type Refusal = { readonly limit: LimitName; readonly retryAfterMs: number };

/** `credit` is whole 60,000ths of a request; `at` is the time, in Unix milliseconds, for which it was last true. */
export type Bucket = { readonly credit: number; readonly at: number };

/** A request under way. One that never says that it ended counts until `expiresAt` (Unix milliseconds). */
export type Lease = { readonly id: string; readonly expiresAt: number };

/** `calls` is the bucket of `callsPerMinute`. */
export type KeyState = { readonly bucket: Bucket | null; readonly calls: Bucket | null; readonly leases: readonly Lease[] };

export const emptyKeyState: KeyState = { bucket: null, calls: null, leases: [] };

/** One request costs this much credit, so that a rate of n a minute earns n for each millisecond: no fractions anywhere. */
const costOfOne = 60_000;

/** What to wait where as many requests as allowed are under way: nobody knows when one of them ends, so ask again soon. */
const fullHouseRetryMs = 1_000;

/**
 * Takes `count` requests out of a token bucket that holds `rate` requests and fills at that rate a minute. In any 60 s no more
 * than twice the rate is admitted (a full bucket, and what a minute fills), over long times no more than the rate. More than the
 * bucket holds cost as much as it holds, so that they are admitted at some time.
 *
 * `now` is Unix milliseconds. Where the clock went back nothing is earned, and earning goes on from the earlier time, so
 * that a jump forwards and back does not lock the key out until the clock has caught up. A lower limit takes effect at once.
 * A refusal carries the exact time after which they would be admitted, and its state too is to be kept.
 */
export function take(
  bucket: Bucket | null,
  { rate, count }: { readonly rate: number; readonly count: number },
  now: number,
): { readonly admitted: boolean; readonly bucket: Bucket; readonly retryAfterMs: number } {
  const full = rate * costOfOne;
  const cost = Math.min(count * costOfOne, full);
  const at = Math.floor(now);
  // A full bucket takes 60,000 ms to fill, whatever the rate, so a longer time earns no more.
  const elapsed = bucket === null ? costOfOne : Math.min(Math.max(at - bucket.at, 0), costOfOne);
  const credit = Math.min((bucket?.credit ?? full) + elapsed * rate, full);
  if (credit >= cost) return { admitted: true, bucket: { credit: credit - cost, at }, retryAfterMs: 0 };
  return { admitted: false, bucket: { credit, at }, retryAfterMs: Math.ceil((cost - credit) / rate) };
}

/** Takes one request out of the bucket of `requestsPerMinute`, as `take` does. */
export const admit = (bucket: Bucket | null, { requestsPerMinute }: Pick<Limits, "requestsPerMinute">, now: number) =>
  take(bucket, { rate: requestsPerMinute, count: 1 }, now);

/** Counts what a key sends, whatever it asks for. */
export function countCalls(
  state: KeyState,
  count: number,
  limits: Pick<Limits, "callsPerMinute" | "requestsPerMinute">,
  now: number,
): { readonly state: KeyState; readonly refusal: Refusal | null } {
  const { admitted, bucket, retryAfterMs } = take(state.calls, { rate: callsPerMinuteOf(limits), count }, now);
  return { state: { ...state, calls: bucket }, refusal: admitted ? null : { limit: "callsPerMinute", retryAfterMs } };
}

/** The leases that still count: `expiresAt` itself is too late. */
export const liveLeases = (leases: readonly Lease[], now: number): Lease[] => leases.filter(({ expiresAt }) => expiresAt > now);

/**
 * Adds a lease where fewer than `concurrent` are live. Taking one that is held renews it, so that doing it twice is fine.
 * A full house says to ask again after a second, or sooner where a lease lapses sooner.
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
    return err({ limit: "concurrent", retryAfterMs: Math.max(1, Math.min(fullHouseRetryMs, Math.ceil(earliest - now))) });
  }
  return ok([...others, lease]);
}

/** Without that lease and without those that have lapsed. Dropping one that is not held changes nothing. */
export const dropLease = (leases: readonly Lease[], id: string, now: number): Lease[] =>
  liveLeases(leases, now).filter((lease) => lease.id !== id);

/**
 * Admits one request of a key, both limits at once: a full house takes no credit, and an empty bucket takes no lease. A
 * request whose lease is held was admitted before: it is renewed and costs nothing.
 */
export function enter(
  state: KeyState,
  lease: Lease,
  limits: Pick<Limits, "requestsPerMinute" | "concurrent">,
  now: number,
): { readonly state: KeyState; readonly refusal: Refusal | null } {
  const held = liveLeases(state.leases, now).some(({ id }) => id === lease.id);
  const taken = takeLease(state.leases, lease, limits, now);
  if (!taken.ok) return { state: { ...state, leases: liveLeases(state.leases, now) }, refusal: taken.error };
  if (held) return { state: { ...state, leases: taken.value }, refusal: null };
  const { admitted, bucket, retryAfterMs } = admit(state.bucket, limits, now);
  if (!admitted)
    return { state: { ...state, bucket, leases: liveLeases(state.leases, now) }, refusal: { limit: "requestsPerMinute", retryAfterMs } };
  return { state: { ...state, bucket, leases: taken.value }, refusal: null };
}

/** How many more requests would be admitted now. Less than there are, where time has passed since the state was last true. */
export function roomLeft({ bucket, leases }: KeyState, limits: Pick<Limits, "requestsPerMinute" | "concurrent">): number {
  const credit = bucket === null ? limits.requestsPerMinute : Math.floor(bucket.credit / costOfOne);
  return Math.max(0, Math.min(credit, limits.concurrent - leases.length));
}

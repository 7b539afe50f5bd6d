// Shares of a key's limit `callsPerMinute`: an isolate that has one counts a key's messages without
// asking the KeyObject.
//
// As with shares of the other limits (share.ts), a share is taken out of the limit when it is
// given. A message takes no slot and does not run on, so a share is a number alone. No clock, no
// random, no storage.

import { type GivenCalls, type KeyState, type Limits, callsAway, callsPerMinuteOf, costOfOne, take } from "./limits.ts";
import { isShareOver, partOfRest, shareMs } from "./share.ts";

const mostCalls = 256;
/** A report that comes later gives nothing back. */
const reportedWithinMs = 60_000;

/** `calls`: at least 1. */
export type CallShare = { readonly id: string; readonly calls: number };

/** The end of a share: how many messages it counted. */
export type CallReport = { readonly id: string; readonly used: number };

/**
 * Takes a share out of what is left of `callsPerMinute`; null where too little is left.
 * @param id names it, once and for all. `wanted`: how many messages the holder expects in
 *   `shareMs`.
 */
export function giveCalls(
  state: KeyState,
  { id, wanted }: { readonly id: string; readonly wanted: number },
  limits: Pick<Limits, "callsPerMinute" | "requestsPerMinute">,
  now: number,
): { readonly state: KeyState; readonly share: CallShare | null } {
  const rate = callsPerMinuteOf(limits);
  const callShares = state.callShares.filter(({ until }) => until > now);
  const { bucket } = take(state.calls, { rate, count: 0, away: callsAway(callShares, now) }, now);
  const calls = Math.min(mostCalls, Math.floor(wanted), Math.floor(bucket.credit / costOfOne / partOfRest));
  if (!(calls >= 1)) return { state: { ...state, calls: bucket, callShares }, share: null };
  const given: GivenCalls = { id, calls, rate, endsAt: now + shareMs, until: now + reportedWithinMs };
  return {
    state: { ...state, calls: { ...bucket, credit: bucket.credit - calls * costOfOne }, callShares: [...callShares, given] },
    share: { id, calls },
  };
}

/**
 * Ends a share, and gives back what it did not count. A report that comes again, or too late,
 * changes nothing; none gives back more than the share was.
 */
export function endCalls(state: KeyState, { id, used }: CallReport, now: number): KeyState {
  const given = state.callShares.find((each) => each.id === id && each.until > now);
  if (given === undefined) return state;
  const unused = Math.min(given.calls, Math.max(0, given.calls - used));
  const callShares = state.callShares.filter((each) => each !== given);
  const { bucket } = take(state.calls, { rate: given.rate, count: 0, away: callsAway(callShares, now) + given.calls }, now);
  return { ...state, calls: { ...bucket, credit: bucket.credit + unused * costOfOne }, callShares };
}

/** A share in the hands of an isolate. */
export class HeldCalls {
  readonly #share: CallShare;
  /** Unix milliseconds by the holder's clock. */
  readonly #askedAt: number;
  #used = 0;

  /** `askedAt`: before the share was asked for, by the holder's clock. */
  constructor(share: CallShare, askedAt: number) {
    this.#share = share;
    this.#askedAt = askedAt;
  }

  /** Counts so many messages; false where the share is over, or has fewer left. */
  count(calls: number, now: number): boolean {
    if (isShareOver(this.#askedAt, now) || this.#used + calls > this.#share.calls) return false;
    this.#used += calls;
    return true;
  }

  /** The holder must not count from the share after this. */
  report(): CallReport {
    return { id: this.#share.id, used: this.#used };
  }
}

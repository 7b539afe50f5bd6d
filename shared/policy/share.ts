// Shares of a key's limits. The KeyObject gives a share to an isolate of the Worker, which then
// admits requests without asking.
//
// A share is taken out of the limits when it is given, so shares and requests that are admitted one
// by one never exceed the limits together, whatever becomes of a holder or of a message. A share
// that is never reported costs its requests, and its slots for as long as a request that it
// admitted may run. No clock, no random, no storage.

import { type GivenShare, type KeyState, type Limits, costOfOne, liveLeases, requestsAway, slotsAway, take } from "./limits.ts";

/** How long a holder may admit from a share, by its own clock, from before it asked for it. */
export const shareMs = 2_000;
/**
 * A share is at most this part of what is left: near a limit there is none, and the KeyObject is
 * asked for each request.
 */
export const partOfRest = 4;
const mostRequests = 256;
const mostSlots = 64;

/** `requests` may be admitted, of which at most `slots` run at the same time. Both at least 1. */
export type Share = Pick<GivenShare, "id" | "requests" | "slots">;

/** The end of a share: how many requests it admitted, and the names of those that still run. */
export type ShareReport = { readonly id: string; readonly used: number; readonly running: readonly string[] };

/**
 * Takes a share out of what is left of the limits; null where too little is left.
 * @param id names it, once and for all. `longestMs`: how long a request that it admits may run.
 */
export function giveShare(
  state: KeyState,
  { id, longestMs }: { readonly id: string; readonly longestMs: number },
  limits: Pick<Limits, "requestsPerMinute" | "concurrent">,
  now: number,
): { readonly state: KeyState; readonly share: Share | null } {
  const rate = limits.requestsPerMinute;
  const leases = liveLeases(state.leases, now);
  const shares = state.shares.filter(({ until }) => until > now);
  const { bucket } = take(state.bucket, { rate, count: 0, away: requestsAway(shares, now) }, now);
  const free = limits.concurrent - leases.length - slotsAway(shares, now);
  const requests = Math.min(mostRequests, Math.floor(bucket.credit / costOfOne / partOfRest));
  const slots = Math.min(mostSlots, Math.floor(free / partOfRest));
  if (requests < 1 || slots < 1) return { state: { ...state, bucket, leases, shares }, share: null };
  const share = { id, requests, slots };
  return {
    state: {
      ...state,
      bucket: { ...bucket, credit: bucket.credit - requests * costOfOne },
      leases,
      shares: [...shares, { ...share, rate, endsAt: now + shareMs, until: now + shareMs + longestMs }],
    },
    share,
  };
}

/**
 * Ends a share: gives back the requests that it did not admit, and counts those that still run one
 * by one, for as long as the share allowed (a holder's clock counts for nothing here). A report
 * that comes again, or after the share has lapsed, changes nothing; none gives back more than the
 * share was.
 */
export function endShare(state: KeyState, report: ShareReport, now: number): KeyState {
  const given = state.shares.find(({ id, until }) => id === report.id && until > now);
  if (given === undefined) return state;
  const unused = Math.min(given.requests, Math.max(0, given.requests - report.used));
  const others = state.shares.filter((each) => each !== given);
  const away = requestsAway(others, now);
  const { bucket } = take(state.bucket, { rate: given.rate, count: 0, away: away + given.requests }, now);
  const running = report.running.slice(0, given.slots).map((id) => ({ id, expiresAt: given.until }));
  return {
    ...state,
    bucket: { ...bucket, credit: bucket.credit + unused * costOfOne },
    leases: [...liveLeases(state.leases, now), ...running],
    shares: others,
  };
}

/**
 * For how many milliseconds something may still be admitted, or counted, from a share that is out:
 * from 0 to `shareMs`.
 */
export const shareMsLeft = ({ shares, callShares }: Pick<KeyState, "shares" | "callShares">, now: number): number =>
  [...shares, ...callShares].reduce((most, { endsAt }) => Math.max(most, Math.min(endsAt - now, shareMs)), 0);

/**
 * Whether a share is over by its holder's clock. A clock that went back ends it: how old it is, is
 * unknown then.
 */
export function isShareOver(askedAt: number, now: number): boolean {
  const age = now - askedAt;
  return age < 0 || age >= shareMs;
}

/** A share in the hands of an isolate. */
export class HeldShare {
  readonly #share: Share;
  /** Unix milliseconds by the holder's clock. */
  readonly #askedAt: number;
  #used = 0;
  readonly #running = new Set<string>();

  /** `askedAt`: before the share was asked for, by the holder's clock. */
  constructor(share: Share, askedAt: number) {
    this.#share = share;
    this.#askedAt = askedAt;
  }

  /**
   * Admits a request, which counts as running until `release`; false where the share has nothing
   * left, or is over.
   */
  admit(id: string, now: number): boolean {
    if (this.isOver(now) || this.#running.size >= this.#share.slots) return false;
    this.#used += 1;
    this.#running.add(id);
    return true;
  }

  /** Nothing can be admitted any more, whatever ends. */
  isOver(now: number): boolean {
    return isShareOver(this.#askedAt, now) || this.#used >= this.#share.requests;
  }

  /** Ends a request; false where this share did not admit it. */
  release(id: string): boolean {
    return this.#running.delete(id);
  }

  /** The holder must not admit from the share after this. */
  report(): ShareReport {
    return { id: this.#share.id, used: this.#used, running: [...this.#running] };
  }
}

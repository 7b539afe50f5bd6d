// The count of a key's messages, before anything is done for them: exact in its object or from this
// isolate's share, and rough in this isolate before a body is read.

import type { Refusal } from "../../../shared/model/outcome.ts";
import { type CallReport, HeldCalls } from "../../../shared/policy/call-share.ts";
import { shareMs } from "../../../shared/policy/share.ts";
import { type Bucket, callsPerMinuteOf, defaultLimits, take } from "../../../shared/policy/limits.ts";
import type { Env } from "../../platform/env.ts";
import { isolateMap, isolateState } from "../../platform/isolate.ts";
import type { OverLimit } from "../../stubs/key-calls.ts";
import { keyStub } from "../../stubs/stubs.ts";
import type { KeyRecord } from "../../stores/keys.ts";

/** Beside the call that every message counts for: creating an object costs as much as a request. */
export const callsOfNewObject = 9;

/**
 * Counts so many messages of the key. Refused: a revoked key, also where KV still shows it, and one
 * over its limit. Null where they are counted. A key that sends more than a message a second gets a
 * share of its limit, from which the next messages are counted without a call.
 */
export async function countCalls(env: Env, { id, limits = defaultLimits }: KeyRecord, calls = 1): Promise<Refusal | null> {
  const shares = callSharesOf(env);
  const askedAt = Date.now();
  if (shares.get(id)?.held?.count(calls, askedAt) === true) return null;
  const { report, wanted } = ended(shares, id, askedAt);
  const answer = await keyStub(env, id)
    .count({ calls, limits, report, wanted })
    .finally(() => wanted > 0 && shares.set(id, { askedAt, held: null, isAsking: false }));
  switch (answer.kind) {
    case "counted":
      if (answer.share !== null) shares.set(id, { askedAt, held: new HeldCalls(answer.share, askedAt), isAsking: false });
      return null;
    case "revoked":
    case "refused":
      return notAdmitted(answer);
    default:
      return answer satisfies never;
  }
}

/**
 * `askedAt`: when the KeyObject was last asked, in Unix milliseconds. `isAsking`: a call that asks
 * for a share is on its way.
 */
type CallsOfKey = { readonly askedAt: number; readonly held: HeldCalls | null; readonly isAsking: boolean };

/** The shares of keys' `callsPerMinute` that this isolate holds, by the key's id. */
const callSharesOf = isolateState(() => new Map<string, CallsOfKey>());

/** A key that was asked for no longer ago than this gets a share. */
const busyMs = 1_000;
const fewestWanted = 8;

/**
 * The end of the share that has nothing left, and how many messages to ask for: twice what it
 * counted.
 */
function ended(shares: Map<string, CallsOfKey>, id: string, now: number): { readonly report: CallReport | null; readonly wanted: number } {
  const last = shares.get(id);
  if (shares.size >= mostKeys && last === undefined) shares.clear();
  const report = last?.held?.report() ?? null;
  const isBusy = last !== undefined && now - last.askedAt < (report === null ? busyMs : shareMs + busyMs);
  const isWanted = isBusy && !last.isAsking;
  shares.set(id, { askedAt: now, held: null, isAsking: isWanted || last?.isAsking === true });
  return { report, wanted: isWanted ? Math.max(fewestWanted, 2 * (report?.used ?? 0)) : 0 };
}

/** The refusal for a request that the key's object does not admit. */
export const notAdmitted = (answer: OverLimit | { readonly kind: "revoked" }): Refusal =>
  answer.kind === "revoked"
    ? { kind: "unauthorized", why: "revoked" }
    : { kind: "rateLimited", limit: answer.limit, max: answer.max, retryAfterMs: answer.retryAfterMs };

/** The bodies that this isolate has read, by the key's id. */
const bodies = isolateMap<string, Bucket>();
const mostKeys = 10_000;

/**
 * Counts one more body of the key; the refusal where it may not be read and parsed, or null.
 * Counted in this isolate alone, so that it costs no call: the messages in the body are counted
 * exactly afterwards.
 */
export function mayRead({ id, limits = defaultLimits }: KeyRecord, now: number): Refusal | null {
  const rate = callsPerMinuteOf(limits);
  const { admitted, bucket, retryAfterMs } = take(bodies.get(id) ?? null, { rate, count: 1 }, now);
  if (bodies.size >= mostKeys && !bodies.has(id)) bodies.clear();
  bodies.set(id, bucket);
  return admitted ? null : { kind: "rateLimited", limit: "callsPerMinute", max: rate, retryAfterMs };
}

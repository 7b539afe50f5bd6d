// What a key sends is counted before anything is done for it: exactly by its object, and roughly in this isolate before a body is read.

import type { Refusal } from "../../shared/model/outcome.ts";
import { type Bucket, callsPerMinuteOf, defaultLimits, take } from "../../shared/policy/limits.ts";
import type { Env } from "../platform/env.ts";
import type { OverLimit } from "../stubs/key-calls.ts";
import { keyStub } from "../stubs/stubs.ts";
import type { KeyRecord } from "../stores/keys.ts";

/** Counts so many messages of the key. Why they are refused, or null: a key that was revoked, wherever KV still shows it, or one over its limit. */
export async function countCalls(env: Env, { id, limits = defaultLimits }: KeyRecord, calls = 1): Promise<Refusal | null> {
  const answer = await keyStub(env, id).count(calls, limits);
  switch (answer.kind) {
    case "counted":
      return null;
    case "revoked":
    case "refused":
      return notAdmitted(answer);
    default:
      return answer satisfies never;
  }
}

/** Why the key's object lets nothing in. */
export const notAdmitted = (answer: OverLimit | { readonly kind: "revoked" }): Refusal =>
  answer.kind === "revoked"
    ? { kind: "unauthorized", why: "revoked" }
    : { kind: "rateLimited", limit: answer.limit, max: answer.max, retryAfterMs: answer.retryAfterMs };

/** Bodies that this isolate read for a key, by the key's id. */
const bodies = new Map<string, Bucket>();
const mostKeys = 10_000;

/**
 * Whether one more body of the key may be read and parsed; why not, or null. Of this isolate alone, so that it costs no call: what is
 * asked for in the body is counted exactly afterwards.
 */
export function mayRead({ id, limits = defaultLimits }: KeyRecord, now: number): Refusal | null {
  const rate = callsPerMinuteOf(limits);
  const { admitted, bucket, retryAfterMs } = take(bodies.get(id) ?? null, { rate, count: 1 }, now);
  if (bodies.size >= mostKeys && !bodies.has(id)) bodies.clear();
  bodies.set(id, bucket);
  return admitted ? null : { kind: "rateLimited", limit: "callsPerMinute", max: rate, retryAfterMs };
}

// The count of a key's messages, before anything is done for them: exact in its object, and rough in this isolate before a body is read.

import type { Refusal } from "../../shared/model/outcome.ts";
import { type Bucket, callsPerMinuteOf, defaultLimits, take } from "../../shared/policy/limits.ts";
import type { Env } from "../platform/env.ts";
import type { OverLimit } from "../stubs/key-calls.ts";
import { keyStub } from "../stubs/stubs.ts";
import type { KeyRecord } from "../stores/keys.ts";

/** Counts so many messages of the key. Refused: a revoked key, also where KV still shows it, and one over its limit. Null where they are counted. */
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

/** The refusal for a request that the key's object does not admit. */
export const notAdmitted = (answer: OverLimit | { readonly kind: "revoked" }): Refusal =>
  answer.kind === "revoked"
    ? { kind: "unauthorized", why: "revoked" }
    : { kind: "rateLimited", limit: answer.limit, max: answer.max, retryAfterMs: answer.retryAfterMs };

/** The bodies that this isolate has read, by the key's id. */
const bodies = new Map<string, Bucket>();
const mostKeys = 10_000;

/**
 * Counts one more body of the key; the refusal where it may not be read and parsed, or null. Counted in this isolate alone, so that it costs no
 * call: the messages in the body are counted exactly afterwards.
 */
export function mayRead({ id, limits = defaultLimits }: KeyRecord, now: number): Refusal | null {
  const rate = callsPerMinuteOf(limits);
  const { admitted, bucket, retryAfterMs } = take(bodies.get(id) ?? null, { rate, count: 1 }, now);
  if (bodies.size >= mostKeys && !bodies.has(id)) bodies.clear();
  bodies.set(id, bucket);
  return admitted ? null : { kind: "rateLimited", limit: "callsPerMinute", max: rate, retryAfterMs };
}

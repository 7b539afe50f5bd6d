// Replies that are kept for identical requests of one key: looked up once the policy has spoken, never across keys, and never
// past a gate that the very same people have not let them through.

import { digestOf } from "../../shared/encoding.ts";
import { type CacheTerms, type CachedReply, decidersDigest, identicalDigest, requestDigest } from "../../shared/run/run-input.ts";
import type { Plan } from "../../shared/run/plan.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { cacheStub } from "../stubs/stubs.ts";
import { settingsOf } from "../platform/settings.ts";
import type { PipelineRequest } from "./pipeline-request.ts";

/** Where the reply is or will be kept, and what is there now. A cache that cannot be read is an empty one. */
export async function cacheTermsOf(
  env: Env,
  keyId: string,
  { request, requestor }: Pick<PipelineRequest, "request" | "requestor">,
  { candidates, gates }: Plan,
  { ttlMs, within }: NonNullable<PipelineRequest["cache"]>,
): Promise<CacheTerms> {
  const models = candidates.map(({ model }) => model.id);
  const content = digestOf("countersign/cache/v1", { request: requestDigest({ request, models }, candidates), within });
  const digest = identicalDigest(requestor, gates.boundTo, content);
  const terms: CacheTerms = { digest, ttlMs: Math.min(ttlMs, settingsOf(env).retentionMs) };
  try {
    const kept = await cacheStub(env, keyId, digest).get();
    // Of another ttl that was asked for: as long as this one lets it be.
    if (kept === null || Date.now() - kept.at >= terms.ttlMs) return terms;
    return { ...terms, found: { ...(JSON.parse(kept.text) as Omit<CachedReply, "at">), at: kept.at } }; // written by `keepReply`
  } catch (error) {
    logEvent("cache.failed", { error: errorClass(error) });
    return terms;
  }
}

/** Whether people who would be asked now have approved this very request and reply at every gate that is closed. */
export function approvedBefore(
  { gates }: Pick<Plan, "gates">,
  closed: { readonly request: boolean; readonly response: boolean },
  cache: CacheTerms | null,
): boolean {
  const approved = cache?.found?.approved;
  if (approved === undefined || approved.deciders !== decidersDigest(gates)) return false;
  return (!closed.request || approved.request) && (!closed.response || approved.response);
}

/** Keeps a reply that was delivered, from `at` on where it was kept before. A failure costs the next requestor a model call and nothing else. */
export async function keepReply(
  env: Env,
  keyId: string,
  { digest, ttlMs }: CacheTerms,
  kept: Omit<CachedReply, "at">,
  at: number = Date.now(),
): Promise<void> {
  try {
    await cacheStub(env, keyId, digest).put(keyId, JSON.stringify(kept), at, ttlMs);
  } catch (error) {
    logEvent("cache.failed", { error: errorClass(error) });
  }
}

/** Forgets a reply: people have denied what it answers, or what it says. */
export async function forgetReply(env: Env, keyId: string, { digest }: CacheTerms): Promise<void> {
  await cacheStub(env, keyId, digest).forget();
}

// Replies that are cached for identical requests of one key: looked up after the policy, never
// across keys, and never past a closed gate at which the same people have not approved them.

import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { digestOf } from "../../../shared/encoding.ts";
import { decidersDigest, identicalDigest, requestDigest } from "../../../shared/run/run-input.ts";
import { type CacheTerms, modelIdsOf } from "../../../shared/run/work.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { KeptReply } from "../../stubs/cache-calls.ts";
import { cacheStub } from "../../stubs/stubs.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { PipelineRequest } from "../pipeline-request.ts";

/** Where the reply is cached, and the cached reply. A cache that cannot be read counts as empty. */
export async function cacheTermsOf(
  env: Env,
  keyId: string,
  requestor: PipelineRequest["requestor"],
  { request, work, gatePolicy, redaction }: Plan,
  { ttlMs, within }: NonNullable<PipelineRequest["cache"]>,
): Promise<CacheTerms> {
  const asked = requestDigest({ request, models: modelIdsOf(work) }, work);
  const content = digestOf("countersign/cache/v1", { request: asked, within });
  const digest = identicalDigest(requestor, { boundTo: gatePolicy.boundTo, redaction }, content);
  const terms: CacheTerms = { digest, ttlMs: Math.min(ttlMs, settingsOf(env).retentionMs) };
  try {
    const kept = await cacheStub(env, keyId, digest).get();
    // It may be kept for another request's longer ttl: this request's own counts.
    if (kept === null || Date.now() - kept.at >= terms.ttlMs) return terms;
    return { ...terms, found: { ...readJsonOf(kept.text), at: kept.at } };
  } catch (error) {
    logEvent("cache.failed", { error: errorClass(error) });
    return terms;
  }
}

/**
 * Whether the people who would be asked now have approved this very request and reply at every
 * closed gate.
 */
export function approvedBefore(
  { gatePolicy }: Pick<Plan, "gatePolicy">,
  closed: { readonly request: boolean; readonly response: boolean },
  cache: CacheTerms | null,
): boolean {
  const approved = cache?.found?.approved;
  // Each request wants a passkey of its own.
  if (gatePolicy.passkey === true && (closed.request || closed.response)) return false;
  if (approved === undefined || approved.deciders !== decidersDigest(gatePolicy)) return false;
  return (!closed.request || approved.request) && (!closed.response || approved.response);
}

/**
 * Caches a delivered reply; `at` (Unix milliseconds): when it was first cached. A failure costs the
 * next requestor a model call, and nothing else.
 */
export async function keepReply(
  env: Env,
  keyId: string,
  { digest, ttlMs }: CacheTerms,
  kept: KeptReply,
  at: number = Date.now(),
): Promise<void> {
  try {
    await cacheStub(env, keyId, digest).put(keyId, jsonOf(kept), at, ttlMs);
  } catch (error) {
    logEvent("cache.failed", { error: errorClass(error) });
  }
}

/** Forgets a reply whose request, or which itself, a reviewer denied. */
export async function forgetReply(env: Env, keyId: string, { digest }: CacheTerms): Promise<void> {
  await cacheStub(env, keyId, digest).forget();
}

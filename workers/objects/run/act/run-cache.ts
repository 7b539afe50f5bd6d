// A run and the cache: the cached reply that replaces a model call, and what is cached when the run
// has ended.

import type { Gate } from "../../../../shared/model/gate.ts";
import type { RunState } from "../../../../shared/run/lifecycle.ts";
import { isEdited } from "../../../../shared/run/stages.ts";
import { decidersDigest } from "../../../../shared/run/run-input.ts";
import { type CachedReply, cacheOf } from "../../../../shared/run/work.ts";
import type { Env } from "../../../platform/env.ts";
import { forgetReply, keepReply } from "../../../pipeline/plan/cached-reply.ts";
import type { RunStore, StoredInput } from "../tables/run-store.ts";

/**
 * The cached reply to the request as it came; null where there is none, or where a reviewer edited
 * the request.
 */
export const cachedFor = ({ work }: Pick<StoredInput, "work">, state: RunState): CachedReply | null =>
  isEdited(state) ? null : (cacheOf(work)?.found ?? null);

/**
 * For an ended run: keeps its reply for identical requests, or forgets what a reviewer denied.
 * Twice is the same as once.
 */
export async function cacheEnded(env: Env, store: RunStore, input: StoredInput, state: RunState): Promise<void> {
  const { work, key, gatePolicy } = input;
  const cache = cacheOf(work);
  if (cache === undefined || state.end === null) return;
  if (state.end.kind === "rejected") return forgetReply(env, key.id, cache);
  // The reply to an edited request does not answer the request as it came.
  if (state.end.kind !== "completed" || isEdited(state)) return;
  // What was lifted was lifted for this request alone.
  if (state.reviews.response?.lifted !== undefined) return;
  const version = state.reviews.response?.version ?? 1;
  const reply = store.replyVersion(version);
  const model = store.modelFacts();
  const candidate = model?.candidate ?? null;
  // A result of a tool is never kept.
  if (reply === null || "kind" in reply || model === null || candidate === null) return;
  const { found } = cache;
  const deciders = decidersDigest(gatePolicy);
  const before = found?.approved.deciders === deciders ? found.approved : undefined;
  const isApproved = (gate: Gate): boolean => state.reviews[gate]?.closing?.how === "approved" || before?.[gate] === true;
  const approved = { request: isApproved("request"), response: isApproved("response"), deciders };
  // A reply from the cache stays as it is there, unless people reviewed it: then it is kept as they
  // left it, for the time that was left.
  if (found !== undefined && state.reviews.request === null && state.reviews.response === null) return;
  const isChanged = version > 1 || found?.edited === true;
  const kept = {
    reply,
    facts: { candidate, notes: model.notes },
    approved,
    ...(isChanged ? { edited: true as const } : {}),
  };
  await keepReply(env, key.id, cache, kept, found?.at);
}

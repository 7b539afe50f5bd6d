// A run and the cache: what is delivered in place of a model call, and what is kept of the run when it is over.

import type { Gate } from "../../../shared/model/gate.ts";
import { type RunState, isEdited } from "../../../shared/run/lifecycle.ts";
import { type CachedReply, decidersDigest } from "../../../shared/run/run-input.ts";
import type { ModelFacts } from "../../../shared/run/present.ts";
import type { Env } from "../../platform/env.ts";
import { forgetReply, keepReply } from "../../pipeline/cached-reply.ts";
import type { RunStore, StoredInput } from "./run-store.ts";

/** The reply that is there already for the request as it was asked; null where it is not, or where somebody edited the request. */
export const cachedFor = ({ cache }: Pick<StoredInput, "cache">, state: RunState): CachedReply | null =>
  isEdited(state) ? null : (cache?.found ?? null);

/** The run is over: its reply is kept for identical requests, or what people denied is forgotten. Doing it twice is doing it once. */
export async function cacheEnded(env: Env, store: RunStore, input: StoredInput, state: RunState): Promise<void> {
  const { cache, key, plan } = input;
  if (cache === undefined || state.end === null) return;
  if (state.end.kind === "rejected") return forgetReply(env, key.id, cache);
  // The answer to what a reviewer made of the request is no answer to the request.
  if (state.end.kind !== "completed" || isEdited(state)) return;
  const version = state.reviews.response?.version ?? 1;
  const reply = store.replyVersion(version);
  const model = store.modelFacts<ModelFacts>();
  if (reply === null || model === null) return;
  const { found } = cache;
  const deciders = decidersDigest(plan);
  const before = found?.approved.deciders === deciders ? found.approved : undefined;
  const isApproved = (gate: Gate): boolean => state.reviews[gate]?.closing?.how === "approved" || before?.[gate] === true;
  const approved = { request: isApproved("request"), response: isApproved("response"), deciders };
  // What came from there stays as it is, unless people have seen it since: then as they left it, and no longer than it would have.
  if (found !== undefined && state.reviews.request === null && state.reviews.response === null) return;
  const isChanged = version > 1 || found?.edited === true;
  const kept = {
    reply,
    facts: { candidate: model.candidate, notes: model.notes },
    approved,
    ...(isChanged ? { edited: true as const } : {}),
  };
  await keepReply(env, key.id, cache, kept, found?.at);
}

// What is to be done for a request once it is approved, and what that takes: each kind of subject
// has its own. What is common to all of them is in run-input.ts and plan.ts.

import type { ImageDigests } from "../image/image-digests.ts";
import type { Note } from "../model/call.ts";
import type { SamplingReply } from "../model/sampling.ts";
import { type SubjectKind, factsOf } from "../model/subject/subject.ts";
import type { JurorVerdict } from "../policy/juror.ts";
import type { Candidate } from "../routing/choose.ts";
import type { CallOwner } from "../credential/call-owner.ts";
import type { LoginAccount } from "../credential/login-account.ts";

/** A reply from the cache, and at which gates it was approved. */
export type CachedReply = {
  readonly reply: SamplingReply;
  readonly facts: { readonly candidate: string; readonly notes: readonly Note[] };
  /** Unix milliseconds. */
  readonly at: number;
  /** The gates at which people approved it, and who was asked (`decidersDigest`). */
  readonly approved: { readonly request: boolean; readonly response: boolean; readonly deciders: string };
  /** A reviewer edited the model's reply. */
  readonly edited?: true;
};

export type CacheTerms = {
  readonly digest: string;
  readonly ttlMs: number;
  /** The reply that replaces the model call, unless a reviewer edits the request. */
  readonly found?: CachedReply;
};

/** A client's request that its run sends itself. The client's credential is not kept with it. */
export type RelayedRequest = {
  /** As it came. */
  readonly body: string;
  readonly headers: readonly (readonly [string, string])[];
  /** JSON of the key by which it was let in. */
  readonly key: string;
  /** Whose it is, where the client's own credential goes to the server; else null. */
  readonly owner: CallOwner | null;
  /** The account at the server that its reviewers were shown. */
  readonly account?: LoginAccount;
};

/** A model is asked. */
type ModelPlan = {
  readonly kind: "message";
  /** In failover order. Reviewers see them all, and no other model is called. */
  readonly candidates: readonly Candidate[];
};

export type ModelWork = ModelPlan & {
  readonly contextIgnored: string | null;
  /** The digests of its images, in order; absent where it has none. */
  readonly images?: readonly ImageDigests[];
  readonly cache?: CacheTerms;
};

/** A tool is called. */
export type ToolPlan = {
  readonly kind: "toolCall";
  /** What the rule's juror said; absent where there is none. */
  readonly juror?: JurorVerdict;
  /** Why it had people asked, in its words: what a model wrote, which is content. */
  readonly jurorReason?: string;
};

export type ToolWork = ToolPlan & {
  /**
   * `tool`: the gateway makes the call. `release`: the caller's own goes on, through here. `none`:
   * the caller makes it elsewhere.
   */
  readonly act: "tool" | "release" | "none";
  /** Of a call that is its client's task, which the run sends once it is approved. */
  readonly relayed?: RelayedRequest;
};

/** Of any other subject nothing more is known. */
type PlainWork = { readonly [Kind in Exclude<SubjectKind, "message" | "toolCall">]: { readonly kind: Kind } };

type OtherWork = PlainWork[keyof PlainWork];

/** As planned, before anything is reserved. */
export type PlannedWork = ModelPlan | ToolPlan | OtherWork;
export type Work = ModelWork | ToolWork | OtherWork;

/** As a run's input has it: what is content is stored apart. */
export type StoredWork = ModelWork | Omit<ToolWork, "jurorReason" | "relayed"> | OtherWork;

/** The work as it is stored, and what is stored apart from it. */
export function splitWork(work: Work): { readonly work: StoredWork } & Pick<ToolWork, "jurorReason" | "relayed"> {
  if (work.kind !== "toolCall") return { work };
  const { jurorReason, relayed, ...rest } = work;
  return { work: rest, ...(jurorReason === undefined ? {} : { jurorReason }), ...(relayed === undefined ? {} : { relayed }) };
}

/** The work with this cached reply, or without one; as it is where nothing is cached. */
export function withCached(work: StoredWork, found: CachedReply | null): StoredWork {
  if (work.kind !== "message" || work.cache === undefined) return work;
  const { found: _before, ...cache } = work.cache;
  return { ...work, cache: found === null ? cache : { ...cache, found } };
}

/** The models that may be asked, in failover order; none for what no model answers. */
export const candidatesOf = (work: PlannedWork): readonly Candidate[] => (work.kind === "message" ? work.candidates : []);

export const modelIdsOf = (work: PlannedWork): string[] => candidatesOf(work).map(({ model }) => model.id);

export const cacheOf = (work: Work): CacheTerms | undefined => (work.kind === "message" ? work.cache : undefined);

export const jurorOf = (work: PlannedWork): JurorVerdict | undefined => (work.kind === "toolCall" ? work.juror : undefined);

/**
 * How a caller does itself what is approved; null where the gateway does it, or nothing is done.
 */
export function callersAct(work: Work): "release" | "none" | null {
  const act = work.kind === "toolCall" ? work.act : factsOf(work.kind).act;
  return act === "release" || act === "none" ? act : act === "caller" ? "none" : null;
}

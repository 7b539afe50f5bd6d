// What a review page, a mail or a chat message shows: one value, made from the run's state, that every channel renders.

import type { Gate, Provenance, KeyEnd } from "../model/gate.ts";
import type { CancelCause } from "../model/outcome.ts";
import type { Note, Usage } from "../model/call.ts";
import type { Evidence } from "../association/evidence.ts";
import type { RiskNote, SeenRisk } from "../policy/risk.ts";
import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";
import type { ModelWhy } from "../routing/choose.ts";
import type { UndeliverableCause } from "./decision.ts";

export type ShownModel = {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly why: ModelWhy;
  readonly worstCostUsd: number;
};

/** One version of the content at a gate. Version 1 is what the server (request) or the model (response) gave. */
export type ShownVersion = { readonly version: number; readonly by: string | null; readonly at: number };

/** How a review stands. Times are Unix milliseconds. */
export type ReviewState =
  | { readonly kind: "open" }
  | { readonly kind: "voted"; readonly votes: number; readonly quorum: number }
  | { readonly kind: "approved"; readonly by: string; readonly at: number; readonly edited: boolean }
  | { readonly kind: "denied"; readonly by: string; readonly at: number; readonly reason: string | null }
  | { readonly kind: "expired"; readonly at: number }
  | { readonly kind: "cancelled"; readonly at: number; readonly cause: CancelCause }
  | { readonly kind: "failed"; readonly at: number; readonly cause: UndeliverableCause };

/** What became of the run after this review, for the page that is opened later. */
export type RunProgress = "waiting" | "generating" | "responseReview" | "completed" | "rejected" | "expired" | "cancelled" | "failed";

/** A grant that this review may be remembered as. */
export type GrantOffer = {
  readonly scopes: readonly ("session" | "tool" | "server" | "key")[];
  /** The level above which a later request is asked about all the same. */
  readonly risk: SeenRisk;
  /** At the response gate: the level above which a later reply is asked about all the same; else null. */
  readonly replyRisk: SeenRisk | null;
};

export type ReviewView = {
  readonly gate: Gate;
  readonly state: ReviewState;
  readonly progress: RunProgress;
  /** Where the run ended with its key. */
  readonly keyEnd?: KeyEnd | null;
  readonly now: number;
  readonly run: string;
  readonly reviewer: string;
  readonly version: number;
  readonly digest: string;
  readonly versions: readonly ShownVersion[];
  readonly requestor: {
    /** The MCP server that asks. */
    readonly server: string;
    readonly method: string;
    /** The tool, resource or prompt of the originating request. */
    readonly name: string;
    readonly provenance: Provenance;
    /** At the relay: how it was found which request is served. */
    readonly evidence?: Evidence;
    /** The API key's name: the host. */
    readonly client: string;
    readonly owner: string | null;
    /** The caller's connection is gone; its reply will be kept for an identical request. */
    readonly gone: boolean;
  };
  readonly createdAt: number;
  readonly deadlineAt: number;
  readonly quorum: number;
  readonly rule: string;
  /** This reviewer's own approval of the current version, where others are still to give theirs. */
  readonly ownVote?: { readonly at: number } | null;
  /** This reviewer gave up their place: to somebody, or (null) because it is not theirs. */
  readonly left?: { readonly at: number; readonly to: string | null } | null;
  /** Whether this reviewer may approve: not where it is their own request and the policy bars that. */
  readonly mayApprove?: boolean;
  /** Names of those whom this reviewer may hand it to; empty where they may not. */
  readonly handOverTo?: readonly string[];
  /** What may be allowed in future with this approval; null where the rules offer nothing. */
  readonly grant?: GrantOffer | null;
  /** Whether the server will be told the reason of a "no". Where absent the page does not say. */
  readonly tellReason?: boolean;
  /** The current version of the request (at the response gate: the approved one). */
  readonly request: SamplingRequest;
  /** The request as the server sent it, where the current one differs. */
  readonly requestAsAsked: SamplingRequest | null;
  /** In failover order; the first will answer. A reviewer may move another one to the front. */
  readonly models: readonly ShownModel[];
  /** At the response gate: those of the reply, and after them those of the request that led to it. */
  readonly risks: readonly RiskNote[];
  readonly notes: readonly Note[];
  readonly worstCostUsd: number;
  /** At the response gate. */
  readonly reply: SamplingReply | null;
  readonly replyAsGenerated: SamplingReply | null;
  readonly answeredBy: ShownModel | null;
  readonly usage: Usage | null;
  /** Where the reply was made for an earlier, identical request: when, in Unix milliseconds. */
  readonly cachedAt?: number | null;
  readonly costUsd: number | null;
};

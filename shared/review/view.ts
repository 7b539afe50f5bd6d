// What a review page, a mail or a chat message shows: one value, made from the run's state, that
// every channel renders.

import type { Gate, Provenance, KeyEnd } from "../model/gate.ts";
import type { LoginAccount } from "../credential/login-account.ts";
import type { CancelCause } from "../model/outcome.ts";
import type { Note, Usage } from "../model/call.ts";
import type { Evidence } from "../association/evidence.ts";
import type { JurorWhy } from "../policy/juror.ts";
import type { StopReach } from "../policy/stops.ts";
import type { RiskNote, SeenRisk } from "../policy/risk.ts";
import type { SamplingReply } from "../model/sampling.ts";
import type { SubjectKind, Subjects } from "../model/subject/subject.ts";
import type { MarkState } from "../redaction/redact.ts";
import type { ModelWhy } from "../routing/choose.ts";
import type { UndeliverableCause } from "./decision.ts";
import type { KnownBy } from "../receipt/known.ts";

export type ShownModel = {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly why: ModelWhy;
  readonly worstCostUsd: number;
};

/**
 * One version of the content at a gate. Version 1 is what the server (request) or the model
 * (response) gave.
 */
export type ShownVersion = { readonly version: number; readonly by: string | null; readonly at: number };

/** How a review stands. Times are Unix milliseconds. */
export type ReviewState =
  | { readonly kind: "open" }
  | { readonly kind: "voted"; readonly votes: number; readonly quorum: number }
  /** `author`: what was approved is the reply that they wrote in the model's place. */
  | { readonly kind: "approved"; readonly by: string; readonly at: number; readonly edited: boolean; readonly author?: string }
  | { readonly kind: "denied"; readonly by: string; readonly at: number; readonly reason: string | null; readonly known?: KnownBy }
  | { readonly kind: "expired"; readonly at: number }
  | { readonly kind: "cancelled"; readonly at: number; readonly cause: CancelCause }
  | { readonly kind: "failed"; readonly at: number; readonly cause: UndeliverableCause };

/** The state of the run, for a page that is opened after the decision. */
export type RunProgress = "waiting" | "generating" | "responseReview" | "completed" | "rejected" | "expired" | "cancelled" | "failed";

/** The grant that a reviewer may give with this approval. */
export type GrantOffer = {
  readonly scopes: readonly ("session" | "tool" | "server" | "key")[];
  /** A later request with a higher risk is still reviewed. */
  readonly risk: SeenRisk;
  /**
   * At the response gate: a later reply with a higher risk is still reviewed. Null at the request
   * gate.
   */
  readonly replyRisk: SeenRisk | null;
  /** Of a call: the names of arguments that may have to stay as they are. */
  readonly arguments?: readonly string[];
};

/** A grant that was given with an approval. Times are Unix milliseconds. */
export type GivenGrant = {
  readonly what: "exact" | "shape";
  readonly scope: GrantOffer["scopes"][number];
  readonly uses: number;
  readonly expiresAt: number;
  readonly undoneAt: number | null;
};

/** A part that a rule masked. `original` only for those who may lift it. */
export type ShownRedaction = {
  readonly id: number;
  readonly pointer: string;
  readonly rule: string;
  readonly label: string;
  readonly state: MarkState;
  readonly original?: string;
};

/**
 * What comes after this reviewer's approval of the request: the model answers (`waits`), or the
 * reply waits for them at this path.
 */
export type NextStep = { readonly kind: "waits" } | { readonly kind: "review"; readonly path: string; readonly reply: WaitingReply };

/** What is known of a reply that waits, without its content. Times are Unix milliseconds. */
export type WaitingReply = {
  readonly openedAt: number;
  readonly deadlineAt: number;
  readonly reviewers: readonly string[];
  readonly usage: Usage | null;
  readonly costUsd: number | null;
};

/** What every review shows. */
export type ReviewCommon = {
  readonly gate: Gate;
  readonly state: ReviewState;
  readonly progress: RunProgress;
  /** Of an approved call that its client sends: it has not come for it, and nothing has run. */
  readonly isUnclaimed?: true;
  /** How the API key ended the run, where it did. */
  readonly keyEnd?: KeyEnd | null;
  readonly now: number;
  readonly run: string;
  readonly reviewer: string;
  /** The tag of the language that the policy gives this reviewer. */
  readonly language?: string;
  /** On a page: this reviewer has an inbox. */
  readonly hasInbox?: true;
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
    /** At the relay: how the served request was found. */
    readonly evidence?: Evidence;
    /** The API key's name: the host. */
    readonly client: string;
    readonly owner: string | null;
    /** Of a call that is sent with the owner's own login at the server: whose account that is. */
    readonly account?: LoginAccount;
    /** The caller has disconnected; its reply will be kept for an identical request. */
    readonly gone: boolean;
  };
  readonly createdAt: number;
  readonly deadlineAt: number;
  readonly quorum: number;
  readonly rule: string;
  /** An approval needs this reviewer's passkey. */
  readonly passkey?: true;
  /**
   * Approvals of the current version, the earliest first: of a closed review, those that approved
   * it.
   */
  readonly votes?: readonly { readonly by: string; readonly at: number; readonly known?: KnownBy; readonly isByPasskey?: true }[];
  /** Names of those who may decide. */
  readonly reviewers?: readonly string[];
  /** Who handed the review to this reviewer, with their note. */
  readonly handedBy?: { readonly by: string; readonly at: number; readonly note: string | null } | null;
  /** Names of those on holiday for whom this reviewer is asked. */
  readonly standsInFor?: readonly string[];
  /** The grant that this reviewer gave with their approval. */
  readonly given?: GivenGrant | null;
  /** Only for the browser that approved the request. */
  readonly next?: NextStep | null;
  /** This reviewer's approval of the current version, where more are needed. */
  readonly ownVote?: { readonly at: number } | null;
  /** This reviewer's recusal: in favour of `to`, or null where the review is not theirs. */
  readonly left?: { readonly at: number; readonly to: string | null } | null;
  /** False for the reviewer's own request where the policy bars that. */
  readonly mayApprove?: boolean;
  /** Names of those whom this reviewer may hand it to. */
  readonly handOverTo?: readonly string[];
  /** Null where the rules offer none. */
  readonly grant?: GrantOffer | null;
  /** Whether the server is told the reason of a denial. Where absent the page does not say. */
  readonly tellReason?: boolean;
  /**
   * The reply that a reviewer wrote in the model's place. At the request gate it is the current
   * version, and `reply` has it, null where it was denied; at the response gate it is what the
   * review is about, in the view's own `reply`.
   */
  readonly written?: { readonly by: string; readonly at: number; readonly reply: SamplingReply | null } | null;
  /**
   * At the request gate: the current version is the request, which `by` put in place of the reply
   * that `author` wrote.
   */
  readonly unwritten?: { readonly by: string; readonly author: string } | null;
  /**
   * `model` of a reply that this reviewer may write in the model's place; null where they may write
   * none.
   */
  readonly mayWrite?: { readonly model: string } | null;
  /** The parts that rules masked at this gate; absent where none was. */
  readonly redactions?: readonly ShownRedaction[];
  /** Whether this reviewer may put a masked part back. */
  readonly mayLift?: boolean;
  /**
   * In a notice: how many parts of the content that it shows are masked in it, and stand in what is
   * sent.
   */
  readonly maskedHere?: number;
  /** At the response gate: those of the reply, then those of its request. */
  readonly risks: readonly RiskNote[];
  readonly notes: readonly Note[];
};

/** The versions of what is reviewed. */
type Reviewed<Kind extends SubjectKind> = {
  readonly subject: Kind;
  /** The current version of the request (at the response gate: the approved one). */
  readonly request: Subjects[Kind]["request"];
  /**
   * The original request, where the current one differs; what is masked in it is hidden from those
   * who may not see it.
   */
  readonly requestAsAsked: Subjects[Kind]["request"] | null;
  /** At the response gate. */
  readonly reply: Subjects[Kind]["reply"] | null;
  readonly replyAsGenerated: Subjects[Kind]["reply"] | null;
};

/** Who answers a message, or would, and at what cost. */
export type ModelsView = {
  /** In failover order. A reviewer may move another one to the front. */
  readonly models: readonly ShownModel[];
  readonly worstCostUsd: number;
  readonly answeredBy: ShownModel | null;
  readonly usage: Usage | null;
  /** When the reply was made, where it comes from the cache. Unix milliseconds. */
  readonly cachedAt?: number | null;
  readonly costUsd: number | null;
};

/** A sampling request, and what a model says to it. */
export type MessageView = ReviewCommon & Reviewed<"message"> & ModelsView;

/** What else is known of a tool's call. */
export type CallInReview = {
  /** Equal for those of one key at one server, in one session where it has one. */
  readonly series?: string;
  /** What a denial of this call may stop of its tool; null where it may stop nothing. */
  readonly mayStop?: StopReach | null;
  /** The stop that this reviewer made with their denial. Times are Unix milliseconds. */
  readonly stopped?: { readonly reach: StopReach; readonly until: number; readonly liftedAt: number | null } | null;
  /** The one of this tool that the same people approved last, where it is known. In no notice. */
  readonly before?: Subjects["toolCall"]["request"] | null;
  /** With it: in how many arguments this one differs. */
  readonly differing?: number;
  /** The rule's juror did not let the call pass. `reason`: in the model's words; in no notice. */
  readonly raised?: { readonly model: string; readonly why: JurorWhy; readonly reason: string | null };
};

export type ToolCallView = ReviewCommon & Reviewed<"toolCall"> & CallInReview;

type OtherSubject = Exclude<SubjectKind, "message" | "toolCall">;

/** Any other subject: no model answers it, and nothing is known of its price. */
export type PlainView = ToolCallView | { [Kind in OtherSubject]: ReviewCommon & Reviewed<Kind> }[OtherSubject];

export type FormView = Extract<PlainView, { readonly subject: "form" }>;

export type ReviewView = MessageView | PlainView;

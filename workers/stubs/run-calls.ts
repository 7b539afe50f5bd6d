// The calls of a RunObject and their values. Types that cross the RPC boundary are flat: nested
// values go as JSON text. It imports no object.

import type { DigestEntry } from "../../shared/channels/digest-content.ts";
import type { PressWords } from "../../shared/channels/press-words.ts";
import type { CallOwner } from "../../shared/credential/call-owner.ts";
import type { LoginAccount } from "../../shared/credential/login-account.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import type { JsonOf } from "../../shared/json/json-of.ts";
import type { ProviderError, Took } from "../../shared/model/call.ts";
import type { ReceiptFacts } from "../../shared/receipt/facts.ts";
import type { ToolCall } from "../../shared/model/subject/tool-call.ts";
import type { Approved, CancelCause, Outcome, WithdrawCause } from "../../shared/model/outcome.ts";
import type { ToolResult } from "../../shared/model/subject/tool-call.ts";
import type { ToolStop } from "../../shared/policy/stops.ts";
import type { LinkChannel } from "../../shared/notice-channels.ts";
import type { Gate } from "../../shared/model/gate.ts";
import type { Operator, RecordEvent } from "../../shared/record/record.ts";
import type { RunSummary } from "../../shared/record/run-summary.ts";
import type { Reviewer } from "../../shared/policy/evaluate.ts";
import type { Recusal, Verdict } from "../../shared/review/decision.ts";
import type { EditIssue } from "../../shared/review/edit.ts";
import type { KnownBy } from "../../shared/receipt/known.ts";
import type { PasskeyProof } from "../../shared/receipt/passkey-proof.ts";
import type { PromisedChanges, SubmittedForm } from "../../shared/review/form.ts";
import type { ReviewView, RunProgress } from "../../shared/review/view.ts";
import type { Stage } from "../../shared/run/lifecycle.ts";
import type { ModelFacts } from "../../shared/run/present.ts";
import type { Requestor, RequestRef, RunInput, WaitingServer } from "../../shared/run/run-input.ts";
import type { ConversationEdits } from "../../shared/wire/control/turns.ts";

/** An identical request that would take a run over. */
export type Adoption = {
  readonly requestRef: RequestRef;
  readonly requestor: Requestor;
  readonly endpoint: RunInput["endpoint"];
  /** Those of its own plan. */
  readonly stages: readonly Stage[];
  /** `decidersDigest` of its plan. */
  readonly deciders: string;
  /** The MCP server that waits: the run posts its outcome there, where `adopt` returns `posts`. */
  readonly waiting: WaitingServer | null;
  /**
   * Its requestor says that it asks again, so that nobody waits for its earlier attempt any more,
   * also where that was not noticed.
   */
  readonly isRetry: boolean;
};

export type RunSnapshot = {
  readonly id: string;
  readonly key: string;
  readonly endpoint: RunInput["endpoint"];
  readonly state: RunProgress;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly mode: RunInput["mode"];
  /** Null: what came of it is a reply or a result. */
  readonly act: "release" | "none" | null;
  readonly ttlMs: number | null;
  readonly server: string;
  readonly name: string;
  /** The outcome, once it may be delivered. */
  readonly outcome: JsonOf<Outcome> | null;
};

/** A call that is its client's task, as that client may see it. */
export type CallTask = RunSnapshot & {
  /** The session that its client had; null where it had none. */
  readonly session: string | null;
  readonly owner: CallOwner | null;
  /** Whose account at the server it is for, where the server wants a login. */
  readonly account: LoginAccount | undefined;
  /** It is approved, and nothing was sent yet. */
  readonly isApproved: boolean;
  /** Its client could have it sent, or have it go on after a reset. */
  readonly mayResume: boolean;
  /** Whether it was sent. */
  readonly isSent: boolean;
  /** Its arguments as they came, as JSON. */
  readonly asked: string;
  /** What its server asks of its client, by key (`inputRequests`); null: nothing. */
  readonly asks: JsonObject | null;
  /** The server's response, byte for byte, where nobody reviewed it. */
  readonly passed: string | null;
};

/**
 * What a run's receipt says. `outcome`: what its digest of the reply is of; null: there is none
 * yet.
 */
export type RunReceipt = { readonly key: string; readonly facts: ReceiptFacts; readonly outcome: Outcome | null };

/** The run's line, as an operator sees it: without content. */
export type RunLine = RunSummary & {
  readonly updatedAt: number;
  /** Whether there is an outcome that may be delivered. */
  readonly answered: boolean;
};

/** What a reviewer submits, by any channel: a review form without its nonce. */
export type Submission = Omit<SubmittedForm, "nonce" | "edits" | "promised"> & {
  /**
   * With `approve`: which changes the reviewer was shown. `typed`: they wrote each text in a field
   * that always shows all of it, as in Slack's dialog, so that no change is unseen. Absent: none
   * was shown.
   */
  readonly promised?: PromisedChanges | "typed";
  /** Path to text, for every field that was shown for editing, changed or not. */
  readonly edits: readonly (readonly [string, string])[];
};

export type ViewAsked = {
  readonly gate: Gate;
  /** The index of the link's reviewer in the run's plan. */
  readonly reviewer: number;
  readonly link: string;
  /** Whether a person opens the page. */
  readonly isOpening: boolean;
  /**
   * Whether it is for the browser that approved with this link: the page then leads on to the
   * reply's review.
   */
  readonly isFollowing: boolean;
  /** The path of the inbox of a reviewer who is signed in; null at a link. */
  readonly inbox: string | null;
};

export type DecideInput = {
  readonly gate: Gate;
  /** The index of the link's reviewer in the run's plan. */
  readonly reviewer: number;
  readonly link: string;
  /** Used once: the form's nonce, or the signature of a Slack request. */
  readonly once: string;
  /**
   * The whole submission as it was sent: the same `once` with the same words is a repeat, with
   * others it is refused.
   */
  readonly words: string;
  readonly submission: JsonOf<Submission>;
  /** How the caller knows the reviewer. */
  readonly known: JsonOf<KnownBy>;
  /** The passkey's assertion, whose signature the Worker has checked; null without one. */
  readonly passkey: JsonOf<PasskeyProof> | null;
  /**
   * The channel's member who pressed the button, where the link is a room's: the record names them
   * as well.
   */
  readonly member: string | null;
};

export type DecideAnswer =
  | { readonly kind: "decided" | "repeated" }
  | { readonly kind: "verdict"; readonly verdict: Extract<Verdict, { kind: "closed" | "stale" | "late" | "notAllowed" }> }
  | { readonly kind: "cannotRecuse"; readonly why: Extract<Recusal, { kind: "notAllowed" }>["why"] | "noSuchReviewer" | "unreachable" }
  /** The grant that was asked for with the approval is not on offer: nothing was decided. */
  | { readonly kind: "noGrant" }
  | { readonly kind: "invalidEdit"; readonly issues: readonly EditIssue[] }
  /**
   * The form has a written reply, and was to approve the request, or has changes of it: nothing was
   * decided.
   */
  | { readonly kind: "twoChoices" }
  /**
   * The policy does not name the reviewer, or there is no such redaction, or its text was edited:
   * nothing was changed.
   */
  | { readonly kind: "cannotLift" }
  /** The form has changes that its page did not show: nothing was decided. */
  | { readonly kind: "unseenChanges" }
  /** The rule wants an assertion of the reviewer's passkey over this very decision. */
  | { readonly kind: "needsPasskey" }
  | { readonly kind: "onceUsed" | "noSuchLink" };

/** The review of a message with buttons: what the channel's endpoint needs to judge a press. */
export type PressTarget = {
  readonly view: ReviewView;
  readonly excerpt: "none" | "start";
  readonly reviewer: Reviewer;
  /** The reviewer's index in the run's plan, as the token has it. */
  readonly place: number;
  readonly expiresAtSeconds: number;
  /** The channel's receipt for the message (`Sent.receipt`); null before it is known. */
  readonly receipt: string | null;
  /** The links of this channel that this gate's reviewers have, this one among them. */
  readonly colleagues: readonly { readonly link: string; readonly place: number; readonly reviewer: Reviewer }[];
};

export type TellInput = {
  readonly gate: Gate;
  /** The link of the message that they pressed. */
  readonly link: string;
  /** The member's id. */
  readonly user: string;
  readonly words: PressWords;
  /** Whether to add the member's own personal link: only where they are a reviewer of this gate. */
  readonly withLink: boolean;
};

/** What the page of an expired link may say, without content. */
export type ExpiredLink = {
  /** Whether the review still waits and a new link could be sent. */
  readonly open: boolean;
  readonly state: ReviewView["state"]["kind"];
};

export type RenewAnswer = { readonly kind: "sent" | "tooOften" | "over" | "noSuchLink" };

/** A review that waits, for an operator: whom it waits for, and who else could be asked. */
export type WaitingReview = {
  readonly gate: Gate;
  readonly quorum: number;
  /** Unix milliseconds. */
  readonly deadlineAt: number;
  readonly reviewers: readonly {
    readonly name: string;
    readonly hasApproved: boolean;
    /** `notice`: whether its first notice was sent. `isOpened`: whether its link was. */
    readonly channels: readonly {
      readonly channel: LinkChannel;
      readonly notice: "queued" | "sent" | "failed";
      readonly isOpened: boolean;
    }[];
  }[];
  /** The names of those who could be asked as well. */
  readonly askable: readonly string[];
};

/** What an operator asks of a review. `once`: the same again is a repeat; null: it is never one. */
export type AskInput = {
  /** `again`: the reviewer's notices are sent again. `also`: one more person is asked. */
  readonly act: "again" | "also";
  readonly reviewer: string;
  readonly once: string | null;
  readonly by: JsonOf<Operator>;
};

/**
 * `done`: also where it was done before. `notAskable`: the rule does not name them, or they left.
 */
export type AskAnswer = "done" | "over" | "onceUsed" | "notAsked" | "hasApproved" | "tooOften" | "notAskable";

/** What a caller may send of a call that it wanted to make itself. */
export type Claim =
  /** `keepsResult`: the result goes to the run, and its outcome to the caller. */
  | {
      readonly kind: "claimed";
      readonly call: number;
      readonly approved: Approved<ToolCall>;
      readonly keepsResult: boolean;
      /** Of what is sent now. */
      readonly receipt: ReceiptFacts;
    }
  /** An earlier caller sent the call and left: the run waits for its result. */
  | { readonly kind: "running" }
  /** Another caller has the approval. Nothing may be sent. */
  | { readonly kind: "taken" }
  /** The run has ended: its outcome says how. */
  | { readonly kind: "ended" };

/** What came of an approved call. `passed`: its result went to the caller as it came. */
export type CallReturn =
  | { readonly kind: "passed"; readonly digest: string; readonly isError: boolean }
  | { readonly kind: "result"; readonly result: ToolResult }
  | { readonly kind: "failed"; readonly fault: ProviderError };

/** Why a claimed call was not sent, or not run. */
export type UnsentWhy = "login" | "withdrawn";

/** The same, with when it was sent. */
export type Returned = CallReturn & { readonly took: Took };

/** The close reason of a window whose caller has left. */
export const callerLeft = "the caller left";

/** In place of a link's id: the reviewer is signed in to their inbox. No link has this id. */
export const inboxLink = "inbox";

/** The header that says which window is wanted: `page`, or a caller's. */
export const windowHeader = "X-Countersign-Window";

export interface RunCalls extends Rpc.DurableObjectBranded {
  /**
   * Opens a run. Twice is the same as once. The run begins, and a reviewer is asked, only after its
   * key has added it as a dependent: a revoked key ends its dependents, and adds no more.
   */
  open(input: JsonOf<RunInput>): Promise<void>;
  /** Stores an ended run, for a requestor that left while the Worker itself called the model. */
  storeEnded(input: JsonOf<RunInput>, outcome: JsonOf<Outcome>, model: JsonOf<ModelFacts>, events: JsonOf<readonly RecordEvent[]>): void;
  /**
   * Keeps a request that is sent to its client first, for the case that the client declines. It is
   * no run.
   */
  park(request: string): void;
  /** The parked request, once; null where there is none, or none any more. */
  takeParked(): Promise<string | null>;
  /** The run as its requestor may see it; null where there is none, or none any more. */
  snapshot(): RunSnapshot | null;
  /** Null where there is no run, or nothing was decided or sent yet. */
  receipt(): JsonOf<RunReceipt> | null;
  /** The run as an operator sees it, without content; null where there is none or none any more. */
  line(): JsonOf<RunLine> | null;
  /**
   * The prompt that was sent, and a reviewer's edits; null where there is no run, or none any more.
   */
  sent(): { readonly prompt: string; readonly edits: JsonOf<ConversationEdits> } | null;
  /**
   * Lets an identical request of another session adopt the run, where its requestor is gone and
   * there is, or may still be, a reply; a retry, also where people said no.
   */
  adopt(adoption: Adoption): "refused" | "adopted" | "posts";
  /**
   * The waiting MCP server stopped waiting: nothing is posted, and the run goes on for its next
   * attempt. False where no server waits.
   */
  abandon(): boolean;
  /**
   * Cancels the run for all its requests; `by`: the operator, where one cancels. False where the
   * run has ended or is unknown, or is none that the stop `only` is for.
   */
  cancel(cause: CancelCause, by?: Operator | null, only?: JsonOf<ToolStop> | null): boolean;
  /**
   * Withdraws one request from the run, and cancels the run where it was the last and its client
   * does not come back.
   */
  withdraw(cause: WithdrawCause, requestRef: RequestRef): "unknown" | "over" | "kept" | "cancelled";
  /**
   * The place of a reviewer who was asked at this gate, under this name and email address; null for
   * anybody else. With it and `inboxLink` in place of a link's id, `view`, `decide` and a page's
   * window are those of a reviewer who is signed in to their inbox.
   */
  place(gate: Gate, reviewer: string, email: string): number | null;
  /**
   * The approved call, once, for the request that the run answers now: nothing is sent before.
   * Where its key has ended or calls are stopped, the run ends instead. Rejects where that is not
   * known.
   */
  /** `brings`: the caller makes the call elsewhere and brings its result, without a window. */
  claim(requestRef: RequestRef, brings?: boolean): Promise<JsonOf<Claim>>;
  /** Null where the run is no client's task. */
  callTask(): JsonOf<CallTask> | null;
  /**
   * Sends an approved task that waited for its client's own credential for the server, or for its
   * owner's login there. `authorization`: the credential; null: it needs none.
   */
  resumeTask(authorization: string | null): void;
  /** A task's client answers what the server asks, by key. */
  answerTask(responses: JsonOf<JsonObject>): void;
  /** What came of the claimed call. `call`: null where its caller knows no number of it. */
  returned(call: number | null, returned: JsonOf<Returned>): Promise<void>;
  /**
   * The claimed call was refused for its login before anything was done, or not sent: it may be
   * claimed again, unless its run is over.
   */
  unsent(call: number, took: JsonOf<Took>, why: UnsentWhy): void;
  /**
   * The page of a link; null where there is no such link. Where the reviewer opens it (`isOpening`)
   * while the review waits, that is recorded once for each channel; nothing else is written.
   */
  view(asked: ViewAsked): JsonOf<ReviewView> | null;
  /**
   * The gate that waits for the owner of the request's key, where the policy lets people decide
   * their own requests; otherwise null.
   */
  ownersGate(): Gate | null;
  /** The state of an expired link; null where there is no such link. Writes nothing. */
  expiredLink(gate: Gate, reviewer: number, link: string): JsonOf<ExpiredLink> | null;
  /** Sends a new link in place of an expired one, to the address on file. */
  renewLink(gate: Gate, reviewer: number, link: string): RenewAnswer;
  /** The review that waits, as an operator may see it; null where none does. */
  waiting(): JsonOf<WaitingReview> | null;
  /** An operator has a reviewer's notices sent again, or another person asked. */
  ask(input: AskInput): AskAnswer;
  /** A digest's entry for the review of this link; null where its reviewer is no longer asked. */
  digestEntry(link: string): JsonOf<DigestEntry> | null;
  /** Null where there is no such link. */
  pressTarget(channel: LinkChannel, gate: Gate, link: string): JsonOf<PressTarget> | null;
  /** Queues words for one member alone. */
  tell(input: TellInput): void;
  /**
   * Carries out a reviewer's decision, by any channel. Synchronous from the first read to the last
   * write.
   */
  decide(input: DecideInput): DecideAnswer;
  /**
   * For the gateway's sweep: does the work of the alarm. May be called at any time.
   * @returns when the run has work next, in Unix milliseconds; null where there is no run, or none
   *   any more.
   */
  sweep(): Promise<number | null>;
}

/**
 * The timers of a gate, at the times that the policy gives: `remind` has one row for each reminder.
 */
type GateClock = "deadline" | "escalate" | "away" | `remind${number}`;

export type ScheduleKind = `${GateClock}:${Gate}` | "requestor" | "claim" | "keyExpires" | "forget";

export type OutboxKind =
  | "begin"
  | "record"
  | "notice"
  | "noticeEnded"
  | "noticeListed"
  | "tell"
  | "inbox"
  | "grant"
  | "call"
  | "deliver"
  | "adopted"
  | "settle"
  | "cache"
  | "lastCall"
  | "stop"
  | "index"
  | "unreachable"
  | "telemetry";

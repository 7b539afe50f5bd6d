// What the RunObject takes and answers, for the routes that call it. Types that cross the RPC boundary are flat: whatever is
// nested goes as JSON text.

import type { CancelCause } from "../../shared/model/outcome.ts";
import type { LinkChannel } from "../../shared/notice-channels.ts";
import type { Gate } from "../../shared/model/gate.ts";
import type { RunSummary, Operator } from "../../shared/record/record.ts";
import type { Reviewer } from "../../shared/policy/evaluate.ts";
import type { Recusal, Verdict } from "../../shared/review/decision.ts";
import type { EditIssue } from "../../shared/review/edit.ts";
import type { SubmittedForm } from "../../shared/review/form.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import type { RunState } from "../../shared/run/lifecycle.ts";
import type { Requestor, RequestRef, RunInput, WaitingServer } from "../../shared/run/run-input.ts";

/** An identical request that would take a run over. */
export type Adoption = {
  readonly requestRef: RequestRef;
  readonly requestor: Requestor;
  readonly endpoint: RunInput["endpoint"];
  /** The gates of its own plan. */
  readonly gates: RunState["gates"];
  /** `decidersDigest` of its plan. */
  readonly deciders: string;
  /** The MCP server that waits for it: the run posts its answer there, where it answers `posts`. */
  readonly waiting: WaitingServer | null;
};

export type RunSnapshot = {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly mode: RunInput["mode"];
  readonly ttlMs: number | null;
  readonly server: string;
  readonly name: string;
  /** The outcome, once it may be delivered: JSON of `Outcome`. */
  readonly outcome: string | null;
};

/** The run's line, as an operator sees it: without what was asked or answered. */
export type RunLine = RunSummary & {
  readonly updatedAt: number;
  /** Whether there is an answer that may be delivered. */
  readonly answered: boolean;
};

/** What a reviewer wants done, by whatever channel: a review form without its nonce. */
export type Submission = Omit<SubmittedForm, "nonce" | "edits" | "promised"> & {
  /**
   * With `approve`: how many changes the reviewer was shown. `typed`: they wrote each text in a field that shows all of it and cannot
   * be folded, as in Slack's dialog, so that nothing can be unseen. Absent: none was shown.
   */
  readonly promised?: number | "typed";
  /** Path to text, for every field that was shown for editing, changed or not. */
  readonly edits: readonly (readonly [string, string])[];
};

export type DecideInput = {
  readonly gate: Gate;
  /** The place of the link's reviewer. */
  readonly reviewer: number;
  readonly link: string;
  /** What makes it count once: the form's nonce, or the signature of a Slack request. */
  readonly once: string;
  /** Everything that was sent: the same `once` with the same words is the same answer, with others it is refused. */
  readonly words: string;
  /** JSON of `Submission`. */
  readonly submission: string;
  /** The channel's member who pressed, where the link is a room's: the record names them beside it. */
  readonly member: string | null;
};

/** What became of it. */
export type DecideAnswer =
  | { readonly kind: "decided" | "repeated" }
  | { readonly kind: "verdict"; readonly verdict: Extract<Verdict, { kind: "closed" | "stale" | "late" | "notAllowed" }> }
  | { readonly kind: "cannotGiveUp"; readonly why: Extract<Recusal, { kind: "notAllowed" }>["why"] | "noSuchReviewer" | "unreachable" }
  /** The grant that was asked for with the approval is not on offer: nothing was decided. */
  | { readonly kind: "noGrant" }
  | { readonly kind: "invalidEdit"; readonly faults: readonly EditIssue[] }
  /** The form has other changes than its page showed: nothing was decided. */
  | { readonly kind: "unseenChanges" }
  | { readonly kind: "onceUsed" | "noSuchLink" };

/** The review of a message with buttons, as whoever hears of a press needs it to judge that. */
export type PressTarget = {
  readonly view: ReviewView;
  readonly excerpt: "none" | "start";
  readonly reviewer: Reviewer;
  /** The reviewer's place, as the token has it. */
  readonly place: number;
  readonly expiresAtSeconds: number;
  /** What the channel said when the message was posted (`Sent.receipt`); null before that is known. */
  readonly receipt: string | null;
  /** The links of this channel that this gate's reviewers have, this one among them. */
  readonly colleagues: readonly { readonly link: string; readonly place: number; readonly reviewer: Reviewer }[];
};

/** What one member alone is told of their press, by name: the channel has the sentences. */
export type PressWords =
  | "notYours"
  | "alreadyDecided"
  | "stale"
  | "late"
  | "ownRequest"
  | "left"
  | "openPersonalLink"
  | "tooLongToEdit"
  | "dialogFailed"
  | "invalidEdit"
  | "oldMessage";

export type TellInput = {
  readonly gate: Gate;
  /** The link by whose message they are told. */
  readonly link: string;
  /** The member's id. */
  readonly user: string;
  readonly words: PressWords;
  /** Whether the member's own personal link is to go with it: only where they are a reviewer of this gate. */
  readonly withLink: boolean;
};

/** How an expired link stands: what its page may say without the content. */
export type ExpiredLink = {
  /** Whether the review still waits and a new link could be sent. */
  readonly open: boolean;
  readonly state: ReviewView["state"]["kind"];
  readonly channel: string;
};

export type RenewAnswer = { readonly kind: "sent" | "tooOften" | "over" | "noSuchLink" };

/** What a window says when it is closed because its caller has left. */
export const callerLeft = "the caller left";

/** Which window is asked for: `page`, or a caller's. */
export const windowHeader = "X-Countersign-Window";

export interface RunCalls extends Rpc.DurableObjectBranded {
  /**
   * Begins the run, once its key knows of it. Doing it twice is doing it once. Nobody is told of it before: a key that is revoked ends
   * every run that it knows of, and every other finds that out here. `opening` is JSON of `RunInput`.
   */
  open(input: string): Promise<void>;
  /** Keeps the outcome for a requestor who left while the Worker itself was calling the model: a run that is over from the start. */
  storeEnded(input: string, outcome: string, model: string, events: string): void;
  /** Keeps a request that its client is asked first: no run, but what one would be opened with where the client declines. */
  park(request: string): void;
  /** What `hold` kept, once; null where nothing is (any more). */
  takeParked(): Promise<string | null>;
  /** The run as its owner may see it, or null where there is none (any more). */
  snapshot(): RunSnapshot | null;
  /** The run as an operator may see it, as JSON of `RunLine`: nothing of what was asked or answered. Null where there is none (any more). */
  line(): string | null;
  /** The prompt that was sent, and JSON of `ConversationEdits`: what a reviewer made of the request. Null where there is none (any more). */
  sent(): { readonly prompt: string; readonly edits: string } | null;
  /**
   * A request of another session that is identical to this run's takes the run over, if its requestor is gone and there is,
   * or may still be, a reply.
   */
  adopt(adoption: Adoption): "refused" | "adopted" | "posts";
  /**
   * The MCP server that waited did not wait any longer: it is told nothing, and the run goes on for its next try. False where no server
   * waits.
   */
  abandon(): boolean;
  /** Cancels the run, whoever else waits for it; `by`: the operator, where it is one. False where it is over or unknown. */
  cancel(cause: CancelCause, by?: Operator | null): boolean;
  /**
   * Gives up one request's claim on the run, and cancels the run where it was the last: another request that adopted it
   * keeps it alive.
   */
  withdraw(cause: CancelCause, requestRef: RequestRef): "unknown" | "over" | "kept" | "cancelled";
  /**
   * The page of a link, as JSON of `ReviewView`; null where there is no such link. Writes nothing but, where somebody opens it
   * (`isOpening`) while the review waits, that this reviewer's link of this channel was opened: once.
   */
  view(gate: Gate, reviewer: number, link: string, isOpening: boolean): string | null;
  /** How an expired link stands, as JSON of `ExpiredLink`; null where there is no such link. Writes nothing. */
  expiredLink(gate: Gate, reviewer: number, link: string): string | null;
  /** Sends a new link in place of one whose time is over, to the address on file. */
  renewLink(gate: Gate, reviewer: number, link: string): RenewAnswer;
  /** What a digest says of the review behind this link: JSON of `DigestEntry`; null where nobody is asked by it any more. */
  digestEntry(link: string): string | null;
  pressTarget(channel: LinkChannel, gate: Gate, link: string): string | null;
  /** Queues words for one member alone. */
  tell(input: TellInput): void;
  /** Carries out what a reviewer asks for, by whatever channel. Synchronous from the first read to the last write. */
  decide(input: DecideInput): DecideAnswer;
  /**
   * For the gateway's sweep: does what the alarm would have done, as often as it is asked.
   * @returns when there is something to do next, in Unix milliseconds; null where there is no run (any more).
   */
  sweep(): Promise<number | null>;
}

/** What a gate's clock does, at the times that the policy gives: `remind` has one row for each reminder. */
export type GateClock = "deadline" | "escalate" | `remind${number}`;

export type ScheduleKind = `${GateClock}:${Gate}` | "requestor" | "keyExpires" | "forget";

export type OutboxKind =
  | "begin"
  | "record"
  | "notice"
  | "noticeEnded"
  | "noticeListed"
  | "tell"
  | "grant"
  | "call"
  | "deliver"
  | "adopted"
  | "settle"
  | "cache"
  | "index"
  | "unreachable";

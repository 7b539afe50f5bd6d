// Who may decide, what an answer means, and which of several simultaneous answers counts. No clock,
// no storage.
//
// The object reads the review, calls `decide` and writes the result with no `await` in between.
// That, and its conditional update, makes one outcome of any number of simultaneous decisions.

import type { Gate } from "../model/gate.ts";
import type { CancelCause } from "../model/outcome.ts";
import type { Grant } from "../policy/grant.ts";
import type { ToolStop } from "../policy/stops.ts";
import { isSamePerson } from "../policy/person.ts";
import type { SeenRisk } from "../policy/risk.ts";
import type { KnownBy } from "../receipt/known.ts";
import type { PasskeyProof } from "../receipt/passkey-proof.ts";

export type Vote = {
  readonly reviewer: string;
  readonly version: number;
  readonly at: number;
  readonly channel: string;
  readonly known?: KnownBy;
  /** The assertion of their passkey, where the rule wants one. */
  readonly passkey?: PasskeyProof;
};

type Closing =
  | {
      readonly how: "approved" | "denied";
      readonly by: string;
      readonly at: number;
      readonly channel: string;
      readonly known?: KnownBy;
      readonly passkey?: PasskeyProof;
      readonly version: number;
      readonly reason: string | null;
    }
  | EndedWithoutDecision;

/**
 * `noReviewerLeft`: too few may still decide. `noneReached`: no channel reached any of them.
 * `contentUnreadable`: its key is not set.
 */
export type UndeliverableCause = "noReviewerLeft" | "noneReached" | "contentUnreadable";

export type EndedWithoutDecision =
  | { readonly how: "expired"; readonly at: number }
  | { readonly how: "cancelled"; readonly at: number; readonly cause: CancelCause }
  | { readonly how: "undeliverable"; readonly at: number; readonly cause: UndeliverableCause };

/** A reviewer who recused themself. `to`: the reviewer who decides instead, or null. */
type Leaving = {
  readonly reviewer: string;
  readonly at: number;
  readonly to: string | null;
  /** For the other reviewer. */
  readonly note?: string;
};

/** The reply that a reviewer wrote in the model's place, without its text. */
type WrittenReply = {
  readonly by: string;
  readonly at: number;
  /** Its digest, as at the response gate. */
  readonly reply: string;
  readonly risk: SeenRisk;
};

/** A review at whatever stage: nothing here depends on which it is. */
export type AnyReview = {
  readonly version: number;
  readonly digest: string;
  readonly openedAt: number;
  readonly deadlineAt: number;
  readonly quorum: number;
  /** The names of those who may decide. Escalation and hand-over change the list. */
  readonly reviewers: readonly string[];
  /** Reviewers who were asked and recused themselves. */
  readonly left: readonly Leaving[];
  /** The API key's owner, if known, and whether they may approve their own request. */
  readonly owner: string | null;
  readonly selfApproval: boolean;
  /** Approvals of the current version. */
  readonly votes: readonly Vote[];
  readonly closing: Closing | null;
  /** The current version is this reply, and the act that follows is not done. */
  readonly written?: WrittenReply;
  /**
   * Who wrote what is reviewed, in the act's place. Without `selfApproval` they may not approve
   * it.
   */
  readonly author?: string;
  /** In this version, `by` put the request in place of the reply that `author` wrote. */
  readonly unwritten?: { readonly author: string; readonly by: string };
  /** The redactions that were lifted, by their numbers; absent where none was. */
  readonly lifted?: readonly number[];
  /** The grant that was given with the approval; `revokedAt`: its reviewer has ended it. */
  readonly given?: Grant;
  /** The stop that came with the denial; `liftedAt`: its reviewer has ended it. */
  readonly stopped?: ToolStop & { readonly liftedAt: number | null };
};

export type Review<Name extends string = Gate> = AnyReview & { readonly gate: Name };

export type Answer = {
  /** `dismiss`: a form is put away, which is no answer to it. */
  readonly act: "approve" | "deny" | "dismiss";
  readonly reviewer: string;
  readonly channel: string;
  /** How the gateway knows that they are this reviewer. */
  readonly known?: KnownBy;
  readonly passkey?: PasskeyProof;
  /** The version and digest that the reviewer saw. */
  readonly version: number;
  readonly digest: string;
  /** The digest of the content with the reviewer's edits, if any. */
  readonly editedDigest?: string;
  /** With `editedDigest`: that content is a reply which this reviewer wrote. */
  readonly written?: Pick<WrittenReply, "reply" | "risk">;
  readonly reason?: string;
};

export type Verdict =
  /** Recorded, and more approvals are needed. */
  | { readonly kind: "voted"; readonly review: AnyReview; readonly edited: boolean }
  | { readonly kind: "approved"; readonly review: AnyReview; readonly edited: boolean }
  | { readonly kind: "denied" | "dismissed"; readonly review: AnyReview }
  /** The reviewer gave the same answer before: nothing is written. */
  | { readonly kind: "repeated" }
  /** Another reviewer or the deadline came first. */
  | { readonly kind: "closed"; readonly closing: Closing }
  /** The content changed since the page was made. */
  | { readonly kind: "stale"; readonly version: number; readonly digest: string }
  | { readonly kind: "late" }
  | { readonly kind: "notAllowed"; readonly why: "notAReviewer" | OwnWhy | "left" };

/**
 * What a reviewer may not approve without `selfApproval`: the request of their own key, and the
 * reply that they wrote.
 */
export type OwnWhy = "ownRequest" | "ownReply";

/** Why this person may not approve, as the review is somebody's own; null where they may. */
export function ownBar({ selfApproval, owner, author }: AnyReview, reviewer: string): OwnWhy | null {
  if (selfApproval) return null;
  return isSamePerson(owner, reviewer) ? "ownRequest" : author === reviewer ? "ownReply" : null;
}

/**
 * Judges one answer to a review.
 * @param now Unix milliseconds; an answer at the very millisecond of the deadline is late.
 * @returns The verdict, with the review as it is to be written where the answer counts.
 */
export function decide(review: AnyReview, answer: Answer, now: number): Verdict {
  const barred = barredFrom(review, answer.reviewer);
  if (barred !== null) return barred;
  if (review.closing !== null)
    return isRepeat(review, review.closing, answer) ? { kind: "repeated" } : { kind: "closed", closing: review.closing };
  if (now >= review.deadlineAt) return { kind: "late" };
  if (answer.version !== review.version || answer.digest !== review.digest) {
    return { kind: "stale", version: review.version, digest: review.digest };
  }
  if (answer.act === "deny") {
    const closing: Closing = {
      how: "denied",
      by: answer.reviewer,
      at: now,
      channel: answer.channel,
      ...knownIn(answer),
      version: review.version,
      reason: answer.reason ?? null,
    };
    return { kind: "denied", review: { ...review, closing } };
  }
  if (answer.act === "dismiss")
    return { kind: "dismissed", review: { ...review, closing: { how: "cancelled", at: now, cause: "dismissed" } } };
  const own = ownBar(review, answer.reviewer);
  if (own !== null) return { kind: "notAllowed", why: own };
  return approve(review, answer, now);
}

function approve({ written: before, unwritten: dropped, ...review }: AnyReview, answer: Answer, now: number): Verdict {
  const edited = answer.editedDigest !== undefined && answer.editedDigest !== review.digest;
  const version = edited ? review.version + 1 : review.version;
  const digest = edited ? (answer.editedDigest ?? review.digest) : review.digest;
  const vote: Vote = { reviewer: answer.reviewer, version, at: now, channel: answer.channel, ...knownIn(answer) };
  // An edit voids the approvals of earlier versions; the editor's own counts for the new one.
  const kept = edited ? [] : review.votes;
  if (kept.some((earlier) => earlier.reviewer === vote.reviewer)) return { kind: "repeated" };
  const votes = [...kept, vote];
  const written = edited ? writtenBy(answer, now) : before;
  const unwritten = !edited
    ? dropped
    : before === undefined || written !== undefined
      ? undefined
      : { author: before.by, by: answer.reviewer };
  const next: AnyReview = {
    ...review,
    version,
    digest,
    votes,
    ...(written === undefined ? {} : { written }),
    ...(unwritten === undefined ? {} : { unwritten }),
  };
  if (votes.length < review.quorum) return { kind: "voted", review: next, edited };
  const { reviewer: by, channel } = answer;
  const closing: Closing = { how: "approved", by, at: now, channel, ...knownIn(answer), version, reason: null };
  return { kind: "approved", review: { ...next, closing }, edited };
}

export const knownIn = ({ known, passkey }: Pick<Answer, "known" | "passkey">): Pick<Answer, "known" | "passkey"> => ({
  ...(known === undefined ? {} : { known }),
  ...(passkey === undefined ? {} : { passkey }),
});

const writtenBy = ({ reviewer, written }: Answer, now: number): WrittenReply | undefined =>
  written === undefined ? undefined : { by: reviewer, at: now, ...written };

/**
 * What was approved is part of the answer; the reason's wording, which differs by channel, is not.
 */
function isRepeat(review: AnyReview, closing: Closing, answer: Answer): boolean {
  if (closing.how === "denied") return answer.act === "deny" && closing.by === answer.reviewer;
  if (closing.how !== "approved") return false;
  const voted = review.votes.some(({ reviewer }) => reviewer === answer.reviewer);
  return answer.act === "approve" && voted && (answer.editedDigest ?? answer.digest) === review.digest;
}

/** Closes an open review without a reviewer's decision. Null where it is closed already. */
export const closeReview = (review: AnyReview, closing: EndedWithoutDecision): AnyReview | null =>
  review.closing === null ? { ...review, closing } : null;

function barredFrom(review: AnyReview, reviewer: string): { readonly kind: "notAllowed"; readonly why: "notAReviewer" | "left" } | null {
  if (review.reviewers.includes(reviewer)) return null;
  return { kind: "notAllowed", why: review.left.some((each) => each.reviewer === reviewer) ? "left" : "notAReviewer" };
}

/** `to`: the reviewer who is to decide instead; null where the review is not this reviewer's. */
export type RecusalRequest = { readonly reviewer: string; readonly to: string | null; readonly note?: string };

export type Recusal =
  /** `exhausted`: too few are left to reach the quorum. */
  | { readonly kind: "recused"; readonly review: AnyReview; readonly exhausted: boolean }
  | { readonly kind: "repeated" }
  | { readonly kind: "closed"; readonly closing: Closing }
  | { readonly kind: "late" }
  | {
      readonly kind: "notAllowed";
      readonly why: "notAReviewer" | OwnWhy | "left" | "hasApproved" | "isAskedAlready";
    };

/**
 * Judges a recusal. Refused: for a reviewer who has approved (the approval stands), for the
 * request's owner where they may not approve it themself (they would choose who does; so would a
 * reply's author), and to a reviewer who is asked already. The caller checks that `to` is a
 * reviewer at all.
 * @param now Unix milliseconds.
 */
export function recuse(review: AnyReview, { reviewer, to, note }: RecusalRequest, now: number): Recusal {
  if (review.left.some((each) => each.reviewer === reviewer && each.to === to)) return { kind: "repeated" };
  const barred = barredFrom(review, reviewer);
  if (barred !== null) return barred;
  if (review.closing !== null) return { kind: "closed", closing: review.closing };
  if (now >= review.deadlineAt) return { kind: "late" };
  if (review.votes.some((vote) => vote.reviewer === reviewer)) return { kind: "notAllowed", why: "hasApproved" };
  const own = ownBar(review, reviewer);
  if (to !== null && own !== null) return { kind: "notAllowed", why: own };
  if (to !== null && review.reviewers.includes(to)) return { kind: "notAllowed", why: "isAskedAlready" };
  const others = review.reviewers.filter((each) => each !== reviewer);
  const next: AnyReview = {
    ...review,
    reviewers: to === null ? others : [...others, to],
    left: [...review.left.filter((each) => each.reviewer !== to), { reviewer, at: now, to, ...(note === undefined ? {} : { note }) }],
  };
  return { kind: "recused", review: next, exhausted: ableToApprove(next) < review.quorum };
}

/**
 * A reviewer puts back one masked part. The caller checks that the policy names them, and makes the
 * content.
 */
export type LiftRequest = {
  readonly reviewer: string;
  /** The version and digest that the reviewer saw. */
  readonly version: number;
  readonly digest: string;
  /** The number of the redaction, and the digest of the content without it. */
  readonly mark: number;
  readonly liftedDigest: string;
};

export type Lifting =
  | { readonly kind: "lifted"; readonly review: AnyReview }
  | Extract<Verdict, { kind: "closed" | "stale" | "late" | "notAllowed" }>;

/**
 * Judges a lift: an edit that approves nothing. The new version has no approval, and each reviewer
 * decides about it anew.
 */
export function lift(review: AnyReview, { reviewer, version, digest, mark, liftedDigest }: LiftRequest, now: number): Lifting {
  const barred = barredFrom(review, reviewer);
  if (barred !== null) return barred;
  if (review.closing !== null) return { kind: "closed", closing: review.closing };
  if (now >= review.deadlineAt) return { kind: "late" };
  if (version !== review.version || digest !== review.digest) return { kind: "stale", version: review.version, digest: review.digest };
  const own = ownBar(review, reviewer);
  if (own !== null) return { kind: "notAllowed", why: own };
  const lifted = [...(review.lifted ?? []), mark];
  return { kind: "lifted", review: { ...review, version: review.version + 1, digest: liftedDigest, votes: [], lifted } };
}

/** How many of those who are asked may approve. */
export const ableToApprove = (review: AnyReview): number => review.reviewers.filter((each) => ownBar(review, each) === null).length;

/**
 * Asks more people. Null where that changes nothing: the review is over, or all of them are asked
 * or recused themselves.
 */
export function askAlso(
  review: AnyReview,
  names: readonly string[],
): { readonly review: AnyReview; readonly added: readonly string[]; readonly exhausted: boolean } | null {
  const added = names.filter((name) => !review.reviewers.includes(name) && review.left.every((each) => each.reviewer !== name));
  if (review.closing !== null || added.length === 0) return null;
  const next = { ...review, reviewers: [...review.reviewers, ...added] };
  return { review: next, added, exhausted: ableToApprove(next) < review.quorum };
}

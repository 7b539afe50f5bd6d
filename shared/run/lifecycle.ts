// The life of a run as a pure function: (state, event, now) gives the next state and what is to be done, as values.
//
// No clock, no storage, no content: digests stand for the request and the reply. The RunObject reads the state, asks
// `step`, commits what comes back in one transaction, and only then performs the effects.

import type { Gate, KeyEnd } from "../model/gate.ts";
import type { CancelCause } from "../model/outcome.ts";
import { type RiskLevel, type SeenRisk, isRiskAtLeast } from "../policy/risk.ts";
import {
  type Answer,
  type EndedWithoutDecision,
  type Recusal,
  type RecusalRequest,
  type Review,
  type Verdict,
  askAlso,
  closeReview,
  decide,
  recuse,
} from "../review/decision.ts";
import { unreachable } from "../result.ts";

/** A request that keeps killing the object that calls the model is not paid for without end. */
export const mostCalls = 3;

export type RunPhase = "received" | "requestReview" | "generating" | "responseReview" | "ended";

export type End =
  | { readonly kind: "completed" }
  | { readonly kind: "rejected"; readonly gate: Gate; readonly by: string; readonly reason: string | null }
  | { readonly kind: "undeliverable"; readonly gate: Gate }
  | { readonly kind: "expired"; readonly gate: Gate }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  | { readonly kind: "failed" };

/** Who decides at both gates of this run, taken down when it was received. */
export type ReviewTerms = {
  readonly reviewers: readonly string[];
  /** Who is asked too where the others take too long, or have all given up their places. */
  readonly escalateTo: readonly string[];
  readonly quorum: number;
  readonly owner: string | null;
  readonly selfApproval: boolean;
  readonly deadlineSeconds: number;
  /** Unix milliseconds: no gate stays open after this, whatever its own deadline. */
  readonly endsAt?: number;
  /** A call whose answer was lost is not made again: what it did cannot be done twice, or the requestor wanted one attempt. */
  readonly once?: true;
};

/** Whether a person must decide at each gate. */
export type RunGates = {
  readonly request: boolean;
  readonly response: boolean;
  /** Whether a person must decide about the reply to a request that a reviewer edited: what opened the gate was for the request as asked. */
  readonly responseIfEdited: boolean;
  /** The lowest risk of the reply at which a person must decide about it; null: whatever its risk is. */
  readonly responseIfRisk: RiskLevel | null;
};

/** Gates that nothing closes. */
export const openGates: RunGates = { request: false, response: false, responseIfEdited: false, responseIfRisk: null };

/** Whether a person must decide about this reply: by its gate, because the request was edited, or because of its risk. */
export const isReplyAsked = (gates: RunGates, isEdited: boolean, risk: SeenRisk): boolean =>
  gates.response || (isEdited && gates.responseIfEdited) || (gates.responseIfRisk !== null && isRiskAtLeast(risk, gates.responseIfRisk));

export type RunState = {
  readonly phase: RunPhase;
  readonly gates: RunGates;
  readonly terms: ReviewTerms;
  /** The request that is, or was, to be sent: its current digest. */
  readonly requestDigest: string;
  readonly reviews: { readonly request: Review | null; readonly response: Review | null };
  /** The model call under way or made last. A later call of the same run has a higher number. */
  readonly call: { readonly number: number; readonly startedAt: number } | null;
  readonly end: End | null;
};

export type RunEvent =
  | { readonly kind: "received" }
  | { readonly kind: "answered"; readonly gate: Gate; readonly answer: Answer }
  | { readonly kind: "recused"; readonly gate: Gate; readonly recusal: RecusalRequest }
  | { readonly kind: "escalate"; readonly gate: Gate }
  | { readonly kind: "deadline"; readonly gate: Gate }
  /** No channel reaches these, who are all that are asked. */
  | { readonly kind: "undeliverable"; readonly gate: Gate; readonly reviewers: readonly string[] }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  /** `risk`: of the reply. */
  | { readonly kind: "generated"; readonly call: number; readonly replyDigest: string; readonly risk: SeenRisk }
  | { readonly kind: "callFailed"; readonly call: number }
  /** The object that made the call is gone and its answer with it. */
  | { readonly kind: "callLost"; readonly call: number };

/** Why reviewers hear of a review: it was opened, handed to them, or is late. */
export type AskWhy = "asked" | "handedOver" | "escalated";

export type Effect =
  /** A review has begun: its clock runs. */
  | { readonly kind: "open"; readonly gate: Gate }
  | { readonly kind: "ask"; readonly gate: Gate; readonly reviewers: readonly string[]; readonly why: AskWhy }
  /** What they were shown is not what is there now: an edit, or somebody's vote. */
  | { readonly kind: "tellAgain"; readonly gate: Gate; readonly why: "changed" | "voted" }
  /** These are not asked any more, and are to be left alone. */
  | { readonly kind: "release"; readonly gate: Gate; readonly reviewers: readonly string[] }
  | { readonly kind: "withdraw"; readonly gate: Gate }
  /** `again`: an earlier call of this run may have been paid for; the record must say so. */
  | { readonly kind: "callModel"; readonly call: number; readonly again: boolean }
  | { readonly kind: "finish" };

export type Step = {
  readonly state: RunState;
  readonly effects: readonly Effect[];
  /** For an answer only. */
  readonly verdict: Verdict | null;
  /** For a reviewer who gives up their place only. */
  readonly recusal?: Recusal;
};

export const isKeyEnd = (cause: CancelCause): cause is KeyEnd => cause === "keyRevoked" || cause === "keyExpired";

/** A run as it begins: nothing asked, nothing called. */
export const newRun = (gates: RunState["gates"], terms: ReviewTerms, requestDigest: string): RunState => ({
  phase: "received",
  gates,
  terms,
  requestDigest,
  reviews: { request: null, response: null },
  call: null,
  end: null,
});

/**
 * One step of a run's life. An event that no longer applies (a late deadline, an answer of a call that was given up, a
 * cancellation after the end) changes nothing and has no effects: everything may come twice.
 * @param now Unix milliseconds.
 */
export function step(state: RunState, event: RunEvent, now: number): Step {
  switch (event.kind) {
    case "received":
      if (state.phase !== "received") return still(state);
      return state.gates.request ? openReview(state, "request", state.requestDigest, now) : startCall(state, now, false);
    case "answered":
      return answered(state, event.gate, event.answer, now);
    case "recused":
      return recused(state, event.gate, event.recusal, now);
    case "escalate": {
      const review = openGate(state) === event.gate ? state.reviews[event.gate] : null;
      if (review === null) return still(state);
      const asked = escalated(state, review);
      return asked === null ? still(state) : { state: asked.state, effects: asked.effects, verdict: null };
    }
    case "deadline": {
      const review = state.reviews[event.gate];
      if (review === null || now < review.deadlineAt) return still(state);
      return endReview(state, review, { how: "expired", at: now }, { kind: "expired", gate: event.gate });
    }
    case "undeliverable":
      return unreached(state, event.gate, event.reviewers, now);
    case "cancelled":
      return cancelled(state, event.cause, now);
    case "generated":
      if (!isCurrentCall(state, event.call)) return still(state);
      return isReplyAsked(state.gates, isEdited(state), event.risk)
        ? openReview(state, "response", event.replyDigest, now)
        : finish(state, { kind: "completed" });
    case "callFailed":
      return isCurrentCall(state, event.call) ? finish(state, { kind: "failed" }) : still(state);
    case "callLost":
      if (!isCurrentCall(state, event.call)) return still(state);
      return event.call < mostCalls && state.terms.once !== true ? startCall(state, now, true) : finish(state, { kind: "failed" });
    default:
      return unreachable(event);
  }
}

function answered(state: RunState, gate: Gate, answer: Answer, now: number): Step {
  const review = state.reviews[gate];
  if (review === null) return { ...still(state), verdict: { kind: "stale", version: 0, digest: "" } };
  const verdict = decide(review, answer, now);
  switch (verdict.kind) {
    case "voted": {
      const next = withReview(state, verdict.review);
      // Others approved, or are yet to be asked about, what was there before the edit.
      return { state: next, effects: [{ kind: "tellAgain", gate, why: verdict.edited ? "changed" : "voted" }], verdict };
    }
    case "approved": {
      const next = withReview(state, verdict.review);
      const onward = gate === "request" ? startCall(next, now, false) : finish(next, { kind: "completed" });
      return { state: onward.state, effects: [{ kind: "withdraw", gate }, ...onward.effects], verdict };
    }
    case "denied": {
      const end: End = { kind: "rejected", gate, by: answer.reviewer, reason: answer.reason ?? null };
      const ended = finish(withReview(state, verdict.review), end);
      return { state: ended.state, effects: [{ kind: "withdraw", gate }, ...ended.effects], verdict };
    }
    case "repeated":
    case "closed":
    case "stale":
    case "late":
    case "notAllowed":
      return { ...still(state), verdict };
    default:
      return unreachable(verdict);
  }
}

/** A reviewer recuses themself: the person they handed the review to is asked, or, where too few reviewers are left, those of the escalation; otherwise nobody can decide it any more. */
function recused(state: RunState, gate: Gate, request: RecusalRequest, now: number): Step {
  const review = state.reviews[gate];
  if (review === null) return { ...still(state), recusal: { kind: "notAllowed", why: "notAReviewer" } };
  const recusal = recuse(review, request, now);
  if (recusal.kind !== "recused") return { ...still(state), recusal };
  const released: Effect = { kind: "release", gate, reviewers: [request.reviewer] };
  const next = withReview(state, recusal.review);
  if (!recusal.exhausted) {
    const handOverCandidates: Effect[] = request.to === null ? [] : [{ kind: "ask", gate, reviewers: [request.to], why: "handedOver" }];
    return { state: next, effects: [released, ...handOverCandidates], verdict: null, recusal };
  }
  const asked = escalated(next, recusal.review);
  if (asked !== null && !asked.exhausted) return { state: asked.state, effects: [released, ...asked.effects], verdict: null, recusal };
  const closing = { how: "undeliverable", at: now, cause: "noReviewerLeft" } as const;
  const ended = endReview(next, recusal.review, closing, { kind: "undeliverable", gate });
  return { ...ended, effects: [released, ...ended.effects], recusal };
}

/** Where none of those who are asked can be reached: those of the escalation are asked at once, and else it is over. */
function unreached(state: RunState, gate: Gate, reviewers: readonly string[], now: number): Step {
  const review = openGate(state) === gate ? state.reviews[gate] : null;
  const isAll = review?.reviewers.length === reviewers.length && review.reviewers.every((each) => reviewers.includes(each));
  // Somebody else has been asked since.
  if (review === null || !isAll) return still(state);
  const asked = escalated(state, review);
  if (asked !== null) return { state: asked.state, effects: asked.effects, verdict: null };
  return endReview(state, review, { how: "undeliverable", at: now, cause: "noneReached" }, { kind: "undeliverable", gate });
}

function escalated(state: RunState, review: Review): (Pick<Step, "state" | "effects"> & { readonly exhausted: boolean }) | null {
  const asked = askAlso(review, state.terms.escalateTo);
  if (asked === null) return null;
  return {
    state: withReview(state, asked.review),
    effects: [{ kind: "ask", gate: review.gate, reviewers: asked.added, why: "escalated" }],
    exhausted: asked.exhausted,
  };
}

function cancelled(state: RunState, cause: CancelCause, now: number): Step {
  if (state.phase === "ended") return still(state);
  const gate = openGate(state);
  const review = gate === null ? null : state.reviews[gate];
  if (review !== null) return endReview(state, review, { how: "cancelled", at: now, cause }, { kind: "cancelled", cause });
  return finish(state, { kind: "cancelled", cause });
}

/** A run that was completed and whose reply was not let out before its key ended: it is let out to nobody. */
export const withheld = (state: RunState, cause: KeyEnd): RunState =>
  state.end?.kind === "completed" ? { ...state, end: { kind: "cancelled", cause } } : state;

function endReview(state: RunState, review: Review, closing: EndedWithoutDecision, end: End): Step {
  const closed = closeReview(review, closing);
  if (closed === null) return still(state);
  const ended = finish(withReview(state, closed), end);
  return { state: ended.state, effects: [{ kind: "withdraw", gate: review.gate }, ...ended.effects], verdict: null };
}

/** The gate that is open and waiting, if any. */
export function openGate(state: RunState): Gate | null {
  if (state.phase === "requestReview") return "request";
  return state.phase === "responseReview" ? "response" : null;
}

/** Whether a reviewer made another request of the one that was asked. */
export const isEdited = ({ reviews }: Pick<RunState, "reviews">): boolean => (reviews.request?.version ?? 1) > 1;

const still = (state: RunState): Step => ({ state, effects: [], verdict: null });

const isCurrentCall = (state: RunState, call: number): boolean => state.phase === "generating" && state.call?.number === call;

/** An approved edit at the request gate is what is sent: the state's digest follows the review's. */
const withReview = (state: RunState, review: Review): RunState => ({
  ...state,
  requestDigest: review.gate === "request" ? review.digest : state.requestDigest,
  reviews: { ...state.reviews, [review.gate]: review },
});

function openReview(state: RunState, gate: Gate, digest: string, now: number): Step {
  const { reviewers, quorum, owner, selfApproval, deadlineSeconds, endsAt = Number.POSITIVE_INFINITY } = state.terms;
  const review: Review = {
    gate,
    version: 1,
    digest,
    openedAt: now,
    deadlineAt: Math.min(now + deadlineSeconds * 1000, endsAt),
    quorum,
    reviewers,
    left: [],
    owner,
    selfApproval,
    votes: [],
    closing: null,
  };
  const phase = gate === "request" ? "requestReview" : "responseReview";
  return {
    state: { ...withReview(state, review), phase },
    effects: [
      { kind: "open", gate },
      { kind: "ask", gate, reviewers, why: "asked" },
    ],
    verdict: null,
  };
}

function startCall(state: RunState, now: number, again: boolean): Step {
  const call = (state.call?.number ?? 0) + 1;
  return {
    state: { ...state, phase: "generating", call: { number: call, startedAt: now } },
    effects: [{ kind: "callModel", call, again }],
    verdict: null,
  };
}

const finish = (state: RunState, end: End): Step => ({
  state: { ...state, phase: "ended", end },
  effects: [{ kind: "finish" }],
  verdict: null,
});

// The life of a run as a pure function: state, event and time give the next state and its effects,
// as values.
//
// No clock, no storage, no content: digests stand for the request and the reply. The RunObject
// reads the state, calls `step`, commits the result in one transaction, and only then performs the
// effects.

import type { Gate, KeyEnd } from "../model/gate.ts";
import type { CancelCause } from "../model/outcome.ts";
import { isSamePerson } from "../policy/person.ts";
import { type RiskLevel, type SeenRisk, isRiskAtLeast } from "../policy/risk.ts";
import {
  type Answer,
  type EndedWithoutDecision,
  type LiftRequest,
  type Lifting,
  type Recusal,
  type RecusalRequest,
  type Review,
  type Verdict,
  type WrittenReply,
  ableToApprove,
  askAlso,
  closeReview,
  decide,
  lift,
  ownBar,
  recuse,
} from "../review/decision.ts";
import { unreachable } from "../result.ts";

/** Bounds the cost of a request that crashes its object at each model call. */
export const mostCalls = 3;

export type RunPhase = "received" | "requestReview" | "generating" | "responseReview" | "ended";

export type End =
  | { readonly kind: "completed" }
  | { readonly kind: "rejected"; readonly gate: Gate; readonly by: string; readonly reason: string | null }
  | { readonly kind: "undeliverable"; readonly gate: Gate }
  | { readonly kind: "expired"; readonly gate: Gate }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  /** `contentUnreadable`: the key that its content was encrypted with is not set. */
  | { readonly kind: "failed"; readonly why?: "contentUnreadable" };

/** Who decides at both gates, as of when the run was received. */
export type ReviewTerms = {
  readonly reviewers: readonly string[];
  /** Asked too where the others take too long, or too few of them are left. */
  readonly escalateTo: readonly string[];
  readonly quorum: number;
  readonly owner: string | null;
  readonly selfApproval: boolean;
  readonly deadlineSeconds: number;
  /** Unix milliseconds: a gate's deadline is never later. */
  readonly endsAt?: number;
  /**
   * A call whose answer was lost is not repeated: it has effects, or the requestor wanted one
   * attempt.
   */
  readonly once?: true;
};

/** Whether a person must decide at each gate. */
export type RunGates = {
  readonly request: boolean;
  readonly response: boolean;
  /**
   * The same for the reply to an edited request: what opened the gate was for the request as asked.
   */
  readonly responseIfEdited: boolean;
  /** The lowest risk of the reply at which a person must decide about it; null: no risk. */
  readonly responseIfRisk: RiskLevel | null;
};

/** Gates that nothing closes. */
export const openGates: RunGates = { request: false, response: false, responseIfEdited: false, responseIfRisk: null };

/**
 * Whether a person must decide about this reply: by its gate, because the request was edited, or
 * because of its risk.
 */
export const isReplyAsked = (gates: RunGates, isEdited: boolean, risk: SeenRisk): boolean =>
  gates.response || (isEdited && gates.responseIfEdited) || (gates.responseIfRisk !== null && isRiskAtLeast(risk, gates.responseIfRisk));

export type RunState = {
  readonly phase: RunPhase;
  readonly gates: RunGates;
  readonly terms: ReviewTerms;
  /** The digest of the current request. */
  readonly requestDigest: string;
  readonly reviews: { readonly request: Review | null; readonly response: Review | null };
  /** The current or last model call. Numbers count up. */
  readonly call: { readonly number: number; readonly startedAt: number } | null;
  readonly end: End | null;
};

export type RunEvent =
  | { readonly kind: "received" }
  | { readonly kind: "answered"; readonly gate: Gate; readonly answer: Answer }
  | { readonly kind: "recused"; readonly gate: Gate; readonly recusal: RecusalRequest }
  | { readonly kind: "lifted"; readonly gate: Gate; readonly lift: LiftRequest }
  | { readonly kind: "escalate"; readonly gate: Gate }
  | { readonly kind: "deadline"; readonly gate: Gate }
  /** No channel reaches these reviewers. */
  | { readonly kind: "undeliverable"; readonly gate: Gate; readonly reviewers: readonly string[] }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  /** The key of the run's content is not set. */
  | { readonly kind: "unreadable" }
  /** `risk`: of the reply. */
  | { readonly kind: "generated"; readonly call: number; readonly replyDigest: string; readonly risk: SeenRisk }
  | { readonly kind: "callFailed"; readonly call: number }
  /** The object that made the call is gone, and the answer with it. */
  | { readonly kind: "callLost"; readonly call: number };

export type AskWhy = "asked" | "handedOver" | "escalated";

export type Effect =
  | { readonly kind: "open"; readonly gate: Gate }
  | { readonly kind: "ask"; readonly gate: Gate; readonly reviewers: readonly string[]; readonly why: AskWhy }
  /** An edit or a vote made what reviewers were shown out of date. */
  | { readonly kind: "tellAgain"; readonly gate: Gate; readonly why: "changed" | "voted" }
  /** These reviewers are no longer asked: their notices and reminders end. */
  | { readonly kind: "release"; readonly gate: Gate; readonly reviewers: readonly string[] }
  | { readonly kind: "withdraw"; readonly gate: Gate }
  /**
   * The reply that a reviewer wrote, and that was approved at the request gate, is the reply of the
   * run.
   */
  | { readonly kind: "takeReply" }
  /** Writing that reply was its author's approval of it at the response gate. */
  | { readonly kind: "authorApproved"; readonly verdict: "voted" | "approved" }
  /** `again`: an earlier call of this run may have cost money, which the record must say. */
  | { readonly kind: "callModel"; readonly call: number; readonly again: boolean }
  | { readonly kind: "finish" };

export type Step = {
  readonly state: RunState;
  readonly effects: readonly Effect[];
  /** For the event `answered`. */
  readonly verdict: Verdict | null;
  /** For the event `recused`. */
  readonly recusal?: Recusal;
  /** For the event `lifted`. */
  readonly lifting?: Lifting;
};

export const isKeyEnd = (cause: CancelCause): cause is KeyEnd => cause === "keyRevoked" || cause === "keyExpired";

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
 * One step of a run's life. An event that no longer applies (a late deadline, the answer of an
 * abandoned call, a cancellation after the end) changes nothing and has no effects, because every
 * event may come twice.
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
    case "lifted":
      return lifted(state, event.gate, event.lift, now);
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
    case "unreadable":
      return unreadable(state, now);
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
      // Other reviewers were shown the version before the edit.
      return { state: next, effects: [{ kind: "tellAgain", gate, why: verdict.edited ? "changed" : "voted" }], verdict };
    }
    case "approved": {
      const next = withReview(state, verdict.review);
      const onward = gate === "request" ? afterRequestGate(next, verdict.review, now) : finish(next, { kind: "completed" });
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

/**
 * A redaction is lifted: the votes are void, and those who are asked are told of the new version.
 */
function lifted(state: RunState, gate: Gate, request: LiftRequest, now: number): Step {
  const review = state.reviews[gate];
  if (review === null) return { ...still(state), lifting: { kind: "notAllowed", why: "notAReviewer" } };
  const lifting = lift(review, request, now);
  if (lifting.kind !== "lifted") return { ...still(state), lifting };
  return { state: withReview(state, lifting.review), effects: [{ kind: "tellAgain", gate, why: "changed" }], verdict: null, lifting };
}

/**
 * Calls the model, or takes the reply that a reviewer wrote in its place: no model is called then,
 * and the response gate is as for any reply.
 */
function afterRequestGate(state: RunState, { written }: Review, now: number): Step {
  if (written === undefined) return startCall(state, now, false);
  const onward = isReplyAsked(state.gates, isEdited(state), written.risk)
    ? reviewWritten(state, written, now)
    : finish(state, { kind: "completed" });
  return { ...onward, effects: [{ kind: "takeReply" }, ...onward.effects] };
}

/**
 * The response gate of a written reply. To write it was to approve it: its author has a vote here,
 * where the rule lets them decide here, and is not asked again. Not where its warnings close the
 * gate, because the page on which it was written shows none. Where too few others may approve it,
 * those of the escalation are asked at once, or the run ends.
 */
function reviewWritten(state: RunState, written: WrittenReply, now: number): Step {
  const opened = openReview(state, "response", written.reply, now, written.by);
  const review = opened.state.reviews.response;
  const channel = state.reviews.request?.votes.find(({ reviewer }) => reviewer === written.by)?.channel;
  if (review === null) return opened;
  const { responseIfRisk } = state.gates;
  const isWarned = responseIfRisk !== null && isRiskAtLeast(written.risk, responseIfRisk);
  const own: Answer = { act: "approve", reviewer: written.by, channel: channel ?? "", version: review.version, digest: review.digest };
  const verdict = isWarned || channel === undefined ? null : decide(review, own, now);
  if (verdict?.kind === "approved") {
    const ended = finish(withReview(opened.state, verdict.review), { kind: "completed" });
    return { ...ended, effects: [{ kind: "authorApproved", verdict: "approved" }, ...ended.effects] };
  }
  const mayAsk = verdict === null && ownBar(review, written.by) === null;
  const asks: Effect[] = opened.effects.flatMap((effect) => {
    if (effect.kind !== "ask" || mayAsk) return [effect];
    const others = effect.reviewers.filter((name) => name !== written.by);
    return others.length === 0 ? [] : [{ ...effect, reviewers: others }];
  });
  if (verdict?.kind === "voted") {
    const effects: Effect[] = [...asks, { kind: "authorApproved", verdict: "voted" }];
    return { state: withReview(opened.state, verdict.review), effects, verdict: null };
  }
  if (ableToApprove(review) >= review.quorum) return { ...opened, effects: asks };
  const asked = escalated(opened.state, review);
  if (asked !== null && !asked.exhausted) return { state: asked.state, effects: [...asks, ...asked.effects], verdict: null };
  const closing = { how: "undeliverable", at: now, cause: "noReviewerLeft" } as const;
  const ended = endReview(opened.state, review, closing, { kind: "undeliverable", gate: "response" });
  return { ...ended, effects: [...asks, ...ended.effects] };
}

/** Whether enough people could approve a reply that this reviewer writes. */
export function mayAuthor({ gates, terms }: RunState, reviewer: string): boolean {
  if (terms.selfApproval || !(gates.response || gates.responseIfEdited || gates.responseIfRisk !== null)) return true;
  const people = new Set([...terms.reviewers, ...terms.escalateTo]);
  return [...people].filter((each) => each !== reviewer && !isSamePerson(terms.owner, each)).length >= terms.quorum;
}

/**
 * Asks the reviewer to whom it was handed. Where too few reviewers are left, asks those of the
 * escalation, else ends the run.
 */
function recused(state: RunState, gate: Gate, request: RecusalRequest, now: number): Step {
  const review = state.reviews[gate];
  if (review === null) return { ...still(state), recusal: { kind: "notAllowed", why: "notAReviewer" } };
  const recusal = recuse(review, request, now);
  if (recusal.kind !== "recused") return { ...still(state), recusal };
  const released: Effect = { kind: "release", gate, reviewers: [request.reviewer] };
  const next = withReview(state, recusal.review);
  if (!recusal.exhausted) {
    const asks: Effect[] = request.to === null ? [] : [{ kind: "ask", gate, reviewers: [request.to], why: "handedOver" }];
    return { state: next, effects: [released, ...asks], verdict: null, recusal };
  }
  const asked = escalated(next, recusal.review);
  if (asked !== null && !asked.exhausted) return { state: asked.state, effects: [released, ...asked.effects], verdict: null, recusal };
  const closing = { how: "undeliverable", at: now, cause: "noReviewerLeft" } as const;
  const ended = endReview(next, recusal.review, closing, { kind: "undeliverable", gate });
  return { ...ended, effects: [released, ...ended.effects], recusal };
}

/** Where no reviewer can be reached: asks those of the escalation at once, else ends the run. */
function unreached(state: RunState, gate: Gate, reviewers: readonly string[], now: number): Step {
  const review = openGate(state) === gate ? state.reviews[gate] : null;
  const isAll = review?.reviewers.length === reviewers.length && review.reviewers.every((each) => reviewers.includes(each));
  // Another reviewer has been asked since.
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

function unreadable(state: RunState, now: number): Step {
  if (state.phase === "ended") return still(state);
  const end: End = { kind: "failed", why: "contentUnreadable" };
  const gate = openGate(state);
  const review = gate === null ? null : state.reviews[gate];
  return review === null
    ? finish(state, end)
    : endReview(state, review, { how: "undeliverable", at: now, cause: "contentUnreadable" }, end);
}

/** A completed run whose reply was not delivered before its key ended: it is cancelled. */
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

/** Whether a reviewer edited the request, or wrote a reply in the model's place. */
export const isEdited = ({ reviews }: Pick<RunState, "reviews">): boolean => (reviews.request?.version ?? 1) > 1;

const still = (state: RunState): Step => ({ state, effects: [], verdict: null });

const isCurrentCall = (state: RunState, call: number): boolean => state.phase === "generating" && state.call?.number === call;

/**
 * The request that is sent is the request gate's current version, so the state's digest follows its
 * review.
 */
const withReview = (state: RunState, review: Review): RunState => ({
  ...state,
  requestDigest: review.gate === "request" ? review.digest : state.requestDigest,
  reviews: { ...state.reviews, [review.gate]: review },
});

function openReview(state: RunState, gate: Gate, digest: string, now: number, author?: string): Step {
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
    ...(author === undefined ? {} : { author }),
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

// The life of a run as a pure function: state, event and time give the next state and its effects,
// as values.
//
// A run goes through its stages in their order: at a review people decide, at an act something is
// done. No clock, no storage, no content: digests stand for the request and the reply. The object
// reads the state, calls `step`, commits the result in one transaction, and only then performs the
// effects.

import type { Gate, KeyEnd } from "../model/gate.ts";
import type { CancelCause } from "../model/outcome.ts";
import { isSamePerson } from "../policy/person.ts";
import { type RiskLevel, type SeenRisk, isRiskAtLeast } from "../policy/risk.ts";
import {
  type Answer,
  type AnyReview,
  type EndedWithoutDecision,
  type LiftRequest,
  type Lifting,
  type Recusal,
  type RecusalRequest,
  type Review,
  type UndeliverableCause,
  type Verdict,
  type Vote,
  ableToApprove,
  askAlso,
  closeReview,
  decide,
  knownIn,
  lift,
  ownBar,
  recuse,
} from "../review/decision.ts";
import { unreachable } from "../result.ts";

/** Bounds the cost of a request that crashes its object at each model call. */
export const mostCalls = 3;

/**
 * When a person must decide: in every case, about what an earlier review edited, or by the risk.
 */
export type Condition = { readonly kind: "always" | "ifEdited" } | { readonly kind: "ifRisk"; readonly level: RiskLevel };

/** What conditions are about. `isEdited`: at an earlier review. */
export type ReviewedContent = { readonly isEdited: boolean; readonly risk: SeenRisk };

/** `Name`: what a run's reviews are called. The lifecycle knows none of the names. */
export type Stage<Name extends string = Gate> =
  /** Opens where one of its conditions holds. */
  | { readonly kind: "review"; readonly name: Name; readonly when: readonly Condition[] }
  /**
   * `model`, `tool`: it is called, and the stages after are about its output. `release`: the
   * caller's own request goes on, once it claims that, and is then a call like the others. `none`:
   * nothing is done.
   */
  | { readonly kind: "act"; readonly act: "model" | "tool" | "release" | "none" };

/** What a run is about at a stage: first its request, then what came of it. */
export type ContentDigest = {
  readonly digest: string;
  readonly risk: SeenRisk;
  /** Who wrote it in an act's place. */
  readonly author?: string;
};

export type End<Name extends string = Gate> =
  | { readonly kind: "completed" }
  | { readonly kind: "rejected"; readonly gate: Name; readonly by: string; readonly reason: string | null }
  | { readonly kind: "undeliverable"; readonly gate: Name }
  | { readonly kind: "expired"; readonly gate: Name }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  /** `contentUnreadable`: the key that its content was encrypted with is not set. */
  | { readonly kind: "failed"; readonly why?: "contentUnreadable" };

/** Who decides at the reviews, as of when the run was received. */
export type ReviewTerms = {
  readonly reviewers: readonly string[];
  /** Asked too where the others take too long, or too few of them are left. */
  readonly escalateTo: readonly string[];
  readonly quorum: number;
  readonly owner: string | null;
  readonly selfApproval: boolean;
  readonly deadlineSeconds: number;
  /** Unix milliseconds: a review's deadline is never later. */
  readonly endsAt?: number;
  /**
   * A call whose answer was lost is not repeated: it has effects, or the requestor wanted one
   * attempt.
   */
  readonly once?: true;
};

export type RunState<Name extends string = Gate> = {
  readonly stages: readonly Stage<Name>[];
  /** The stage that the run is at, or at which it ended; `notBegun` before the first. */
  readonly at: number;
  readonly terms: ReviewTerms;
  readonly content: ContentDigest;
  /** Null: not opened. */
  readonly reviews: Readonly<Record<Name, Review<Name> | null>>;
  /** The current or last call. Numbers count up. `startedAt`: null until its caller claims it. */
  readonly call: { readonly number: number; readonly startedAt: number | null } | null;
  readonly end: End<Name> | null;
};

export const notBegun = -1;

export type RunEvent<Name extends string = Gate> =
  | { readonly kind: "received" }
  | { readonly kind: "answered"; readonly gate: Name; readonly answer: Answer }
  | { readonly kind: "recused"; readonly gate: Name; readonly recusal: RecusalRequest }
  | { readonly kind: "lifted"; readonly gate: Name; readonly lift: LiftRequest }
  | { readonly kind: "escalate"; readonly gate: Name }
  /** An operator asks these people as well. */
  | { readonly kind: "askMore"; readonly gate: Name; readonly reviewers: readonly string[] }
  | { readonly kind: "deadline"; readonly gate: Name }
  /** No channel reaches these reviewers. */
  | { readonly kind: "undeliverable"; readonly gate: Name; readonly reviewers: readonly string[] }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  /** The key of the run's content is not set. */
  | { readonly kind: "unreadable" }
  /** The caller sends the approved request itself, from now on. */
  | { readonly kind: "claimed"; readonly call: number }
  /** That request was refused before anything was done: the approval waits again. */
  | { readonly kind: "unsent"; readonly call: number }
  /** The call's output. `risk`: of the reply. */
  | { readonly kind: "generated"; readonly call: number; readonly replyDigest: string; readonly risk: SeenRisk }
  | { readonly kind: "callFailed"; readonly call: number }
  /** Whoever made the call is gone, and the answer with it. */
  | { readonly kind: "callLost"; readonly call: number };

export type AskWhy = "asked" | "handedOver" | "escalated";

export type Effect<Name extends string = Gate> =
  | { readonly kind: "open"; readonly gate: Name }
  /** `added`: by an operator; to the reviewer it is as if they were asked first. */
  | { readonly kind: "ask"; readonly gate: Name; readonly reviewers: readonly string[]; readonly why: AskWhy | "added" }
  /** An edit or a vote made what reviewers were shown out of date. */
  | { readonly kind: "tellAgain"; readonly gate: Name; readonly why: "changed" | "voted" }
  /** These reviewers are no longer asked: their notices and reminders end. */
  | { readonly kind: "release"; readonly gate: Name; readonly reviewers: readonly string[] }
  | { readonly kind: "withdraw"; readonly gate: Name }
  /** The approved reply that a reviewer wrote is the reply of the run. */
  | { readonly kind: "takeReply" }
  /** Writing that reply was its author's approval of it at this review. */
  | { readonly kind: "authorApproved"; readonly gate: Name; readonly verdict: "voted" | "approved" }
  /** `again`: an earlier call of this run may have cost money, which the record must say. */
  | { readonly kind: "call"; readonly call: number; readonly again: boolean }
  /** The caller may claim that its own request goes on. */
  | { readonly kind: "passOn"; readonly call: number }
  | { readonly kind: "finish" };

export type Step<Name extends string = Gate> = {
  readonly state: RunState<Name>;
  readonly effects: readonly Effect<Name>[];
  /** For the event `answered`. */
  readonly verdict: Verdict | null;
  /** For the event `recused`. */
  readonly recusal?: Recusal;
  /** For the event `lifted`. */
  readonly lifting?: Lifting;
};

export const isKeyEnd = (cause: CancelCause): cause is KeyEnd => cause === "keyRevoked" || cause === "keyExpired";

export const newRun = <Name extends string>(begun: Pick<RunState<Name>, "stages" | "terms" | "content" | "reviews">): RunState<Name> => ({
  ...begun,
  at: notBegun,
  call: null,
  end: null,
});

/**
 * One step of a run's life. An event that no longer applies (a late deadline, the answer of an
 * abandoned call, a cancellation after the end) changes nothing and has no effects, because every
 * event may come twice.
 * @param now Unix milliseconds.
 */
export function step<Name extends string>(state: RunState<Name>, event: RunEvent<Name>, now: number): Step<Name> {
  switch (event.kind) {
    case "received":
      return state.at === notBegun && state.end === null ? advance(state, now) : still(state);
    case "answered":
      return answered(state, event.gate, event.answer, now);
    case "recused":
      return recused(state, event.gate, event.recusal, now);
    case "lifted":
      return lifted(state, event.gate, event.lift, now);
    case "escalate":
      return (openGate(state) === event.gate ? escalated(state, event.gate) : null) ?? still(state);
    case "askMore":
      return askedMore(state, event.gate, event.reviewers, now) ?? still(state);
    case "deadline": {
      const review = state.reviews[event.gate];
      if (review === null || now < review.deadlineAt) return still(state);
      return endReview(state, event.gate, { how: "expired", at: now }, { kind: "expired", gate: event.gate });
    }
    case "undeliverable":
      return unreached(state, event.gate, event.reviewers, now);
    case "cancelled":
      return stop(state, { how: "cancelled", at: now, cause: event.cause }, { kind: "cancelled", cause: event.cause });
    case "unreadable": {
      const why = "contentUnreadable";
      return stop(state, { how: "undeliverable", at: now, cause: why }, { kind: "failed", why });
    }
    case "claimed": {
      const { call } = state;
      if (!isUnclaimed(state) || call?.number !== event.call) return still(state);
      return { ...still(state), state: { ...state, call: { ...call, startedAt: now } } };
    }
    case "unsent": {
      // Another number: that this comes twice does not free what was claimed after it.
      if (!isRelease(state) || !isCurrentCall(state, event.call)) return still(state);
      return { ...still(state), state: { ...state, call: { number: nextCall(state), startedAt: null } } };
    }
    case "generated":
      if (!isCurrentCall(state, event.call)) return still(state);
      return advance({ ...state, content: { digest: event.replyDigest, risk: event.risk } }, now);
    case "callFailed":
      return isCurrentCall(state, event.call) ? finish(state, { kind: "failed" }) : still(state);
    case "callLost":
      if (!isCurrentCall(state, event.call)) return still(state);
      return event.call < mostCalls && state.terms.once !== true && !isRelease(state)
        ? startCall(state, now, true)
        : finish(state, { kind: "failed" });
    default:
      return unreachable(event);
  }
}

/**
 * Goes on to the next stage that has something to do: a review whose condition holds, or an act. At
 * the end of the list the run is complete.
 * @param own Their own vote, of the author of what was just written.
 */
function advance<Name extends string>(state: RunState<Name>, now: number, own?: Vote, at: number = state.at + 1): Step<Name> {
  const stage = state.stages[at];
  if (stage === undefined) return finish(state, { kind: "completed" });
  const here = { ...state, at };
  if (stage.kind === "review") {
    const isEdited = state.stages.some((each) => each.kind === "review" && (state.reviews[each.name]?.version ?? 1) > 1);
    return isReviewDue(stage.when, { isEdited, risk: state.content.risk })
      ? openReview(here, stage, now, own)
      : advance(state, now, own, at + 1);
  }
  switch (stage.act) {
    case "model":
    case "tool":
      return startCall(here, now, false);
    case "release": {
      const call = nextCall(here);
      return { state: { ...here, call: { number: call, startedAt: null } }, effects: [{ kind: "passOn", call }], verdict: null };
    }
    case "none":
      return advance(state, now, own, at + 1);
    default:
      return unreachable(stage.act);
  }
}

/** Whether a person must decide about this content. */
export const isReviewDue = (when: readonly Condition[], content: ReviewedContent): boolean =>
  when.some((condition) =>
    condition.kind === "ifRisk" ? isRiskAtLeast(content.risk, condition.level) : condition.kind === "always" || content.isEdited,
  );

function answered<Name extends string>(state: RunState<Name>, gate: Name, answer: Answer, now: number): Step<Name> {
  const review = state.reviews[gate];
  if (review === null) return { ...still(state), verdict: { kind: "stale", version: 0, digest: "" } };
  const verdict = decide(review, answer, now);
  switch (verdict.kind) {
    case "voted": {
      // Other reviewers were shown the version before the edit.
      const why = verdict.edited ? "changed" : "voted";
      return { state: withReview(state, gate, verdict.review), effects: [{ kind: "tellAgain", gate, why }], verdict };
    }
    case "approved":
      return { ...after([{ kind: "withdraw", gate }], approved(withReview(state, gate, verdict.review), verdict.review, now)), verdict };
    case "denied":
    case "dismissed": {
      const end: End<Name> =
        verdict.kind === "dismissed"
          ? { kind: "cancelled", cause: "dismissed" }
          : { kind: "rejected", gate, by: answer.reviewer, reason: answer.reason ?? null };
      return { ...after([{ kind: "withdraw", gate }], finish(withReview(state, gate, verdict.review), end)), verdict };
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
function lifted<Name extends string>(state: RunState<Name>, gate: Name, request: LiftRequest, now: number): Step<Name> {
  const review = state.reviews[gate];
  if (review === null) return { ...still(state), lifting: { kind: "notAllowed", why: "notAReviewer" } };
  const lifting = lift(review, request, now);
  if (lifting.kind !== "lifted") return { ...still(state), lifting };
  return { state: withReview(state, gate, lifting.review), effects: [{ kind: "tellAgain", gate, why: "changed" }], verdict: null, lifting };
}

/**
 * Goes on from an approved review. Where a reviewer wrote the output of the act that follows, that
 * act has nothing to do.
 */
function approved<Name extends string>(state: RunState<Name>, { written, votes }: AnyReview, now: number): Step<Name> {
  if (written === undefined) return advance(state, now);
  const replaced = state.stages.findIndex(({ kind }, at) => kind === "act" && at > state.at);
  const output: RunState<Name> = {
    ...state,
    stages: state.stages.map((stage, at) => (at === replaced ? { kind: "act", act: "none" } : stage)),
    content: { digest: written.reply, risk: written.risk, author: written.by },
  };
  const own = votes.find(({ reviewer }) => reviewer === written.by);
  return after([{ kind: "takeReply" }], advance(output, now, own));
}

function openReview<Name extends string>(
  state: RunState<Name>,
  { name: gate, when }: Extract<Stage<Name>, { kind: "review" }>,
  now: number,
  own?: Vote,
): Step<Name> {
  const { reviewers, quorum, owner, selfApproval, deadlineSeconds, endsAt = Number.POSITIVE_INFINITY } = state.terms;
  const { digest, risk, author } = state.content;
  const review: Review<Name> = {
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
  const effects: Effect<Name>[] = [
    { kind: "open", gate },
    { kind: "ask", gate, reviewers, why: "asked" },
  ];
  const opened: Step<Name> = { state: withReview(state, gate, review), effects, verdict: null };
  if (author === undefined) return opened;
  const ifRisk = when.filter(({ kind }) => kind === "ifRisk");
  return askOthers(opened, review, isReviewDue(ifRisk, { isEdited: true, risk }) ? undefined : own, now);
}

/**
 * The review of what a person wrote. To write it was to approve it: its author has a vote here,
 * where the rule lets them decide here, and is not asked again. Not where its warnings open the
 * review (`own` is absent then), because the page on which it was written shows none. Where too few
 * others may approve it, those of the escalation are asked at once, or the run ends.
 */
function askOthers<Name extends string>(opened: Step<Name>, review: Review<Name>, own: Vote | undefined, now: number): Step<Name> {
  const { gate, version, digest, author } = review;
  const verdict =
    own === undefined
      ? null
      : decide(review, { act: "approve", reviewer: own.reviewer, channel: own.channel, ...knownIn(own), version, digest }, now);
  if (verdict?.kind === "approved")
    return after([{ kind: "authorApproved", gate, verdict: "approved" }], advance(withReview(opened.state, gate, verdict.review), now));
  const mayAsk = verdict === null && author !== undefined && ownBar(review, author) === null;
  const asks = opened.effects.flatMap((effect) => {
    if (effect.kind !== "ask" || mayAsk) return [effect];
    const others = effect.reviewers.filter((name) => name !== author);
    return others.length === 0 ? [] : [{ ...effect, reviewers: others }];
  });
  if (verdict?.kind === "voted") {
    const effects: Effect<Name>[] = [...asks, { kind: "authorApproved", gate, verdict: "voted" }];
    return { state: withReview(opened.state, gate, verdict.review), effects, verdict: null };
  }
  return ableToApprove(review) >= review.quorum ? { ...opened, effects: asks } : after(asks, tooFewLeft(opened.state, gate, now));
}

/** Whether enough people could approve a reply that this reviewer writes in the act's place. */
export function mayAuthor<Name extends string>({ stages, terms }: RunState<Name>, reviewer: string): boolean {
  const act = stages.findIndex(({ kind }) => kind === "act");
  const isReviewed = stages.some((stage, at) => stage.kind === "review" && stage.when.length > 0 && at > act);
  if (terms.selfApproval || !isReviewed) return true;
  const people = new Set([...terms.reviewers, ...terms.escalateTo]);
  return [...people].filter((each) => each !== reviewer && !isSamePerson(terms.owner, each)).length >= terms.quorum;
}

/**
 * Asks the reviewer to whom it was handed. Where too few reviewers are left, asks those of the
 * escalation, else ends the run.
 */
function recused<Name extends string>(state: RunState<Name>, gate: Name, request: RecusalRequest, now: number): Step<Name> {
  const review = state.reviews[gate];
  if (review === null) return { ...still(state), recusal: { kind: "notAllowed", why: "notAReviewer" } };
  const recusal = recuse(review, request, now);
  if (recusal.kind !== "recused") return { ...still(state), recusal };
  const released: Effect<Name> = { kind: "release", gate, reviewers: [request.reviewer] };
  const next = withReview(state, gate, recusal.review);
  if (recusal.exhausted) return { ...after([released], tooFewLeft(next, gate, now)), recusal };
  const asks: Effect<Name>[] = request.to === null ? [] : [{ kind: "ask", gate, reviewers: [request.to], why: "handedOver" }];
  return { state: next, effects: [released, ...asks], verdict: null, recusal };
}

/** Asks those of the escalation, where they are enough; else ends the run. */
const tooFewLeft = <Name extends string>(state: RunState<Name>, gate: Name, now: number): Step<Name> =>
  escalated(state, gate, { mustSuffice: true }) ?? undeliverable(state, gate, "noReviewerLeft", now);

/** Where no reviewer can be reached: asks those of the escalation at once, else ends the run. */
function unreached<Name extends string>(state: RunState<Name>, gate: Name, reviewers: readonly string[], now: number): Step<Name> {
  const review = openGate(state) === gate ? state.reviews[gate] : null;
  const isAll = review?.reviewers.length === reviewers.length && review.reviewers.every((each) => reviewers.includes(each));
  // Another reviewer has been asked since.
  if (review === null || !isAll) return still(state);
  return escalated(state, gate) ?? undeliverable(state, gate, "noneReached", now);
}

/** Null where nobody else can be asked. */
function escalated<Name extends string>(state: RunState<Name>, gate: Name, { mustSuffice = false } = {}): Step<Name> | null {
  const review = state.reviews[gate];
  const asked = review === null ? null : askAlso(review, state.terms.escalateTo);
  if (asked === null || (mustSuffice && asked.exhausted)) return null;
  const effects: Effect<Name>[] = [{ kind: "ask", gate, reviewers: asked.added, why: "escalated" }];
  return { state: withReview(state, gate, asked.review), effects, verdict: null };
}

/** Null where the review is over, its deadline has passed, or all of them are asked or recused. */
function askedMore<Name extends string>(state: RunState<Name>, gate: Name, names: readonly string[], now: number): Step<Name> | null {
  const review = openGate(state) === gate ? state.reviews[gate] : null;
  const asked = review === null || now >= review.deadlineAt ? null : askAlso(review, names);
  if (asked === null) return null;
  return {
    state: withReview(state, gate, asked.review),
    effects: [{ kind: "ask", gate, reviewers: asked.added, why: "added" }],
    verdict: null,
  };
}

const undeliverable = <Name extends string>(state: RunState<Name>, gate: Name, cause: UndeliverableCause, now: number): Step<Name> =>
  endReview(state, gate, { how: "undeliverable", at: now, cause }, { kind: "undeliverable", gate });

/** Ends the run at whatever stage it is, and its open review with it. */
function stop<Name extends string>(state: RunState<Name>, closing: EndedWithoutDecision, end: End<Name>): Step<Name> {
  if (state.end !== null) return still(state);
  const gate = openGate(state);
  return gate === null ? finish(state, end) : endReview(state, gate, closing, end);
}

/** A completed run whose reply was not delivered before its key ended: it is cancelled. */
export const withheld = (state: RunState, cause: KeyEnd): RunState =>
  state.end?.kind === "completed" ? { ...state, end: { kind: "cancelled", cause } } : state;

function endReview<Name extends string>(state: RunState<Name>, gate: Name, closing: EndedWithoutDecision, end: End<Name>): Step<Name> {
  const review = state.reviews[gate];
  const closed = review === null ? null : closeReview(review, closing);
  return closed === null ? still(state) : after([{ kind: "withdraw", gate }], finish(withReview(state, gate, closed), end));
}

const stageNow = <Name extends string>({ stages, at, end }: RunState<Name>): Stage<Name> | undefined =>
  end === null ? stages[at] : undefined;

/** The name of the review that is open and waiting, if any. */
export function openGate<Name extends string>(state: RunState<Name>): Name | null {
  const stage = stageNow(state);
  return stage?.kind === "review" ? stage.name : null;
}

/** Whether a model or tool is being called, or is to be by whoever claims the call. */
export const isCalling = (state: RunState<string>): boolean => stageNow(state)?.kind === "act";

const isRelease = (state: RunState<string>): boolean => {
  const stage = stageNow(state);
  return stage?.kind === "act" && stage.act === "release";
};

/** Whether the caller's own request may go on, and has not. */
export const isUnclaimed = (state: RunState<string>): boolean => isRelease(state) && state.call?.startedAt === null;

/** Whether the caller's own request is under way. */
export const isReleased = (state: RunState<string>): boolean => isRelease(state) && !isUnclaimed(state);

export const isCurrentCall = (state: RunState<string>, call: number): boolean =>
  isCalling(state) && !isUnclaimed(state) && state.call?.number === call;

const still = <Name extends string>(state: RunState<Name>): Step<Name> => ({ state, effects: [], verdict: null });

const after = <Name extends string>(effects: readonly Effect<Name>[], step: Step<Name>): Step<Name> => ({
  ...step,
  effects: [...effects, ...step.effects],
});

/**
 * What is done next is done with the review's current version, so the content follows it. Nobody
 * judged the risk of an edit: it may be any.
 */
function withReview<Name extends string>(state: RunState<Name>, gate: Name, review: AnyReview): RunState<Name> {
  const { digest } = review;
  const content = digest === state.content.digest ? state.content : { ...state.content, digest, risk: "high" as const };
  return { ...state, content, reviews: { ...state.reviews, [gate]: { ...review, gate } } };
}

const nextCall = ({ call }: RunState<string>): number => (call?.number ?? 0) + 1;

function startCall<Name extends string>(state: RunState<Name>, now: number, again: boolean): Step<Name> {
  const call = nextCall(state);
  return {
    state: { ...state, call: { number: call, startedAt: now } },
    effects: [{ kind: "call", call, again }],
    verdict: null,
  };
}

const finish = <Name extends string>(state: RunState<Name>, end: End<Name>): Step<Name> => ({
  state: { ...state, end },
  effects: [{ kind: "finish" }],
  verdict: null,
});

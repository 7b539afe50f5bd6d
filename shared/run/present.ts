// A run as a review shows it: one value from the state and the content, for the gate of the link.

import { digestOf } from "../encoding.ts";
import type { Gate, KeyEnd } from "../model/gate.ts";
import type { Note, ModelReply } from "../model/call.ts";
import type { Reviewer } from "../policy/evaluate.ts";
import type { Grant } from "../policy/grant.ts";
import { reachOf } from "../policy/stops.ts";
import { type SeenRisk, findRisks } from "../policy/risk.ts";
import type { SamplingReply } from "../model/sampling.ts";
import { type RequestVersion, type SubjectReply, type SubjectRequest, isForm, isToolCall, subjectOf } from "../model/subject/subject.ts";
import type { ToolCall } from "../model/subject/tool-call.ts";
import { type Redaction, beforeRedaction, markStates } from "../redaction/redact.ts";
import { callDifferences } from "../review/call-fields.ts";
import { type Review, knownIn, ownBar } from "../review/decision.ts";
import { isWritable, writtenModel } from "../review/written.ts";
import type {
  CallInReview,
  GivenGrant,
  GrantOffer,
  MessageView,
  ModelsView,
  ReviewCommon,
  ReviewState,
  ReviewView,
  RunProgress,
  ShownModel,
  ShownVersion,
  PlainView,
} from "../review/view.ts";
import { unreachable } from "../result.ts";
import type { Candidate } from "../routing/choose.ts";
import { costUsd } from "../routing/price.ts";
import { type End, type RunState, isKeyEnd, isUnclaimed, mayAuthor } from "./lifecycle.ts";
import { type RunInput, inOrder } from "./run-input.ts";
import { candidatesOf, jurorOf } from "./work.ts";

/** What the run stores of a model's answer. */
export type ModelFacts = {
  /** The model that answered; null where none did. */
  readonly candidate: string | null;
  readonly usage: ModelReply["usage"];
  readonly notes: readonly Note[];
  /**
   * The highest risk of the reply, where the fast path stored the ended run without its content.
   */
  readonly replyRisk?: SeenRisk;
};

type PresentInput = {
  readonly input: Omit<RunInput, "request">;
  readonly state: RunState;
  readonly gate: Gate;
  readonly reviewer: Pick<Reviewer, "name" | "language">;
  /** The reviewer is a room, such as a Slack channel: nobody in it has a name. */
  readonly isRoom: boolean;
  readonly asked: RequestVersion;
  readonly current: RequestVersion;
  readonly versions: readonly ShownVersion[];
  /** Null before the model answered, and after a reply was denied. */
  readonly generated: SubjectReply | null;
  readonly reply: SubjectReply | null;
  /**
   * Of the request's current version: the reply that a reviewer wrote, or the answer to a form;
   * null also after it was denied.
   */
  readonly written: SubjectReply | null;
  /** Of a call, at the request gate: the one of its tool that was approved last. */
  readonly lastCall: ToolCall | null;
  /** At the request gate: what the rule's juror wrote. */
  readonly jurorReason: string | null;
  readonly model: ModelFacts | null;
  /** When the reply was made, where it comes from the cache. Unix milliseconds. */
  readonly cachedAt: number | null;
  readonly requestorGone: boolean;
  /** Names of those to whom a review of this run could be handed, and whom a channel reaches. */
  readonly handOverCandidates: readonly string[];
  readonly grant: GrantOffer | null;
  /** What was masked at each gate. */
  readonly redactions: Readonly<Record<Gate, Redaction | null>>;
  readonly now: number;
};

/** The view, or null where this gate was never opened. */
export function presentReview(shown: PresentInput): ReviewView | null {
  const { input, state, gate, model } = shown;
  const review = state.reviews[gate];
  if (review === null) return null;
  const written = state.reviews.request?.written ?? null;
  const atResponse = gate === "response";
  const judged = atResponse ? shown.reply : shown.written;
  const common = {
    gate,
    state: reviewState(review),
    progress: progressOf(state),
    ...(isUnclaimed(state) ? { isUnclaimed: true } : {}),
    keyEnd: keyEndOf(state.end),
    now: shown.now,
    run: input.id,
    reviewer: shown.reviewer.name,
    ...(shown.reviewer.language === undefined ? {} : { language: shown.reviewer.language }),
    version: review.version,
    digest: review.digest,
    versions: shown.versions,
    requestor: {
      server: input.requestor.server,
      method: input.requestor.method,
      name: input.requestor.name,
      provenance: input.requestor.provenance,
      ...(input.requestor.evidence === undefined ? {} : { evidence: input.requestor.evidence }),
      client: input.key.name,
      owner: input.key.owner,
      ...(input.requestor.account === undefined ? {} : { account: input.requestor.account }),
      gone: shown.requestorGone,
    },
    createdAt: input.createdAt,
    deadlineAt: review.deadlineAt,
    quorum: review.quorum,
    rule: input.gatePolicy.rule,
    ...(input.gatePolicy.passkey === undefined ? {} : { passkey: true }),
    votes: review.votes.map(({ reviewer, at, known, passkey }) => ({
      by: reviewer,
      at,
      ...(known === undefined ? {} : { known }),
      ...(passkey === undefined ? {} : { isByPasskey: true }),
    })),
    reviewers: review.reviewers,
    ...ownPermissions(review, shown),
    ...standingIn(shown),
    tellReason: input.gatePolicy.tellReason,
    written: written === null ? null : { by: written.by, at: written.at, reply: atResponse ? null : messageIn(shown.written) },
    unwritten: review.unwritten ?? null,
    mayWrite: mayWriteHere(shown),
    ...shownRedactions(shown),
    risks: [...(judged === null ? [] : findRisks(judged)), ...input.risks],
    notes: atResponse && model !== null ? model.notes : input.notes,
  };
  return { ...common, ...subjectView(shown, review) } as ReviewView; // what is common, and the members of one subject
}

/** What is known of the last approved call; nothing where there is none. */
function sinceLastCall({ current: { request }, lastCall }: PresentInput): Pick<CallInReview, "before" | "differing"> {
  if (lastCall === null || !isToolCall(request)) return {};
  return { before: lastCall, differing: callDifferences(request, lastCall).length };
}

/** That the rule's juror had people asked. */
function raisedBy({ input: { work }, gate, jurorReason }: PresentInput): Pick<CallInReview, "raised"> {
  const juror = jurorOf(work);
  if (juror?.verdict !== "raised" || gate === "response") return {};
  return { raised: { model: juror.model, why: juror.why, reason: jurorReason } };
}

/**
 * What a call at its gate has in common with others. A room stops nothing: a stop has a person's
 * name.
 */
function ofSession(
  { input, gate, reviewer, isRoom, asked }: PresentInput,
  { closing, stopped }: Review,
): Pick<CallInReview, "series" | "mayStop" | "stopped"> {
  if (gate === "response" || !isToolCall(asked.request)) return {};
  const session = input.sessionless === true ? null : input.requestRef.session;
  const isOwn = stopped !== undefined && stopped.by === reviewer.name;
  const { key, requestor } = input;
  return {
    series: digestOf("countersign/series/v1", {
      key: key.id,
      server: requestor.server,
      session,
      // The page of a series says once whose account its calls are for.
      ...(requestor.account === undefined ? {} : { account: requestor.account }),
    }),
    mayStop: isRoom || closing !== null ? null : reachOf({ session }),
    stopped: isOwn ? { reach: reachOf(stopped), until: stopped.until, liftedAt: stopped.liftedAt } : null,
  };
}

/** The answer to a form is the view's own reply. */
const messageIn = (reply: SubjectReply | null): SamplingReply | null => (reply === null || "kind" in reply ? null : reply);

type Versions = Pick<ReviewView, "request" | "requestAsAsked" | "reply" | "replyAsGenerated">;

/** What is reviewed, as its kind has it. */
function subjectView(shown: PresentInput, review: Review): Omit<MessageView, keyof ReviewCommon> | Omit<PlainView, keyof ReviewCommon> {
  const { gate, current } = shown;
  const versions: Versions = {
    request: current.request,
    requestAsAsked: requestBefore(shown),
    reply: gate === "response" ? shown.reply : isForm(current.request) ? shown.written : null,
    replyAsGenerated: replyBefore(shown),
  };
  const subject = subjectOf(current.request);
  // A run's versions are all of its subject.
  if (subject !== "message") return { subject, ...versions, ...callView(shown, review) } as Omit<PlainView, keyof ReviewCommon>;
  return { subject, ...(versions as Pick<MessageView, keyof Versions>), ...whoAnswers(shown) };
}

/** Nothing of what is no call. */
const callView = (shown: PresentInput, review: Review): CallInReview => ({
  ...sinceLastCall(shown),
  ...raisedBy(shown),
  ...ofSession(shown, review),
});

/** The models of a message, and what its reply cost. */
function whoAnswers({ input, state, gate, current, model, cachedAt }: PresentInput): ModelsView {
  const models = inOrder(candidatesOf(input.work), current.models).map(shownModel);
  const isWritten = (state.reviews.request?.written ?? null) !== null;
  const given = gate === "response" ? model : null;
  const answered = isWritten ? undefined : candidatesOf(input.work).find(({ model: { id } }) => id === given?.candidate);
  return {
    models,
    worstCostUsd: Math.max(0, ...models.map(({ worstCostUsd }) => worstCostUsd)),
    answeredBy: answered === undefined ? null : shownModel(answered),
    usage: isWritten ? null : (given?.usage ?? null),
    cachedAt: gate === "response" ? cachedAt : null,
    costUsd: given === null || answered === undefined ? null : costUsd(answered, given.usage),
  };
}

/** Whether this reviewer may see what is masked. */
const maySee = ({ input, reviewer }: PresentInput): boolean => input.redaction?.mayLift.includes(reviewer.name) === true;

/**
 * The request as it was before rules and reviewers changed it, without what is masked for those who
 * may not see it; null where they did not.
 */
function requestBefore(shown: PresentInput): SubjectRequest | null {
  const { asked, current, redactions } = shown;
  if (redactions.request !== null) return beforeRedaction(asked.request, redactions.request, maySee(shown));
  return current.request === asked.request ? null : asked.request;
}

function replyBefore(shown: PresentInput): SubjectReply | null {
  const { gate, generated, reply, redactions } = shown;
  if (gate !== "response" || generated === null) return null;
  if (redactions.response !== null) return beforeRedaction(generated, redactions.response, maySee(shown));
  return generated === reply ? null : generated;
}

/**
 * The masked parts at the gate, each as it stands now. What stood there is shown only to those who
 * may see it.
 */
function shownRedactions(shown: PresentInput): Pick<ReviewView, "redactions" | "mayLift"> {
  const { gate, current, reply, state, redactions } = shown;
  const [redaction, content] = [redactions[gate], gate === "request" ? current.request : reply];
  if (redaction === null || content === null) return {};
  const states = markStates(content, redaction, new Set(state.reviews[gate]?.lifted));
  const texts = new Map(redaction.originals.map(({ pointer, text }) => [pointer, text]));
  const isSeen = maySee(shown);
  const review = state.reviews[gate];
  const isOpen = review !== null && review.closing === null && review.written === undefined;
  return {
    redactions: redaction.marks.map(({ id, pointer, rule, label, start, end }) => ({
      id,
      pointer,
      rule,
      label,
      state: states.get(id) ?? "edited",
      ...(isSeen ? { original: texts.get(pointer)?.slice(start, end) ?? "" } : {}),
    })),
    mayLift: isSeen && isOpen && review.reviewers.includes(shown.reviewer.name),
  };
}

/** A room writes none: a reply has an author with a name. */
const mayWriteHere = ({ input, gate, reviewer, isRoom, current, state }: PresentInput): NonNullable<ReviewView["mayWrite"]> | null =>
  gate === "request" && !isRoom && isWritable(current.request) && mayAuthor(state, reviewer.name)
    ? { model: writtenModelFor(input.gatePolicy, reviewer.name) }
    : null;

/** `model` of a reply that this reviewer writes. */
export const writtenModelFor = ({ tellAuthor }: Pick<RunInput["gatePolicy"], "tellAuthor">, reviewer: string): string =>
  tellAuthor ? reviewer : writtenModel;

function standingIn({ input: { gatePolicy }, reviewer }: PresentInput): Pick<ReviewCommon, "standsInFor"> {
  const away = (gatePolicy.standIns ?? []).filter(({ by }) => by === reviewer.name);
  return away.length === 0 ? {} : { standsInFor: [...new Set(away.map((each) => each.reviewer))] };
}

/** What this reviewer has done and may do. */
function ownPermissions(
  review: Review,
  { reviewer: { name: reviewer }, handOverCandidates, grant }: PresentInput,
): Required<Pick<ReviewView, "ownVote" | "left" | "mayApprove" | "handOverTo" | "grant" | "handedBy" | "given">> {
  const vote = review.closing === null ? review.votes.find((each) => each.reviewer === reviewer) : undefined;
  const left = review.left.find((each) => each.reviewer === reviewer);
  const handedBy = review.left.findLast(({ to }) => to === reviewer);
  const { given } = review;
  const isAsked = review.closing === null && review.reviewers.includes(reviewer);
  const mayApprove = ownBar(review, reviewer) === null;
  const isHandOverCandidate = (name: string): boolean =>
    !review.reviewers.includes(name) && ownBar(review, name) === null && review.left.every((each) => each.reviewer !== name);
  return {
    ownVote: vote === undefined ? null : { at: vote.at },
    left: left === undefined ? null : { at: left.at, to: left.to },
    mayApprove,
    // A reviewer who may not approve their own request may not choose who does.
    handOverTo: isAsked && vote === undefined && mayApprove ? handOverCandidates.filter(isHandOverCandidate) : [],
    grant: isAsked && mayApprove ? grant : null,
    handedBy: handedBy === undefined ? null : { by: handedBy.reviewer, at: handedBy.at, note: handedBy.note ?? null },
    given: given?.by === reviewer ? givenGrant(given) : null,
  };
}

const givenGrant = ({ what, scope, usesGiven, expiresAt, revokedAt }: Grant): GivenGrant => ({
  what,
  scope: scope.kind,
  uses: usesGiven,
  expiresAt,
  undoneAt: revokedAt,
});

const shownModel = ({ model, why, worstCostUsd }: Candidate): ShownModel => ({
  id: model.id,
  provider: model.provider,
  name: model.name,
  why,
  worstCostUsd,
});

/** How a review stands. */
export function reviewState(review: Review): ReviewState {
  const { closing } = review;
  if (closing === null) {
    return review.votes.length > 0 ? { kind: "voted", votes: review.votes.length, quorum: review.quorum } : { kind: "open" };
  }
  switch (closing.how) {
    case "approved":
      return {
        kind: "approved",
        by: closing.by,
        at: closing.at,
        edited: review.version > 1,
        ...(review.written === undefined ? {} : { author: review.written.by }),
      };
    case "denied":
      return { kind: "denied", by: closing.by, at: closing.at, reason: closing.reason, ...knownIn(closing) };
    case "expired":
      return { kind: "expired", at: closing.at };
    case "cancelled":
      return { kind: "cancelled", at: closing.at, cause: closing.cause };
    case "undeliverable":
      return { kind: "failed", at: closing.at, cause: closing.cause };
    default:
      return unreachable(closing);
  }
}

const keyEndOf = (end: End | null): KeyEnd | null => (end?.kind === "cancelled" && isKeyEnd(end.cause) ? end.cause : null);

/** Where a run is; or, once it has ended, how. */
export function progressOf(state: RunState): RunProgress {
  if (state.end === null) return progressAt(state);
  return state.end.kind === "undeliverable" ? "failed" : state.end.kind;
}

/** The stage that a run is at, or at which it ended. */
export function progressAt({ stages, at }: RunState): RunProgress {
  const stage = stages[at];
  if (stage?.kind === "act") return "generating";
  return stage?.name === "response" ? "responseReview" : "waiting";
}

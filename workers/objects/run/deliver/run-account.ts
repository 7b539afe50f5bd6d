// A run as others see it, read from its tables: its outcome, its line in lists, its page, its
// snapshot. Writes nothing.

import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { Outcome, RunMeta } from "../../../../shared/model/outcome.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import type { Cause } from "../../../../shared/record/cause.ts";
import { failedCause } from "../../../../shared/record/failed-models.ts";
import type { LineState } from "../../../../shared/record/record.ts";
import { type RunSummary, runSummary } from "../../../../shared/record/run-summary.ts";
import { redactRequest, rulesAt } from "../../../../shared/redaction/redact.ts";
import type { Reviewer } from "../../../../shared/policy/evaluate.ts";
import type { Attempt } from "../../../../shared/model/call.ts";
import type { GrantOffer, ReviewView, RunProgress } from "../../../../shared/review/view.ts";
import {
  approvedRequest,
  callMeta,
  completed,
  outcomeOfEnd,
  runMeta,
  unanswered,
  writtenMeta,
} from "../../../../shared/run/run-outcome.ts";
import { reviewLine } from "../../../../shared/run/run-record.ts";
import { receiptFacts } from "../../../../shared/run/run-receipt.ts";
import type { ReceiptFacts } from "../../../../shared/receipt/facts.ts";
import { offerOf } from "../../../../shared/run/granting.ts";
import { unreachable } from "../../../../shared/result.ts";
import type { Review } from "../../../../shared/review/decision.ts";
import { type End, type RunState, isUnclaimed } from "../../../../shared/run/lifecycle.ts";
import { replyDigest, requestDigest } from "../../../../shared/run/run-input.ts";
import { callersAct, candidatesOf } from "../../../../shared/run/work.ts";
import { argumentsJsonOf } from "../../../../shared/model/subject/tool-call.ts";
import type { Form } from "../../../../shared/model/subject/form.ts";
import {
  type RequestVersion,
  type SubjectRequest,
  isForm,
  isMessage,
  isReleasable,
  isToolCall,
} from "../../../../shared/model/subject/subject.ts";
import { type ModelFacts, presentReview, progressOf, progressAt } from "../../../../shared/run/present.ts";
import { cachedFor } from "../act/run-cache.ts";
import type { CurrentRun } from "../run-deps.ts";
import type { RunStore, StoredInput } from "../tables/run-store.ts";
import type { CallTask, RunSnapshot, RunLine, RunReceipt } from "../../../stubs/run-calls.ts";
import { isRoom } from "../../../../shared/notice-channels.ts";
import { type ConversationEdits, conversationEdits } from "../../../../shared/wire/control/turns.ts";

/**
 * The state that clients see: an ended run shows its last state until its outcome may be delivered,
 * unless it was cancelled.
 */
function shownState(store: RunStore, state: RunState): RunProgress {
  if (state.end === null || state.end.kind === "cancelled" || store.delivery() !== null) return progressOf(state);
  return progressAt(state);
}

/** The request that is, or was, to be sent. */
export function currentRequest(store: RunStore, state: RunState): RequestVersion | null {
  return store.requestVersion(state.reviews.request?.version ?? 1);
}

/**
 * What the run's receipt says; null where its content is gone. A call that was sent, or may be, is
 * of when it was.
 */
export function receiptFactsOf(store: RunStore, state: RunState, input: StoredInput): ReceiptFacts | null {
  const asked = store.requestVersion(1)?.request;
  const sent = currentRequest(store, state)?.request;
  const at = state.call?.startedAt ?? lastChange(input, state);
  return asked === undefined || sent === undefined ? null : receiptFacts(input, { asked, sent, state, at });
}

export function receiptIn(store: RunStore, input: StoredInput, state: RunState): RunReceipt | null {
  const facts = state.end === null && state.call?.startedAt == null ? null : receiptFactsOf(store, state, input);
  if (facts === null) return null;
  const text = store.delivery() === null ? undefined : store.outcome();
  return { key: input.key.id, facts, outcome: text === undefined ? null : readJsonOf(text) };
}

/** The outcome of an ended run, with what its receipt says where one goes with it. */
export function outcomeOf(store: RunStore, state: RunState, input: StoredInput): Outcome {
  const outcome = endingOf(store, state, input);
  const facts = input.receipts === true || input.endpoint === "approvals" ? receiptFactsOf(store, state, input) : null;
  return facts === null ? outcome : { ...outcome, receiptFacts: facts };
}

/** Throws where the reply is not the approved one. */
function endingOf(store: RunStore, state: RunState, input: StoredInput): Outcome {
  const { end } = state;
  const model = store.modelFacts();
  const content = currentRequest(store, state);
  if (end !== null && content !== null && isForm(content.request)) return elicitedOf(store, state, end, content.request);
  if (end?.kind !== "completed")
    return outcomeOfEnd(end ?? { kind: "failed" }, input.gatePolicy.tellReason, model?.attempts ?? [], input.id);
  if (callersAct(input.work) !== null && store.replyVersion(1) === null) {
    // What is released is what was approved, or nothing. Once a call was claimed, which checks the
    // same, the content is its result.
    const isOther = content !== null && state.call === null && requestDigest(content, input.work) !== state.content.digest;
    if (content === null || !isReleasable(content.request) || isOther) throw new Error("a released request other than the approved one");
    return approvedRequest(input, content.request, state.reviews.request);
  }
  const reply = store.replyVersion(state.reviews.response?.version ?? 1);
  const approved = state.reviews.response?.digest ?? state.reviews.request?.written?.reply;
  const meta = model === null || content === null ? null : metaOf(store, state, input, model, content.request);
  if (content === null || reply === null || meta === null || (approved !== undefined && replyDigest(reply) !== approved)) {
    throw new Error("a completed run without the reply that was approved");
  }
  const { request } = content;
  if (isMessage(request) && !("kind" in reply)) return completed(reply, request, meta);
  if (request.kind === "toolCall" && "kind" in reply && reply.kind === "toolResult")
    return { kind: "ran", call: request, result: reply, meta };
  throw new Error("a completed run whose reply is of another subject");
}

/** The outcome of a form's run. Throws where the answer is not the one that was sent. */
function elicitedOf(store: RunStore, { reviews }: RunState, end: End, request: Form): Outcome {
  if (end.kind !== "completed") return unanswered(end);
  const answer = store.replyVersion(1);
  if (answer === null || !("kind" in answer) || answer.kind !== "formAnswer" || replyDigest(answer) !== reviews.request?.written?.reply)
    throw new Error("a completed form without the answer that was sent");
  return { kind: "elicited", action: "accept", content: request.url === undefined ? answer.content : null };
}

/** The `_meta` of the run's reply; null where its model is unknown. */
function metaOf(
  store: RunStore,
  state: RunState,
  input: StoredInput,
  { candidate: id, usage, notes }: ModelFacts,
  asked: SubjectRequest,
): RunMeta | null {
  const cached = cachedFor(input, state);
  const { request, response } = state.reviews;
  const isReplyEdited = (response?.version ?? 1) > 1 || cached?.edited === true;
  if (request?.written !== undefined)
    return writtenMeta(input, { request: isRequestChanged(store, request, input), response: isReplyEdited });
  const candidate = candidatesOf(input.work).find(({ model }) => model.id === id);
  const edited = { request: (request?.version ?? 1) > 1, response: isReplyEdited };
  if (isToolCall(asked)) return callMeta(input, asked, notes, edited);
  return candidate === undefined ? null : runMeta(input, candidate, { usage, notes }, edited, cached?.at);
}

/**
 * Whether the request that a written reply answers is another than the one that came: writing a
 * reply is no edit of it.
 */
function isRequestChanged(store: RunStore, { version }: Review, { work }: StoredInput): boolean {
  const [asked, current] = [store.requestVersion(1), store.requestVersion(version)];
  return asked === null || current === null || requestDigest(asked, work) !== requestDigest(current, work);
}

/** The run's line in lists and usage. */
export function summaryOf(store: RunStore, input: StoredInput, state: RunState): RunSummary {
  const model = store.modelFacts();
  const candidate = candidatesOf(input.work).find(({ model: { id } }) => id === model?.candidate);
  const review = reviewLine(state.reviews);
  return runSummary(input, {
    ...(review === null ? {} : { review }),
    endedAt: state.end !== null ? lastChange(input, state) : null,
    state: lineState(state),
    cause: state.end === null ? null : causeOfEnd(state.end, model?.attempts ?? []),
    answered: model === null || model.candidate === null ? null : { model: model.candidate, candidate, usage: model.usage },
    attempts: model?.attempts ?? [],
    ...reviewTimes(state),
  });
}

/** How long its reviews took that have closed, and when the open one expires. */
function reviewTimes({ reviews: { request, response } }: RunState): Pick<RunSummary, "reviews" | "deadlineAt"> {
  const all = [request, response].filter((review) => review !== null);
  const open = all.find(({ closing }) => closing === null);
  return {
    reviews: all.flatMap(({ gate, openedAt, closing }) =>
      closing === null ? [] : [{ gate, how: closing.how, ms: closing.at - openedAt }],
    ),
    ...(open === undefined ? {} : { deadlineAt: open.deadlineAt }),
  };
}

/** The state in lists, where `undeliverable` has a name of its own. */
function lineState(state: RunState): LineState {
  return state.end?.kind ?? progressOf(state);
}

function causeOfEnd(end: End, attempts: readonly Attempt[]): Cause | null {
  switch (end.kind) {
    case "completed":
      return null;
    case "rejected":
      return { kind: "rejected", gate: end.gate, by: end.by };
    case "expired":
    case "undeliverable":
      return { kind: end.kind, gate: end.gate };
    case "cancelled":
      return { kind: "cancelled", cause: end.cause };
    case "failed":
      return end.why === undefined ? failedCause(attempts) : { kind: end.why };
    default:
      return unreachable(end);
  }
}

/** When the run last changed, in Unix milliseconds. */
function lastChange(input: StoredInput, { reviews, call }: RunState): number {
  return Math.max(
    input.createdAt,
    ...[reviews.request, reviews.response].flatMap((review) => (review === null ? [] : [review.openedAt, review.closing?.at ?? 0])),
    call?.startedAt ?? 0,
  );
}

/** The grant that this reviewer may give with an approval at this gate; null where none. */
export const grantOffer = (
  store: RunStore,
  { gatePolicy, requestor, risks, sessionless }: StoredInput,
  { reviews }: RunState,
  gate: Gate,
  reviewer: Reviewer,
): GrantOffer | null =>
  offerOf({
    gate,
    gatePolicy,
    requestor,
    risks,
    reply: gate === "response" ? store.replyVersion(1) : null,
    reviewer,
    requestVersion: reviews.request?.version ?? 1,
    replyVersion: reviews.response?.version ?? 1,
    sessionless,
    request: store.requestVersion(1)?.request ?? null,
  });

/** What a gate's page shows to a reviewer; null where the gate was never opened. */
export function viewOf(
  store: RunStore,
  input: StoredInput,
  state: RunState,
  gate: Gate,
  page: { readonly reviewer: Reviewer; readonly isSignedIn: boolean; readonly now: number },
  /** The people to whom the review could be handed over: called only where there is a view. */
  handOverCandidates: () => readonly string[],
): ReviewView | null {
  const shownVersion = (version: number): RequestVersion | null => {
    const stored = store.requestVersion(version);
    return stored === null || page.isSignedIn ? stored : { ...stored, request: withoutAddress(stored.request) };
  };
  const asked = shownVersion(1);
  if (asked === null) return null;
  const replyVersion = state.reviews.response?.version ?? 1;
  const requestVersion = state.reviews.request?.version ?? 1;
  const generated = gate === "response" ? store.replyVersion(1) : null;
  return presentReview({
    input,
    state,
    gate,
    reviewer: page.reviewer,
    isRoom: isRoom(page.reviewer),
    asked,
    current: requestVersion === 1 ? asked : (shownVersion(requestVersion) ?? asked),
    versions: store.versions(gate),
    generated,
    reply: gate === "response" && replyVersion > 1 ? store.replyVersion(replyVersion) : generated,
    written: store.writtenReply(requestVersion),
    lastCall: gate === "request" ? store.lastCall() : null,
    jurorReason: gate === "request" ? store.jurorReason() : null,
    model: store.modelFacts(),
    cachedAt: cachedFor(input, state)?.at ?? null,
    requestorGone: input.mode !== "task" && state.end === null && store.isRequestorGone(),
    handOverCandidates: handOverCandidates(),
    grant: grantOffer(store, input, state, gate, page.reviewer),
    redactions: { request: store.redaction("request"), response: gate === "response" ? store.redaction("response") : null },
    now: page.now,
  });
}

/**
 * An address that a form asks to open, as anything but the owner's inbox has it: its host. It may
 * let its reader in as the owner.
 */
const withoutAddress = (request: SubjectRequest): SubjectRequest =>
  isForm(request) && request.url !== undefined ? { ...request, url: new URL(request.url).origin } : request;

/** The run as its requestor may see it. */
export const snapshotOf = (store: RunStore, input: StoredInput, state: RunState, retentionMs: number): RunSnapshot => ({
  id: input.id,
  key: input.key.id,
  endpoint: input.endpoint,
  state: shownState(store, state),
  createdAt: input.createdAt,
  updatedAt: lastChange(input, state),
  mode: input.mode,
  act: callersAct(input.work),
  // An ended run is never kept past the retention time, whatever was asked for.
  ttlMs: Math.min(input.ttlMs ?? Number.POSITIVE_INFINITY, retentionMs),
  server: input.requestor.server,
  name: input.requestor.name,
  outcome: store.delivery() === null ? null : (store.outcome() ?? null),
});

/** The run as the client of its task may see it; null where it is none. */
export function callTaskOf(
  store: RunStore,
  { input, state }: CurrentRun,
  { asks, mayResume }: Pick<CallTask, "asks" | "mayResume">,
  retentionMs: number,
): CallTask | null {
  const relayed = store.relayed();
  const asked = store.requestVersion(1)?.request;
  if (input.mode !== "task" || relayed === null || asked === undefined || !isToolCall(asked)) return null;
  return {
    ...snapshotOf(store, input, state, retentionMs),
    session: input.requestRef.session,
    owner: relayed.owner,
    account: input.requestor.account,
    isApproved: isUnclaimed(state),
    mayResume,
    isSent: state.call?.startedAt != null,
    asked: argumentsJsonOf(asked),
    asks,
    passed: store.delivery() === null ? null : store.passed(),
  };
}

/** The run as an operator may see it. */
export const lineOf = (store: RunStore, input: StoredInput, state: RunState): RunLine => ({
  ...summaryOf(store, input, state),
  updatedAt: lastChange(input, state),
  answered: store.delivery() !== null && store.outcome() !== undefined,
});

/** The prompt that was sent, and a reviewer's edits of the request. */
export function sentOf(
  store: RunStore,
  state: RunState,
  { redaction }: Pick<StoredInput, "redaction">,
): { readonly prompt: string; readonly edits: JsonOf<ConversationEdits> } | null {
  const asked = store.requestVersion(1);
  const current = currentRequest(store, state);
  if (asked === null || current === null) return null;
  if (!isMessage(asked.request) || !isMessage(current.request)) return null;
  // What was lifted was lifted for this request alone.
  const sent = redactRequest(current.request, redaction === undefined ? [] : rulesAt(redaction, "request"), { mayRename: true });
  if (!sent.ok) return null;
  const { prompt, edits } = conversationEdits(asked.request, sent.value.value);
  return { prompt, edits: jsonOf(edits) };
}

// The fast path: no gate is closed, or grants opened those that were, so the Worker calls the model
// itself, or lets a call's caller make it, and writes the record behind.
//
// The work does not depend on the caller's connection: it is finished, as far as the platform lets
// a Worker go on after its caller has left, and its outcome is kept for a repeat.

import { type JsonOf, jsonOf } from "../../../shared/json/json-of.ts";
import type { Outcome } from "../../../shared/model/outcome.ts";
import type { Attempt } from "../../../shared/model/call.ts";
import type { KeyEnd } from "../../../shared/model/gate.ts";
import type { SamplingReply } from "../../../shared/model/sampling.ts";
import type { Cause } from "../../../shared/record/cause.ts";
import { failedCause } from "../../../shared/record/failed-models.ts";
import { type RecordEvent, type RecordFact, numberEvents } from "../../../shared/record/record.ts";
import { type RunSummary, runSummary } from "../../../shared/record/run-summary.ts";
import { type ModelAnswer, answeredFact, cachedFact } from "../../../shared/run/run-record.ts";
import { receiptFacts } from "../../../shared/run/run-receipt.ts";
import { maskedReply, mayMaskReply } from "../../../shared/run/masked-reply.ts";
import { approvedRequest, completed, runMeta } from "../../../shared/run/run-outcome.ts";
import {
  type MessageInput,
  type RequestInput,
  decidersDigest,
  isMessageInput,
  nothingSpent,
  inputFacts,
  redactedFacts,
  requestDigest,
} from "../../../shared/run/run-input.ts";
import { type CachedReply, cacheOf, modelIdsOf } from "../../../shared/run/work.ts";
import { findRisks, highestRisk } from "../../../shared/policy/risk.ts";
import { isUnasked } from "../../../shared/provider/provider-error.ts";
import type { ModelFacts } from "../../../shared/run/present.ts";
import { isReleasable } from "../../../shared/model/subject/subject.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import { unreachable } from "../../../shared/result.ts";
import { once } from "../../../shared/once.ts";
import { contextOfAttempt } from "../../../shared/telemetry/request-trace.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { startSlowTimer } from "../../platform/slow-timer.ts";
import type { LedgerEntry } from "../../stubs/ledger-calls.ts";
import { appendToLedger, runStub } from "../../stubs/stubs.ts";
import { callModels } from "../../providers/call-model.ts";
import { type PendingEntries, enqueue } from "../record/write-behind.ts";
import { keepReply } from "../plan/cached-reply.ts";
import { keySharesOf } from "../admit/key-shares.ts";
import { permitFor, spendingOf } from "../spend/spending.ts";
import { type RunContext, runInputOf } from "../run-context.ts";
import { forgetReservation } from "../admit/associate.ts";
import { exportAnswered } from "../record/traced.ts";
import { watchKey } from "../wait/key-watch.ts";

type OnDelta = RunContext["incoming"]["onDelta"];

/** A request that is answered at once, with the plan by which it was admitted. */
type AnsweredRequest<Input extends RequestInput = RequestInput> = {
  readonly context: RunContext;
  readonly plan: Plan;
  readonly input: Input;
};

/** `slow`: of this call, which begins now. */
type FastCall = AnsweredRequest<MessageInput> & { readonly slow: ReturnType<typeof startSlowTimer> };

type FastOutcome =
  | Extract<Outcome, { kind: "completed" | "approved" | "failed" | "broken" }>
  | (Extract<Outcome, { kind: "cancelled" }> & { readonly key: KeyEnd });

type FastAnswer = {
  readonly outcome: FastOutcome;
  /** Null where no model was called, or none answered. */
  readonly model: ModelAnswer | null;
  /** What came of the call, for the record; `endedFacts` follow. */
  readonly facts: () => readonly RecordFact[];
  /** The events that the record has already. */
  readonly told?: readonly RecordEvent[];
};

/** The outcome, as soon as the model has answered; the record is written behind. */
export async function answerFast(call: FastCall): Promise<Outcome> {
  const { context, input, slow } = call;
  const watch = watchKey(context.incoming.env, input.key, slow);
  const calling = callOnce(call, watch.over);
  const called = await Promise.race([calling, watch.ended]);
  if (typeof called === "string") {
    // The model call goes on, within its timeout.
    void calling.finally(slow.cancel);
    return cutOff(call, called, calling);
  }
  watch.done();
  // Before the response, since the caller may retry at once. Where it fails, the id is free when
  // its lease has expired.
  if (isUnaskedOutcome(called.outcome)) await freeId(context).catch((error: unknown) => logFailed(context, error));
  slow.cancel();
  return recorded(call, called);
}

/** What its caller does, and nobody is asked about. */
export async function answerApproved(call: AnsweredRequest): Promise<Outcome> {
  const { input } = call;
  if (!isReleasable(input.request)) throw new Error("an approval of what no caller does");
  const outcome = withReceiptFacts(input, approvedRequest(input, input.request, null));
  return recorded(call, { outcome, model: null, facts: () => [] });
}

/** No model was asked, since none had a free slot: the same request may come again. */
const isUnaskedOutcome = (outcome: FastOutcome): boolean => outcome.kind === "failed" && isUnasked(outcome.attempts);

async function freeId(context: RunContext): Promise<void> {
  const { association } = context.incoming;
  await forgetReservation(context, true);
  if (association.kind === "ownRequest") await association.releaseRequestId();
}

const logFailed = ({ run }: RunContext, error: unknown): void => logEvent("request.failed", { run, error: errorClass(error) });

function brokenBy(context: RunContext, error: unknown): FastOutcome {
  logFailed(context, error);
  return { kind: "broken", quote: context.run };
}

/**
 * The outcome, when the record may be left to what is written behind. With `RECORD=before` its line
 * is there first, and without a line there is no reply.
 */
async function recorded(call: AnsweredRequest, answer: FastAnswer): Promise<Outcome> {
  const { env } = call.context.incoming;
  if (!settingsOf(env).isRecordedBefore) return endWith(call, answer);
  const line = lineOf(call, answer);
  const write = (): Promise<void> => appendToLedger(env, call.input.id, line.entry());
  try {
    await write().catch(write);
  } catch (error) {
    return endWith(call, { ...answer, outcome: brokenBy(call.context, error) });
  }
  return endWith(call, answer, { ...line, isRecorded: true });
}

/**
 * The key ended during the model call: the reply is not delivered, and its cost is in the record
 * all the same.
 */
function cutOff(call: FastCall, key: KeyEnd, calling: Promise<FastAnswer>): Outcome {
  const { env, ctx } = call.context.incoming;
  const outcome = { kind: "cancelled", key } as const;
  // The callers that wait for the same outcome get this one at once.
  enqueue(env, ctx, settledIn(call.input, jsonOf<Outcome>(outcome)));
  ctx.waitUntil(calling.then((called) => endWith(call, { ...called, outcome })));
  return outcome;
}

async function callOnce(call: FastCall, over: AbortSignal): Promise<FastAnswer> {
  const { context, input } = call;
  const { env, onDelta: tell } = context.incoming;
  const onDelta = tell === undefined ? undefined : (text: string): void => (over.aborted ? undefined : tell(text));
  let told: readonly RecordEvent[] = [];
  try {
    const cached = input.work.cache?.found;
    if (cached !== undefined) return fromCache(input, cached, onDelta);
    if (input.takenOver) told = await tellOfTakeover(env, input);
    return { ...(await askModels(call, over, onDelta)), told };
  } catch (error) {
    return { outcome: brokenBy(context, error), model: null, facts: () => [], told };
  }
}

/**
 * A model call that may be paid for twice is in the record before it is made: were its line written
 * after the answer, as others are, a crash then would leave two payments without a line. Throws
 * where the ledger does not take it.
 */
async function tellOfTakeover(env: Env, input: MessageInput): Promise<RecordEvent[]> {
  const events = numberEvents(input.id, null, Date.now(), begunFacts(input));
  await appendToLedger(env, input.id, { events, summary: null });
  return events;
}

async function askModels({ context: { incoming }, input, slow }: FastCall, over: AbortSignal, onDelta: OnDelta): Promise<FastAnswer> {
  const { env, signal } = incoming;
  // A part of a reply may be the beginning of what is masked in the whole.
  const isWhole = mayMaskReply(input);
  const permit = permitFor(spendingOf(incoming, input), { mayShare: true });
  const traceOf = (attempt: number) => contextOfAttempt(input.trace, input.id, 1, attempt);
  const around = { onDelta: isWhole ? undefined : onDelta, left: signal, over, slow, permit, traceOf };
  const answered = await callModels(env, input.request, input.work.candidates, input.call, around);
  if (!answered.ok) return failedWith(answered.error);
  const { reply: said, candidate, attempts, took } = answered.value;
  const masked = maskedReply(input, input.request, said, { model: candidate.model.id, provider: candidate.model.provider, at: Date.now() });
  if (!masked.ok) return failedWith([...attempts, ...masked.error]);
  const { value, redaction } = masked.value;
  const reply = { ...said, reply: value };
  if (isWhole) tellWhole(value, onDelta);
  const outcome = completed(value, input.request, runMeta(input, candidate, reply, { request: false, response: false }));
  const facts = (): RecordFact[] => [answeredFact(1, { reply, candidate, attempts, took }), ...redactedFacts("response", redaction)];
  return { outcome: withReceiptFacts(input, outcome), model: { ...answered.value, reply }, facts };
}

const failedWith = (attempts: readonly Attempt[]): FastAnswer => ({
  outcome: { kind: "failed", attempts },
  model: null,
  facts: () => [{ kind: "callFailed", call: 1, attempts }],
});

function tellWhole({ content }: SamplingReply, onDelta: OnDelta): void {
  for (const block of content) if (block.type === "text") onDelta?.(block.text);
}

/** Nobody was asked: a rule or a grant let it pass. */
function withReceiptFacts<Answer extends FastOutcome>(input: RequestInput, outcome: Answer): Answer {
  if (input.receipts !== true) return outcome;
  const { request } = input;
  return { ...outcome, receiptFacts: receiptFacts(input, { asked: request, sent: request, state: null, at: Date.now() }) };
}

/** An identical request was answered before: nothing is sent, and nothing is spent. */
function fromCache(input: MessageInput, cached: CachedReply, onDelta: OnDelta): FastAnswer {
  const { reply, facts: known, at } = cached;
  const candidate = input.work.candidates.find(({ model: { id } }) => id === known.candidate);
  if (candidate === undefined) throw new Error("a cached reply of a model that is no candidate");
  tellWhole(reply, onDelta);
  const meta = runMeta(
    input,
    candidate,
    { usage: nothingSpent, notes: known.notes },
    { request: false, response: cached.edited === true },
    at,
  );
  return { outcome: withReceiptFacts(input, completed(reply, input.request, meta)), model: null, facts: () => [cachedFact(cached)] };
}

/** The facts of the request and its call. Their digests are computed here, after the response. */
function begunFacts(input: RequestInput): RecordFact[] {
  const models = modelIdsOf(input.work);
  const digest = requestDigest({ request: input.request, models }, input.work);
  const opened = inputFacts(input, digest);
  const isCalled = isMessageInput(input) && input.work.cache?.found === undefined;
  return !isCalled ? opened : [...opened, { kind: "called", call: 1, models, digest, again: input.takenOver }];
}

/** Why there is no reply; null where there is one. */
function causeOf(outcome: FastOutcome): Cause | null {
  switch (outcome.kind) {
    case "completed":
    case "approved":
      return null;
    case "failed":
      return failedCause(outcome.attempts);
    case "broken":
      return { kind: "broken", quote: outcome.quote };
    case "cancelled":
      return { kind: "cancelled", cause: outcome.key };
    default:
      return unreachable(outcome);
  }
}

/** The last facts of its record. */
const endedFacts = (outcome: FastOutcome): RecordFact[] => [
  ...(outcome.kind === "cancelled" ? [{ kind: "cancelled", cause: outcome.key } as const] : []),
  { kind: "finished", outcome: outcome.kind === "approved" ? "completed" : outcome.kind },
];

/** The outcome for repeats of the request, where an object knows it. */
const settledIn = (
  { id: run, requestRef: { session, originating, request } }: RequestInput,
  result: JsonOf<Outcome>,
  isRecorded = false,
): Pick<PendingEntries, "session"> =>
  session === null ? {} : { session: { object: session, settled: { originating, request, run, result, isRecorded } } };

/** What the record and the exports have of an answered request. */
type AnsweredLine = {
  readonly summary: RunSummary;
  /** Made when they are first needed. */
  readonly events: () => RecordEvent[];
  readonly entry: () => LedgerEntry;
  /** The record has it already. */
  readonly isRecorded?: true;
};

function lineOf({ input }: AnsweredRequest, { outcome, model, facts, told = [] }: FastAnswer): AnsweredLine {
  const endedAt = Date.now();
  const cause = causeOf(outcome);
  const summary = runSummary(input, {
    endedAt,
    state: cause === null ? "completed" : cause.kind === "cancelled" ? "cancelled" : "failed",
    cause,
    answered: model === null ? null : { model: model.candidate.model.id, candidate: model.candidate, usage: model.reply.usage },
    attempts: outcome.kind === "failed" ? outcome.attempts : [],
    reviews: [],
  });
  const events = once((): RecordEvent[] => {
    const begun = told.length === 0 ? begunFacts(input) : [];
    return [...told, ...numberEvents(input.id, told.at(-1) ?? null, endedAt, [...begun, ...facts(), ...endedFacts(outcome)])];
  });
  return { summary, events, entry: () => ({ events: events(), summary }) };
}

/**
 * Queues the outcome for repeats, the end of the key's lease, and the record; caches the reply;
 * stores a run where the requestor has left.
 */
function endWith(call: AnsweredRequest, answer: FastAnswer, line = lineOf(call, answer)): Outcome {
  const { context, plan, input } = call;
  const { env, ctx, signal } = context.incoming;
  const { id } = input;
  const { outcome, model } = answer;
  const { summary, events, entry, isRecorded = false } = line;
  const text = jsonOf<Outcome>(outcome);
  enqueue(env, ctx, {
    ...(isUnaskedOutcome(outcome) ? {} : settledIn(input, text, isRecorded)),
    key: { id: input.key.id, run: id },
    ...(isRecorded ? {} : { entry: { run: id, make: entry } }),
  });
  exportAnswered(env, ctx, input, summary, events);
  if (model === null || outcome.kind !== "completed") return outcome;
  const candidate = model.candidate.model.id;
  const { reply, usage, notes } = model.reply;
  const cache = cacheOf(input.work);
  if (cache !== undefined) {
    const approved = { request: false, response: false, deciders: decidersDigest(input.gatePolicy) };
    ctx.waitUntil(keepReply(env, input.key.id, cache, { reply, facts: { candidate, notes }, approved }));
  }
  if (signal.aborted) {
    const modelFacts: ModelFacts = { candidate, usage, notes, replyRisk: highestRisk(findRisks(reply)) };
    const stored = runInputOf(context, plan, input.takenOver);
    keySharesOf(env).index(input.key.id, stored.identicalDigest);
    const kept = runStub(env, id).storeEnded(jsonOf(stored), text, jsonOf(modelFacts), jsonOf(events()));
    ctx.waitUntil(kept.catch((error: unknown) => logFailed(context, error)));
  }
  return outcome;
}

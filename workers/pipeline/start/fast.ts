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
import { answeredFact, cachedFact } from "../../../shared/run/run-record.ts";
import { receiptFacts } from "../../../shared/run/run-receipt.ts";
import { maskedReply, mayMaskReply } from "../../../shared/run/masked-reply.ts";
import { approvedRequest, completed, runMeta } from "../../../shared/run/run-outcome.ts";
import {
  type MessageInput,
  type RequestRef,
  type RequestInput,
  type RunInput,
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
import { once } from "../../../shared/once.ts";
import { contextOfAttempt } from "../../../shared/telemetry/request-trace.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { startSlowTimer } from "../../platform/slow-timer.ts";
import type { LedgerEntry } from "../../stubs/ledger-calls.ts";
import { appendToLedger, runStub } from "../../stubs/stubs.ts";
import { type ModelAnswer, callModels } from "../../providers/call-model.ts";
import { type PendingEntries, enqueue } from "../record/write-behind.ts";
import { keepReply } from "../plan/cached-reply.ts";
import { keySharesOf } from "../admit/key-shares.ts";
import { permitFor, spendingOf } from "../spend/spending.ts";
import { exportAnswered } from "../record/traced.ts";
import { watchKey } from "../wait/key-watch.ts";

type FastCall = {
  readonly env: Env;
  readonly input: MessageInput;
  /** As a run has it. */
  readonly runInput: () => RunInput;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly signal: AbortSignal;
  /** Of this call, which begins now. */
  readonly slow: ReturnType<typeof startSlowTimer>;
  readonly onDelta?: (text: string) => void;
  /** Releases the request's id: no model was asked, so the same request may come again. */
  readonly forget: () => Promise<void>;
};

type AnsweredCall = Pick<FastCall, "env" | "ctx" | "runInput" | "signal"> & { readonly input: RequestInput };

type FastAnswer = {
  readonly outcome: Outcome;
  /** Null where no model was called, or none answered. */
  readonly model: ModelAnswer | null;
  readonly facts: () => readonly RecordFact[];
  /** Why there is no reply; null where there is one. */
  readonly cause: Cause | null;
  /** No model was asked: none had a free slot. */
  readonly unasked?: true;
  /** The events that the record has already. */
  readonly told?: readonly RecordEvent[];
};

/** The outcome, as soon as the model has answered; the record is written behind. */
export async function answerFast(call: FastCall): Promise<Outcome> {
  const watch = watchKey(call.env, call.input.key, call.slow);
  const calling = callOnce(call, watch.over);
  const called = await Promise.race([calling, watch.ended]);
  if (typeof called === "string") {
    // The model call goes on, within its timeout.
    void calling.finally(call.slow.cancel);
    return cutOff(call, called, calling);
  }
  watch.done();
  // Before the response, since the caller may retry at once. Where it fails, the id is free when
  // its lease has expired.
  if (called.unasked)
    await call.forget().catch((error: unknown) => logEvent("request.failed", { run: call.input.id, error: errorClass(error) }));
  call.slow.cancel();
  return recorded(call, called);
}

/** What its caller does, and nobody is asked about. */
export async function answerApproved(call: AnsweredCall): Promise<Outcome> {
  const { input } = call;
  if (!isReleasable(input.request)) throw new Error("an approval of what no caller does");
  const outcome = withReceiptFacts(input, approvedRequest(input, input.request, null));
  return recorded(call, { outcome, model: null, facts: () => [{ kind: "finished", outcome: "completed" }], cause: null });
}

/**
 * The outcome, when the record may be left to what is written behind. With `RECORD=before` its line
 * is there first, and without a line there is no reply.
 */
async function recorded(call: AnsweredCall, answer: FastAnswer): Promise<Outcome> {
  const { env, input } = call;
  const result = resultOf(call, answer);
  if (!settingsOf(env).isRecordedBefore) {
    enqueueResult(call, answer, result);
    return answer.outcome;
  }
  try {
    const write = (): Promise<void> => appendToLedger(env, input.id, result.entry());
    await write().catch(write);
    enqueueResult(call, answer, result, true);
    return answer.outcome;
  } catch (error) {
    logEvent("request.failed", { run: input.id, error: errorClass(error) });
    const cause = { kind: "broken", quote: input.id } as const;
    const facts = (): RecordFact[] => [
      ...answer.facts().filter(({ kind }) => kind !== "finished"),
      { kind: "finished", outcome: "broken" },
    ];
    const broken: FastAnswer = { ...answer, outcome: cause, cause, facts };
    enqueueResult(call, broken, resultOf(call, broken));
    return cause;
  }
}

/**
 * The key ended during the model call: the reply is not delivered, and its cost is in the record
 * all the same.
 */
function cutOff(call: FastCall, key: KeyEnd, calling: Promise<FastAnswer>): Outcome {
  const { env, ctx, input } = call;
  const { requestRef, id } = input;
  const outcome: Outcome = { kind: "cancelled", key };
  // The callers that wait for the same outcome get this one at once.
  enqueue(env, ctx, settledIn(requestRef, id, jsonOf(outcome)));
  const facts = (of: FastAnswer): RecordFact[] => [
    ...of.facts().filter(({ kind }) => kind !== "finished"),
    { kind: "cancelled", cause: key },
    { kind: "finished", outcome: "cancelled" },
  ];
  const cause = { kind: "cancelled", cause: key } as const;
  ctx.waitUntil(
    calling.then(({ model, ...of }) => {
      const ended = { outcome, model, facts: () => facts({ model, ...of }), cause, told: of.told ?? [] };
      enqueueResult(call, ended, resultOf(call, ended));
    }),
  );
  return outcome;
}

async function callOnce(call: FastCall, over: AbortSignal): Promise<FastAnswer> {
  const { env, input, onDelta: tell } = call;
  const onDelta = tell === undefined ? undefined : (text: string): void => (over.aborted ? undefined : tell(text));
  let told: readonly RecordEvent[] = [];
  try {
    const cached = input.work.cache?.found;
    if (cached !== undefined) return fromCache(input, cached, onDelta);
    if (input.takenOver) told = await tellOfTakeover(env, input);
    return { ...(await askModels(call, over, onDelta)), told };
  } catch (error) {
    logEvent("request.failed", { run: input.id, error: errorClass(error) });
    const facts = (): RecordFact[] => [{ kind: "finished", outcome: "broken" }];
    const broken = { kind: "broken", quote: input.id } as const;
    return { outcome: broken, model: null, facts, cause: broken, told };
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

async function askModels(
  { env, ctx, input, signal, slow }: FastCall,
  over: AbortSignal,
  onDelta: FastCall["onDelta"],
): Promise<FastAnswer> {
  // A part of a reply may be the beginning of what is masked in the whole.
  const isWhole = mayMaskReply(input);
  const permit = permitFor(spendingOf({ env, ctx }, input), { mayShare: true });
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
  const facts = (): RecordFact[] => [
    answeredFact(1, { reply, candidate, attempts, took }),
    ...redactedFacts("response", redaction),
    { kind: "finished", outcome: "completed" },
  ];
  return { outcome: withReceiptFacts(input, outcome), model: { ...answered.value, reply }, facts, cause: null };
}

function failedWith(attempts: readonly Attempt[]): FastAnswer {
  const facts = (): RecordFact[] => [
    { kind: "callFailed", call: 1, attempts },
    { kind: "finished", outcome: "failed" },
  ];
  const outcome = { kind: "failed", attempts } as const;
  return { outcome, model: null, facts, cause: failedCause(attempts), ...(isUnasked(attempts) ? { unasked: true } : {}) };
}

function tellWhole({ content }: SamplingReply, onDelta: FastCall["onDelta"]): void {
  for (const block of content) if (block.type === "text") onDelta?.(block.text);
}

/** Nobody was asked: a rule or a grant let it pass. */
function withReceiptFacts(input: RequestInput, outcome: Outcome): Outcome {
  if (input.receipts !== true) return outcome;
  const { request } = input;
  return { ...outcome, receiptFacts: receiptFacts(input, { asked: request, sent: request, state: null, at: Date.now() }) };
}

/** An identical request was answered before: nothing is sent, and nothing is spent. */
function fromCache(input: MessageInput, cached: CachedReply, onDelta: FastCall["onDelta"]): FastAnswer {
  const { reply, facts: known, at } = cached;
  const candidate = input.work.candidates.find(({ model: { id } }) => id === known.candidate);
  if (candidate === undefined) throw new Error("a cached reply of a model that is no candidate");
  tellWhole(reply, onDelta);
  const model = { reply, usage: nothingSpent, notes: known.notes };
  return {
    outcome: withReceiptFacts(
      input,
      completed(reply, input.request, runMeta(input, candidate, model, { request: false, response: cached.edited === true }, at)),
    ),
    model: null,
    facts: () => [cachedFact(cached), { kind: "finished", outcome: "completed" }],
    cause: null,
  };
}

/** The facts of the request and its call. Their digests are computed here, after the response. */
function begunFacts(input: RequestInput): RecordFact[] {
  const models = modelIdsOf(input.work);
  const digest = requestDigest({ request: input.request, models }, input.work);
  const opened = inputFacts(input, digest);
  const isCalled = isMessageInput(input) && input.work.cache?.found === undefined;
  return !isCalled ? opened : [...opened, { kind: "called", call: 1, models, digest, again: input.takenOver }];
}

/** The outcome for repeats of the request, where an object knows it. */
const settledIn = (
  { session, originating, request }: RequestRef,
  run: string,
  result: JsonOf<Outcome>,
  isRecorded = false,
): Pick<PendingEntries, "session"> =>
  session === null ? {} : { session: { object: session, settled: { originating, request, run, result, isRecorded } } };

/**
 * What the record and the exports have of an answered request. `events`: made when first needed.
 */
type AnsweredResult = {
  readonly summary: RunSummary;
  readonly events: () => RecordEvent[];
  readonly entry: () => LedgerEntry;
};

function resultOf({ input }: AnsweredCall, { outcome, model, facts, cause, told = [] }: FastAnswer): AnsweredResult {
  const endedAt = Date.now();
  const summary = runSummary(input, {
    endedAt,
    state: cause === null ? "completed" : cause.kind === "cancelled" ? "cancelled" : "failed",
    cause,
    answered: model === null ? null : { model: model.candidate.model.id, candidate: model.candidate, usage: model.reply.usage },
    attempts: outcome.kind === "failed" ? outcome.attempts : [],
    reviews: [],
  });
  const events = once((): RecordEvent[] =>
    told.length === 0
      ? numberEvents(input.id, null, endedAt, [...begunFacts(input), ...facts()])
      : [...told, ...numberEvents(input.id, told.at(-1) ?? null, endedAt, facts())],
  );
  return { summary, events, entry: () => ({ events: events(), summary }) };
}

/**
 * Queues the outcome for repeats, the end of the key's lease, and the record; caches the reply;
 * stores a run where the requestor has left. `isRecorded`: the record has it already.
 */
function enqueueResult(
  { env, ctx, input, runInput, signal }: AnsweredCall,
  { outcome, model, cause, unasked }: FastAnswer,
  { summary, events, entry }: AnsweredResult,
  isRecorded = false,
): void {
  const { requestRef, id } = input;
  const text = jsonOf(outcome);
  enqueue(env, ctx, {
    ...(unasked ? {} : settledIn(requestRef, id, text, isRecorded)),
    key: { id: input.key.id, run: id },
    ...(isRecorded ? {} : { entry: { run: id, make: entry } }),
  });
  exportAnswered(env, ctx, input, summary, events);
  if (model === null || cause !== null) return;
  const candidate = model.candidate.model.id;
  const { reply, usage: tokens, notes } = model.reply;
  const cache = cacheOf(input.work);
  if (cache !== undefined) {
    const approved = { request: false, response: false, deciders: decidersDigest(input.gatePolicy) };
    ctx.waitUntil(keepReply(env, input.key.id, cache, { reply, facts: { candidate, notes }, approved }));
  }
  if (!signal.aborted) return;
  const modelFacts: ModelFacts = { candidate, usage: tokens, notes, replyRisk: highestRisk(findRisks(reply)) };
  const stored = runInput();
  keySharesOf(env).index(input.key.id, stored.identicalDigest);
  const kept = runStub(env, id).storeEnded(jsonOf(stored), text, jsonOf(modelFacts), jsonOf(events()));
  ctx.waitUntil(kept.catch((error: unknown) => logEvent("request.failed", { run: id, error: errorClass(error) })));
}

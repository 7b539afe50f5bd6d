// The fast path: no gate is closed, so the Worker calls the model itself and keeps the books afterwards.
//
// The work does not depend on the caller's connection. What was begun is finished, as far as the platform lets a Worker
// go on after its caller has left, and its answer is kept for the next try.

import { chainEvents, type RecordFact, type RunSummary } from "../../shared/outcome/record.ts";
import { type Answer, completedAnswer, costUsd, outcomeAnswer, refusalAnswer, runMeta } from "../../shared/run/answer.ts";
import { type RunOpening, replyDigest, requestDigest } from "../../shared/run/opening.ts";
import type { ModelFacts } from "../../shared/run/present.ts";
import type { Env } from "../env.ts";
import { errorClass, logEvent } from "../log.ts";
import type { KeyObject } from "../objects/key.ts";
import { runStub } from "../objects/names.ts";
import type { SessionObject } from "../objects/session.ts";
import { type ModelAnswer, callModels } from "../providers/model-call.ts";
import { appendToLedger } from "./ledger.ts";

type FastCall = {
  readonly env: Env;
  readonly opening: RunOpening;
  readonly session: DurableObjectStub<SessionObject>;
  readonly keyObject: DurableObjectStub<KeyObject>;
  readonly now: number;
  readonly signal: AbortSignal;
};

type Called = {
  readonly answer: Answer;
  readonly model: ModelAnswer | null;
  readonly facts: readonly RecordFact[];
  readonly outcome: string;
};

/** The answer, as soon as the model gave it; the books are kept in the background of the returned promise's task. */
export async function answerFast(call: FastCall): Promise<Answer> {
  const called = await callOnce(call);
  const books = keepBooks(call, called);
  // Not awaited: the caller has its answer before the books are kept, and the waitUntil of each part keeps the Worker alive.
  void books;
  return called.answer;
}

async function callOnce({ env, opening }: FastCall): Promise<Called> {
  const models = opening.candidates.map(({ model }) => model.id);
  const digest = requestDigest({ request: opening.request, models }, opening.candidates);
  const begun: RecordFact[] = [
    {
      kind: "received",
      key: opening.key.id,
      server: opening.asker.server,
      method: opening.asker.method,
      name: opening.asker.name,
      provenance: opening.asker.provenance,
      door: opening.door,
      requestDigest: digest,
      rule: opening.plan.rule,
      requestGate: opening.plan.request,
      responseGate: opening.plan.response,
      models,
      risks: opening.risks.map(({ kind }) => kind),
      contextIgnored: opening.contextIgnored,
      takenOver: opening.takenOver,
    },
    { kind: "called", call: 1, models, digest, again: opening.takenOver },
  ];
  try {
    const answered = await callModels(env, opening.request, opening.candidates);
    if (!answered.ok) {
      const facts: RecordFact[] = [
        ...begun,
        { kind: "callFailed", call: 1, attempts: answered.error },
        { kind: "finished", outcome: "failed" },
      ];
      return { answer: outcomeAnswer({ kind: "failed", attempts: answered.error }), model: null, facts, outcome: "failed" };
    }
    const { reply, candidate, attempts } = answered.value;
    const answer = completedAnswer(
      reply.reply,
      opening.request,
      runMeta(opening.id, candidate, reply, { request: false, response: false }),
    );
    const facts: RecordFact[] = [
      ...begun,
      {
        kind: "answered",
        call: 1,
        model: candidate.model.id,
        realModel: reply.reply.model,
        stopReason: reply.reply.stopReason ?? "",
        usage: reply.usage,
        costUsd: costUsd(candidate, reply.usage),
        digest: replyDigest(reply.reply),
        notes: reply.notes,
        attempts,
      },
      { kind: "finished", outcome: "completed" },
    ];
    return { answer, model: answered.value, facts, outcome: "completed" };
  } catch (error) {
    logEvent("request.failed", { run: opening.id, error: errorClass(error) });
    const facts: RecordFact[] = [...begun, { kind: "finished", outcome: "broken" }];
    return { answer: refusalAnswer({ kind: "broken", quote: opening.id }), model: null, facts, outcome: "broken" };
  }
}

/** Bookkeeping: the session's copy for repeats, the key's place and spending, the record; and the reply, where the asker has left. */
async function keepBooks({ env, opening, session, keyObject, signal }: FastCall, { answer, model, facts, outcome }: Called): Promise<void> {
  const endedAt = Date.now();
  const { attachment, id } = opening;
  const cost = model === null ? 0 : costUsd(model.candidate, model.reply.usage);
  const usage = { inputTokens: model?.reply.usage.inputTokens ?? 0, outputTokens: model?.reply.usage.outputTokens ?? 0, costUsd: cost };
  const text = JSON.stringify(answer);
  const summary: RunSummary = {
    run: id,
    key: opening.key.id,
    server: opening.asker.server,
    name: opening.asker.name,
    createdAt: opening.createdAt,
    endedAt,
    state: outcome,
    model: model?.candidate.model.id ?? null,
    ...usage,
  };
  const books: Promise<unknown>[] = [
    session.settle(attachment.originating, attachment.request, id, text),
    keyObject.release(id),
    appendToLedger(env, { events: chainEvents(id, null, endedAt, facts), summary }),
  ];
  if (signal.aborted && model !== null) {
    const modelFacts: ModelFacts = { candidate: model.candidate.model.id, usage: model.reply.usage, notes: model.reply.notes };
    books.push(runStub(env, id).keep(JSON.stringify(opening), text, JSON.stringify(modelFacts)));
  }
  for (const book of await Promise.allSettled(books)) {
    if (book.status === "rejected") logEvent("ledger.appendFailed", { run: id, error: errorClass(book.reason) });
  }
}

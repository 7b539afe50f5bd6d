// A run's call of a model or a tool: made from the outbox, watched while it runs. A model is called
// again where the instance that called it is gone, a tool never. It sends what was approved, or
// nothing.

import type { KeyEnd } from "../../../../shared/model/gate.ts";
import type { RecordFact } from "../../../../shared/record/record.ts";
import { type RiskNote, type SeenRisk, findRisks, highestRisk } from "../../../../shared/policy/risk.ts";
import type { Redaction } from "../../../../shared/redaction/redact.ts";
import { type ToolCall, toolName } from "../../../../shared/model/subject/tool-call.ts";
import { type SubjectReply, isMessage, isToolCall } from "../../../../shared/model/subject/subject.ts";
import type { Attempt, CallTerms, ProviderError } from "../../../../shared/model/call.ts";
import { cancelledError, outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import { type RunState, isCalling, isCurrentCall } from "../../../../shared/run/lifecycle.ts";
import { maskedReply } from "../../../../shared/run/masked-reply.ts";
import { inOrder, nothingSpent, redactedFacts, requestDigest } from "../../../../shared/run/run-input.ts";
import { type CachedReply, candidatesOf } from "../../../../shared/run/work.ts";
import { type ReplyFact, answeredFact, cachedFact, ranFact } from "../../../../shared/run/run-record.ts";
import type { ModelFacts } from "../../../../shared/run/present.ts";
import { contextOfAttempt } from "../../../../shared/telemetry/request-trace.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { plainResult } from "../../../media/plain-reply.ts";
import { callTool } from "../../../mcp-client/functions.ts";
import { notStopped, permitFor, spendingOf } from "../../../pipeline/spend/spending.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { callModels } from "../../../providers/call-model.ts";
import { currentRequest } from "../deliver/run-account.ts";
import { cachedFor } from "./run-cache.ts";
import { keyEndOf } from "./run-key.ts";
import { stoppableCall } from "./tool-stop.ts";
import type { RunDeps } from "../run-deps.ts";
import type { OutboxRow } from "../tables/outbox-rows.ts";
import type { StoredInput } from "../tables/run-store.ts";

type CallResult = {
  readonly call: number;
  readonly reply: SubjectReply;
  readonly facts: ModelFacts;
  readonly attempts: readonly Attempt[];
  /** The reply's highest. */
  readonly risk: SeenRisk;
  readonly redaction: Redaction | null;
};

const noModel: ModelFacts = { candidate: null, usage: nothingSpent, notes: [] };

const kindsOf = (risks: readonly RiskNote[]): string[] => risks.map(({ kind }) => kind);

export class RunCall {
  readonly #deps: RunDeps;
  /**
   * The calls that this instance is making, by number; aborted where no requestor may have the
   * reply any more.
   */
  readonly #running = new Map<number, AbortController>();

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a call that was not started, leaves a running one alone, and ends one whose instance is
   * gone. True where there is nothing left to do.
   */
  watch(row: OutboxRow, input: StoredInput, state: RunState): boolean {
    const call = state.call?.number;
    if (!isCalling(state) || call === undefined) return true;
    if (this.#running.has(call)) return false;
    if (row.attempts > 0) {
      this.#lost(row, call, input, state);
      return true;
    }
    const over = new AbortController();
    this.#running.set(call, over);
    this.#deps.waitUntil(this.#call(call, input, state, over.signal).finally(() => this.#running.delete(call)));
    return false;
  }

  /** The run has ended: a running call makes no further attempt. */
  stop(): void {
    for (const over of this.#running.values()) over.abort();
  }

  /**
   * The call's outcome is unknown. A call that may be made only once is not repeated: its attempt
   * says so to the requestor.
   */
  #lost(row: OutboxRow, call: number, { work, requestor }: StoredInput, { terms, call: made }: RunState): void {
    const now = this.#deps.now();
    // A tool in the place of a model.
    const first = candidatesOf(work)[0]?.model ?? {
      id: toolName({ server: requestor.server, tool: requestor.name }),
      provider: requestor.server,
    };
    const attempts: Attempt[] =
      terms.once === true
        ? [
            {
              model: first.id,
              provider: first.provider,
              at: made?.startedAt ?? now,
              durationMs: now - (made?.startedAt ?? now),
              fault: outcomeUnknownError,
            },
          ]
        : [];
    this.#deps.store.transaction(() => {
      this.#deps.store.outbox.done(row.id);
      if (attempts.length > 0) this.#deps.store.writeModelFacts({ ...noModel, attempts });
      this.#deps.apply({ kind: "callLost", call }, now, [{ kind: "callFailed", call, attempts }]);
    });
  }

  async #call(call: number, input: StoredInput, state: RunState, over: AbortSignal): Promise<void> {
    const content = currentRequest(this.#deps.store, state);
    // What is sent is what was approved, or nothing.
    if (content === null || requestDigest(content, input.work) !== state.content.digest) {
      this.#failCall(call, []);
      return;
    }
    const keyEnd = await keyEndOf(this.#deps.env, input, this.#deps.now()).catch((error: unknown) => {
      logEvent("run.effectFailed", { effect: "call", run: input.id, error: errorClass(error) });
      return "unknown" as const;
    });
    if (keyEnd !== null) return this.#uncalled(call, keyEnd);
    const { request, models } = content;
    if (isToolCall(request)) return this.#callTool(call, input, request, over);
    if (!isMessage(request)) throw new Error("a call for what nobody is called for");
    const cached = cachedFor(input, state);
    if (cached !== null) return this.#fromCache(call, cached);
    const { env, waitUntil } = this.#deps;
    const permit = permitFor(spendingOf({ env, ctx: { waitUntil } }, { ...input, request }), { mayShare: false });
    const candidates = inOrder(candidatesOf(input.work), models);
    const traceOf = (attempt: number) => contextOfAttempt(input.trace, input.id, call, attempt);
    const answered = await callModels(env, request, candidates, termsOf(input, this.#deps.now()), { over, permit, traceOf });
    if (!answered.ok) {
      this.#failCall(call, answered.error);
      return;
    }
    const { candidate, attempts, reply: said } = answered.value;
    const { id, provider } = candidate.model;
    const masked = maskedReply(input, request, said, { model: id, provider, at: this.#deps.now() });
    if (!masked.ok) return this.#failCall(call, [...attempts, ...masked.error]);
    const { value: reply, redaction } = masked.value;
    const { usage, notes } = said;
    const risks = findRisks(reply);
    const fact = answeredFact(call, { ...answered.value, reply: { ...said, reply } }, kindsOf(risks));
    const facts = { candidate: candidate.model.id, usage, notes };
    this.#generated({ call, reply, facts, attempts, risk: highestRisk(risks), redaction }, fact);
  }

  /** One attempt: where an answer is lost, the tool may have run. */
  async #callTool(call: number, input: StoredInput, request: ToolCall, over: AbortSignal): Promise<void> {
    const { env, waitUntil, now } = this.#deps;
    const at = now();
    const attempt = { model: toolName(request), provider: request.server, at };
    const failed = (fault: ProviderError): void => this.#failCall(call, [{ ...attempt, durationMs: now() - at, fault }]);
    const permitted = await notStopped({
      env,
      ctx: { waitUntil },
      key: input.key,
      server: input.requestor.server,
      call: stoppableCall(this.#deps.store, input),
    });
    if (!permitted.ok) return failed(permitted.error);
    if (over.aborted) return failed(cancelledError);
    const { modelTimeoutMs } = settingsOf(env);
    const timeoutMs = Math.min(modelTimeoutMs, termsOf(input, at)?.timeoutMs ?? modelTimeoutMs);
    const answered = await callTool(env, request, { timeoutMs, trace: contextOfAttempt(input.trace, input.id, call, 1) ?? undefined });
    if (!answered.ok) return failed(answered.error);
    const { result: returned, ...images } = await plainResult(env, answered.value.result);
    const masked = maskedReply(input, request, { reply: returned, usage: nothingSpent }, { ...attempt, at: now() });
    if (!masked.ok) return this.#failCall(call, masked.error);
    const { value: result, redaction } = masked.value;
    const { notes } = answered.value;
    const risks = findRisks(result);
    const fact = ranFact(call, request, { result, notes, took: { at, durationMs: now() - at }, ...images }, kindsOf(risks));
    const facts = { candidate: attempt.model, usage: nothingSpent, notes };
    this.#generated({ call, reply: result, facts, attempts: [], risk: highestRisk(risks), redaction }, fact);
  }

  /** The key has ended, or its state is unknown, which counts as no: nothing is sent. */
  #uncalled(call: number, keyEnd: KeyEnd | "unknown"): void {
    if (keyEnd === "unknown") return this.#failCall(call, []);
    const facts: RecordFact[] = [
      { kind: "callFailed", call, attempts: [] },
      { kind: "cancelled", cause: keyEnd },
    ];
    this.#deps.apply({ kind: "cancelled", cause: keyEnd }, this.#deps.now(), facts);
  }

  /** An identical request was answered before: nothing is sent, and nothing is spent. */
  #fromCache(call: number, cached: CachedReply): void {
    const { reply, facts } = cached;
    const risks = findRisks(reply);
    const fact = cachedFact(cached, kindsOf(risks));
    this.#generated(
      { call, reply, facts: { ...facts, usage: nothingSpent }, attempts: [], risk: highestRisk(risks), redaction: null },
      fact,
    );
  }

  #generated({ call, reply, facts, attempts, risk, redaction }: CallResult, fact: ReplyFact): void {
    const now = this.#deps.now();
    const state = this.#deps.store.state();
    if (state === null) return;
    if (!isCurrentCall(state, call)) {
      // Cancelled meanwhile: the reply is not delivered, and its cost is in the record all the
      // same.
      this.#deps.record(now, [fact]);
      this.#deps.flush();
      return;
    }
    this.#deps.store.transaction(() => {
      this.#deps.store.writeReplyVersion(1, reply, null, now);
      if (redaction !== null) this.#deps.store.writeRedaction("response", redaction);
      this.#deps.store.writeModelFacts({ ...facts, attempts });
      this.#deps.store.outbox.drop("call");
      this.#deps.apply({ kind: "generated", call, replyDigest: fact.digest, risk }, now, [fact, ...redactedFacts("response", redaction)]);
    });
  }

  #failCall(call: number, attempts: readonly Attempt[]): void {
    const now = this.#deps.now();
    const state = this.#deps.store.state();
    if (state === null) return;
    if (!isCurrentCall(state, call)) {
      // Cancelled meanwhile: that no model answered is in the record all the same.
      this.#deps.record(now, [{ kind: "callFailed", call, attempts }]);
      this.#deps.flush();
      return;
    }
    this.#deps.store.transaction(() => {
      this.#deps.store.writeModelFacts({ ...noModel, attempts });
      this.#deps.apply({ kind: "callFailed", call }, now, [{ kind: "callFailed", call, attempts }]);
    });
  }
}

/**
 * The requestor's terms for the call, with a timeout that ends at `endsAt`, where the time of the
 * reviews counts too.
 */
function termsOf({ call, endsAt }: StoredInput, now: number): CallTerms | undefined {
  if (endsAt === undefined) return call;
  return { ...call, timeoutMs: Math.max(1, Math.min(call?.timeoutMs ?? Number.POSITIVE_INFINITY, endsAt - now)) };
}

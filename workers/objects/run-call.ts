// A run's model call: made from the outbox, watched while it is under way, made again where the object that made it is gone.
// What is sent is what was approved, or nothing.

import type { RecordFact } from "../../shared/outcome/record.ts";
import { providersWord } from "../../shared/outcome/record.ts";
import type { SamplingReply } from "../../shared/protocol/sampling.ts";
import type { Attempt, CallTerms } from "../../shared/provider/call.ts";
import { outcomeUnknownFault } from "../../shared/provider/fault.ts";
import { costUsd } from "../../shared/routing/price.ts";
import type { RunState } from "../../shared/run/lifecycle.ts";
import { type CachedReply, inOrder, nothingSpent, replyDigest, requestDigest } from "../../shared/run/opening.ts";
import type { ModelFacts } from "../../shared/run/present.ts";
import { callModels } from "../providers/model-call.ts";
import { currentRequest } from "./run-account.ts";
import { cachedFor } from "./run-cache.ts";
import type { RunParts } from "./run-parts.ts";
import type { OutboxRow, StoredOpening } from "./run-store.ts";

type CallResult = {
  readonly call: number;
  readonly reply: SamplingReply;
  readonly facts: ModelFacts;
  readonly attempts: readonly Attempt[];
};

export class RunCall {
  readonly #parts: RunParts;
  /** Numbers of the calls that this instance is making. */
  readonly #underWay = new Set<number>();

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Starts a call that was not started, leaves one alone that is under way, and gives up one whose object is gone. */
  watch(row: OutboxRow, opening: StoredOpening, state: RunState): boolean {
    const call = state.call?.number;
    if (state.phase !== "generating" || call === undefined) return true;
    if (this.#underWay.has(call)) return false;
    if (row.attempts > 0) {
      this.#lost(row, call, opening, state);
      return true;
    }
    this.#underWay.add(call);
    const under = this.#call(call, opening, state).finally(() => this.#underWay.delete(call));
    this.#parts.waitUntil(under);
    return false;
  }

  /** What became of the call is not known: where it is not made again, the asker is told so. */
  #lost(row: OutboxRow, call: number, { candidates }: StoredOpening, { terms, call: made }: RunState): void {
    const now = this.#parts.now();
    const [first] = candidates;
    const attempts: Attempt[] =
      terms.once === true && first !== undefined
        ? [
            {
              model: first.model.id,
              provider: first.model.provider,
              at: made?.startedAt ?? now,
              durationMs: now - (made?.startedAt ?? now),
              fault: outcomeUnknownFault,
            },
          ]
        : [];
    this.#parts.store.transaction(() => {
      this.#parts.store.done(row.id);
      if (attempts.length > 0)
        this.#parts.store.writeModelFacts({ candidate: "", usage: { inputTokens: 0, outputTokens: 0 }, notes: [], attempts });
      this.#parts.apply({ kind: "callLost", call }, now, [{ kind: "callFailed", call, attempts }]);
    });
  }

  async #call(call: number, opening: StoredOpening, state: RunState): Promise<void> {
    const content = currentRequest(this.#parts.store, state);
    // What is executed is what was approved, or nothing.
    if (content === null || requestDigest(content, opening.candidates) !== state.requestDigest) {
      this.#failCall(call, []);
      return;
    }
    const cached = cachedFor(opening, state);
    if (cached !== null) return this.#fromCache(call, cached);
    const answered = await callModels(
      this.#parts.env,
      content.request,
      inOrder(opening.candidates, content.models),
      termsOf(opening, this.#parts.now()),
    );
    if (!answered.ok) {
      this.#failCall(call, answered.error);
      return;
    }
    const { candidate, attempts } = answered.value;
    const { reply, usage, notes } = answered.value.reply;
    const digest = replyDigest(reply);
    const fact: RecordFact = {
      kind: "answered",
      call,
      model: candidate.model.id,
      realModel: providersWord(reply.model),
      stopReason: providersWord(reply.stopReason ?? ""),
      usage,
      costUsd: costUsd(candidate.model, usage),
      digest,
      notes,
      attempts,
    };
    this.#generated({ call, reply, facts: { candidate: candidate.model.id, usage, notes }, attempts }, digest, fact);
  }

  /** An identical request was answered before: nothing is sent, and nothing is spent. */
  #fromCache(call: number, { reply, facts, at }: CachedReply): void {
    const digest = replyDigest(reply);
    const fact: RecordFact = { kind: "fromCache", model: facts.candidate, digest, cachedAt: new Date(at).toISOString() };
    this.#generated({ call, reply, facts: { ...facts, usage: nothingSpent }, attempts: [] }, digest, fact);
  }

  #generated({ call, reply, facts, attempts }: CallResult, digest: string, fact: RecordFact): void {
    const now = this.#parts.now();
    const state = this.#parts.store.state();
    if (state === null) return;
    if (state.phase !== "generating" || state.call?.number !== call) {
      // Cancelled meanwhile: the reply goes nowhere, and what it cost is in the record all the same.
      this.#parts.record(now, [fact]);
      this.#parts.kick();
      return;
    }
    this.#parts.store.transaction(() => {
      this.#parts.store.writeReplyVersion(1, reply, null, now);
      this.#parts.store.writeModelFacts({ ...facts, attempts });
      this.#parts.store.dropQueued("call");
      this.#parts.apply({ kind: "generated", call, replyDigest: digest }, now, [fact]);
    });
  }

  #failCall(call: number, attempts: readonly Attempt[]): void {
    const now = this.#parts.now();
    const state = this.#parts.store.state();
    if (state?.phase !== "generating" || state.call?.number !== call) return;
    this.#parts.store.transaction(() => {
      this.#parts.store.writeModelFacts({ candidate: "", usage: { inputTokens: 0, outputTokens: 0 }, notes: [], attempts });
      this.#parts.apply({ kind: "callFailed", call }, now, [{ kind: "callFailed", call, attempts }]);
    });
  }
}

/** How the model is to be called: as the asker says, and not past the end that covers the people's time too. */
function termsOf({ call, endsAt }: StoredOpening, now: number): CallTerms | undefined {
  if (endsAt === undefined) return call;
  return { ...call, timeoutMs: Math.max(1, Math.min(call?.timeoutMs ?? Number.POSITIVE_INFINITY, endsAt - now)) };
}

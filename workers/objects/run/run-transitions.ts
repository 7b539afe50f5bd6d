// A run's state, and the one way in which it changes: shared/run/lifecycle.ts computes the next
// state of an event, which is committed together with a row for each effect. No effect is performed
// here.

import type { Env } from "../../platform/env.ts";
import { bookkeepingMs } from "./run-outbox.ts";
import { RunStore, type StoredInput } from "./run-store.ts";
import { RunNotices } from "./run-notices.ts";
import { type CurrentRun, reviewAt } from "./run-parts.ts";
import { type RunEvent, step, type Effect, type RunState, type Step } from "../../../shared/run/lifecycle.ts";
import type { RecordFact } from "../../../shared/record/record.ts";
import { currentRequest, outcomeOf } from "./run-account.ts";
import { cachedFor } from "./run-cache.ts";
import { takeWrittenReply } from "./run-edit.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { Review } from "../../../shared/review/decision.ts";

export type TransitionParts = {
  readonly env: Env;
  readonly store: RunStore;
  /** A function, since notices need transitions and transitions need notices. */
  readonly notices: () => RunNotices;
  /** Sets the object's alarm for what is due next. */
  readonly arm: () => void;
  /** Begins what is due. */
  readonly flush: () => void;
};

/**
 * The author's approval of the reply that they wrote, as the record has it at the response gate.
 */
function authorFact({ gate, votes, author, version, digest }: Review, kind: "voted" | "approved"): RecordFact {
  const vote = votes.find(({ reviewer }) => reviewer === author);
  if (vote === undefined) throw new Error("an author's approval without a vote");
  return { kind, gate, by: vote.reviewer, channel: vote.channel, version, digest, reasonGiven: false, byWriting: true };
}

export class RunTransitions {
  readonly #parts: TransitionParts;

  constructor(parts: TransitionParts) {
    this.#parts = parts;
  }

  current(): CurrentRun | null {
    const state = this.#parts.store.state();
    const input = state === null ? null : this.#parts.store.input();
    return state === null || input === null ? null : { input, state };
  }

  /**
   * Applies one event: commits the next state with its effects, then flushes. False where nothing
   * changed.
   */
  apply(event: RunEvent, now: number, facts: readonly RecordFact[]): boolean {
    const state = this.#parts.store.state();
    if (state === null) return false;
    const next = step(state, event, now);
    if (next.state === state) return false;
    this.#parts.store.transaction(() => this.commit(next, now, facts));
    this.#parts.flush();
    return true;
  }

  /** Inside a transaction: the state, its events, and a row for each effect. */
  commit({ state, effects }: Step, now: number, facts: readonly RecordFact[]): void {
    const input = this.#parts.store.input();
    if (input === null) throw new Error("a run without its input");
    this.#parts.store.writeState(state);
    const more = effects.flatMap((effect) => this.#queueEffect(effect, state, input, now));
    this.record(now, [...facts, ...more]);
  }

  record(now: number, facts: readonly RecordFact[]): void {
    const input = this.#parts.store.input();
    if (input === null) return;
    this.#parts.store.events.append(input.id, now, facts);
    this.#queueRecord(now);
    this.#parts.arm();
  }

  #queueEffect(effect: Effect, state: RunState, input: StoredInput, now: number): RecordFact[] {
    switch (effect.kind) {
      case "open":
        return this.#openGate(reviewAt(state, effect.gate), input);
      case "ask": {
        const review = reviewAt(state, effect.gate);
        this.#parts.notices().ask(input, review, effect.reviewers, effect.why, now);
        return effect.why === "asked" ? [] : [{ kind: "askedAlso", gate: effect.gate, reviewers: effect.reviewers, why: effect.why }];
      }
      case "tellAgain":
        this.#parts.notices().tellAgain(input, reviewAt(state, effect.gate), effect.why, now);
        return [];
      case "release":
        this.#parts.notices().release(input, effect.gate, effect.reviewers, now);
        return [];
      case "withdraw":
        this.#parts.store.schedule.dropGate(effect.gate);
        this.#parts.notices().withdraw(effect.gate, now);
        return [];
      case "takeReply":
        takeWrittenReply(this.#parts.store, state, input, now);
        return [];
      case "authorApproved":
        return [authorFact(reviewAt(state, "response"), effect.verdict)];
      case "callModel": {
        const content = currentRequest(this.#parts.store, state);
        this.#parts.store.outbox.queue("call", "call", { call: effect.call }, now);
        return cachedFor(input, state) !== null
          ? []
          : [{ kind: "called", call: effect.call, models: content?.models ?? [], digest: state.requestDigest, again: effect.again }];
      }
      case "finish": {
        this.#parts.store.writeOutcome(JSON.stringify(outcomeOf(this.#parts.store, state, input)));
        this.#parts.store.outbox.drop("call");
        this.#parts.store.schedule.drop("keyExpires");
        this.#queueDelivery(input, now);
        if (input.cache !== undefined) this.#parts.store.outbox.queue("cache", "cache", null, now);
        this.#parts.store.schedule.set("forget", now + settingsOf(this.#parts.env).retentionMs);
        return [{ kind: "finished", outcome: state.end?.kind ?? "failed" }];
      }
      default:
        return effect satisfies never;
    }
  }

  #queueRecord(now: number): void {
    const { outbox } = this.#parts.store;
    // One row is enough: its attempt sends all that there is by then. One that was attempted may
    // have read the events already.
    if (outbox.has(({ kind, attempts }) => (kind === "record" || kind === "deliver") && attempts === 0)) return;
    // The model is called first.
    const isCalling = outbox.has(({ kind }) => kind === "call");
    outbox.queue("record", "answer", null, isCalling ? now + bookkeepingMs : now);
  }

  /** A delivery sends the record first, and tells the key and the session afterwards. */
  #queueDelivery({ waiting }: StoredInput, now: number): void {
    const { outbox } = this.#parts.store;
    outbox.drop("record");
    if (waiting !== undefined) {
      // A server may not accept the outcome for minutes: the key's request ends before. And a
      // ledger that fails is no attempt at posting.
      outbox.queue("record", "answer", null, now);
      outbox.queue("settle", "settle", null, now);
    }
    outbox.queue("deliver", "answer", null, now);
  }

  /** Starts a gate's clock: its deadline, its reminders, its escalation. */
  #openGate(review: Review, { plan }: StoredInput): RecordFact[] {
    const { gate, version, digest, reviewers, deadlineAt, openedAt } = review;
    this.#parts.store.schedule.set(`deadline:${gate}`, deadlineAt);
    for (const [index, seconds] of plan.remindAtSeconds.entries())
      this.#parts.store.schedule.set(`remind${index}:${gate}`, openedAt + seconds * 1000);
    if (plan.escalate !== null) this.#parts.store.schedule.set(`escalate:${gate}`, openedAt + plan.escalate.afterSeconds * 1000);
    return [{ kind: "reviewOpened", gate, version, digest, reviewers, deadlineAt: new Date(deadlineAt).toISOString() }];
  }
}

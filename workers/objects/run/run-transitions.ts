// A run's state, and the one way in which it changes: shared/run/lifecycle.ts computes the next
// state of an event, which is committed together with a row for each effect. No effect is performed
// here.

import { jsonOf } from "../../../shared/json/json-of.ts";
import type { Env } from "../../platform/env.ts";
import { bookkeepingMs } from "./outbox/run-outbox.ts";
import { RunStore, type StoredInput } from "./tables/run-store.ts";
import type { NoticeQueue } from "./notices/notice-queue.ts";
import { type CurrentRun, reviewAt } from "./run-deps.ts";
import { type RunEvent, step, type Effect, type RunState, type Step } from "../../../shared/run/lifecycle.ts";
import type { RecordFact } from "../../../shared/record/record.ts";
import { currentRequest, outcomeOf } from "./deliver/run-account.ts";
import { cachedFor } from "./act/run-cache.ts";
import { cacheOf } from "../../../shared/run/work.ts";
import { takeWrittenReply } from "./review/run-edit.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { StandIn } from "../../../shared/policy/evaluate.ts";
import { nextHoliday } from "../../../shared/policy/stand-ins.ts";
import { type Review, knownIn } from "../../../shared/review/decision.ts";

/** For so long a run's first events wait for what its notices record. */
const withNoticesMs = 1_000;

type TransitionDeps = {
  readonly env: Env;
  readonly store: RunStore;
  /** A function, since notices need transitions and transitions need notices. */
  readonly notices: () => NoticeQueue;
  /** Sets the object's alarm for what is due next. */
  readonly arm: () => void;
  /** Begins what is due. */
  readonly flush: () => void;
};

/**
 * The author's approval of the reply that they wrote, as the record has it.
 */
function authorFact({ gate, votes, author, version, digest }: Review, kind: "voted" | "approved"): RecordFact {
  const vote = votes.find(({ reviewer }) => reviewer === author);
  if (vote === undefined) throw new Error("an author's approval without a vote");
  return { kind, gate, by: vote.reviewer, channel: vote.channel, ...knownIn(vote), version, digest, reasonGiven: false, byWriting: true };
}

/** Nothing where none of them stands in for anybody. */
function standInsAmong(names: readonly string[], { gatePolicy }: StoredInput): { readonly standIns?: readonly StandIn[] } {
  const standIns = (gatePolicy.standIns ?? []).filter(({ by }) => names.includes(by));
  return standIns.length === 0 ? {} : { standIns };
}

export class RunTransitions {
  readonly #deps: TransitionDeps;

  constructor(deps: TransitionDeps) {
    this.#deps = deps;
  }

  current(): CurrentRun | null {
    const state = this.#deps.store.state();
    const input = state === null ? null : this.#deps.store.input();
    return state === null || input === null ? null : { input, state };
  }

  /**
   * Applies one event: commits the next state with its effects, then flushes. False where nothing
   * changed.
   */
  apply(event: RunEvent, now: number, facts: readonly RecordFact[]): boolean {
    const state = this.#deps.store.state();
    if (state === null) return false;
    const next = step(state, event, now);
    if (next.state === state) return false;
    this.#deps.store.transaction(() => this.commit(next, now, facts));
    this.#deps.flush();
    return true;
  }

  /** Inside a transaction: the state, its events, and a row for each effect. */
  commit({ state, effects }: Step, now: number, facts: readonly RecordFact[]): void {
    const input = this.#deps.store.input();
    if (input === null) throw new Error("a run without its input");
    this.#deps.store.writeState(state);
    const more = effects.flatMap((effect) => this.#queueEffect(effect, state, input, now));
    this.record(now, [...facts, ...more]);
  }

  record(now: number, facts: readonly RecordFact[]): void {
    const input = this.#deps.store.input();
    if (input === null) return;
    this.#deps.store.events.append(input.id, now, facts);
    this.#queueRecord(now);
    this.#deps.arm();
  }

  #queueEffect(effect: Effect, state: RunState, input: StoredInput, now: number): RecordFact[] {
    switch (effect.kind) {
      case "open":
        return this.#openGate(reviewAt(state, effect.gate), input);
      case "ask": {
        const review = reviewAt(state, effect.gate);
        this.#deps.notices().ask(input, review, effect.reviewers, effect.why === "added" ? "asked" : effect.why, now);
        // Whom an operator asks is in the event that names the operator.
        return effect.why === "asked" || effect.why === "added"
          ? []
          : [
              {
                kind: "askedAlso",
                gate: effect.gate,
                reviewers: effect.reviewers,
                why: effect.why,
                ...(effect.why === "escalated" ? standInsAmong(effect.reviewers, input) : {}),
              },
            ];
      }
      case "tellAgain":
        this.#deps.notices().tellAgain(input, reviewAt(state, effect.gate), effect.why, now);
        return [];
      case "release":
        this.#deps.notices().release(input, effect.gate, effect.reviewers, now);
        return [];
      case "withdraw":
        this.#deps.store.schedule.dropGate(effect.gate);
        this.#deps.notices().withdraw(effect.gate, now);
        return [];
      case "takeReply":
        takeWrittenReply(this.#deps.store, state, input, now);
        return [];
      case "authorApproved":
        return [authorFact(reviewAt(state, effect.gate), effect.verdict)];
      case "call": {
        const content = currentRequest(this.#deps.store, state);
        this.#deps.store.outbox.queue("call", "call", { call: effect.call }, now);
        return cachedFor(input, state) !== null
          ? []
          : [{ kind: "called", call: effect.call, models: content?.models ?? [], digest: state.content.digest, again: effect.again }];
      }
      case "passOn":
        if (this.#deps.store.relayed() !== null) this.#deps.store.outbox.queue("call", "call", { call: effect.call }, now);
        // An approval that nobody comes for is good for as long as people had to give it.
        this.#deps.store.schedule.set("claim", now + input.gatePolicy.deadlineSeconds * 1000);
        return [];
      case "finish": {
        this.#deps.store.writeOutcome(jsonOf(outcomeOf(this.#deps.store, state, input)));
        this.#deps.store.outbox.drop("call");
        this.#deps.store.schedule.drop("keyExpires");
        this.#deps.store.schedule.drop("claim");
        this.#queueDelivery(input, now);
        if (cacheOf(input.work) !== undefined) this.#deps.store.outbox.queue("cache", "cache", null, now);
        this.#deps.store.schedule.set("forget", now + settingsOf(this.#deps.env).retentionMs);
        return [{ kind: "finished", outcome: state.end?.kind ?? "failed" }];
      }
      default:
        return effect satisfies never;
    }
  }

  #queueRecord(now: number): void {
    const { outbox } = this.#deps.store;
    // One row is enough: its attempt sends all that there is by then. One that was attempted may
    // have read the events already.
    if (outbox.has(({ kind, attempts }) => (kind === "record" || kind === "deliver") && attempts === 0)) return;
    // What is about to be recorded too goes along.
    const isMoreComing = outbox.has(({ kind }) => kind === "begin" || kind === "notice");
    outbox.queue("record", "answer", null, now + (isMoreComing ? withNoticesMs : bookkeepingMs));
  }

  /** A delivery sends the record first, and tells the key and the session afterwards. */
  #queueDelivery({ waiting }: StoredInput, now: number): void {
    const { outbox } = this.#deps.store;
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
  #openGate(review: Review, input: StoredInput): RecordFact[] {
    const { gatePolicy } = input;
    const { gate, version, digest, reviewers, deadlineAt, openedAt } = review;
    this.#deps.store.schedule.set(`deadline:${gate}`, deadlineAt);
    for (const [index, seconds] of gatePolicy.remindAtSeconds.entries())
      this.#deps.store.schedule.set(`remind${index}:${gate}`, openedAt + seconds * 1000);
    if (gatePolicy.escalate !== null) this.#deps.store.schedule.set(`escalate:${gate}`, openedAt + gatePolicy.escalate.afterSeconds * 1000);
    const holiday = nextHoliday(gatePolicy, reviewers, openedAt);
    if (holiday !== null && holiday < deadlineAt) this.#deps.store.schedule.set(`away:${gate}`, holiday);
    const until = new Date(deadlineAt).toISOString();
    return [{ kind: "reviewOpened", gate, version, digest, reviewers, deadlineAt: until, ...standInsAmong(reviewers, input) }];
  }
}

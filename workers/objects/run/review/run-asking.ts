// What an operator does about a review that waits: sees whom it waits for, has a reviewer's notices
// sent again, asks another of the people whom the policy names. It decides nothing, and shows no
// link: a link goes to the reviewer's address alone.

import { sha256Hex } from "../../../../shared/encoding.ts";
import { readJsonOf } from "../../../../shared/json/json-of.ts";
import type { Review } from "../../../../shared/review/decision.ts";
import { openGate, step } from "../../../../shared/run/lifecycle.ts";
import type { AskAnswer, AskInput, WaitingReview } from "../../../stubs/run-calls.ts";
import type { NoticeQueue } from "../notices/notice-queue.ts";
import type { CurrentRun, RunDeps } from "../run-deps.ts";

/** How often an operator can have a reviewer's notices sent again in an hour, for one review. */
const resendsAnHour = 5;
const hourMs = 3_600_000;

export class RunAsking {
  readonly #deps: RunDeps;
  readonly #notices: NoticeQueue;

  constructor(deps: RunDeps, notices: NoticeQueue) {
    this.#deps = deps;
    this.#notices = notices;
  }

  /** Null where no review waits. */
  waiting(): WaitingReview | null {
    const found = this.#open();
    if (found === null) return null;
    const { input, review } = found;
    const { gate, quorum, deadlineAt, votes } = review;
    const links = this.#deps.reviewers.links(input, gate);
    return {
      gate,
      quorum,
      deadlineAt,
      reviewers: review.reviewers.map((name) => ({
        name,
        hasApproved: votes.some((vote) => vote.reviewer === name),
        channels: links
          .filter(({ reviewer }) => reviewer.name === name)
          .map(({ link: { channel, notice } }) => ({ channel, notice, isOpened: this.#deps.store.events.wasOpened(gate, name, channel) })),
      })),
      askable: this.#deps.reviewers.askable(input, review),
    };
  }

  /** `RunCalls.ask`: the same `once` is a repeat. */
  ask(asked: AskInput): AskAnswer {
    const found = this.#open();
    if (found === null) return "over";
    const once = asked.once === null ? null : `operator ${asked.once}`;
    const words = sha256Hex(`${asked.act} ${asked.reviewer}`);
    const used = once === null ? null : this.#deps.store.usedNonce(once);
    if (used !== null) return used === words ? "done" : "onceUsed";
    const use = (): void => {
      if (once !== null) this.#deps.store.useNonce(once, words);
    };
    return asked.act === "again" ? this.#sendAgain(found, asked, use) : this.#askMore(found, asked, use);
  }

  #open(): (CurrentRun & { readonly review: Review }) | null {
    const current = this.#deps.current();
    const gate = current === null ? null : openGate(current.state);
    const review = current === null || gate === null ? null : current.state.reviews[gate];
    return current === null || review === null || this.#deps.now() >= review.deadlineAt ? null : { ...current, review };
  }

  #sendAgain({ input, review }: CurrentRun & { readonly review: Review }, asked: AskInput, use: () => void): AskAnswer {
    const { gate, reviewers, votes } = review;
    const named = this.#deps.reviewers.named(input, reviewers.includes(asked.reviewer) ? [asked.reviewer] : [])[0];
    if (named === undefined) return "notAsked";
    if (votes.some((vote) => vote.reviewer === asked.reviewer)) return "hasApproved";
    const now = this.#deps.now();
    const sent = this.#deps.store.events
      .all(input.id)
      .filter(({ at, fact }) => at > now - hourMs && fact.kind === "sentAgain" && fact.gate === gate && fact.reviewer === asked.reviewer);
    if (sent.length >= resendsAnHour) return "tooOften";
    const [index, reviewer] = named;
    this.#deps.store.transaction(() => {
      use();
      this.#notices.sendAgain(review, index, reviewer, now);
      this.#deps.record(now, [{ kind: "sentAgain", gate, reviewer: reviewer.name, by: readJsonOf(asked.by) }]);
    });
    this.#deps.flush();
    return "done";
  }

  #askMore({ input, state, review }: CurrentRun & { readonly review: Review }, asked: AskInput, use: () => void): AskAnswer {
    const { gate } = review;
    if (review.reviewers.includes(asked.reviewer)) return "done";
    if (!this.#deps.reviewers.askable(input, review).includes(asked.reviewer)) return "notAskable";
    const now = this.#deps.now();
    const next = step(state, { kind: "askMore", gate, reviewers: [asked.reviewer] }, now);
    if (next.state === state) return "over";
    this.#deps.store.transaction(() => {
      use();
      const by = readJsonOf(asked.by);
      this.#deps.commit(next, now, [{ kind: "askedAlso", gate, reviewers: [asked.reviewer], why: "operator", by }]);
    });
    this.#deps.flush();
    return "done";
  }
}

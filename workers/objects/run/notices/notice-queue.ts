// Which reviewers of a run are to hear of it, and through which channel: rows in the outbox, queued
// in the transaction of the change that they are about. Nothing is sent here.

import type { Gate } from "../../../../shared/model/gate.ts";
import type { Reviewer } from "../../../../shared/policy/evaluate.ts";
import { canSignIn } from "../../../../shared/policy/rules.ts";
import type { Review } from "../../../../shared/review/decision.ts";
import type { AskWhy } from "../../../../shared/run/lifecycle.ts";
import { reviewState } from "../../../../shared/run/present.ts";
import type { LinkRow, NoticeWhy } from "../../../channels/channel.ts";
import { channelsFor, nextChannel, openChannel, openChannels } from "../../../channels/registry.ts";
import type { RenewAnswer, TellInput } from "../../../stubs/run-calls.ts";
import type { RunDeps } from "../run-deps.ts";
import { liveLink, replaceLink } from "../review/run-links.ts";
import { bookkeepingMs } from "../outbox/run-outbox.ts";
import { type LinkOfRun, isAsked, noticesWaitUntil } from "../review/run-reviewers.ts";
import type { StoredInput } from "../tables/run-store.ts";

/** How often an expired link can be replaced in an hour. */
const renewalsAnHour = 3;
const hourMs = 3_600_000;

/** The detail of a row of kind `noticeListed`. */
export type ListedDetail = { readonly link: string; readonly state: string; readonly fault?: string };

export class NoticeQueue {
  readonly #deps: RunDeps;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /** Queues links and notices for these reviewers. */
  ask(input: StoredInput, review: Review, names: readonly string[], why: AskWhy, now: number): void {
    for (const [index, reviewer] of this.#deps.reviewers.named(input, names)) {
      this.#queueInbox(reviewer, index, now);
      for (const { name: channel } of channelsFor(reviewer, openChannels(this.#deps.env)).first)
        this.#queueNotice(liveLink(this.#deps, { reviewer: index, channel }, review, now), why, now);
    }
    this.#endUnreachable(input, review, now);
  }

  /**
   * An operator has a reviewer's notices sent again, by every channel of theirs: also by one that
   * failed. What waits for its next attempt is attempted now. A link that is still valid stays the
   * same.
   */
  sendAgain(review: Review, index: number, reviewer: Reviewer, now: number): void {
    const { store, env } = this.#deps;
    for (const { name: channel } of channelsFor(reviewer, openChannels(env)).first)
      liveLink(this.#deps, { reviewer: index, channel }, review, now);
    for (const link of store.links(review.gate).filter((each) => each.reviewer === index)) {
      if (this.#isQueued(link)) store.outbox.runNow("notice", now, chainOf(link));
      else this.#queueNotice(link, link.notice === "sent" ? "reminder" : "asked", now);
    }
  }

  /** For a channel that failed for good: queues the notice through the reviewer's next one. */
  askElsewhere({ input, state, link, reviewer }: LinkOfRun, why: NoticeWhy, now: number): void {
    const review = state.reviews[link.gate];
    if (review === null) return;
    const links = this.#deps.store.links(link.gate).filter((each) => each.reviewer === link.reviewer);
    const next = nextChannel(reviewer, openChannels(this.#deps.env), new Set(links.map(({ channel }) => channel)));
    if (next !== undefined) this.#queueNotice(liveLink(this.#deps, { reviewer: link.reviewer, channel: next.name }, review, now), why, now);
    this.#endUnreachable(input, review, now);
  }

  /**
   * Queues a notice of a changed review for its reviewers. Those who have approved get notices of
   * votes alone.
   */
  tellAgain(input: StoredInput, review: Review, why: "changed" | "voted" | "reminder", now: number): void {
    if (why !== "reminder") this.#queueInboxes(input, review.reviewers, now);
    for (const { link, reviewer } of this.#deps.reviewers.links(input, review.gate)) {
      const hasApproved = review.votes.some((vote) => vote.reviewer === reviewer.name);
      if (!review.reviewers.includes(reviewer.name) || link.notice === "failed" || (hasApproved && why === "reminder")) continue;
      // One that waits until their morning shows the review as it is by then.
      if (noticesWaitUntil({ link, reviewer }, now) !== null && this.#isQueued(link)) continue;
      this.#queueNotice(link, hasApproved ? "voted" : why, now);
    }
  }

  /**
   * These reviewers are no longer asked, and their messages are changed to say so. The others may
   * be unreachable.
   */
  release(input: StoredInput, gate: Gate, names: readonly string[], now: number): void {
    this.#end(input, gate, names, "left", now);
    const review = this.#deps.current()?.state.reviews[gate];
    if (review !== null && review !== undefined) this.#endUnreachable(input, review, now);
  }

  /**
   * The review has ended: queued notices are dropped, and the messages of its reviewers are changed
   * to say so.
   */
  withdraw(gate: Gate, now: number): void {
    this.#deps.store.outbox.drop("notice");
    const current = this.#deps.current();
    const review = current?.state.reviews[gate] ?? null;
    if (current !== null && review !== null) this.#end(current.input, gate, review.reviewers, reviewState(review).kind, now);
  }

  /** @param state What the operators' list says from now on. */
  #end(input: StoredInput, gate: Gate, names: readonly string[], state: string, now: number): void {
    this.#queueInboxes(input, names, now + bookkeepingMs);
    for (const { link, reviewer } of this.#deps.reviewers.links(input, gate)) {
      if (!names.includes(reviewer.name)) continue;
      this.#deps.store.outbox.queue("noticeEnded", chainOf(link), { link: link.id }, now + bookkeepingMs);
      // No message was sent, and the list says why.
      if (link.notice !== "failed" || link.receipt !== null) this.list(link, state, null, now);
    }
  }

  /** Replaces an expired link, where its review still waits for its reviewer. */
  renew(gate: Gate, index: number, id: string): RenewAnswer {
    const { store } = this.#deps;
    const now = this.#deps.now();
    const found = this.#deps.reviewers.linkAt(gate, index, id);
    if (found === null) return { kind: "noSuchLink" };
    if (!isAsked(found)) return { kind: "over" };
    if (now < found.link.expiresAtSeconds * 1000) return { kind: "noSuchLink" };
    if (store.revokedSince(found.link, now - hourMs) >= renewalsAnHour) return { kind: "tooOften" };
    this.replace(found, "newLink", now);
    return { kind: "sent" };
  }

  /** Revokes a link that has expired, and queues the notice with a new one. */
  replace({ state, link, reviewer }: LinkOfRun, why: NoticeWhy, now: number): void {
    const { gate, channel } = link;
    const review = state.reviews[gate];
    if (review === null) return;
    this.#deps.store.transaction(() => {
      const next = replaceLink(this.#deps, link, review, now);
      if (next === null) return;
      this.#queueNotice(next, why, now);
      this.list(link, "replaced", null, now);
      this.#deps.record(now, [{ kind: "linkRenewed", gate, channel, reviewer: reviewer.name }]);
    });
  }

  /** Queues words for one member alone, where the link's channel can send them. */
  tell(input: TellInput): void {
    const link = this.#deps.reviewers.link(input.link)?.link;
    if (link?.gate !== input.gate || openChannel(this.#deps.env, link.channel)?.tell === undefined) return;
    this.#deps.store.outbox.queue("tell", `tell:${link.id}`, { ...input }, this.#deps.now());
  }

  /**
   * What the operators' list says of a link's notice. Inside a transaction that records an event:
   * the ledger gets both in one call.
   */
  list(link: LinkRow, state: string, fault: string | null, now: number): void {
    const detail: ListedDetail = { link: link.id, state, ...(fault === null ? {} : { fault }) };
    this.#deps.store.outbox.queue("noticeListed", "listed", detail, now + bookkeepingMs);
  }

  #queueNotice(link: LinkRow, why: NoticeWhy, now: number): void {
    this.#deps.store.outbox.queue("notice", chainOf(link), { link: link.id, why }, now);
  }

  #isQueued(link: LinkRow): boolean {
    const chain = chainOf(link);
    return this.#deps.store.outbox.has((row) => row.kind === "notice" && row.chain === chain);
  }

  #queueInboxes(input: StoredInput, names: readonly string[], dueAt: number): void {
    for (const [index, reviewer] of this.#deps.reviewers.named(input, names)) this.#queueInbox(reviewer, index, dueAt);
  }

  /** One row that was not attempted is enough: its attempt tells how the review stands by then. */
  #queueInbox(reviewer: Reviewer, place: number, dueAt: number): void {
    const { outbox } = this.#deps.store;
    const chain = `inbox:${place}`;
    if (!canSignIn(reviewer) || outbox.has((row) => row.chain === chain && row.attempts === 0)) return;
    outbox.queue("inbox", chain, { place }, dueAt);
  }

  /** Queues the end of a review none of whose reviewers a channel reaches. */
  #endUnreachable(input: StoredInput, review: Review, now: number): void {
    if (this.#deps.reviewers.unreached(input, review).length === review.reviewers.length)
      this.#deps.store.outbox.queue("unreachable", "unreachable", { gate: review.gate }, now);
  }
}

const chainOf = (link: LinkRow): string => `notice:${link.id}`;

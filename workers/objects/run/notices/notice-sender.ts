// Sends a run's notices from its outbox, one notice of a link at a time, and stores whether each
// was sent. Each may be attempted twice.

import { isObject } from "../../../../shared/json/values.ts";
import type { Channel, DeliveryResult, Notice, NoticeWhy } from "../../../channels/channel.ts";
import { openChannel } from "../../../channels/registry.ts";
import type { Turn } from "../../../stubs/digest-calls.ts";
import type { TellInput } from "../../../stubs/run-calls.ts";
import { digestStub } from "../../../stubs/stubs.ts";
import type { NoticeQueue } from "./notice-queue.ts";
import type { OutboxRow } from "../tables/outbox-rows.ts";
import { type ReviewContinuation, suppressedMs } from "../review/review-continuation.ts";
import type { RunDeps } from "../run-deps.ts";
import { linkUrl } from "../review/run-links.ts";
import { type LinkOfRun, isAsked, noticesWaitUntil } from "../review/run-reviewers.ts";
import type { RunViews } from "../review/run-views.ts";

/** After so many attempts at a notice its channel counts as failed. */
const noticeAttempts = 8;

type SenderDeps = {
  readonly deps: RunDeps;
  readonly views: RunViews;
  readonly queue: NoticeQueue;
  readonly continuation: ReviewContinuation;
};

/** Each of `send`, `end` and `tell` is a `Perform` of the outbox. */
export class NoticeSender {
  readonly #deps: RunDeps;
  readonly #views: RunViews;
  readonly #queue: NoticeQueue;
  readonly #continuation: ReviewContinuation;

  constructor({ deps, views, queue, continuation }: SenderDeps) {
    this.#deps = deps;
    this.#views = views;
    this.#queue = queue;
    this.#continuation = continuation;
  }

  /**
   * Sends one notice, or stores why it cannot be sent. In the reviewer's quiet hours it waits,
   * unless nobody else decided in time. Their inbox has the review at once.
   */
  async send(row: OutboxRow): Promise<boolean | number> {
    const found = this.#found(row);
    // Nothing is sent after a decision.
    if (found === null || !isAsked(found)) return true;
    const { link, state } = found;
    const why = whyOf(row);
    const now = this.#deps.now();
    const quiet = why === "escalated" ? null : noticesWaitUntil(found, now);
    if (quiet !== null) return quiet - now;
    if (now >= link.expiresAtSeconds * 1000) {
      this.#queue.replace(found, why, now);
      return true;
    }
    const notice = this.#views.notice(found, why, row);
    if (notice === null) return true;
    const suppressed = this.#continuation.suppressesNotice(found, link, why, notice.reviewer);
    if (suppressed !== null) return suppressed === "read" ? true : suppressedMs;
    const channel = openChannel(this.#deps.env, link.channel);
    const deadlineAt = state.reviews[link.gate]?.deadlineAt ?? 0;
    const turn = await this.#turnOf(channel, notice, deadlineAt);
    if (turn.kind === "wait") return turn.afterMs;
    if (turn.kind === "told") {
      this.#settle(found, row, turn.error === null ? sentAlready : { kind: "failed", why: turn.error });
      return true;
    }
    const sent = channel === undefined ? notConfigured : await channel.send(notice).catch(unavailable);
    // A notice that can be sent only after the deadline has failed.
    const isInTime = sent.kind === "again" && this.#deps.now() + (sent.afterMs ?? 0) < deadlineAt;
    const later = isInTime ? this.#later(row, sent) : null;
    if (later === null) this.#settle(found, row, sent);
    return later ?? true;
  }

  /**
   * Changes a sent message to say how the review ended, where the channel can. A failure changes
   * nothing else.
   */
  async end(row: OutboxRow): Promise<boolean | number> {
    const found = this.#found(row);
    if (found === null || isAsked(found)) return true;
    const { link } = found;
    // No message was sent, and the list says why.
    if (link.notice === "failed" && link.receipt === null) return true;
    const notice = this.#views.notice(found, "changed", row);
    const channel = openChannel(this.#deps.env, link.channel);
    // Not sent where it would be one message too many: the page says it too.
    if (notice === null || channel === undefined || !(await this.#mayEnd(channel, notice))) return true;
    return this.#later(row, await channel.ended(notice).catch(unavailable)) ?? true;
  }

  /** Sends words to one member alone. */
  async tell(row: OutboxRow): Promise<boolean | number> {
    const found = this.#found(row);
    const { user, words, withLink } = row.detail as TellInput; // written by NoticeQueue
    const channel = found === null ? undefined : openChannel(this.#deps.env, found.link.channel);
    if (found === null || channel?.tell === undefined) return true;
    const notice = this.#views.notice(found, "changed", row);
    if (notice === null) return true;
    const url = withLink ? this.#personalUrl(found, user) : null;
    return this.#later(row, await channel.tell({ user, words, url, notice }).catch(unavailable)) ?? true;
  }

  #found({ detail }: OutboxRow): LinkOfRun | null {
    const id = isObject(detail) ? detail["link"] : undefined;
    return typeof id === "string" ? this.#deps.reviewers.link(id) : null;
  }

  /** The link of a member who is a reviewer of this gate; any other member gets none. */
  #personalUrl({ input, link: { gate, channel } }: LinkOfRun, user: string): string | null {
    if (channel === "outbox") return null;
    const own = this.#deps.reviewers
      .links(input, gate)
      .find(({ link, reviewer }) => link.channel === channel && reviewer[channel] === user);
    return own === undefined ? null : linkUrl(this.#deps.env, input, own.link);
  }

  /**
   * Whether the notice goes out by itself or in its address's digest. Where the digest cannot be
   * asked, the notice goes out, so that none is lost.
   */
  async #turnOf(channel: Channel | undefined, notice: Notice, deadlineAt: number): Promise<Turn> {
    if (channel?.digest?.counts(notice, "send") !== true) return { kind: "now" };
    const { idempotencyKey: id, run, link, reviewer } = notice;
    return digestStub(this.#deps.env, channel.name, channel.digest.address(reviewer))
      .turn({ channel: channel.name, id, run, link: link.id, deadlineAt })
      .catch((): Turn => ({ kind: "now" }));
  }

  async #mayEnd({ name, digest }: Channel, notice: Notice): Promise<boolean> {
    if (digest?.counts(notice, "ended") !== true) return true;
    return digestStub(this.#deps.env, name, digest.address(notice.reviewer))
      .mayPass()
      .catch(() => true);
  }

  /**
   * The outbox's result for an attempt that may be retried; null where it may not, or where there
   * were enough. Waiting for a rate limit is no failure, however often; a channel that is
   * unavailable and names a time is one.
   */
  #later({ id, attempts }: OutboxRow, sent: DeliveryResult): false | number | null {
    if (sent.kind !== "again") return null;
    const { why, afterMs } = sent;
    if (afterMs !== undefined && (why === "rateLimited" || why === "dailyLimit")) return afterMs;
    if (attempts + 1 >= noticeAttempts) return null;
    if (afterMs !== undefined) this.#deps.store.outbox.delay(id, this.#deps.now() + afterMs);
    return false;
  }

  /**
   * Stores whether a notice was sent; where it failed for good, queues one through the reviewer's
   * next channel.
   */
  #settle({ link, reviewer }: LinkOfRun, row: OutboxRow, sent: DeliveryResult): void {
    const { store, record } = this.#deps;
    const now = this.#deps.now();
    const why = whyOf(row);
    store.transaction(() => {
      store.outbox.done(row.id);
      // Read again: the review may have changed, or be over, since the channel was asked.
      const current = this.#deps.current();
      if (current === null) return;
      const settled = { ...current, link, reviewer };
      const failed = sent.kind !== "sent";
      const error = failed ? sent.why : null;
      store.markNotice(link.id, failed ? "failed" : "sent", failed ? null : sent.receipt);
      if (failed || why !== "voted") {
        // Where the review is over by now, the list says so already.
        if (failed || isAsked(settled)) this.#queue.list(link, failed ? "failed" : "sent", error, now);
        const { gate, channel } = link;
        record(now, [{ kind: "noticed", gate, channel, reviewer: reviewer.name, why, state: error ?? "sent" }]);
      }
      if (failed && isAsked(settled)) this.#queue.askElsewhere(settled, why, now);
    });
  }
}

const sentAlready: DeliveryResult = { kind: "sent", receipt: null };
const notConfigured: DeliveryResult = { kind: "failed", why: "notConfigured" };
const unavailable = (): DeliveryResult => ({ kind: "again", why: "unavailable" });

const whys = ["asked", "handedOver", "escalated", "reminder", "changed", "voted", "newLink"] as const satisfies readonly NoticeWhy[];
const whyOf = ({ detail }: OutboxRow): NoticeWhy => whys.find((each) => isObject(detail) && each === detail["why"]) ?? "asked";

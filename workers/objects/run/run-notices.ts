// A run's notices: which reviewers get them, through which channel and with which link, and whether
// they were sent.
//
// It decides nothing about a review. A notice is a row in the outbox before it is sent, one notice
// of a link at a time; where a channel fails for good, the reviewer's next channel is used.

import { isObject, type Members } from "../../../shared/json/values.ts";
import type { LinkRow, Channel, Notice, NoticeWhy, DeliveryResult } from "../../channels/channel.ts";
import type { Turn } from "../../stubs/digest-calls.ts";
import type { NoticeRow } from "../../stubs/ledger-calls.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import { type Reviewer, peopleOfPlan } from "../../../shared/policy/evaluate.ts";
import { isSamePerson } from "../../../shared/policy/person.ts";
import type { DigestEntry } from "../../../shared/channels/digest-content.ts";
import { noticeFacts } from "../../../shared/channels/notice-line.ts";
import type { Review } from "../../../shared/review/decision.ts";
import type { LinkChannel } from "../../../shared/notice-channels.ts";
import { linkRandomLength, linkToken } from "../../../shared/review/link.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { type NoticeContent, type NoticeTexts, forNotice, noticeTexts, versionOf } from "../../../shared/run/notice-view.ts";
import { reviewState } from "../../../shared/run/present.ts";
import { type AskWhy, type RunState, openGate } from "../../../shared/run/lifecycle.ts";
import { fromBase64url } from "../../../shared/encoding.ts";
import { randomOfRunId } from "../../../shared/sealed-id.ts";
import { channelsFor, nextChannel, openChannels } from "../../channels/registry.ts";
import { settingsOf } from "../../platform/settings.ts";
import { reviewUrl } from "../../platform/urls.ts";
import { type ReviewContinuation, suppressedMs } from "./review-continuation.ts";
import { digestStub } from "../../stubs/stubs.ts";
import { viewOf } from "./run-account.ts";
import type { ExpiredLink, RenewAnswer, PressTarget, TellInput } from "../../stubs/run-calls.ts";
import { hasInbox } from "./run-inboxes.ts";
import { type RunDeps, type CurrentRun, linkedAt } from "./run-deps.ts";
import { bookkeepingMs } from "./run-outbox.ts";
import type { OutboxRow, StoredRow } from "./outbox-rows.ts";
import type { StoredInput } from "./run-store.ts";

/** After so many attempts at a notice its channel counts as failed. */
const noticeAttempts = 8;
/** How often an expired link can be replaced in an hour. */
const renewalsAnHour = 3;
const hourMs = 3_600_000;

export class RunNotices {
  readonly #deps: RunDeps;
  #masked: { readonly version: string; readonly texts: NoticeTexts } | null = null;
  readonly #continuation: ReviewContinuation;
  #people: readonly Reviewer[] | null = null;

  constructor(deps: RunDeps, continuation: ReviewContinuation) {
    this.#deps = deps;
    this.#continuation = continuation;
  }

  /**
   * Everybody who may come to decide this run; a link names its reviewer by the index in this list.
   */
  people({ plan }: StoredInput): readonly Reviewer[] {
    this.#people ??= peopleOfPlan(plan);
    return this.#people;
  }

  /**
   * Names of the people to whom a review can be handed over: a channel reaches them, they were not
   * asked first, and the policy does not bar them as its owner.
   */
  handOverCandidates(input: StoredInput): string[] {
    const channels = openChannels(this.#deps.env);
    const { plan } = input;
    const asked = new Set(plan.reviewers.map(({ name }) => name));
    return this.people(input)
      .filter(({ name }) => !asked.has(name) && (plan.selfApproval || !isSamePerson(plan.owner, name)))
      .filter((each) => channelsFor(each, channels).first.length > 0)
      .map(({ name }) => name);
  }

  /** Names of the reviewers whom no channel reaches: each has failed for good, or there is none. */
  unreached(input: StoredInput, review: Review): string[] {
    const people = this.people(input);
    const reached = new Set(
      this.#deps.store
        .links(review.gate)
        .filter(({ notice }) => notice !== "failed")
        .map(({ reviewer }) => people[reviewer]?.name),
    );
    return review.reviewers.filter((name) => !reached.has(name));
  }

  // Queueing: inside the transaction of the change that the notices are about

  /** Queues links and notices for these reviewers. */
  ask(input: StoredInput, review: Review, names: readonly string[], why: AskWhy, now: number): void {
    for (const [index, reviewer] of this.people(input).entries()) {
      if (!names.includes(reviewer.name)) continue;
      this.#queueInbox(reviewer, index, now);
      for (const channel of channelsFor(reviewer, openChannels(this.#deps.env)).first) {
        this.#queueNotice(this.#linkOn(channel, review, index, now), why, now);
      }
    }
    this.#noticeUnreachable(input, review, now);
  }

  /**
   * Queues a notice of a changed review for its reviewers. Those who have approved get notices of
   * votes alone.
   */
  tellAgain(input: StoredInput, review: Review, why: "changed" | "voted" | "reminder", now: number): void {
    const people = this.people(input);
    if (why !== "reminder") this.#queueInboxes(input, review.reviewers, now);
    for (const link of this.#linksOf(input, review)) {
      const hasApproved = review.votes.some(({ reviewer }) => reviewer === people[link.reviewer]?.name);
      if (link.notice === "failed" || (hasApproved && why === "reminder")) continue;
      this.#queueNotice(link, hasApproved ? "voted" : why, now);
    }
  }

  /**
   * These reviewers are no longer asked, and their messages are changed to say so. The others may
   * be unreachable.
   */
  release(input: StoredInput, gate: Gate, names: readonly string[], now: number): void {
    const people = this.people(input);
    for (const link of this.#deps.store.links(gate)) {
      if (names.includes(people[link.reviewer]?.name ?? "")) this.#queueEnd(link, "left", now);
    }
    this.#queueInboxes(input, names, now + bookkeepingMs);
    const review = this.#deps.current()?.state.reviews[gate];
    if (review !== null && review !== undefined) this.#noticeUnreachable(input, review, now);
  }

  /**
   * The review has ended: queued notices are dropped, and the messages of its reviewers are changed
   * to say so.
   */
  withdraw(gate: Gate, now: number): void {
    this.#deps.store.outbox.drop("notice");
    const current = this.#deps.current();
    const review = current?.state.reviews[gate] ?? null;
    if (current === null || review === null) return;
    this.#queueInboxes(current.input, review.reviewers, now + bookkeepingMs);
    const { kind } = reviewState(review);
    for (const link of this.#linksOf(current.input, review)) this.#queueEnd(link, kind, now);
  }

  /** Replaces an expired link, where its review still waits for its reviewer. */
  renew(gate: Gate, index: number, id: string): RenewAnswer {
    const { store } = this.#deps;
    const now = this.#deps.now();
    const found = linkedAt(this.#deps, gate, index, id);
    if (found === null) return { kind: "noSuchLink" };
    const { input, state, link } = found;
    if (!this.#isAsked(input, state, link)) return { kind: "over" };
    if (now < link.expiresAtSeconds * 1000) return { kind: "noSuchLink" };
    if (store.revokedSince(link, now - hourMs) >= renewalsAnHour) return { kind: "tooOften" };
    store.transaction(() => this.#replace(input, link, "newLink", now));
    return { kind: "sent" };
  }

  /** The state of an expired link, without content; null where there is no such link. */
  expired(gate: Gate, index: number, id: string): ExpiredLink | null {
    const found = linkedAt(this.#deps, gate, index, id);
    const view = found === null ? null : this.view(found, found.link);
    if (found === null || view === null) return null;
    return { open: this.#isAsked(found.input, found.state, found.link), state: view.state.kind, channel: found.link.channel };
  }

  /** `RunCalls.pressTarget`. */
  pressTarget(channel: LinkChannel, gate: Gate, id: string): PressTarget | null {
    const current = this.#deps.current();
    const link = current === null ? null : this.#deps.store.link(id);
    if (current === null || link === null || link.revokedAt !== null || link.gate !== gate || link.channel !== channel) return null;
    const people = this.people(current.input);
    const reviewer = people[link.reviewer];
    const content = this.#shown(current, link);
    if (reviewer === undefined || content === null) return null;
    const colleagues = this.#deps.store.links(gate).flatMap((each) => {
      const person = people[each.reviewer];
      return each.channel !== channel || person === undefined ? [] : [{ link: each.id, place: each.reviewer, reviewer: person }];
    });
    return {
      ...content,
      reviewer,
      place: link.reviewer,
      expiresAtSeconds: link.expiresAtSeconds,
      receipt: link.receipt,
      colleagues,
    };
  }

  /** `RunCalls.ownersGate`. The owner has to be able to sign in to an inbox. */
  ownersGate(): Gate | null {
    const current = this.#deps.current();
    const gate = current === null ? null : openGate(current.state);
    const review = current === null || gate === null ? null : current.state.reviews[gate];
    if (current === null || review?.selfApproval !== true) return null;
    const { owner } = current.input.key;
    const isOwner = (each: Reviewer): boolean =>
      hasInbox(this.#deps.env, each) &&
      isSamePerson(owner, each.name) &&
      review.reviewers.includes(each.name) &&
      review.left.every(({ reviewer }) => reviewer !== each.name);
    return this.people(current.input).some(isOwner) ? gate : null;
  }

  /** `RunCalls.digestEntry`. */
  digestEntry(id: string): DigestEntry | null {
    const current = this.#deps.current();
    const link = current === null ? null : this.#deps.store.link(id);
    if (current === null || link === null || !this.#isAsked(current.input, current.state, link)) return null;
    const [view, url] = [this.#shown(current, link)?.view ?? null, this.#url(current.input, link)];
    const reviewer = this.people(current.input)[link.reviewer];
    if (view === null || url === null || reviewer === undefined) return null;
    return { reviewer, run: view.run, facts: noticeFacts(view), url };
  }

  /** Queues words for one member alone, where the channel can send them. */
  tell(input: TellInput): void {
    const { store, now } = this.#deps;
    const target = this.#deps.current() === null ? null : store.link(input.link);
    if (target === null || target.gate !== input.gate || this.#channel(target)?.tell === undefined) return;
    store.outbox.queue("tell", `tell:${target.id}`, { ...input }, now());
  }

  /** The view of a link's review for its reviewer. */
  view({ input, state }: CurrentRun, link: Pick<LinkRow, "gate" | "reviewer">): ReviewView | null {
    const reviewer = this.people(input)[link.reviewer];
    if (reviewer === undefined) return null;
    const page = { reviewer, now: this.#deps.now() };
    return viewOf(this.#deps.store, input, state, link.gate, page, () => this.handOverCandidates(input));
  }

  /** What a notice of it may show. */
  #shown(current: CurrentRun, link: LinkRow): NoticeContent | null {
    const view = this.view(current, link);
    return view === null ? null : forNotice(view, current.input, this.#textsOf(view, current.input));
  }

  /** A version is masked once for all its notices. */
  #textsOf(view: ReviewView, input: StoredInput): NoticeTexts {
    const version = versionOf(view);
    if (this.#masked?.version !== version) this.#masked = { version, texts: noticeTexts(view, input) };
    return this.#masked.texts;
  }

  // Effects

  /** Sends one notice, or stores why it cannot be sent. */
  async send(row: OutboxRow): Promise<boolean | number> {
    const found = this.#found(row);
    // Nothing is sent after a decision.
    if (found === null || !this.#isAsked(found.input, found.state, found.link)) return true;
    const { input, link } = found;
    const why = whyOf(row);
    if (this.#deps.now() >= link.expiresAtSeconds * 1000) {
      this.#deps.store.transaction(() => this.#replace(input, link, why, this.#deps.now()));
      return true;
    }
    const notice = this.#compose(found, link, why, row);
    const channel = this.#channel(link);
    if (notice === null) return true;
    const suppressed = this.#continuation.suppressesNotice(found, link, why, notice.reviewer);
    if (suppressed !== null) return suppressed === "read" ? true : suppressedMs;
    const deadlineAt = found.state.reviews[link.gate]?.deadlineAt ?? 0;
    const turn = await this.#turnOf(channel, notice, deadlineAt);
    if (turn.kind === "wait") return turn.afterMs;
    if (turn.kind === "told") {
      this.#settle(link, why, turn.error === null ? { kind: "sent", receipt: null } : { kind: "failed", why: turn.error });
      return true;
    }
    const sent = channel === undefined ? notConfigured : await channel.send(notice).catch(unavailable);
    // A notice that can be sent only after the deadline has failed.
    const isInTime = sent.kind === "again" && this.#deps.now() + (sent.afterMs ?? 0) < deadlineAt;
    const later = isInTime ? this.#later(row, sent) : null;
    if (later !== null) return later;
    this.#settle(link, why, sent);
    return true;
  }

  /**
   * Changes a sent message to say how the review ended, where the channel can. A failure changes
   * nothing else.
   */
  async end(row: OutboxRow): Promise<boolean | number> {
    const found = this.#found(row);
    if (found === null || this.#isAsked(found.input, found.state, found.link)) return true;
    const { link } = found;
    // No message was sent, and the list says why.
    if (link.notice === "failed" && link.receipt === null) return true;
    const notice = this.#compose(found, link, "changed", row);
    if (notice === null) return true;
    const channel = this.#channel(link);
    // Not sent where it would be one message too many: the page says it too.
    const ended: DeliveryResult = !(await this.#mayEnd(channel, notice))
      ? { kind: "sent", receipt: null }
      : ((await channel?.ended(notice).catch(unavailable)) ?? notConfigured);
    const later = ended.kind === "again" ? this.#later(row, ended) : null;
    if (later !== null) return later;
    return true;
  }

  /** A notice as the operators' list is to have it; null where there is none to list. */
  listed(row: StoredRow): NoticeRow | null {
    const detail = readListed(row);
    if (detail === null) return null;
    const current = this.#deps.current();
    const link = current === null ? null : this.#deps.store.link(detail.link);
    const reviewer = current === null || link === null ? undefined : this.people(current.input)[link.reviewer];
    if (current === null || link === null || reviewer === undefined) return null;
    return {
      id: link.id,
      at: this.#deps.now(),
      channel: link.channel,
      reviewer: reviewer.name,
      run: current.input.id,
      gate: link.gate,
      state: detail.state,
      ...(detail.fault === undefined ? {} : { fault: detail.fault }),
      link: link.channel === "outbox" ? { reviewer: link.reviewer, expiresAtSeconds: link.expiresAtSeconds, random: link.id } : null,
    };
  }

  /** Sends words to one member alone. */
  async say(row: OutboxRow): Promise<boolean | number> {
    const found = this.#found(row);
    const input = row.detail as TellInput; // written by `tell`
    const channel = found === null ? undefined : this.#channel(found.link);
    if (found === null || channel?.tell === undefined) return true;
    const notice = this.#compose(found, found.link, "changed", row);
    if (notice === null) return true;
    const sent = await channel
      .tell({ user: input.user, words: input.words, url: input.withLink ? this.#personalUrl(found, input.user) : null, notice })
      .catch(unavailable);
    const later = sent.kind === "again" ? this.#later(row, sent) : null;
    return later ?? true;
  }

  // Parts

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

  async #mayEnd(channel: Channel | undefined, notice: Notice): Promise<boolean> {
    if (channel?.digest?.counts(notice, "ended") !== true) return true;
    return digestStub(this.#deps.env, channel.name, channel.digest.address(notice.reviewer))
      .mayPass()
      .catch(() => true);
  }

  /**
   * The outbox's result for an attempt that may be retried; null where there were enough. Waiting
   * for a rate limit is no failure, however often; a channel that is unavailable and names a time
   * is one.
   */
  #later({ id, attempts }: OutboxRow, { why, afterMs }: Extract<DeliveryResult, { kind: "again" }>): false | number | null {
    if (afterMs !== undefined && (why === "rateLimited" || why === "dailyLimit")) return afterMs;
    if (attempts + 1 >= noticeAttempts) return null;
    if (afterMs !== undefined) this.#deps.store.outbox.delay(id, this.#deps.now() + afterMs);
    return false;
  }

  #channel(link: LinkRow): Channel | undefined {
    return openChannels(this.#deps.env).find(({ name }) => name === link.channel);
  }

  #expiry(review: Review, now: number): number {
    const { linkMs, retentionMs } = settingsOf(this.#deps.env);
    // The link opens its page, which says how the review ended, for as long as the run is kept.
    return Math.ceil(Math.min(now + linkMs, review.deadlineAt + retentionMs) / 1000);
  }

  /** The live link of a reviewer on a channel: the stored one, or a new one. */
  #linkOn(channel: Channel, review: Review, index: number, now: number): LinkRow {
    const { store } = this.#deps;
    const { gate } = review;
    const random = crypto.getRandomValues(new Uint8Array(linkRandomLength));
    const link =
      store.addLink({
        gate,
        reviewer: index,
        channel: channel.name,
        createdAt: now,
        expiresAtSeconds: this.#expiry(review, now),
        random,
        receipt: null,
      }) ?? store.links(gate).find((each) => each.reviewer === index && each.channel === channel.name);
    if (link === undefined) throw new Error("a link that is neither new nor stored");
    return link;
  }

  /** The links of the review's current reviewers. */
  #linksOf(input: StoredInput, review: Review): LinkRow[] {
    const people = this.people(input);
    return this.#deps.store.links(review.gate).filter(({ reviewer }) => review.reviewers.includes(people[reviewer]?.name ?? ""));
  }

  #isAsked(input: StoredInput, state: RunState, link: LinkRow): boolean {
    const name = this.people(input)[link.reviewer]?.name ?? "";
    return openGate(state) === link.gate && link.revokedAt === null && state.reviews[link.gate]?.reviewers.includes(name) === true;
  }

  #queueNotice(link: LinkRow, why: NoticeWhy, now: number): void {
    this.#deps.store.outbox.queue("notice", chainOf(link), { link: link.id, why }, now);
  }

  #queueInboxes(input: StoredInput, names: readonly string[], dueAt: number): void {
    for (const [index, reviewer] of this.people(input).entries())
      if (names.includes(reviewer.name)) this.#queueInbox(reviewer, index, dueAt);
  }

  /** One row that was not attempted is enough: its attempt tells how the review stands by then. */
  #queueInbox(reviewer: Reviewer, place: number, dueAt: number): void {
    const { outbox } = this.#deps.store;
    const chain = `inbox:${place}`;
    if (!hasInbox(this.#deps.env, reviewer) || outbox.has((row) => row.chain === chain && row.attempts === 0)) return;
    outbox.queue("inbox", chain, { place }, dueAt);
  }

  /** @param state What the operators' list says from now on. */
  #queueEnd(link: LinkRow, state: string, now: number): void {
    this.#deps.store.outbox.queue("noticeEnded", chainOf(link), { link: link.id }, now + bookkeepingMs);
    // No message was sent, and the list says why.
    if (link.notice !== "failed" || link.receipt !== null) this.#queueListed(link, state, null, now);
  }

  /** Inside a transaction that records an event: the ledger gets both in one call. */
  #queueListed(link: LinkRow, state: string, error: string | null, now: number): void {
    this.#deps.store.outbox.queue(
      "noticeListed",
      "listed",
      { link: link.id, state, ...(error === null ? {} : { fault: error }) },
      // By then the event that is recorded with it has taken it along.
      now + 2 * bookkeepingMs,
    );
  }

  /** Inside a transaction: revokes the old link, and queues the notice with a new one. */
  #replace(input: StoredInput, link: LinkRow, why: NoticeWhy, now: number): void {
    const { store, record } = this.#deps;
    const review = this.#deps.current()?.state.reviews[link.gate];
    if (review === null || review === undefined) return;
    store.revokeLink(link.id, now);
    const random = crypto.getRandomValues(new Uint8Array(linkRandomLength));
    const next = store.addLink({
      gate: link.gate,
      reviewer: link.reviewer,
      channel: link.channel,
      createdAt: now,
      expiresAtSeconds: this.#expiry(review, now),
      random,
      receipt: link.receipt,
    });
    if (next === null) return;
    this.#queueNotice(next, why, now);
    this.#queueListed(link, "replaced", null, now);
    const reviewer = this.people(input)[link.reviewer]?.name ?? "";
    record(now, [{ kind: "linkRenewed", gate: link.gate, channel: link.channel, reviewer }]);
  }

  #found(row: OutboxRow): (CurrentRun & { readonly link: LinkRow }) | null {
    const current = this.#deps.current();
    const { link: id } = detailOf(row);
    const link = current === null || typeof id !== "string" ? null : this.#deps.store.link(id);
    return current === null || link === null ? null : { ...current, link };
  }

  /** The path of a link's page. */
  path(input: StoredInput, link: LinkRow): string | null {
    const url = this.#url(input, link);
    return url === null ? null : new URL(url).pathname;
  }

  #url(input: StoredInput, link: LinkRow): string | null {
    const { keys, publicUrl } = settingsOf(this.#deps.env);
    const runRandom = randomOfRunId(input.id);
    const random = fromBase64url(link.id);
    if (publicUrl === undefined || runRandom === undefined || random === undefined) return null;
    const { gate, reviewer, channel, expiresAtSeconds } = link;
    return reviewUrl(publicUrl, linkToken(keys, { runRandom, gate, reviewer, channel, expiresAtSeconds, random }));
  }

  /** The link of a member who is a reviewer of this gate; any other member gets none. */
  #personalUrl({ input, link }: CurrentRun & { readonly link: LinkRow }, user: string): string | null {
    const people = this.people(input);
    const { gate, channel } = link;
    if (channel === "outbox") return null;
    const own = this.#deps.store.links(gate).find((each) => each.channel === channel && people[each.reviewer]?.[channel] === user);
    return own === undefined ? null : this.#url(input, own);
  }

  #compose(current: CurrentRun, link: LinkRow, why: NoticeWhy, row: OutboxRow): Notice | null {
    const reviewer = this.people(current.input)[link.reviewer];
    const content = this.#shown(current, link);
    const url = this.#url(current.input, link);
    if (reviewer === undefined || content === null || url === null) return null;
    return {
      run: current.input.id,
      link,
      url,
      reviewer,
      why,
      ...content,
      receipt: link.receipt,
      idempotencyKey: `${link.id}-${row.id}`,
    };
  }

  /**
   * Stores whether a notice was sent; where it failed for good, queues one through the reviewer's
   * next channel.
   */
  #settle(link: LinkRow, why: NoticeWhy, sent: DeliveryResult): void {
    const { store, record } = this.#deps;
    const now = this.#deps.now();
    store.transaction(() => {
      // Read again: the review may have changed, or be over, since the channel was asked.
      const current = this.#deps.current();
      if (current === null) return;
      const { input, state } = current;
      const reviewer = this.people(input)[link.reviewer];
      const failed = sent.kind !== "sent";
      const error = failed ? sent.why : null;
      store.markNotice(link.id, failed ? "failed" : "sent", failed ? null : sent.receipt);
      if (failed || why !== "voted") {
        // Where the review is over by now, the list says so already.
        if (failed || this.#isAsked(input, state, link)) this.#queueListed(link, failed ? "failed" : "sent", error, now);
        record(now, [
          { kind: "noticed", gate: link.gate, channel: link.channel, reviewer: reviewer?.name ?? "", why, state: error ?? "sent" },
        ]);
      }
      const review = state.reviews[link.gate];
      if (!failed || reviewer === undefined || review === null || !this.#isAsked(input, state, link)) return;
      const asked = new Set(store.links(link.gate).flatMap((each) => (each.reviewer === link.reviewer ? [each.channel] : [])));
      const next = nextChannel(reviewer, openChannels(this.#deps.env), asked);
      if (next !== undefined) this.#queueNotice(this.#linkOn(next, review, link.reviewer, now), why, now);
      this.#noticeUnreachable(input, review, now);
    });
  }

  /** Inside a transaction: queues the end of a review none of whose reviewers a channel reaches. */
  #noticeUnreachable(input: StoredInput, review: Review, now: number): void {
    if (this.unreached(input, review).length === review.reviewers.length)
      this.#deps.store.outbox.queue("unreachable", "unreachable", { gate: review.gate }, now);
  }
}

type ListedDetail = { readonly link: string; readonly state: string; readonly fault?: string };

/** Null where it cannot be read: it holds up no delivery. */
function readListed({ detail }: StoredRow): ListedDetail | null {
  try {
    return JSON.parse(detail) as ListedDetail; // written by `#queueListed`
  } catch {
    return null;
  }
}

const chainOf = (link: LinkRow): string => `notice:${link.id}`;
const notConfigured: DeliveryResult = { kind: "failed", why: "notConfigured" };
const unavailable = (): DeliveryResult => ({ kind: "again", why: "unavailable" });

const detailOf = ({ detail }: OutboxRow): Members => (isObject(detail) ? detail : {});

const whys = ["asked", "handedOver", "escalated", "reminder", "changed", "voted", "newLink"] as const satisfies readonly NoticeWhy[];
const whyOf = (row: OutboxRow): NoticeWhy => whys.find((each) => each === detailOf(row)["why"]) ?? "asked";

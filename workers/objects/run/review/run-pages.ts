// The review pages of a run: what each shows, and the message that an open one gets when the review
// changes.

import { type RunDeps, type CurrentRun, reviewAt } from "../run-deps.ts";
import type { ReviewContinuation } from "./review-continuation.ts";
import { inboxLink, type ViewAsked } from "../../../stubs/run-calls.ts";
import { linkUrl } from "./run-links.ts";
import { type ReviewerOfRun, wasAsked } from "./run-reviewers.ts";
import type { RunViews } from "./run-views.ts";
import { RunWindows, type PageWindow } from "../deliver/run-windows.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import type { LinkRow } from "../../../channels/channel.ts";
import type { NextStep, ReviewView, WaitingReply } from "../../../../shared/review/view.ts";
import { inboxReviewUrl } from "../../../platform/urls.ts";
import { openGate } from "../../../../shared/run/lifecycle.ts";
import { canSignIn } from "../../../../shared/policy/rules.ts";
import { reviewState } from "../../../../shared/run/present.ts";

export class RunPages {
  readonly #deps: RunDeps;
  readonly #views: RunViews;
  readonly #windows: RunWindows;
  readonly #continuation: ReviewContinuation;

  constructor(deps: RunDeps, views: RunViews, windows: RunWindows, continuation: ReviewContinuation) {
    this.#deps = deps;
    this.#views = views;
    this.#windows = windows;
    this.#continuation = continuation;
  }

  /** `RunCalls.view`. */
  view(asked: ViewAsked): ReviewView | null {
    const { reviewer, inbox, isOpening, isFollowing } = asked;
    const found = this.#deps.reviewers.access(asked);
    if (found === null) return null;
    if (isOpening) this.#markOpened(found);
    const shown = this.#views.view(found);
    const view = shown === null || !canSignIn(found.reviewer) ? shown : { ...shown, hasInbox: true as const };
    return view === null || !isFollowing ? view : { ...view, next: this.#next(found, reviewer, inbox, () => this.#replyOf(found)) };
  }

  /** What an approver's page says of the reply that waits for them. */
  #replyOf(found: ReviewerOfRun): WaitingReply | null {
    const review = found.state.reviews.response;
    const view = this.#views.view({ ...found, link: { ...found.link, gate: "response" } });
    if (review === null || view === null) return null;
    const { usage, costUsd } = view.subject === "message" ? view : { usage: null, costUsd: null };
    return { openedAt: review.openedAt, deadlineAt: review.deadlineAt, reviewers: review.reviewers, usage, costUsd };
  }

  #next(current: CurrentRun, index: number, inbox: string | null, replyOf: () => WaitingReply | null): NextStep | null {
    const name = this.#deps.reviewers.people(current.input)[index]?.name ?? "";
    // No token is on a page of somebody who is signed in.
    const own = inbox === null ? null : inboxReviewUrl(inbox, "response", current.input.id);
    const linked = (link: LinkRow): string | null => own ?? pathOf(linkUrl(this.#deps.env, current.input, link));
    return this.#continuation.next(current, { index, name, pathOf: linked, replyOf });
  }

  /** `RunCalls.place`. */
  place(gate: Gate, reviewer: string, email: string): number | null {
    const current = this.#deps.current();
    if (current === null || !wasAsked(current.state, gate, reviewer)) return null;
    const place = this.#deps.reviewers
      .people(current.input)
      .findIndex((each) => each.name === reviewer && each.email?.toLowerCase() === email.toLowerCase());
    return place === -1 ? null : place;
  }

  #markOpened({ state, link: { gate, channel }, reviewer: { name: reviewer } }: ReviewerOfRun): void {
    if (openGate(state) !== gate || this.#deps.store.events.wasOpened(gate, reviewer, channel)) return;
    const { version } = reviewAt(state, gate);
    this.#deps.store.transaction(() => this.#deps.record(this.#deps.now(), [{ kind: "opened", gate, reviewer, channel, version }]));
    // No caller and no open page has to hear of this.
    this.#deps.waitUntil(this.#deps.drain());
  }

  /** Accepts the WebSocket of an open page; 404 for an unknown link. */
  openWindow(query: URLSearchParams): Response {
    const gate = query.get("gate") === "response" ? "response" : "request";
    const follows = gate === "request" && query.get("follows") === "yes";
    const page: PageWindow = { gate, reviewer: Number(query.get("reviewer")), link: query.get("link") ?? "", follows };
    const first = this.#deps.reviewers.access(page) === null ? null : this.message(page);
    return first === null ? new Response(null, { status: 404 }) : this.#windows.acceptPage(page, first);
  }

  /**
   * The state of a page's review, as JSON without content; null where the review was never opened.
   */
  message({ gate, reviewer, link, follows }: PageWindow): string | null {
    const current = this.#deps.current();
    const review = current?.state.reviews[gate] ?? null;
    if (current === null || review === null) return null;
    const name = this.#deps.reviewers.people(current.input)[reviewer]?.name ?? "";
    return JSON.stringify({
      kind: "review",
      state: reviewState(review).kind,
      version: review.version,
      digest: review.digest,
      votes: review.votes.length,
      left: review.left.some((each) => each.reviewer === name),
      hasVoted: review.votes.some((vote) => vote.reviewer === name),
      ...(follows ? { next: this.#next(current, reviewer, link === inboxLink ? "" : null, () => unread)?.kind ?? null } : {}),
    });
  }
}

/** For a message, which says only that a reply waits. */
const unread: WaitingReply = { openedAt: 0, deadlineAt: 0, reviewers: [], usage: null, costUsd: null };

const pathOf = (url: string | null): string | null => (url === null ? null : new URL(url).pathname);

// From a request's approval to the review of its reply in one place: where the reviewer's page
// redirects to, and which notices are suppressed because it does.

import type { NextStep, WaitingReply } from "../../../../shared/review/view.ts";
import { isForOnePerson } from "../../../../shared/notice-channels.ts";
import type { Reviewer } from "../../../../shared/policy/evaluate.ts";
import { isCalling, openGate } from "../../../../shared/run/lifecycle.ts";
import { reviewState } from "../../../../shared/run/present.ts";
import type { LinkRow, NoticeWhy } from "../../../channels/channel.ts";
import type { CurrentRun, RunDeps } from "../run-deps.ts";
import type { RunWindows } from "../deliver/run-windows.ts";

/** How long a suppressed notice waits before it is looked at again. */
export const suppressedMs = 20_000;

type NextAsked = {
  readonly index: number;
  readonly name: string;
  readonly pathOf: (link: LinkRow) => string | null;
  readonly replyOf: () => WaitingReply | null;
};

export class ReviewContinuation {
  readonly #deps: Pick<RunDeps, "store">;
  readonly #windows: RunWindows;

  constructor(deps: Pick<RunDeps, "store">, windows: RunWindows) {
    this.#deps = deps;
    this.#windows = windows;
  }

  /**
   * What comes after this reviewer's approval of the request; null where nothing does. `pathOf`:
   * the path of a link's page; `replyOf`: what is said of the reply. For the browser that approved,
   * and for no other.
   */
  next({ state }: CurrentRun, { index, name, pathOf, replyOf }: NextAsked): NextStep | null {
    const { request, response } = state.reviews;
    if (request === null || reviewState(request).kind !== "approved") return null;
    if (isCalling(state)) return { kind: "waits" };
    if (openGate(state) !== "response" || response?.reviewers.includes(name) !== true) return null;
    const link = this.#deps.store.links("response").find(({ reviewer }) => reviewer === index);
    const path = link === undefined ? null : pathOf(link);
    const reply = path === null ? null : replyOf();
    return path === null || reply === null ? null : { kind: "review", path, reply };
  }

  /**
   * Whether a notice is suppressed, because its reviewer's page redirects to the review: `waits`
   * while that page is open, `read` once the reply's page was opened. Only the first notice of a
   * reply, and only one that a person reads alone.
   */
  suppressesNotice({ state }: CurrentRun, link: LinkRow, why: NoticeWhy, reviewer: Reviewer): "waits" | "read" | null {
    const { gate, channel } = link;
    if (gate !== "response" || why !== "asked" || !isForOnePerson(channel, reviewer)) return null;
    if (state.reviews.request?.votes.some((vote) => vote.reviewer === reviewer.name) !== true) return null;
    const { events } = this.#deps.store;
    if (
      events.wasOpened(gate, reviewer.name, "inbox") ||
      this.#deps.store.links(gate).some((each) => each.reviewer === link.reviewer && events.wasOpened(gate, reviewer.name, each.channel))
    ) {
      return "read";
    }
    return this.#windows.isFollowed(link.reviewer) ? "waits" : null;
  }
}

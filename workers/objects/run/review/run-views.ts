// A review as one of its reviewers may see it: on its page, in a notice, in a digest, and at a
// button that they pressed.

import type { DigestEntry } from "../../../../shared/channels/digest-content.ts";
import { noticeFacts } from "../../../../shared/channels/notice-line.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import type { LinkChannel } from "../../../../shared/notice-channels.ts";
import type { ReviewView } from "../../../../shared/review/view.ts";
import { type NoticeContent, type NoticeTexts, forNotice, noticeTexts, versionOf } from "../../../../shared/run/notice-view.ts";
import type { Notice, NoticeWhy } from "../../../channels/channel.ts";
import type { ExpiredLink, PressTarget } from "../../../stubs/run-calls.ts";
import type { OutboxRow } from "../tables/outbox-rows.ts";
import { viewOf } from "../deliver/run-account.ts";
import type { RunDeps } from "../run-deps.ts";
import { linkUrl } from "./run-links.ts";
import { type LinkOfRun, type ReviewAccess, type ReviewerOfRun, isAsked } from "./run-reviewers.ts";
import type { StoredInput } from "../tables/run-store.ts";

export class RunViews {
  readonly #deps: RunDeps;
  #masked: { readonly version: string; readonly texts: NoticeTexts } | null = null;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  view({ input, state, link, reviewer }: ReviewerOfRun<Pick<ReviewAccess, "gate" | "channel">>): ReviewView | null {
    const page = { reviewer, isSignedIn: link.channel === "inbox", now: this.#deps.now() };
    return viewOf(this.#deps.store, input, state, link.gate, page, () => this.#deps.reviewers.handOverCandidates(input));
  }

  notice(of: LinkOfRun, why: NoticeWhy, row: OutboxRow): Notice | null {
    const { input, link, reviewer } = of;
    const content = this.noticeContent(of);
    const url = linkUrl(this.#deps.env, input, link);
    if (content === null || url === null) return null;
    return { run: input.id, link, url, reviewer, why, ...content, receipt: link.receipt, idempotencyKey: `${link.id}-${row.id}` };
  }

  /** What a notice to this reviewer may show of their review. */
  noticeContent(of: ReviewerOfRun<Pick<ReviewAccess, "gate" | "channel">>): NoticeContent | null {
    const view = this.view(of);
    return view === null ? null : forNotice(view, of.input, this.#textsOf(view, of.input));
  }

  /** A version is masked once for all its notices. */
  #textsOf(view: ReviewView, input: StoredInput): NoticeTexts {
    const version = versionOf(view);
    if (this.#masked?.version !== version) this.#masked = { version, texts: noticeTexts(view, input) };
    return this.#masked.texts;
  }

  /** The state of an expired link, without content; null where there is no such link. */
  expired(gate: Gate, index: number, id: string): ExpiredLink | null {
    const found = this.#deps.reviewers.linkAt(gate, index, id);
    const view = found === null ? null : this.view(found);
    return found === null || view === null ? null : { open: isAsked(found), state: view.state.kind };
  }

  /** `RunCalls.pressTarget`. */
  pressTarget(channel: LinkChannel, gate: Gate, id: string): PressTarget | null {
    const found = this.#deps.reviewers.openingLink(gate, id);
    if (found?.link.channel !== channel) return null;
    const { input, link, reviewer } = found;
    const content = this.noticeContent(found);
    if (content === null) return null;
    const colleagues = this.#deps.reviewers
      .links(input, gate)
      .filter((each) => each.link.channel === channel)
      .map((each) => ({ link: each.link.id, place: each.link.reviewer, reviewer: each.reviewer }));
    const { reviewer: place, expiresAtSeconds, receipt } = link;
    return { ...content, reviewer, place, expiresAtSeconds, receipt, colleagues };
  }

  /** `RunCalls.digestEntry`. */
  digestEntry(id: string): DigestEntry | null {
    const found = this.#deps.reviewers.link(id);
    if (found === null || !isAsked(found)) return null;
    const view = this.noticeContent(found)?.view ?? null;
    const url = linkUrl(this.#deps.env, found.input, found.link);
    return view === null || url === null ? null : { reviewer: found.reviewer, facts: noticeFacts(view), url };
  }
}

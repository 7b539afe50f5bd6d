// The review pages of a run: what each shows, and what an open one hears when the review changes.

import { type RunParts, linkedAt, type CurrentRun, reviewAt } from "./run-parts.ts";
import { RunNotices } from "./run-notices.ts";
import { RunWindows, type PageWindow } from "./run-windows.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import type { LinkRow } from "../../channels/channel.ts";
import { openGate } from "../../../shared/run/lifecycle.ts";
import { reviewState } from "../../../shared/run/present.ts";

export class RunPages {
  readonly #parts: RunParts;
  readonly #notices: RunNotices;
  readonly #windows: RunWindows;

  constructor(parts: RunParts, notices: RunNotices, windows: RunWindows) {
    this.#parts = parts;
    this.#notices = notices;
    this.#windows = windows;
  }

  /** The page of a link; null where it opens nothing. Where somebody opens it while the review waits, the record says so: once. */
  view(gate: Gate, reviewer: number, link: string, isOpening: boolean): ReviewView | null {
    const found = linkedAt(this.#parts, gate, reviewer, link);
    if (found !== null && isOpening) this.#markOpened(found, gate, reviewer);
    return found === null ? null : this.#notices.view(found, found.link);
  }

  #markOpened({ input, state, link: { channel } }: CurrentRun & { readonly link: LinkRow }, gate: Gate, place: number): void {
    const reviewer = this.#notices.people(input)[place]?.name;
    if (reviewer === undefined || openGate(state) !== gate || this.#parts.store.wasOpened(gate, reviewer, channel)) return;
    const { version } = reviewAt(state, gate);
    this.#parts.store.transaction(() => this.#parts.record(this.#parts.now(), [{ kind: "opened", gate, reviewer, channel, version }]));
    // Nothing changed of which a caller or an open page would have to hear.
    this.#parts.waitUntil(this.#parts.drain());
  }

  /** Takes the WebSocket of an open page, or answers 404 where its link opens nothing. */
  openWindow(query: URLSearchParams): Response {
    const gate = query.get("gate") === "response" ? "response" : "request";
    const page: PageWindow = { gate, reviewer: Number(query.get("reviewer")), link: query.get("link") ?? "" };
    const first = linkedAt(this.#parts, page.gate, page.reviewer, page.link) === null ? null : this.message(page);
    return first === null ? new Response(null, { status: 404 }) : this.#windows.acceptPage(page, first);
  }

  /** How a page's review stands now, without content. */
  message({ gate, reviewer }: PageWindow): string | null {
    const standing = this.#parts.current();
    const review = standing?.state.reviews[gate] ?? null;
    if (standing === null || review === null) return null;
    const name = this.#notices.people(standing.input)[reviewer]?.name ?? "";
    return JSON.stringify({
      kind: "review",
      state: reviewState(review, standing.state.end).kind,
      version: review.version,
      digest: review.digest,
      votes: review.votes.length,
      left: review.left.some((each) => each.reviewer === name),
    });
  }
}

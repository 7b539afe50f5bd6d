// Tells reviewers' inboxes how a run's review stands for each. A row of the outbox says whom to
// tell; what is told is read when it is attempted, so that it may run twice, and late.

import { jsonOf } from "../../../../shared/json/json-of.ts";
import { isObject } from "../../../../shared/json/values.ts";
import type { Reviewer } from "../../../../shared/policy/evaluate.ts";
import { addressDigest, inboxNameOf } from "../../../../shared/review/inbox.ts";
import { inboxEntry } from "../../../../shared/review/inbox-facts.ts";
import { inboxExcerpt } from "../../../../shared/channels/excerpt.ts";
import { openGate } from "../../../../shared/run/lifecycle.ts";
import { inboxStub } from "../../../stubs/stubs.ts";
import type { OutboxRow } from "../tables/outbox-rows.ts";
import type { CurrentRun, RunDeps } from "../run-deps.ts";
import type { RunViews } from "../review/run-views.ts";

export class RunInboxes {
  readonly #deps: Pick<RunDeps, "env" | "reviewers">;
  readonly #views: RunViews;

  constructor(deps: Pick<RunDeps, "env" | "reviewers">, views: RunViews) {
    this.#deps = deps;
    this.#views = views;
  }

  /** `row.id` counts up: what an earlier row told is out of date. */
  async tell(row: OutboxRow, current: CurrentRun): Promise<boolean> {
    const place = isObject(row.detail) ? row.detail["place"] : undefined;
    const reviewer = typeof place === "number" ? this.#deps.reviewers.people(current.input)[place] : undefined;
    if (typeof place !== "number" || reviewer?.email === undefined) return true;
    const entry = this.#entry(current, reviewer);
    await inboxStub(this.#deps.env, inboxNameOf(reviewer.name)).tell({
      run: current.input.id,
      seq: row.id,
      address: addressDigest(reviewer.email),
      entry: entry === null ? null : jsonOf(entry),
    });
    return true;
  }

  #entry(current: CurrentRun, reviewer: Reviewer) {
    const gate = openGate(current.state);
    if (gate === null || current.state.reviews[gate]?.reviewers.includes(reviewer.name) !== true) return null;
    const view = this.#views.view({ ...current, link: { gate, channel: "inbox" }, reviewer });
    const notice = this.#views.noticeContent({ ...current, link: { gate, channel: "email" }, reviewer });
    return view === null || notice === null ? null : inboxEntry(view, inboxExcerpt(notice));
  }
}

// Tells reviewers' inboxes how a run's review stands for each. A row of the outbox says whom to
// tell; what is told is read when it is attempted, so that it may run twice, and late.

import { isObject } from "../../../shared/json/values.ts";
import { isRoom } from "../../../shared/notice-channels.ts";
import type { Reviewer } from "../../../shared/policy/evaluate.ts";
import { addressDigest, inboxNameOf } from "../../../shared/review/inbox.ts";
import { inboxEntry } from "../../../shared/review/inbox-facts.ts";
import { openGate } from "../../../shared/run/lifecycle.ts";
import { canSendEmail } from "../../channels/email/email-channel.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { inboxStub } from "../../stubs/stubs.ts";
import type { OutboxRow } from "./outbox-rows.ts";
import type { RunNotices } from "./run-notices.ts";
import type { CurrentRun, RunDeps } from "./run-deps.ts";

/**
 * Whether this reviewer could sign in to an inbox: a person with an email address, where email or
 * Cloudflare Access is set up.
 */
export const hasInbox = (env: Env, reviewer: Reviewer): boolean =>
  reviewer.email !== undefined && !isRoom(reviewer) && (settingsOf(env).access !== undefined || canSendEmail(env));

export class RunInboxes {
  readonly #deps: Pick<RunDeps, "env">;
  readonly #notices: Pick<RunNotices, "people" | "view">;

  constructor(deps: Pick<RunDeps, "env">, notices: Pick<RunNotices, "people" | "view">) {
    this.#deps = deps;
    this.#notices = notices;
  }

  /** `row.id` counts up: what an earlier row told is out of date. */
  async tell(row: OutboxRow, current: CurrentRun): Promise<boolean> {
    const place = isObject(row.detail) ? row.detail["place"] : undefined;
    const reviewer = typeof place === "number" ? this.#notices.people(current.input)[place] : undefined;
    if (typeof place !== "number" || reviewer?.email === undefined) return true;
    const entry = this.#entry(current, place, reviewer.name);
    await inboxStub(this.#deps.env, inboxNameOf(reviewer.name)).tell({
      run: current.input.id,
      seq: row.id,
      address: addressDigest(reviewer.email),
      entry: entry === null ? null : JSON.stringify(entry),
    });
    return true;
  }

  #entry(current: CurrentRun, place: number, name: string) {
    const gate = openGate(current.state);
    if (gate === null || current.state.reviews[gate]?.reviewers.includes(name) !== true) return null;
    const view = this.#notices.view(current, { gate, reviewer: place });
    return view === null ? null : inboxEntry(view);
  }
}

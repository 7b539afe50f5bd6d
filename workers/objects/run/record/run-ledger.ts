// A run and the ledger: its events, its line in lists, its notices, and when it has work next.
// Twice is the same as once.

import { isForSignedIn } from "../../../../shared/policy/rules.ts";
import type { NoticeRow } from "../../../stubs/ledger-calls.ts";
import { appendToLedger } from "../../../stubs/stubs.ts";
import { summaryOf } from "../deliver/run-account.ts";
import type { ListedDetail } from "../notices/notice-queue.ts";
import type { StoredRow } from "../tables/outbox-rows.ts";
import type { CurrentRun, RunDeps } from "../run-deps.ts";

export class RunLedger {
  readonly #deps: RunDeps;
  readonly #nextDue: () => number | null;

  /** @param nextDue When the run has work next, in Unix milliseconds; null: never. */
  constructor(deps: RunDeps, nextDue: () => number | null) {
    this.#deps = deps;
    this.#nextDue = nextDue;
  }

  /**
   * Sends in one call what the ledger may not have: events with the line as it is now, and the
   * states of notices.
   */
  async send({ input, state }: CurrentRun): Promise<void> {
    const { env, store } = this.#deps;
    const events = store.events.unshipped(input.id);
    const listed = store.outbox.of("noticeListed");
    if (events.length === 0 && listed.length === 0) return;
    const dueAt = this.#nextDue();
    await appendToLedger(env, input.id, {
      events,
      summary: events.length === 0 ? null : summaryOf(store, input, state),
      notices: listed.flatMap((row) => this.#listed(row) ?? []),
      ...(dueAt === null ? {} : { expected: { run: input.id, dueAt } }),
    });
    for (const { id } of listed) store.outbox.done(id);
    store.events.markShipped(events.at(-1)?.seq ?? 0);
    if (store.events.unshipped(input.id).length > 0) return;
    for (const { id, attempts } of store.outbox.of("record")) if (attempts === 0) store.outbox.done(id);
  }

  /** A notice as the operators' list is to have it; null where there is none to list. */
  #listed(row: StoredRow): NoticeRow | null {
    const detail = readListed(row);
    const found = detail === null ? null : this.#deps.reviewers.link(detail.link);
    if (detail === null || found === null) return null;
    const { input, link, reviewer } = found;
    const { id, channel, gate, reviewer: index, expiresAtSeconds } = link;
    return {
      id,
      at: this.#deps.now(),
      channel,
      reviewer: reviewer.name,
      run: input.id,
      gate,
      state: detail.state,
      ...(detail.fault === undefined ? {} : { fault: detail.fault }),
      link: channel === "outbox" && !isForSignedIn(input.gatePolicy) ? { reviewer: index, expiresAtSeconds, random: id } : null,
    };
  }
}

/** Null where it cannot be read: it holds up no delivery. */
function readListed({ detail }: StoredRow): ListedDetail | null {
  try {
    return JSON.parse(detail) as ListedDetail; // written by NoticeQueue
  } catch {
    return null;
  }
}

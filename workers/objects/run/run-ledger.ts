// A run and the ledger: its events, its line in lists, its notices, and when it has work next.
// Twice is the same as once.

import { appendToLedger } from "../../stubs/stubs.ts";
import { summaryOf } from "./run-account.ts";
import type { RunNotices } from "./run-notices.ts";
import type { CurrentRun, RunDeps } from "./run-deps.ts";

export class RunLedger {
  readonly #deps: RunDeps;
  readonly #notices: RunNotices;
  readonly #nextDue: () => number | null;

  /** @param nextDue When the run has work next, in Unix milliseconds; null: never. */
  constructor(deps: RunDeps, notices: RunNotices, nextDue: () => number | null) {
    this.#deps = deps;
    this.#notices = notices;
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
      notices: listed.flatMap((row) => this.#notices.listed(row) ?? []),
      ...(dueAt === null ? {} : { expected: { run: input.id, dueAt } }),
    });
    for (const { id } of listed) store.outbox.done(id);
    store.events.markShipped(events.at(-1)?.seq ?? 0);
  }
}

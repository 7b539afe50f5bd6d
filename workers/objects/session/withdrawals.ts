// Runs that are to be withdrawn because their request, its client request or the session ended:
// committed first, then sent to each run.

import { backoffMs } from "../../../shared/backoff.ts";
import type { WithdrawCause } from "../../../shared/model/outcome.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { SessionDeps } from "./session-deps.ts";

const withdrawRetry = { firstMs: 2_000, mostMs: 5 * 60_000 };
/** A reserved run that is not open after so many attempts (some minutes) never will be. */
const withdrawUnknownAttempts = 7;

type WithdrawalRow = { originating: string; request: string; run: string; cause: WithdrawCause; attempts: number };

export class Withdrawals {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /**
   * Queues the withdrawal of these requests' open runs. `where`: a condition on the table
   * `sampling`.
   */
  queue(where: string, bindings: string[], cause: WithdrawCause, now: number): void {
    this.#deps.sql.exec(
      `INSERT OR IGNORE INTO withdrawal (originating, request, cause, attempts, due_at)
       SELECT originating, request, ?, 0, ? FROM sampling WHERE state = 'durable' AND settled_at IS NULL AND ${where}`,
      cause,
      now,
      ...bindings,
    );
    this.#deps.alarmBy(now + withdrawRetry.firstMs);
  }

  /** Withdraws what is due; the alarm retries what fails. */
  async send(): Promise<void> {
    if (!this.#deps.tables.exist) return;
    const due = this.#deps.sql
      .exec<WithdrawalRow>(
        "SELECT originating, request, run, cause, attempts FROM withdrawal JOIN sampling USING (originating, request) WHERE due_at <= ?",
        this.#deps.now(),
      )
      .toArray();
    await Promise.all(due.map((row) => this.#withdraw(row)));
    const next = this.#deps.tables.nextDue();
    if (next !== null) this.#deps.alarmBy(next);
  }

  async #withdraw(row: WithdrawalRow): Promise<void> {
    const { originating, request, run, cause, attempts } = row;
    const { env, ctx, sql, now } = this.#deps;
    try {
      const answer = await runStub(env, run).withdraw(cause, { session: ctx.id.toString(), originating, request });
      // An unknown run may be about to be opened, by a Worker that reserved it a moment ago.
      if (answer === "unknown" && attempts < withdrawUnknownAttempts) return this.#retry(row);
      ctx.storage.transactionSync(() => {
        const settled = sql
          .exec(
            "UPDATE sampling SET settled_at = COALESCE(settled_at, ?) WHERE originating = ? AND request = ? AND run = ? RETURNING run",
            now(),
            originating,
            request,
            run,
          )
          .toArray();
        // The request adopted another run meanwhile: it is withdrawn from that one next.
        if (settled.length === 0) this.#retry(row);
        else sql.exec("DELETE FROM withdrawal WHERE originating = ? AND request = ?", originating, request);
      });
    } catch (error) {
      logEvent("session.cancelFailed", { run, attempt: attempts, error: errorClass(error) });
      this.#retry(row);
    }
  }

  #retry({ originating, request, attempts }: WithdrawalRow): void {
    this.#deps.sql.exec(
      "UPDATE withdrawal SET attempts = attempts + 1, due_at = ? WHERE originating = ? AND request = ?",
      this.#deps.now() + backoffMs(withdrawRetry, attempts, this.#deps.random()),
      originating,
      request,
    );
  }
}

// Outcomes of the fast path: kept for repeats for ten minutes, and given to the repeats that wait for them now.

import { resultKeptMs } from "../../../shared/association/session.ts";
import type { Settled } from "../../stubs/session-calls.ts";
import { resultName } from "./session-tables.ts";
import type { SessionParts } from "./session-parts.ts";

/** In UTF-16 code units. Longer results go to a table of their own, in parts. */
const longestInline = 100_000;

export class FastResults {
  readonly #parts: SessionParts;
  readonly #waiting = new Map<string, Set<(result: string | null) => void>>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  settle(answers: readonly Settled[]): void {
    if (!this.#parts.tables.exist) return;
    const now = this.#parts.now();
    const kept = answers.filter((answer) => this.#settle(answer, now));
    if (kept.length > 0) this.#parts.alarmBy(now + resultKeptMs);
    for (const answer of kept) this.release(resultName(answer), answer.result);
  }

  #settle(answer: Settled, now: number): boolean {
    const { originating, request, run, result } = answer;
    // One row for a result of the usual size: most are a few kilobytes.
    if (result.length <= longestInline) return this.#markSettled(originating, request, run, now, result);
    return this.#parts.ctx.storage.transactionSync(() => {
      const settled = this.#markSettled(originating, request, run, now, null);
      if (settled) this.#parts.tables.results.write(resultName(answer), result);
      return settled;
    });
  }

  #markSettled(originating: string, request: string, run: string, now: number, result: string | null): boolean {
    const { rowsWritten } = this.#parts.sql.exec(
      "UPDATE sampling SET state = 'settled', settled_at = ?, result = ? WHERE originating = ? AND request = ? AND run = ? AND state = 'fast'",
      now,
      result,
      originating,
      request,
      run,
    );
    return rowsWritten > 0;
  }

  /** The outcome that is kept for a request, as JSON. */
  resultOf(of: { readonly originating: string; readonly request: string }): string | null {
    const [row] = this.#parts.sql
      .exec<{ result: string | null }>("SELECT result FROM sampling WHERE originating = ? AND request = ?", of.originating, of.request)
      .toArray();
    return row?.result ?? this.#parts.tables.results.read(resultName(of)) ?? null;
  }

  async awaitResult(originating: string, request: string, waitMs: number): Promise<string | null> {
    if (!this.#parts.tables.exist) return null;
    const name = resultName({ originating, request });
    const known = this.resultOf({ originating, request });
    if (known !== null) return known;
    // Refused meanwhile, or adopted by a run: no fast-path caller is getting an answer.
    const fast = this.#parts.sql
      .exec("SELECT 1 FROM sampling WHERE originating = ? AND request = ? AND state = 'fast'", originating, request)
      .toArray();
    if (fast.length === 0) return null;
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiters);
      const done = (result: string | null): void => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(name);
        resolve(result);
      };
      const timer = setTimeout(() => done(null), waitMs);
      waiters.add(done);
    });
  }

  /** Ends every wait for a request: with its result, or null where it will have none here. */
  release(name: string, result: string | null): void {
    for (const done of this.#waiting.get(name) ?? []) done(result);
  }
}

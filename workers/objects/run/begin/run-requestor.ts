// Whether a run's caller is still connected. A broken connection is no cancellation: after
// `requestorGraceMs` the page and the record say that the caller left, until a caller comes back.

import type { RunDeps } from "../run-deps.ts";
import type { RunWindows } from "../deliver/run-windows.ts";

/**
 * A caller that comes back within this time (an object reset, a dropped connection) counts as
 * connected throughout.
 */
export const requestorGraceMs = 3_000;

export class RunRequestor {
  readonly #deps: RunDeps;
  readonly #windows: RunWindows;
  readonly #lost: () => void;

  /** @param lost Called in the transaction that records that the caller left. */
  constructor(deps: RunDeps, windows: RunWindows, lost: () => void) {
    this.#deps = deps;
    this.#windows = windows;
    this.#lost = lost;
  }

  /** Where no caller is connected, checks again after the grace. */
  watch(): void {
    if (!this.#isMissing()) return this.#deps.store.schedule.dropLater("requestor");
    this.#deps.store.schedule.set("requestor", this.#deps.now() + requestorGraceMs);
    this.#deps.arm();
  }

  /** Records that the caller left, where none is connected and that is not recorded yet. */
  notice(now: number): void {
    if (!this.#isMissing()) return;
    this.#deps.store.transaction(() => {
      this.#deps.store.markRequestor(true);
      this.#deps.record(now, [{ kind: "requestorLeft" }]);
      this.#lost();
    });
    this.#deps.flush();
  }

  /** Whether the run waits for a caller that is not connected, and that is not recorded yet. */
  #isMissing(): boolean {
    const state = this.#deps.store.state();
    if (state === null || state.end !== null || this.#deps.current()?.input.mode !== "sync") return false;
    return this.#windows.callers() === 0 && !this.#deps.store.isRequestorGone();
  }

  /**
   * A caller connected: it comes back after it left, or receives an outcome that no caller had
   * received.
   */
  welcome(delivery: { readonly to: number } | null): void {
    if (this.#deps.current()?.input.mode !== "sync") return;
    const now = this.#deps.now();
    this.#deps.store.schedule.dropLater("requestor");
    this.#deps.arm();
    const back = delivery === null && this.#deps.store.isRequestorGone();
    if (!back && delivery?.to !== 0) return;
    this.#deps.store.transaction(() => {
      if (back) {
        this.#deps.store.markRequestor(false);
        this.#deps.record(now, [{ kind: "requestorBack" }]);
      } else {
        this.#deps.store.markReceived();
        this.#deps.store.outbox.queue("index", "index", null, now);
      }
    });
    this.#deps.flush();
  }
}

// Whether a run's caller is still connected. A broken connection is no cancellation: after
// `requestorGraceMs` the page and the record say that the caller left, until a caller comes back.

import type { RunParts } from "./run-parts.ts";
import type { RunWindows } from "./run-windows.ts";

/**
 * A caller that comes back within this time (an object reset, a dropped connection) counts as
 * connected throughout.
 */
export const requestorGraceMs = 3_000;

export class RunRequestor {
  readonly #parts: RunParts;
  readonly #windows: RunWindows;

  constructor(parts: RunParts, windows: RunWindows) {
    this.#parts = parts;
    this.#windows = windows;
  }

  /** Where no caller is connected, checks again after the grace. */
  watch(): void {
    if (!this.#isMissing()) return;
    this.#parts.store.schedule.set("requestor", this.#parts.now() + requestorGraceMs);
    this.#parts.arm();
  }

  /** Records that the caller left, where none is connected and that is not recorded yet. */
  notice(now: number): void {
    if (!this.#isMissing()) return;
    this.#parts.store.transaction(() => {
      this.#parts.store.markRequestor(true);
      this.#parts.record(now, [{ kind: "requestorLeft" }]);
    });
    this.#parts.flush();
  }

  /** Whether the run waits for a caller that is not connected, and that is not recorded yet. */
  #isMissing(): boolean {
    const state = this.#parts.store.state();
    if (state === null || state.phase === "ended" || this.#parts.current()?.input.mode !== "sync") return false;
    return this.#windows.callers() === 0 && !this.#parts.store.isRequestorGone();
  }

  /**
   * A caller connected: it comes back after it left, or receives an outcome that no caller had
   * received.
   */
  welcome(delivery: { readonly to: number } | null): void {
    if (this.#parts.current()?.input.mode !== "sync") return;
    const now = this.#parts.now();
    this.#parts.store.schedule.drop("requestor");
    const back = delivery === null && this.#parts.store.isRequestorGone();
    if (!back && delivery?.to !== 0) return;
    this.#parts.store.transaction(() => {
      if (back) {
        this.#parts.store.markRequestor(false);
        this.#parts.record(now, [{ kind: "requestorBack" }]);
      } else {
        this.#parts.store.markReceived();
        this.#parts.store.outbox.queue("index", "index", null, now);
      }
    });
    this.#parts.flush();
  }
}

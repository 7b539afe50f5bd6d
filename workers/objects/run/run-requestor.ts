// Whether a run's caller is still there. A connection that breaks is no cancellation: it is noticed after a moment, said on the
// page and in the record, and forgotten when somebody comes back.

import type { RunParts } from "./run-parts.ts";
import type { RunWindows } from "./run-windows.ts";

/** A caller who comes back within this time (an object reset, a dropped connection) never was gone. */
export const requestorGraceMs = 3_000;

export class RunRequestor {
  readonly #parts: RunParts;
  readonly #windows: RunWindows;

  constructor(parts: RunParts, windows: RunWindows) {
    this.#parts = parts;
    this.#windows = windows;
  }

  /** Looks in a moment whether the caller is still there, where nobody is and it is not known yet. */
  watch(): void {
    const state = this.#parts.store.state();
    if (state === null || state.phase === "ended" || this.#parts.current()?.input?.mode !== "sync") return;
    if (this.#windows.callers() > 0 || this.#parts.store.isRequestorGone()) return;
    this.#parts.store.schedule("requestor", this.#parts.now() + requestorGraceMs);
    this.#parts.arm();
  }

  notice(now: number): void {
    const state = this.#parts.store.state();
    if (state === null || state.phase === "ended" || this.#parts.current()?.input?.mode !== "sync") return;
    if (this.#windows.callers() > 0 || this.#parts.store.isRequestorGone()) return;
    this.#parts.store.transaction(() => {
      this.#parts.store.markRequestor(true);
      this.#parts.record(now, [{ kind: "requestorLeft" }]);
    });
    this.#parts.flush();
  }

  /** Somebody waits: again, where they were gone; or for an answer that nobody had taken. */
  welcome(delivery: { readonly to: number } | null): void {
    if (this.#parts.current()?.input?.mode !== "sync") return;
    const now = this.#parts.now();
    this.#parts.store.unschedule("requestor");
    const back = delivery === null && this.#parts.store.isRequestorGone();
    if (!back && delivery?.to !== 0) return;
    this.#parts.store.transaction(() => {
      if (back) {
        this.#parts.store.markRequestor(false);
        this.#parts.record(now, [{ kind: "requestorBack" }]);
      } else {
        this.#parts.store.markTaken();
        this.#parts.store.queue("index", "index", null, now);
      }
    });
    this.#parts.flush();
  }
}

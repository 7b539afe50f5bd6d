// A slot before a model with a limit, as the caller of the model sees it.

import type { Priority } from "../../shared/model/call.ts";

export type SlotTerms = {
  readonly priority: Priority;
  /** Unix milliseconds: when the caller stops waiting. */
  readonly waitUntil: number;
  /** Unix milliseconds: when the call itself is over at the latest. */
  readonly until: number;
  /** The caller no longer wants a slot where any of these is aborted. */
  readonly gone: readonly AbortSignal[];
};

/** `release` may be called twice. */
export type Slot = { readonly release: () => void };

/** `full`: the queue is full. `timeout`: no slot was free in time. */
export type SlotRefusal = "full" | "timeout" | "cancelled";

// A place in a model's lane, as whoever calls the model knows it.

import type { Priority } from "../../shared/model/call.ts";

export type SlotTerms = {
  readonly priority: Priority;
  /** Unix milliseconds: nobody waits for a place beyond this. */
  readonly waitUntil: number;
  /** Unix milliseconds: when the call itself is over at the latest. */
  readonly until: number;
  /** The caller no longer wants a place. */
  readonly signal?: AbortSignal | undefined;
};

/** A place. Leaving twice is leaving once. */
export type HeldSlot = { readonly release: () => void };

/** `full`: as many wait as may. `timeout`: no place came free in time. */
export type SlotRefusal = "full" | "timeout" | "cancelled";

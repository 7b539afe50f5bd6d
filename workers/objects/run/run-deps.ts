// What the parts of a RunObject share: its tables, its clock, and the one way to change its state.

import type { Gate } from "../../../shared/model/gate.ts";
import type { RecordFact, Operator } from "../../../shared/record/record.ts";
import type { RunEvent, RunState, Step } from "../../../shared/run/lifecycle.ts";
import type { Env } from "../../platform/env.ts";
import type { RunReviewers } from "./review/run-reviewers.ts";
import type { RunStore, StoredInput } from "./tables/run-store.ts";
import type { CancelCause } from "../../../shared/model/outcome.ts";
import type { Review } from "../../../shared/review/decision.ts";

export type CurrentRun = { readonly input: StoredInput; readonly state: RunState };

export type RunDeps = {
  readonly env: Env;
  readonly store: RunStore;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly reviewers: RunReviewers;
  /** Null where there is no run (any more). */
  readonly current: () => CurrentRun | null;
  /**
   * Applies an event: commits the next state with its effects, and begins to perform them. False
   * where nothing changed.
   */
  readonly apply: (event: RunEvent, now: number, facts: readonly RecordFact[]) => boolean;
  /**
   * The same for a step that is computed already, inside a transaction, and without performing
   * effects.
   */
  readonly commit: (step: Step, now: number, facts: readonly RecordFact[]) => void;
  /** Inside a transaction: appends to the run's record. */
  readonly record: (now: number, facts: readonly RecordFact[]) => void;
  /** Sets the object's alarm for what is due next. */
  readonly arm: () => void;
  /** Attempts what is due in the outbox, and nothing else. */
  readonly drain: () => Promise<void>;
  /** Begins what is due, and tells the run's state to its callers and open pages. */
  readonly flush: () => void;
  /** For work that goes on after the caller's request. */
  readonly waitUntil: (work: Promise<unknown>) => void;
};

/**
 * Cancels the run for every requestor that waits for it. False where it has ended or is unknown.
 */
export const cancelRun = ({ apply, now }: Pick<RunDeps, "apply" | "now">, cause: CancelCause, by: Operator | null = null): boolean =>
  apply({ kind: "cancelled", cause }, now(), [{ kind: "cancelled", cause, ...(by === null ? {} : { by }) }]);

/** The review of a gate that was opened. */
export function reviewAt({ reviews }: RunState, gate: Gate): Review {
  const review = reviews[gate];
  if (review === null) throw new Error("a gate without its review");
  return review;
}

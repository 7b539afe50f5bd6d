// What the parts of a RunObject share: its tables, its clock, and the one way to change its state.

import type { LinkRow } from "../../channels/channel.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import type { RecordFact, Operator } from "../../../shared/record/record.ts";
import type { RunEvent, RunState, Step } from "../../../shared/run/lifecycle.ts";
import type { LinkChannel } from "../../../shared/notice-channels.ts";
import type { Reviewer } from "../../../shared/policy/evaluate.ts";
import type { Env } from "../../platform/env.ts";
import { inboxLink } from "../../stubs/run-calls.ts";
import type { RunStore, StoredInput } from "./run-store.ts";
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
 * A link that opens this gate to this reviewer, with the current run; null for any other link, and
 * for a revoked one.
 */
export function linkedAt(
  { store, current }: Pick<RunDeps, "store" | "current">,
  gate: Gate,
  reviewer: number,
  id: string,
): (CurrentRun & { readonly link: LinkRow }) | null {
  const found = current();
  const link = found === null ? null : store.link(id);
  if (found === null || link === null || link.revokedAt !== null || link.gate !== gate || link.reviewer !== reviewer) return null;
  return { ...found, link };
}

/** How a reviewer came to a gate: by a link of a channel, or signed in to their inbox. */
export type ReviewAccess = { readonly gate: Gate; readonly reviewer: number; readonly channel: LinkChannel | "inbox" };

/** As `linkedAt`, and for `inboxLink`: a reviewer who was ever asked at this gate. */
export function resolveReviewAccess(
  deps: Pick<RunDeps, "store" | "current">,
  people: (input: StoredInput) => readonly Reviewer[],
  { gate, reviewer, link }: { readonly gate: Gate; readonly reviewer: number; readonly link: string },
): (CurrentRun & { readonly link: ReviewAccess }) | null {
  if (link !== inboxLink) return linkedAt(deps, gate, reviewer, link);
  const found = deps.current();
  const name = found === null ? undefined : people(found.input)[reviewer]?.name;
  if (found === null || name === undefined || !wasAsked(found.state, gate, name)) return null;
  return { ...found, link: { gate, reviewer, channel: "inbox" } };
}

/** Whether this person decides, or once did, about this gate. */
export const wasAsked = ({ reviews }: RunState, gate: Gate, name: string): boolean =>
  reviews[gate]?.reviewers.includes(name) === true || reviews[gate]?.left.some(({ reviewer }) => reviewer === name) === true;

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

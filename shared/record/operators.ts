// The record of what operators did: a run of events for each month, so that a whole month can be
// deleted, each continuing the one before.

import { macOf, bytesToHex, utf8ToBytes } from "../encoding.ts";
import type { SigningKeys } from "../sealed-id.ts";
import { type ActsEnd, type Operator, type OperatorFact, type RecordEvent, firstGap, numberEvents } from "./record.ts";

const prefix = "operators/";

/** The month of UTC at this time (Unix milliseconds): `2026-11`. */
export const monthAt = (at: number): string => new Date(at).toISOString().slice(0, 7);

/** The run that a month's acts are in the record: `operators/2026-11`. */
export const actsOfMonth = (month: string): string => `${prefix}${month}`;

export const areActs = (run: string): boolean => run.startsWith(prefix);

/**
 * The next events. The first of a month names the last of the month before and the tree of its log,
 * so that a change of either is noticed.
 */
export function nextActs(last: ActsEnd | null, at: number, facts: readonly OperatorFact[]): RecordEvent[] {
  const run = actsOfMonth(monthAt(at));
  // Where the clock went back, the later month goes on.
  if (last !== null && last.run >= run) return numberEvents(last.run, last, at, facts);
  const continued = last === null ? [] : [{ kind: "continued", ...last } as const];
  return numberEvents(run, null, at, [...continued, ...facts]);
}

/**
 * The operator of an admin token. The fingerprint is a MAC of the token by the gateway's key: the
 * record tells two tokens apart, and a reader of the record cannot test guesses against it.
 */
export const tokenOperator = (keys: SigningKeys, token: string): Operator => ({
  kind: "adminToken",
  fingerprint: bytesToHex(macOf(keys[0].bytes, "countersign/operator/v1", utf8ToBytes(token)).subarray(0, 6)),
});

/**
 * What is wrong with a month's acts. `at`: the number of the event from which on they cannot be
 * relied on.
 */
type ActsIssue = {
  /**
   * `changed`: an event was changed, or one before it taken out. `cutOff`: the last ones are
   * missing. `monthBefore`: its last ones are, or one of it was changed.
   */
  readonly kind: "changed" | "cutOff" | "monthBefore";
  readonly at: number;
};

/** What a log says of the events of a month: the last of them, and the first that it has not so. */
export type LoggedActs = { readonly lastSeq: number; readonly changedAt: number | null };

type KnownActs = {
  /** The month's run. */
  readonly run: string;
  /** The end of the newest month, as its writer has it; null where nothing was ever written. */
  readonly sent: ActsEnd | null;
  readonly logged: LoggedActs;
  /** The month that this one continues; null where it is no longer stored. */
  readonly before: LoggedActs | null;
};

/** The first issue of a month's acts, of which `events` are all, in order; null where none is. */
export function findActsIssue(events: readonly RecordEvent[], { run, sent, logged, before }: KnownActs): ActsIssue | null {
  const gap = firstGap(events);
  if (gap !== null || logged.changedAt !== null) return { kind: "changed", at: Math.min(gap ?? Infinity, logged.changedAt ?? Infinity) };
  if (sent?.run === run && events.length < sent.seq) return { kind: "cutOff", at: events.length + 1 };
  const fact = events[0]?.fact;
  const isOther = fact?.kind === "continued" && before !== null && (before.lastSeq !== fact.seq || before.changedAt !== null);
  return isOther ? { kind: "monthBefore", at: 1 } : null;
}

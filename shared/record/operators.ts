// The record of what operators did: one chain for each month, so that a whole month can be deleted,
// each continuing the one before.

import { macOf, bytesToHex, utf8ToBytes } from "../encoding.ts";
import type { SigningKeys } from "../sealed-id.ts";
import { type Operator, type OperatorFact, type RecordEvent, chainEvents, firstBrokenEvent } from "./record.ts";

const prefix = "operators/";

/** The month of UTC at this time (Unix milliseconds): `2026-11`. */
export const monthAt = (at: number): string => new Date(at).toISOString().slice(0, 7);

/** The chain of a month: `operators/2026-11`. */
export const chainOfMonth = (month: string): string => `${prefix}${month}`;

export const isOperatorChain = (chain: string): boolean => chain.startsWith(prefix);

export type ChainEnd = { readonly run: string; readonly seq: number; readonly hash: string };

/**
 * The next events. The first of a month names the last of the month before, so that removing that
 * one is noticed.
 */
export function chainActs(last: ChainEnd | null, at: number, facts: readonly OperatorFact[]): RecordEvent[] {
  const chain = chainOfMonth(monthAt(at));
  // Where the clock went back, the later month goes on.
  if (last !== null && last.run >= chain) return chainEvents(last.run, last, at, facts);
  const continued = last === null ? [] : [{ kind: "continued", chain: last.run, seq: last.seq, hash: last.hash } as const];
  return chainEvents(chain, null, at, [...continued, ...facts]);
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
 * What is wrong with a chain. `at`: the number of the event from which on it cannot be relied on.
 */
type ChainIssue = {
  /**
   * `changed`: an event was changed, or one before it taken out. `cutOff`: the last ones are
   * missing. `monthBefore`: its last ones are.
   */
  readonly kind: "changed" | "cutOff" | "monthBefore";
  readonly at: number;
};

/**
 * The first issue of a month's chain; null where there is none.
 * @param events All of the chain, in order.
 * @param sent The end of the newest chain, as its writer has it; null where nothing was ever
 *   written.
 * @param lastBefore The end of the chain that this one continues; null where that one is no longer
 *   stored.
 */
export function checkChain(
  events: readonly RecordEvent[],
  { chain, sent, lastBefore }: { readonly chain: string; readonly sent: ChainEnd | null; readonly lastBefore: ChainEnd | null },
): ChainIssue | null {
  const broken = firstBrokenEvent(events);
  if (broken !== null) return { kind: "changed", at: broken };
  if (sent?.run === chain && events[sent.seq - 1]?.hash !== sent.hash) return { kind: "cutOff", at: Math.min(events.length + 1, sent.seq) };
  const fact = events[0]?.fact;
  const isOther = fact?.kind === "continued" && lastBefore !== null && (lastBefore.seq !== fact.seq || lastBefore.hash !== fact.hash);
  return isOther ? { kind: "monthBefore", at: 1 } : null;
}

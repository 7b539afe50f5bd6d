// The record of what operators did: one chain for the gateway, a link a month, so that a month goes as a whole when its time is over.

import { macOf, bytesToHex, utf8ToBytes } from "../encoding.ts";
import type { SigningKeys } from "../sealed-id.ts";
import { type Operator, type OperatorFact, type RecordEvent, chainEvents } from "./record.ts";

const prefix = "operators/";

/** The chain that takes what operators do at this time: `operators/2026-11`, in UTC. */
const operatorChainAt = (at: number): string => `${prefix}${new Date(at).toISOString().slice(0, 7)}`;

export const isOperatorChain = (chain: string): boolean => chain.startsWith(prefix);

/** The end of the chain so far. */
export type ChainEnd = { readonly run: string; readonly seq: number; readonly hash: string };

/** The next events of the gateway's chain. The first of a month names the end of the month before, which so cannot lose its end unnoticed. */
export function chainActs(last: ChainEnd | null, at: number, facts: readonly OperatorFact[]): RecordEvent[] {
  const chain = operatorChainAt(at);
  // A clock that went back does not begin an earlier month again.
  if (last !== null && last.run >= chain) return chainEvents(last.run, last, at, facts);
  const continued = last === null ? [] : [{ kind: "continued", chain: last.run, seq: last.seq, hash: last.hash } as const];
  return chainEvents(chain, null, at, [...continued, ...facts]);
}

/**
 * Who an operator is that came with the admin token: a MAC of it by the gateway's own key, so that the record tells two tokens apart and
 * nobody who has the record can try guesses against it.
 */
export const tokenOperator = (keys: SigningKeys, token: string): Operator => ({
  kind: "adminToken",
  fingerprint: bytesToHex(macOf(keys[0].bytes, "countersign/operator/v1", utf8ToBytes(token)).subarray(0, 6)),
});

// The record of what operators did: one chain for each month, so that a whole month can be deleted, each continuing the one before.

import { macOf, bytesToHex, utf8ToBytes } from "../encoding.ts";
import type { SigningKeys } from "../sealed-id.ts";
import { type Operator, type OperatorFact, type RecordEvent, chainEvents } from "./record.ts";

const prefix = "operators/";

/** The chain at this time (Unix milliseconds): `operators/2026-11`, in UTC. */
const operatorChainAt = (at: number): string => `${prefix}${new Date(at).toISOString().slice(0, 7)}`;

export const isOperatorChain = (chain: string): boolean => chain.startsWith(prefix);

export type ChainEnd = { readonly run: string; readonly seq: number; readonly hash: string };

/** The next events. The first of a month names the last of the month before, so that removing that one is noticed. */
export function chainActs(last: ChainEnd | null, at: number, facts: readonly OperatorFact[]): RecordEvent[] {
  const chain = operatorChainAt(at);
  // Where the clock went back, the later month goes on.
  if (last !== null && last.run >= chain) return chainEvents(last.run, last, at, facts);
  const continued = last === null ? [] : [{ kind: "continued", chain: last.run, seq: last.seq, hash: last.hash } as const];
  return chainEvents(chain, null, at, [...continued, ...facts]);
}

/**
 * The operator of an admin token. The fingerprint is a MAC of the token by the gateway's key: the record tells two tokens apart, and
 * a reader of the record cannot test guesses against it.
 */
export const tokenOperator = (keys: SigningKeys, token: string): Operator => ({
  kind: "adminToken",
  fingerprint: bytesToHex(macOf(keys[0].bytes, "countersign/operator/v1", utf8ToBytes(token)).subarray(0, 6)),
});

// The calls of a BudgetObject and their values. It imports no object.

import type { Settlement, Usage } from "../../shared/budget/account.ts";
import type { Allowance } from "../../shared/budget/budgets.ts";

export type ReserveInput = {
  readonly allowance: Allowance;
  /** Names the reservation; twice with one id is the same as once. */
  readonly id: string;
  /** In the allowance's unit, at least 1. */
  readonly amount: number;
  /** For how long an attempt may be under way. */
  readonly leaseMs: number;
  /** How much a share is to have; 0: none is wanted. */
  readonly wanted: number;
};

/** `endsAt`: of the day or month that it counts for, in Unix milliseconds. */
export type ReserveAnswer =
  | { readonly kind: "reserved"; readonly endsAt: number; readonly share: { readonly id: string; readonly amount: number } | null }
  | { readonly kind: "usedUp"; readonly endsAt: number };

/** A budget in the current day or month. Times in Unix milliseconds. */
export type BudgetUsage = Usage & { readonly startsAt: number; readonly endsAt: number };

export interface BudgetCalls extends Rpc.DurableObjectBranded {
  /**
   * Takes an amount out of the budget, and a share where one is wanted and enough is left. It is
   * stored before the answer leaves.
   */
  reserve(input: ReserveInput): ReserveAnswer;
  /** Settles reservations and shares. Twice is the same as once. */
  settle(settlements: readonly Settlement[]): void;
  /** How much of the budget is used now. */
  usage(allowance: Allowance): BudgetUsage;
}

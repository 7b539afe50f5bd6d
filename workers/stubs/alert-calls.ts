// The calls of the AlertObject and their values. It imports no object.

import type { Allowance } from "../../shared/budget/budgets.ts";
import type { JsonOf } from "../../shared/json/json-of.ts";

/** `wanted`: in the allowance's unit, what a call may cost of which there is less; at least 1. */
export type UsedUp = Allowance & { readonly wanted: number };

export interface AlertCalls extends Rpc.DurableObjectBranded {
  /** Something failed: looks in a few seconds whether operators are to be told. Twice is once. */
  look(): void;
  /** A budget has less left than is wanted of it. Twice is the same as once. */
  usedUp(used: JsonOf<UsedUp>): void;
}

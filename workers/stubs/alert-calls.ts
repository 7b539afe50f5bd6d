// The calls of the AlertObject and their values. It imports no object.

import type { Allowance } from "../../shared/budget/budgets.ts";
import type { JsonOf } from "../../shared/json/json-of.ts";

export interface AlertCalls extends Rpc.DurableObjectBranded {
  /** Something failed: looks in a few seconds whether operators are to be told. Twice is once. */
  look(): void;
  /** All of an amount is used. Twice is the same as once. */
  usedUp(allowance: JsonOf<Allowance>): void;
}

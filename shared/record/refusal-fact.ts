// What the record keeps of a refusal: its kind, and evidence in our own words and numbers. Nothing of what was asked.

import { unreachable } from "../result.ts";
import type { Refusal } from "../model/outcome.ts";
import { providersWord } from "./record.ts";

/** Refusals whose evidence repeats something of the request, or may be long. */
type Reduced = "notSingleRequest" | "unknownMethod" | "invalidParams" | "toolResultMissing" | "toolResultsMixed" | "noModel";

export type RefusalFact =
  | Exclude<Refusal, { readonly kind: Reduced }>
  | { readonly kind: "notSingleRequest" | "toolResultMissing" | "toolResultsMixed" }
  | { readonly kind: "unknownMethod"; readonly method: string }
  /** How many places were wrong. */
  | { readonly kind: "invalidParams"; readonly errors: number }
  | {
      readonly kind: "noModel";
      /** The first of them, and how many there are. */
      readonly reasons: readonly { readonly model: string; readonly reason: string }[];
      readonly models: number;
      readonly named: boolean;
    };

/** A routing table may be long; the first models in its order say enough. */
const mostReasons = 8;

/**
 * A refusal as the record keeps it. A pointer into the params is left out, since a member's name is the requestor's own text; of a
 * method's name that is no name, only that it is none.
 */
export function refusalFact(refusal: Refusal): RefusalFact {
  switch (refusal.kind) {
    case "notSingleRequest":
    case "toolResultMissing":
    case "toolResultsMixed":
      return { kind: refusal.kind };
    case "unknownMethod":
      return { kind: "unknownMethod", method: providersWord(refusal.method) };
    case "invalidParams":
      return { kind: "invalidParams", errors: refusal.errors.length };
    case "noModel":
      return {
        kind: "noModel",
        reasons: refusal.reasons.slice(0, mostReasons).map(({ model, reason }) => ({ model, reason })),
        models: refusal.reasons.length,
        named: refusal.named === true,
      };
    case "notJson":
    case "unauthorized":
    case "wrongScope":
    case "issuerUnavailable":
    case "configurationUnavailable":
    case "tooLarge":
    case "notJsonType":
    case "notAssociated":
    case "sameIdOtherParams":
    case "rateLimited":
    case "tooManyRounds":
    case "flooded":
    case "budgetUsedUp":
    case "policyRefused":
    case "ownerUnknown":
    case "functionUnavailable":
    case "unknownTask":
    case "noLongerKept":
    case "taskEnded":
    case "broken":
      return refusal;
    default:
      return unreachable(refusal);
  }
}

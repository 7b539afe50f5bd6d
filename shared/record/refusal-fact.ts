// A refusal for the record: its kind, and evidence in our own words and numbers, nothing of the
// content.

import { unreachable } from "../result.ts";
import type { Refusal } from "../model/outcome.ts";
import { type ReasonPhrase, reasonText } from "../words/reasons.ts";
import { providersWord } from "./record.ts";

/** Refusals whose evidence repeats parts of the request, or may be long. */
type Reduced =
  | "notSingleRequest"
  | "unknownMethod"
  | "invalidParams"
  | "toolResultMissing"
  | "toolResultsMixed"
  | "noModel"
  | "policyRefused"
  | "ownerUnknown";

export type RefusalFact =
  | Exclude<Refusal, { readonly kind: Reduced }>
  | { readonly kind: "notSingleRequest" | "toolResultMissing" | "toolResultsMixed" }
  | { readonly kind: "unknownMethod"; readonly method: string }
  | { readonly kind: "invalidParams"; readonly errors: number }
  | { readonly kind: "policyRefused" | "ownerUnknown"; readonly rule: string }
  | {
      readonly kind: "noModel";
      /** Of the first eight; `models` is the number of all. `why`: the first one's reason. */
      readonly reasons: readonly { readonly model: string; readonly reason: string }[];
      readonly why: ReasonPhrase | null;
      readonly models: number;
      readonly named: boolean;
    };

const mostReasons = 8;

/**
 * A refusal for the record. Pointers into the params are left out, because member names are the
 * requestor's text; a method goes through `providersWord`.
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
        reasons: refusal.reasons.slice(0, mostReasons).map(({ model, why }) => ({ model, reason: reasonText(why) })),
        why: refusal.reasons[0]?.why ?? null,
        models: refusal.reasons.length,
        named: refusal.named === true,
      };
    case "policyRefused":
    case "ownerUnknown":
      return { kind: refusal.kind, rule: refusal.rule };
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
    case "stopped":
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

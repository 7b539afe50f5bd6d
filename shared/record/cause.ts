// Why a request got no reply: as its line has it, and as words that tell an operator what went wrong and what to do. Kinds, numbers and our
// own names, nothing of the content. What the requestor is told is in describe.ts.

import type { Gate } from "../model/gate.ts";
import type { Attempt, ProviderError } from "../model/call.ts";
import type { CancelCause, Refusal } from "../model/outcome.ts";
import { causesEn } from "./causes-en.ts";
import type { RefusalFact } from "./refusal-fact.ts";

export type FailedAttempt = Pick<Attempt, "model" | "provider"> & Pick<ProviderError, "kind" | "status" | "detail">;

export type Cause =
  | { readonly kind: "refused"; readonly reason: RefusalFact }
  | { readonly kind: "refusedMany"; readonly reason: Refusal["kind"]; readonly count: number }
  | { readonly kind: "rejected"; readonly gate: Gate; readonly by: string }
  | { readonly kind: "expired" | "undeliverable"; readonly gate: Gate }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  /** `tried`: the number of attempts. `last`: null where there was none. */
  | { readonly kind: "failed"; readonly tried: number; readonly last: FailedAttempt | null }
  | { readonly kind: "contentUnreadable" }
  | { readonly kind: "broken"; readonly quote: string };

export function failedCause(attempts: readonly Attempt[]): Cause {
  const last = attempts.at(-1);
  if (last === undefined) return { kind: "failed", tried: 0, last: null };
  const { model, provider, fault } = last;
  const { kind, status, detail } = fault;
  return {
    kind: "failed",
    tried: attempts.length,
    last: { model, provider, kind, ...(status === undefined ? {} : { status }), ...(detail === undefined ? {} : { detail }) },
  };
}

/** What went wrong, and what to do about it: each a sentence without its full stop. Paths under /admin stand for the operator's documents. */
export type Explained = readonly [what: string, fix: string];

type OfKind<T, Kind> = T extends { readonly kind: infer Kinds } ? (Kind extends Kinds ? T & { readonly kind: Kind } : never) : never;

/** The words of every cause in one language: a missing one does not compile. */
export type CauseWords = {
  readonly causes: { readonly [K in Exclude<Cause["kind"], "refused">]: (cause: OfKind<Cause, K>) => Explained };
  readonly refusals: { readonly [K in RefusalFact["kind"]]: (reason: OfKind<RefusalFact, K>) => Explained };
};

export function explainCause(cause: Cause, { causes, refusals }: CauseWords): Explained {
  // Each function takes the very kind that it stands under.
  if (cause.kind === "refused") return (refusals[cause.reason.kind] as (reason: RefusalFact) => Explained)(cause.reason);
  return (causes[cause.kind] as (of: Cause) => Explained)(cause);
}

/** What went wrong and what to do about it, in one English sentence for an operator. */
export const causeSentence = (cause: Cause): string => `${explainCause(cause, causesEn).join("; ")}.`;

// Why a request got no reply: as its line has it, and as words that tell an operator what went
// wrong and what to do. Kinds, numbers and our own names, nothing of the content. What the
// requestor is told is in describe.ts.

import type { AnswerFault } from "../model/call.ts";
import type { Gate } from "../model/gate.ts";
import type { CancelCause, Refusal } from "../model/outcome.ts";
import { causesEn } from "./causes-en.ts";
import { type FailedCause, type FailureReason, type ModelFailure, failedModels, failedReasons, reasonOf } from "./failed-models.ts";
import type { RefusalFact } from "./refusal-fact.ts";

export type Cause =
  | { readonly kind: "refused"; readonly reason: RefusalFact }
  | { readonly kind: "refusedMany"; readonly reason: Refusal["kind"]; readonly count: number }
  | { readonly kind: "rejected"; readonly gate: Gate; readonly by: string }
  | { readonly kind: "expired" | "undeliverable"; readonly gate: Gate }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  | FailedCause
  | { readonly kind: "contentUnreadable" }
  | { readonly kind: "broken"; readonly quote: string };

/**
 * What went wrong, and what to do about it: each a sentence without its full stop. More than one
 * thing to do where models failed in more than one way, the cause first. Paths under /admin stand
 * for the operator's documents.
 */
export type Explained = readonly [what: string, fix: string, ...more: string[]];

type OfKind<T, Kind> = T extends { readonly kind: infer Kinds } ? (Kind extends Kinds ? T & { readonly kind: Kind } : never) : never;

/** The words of every cause in one language: a missing one does not compile. */
export type CauseWords = {
  readonly causes: { readonly [K in Exclude<Cause["kind"], "refused" | "failed">]: (cause: OfKind<Cause, K>) => Explained };
  readonly failed: FailedWords;
  readonly refusals: { readonly [K in RefusalFact["kind"]]: (reason: OfKind<RefusalFact, K>) => Explained };
};

type FailedWords = {
  /** After a model's name: what it did, and how to fix it. */
  readonly reasons: Readonly<Record<FailureReason, Explained>>;
  readonly answerFaults: Readonly<Record<AnswerFault, string>>;
  /** An answer that has no fault of its own name. */
  readonly notAsSpecified: string;
  readonly about: (status: number) => string;
  readonly because: (fault: string) => string;
  /** Between what one model did, and between models. */
  readonly then: string;
  readonly between: string;
  readonly one: (model: string, provider: string, what: string) => string;
  readonly oneOften: (tried: number, model: string, provider: string, what: string) => string;
  readonly several: (tried: number, what: string) => string;
  readonly models: (names: readonly string[], what: string) => string;
  readonly fixOf: (names: readonly string[], fix: string) => string;
  readonly none: Explained;
};

export function explainCause(cause: Cause, { causes, failed, refusals }: CauseWords): Explained {
  if (cause.kind === "failed") return explainFailed(cause, failed);
  // Each function takes the very kind that it stands under.
  if (cause.kind === "refused") return (refusals[cause.reason.kind] as (reason: RefusalFact) => Explained)(cause.reason);
  return (causes[cause.kind] as (of: Cause) => Explained)(cause);
}

function explainFailed(cause: FailedCause, words: FailedWords): Explained {
  const { tried, failures } = cause;
  const [first] = failures;
  if (first === undefined) return words.none;
  const { model, provider } = first;
  const isOneModel = failures.every((failure) => failure.model === model);
  const fixes = Map.groupBy(failedReasons(cause), ({ reason }) => words.reasons[reason][1]);
  const [fix = "", ...more] = [...fixes].map(([toDo, of]) =>
    isOneModel || fixes.size === 1 ? toDo : words.fixOf([...new Set(of.flatMap(({ models }) => models))], toDo),
  );
  const did = (): string => didWords(failures, words);
  const all = (): string =>
    failedModels(cause)
      .map((each) => words.models(each.models, didWords(each.did, words)))
      .join(words.between);
  const what =
    tried === 1
      ? words.one(model, provider, did())
      : isOneModel
        ? words.oneOften(tried, model, provider, did())
        : words.several(tried, all());
  return [what, fix, ...more];
}

/** What one model did, one after the other: it stands after the model's name. */
export const didWords = (failures: readonly ModelFailure[], words: FailedWords): string =>
  failures.map((failure) => didOnce(failure, words)).join(words.then);

function didOnce(failure: ModelFailure, { reasons, answerFaults, notAsSpecified, about, because }: FailedWords): string {
  const { kind, status, detail } = failure;
  const [what] = reasons[reasonOf(failure)];
  if (kind === "brokenAnswer") return what + because(isAnswerFault(detail, answerFaults) ? answerFaults[detail] : notAsSpecified);
  return status === undefined ? what : what + about(status);
}

const isAnswerFault = (detail: ModelFailure["detail"], faults: FailedWords["answerFaults"]): detail is AnswerFault =>
  detail !== undefined && Object.hasOwn(faults, detail);

/** What went wrong and what to do about it, in one English sentence for an operator. */
export const causeSentence = (cause: Cause): string => `${explainCause(cause, causesEn).join("; ")}.`;

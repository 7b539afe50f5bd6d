// Why a request got no reply: as its line has it, and as words that tell an operator what went
// wrong and what to do. Kinds, numbers and our own names, nothing of the content. What the
// requestor is told is in describe.ts.

import type { AnswerFault } from "../model/call.ts";
import type { Gate } from "../model/gate.ts";
import type { CancelCause, Refusal } from "../model/outcome.ts";
import { unreachable } from "../result.ts";
import { ownRuleOf } from "../policy/own-rules.ts";
import { type Text, type Texts, listText, phraseText, textOf } from "../words/text.ts";
import { causesEn } from "./causes-en.ts";
import { type FailedCause, type ModelFailure, failedModels, failedReasons, reasonOf } from "./failed-models.ts";
import type { RefusalFact } from "./refusal-fact.ts";

export type Cause =
  | { readonly kind: "refused"; readonly reason: RefusalFact }
  | { readonly kind: "refusedMany"; readonly reason: Refusal["kind"]; readonly count: number }
  | { readonly kind: "rejected"; readonly gate: Gate; readonly by: string }
  | { readonly kind: "expired" | "undeliverable"; readonly gate: Gate }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  | FailedCause
  | { readonly kind: "contentUnreadable" }
  /** The gateway was cut off before it wrote what became of the request. */
  | { readonly kind: "outcomeUnknown" }
  | { readonly kind: "broken"; readonly quote: string };

/**
 * What went wrong, and what to do about it: each a sentence without its full stop. More than one
 * thing to do where models failed in more than one way, the cause first. Paths under /admin stand
 * for the operator's documents.
 */
type Explained = readonly [what: string, fix: string, ...more: string[]];

/** The words of every cause in one language: a missing one does not compile. */
export type CauseWords = Texts<typeof causesEn>;

export function explainCause(cause: Cause, words: CauseWords): Explained {
  const { causes } = words;
  switch (cause.kind) {
    case "failed":
      return explainFailed(cause, words);
    case "refused":
      return explainRefusal(cause.reason, words);
    case "cancelled":
      return words.cancelled[cause.cause];
    case "rejected":
      return told(causes.rejected[cause.gate], { by: cause.by }, words);
    case "expired":
    case "undeliverable":
      return told(causes[cause.kind], { content: words.gates[cause.gate] }, words);
    case "refusedMany":
      return told(causes.refusedMany, { count: String(cause.count), reason: cause.reason }, words);
    case "contentUnreadable":
    case "outcomeUnknown":
      return causes[cause.kind];
    case "broken":
      return told(words.broken, { quote: cause.quote }, words);
    default:
      return unreachable(cause);
  }
}

const told = <Places extends string>(
  [what, fix]: readonly [Text<Places>, Text<Places>],
  values: Readonly<Record<NoInfer<Places>, string | number>>,
  { lang }: CauseWords,
): Explained => [textOf(what, values, lang), textOf(fix, values, lang)];

function explainRefusal(reason: RefusalFact, words: CauseWords): Explained {
  const { refusals } = words;
  switch (reason.kind) {
    case "unauthorized":
      return words.credentials[reason.why];
    case "notAssociated":
      return words.unassociated[reason.why];
    case "rateLimited":
      return told(words.limits[reason.limit], { max: String(reason.max) }, words);
    case "stopped":
      return [words.stopped[reason.scope], refusals.resume];
    case "tooLarge":
      return told(refusals[reason.unknown === true ? "tooLargeUnknown" : "tooLarge"], { limitBytes: String(reason.limitBytes) }, words);
    case "invalidParams":
      return told(refusals.invalidParams, { errors: reason.errors }, words);
    case "unknownMethod":
      return told(refusals.unknownMethod, { method: reason.method }, words);
    case "wrongScope":
      return told(refusals.wrongScope, { scope: reason.scope }, words);
    case "tooManyRounds":
      return told(refusals.tooManyRounds, { max: String(reason.max) }, words);
    case "budgetUsedUp":
      return told(refusals.budgetUsedUp, { budget: reason.budget, resetsAt: new Date(reason.resetsAt).toISOString() }, words);
    case "policyRefused":
      return told(refusals.policyRefused, { rule: ruleOf(reason.rule, words) }, words);
    case "ownerUnknown":
      return reason.rule === "default" ? refusals.ownerUnknownDefault : told(refusals.ownerUnknown, { rule: reason.rule }, words);
    case "noModel":
      return told(refusals.noModel, { why: whyNoModel(reason, words) }, words);
    case "functionUnavailable": {
      const [what, fix] = words.functions[reason.why];
      return [textOf(refusals.functionUnavailable, { name: reason.function, what }, words.lang), fix];
    }
    case "taskEnded":
      return told(refusals.taskEnded, { status: reason.status }, words);
    case "broken":
      return told(words.broken, { quote: reason.quote }, words);
    default:
      return refusals[reason.kind];
  }
}

function ruleOf(rule: string, words: CauseWords): string {
  const own = ownRuleOf(rule);
  return own === undefined ? rule : words.ownRules[own];
}

function whyNoModel(
  { reasons: [first], why, models }: Extract<RefusalFact, { readonly kind: "noModel" }>,
  { lang, modelReasons, refusals }: CauseWords,
): string {
  if (first === undefined) return refusals.noModelAtAll;
  const reason = (why === null ? undefined : phraseText(why, modelReasons, lang)) ?? first.reason;
  const others = models > 1 ? textOf(refusals.moreModels, { n: String(models - 1) }, lang) : "";
  return textOf(refusals.modelReason, { model: first.model, reason }, lang) + others;
}

function explainFailed(cause: FailedCause, words: CauseWords): Explained {
  const { lang, failed } = words;
  const { tried, failures } = cause;
  const [first] = failures;
  if (first === undefined) return failed.none;
  const { model, provider } = first;
  const isOneModel = failures.every((failure) => failure.model === model);
  const fixes = Map.groupBy(failedReasons(cause), ({ reason }) => failed.reasons[reason][1]);
  const [fix = "", ...more] = [...fixes].map(([toDo, of]) =>
    isOneModel || fixes.size === 1
      ? toDo
      : textOf(failed.fixOf, { names: namesOf([...new Set(of.flatMap(({ models }) => models))], words), fix: toDo }, lang),
  );
  const one = (text: CauseWords["failed"]["one"]): string => textOf(text, { model, provider, what: didWords(failures, words) }, lang);
  if (tried === 1) return [one(failed.first), fix, ...more];
  const each = failedModels(cause).map(({ models, did }) =>
    textOf(failed.models, { names: namesOf(models, words), what: didWords(did, words) }, lang),
  );
  const what = isOneModel ? one(failed.one) : each.join(failed.between);
  const all = tried === 2 ? textOf(failed.both, { what }, lang) : textOf(failed.all, { tried: String(tried), what }, lang);
  return [all, fix, ...more];
}

const mostNamed = 3;

/** Three names at most, and how many there are. */
function namesOf(models: readonly string[], { lang, failed }: CauseWords): string {
  const names = models.slice(0, mostNamed).map((model) => textOf(failed.name, { model }, lang));
  const more = models.length - names.length;
  if (more === 0) return listText(names, lang);
  return textOf(failed.more, { names: names.join(failed.comma), more: String(more), n: String(models.length) }, lang);
}

/** What one model did, one after the other: it stands after the model's name. */
export const didWords = (failures: readonly ModelFailure[], words: CauseWords): string =>
  failures.map((failure) => didOnce(failure, words)).join(words.failed.then);

function didOnce(failure: ModelFailure, { lang, failed: { reasons, answerFaults, notAsSpecified, about, because } }: CauseWords): string {
  const { kind, status, detail } = failure;
  const [what] = reasons[reasonOf(failure)];
  if (kind === "brokenAnswer")
    return what + textOf(because, { fault: isAnswerFault(detail, answerFaults) ? answerFaults[detail] : notAsSpecified }, lang);
  return status === undefined ? what : what + textOf(about, { status: String(status) }, lang);
}

const isAnswerFault = (detail: ModelFailure["detail"], faults: CauseWords["failed"]["answerFaults"]): detail is AnswerFault =>
  detail !== undefined && Object.hasOwn(faults, detail);

/** What went wrong and what to do about it, in one English sentence for an operator. */
export const causeSentence = (cause: Cause): string => `${explainCause(cause, causesEn).join("; ")}.`;

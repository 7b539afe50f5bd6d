// Which sentence of the catalogue says a fact of a review, for every channel. The renderer fills
// the sentence's places.

import type { SubjectKind } from "../model/subject/subject.ts";
import { type OpenState, type ReviewFacts, isQuestion } from "../review/review-facts.ts";
import type { ReviewState, ReviewView } from "../review/view.ts";
import { textOf } from "../words/text.ts";
import type { NoticeWords, ReviewWords as CommonWords } from "./words/notice-words.ts";

type ReviewWords = NoticeWords["review"];

/** The heading, without a name in it. */
export const titleWords = (
  { requestKind, gate, isOpen }: Pick<ReviewFacts, "requestKind" | "gate" | "isOpen">,
  words: ReviewWords,
): string => words.kinds[requestKind][isOpen ? "title" : "closedTitle"][gate];

/**
 * Who asks for what, with {server}, {client}, {method} and {name}; in the past tense where the tool
 * has run or the review is over.
 */
export const asksWords = ({ requestKind, isAhead }: Pick<ReviewFacts, "requestKind" | "isAhead">, words: ReviewWords): string =>
  words.kinds[requestKind][isAhead ? "asks" : "asked"];

/**
 * Whose account at the server a call is for, with {account}, {owner} and {issuer}; null where its
 * server wants no login.
 */
export function accountWords(
  { owner, account }: Pick<ReviewView["requestor"], "owner" | "account">,
  words: ReviewWords,
): { readonly sentence: string; readonly names: Readonly<Record<"account" | "owner" | "issuer", string>> } | null {
  if (account === undefined) return null;
  const { issuer, name } = account;
  return {
    sentence: name === null ? words.account.unnamed : words.account.named,
    names: { account: name ?? "", owner: owner ?? "", issuer },
  };
}

/** What is said at the gate of this kind of request. */
export const gateWords = ({ requestKind, gate }: Pick<ReviewFacts, "requestKind" | "gate">, words: ReviewWords) =>
  words.kinds[requestKind].gates[gate];

/** Until when one of several reviews in a chat waits, with {at}. */
export const digestDeadlineWords = ({ requestKind }: Pick<ReviewFacts, "requestKind">, { slack }: NoticeWords): string =>
  slack.digest[isQuestion({ requestKind }) ? "answerDeadline" : "deadline"];

/** What happens where nobody decides, with {at}. */
export const silenceWords = ({ requestKind }: Pick<ReviewFacts, "requestKind">, words: ReviewWords): string =>
  words.kinds[requestKind].silence;

/** Who is told the reason of a denial. */
export const reasonWords = ({ reason }: Pick<ReviewFacts, "reason">, words: ReviewWords): string =>
  reason === null ? words.reason.unsaid : words.reason[reason.isTold ? "told" : "kept"][reason.of];

/** US dollars, rounded upwards and never to nothing. */
export const costWords = ({ kind, usd }: NonNullable<ReviewFacts["cost"]>, { lang, numbers, review }: CommonWords): string =>
  kind === "was" || usd === 0 ? numbers.dollars(usd) : textOf(review.atMost, { cost: numbers.dollars(usd) }, lang);

/** Why it ended without a decision. */
export const causeWords = (state: Extract<ReviewState, { kind: "cancelled" | "failed" }>, words: ReviewWords): string =>
  state.kind === "cancelled" ? words.cancelled[state.cause] : words.undeliverable[state.cause];

function endedKind(state: Exclude<ReviewState, OpenState>): keyof ReviewWords["ended"]["titles"] {
  if (state.kind !== "approved") return state.kind;
  if (state.author !== undefined) return state.author === state.by ? "written" : "approvedWritten";
  return state.edited ? "approvedEdited" : "approved";
}

/** How it ended, with {by} and {at}. */
export function endedWords(
  state: Exclude<ReviewState, OpenState>,
  subject: SubjectKind,
  words: ReviewWords,
): { readonly title: string; readonly sentence: string } {
  const { form } = words;
  if (subject === "form" && (state.kind === "approved" || state.kind === "denied" || state.kind === "expired"))
    return { title: form.ended.titles[state.kind], sentence: form.ended[state.kind] };
  const kind = endedKind(state);
  return { title: words.ended.titles[kind], sentence: words.ended[kind] };
}

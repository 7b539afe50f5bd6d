// The words for the facts of a review that more than one channel says: which sentence of the catalogue it is. Places in it stay as they are.

import type { OpenState, ReviewFacts } from "../review/review-facts.ts";
import type { ReviewState } from "../review/view.ts";
import { reviewWords as words } from "./words/words.ts";

/** The heading, which names nobody. */
export const titleWords = ({ asking, gate, isOpen }: Pick<ReviewFacts, "asking" | "gate" | "isOpen">): string =>
  words.asking[asking][isOpen ? "title" : "closedTitle"][gate];

/** Who asks for what, with {server}, {client}, {method} and {name}. What has run already is no wish any more, and what is over neither. */
export const asksWords = ({ asking, isAhead }: Pick<ReviewFacts, "asking" | "isAhead">): string =>
  words.asking[asking][isAhead ? "asks" : "asked"];

/** How it stands, what waits, and what its button says. */
export const gateWords = ({ asking, gate }: Pick<ReviewFacts, "asking" | "gate">) =>
  (asking === "function" ? words.runGates : words.gates)[gate];

/** Who hears of the reason of a denial. */
export const reasonWords = ({ reason }: Pick<ReviewFacts, "reason">): string =>
  reason === null ? words.reason.unsaid : words.reason[reason.isTold ? "told" : "kept"][reason.of];

/** US dollars, rounded upwards and never to nothing. */
export const costWords = ({ kind, usd }: NonNullable<ReviewFacts["cost"]>): string =>
  kind === "was" || usd === 0 ? words.money(usd) : words.atMost.replace("{cost}", words.money(usd));

/** How it ended, with {by} and {at}. */
export function endedWords(state: Exclude<ReviewState, OpenState>): { readonly title: string; readonly sentence: string } {
  const kind = state.kind === "approved" && state.edited ? "approvedEdited" : state.kind;
  return { title: words.ended.titles[kind], sentence: words.ended[kind] };
}

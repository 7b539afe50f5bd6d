// What is said of a review that is over, or is no longer its reviewer's, in a chat: a title and a
// sentence with places.

import { isOpen } from "../review/review-facts.ts";
import type { ReviewView } from "../review/view.ts";
import { endedWords } from "./fact-words.ts";
import type { NoticeWords } from "./words/notice-words.ts";

type Ending = {
  readonly title: string;
  /** With {by}, {to} and {at}. */
  readonly sentence: string;
  readonly by: string | null;
  readonly to: string | null;
  /** Unix milliseconds; null where the sentence has no time. */
  readonly at: number | null;
};

export function endingOf({ state, left, subject, keyEnd = null }: ReviewView, { review, slack: { ended } }: NoticeWords): Ending {
  if (isOpen(state)) {
    if (left === undefined || left === null) return { title: ended.closed, sentence: ended.closedLine, by: null, to: null, at: null };
    const { to, at } = left;
    return to === null
      ? { title: ended.notMine, sentence: ended.notMineAt, by: null, to, at }
      : { title: ended.handedOver, sentence: ended.handedOverTo, by: null, to, at };
  }
  const { title, sentence } = endedWords(state, subject, review);
  const by = "by" in state ? state.by : null;
  return { title, sentence: keyEnd === null ? sentence : ended[`${keyEnd}At`], by, to: null, at: state.at };
}

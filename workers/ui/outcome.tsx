// How a review ended, at the top of its page: who, when, what, and what became of the run. It decides nothing.

import type { Child } from "hono/jsx";
import { causeWords, endedWords } from "../../shared/channels/fact-words.ts";
import { isOpen } from "../../shared/review/review-facts.ts";
import type { ReviewState, ReviewView } from "../../shared/review/view.ts";
import { Name, Plain } from "./outside-text.tsx";
import { progressOf } from "./asking-words.ts";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";
import { fill } from "./sentence.tsx";

/** The state in a word or two, for the banner's heading and the page's title. */
export const stateWords = (state: ReviewState): string => (isOpen(state) ? words.states[state.kind] : endedWords(state).title);

function explanation(state: ReviewState): Child[] {
  if (state.kind === "open") return [];
  if (state.kind === "voted") return fill(words.states.votedSoFar, { votes: String(state.votes), quorum: String(state.quorum) });
  const who: Readonly<Record<string, Child>> = "by" in state ? { by: <Name value={state.by} /> } : {};
  const sentence = fill(endedWords(state).sentence, { ...who, at: reviewWords.time(state.at) });
  return state.kind === "expired" ? [...sentence, " ", words.states.linkIsOver] : sentence;
}

function reasonOf(state: ReviewState): Child[] {
  if (state.kind === "denied" && state.reason !== null) return fill(words.states.reason, { reason: <Plain value={state.reason} /> });
  if (state.kind === "cancelled" || state.kind === "failed") return fill(words.states.why, { why: <Plain value={causeWords(state)} /> });
  return [];
}

/** What became of the run, and where an approver finds the reply. */
function afterwards(view: ReviewView): string {
  const { gate, state, progress } = view;
  if (isOpen(state)) return "";
  const { keyEnd = null } = view;
  if (keyEnd !== null)
    return state.kind === "cancelled" ? reviewWords.keyEndNothing : `${reviewWords.keyEnd[keyEnd]} ${reviewWords.keyEndNothing}`;
  const now = progressOf(view);
  if (gate === "response" || state.kind !== "approved") return now;
  if (progress === "generating") return `${now} ${words.states.replyLink}`;
  return progress === "responseReview" ? `${now} ${words.states.replyLinkSent}` : now;
}

/** What this reviewer did, where the review goes on without them or waits for others. */
export const OwnStanding = ({ view: { state, ownVote, left } }: { view: ReviewView }) => {
  if (left != null) {
    const sentence = left.to === null ? words.own.notMine : words.own.handedOver;
    return (
      <section class="outcome" role="status">
        <h2>{words.own.leftHeading}</h2>
        <p>{fill(sentence, { to: <Name value={left.to ?? ""} />, at: reviewWords.time(left.at) })}</p>
      </section>
    );
  }
  if (ownVote == null || state.kind !== "voted") return null;
  return (
    <section class="outcome approved" role="status">
      <h2>{words.own.votedHeading}</h2>
      <p>{fill(words.own.voted(state.quorum - state.votes), { at: reviewWords.time(ownVote.at) })}</p>
    </section>
  );
};

export const Outcome = ({ view }: { view: ReviewView }) => {
  const { state } = view;
  if (state.kind === "open" || (state.kind === "voted" && view.ownVote != null)) return null;
  const reason = reasonOf(state);
  const after = afterwards(view);
  return (
    <section class={`outcome ${state.kind}`} role="status">
      <h2>{stateWords(state)}</h2>
      <p>{explanation(state)}</p>
      {reason.length === 0 ? null : <p>{reason}</p>}
      {after === "" ? null : <p>{after}</p>}
    </section>
  );
};

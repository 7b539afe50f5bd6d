// How a review ended, on top of its page: who, when, what, and what became of it. It decides nothing.

import type { Child } from "hono/jsx";
import { unreachable } from "../../shared/result.ts";
import type { ReviewState, ReviewView } from "../../shared/review/view.ts";
import { Name, Plain } from "./outside-text.tsx";
import { progressOf } from "./asking-words.ts";
import { keyEndWords, reviewWords as words, timeWords } from "./review-words.ts";
import { fill } from "./sentence.tsx";
import { isOpen } from "./standing.ts";

/** The state in a word or two: the banner's heading and the page's title. */
export function stateWords(state: ReviewState): string {
  return state.kind === "approved" && state.edited ? words.states.approvedEdited : words.states[state.kind];
}

function explanation(state: ReviewState): Child[] {
  switch (state.kind) {
    case "open":
      return [];
    case "voted":
      return fill(words.states.votedSoFar, { votes: String(state.votes), quorum: String(state.quorum) });
    case "approved":
    case "denied":
      return fill(words.states.byAt, { by: <Name value={state.by} />, at: timeWords(state.at) });
    case "expired":
      return fill(words.states.expiredAt, { at: timeWords(state.at) });
    case "cancelled":
      return fill(words.states.cancelledAt, { at: timeWords(state.at) });
    case "failed":
      return fill(words.states.failedAt, { at: timeWords(state.at) });
    default:
      return unreachable(state);
  }
}

function reasonOf(state: ReviewState): Child[] {
  if (state.kind === "denied" && state.reason !== null) return fill(words.states.reason, { reason: <Plain value={state.reason} /> });
  if (state.kind === "cancelled" || state.kind === "failed") return fill(words.states.why, { why: <Plain value={state.why} /> });
  return [];
}

/** What became of it, and where an approver will find the reply. */
function afterwards(view: ReviewView): string {
  const { gate, state, progress } = view;
  if (isOpen(state)) return "";
  const { keyEnd = null } = view;
  if (keyEnd !== null) return state.kind === "cancelled" ? keyEndWords.nothing : `${keyEndWords[keyEnd]} ${keyEndWords.nothing}`;
  const now = progressOf(view);
  if (gate === "response" || state.kind !== "approved") return now;
  if (progress === "generating") return `${now} ${words.states.replyLink}`;
  return progress === "responseReview" ? `${now} ${words.states.replyLinkSent}` : now;
}

/** What this reviewer did themselves, where the review goes on without them or waits for others. */
export const OwnStanding = ({ view: { state, ownVote, left } }: { view: ReviewView }) => {
  if (left != null) {
    const sentence = left.to === null ? words.own.notMine : words.own.handedOver;
    return (
      <section class="outcome" role="status">
        <h2>{words.own.leftHeading}</h2>
        <p>{fill(sentence, { to: <Name value={left.to ?? ""} />, at: timeWords(left.at) })}</p>
      </section>
    );
  }
  if (ownVote == null || state.kind !== "voted") return null;
  return (
    <section class="outcome approved" role="status">
      <h2>{words.own.votedHeading}</h2>
      <p>{fill(words.own.voted(state.quorum - state.votes), { at: timeWords(ownVote.at) })}</p>
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

// How a review ended, at the top of its page: who, when, what, and what became of the run. It
// decides nothing.

import type { Child } from "hono/jsx";
import { causeWords } from "../../shared/channels/fact-words.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { isOpen, callIn } from "../../shared/review/review-facts.ts";
import { mayDecide } from "../../shared/review/permissions.ts";
import type { ReviewState, ReviewView } from "../../shared/review/view.ts";
import { paths } from "../platform/urls.ts";
import { progressOf } from "./request-kind-words.ts";
import { otherVoters } from "./decision.tsx";
import { Icon } from "./icons.tsx";
import { Known } from "./known.tsx";
import { useWords } from "./language.ts";
import { People, Person, Time } from "./names.tsx";
import { Name, OutsideText, Plain } from "./outside-text.tsx";
import { fill } from "./sentence.tsx";
import { Step } from "./step.tsx";

const kinds = {
  open: { style: "", icon: "info" },
  voted: { style: "ok", icon: "check" },
  approved: { style: "ok", icon: "check" },
  denied: { style: "bad", icon: "cross" },
  expired: { style: "mind", icon: "clock" },
  cancelled: { style: "", icon: "undo" },
  failed: { style: "bad", icon: "cross" },
} as const satisfies Record<ReviewState["kind"], object>;

/** Everybody whose vote made the outcome. */
function decidersOf({ state, votes = [] }: ReviewView): string[] {
  if (state.kind === "approved") return votes.map(({ by }) => by);
  return state.kind === "denied" ? [state.by] : [];
}

/** When, and how each of them was known; of a decision of an older version that is not kept. */
const Decided = ({ view: { state, votes = [], reviewer, now }, at }: { view: ReviewView; at: number }) => {
  const { page, review } = useWords();
  const { marks } = review;
  const deciders: NonNullable<ReviewView["votes"]> = state.kind === "approved" ? votes : state.kind === "denied" ? [state] : [];
  const known = deciders.flatMap((each) =>
    each.known === undefined
      ? []
      : [
          {
            by: each.by,
            said: (
              <>
                <Known of={each.known} />
                {each.isByPasskey === true ? `${marks.comma}${page.passkey.confirmed}` : ""}
              </>
            ),
          },
        ],
  );
  const [only] = known;
  const time = <Time at={at} now={now} exact />;
  // The heading has the name of the only one.
  if (only !== undefined && deciders.length === 1) return <p>{fill(page.states.atKnown, { at: time, known: only.said })}</p>;
  return (
    <>
      <p>{fill(page.states.at, { at: time })}</p>
      {known.map(({ by, said }) => (
        <p class="soft">
          <Person name={by} reader={reviewer} />
          {marks.colon}
          {said}
        </p>
      ))}
    </>
  );
};

/** Who wrote the approved reply, and who approved it. To write it was to approve it. */
export const WrittenApproved = ({ author, names, reader }: { author: string; names: readonly string[]; reader: string }) => {
  const { approved, ownApproved } = useWords().page.written;
  const others = names.filter((name) => name !== author);
  return (
    <>
      {fill(others.length === 0 ? ownApproved : approved, {
        author: <People names={[author]} reader={reader} joined="and" />,
        by: <People names={others} reader={reader} joined="and" />,
      })}
    </>
  );
};

function headingOf(view: ReviewView, { page }: Words): Child {
  const { states } = page;
  const { state, reviewer } = view;
  const by = <People names={decidersOf(view)} reader={reviewer} joined="and" />;
  const author = view.written?.by;
  const isAsWritten = view.subject === "form" ? false : view.gate === "request" || (state.kind === "approved" && !state.edited);
  if (state.kind === "approved" && author !== undefined && isAsWritten) {
    return <WrittenApproved author={author} names={decidersOf(view)} reader={reviewer} />;
  }
  if (view.subject === "form") return formHeading(view, page, by);
  if (state.kind === "approved") return fill(state.edited ? states.approvedEdited : states.approved, { by });
  return state.kind === "denied" ? fill(states.denied, { by }) : states[state.kind];
}

/** A no is somebody's word; that a form was put away, or that nobody came, is none. */
function formHeading({ state }: ReviewView, { form, states }: Words["page"], by: Child): Child {
  if (state.kind === "approved" || state.kind === "denied") return fill(form.states[state.kind], { by });
  return state.kind === "cancelled" && state.cause === "dismissed" ? form.states.dismissed : states[state.kind];
}

function reasonOf({ state, subject }: ReviewView, { page: { states, form }, review }: Words): Child[] {
  if (state.kind === "denied" && state.reason !== null) return fill(states.reason, { reason: <Plain value={state.reason} /> });
  if (state.kind === "cancelled" || state.kind === "failed") return fill(states.why, { why: <Plain value={causeWords(state, review)} /> });
  return state.kind === "expired" ? [subject === "form" ? form.states.expired : states.expiredAt] : [];
}

/** What became of the run, and where an approver finds the reply. */
function afterwards(view: ReviewView, words: Words): string {
  const { gate, state, progress } = view;
  const { states } = words.page;
  if (isOpen(state)) return "";
  const { keyEnd = null } = view;
  const { keyEnd: keyEndWords, keyEndNothing } = words.review;
  if (keyEnd !== null) return state.kind === "cancelled" ? keyEndNothing : `${keyEndWords[keyEnd]} ${keyEndNothing}`;
  const now = progressOf(view, words);
  if (gate === "response" || state.kind !== "approved") return now;
  if (progress === "generating") return `${now} ${states.replyLink}`;
  return progress === "responseReview" ? `${now} ${states.replyLinkSent}` : now;
}

/** What this reviewer did, where the review goes on without them or waits for others. */
export const OwnDecision = ({ view }: { view: ReviewView }) => {
  const { page } = useWords();
  const { own } = page;
  const { state, ownVote, left, now, reviewer } = view;
  // Of a review that is over the outcome says all.
  if (!isOpen(state)) return null;
  if (left != null) {
    const sentence = left.to === null ? own.notMine : own.handedOver;
    return (
      <section class="note own" role="status">
        <Icon of="info" />
        <div>
          <h2>{own.leftHeading}</h2>
          <p>{fill(sentence, { to: <Person name={left.to ?? ""} reader={reviewer} />, at: <Time at={left.at} now={now} /> })}</p>
        </div>
      </section>
    );
  }
  if (ownVote == null || state.kind !== "voted") return null;
  const missing = state.quorum - state.votes;
  const { votes, quorum } = state;
  const by = <People names={(view.votes ?? []).map((vote) => vote.by)} reader={reviewer} joined="and" />;
  const others = <People names={otherVoters(view)} reader={reviewer} joined="or" />;
  return (
    <section class="note ok own" role="status">
      <Icon of="check" />
      <div>
        <h2>{fill(own.votedHeading, { n: missing })}</h2>
        <ol class="path">
          <Step as="ok" at={<Time at={ownVote.at} now={now} exact />}>
            {fill(page.votes.soFar, { by, votes: String(votes), quorum: String(quorum) })}
          </Step>
          <Step as="now" at={fill(own.until, { at: <Time at={view.deadlineAt} now={now} /> })}>
            {fill(page.decide.moreVotes[missing === 1 ? "one" : "some"], { n: missing, others })}
          </Step>
        </ol>
      </div>
    </section>
  );
};

/**
 * Who handed the review to this reviewer. Their note is a person's text, and stands in stripes like
 * all text that is not ours.
 */
export const HandedOver = ({ view }: { view: ReviewView }) => {
  const { recuse } = useWords().page;
  if (view.handedBy == null || !mayDecide(view)) return null;
  const { by, at, note } = view.handedBy;
  const line = fill(recuse.handedToYou, { by: <Name value={by} />, at: <Time at={at} now={view.now} /> });
  return (
    <section class="parts handed">
      <p class="origin">
        <span>{line}</span>
      </p>
      {note === null ? null : <OutsideText text={note} />}
    </section>
  );
};

/** For whom this reviewer is asked. */
export const StandsIn = ({ view }: { view: ReviewView }) => {
  const { page } = useWords();
  const { standsInFor, reviewer } = view;
  if (standsInFor === undefined || !mayDecide(view)) return null;
  return <p class="note">{fill(page.standsInFor, { people: <People names={standsInFor} reader={reviewer} joined="and" /> })}</p>;
};

/** That the rule's juror did not let the call pass, with its own words. */
export const Raised = ({ view }: { view: ReviewView }) => {
  const { raised } = callIn(view);
  const { page } = useWords();
  // Outside its bounds it is not asked: people are, as without it.
  if (raised === undefined || raised.why === "outOfBounds") return null;
  return (
    <section class="parts handed">
      <p class="origin">
        <span>{fill(page.raised[raised.why], { model: <Name value={raised.model} /> })}</span>
      </p>
      {raised.reason === null ? null : <OutsideText text={raised.reason} />}
    </section>
  );
};

/** `uncounted`: why the reader's own form, which came after it, did not count. */
export const Outcome = ({ view, uncounted }: { view: ReviewView; uncounted?: string | undefined }) => {
  const words = useWords();
  const { state } = view;
  if (isOpen(state)) return null;
  const reason = reasonOf(view, words);
  const after = afterwards(view, words);
  const { style, icon } = kinds[state.kind];
  return (
    <section
      class={`note outcome ${style}`}
      {...(uncounted === undefined ? { role: "status" } : { role: "alert", tabindex: -1, id: "problem", autofocus: true })}
    >
      <Icon of={icon} />
      <div>
        <h2>{headingOf(view, words)}</h2>
        {uncounted === undefined ? null : <p>{uncounted}</p>}
        <Decided view={view} at={state.at} />
        {reason.length === 0 ? null : <p>{reason}</p>}
        {after === "" ? null : <p>{after}</p>}
        {state.kind === "approved" && view.subject === "toolCall" && view.gate === "request" ? (
          <p>
            <a href={`${paths.console}/requests/${view.run}`}>{words.page.states.askLess}</a>{" "}
            <span class="soft">{words.page.states.askLessHint}</span>
          </p>
        ) : null}
      </div>
    </section>
  );
};

// From the request's approval to the review of the reply in one place: what happened, what happens
// now, and where to go on. Only in the browser that approved the request.

import { type ReviewFacts, isFromServer, servedBy } from "../../shared/review/review-facts.ts";
import type { NextStep, ReviewView } from "../../shared/review/view.ts";
import { costOf, HeadingWords, Left } from "./lead.tsx";
import { type InboxMark, useInboxLink } from "./document.tsx";
import { useWords } from "./language.ts";
import { People, Person, Time } from "./names.tsx";
import { Name } from "./outside-text.tsx";
import { usageWords } from "./reply-content.tsx";
import { WrittenApproved } from "./outcome.tsx";
import { fill } from "./sentence.tsx";
import { Step } from "./step.tsx";

type NextProps = { readonly view: ReviewView; readonly facts: ReviewFacts; readonly next: NextStep };

/** The words of a model's answer or of a tool's run, and what stands in their places. */
function useNextWords({ view, facts }: Pick<NextProps, "view" | "facts">) {
  const { kinds } = useWords().review;
  const { requestor, votes = [], reviewer } = view;
  const values = {
    model: <Name value={servedBy(facts)} />,
    name: <Name value={requestor.name} />,
    server: <Name value={requestor.server} />,
    to: <Name value={isFromServer(facts) ? requestor.server : requestor.client} />,
    by: <People names={votes.map(({ by }) => by)} reader={reviewer} joined="and" />,
  };
  return { words: kinds[facts.requestKind].next, values };
}

/** "You approved the prompt. The reply is here." */
export const NextHeading = ({ view, facts, next }: NextProps) => {
  const { words, values } = useNextWords({ view, facts });
  const { page } = useWords();
  const { serving } = facts;
  if (serving.kind === "written")
    return <WrittenApproved author={serving.by} names={(view.votes ?? []).map(({ by }) => by)} reader={view.reviewer} />;
  return (
    <>
      {fill(words.approved, values)}
      {page.next.space}
      {fill(next.kind === "review" ? words.here : words.answersNow, values)}
    </>
  );
};

/** Until when the reply waits, and what it cost. */
export const NextStrip = ({ view, next }: NextProps) => {
  const words = useWords();
  if (next.kind === "waits") return <p class="strip"></p>;
  const { deadlineAt, costUsd } = next.reply;
  const at = <Time at={deadlineAt} now={view.now} />;
  return (
    <p class="strip">
      <span>{fill(words.page.strip.expires, { at, left: <Left leftMs={deadlineAt - view.now} /> })}</span>
      {costUsd === null ? null : <span>{costOf({ cost: { kind: "was", usd: costUsd } }, words)}</span>}
    </p>
  );
};

/** What the model's answer took: its time and its tokens. */
const Took = ({ view, facts, next }: NextProps) => {
  const { page } = useWords();
  if (next.kind === "waits") return <>{view.state.kind === "approved" ? <Time at={view.state.at} now={view.now} exact /> : null}</>;
  const { openedAt, usage } = next.reply;
  return (
    <>
      <Time at={openedAt} now={view.now} exact />
      {usage === null ? null : <> · {usageWords(usage, facts.requestKind === "embedding" ? "embedding" : "chat", page)}</>}
    </>
  );
};

/** How long it took, with a tenth of a second. */
const seconds = (ms: number, lang: string): string => (Math.max(0, ms) / 1_000).toLocaleString(lang, { maximumFractionDigits: 1 });

/**
 * What happened, in order, and what is next. Its content is replaced by the page's script when the
 * reply is there.
 */
export const Next = ({ view, facts, next }: NextProps) => {
  const { page } = useWords();
  const { votes = [], now, reviewer, createdAt, state } = view;
  const { words, values } = useNextWords({ view, facts });
  // An edit voids the votes before it, so it is the last approver's or an earlier version's.
  const isEdited = state.kind === "approved" && state.edited;
  const { serving } = facts;
  const reply = next.kind === "review" ? next.reply : null;
  const approvedAt = state.kind === "approved" ? state.at : now;
  return (
    <div id="next" role="status">
      <section class="card" aria-label={page.next.label}>
        <ol class="path">
          <Step as="ok" at={<Time at={createdAt} now={now} exact />}>
            <HeadingWords view={view} facts={facts} />
          </Step>
          {votes.map(({ by, at }, i) => (
            <Step as="ok" at={<Time at={at} now={now} exact />}>
              {serving.kind === "written" ? (
                <WrittenApproved author={serving.by} names={[by]} reader={reviewer} />
              ) : (
                fill(isEdited && i === votes.length - 1 ? page.states.approvedEdited : page.states.approved, {
                  by: <Person name={by} reader={reviewer} />,
                })
              )}
            </Step>
          ))}
          {serving.kind === "written" ? null : (
            <Step as={reply === null ? "now" : "ok"} at={<Took view={view} facts={facts} next={next} />}>
              {reply === null
                ? fill(words.answers, values)
                : fill(words.answered, { ...values, seconds: seconds(reply.openedAt - approvedAt, page.lang) })}
            </Step>
          )}
          <Step as={reply === null ? "todo" : "now"}>
            {reply === null ? words.mayWait : fill(words.waits, { who: <People names={reply.reviewers} reader={reviewer} joined="or" /> })}
          </Step>
          <Step as="todo">{fill(words.delivers, values)}</Step>
        </ol>
      </section>
      <p class="soft">{reply === null ? page.next.close : page.next.closeThere}</p>
    </div>
  );
};

type BarProps = NextProps & { readonly action: string; readonly inbox: InboxMark | undefined };

/** Where the decision was: the way on, and to the reader's inbox. */
export const NextBar = ({ view, facts, next, action, inbox }: BarProps) => {
  const { page } = useWords();
  const { words, values } = useNextWords({ view, facts });
  const reply = next.kind === "review" ? next.reply : null;
  return (
    <section class="decide" id="next-bar" aria-label={page.next.bar}>
      {reply === null ? null : (
        <p class="clock">
          <span>{fill(page.strip.left, { left: <Left leftMs={reply.deadlineAt - view.now} /> })}</span>
          <span class="soft">{fill(page.strip.until, { at: <Time at={reply.deadlineAt} now={view.now} /> })}</span>
        </p>
      )}
      <p class="effect">{reply === null ? fill(words.answersNow, values) : words.waitsHere}</p>
      <div class="row">
        {inbox === undefined ? null : (
          <a class="btn" href={inbox.path}>
            {useInboxLink(inbox)}
          </a>
        )}
        {next.kind === "review" ? (
          <a class="btn yes approve" href={next.path}>
            {words.review}
          </a>
        ) : (
          <a class="btn approve" href={action}>
            {page.next.refresh}
          </a>
        )}
      </div>
    </section>
  );
};

// From the request's approval to the review of the reply in one place: what happened, what happens
// now, and where to go on. Only in the browser that approved the request.

import type { Child } from "hono/jsx";
import { type ReviewFacts, servedBy } from "../../shared/review/review-facts.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { Icon } from "./icons.tsx";
import { useWords } from "./language.ts";
import { HeadingWords } from "./lead.tsx";
import { Person, Time } from "./names.tsx";
import { Name } from "./outside-text.tsx";
import { WrittenApproved } from "./outcome.tsx";
import { fill } from "./sentence.tsx";

type StepProps = { readonly as: "ok" | "now" | "todo"; readonly at?: number; readonly now: number; readonly children: Child };

const Step = ({ as, at, now, children }: StepProps) => (
  <li class={as} {...(as === "now" ? { "aria-current": "step" } : {})}>
    <span class="dot">{as === "ok" ? <Icon of="check" /> : null}</span>
    {children}
    {at === undefined ? null : (
      <div class="at">
        <Time at={at} now={now} exact />
      </div>
    )}
  </li>
);

type NextProps = { readonly view: ReviewView; readonly facts: ReviewFacts; readonly action: string };

/**
 * Its content is replaced by the page's script when the reply is there; `action` is the page's own
 * path.
 */
export const Next = ({ view, facts, action }: NextProps) => {
  const { page } = useWords();
  const { next, votes = [], now, reviewer, createdAt, requestor } = view;
  if (next == null) return null;
  const words = page.next[facts.requestKind === "toolCall" ? "run" : "model"];
  const values = {
    model: <Name value={servedBy(facts)} />,
    name: <Name value={requestor.name} />,
    server: <Name value={requestor.server} />,
  };
  // An edit voids the votes before it, so it is the last approver's or an earlier version's.
  const isEdited = view.state.kind === "approved" && view.state.edited;
  const isThere = next.kind === "review";
  const { serving } = facts;
  return (
    <div id="next" role="status">
      <section class="card" aria-label={page.next.label}>
        <ol class="path">
          <Step as="ok" at={createdAt} now={now}>
            <HeadingWords view={view} facts={facts} />
          </Step>
          {votes.map(({ by, at }, i) => (
            <Step as="ok" at={at} now={now}>
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
            <Step as={isThere ? "ok" : "now"} now={now}>
              {fill(isThere ? words.answered : words.answers, values)}
            </Step>
          )}
          <Step as={isThere ? "now" : "todo"} now={now}>
            {isThere ? words.waits : words.mayWait}
          </Step>
        </ol>
        {isThere ? (
          <a class="btn yes" href={next.path}>
            {words.review}
          </a>
        ) : (
          <a class="btn" href={action}>
            {page.next.refresh}
          </a>
        )}
        <p class="soft">{isThere ? page.next.closeThere : page.next.close}</p>
      </section>
    </div>
  );
};

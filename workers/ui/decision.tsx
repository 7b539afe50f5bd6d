// The decision bar: what Approve does, Deny with its reason, Approve, and further choices. On a
// phone it never scrolls away. The form's first button is elsewhere and decides nothing, because a
// browser presses it for Enter in a field, and a link scanner presses it too.

import type { Child } from "hono/jsx";
import { gateWords, reasonWords } from "../../shared/channels/fact-words.ts";
import { type SubmittedForm, approveAct, formFields, longestReason } from "../../shared/review/form.ts";
import { type ReviewFacts, isFromServer, callIn } from "../../shared/review/review-facts.ts";
import type { StopReach } from "../../shared/policy/stops.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { approveForScript, approveWords } from "./approve-words.ts";
import { GrantForm, type KeptGrant } from "./grant-offer.tsx";
import { Icon } from "./icons.tsx";
import { useWords } from "./language.ts";
import { LiveCopy } from "./live.tsx";
import { Clock } from "./lead.tsx";
import { chosenIndex, modelsOnButton } from "./models.tsx";
import { People, Time } from "./names.tsx";
import { Name } from "./outside-text.tsx";
import { RecuseForm } from "./recuse-form.tsx";
import { fill } from "./sentence.tsx";
import { mayApprove, mayGiveUp } from "../../shared/review/permissions.ts";

type DecisionProps = {
  readonly view: ReviewView;
  readonly facts: ReviewFacts;
  readonly kept: SubmittedForm | undefined;
  /** How many changes of the reviewer's own the page shows. */
  readonly changes: number;
  readonly grant: KeptGrant | undefined;
  readonly isListening: boolean;
};

/** The names of those who may still vote, this reviewer not among them. */
export const otherVoters = ({ reviewers = [], votes = [], reviewer }: ReviewView): string[] =>
  reviewers.filter((name) => name !== reviewer && votes.every(({ by }) => by !== name));

/**
 * Who gets it. The chosen model is named without a script: a rule in the stylesheet shows the one
 * whose radio button is checked.
 */
const ChosenModel = ({ view, chosen }: { view: ReviewView; chosen: string | undefined }) => {
  const words = useWords();
  const models = view.subject === "message" ? view.models : [];
  const first = models[chosenIndex(models, chosen)];
  if (first === undefined) return <>{words.page.noModel}</>;
  if (models.length === 1 || models.length > modelsOnButton) return <Name value={first.id} />;
  return (
    <>
      {models.map(({ id }, i) => (
        <span class={`to to-${i}`}>
          <Name value={id} />
        </span>
      ))}
    </>
  );
};

/** Who gets the reply: that to a client's own task goes to the client. */
export const Requestor = ({ view: { requestor }, facts }: Pick<DecisionProps, "view" | "facts">) => (
  <Name value={isFromServer(facts) ? requestor.server : requestor.client} />
);

/** What Approve does; or why this reviewer cannot approve. */
const Effect = ({ view, facts, kept, changes }: Pick<DecisionProps, "view" | "facts" | "kept" | "changes">) => {
  const { page, review } = useWords();
  const { moreVotes, ownVote } = page.decide;
  if (!mayApprove(view)) {
    const isVoted = facts.bar === "voted" || facts.bar === null;
    return <>{isVoted ? fill(ownVote, { version: String(view.version) }) : review[facts.bar]}</>;
  }
  const missing = facts.quorum === null ? 0 : facts.quorum.needed - facts.quorum.votes - 1;
  const others = otherVoters(view);
  if (missing > 0 && others.length > 0)
    return (
      <>
        {fill(moreVotes[missing === 1 ? "one" : "some"], {
          n: missing,
          others: <People names={others} reader={view.reviewer} joined="or" />,
        })}
      </>
    );
  if (view.gate === "request" && facts.serving.kind === "written")
    return (
      <>
        {fill(page.written.effect, {
          by: <People names={[facts.serving.by]} reader={view.reviewer} joined="and" />,
          to: <Requestor view={view} facts={facts} />,
        })}
      </>
    );
  const how = changes === 0 ? "same" : "changed";
  return (
    <>
      {fill(gateWords(facts, review).effect[how], {
        model: <ChosenModel view={view} chosen={kept?.model} />,
        server: <Name value={view.requestor.server} />,
        to: <Requestor view={view} facts={facts} />,
      })}
    </>
  );
};

/** Everybody's vote, by name. */
const Votes = ({ view }: { view: ReviewView }) => {
  const { page } = useWords();
  const { votes = [], reviewer } = view;
  const waiting = mayApprove(view) ? [reviewer, ...otherVoters(view)] : otherVoters(view);
  return (
    <ul class="votes" aria-label={page.votes.heading}>
      {votes.map(({ by, at }) => (
        <li class="ok">
          <Icon of="check" />
          <span>
            {fill(page.votes.approved, { by: <People names={[by]} reader={reviewer} joined="and" />, at: <Time at={at} now={view.now} /> })}
          </span>
        </li>
      ))}
      {waiting.map((name) => (
        <li class="wait">
          <Icon of="clock" />
          <span>{fill(page.votes.waiting, { who: <People names={[name]} reader={reviewer} joined="and" /> })}</span>
        </li>
      ))}
    </ul>
  );
};

/** Of a tool that has run. */
const isResult = ({ requestKind, gate }: ReviewFacts): boolean => requestKind === "toolCall" && gate === "response";

type DenyProps = Pick<DecisionProps, "facts" | "kept"> & { readonly isSolid: boolean; readonly stops: StopReach | null };

const Deny = ({ facts, kept, isSolid, stops }: DenyProps) => {
  const { page, review } = useWords();
  const does = page.decide[isResult(facts) ? "withhold" : "deny"];
  return (
    <details class="up deny" name="up">
      <summary class={isSolid ? "btn no solid" : "btn no"}>{does}</summary>
      <div class="panel">
        <label for="reason">{page.decide.reason}</label>
        <textarea class="field" id="reason" name={formFields.reason} rows={2} maxlength={longestReason} aria-describedby="reason-hint">
          {`\n${kept?.reason ?? ""}`}
        </textarea>
        <p class="hint" id="reason-hint">
          {reasonWords(facts, review)} {isResult(facts) ? page.decide.notUndone : ""}
        </p>
        <button type="submit" name={formFields.act} value="deny" class="btn no solid deny-now">
          {does}
        </button>
        {stops === null ? null : (
          <button type="submit" name={formFields.act} value="denyStop" class="btn">
            {page.stop.deny[stops]}
          </button>
        )}
      </div>
    </details>
  );
};

const More = ({ view, facts, kept, grant }: Pick<DecisionProps, "view" | "facts" | "kept" | "grant">) => {
  const { page } = useWords();
  const offer = mayApprove(view) ? (view.grant ?? null) : null;
  if (!mayGiveUp(view) && offer === null) return null;
  const isOpen = kept?.to !== undefined || grant?.isAsked === true;
  return (
    <details class="up more" name="up" open={isOpen}>
      <summary class="btn" aria-label={page.decide.more}>
        <span class="word">{page.decide.more}</span>
        <Icon of="dots" />
      </summary>
      <div class="panel menu">
        {offer === null ? null : <GrantForm view={view} facts={facts} offer={offer} kept={grant} />}
        {mayGiveUp(view) ? <RecuseForm view={view} kept={kept} /> : null}
      </div>
    </details>
  );
};

const Approve = ({ facts, changes }: Pick<DecisionProps, "facts" | "changes">) => {
  const { page } = useWords();
  const isDespite = facts.risks.length > 0;
  const does = isResult(facts) ? ("deliver" as const) : ("approve" as const);
  const said = { does, quorum: facts.quorum, changes, warnings: facts.risks.length };
  return (
    <button
      type="submit"
      id="approve"
      name={formFields.act}
      value={approveAct(changes)}
      class={isDespite ? "btn approve despite" : "btn approve yes"}
      data-words={JSON.stringify(approveForScript(page, said))}
    >
      {approveWords(page, said)}
    </button>
  );
};

/** The first button of the form, hidden until it has the focus. It decides nothing. */
export const Harmless = ({ view, facts }: Pick<DecisionProps, "view" | "facts">) => {
  const { decide, form } = useWords().page;
  // Vectors have no editable field.
  if (view.subject === "form" && mayApprove(view))
    return (
      <button type="submit" name={formFields.act} value="preview" class="btn skip">
        {form.check}
      </button>
    );
  const isFixed = !mayApprove(view) || (view.gate === "response" && facts.embedding !== null);
  return (
    <button type="submit" name={formFields.act} value="preview" class="btn skip">
      {isFixed ? decide.lookAgain : decide.preview[view.gate]}
    </button>
  );
};

export const Decision = ({ view, facts, kept, changes, grant, isListening }: DecisionProps) => {
  const { page } = useWords();
  const approves = mayApprove(view);
  const isDespite = approves && facts.risks.some(({ level }) => level === "high");
  const effect: Child = <Effect view={view} facts={facts} kept={kept} changes={changes} />;
  return (
    <section class="decide" id="decision" tabindex={-1} aria-label={page.decide.heading}>
      <Clock view={view} facts={facts} />
      {facts.quorum === null ? null : <Votes view={view} />}
      <p class="effect">{effect}</p>
      {isListening ? <LiveCopy /> : null}
      <div class="row">
        <Deny facts={facts} kept={kept} isSolid={isDespite} stops={callIn(view).mayStop ?? null} />
        {approves ? <Approve facts={facts} changes={changes} /> : null}
        <More view={view} facts={facts} kept={kept} grant={grant} />
      </div>
    </section>
  );
};

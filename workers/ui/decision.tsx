// The end of the review form: preview, approve, deny. The first button decides nothing, because a browser presses it for Enter in a
// field, and a link scanner that submits forms presses it too.

import type { Child } from "hono/jsx";
import { reasonWords } from "../../shared/channels/fact-words.ts";
import { type SubmittedForm, approveAct, formFields, longestReason } from "../../shared/review/form.ts";
import type { ReviewFacts } from "../../shared/review/review-facts.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { gateWords } from "./asking-words.ts";
import { Grant, GrantReminder, type KeptGrant } from "./grant-offer.tsx";
import { LiveCopy } from "./live.tsx";
import { modelsOnButton } from "./models.tsx";
import { Name } from "./outside-text.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";
import { fill } from "./sentence.tsx";
import { mayApprove } from "./review-standing.ts";

/** A name from outside has any length; on a button a long one would push the important words off the screen. */
const shortName = (name: string): string | undefined => (/^[A-Za-z0-9._:/@-]{1,48}$/.test(name) ? name : undefined);

/**
 * "Approve and send to …" names the chosen model without a script: a rule in the stylesheet shows the one whose radio button is checked.
 * In a browser without that selector the button says "Approve and send".
 */
const ApproveWords = ({ view, facts }: { view: ReviewView; facts: ReviewFacts }) => {
  const { approve, approveTo } = gateWords(facts);
  if (view.gate === "response") {
    // The reply to a client's own task goes to that client.
    const server = shortName(facts.asking === "sampling" ? view.requestor.server : view.requestor.client);
    return <>{server === undefined ? approve : fill(approveTo, { server })}</>;
  }
  const names = view.models.map((model) => shortName(model.id));
  const [only] = names;
  if (names.length === 1 && only !== undefined) return <>{fill(approveTo, { model: only })}</>;
  if (names.length > modelsOnButton || names.includes(undefined)) return <>{approve}</>;
  return (
    <>
      <span class="to-any">{approve}</span>
      {names.map((name, i) => (
        <span class={`to to-${i}`}>{fill(approveTo, { model: name })}</span>
      ))}
    </>
  );
};

const exactly = (view: ReviewView, facts: ReviewFacts): string => gateWords(facts)[view.models.length === 1 ? "exactlyOne" : "exactly"];

/** The form's first button, which decides nothing. */
const Harmless = ({ hint, name }: { hint: string; name: string }) => (
  <div class="choice">
    <p id="preview-hint">{hint}</p>
    <button type="submit" name={formFields.act} value="preview" class="quiet" aria-describedby="preview-hint">
      {name}
    </button>
  </div>
);

/** Vectors have no editable field. */
const isFixed = ({ gate, embedding }: ReviewFacts): boolean => gate === "response" && embedding !== null;

type ApproveProps = { view: ReviewView; facts: ReviewFacts; changes: number; grant: KeptGrant | undefined };

const Approve = ({ view, facts, changes, grant }: ApproveProps) => (
  <>
    {isFixed(facts) ? (
      <Harmless hint={words.decide.lookAgainHint} name={words.decide.lookAgain} />
    ) : (
      <Harmless hint={words.decide.changed} name={words.decide.preview} />
    )}
    {view.grant == null ? null : <Grant view={view} facts={facts} offer={view.grant} kept={grant} />}
    <div class="choice">
      {view.grant == null ? null : <GrantReminder gate={view.gate} />}
      <button type="submit" name={formFields.act} value={approveAct(changes)} class="approve">
        <ApproveWords view={view} facts={facts} />
        {words.decide.withChanges(changes)}
      </button>
    </div>
  </>
);

/** What approving would do; or why this reviewer cannot. */
function standing(view: ReviewView, facts: ReviewFacts, changes: number): Child {
  const version = String(view.version);
  if (mayApprove(view)) return fill(exactly(view, facts), { version, changes: words.decide.shownChanges(changes) });
  return facts.bar === "voted" ? fill(words.decide.ownVote, { version }) : reviewWords.ownRequest;
}

type DecisionProps = {
  readonly view: ReviewView;
  readonly facts: ReviewFacts;
  readonly kept: SubmittedForm | undefined;
  /** How many changes of the reviewer's own the page shows. */
  readonly changes: number;
  readonly grant: KeptGrant | undefined;
  readonly isListening: boolean;
};

export const Decision = ({ view, facts, kept, changes, grant, isListening }: DecisionProps) => (
  <section class="decision" id="decision" tabindex={-1} aria-labelledby="decision-heading">
    <h2 id="decision-heading">{words.decide.heading}</h2>
    <p>{fill(words.decide.as, { reviewer: <Name value={view.reviewer} /> })}</p>
    <p>
      {standing(view, facts, changes)} {gateWords(facts).notSent} {fill(reviewWords.silence, { at: reviewWords.time(facts.deadline.at) })}
    </p>
    {facts.quorum === null ? null : (
      <p>
        {fill(words.decide.quorum, { quorum: String(facts.quorum.needed) })}{" "}
        {facts.quorum.votes === 0
          ? ""
          : fill(words.decide.votes, { votes: String(facts.quorum.votes), quorum: String(facts.quorum.needed) })}
      </p>
    )}
    {isListening ? <LiveCopy /> : null}
    {mayApprove(view) ? (
      <Approve view={view} facts={facts} changes={changes} grant={grant} />
    ) : (
      <Harmless hint={words.decide.lookAgainHint} name={words.decide.lookAgain} />
    )}
    <div class="choice deny-choice">
      <label for="reason">{words.decide.reason}</label>
      <p id="reason-hint">{reasonWords(facts)}</p>
      <textarea id="reason" name={formFields.reason} rows={2} maxlength={longestReason} aria-describedby="reason-hint">
        {`\n${kept?.reason ?? ""}`}
      </textarea>
      <button type="submit" name={formFields.act} value="deny" class="deny">
        {words.decide.deny}
      </button>
    </div>
  </section>
);

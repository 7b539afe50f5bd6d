// Several reviews on one page: each with all that its own page shows, uncut, and one form. Its
// first button decides nothing. There are no fields for changes: whoever wants one opens that
// review alone.

import { approveAct, formFields, longestReason } from "../../../shared/review/form.ts";
import { type ReviewFacts, reviewFacts } from "../../../shared/review/review-facts.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { originsOf } from "../request-kind-words.ts";
import { Details } from "../details.tsx";
import { Document, type InboxMark } from "../document.tsx";
import { Icon } from "../icons.tsx";
import { useWords } from "../language.ts";
import { HeadingWords, headingWords, Strip } from "../lead.tsx";
import { PinMark } from "../outside-text.tsx";
import { pageScript } from "../page-script.ts";
import { ReplyOf, RequestOf } from "../subject-content.tsx";
import { Notices, replyHistory, requestHistory, showingOf } from "../review-page.tsx";
import { fill, fillText } from "../sentence.tsx";
import { inboxScript } from "./inbox-script.ts";
import { Listening } from "./listening.tsx";
import { Series, callsIn, seriesTitle } from "./series.tsx";
import { riskWords } from "../../../shared/channels/risk-words.ts";
import { placeWords } from "../../../shared/channels/content-words.ts";

export type BulkReview = {
  /** `reviewKey`. */
  readonly key: string;
  readonly view: ReviewView;
  /** What the form says of it. */
  readonly value: string;
  /** The path of its own page, and of this page without it. */
  readonly path: string;
  readonly without: string;
};

export type BulkPageInput = {
  readonly action: string;
  readonly reviews: readonly BulkReview[];
  /** They differ in their messages alone. */
  readonly isAlike: boolean;
  /** The reader may approve every one of them. */
  readonly mayApprove: boolean;
  /** How many of those that were selected do not wait any more. */
  readonly over: number;
  /** Where more were selected than are shown: how many are. */
  readonly most: number | null;
  /** The form to deny is open. */
  readonly isDenying: boolean;
  readonly reader: string;
  readonly inbox: InboxMark;
};

const RiskNote = ({ view, facts }: { view: ReviewView; facts: ReviewFacts }) => {
  const words = useWords();
  if (facts.risks.length === 0) return null;
  return (
    <div class={facts.risks.some(({ level }) => level === "high") ? "note bad" : "note mind"}>
      <Icon of="warning" />
      <div>
        <b>{headingWords(facts, words)}</b>
        <ul>
          {facts.risks.map((risk, i) => (
            <li>
              <PinMark pin={{ number: i + 1, level: risk.level }} /> {riskWords(risk, words)}
              {risk.pointer === "" ? null : <span class="soft"> {placeWords(risk.pointer, words, view.request.kind)}</span>}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
};

/** All that reaches the provider, or its requestor; at the response gate with the prompt below. */
const Content = ({ view, facts, prefix }: { view: ReviewView; facts: ReviewFacts; prefix: string }) => {
  const words = useWords();
  const origins = originsOf(view, words);
  const prompt = showingOf({ view, facts }, words, undefined, [], requestHistory(view), prefix);
  const request = <RequestOf view={view} showing={prompt} origins={origins} prefix={`${prefix}prompt-`} />;
  const details = <Details view={view} facts={facts} showing={prompt} origins={origins} chosen={undefined} prefix={prefix} />;
  if (view.gate === "request" || view.reply === null)
    return (
      <>
        {request}
        {details}
      </>
    );
  const reply = showingOf({ view, facts }, words, undefined, [], replyHistory(view), prefix);
  return (
    <>
      <ReplyOf view={view} showing={reply} origins={origins} prefix={prefix} />
      {request}
      {details}
    </>
  );
};

const One = ({ review, index, of }: { review: BulkReview; index: number; of: number }) => {
  const { bulk } = useWords().inbox;
  const { key, view, value, path, without } = review;
  const facts = reviewFacts(view);
  const heading = `review-${index}`;
  return (
    <section class="one" data-key={key} aria-labelledby={heading}>
      <input type="hidden" name="review" value={value} />
      <h2 id={heading}>
        {fill(bulk.ordinal, { n: String(index + 1), of: String(of) })} · <HeadingWords view={view} facts={facts} />
      </h2>
      <p class="meta">
        <a href={path}>{bulk.alone}</a>
        <a href={without}>{bulk.leaveOut}</a>
      </p>
      <Strip view={view} facts={facts} />
      <Notices view={view} facts={facts} />
      <RiskNote view={view} facts={facts} />
      <Content view={view} facts={facts} prefix={`r${index}-`} />
    </section>
  );
};

const Deny = ({ count, isDenying }: { count: number; isDenying: boolean }) => {
  const { inbox } = useWords();
  const words = fillText(inbox.bulk.deny, { n: count });
  return (
    <details class="ours" open={isDenying}>
      <summary class="chev">{words}</summary>
      <div class="in">
        <label for="reason">{inbox.bulk.reason}</label>
        <textarea
          class="field"
          id="reason"
          name={formFields.reason}
          rows={2}
          maxlength={longestReason}
          {...(isDenying ? { autofocus: true } : {})}
        ></textarea>
        <button type="submit" class="btn no solid" name={formFields.act} value="deny">
          {words}
        </button>
      </div>
    </details>
  );
};

const Decision = ({ reviews, isAlike, mayApprove, isDenying }: BulkPageInput) => {
  const { inbox, page } = useWords();
  const { bulk } = inbox;
  const all = reviews.map(({ view }) => reviewFacts(view));
  const warnings = all.reduce((sum, { risks }) => sum + risks.length, 0);
  const isHigh = all.some(({ risks }) => risks.some(({ level }) => level === "high"));
  const count = reviews.length;
  return (
    <section class="card" id="decision" tabindex={-1} aria-label={page.decide.heading}>
      {isAlike && mayApprove ? (
        <>
          <p class="soft">{bulk.effect}</p>
          <button type="submit" id="approve-all" class={isHigh ? "btn despite" : "btn yes"} name={formFields.act} value={approveAct(0)}>
            {fill(bulk.approve, { n: count })}
            {warnings === 0 ? "" : fill(bulk.despite, { n: warnings })}
          </button>
        </>
      ) : (
        <p class="note mind">{!isAlike ? bulk.unlike : reviews.some(({ view }) => view.passkey === true) ? bulk.passkey : bulk.barred}</p>
      )}
      <Deny count={count} isDenying={isDenying} />
    </section>
  );
};

const Each = (input: BulkPageInput) => (
  <>
    {input.reviews.map((review, index) => (
      <One review={review} index={index} of={input.reviews.length} />
    ))}
    {input.reviews.length === 0 ? null : <Decision {...input} />}
  </>
);

export const BulkPage = (input: BulkPageInput & { readonly cspNonce: string }) => {
  const { cspNonce, action, reviews, over, most, reader, inbox } = input;
  const words = useWords();
  const { bulk } = words.inbox;
  const calls = input.isAlike ? callsIn(reviews) : null;
  const title =
    calls !== null ? seriesTitle(calls, words) : reviews.length === 0 ? bulk.nothing : fillText(bulk.title, { n: reviews.length });
  const notices = (
    <>
      <Listening live={`${inbox.path}/live`} page={inbox.path} count={inbox.count} />
      {over === 0 ? null : <p class="note mind">{fill(bulk.over, { n: over })}</p>}
      {most === null ? null : <p class="note mind">{fill(bulk.most, { n: String(most) })}</p>}
    </>
  );
  const back = (
    <p>
      <a href={inbox.path}>{bulk.back}</a>
    </p>
  );
  return (
    <Document
      title={`${title} · ${words.page.product}`}
      cspNonce={cspNonce}
      reader={reader}
      inbox={inbox}
      {...(reviews.length === 0 ? {} : { skip: { to: "decision", words: words.page.toDecision } })}
      script={pageScript + inboxScript}
    >
      <form
        class={calls === null ? "wrap together" : "wrap review"}
        method="post"
        action={action}
        accept-charset="utf-8"
        autocomplete="off"
      >
        <button type="submit" class="btn skip" name={formFields.act} value="preview">
          {bulk.look}
        </button>
        {calls === null ? (
          <>
            <h1 class="said-by-us">{title}</h1>
            {notices}
            <Each {...input} />
            {back}
          </>
        ) : (
          <Series calls={calls} isDenying={input.isDenying} notices={notices} back={back} />
        )}
      </form>
    </Document>
  );
};

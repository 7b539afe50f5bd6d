// The review page: everything that would be sent or delivered, the fields to change it, and the decision. It decides and stores nothing,
// and needs no script: the one it may have only listens.

import { replyChanges, requestChanges, type FieldChange } from "../../shared/review/difference.ts";
import { editField, formFields, type SubmittedForm } from "../../shared/review/form.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { costWords, titleWords } from "../../shared/channels/fact-words.ts";
import { type ReviewFacts, reviewFacts } from "../../shared/review/review-facts.ts";
import { asksOf, gateWords, hiddenWords, noticeOf, originsOf, promptWords } from "./asking-words.ts";
import { Changes } from "./changes.tsx";
import { Decision } from "./decision.tsx";
import { asHtml, Document, pageHeaders } from "./document.tsx";
import type { Editing } from "./edit-field.tsx";
import { RecuseForm } from "./recuse-form.tsx";
import type { KeptGrant } from "./grant-offer.tsx";
import { LiveBanner, liveScript } from "./live.tsx";
import { Models, NamedModel } from "./models.tsx";
import { Outcome, OwnStanding, stateWords } from "./outcome.tsx";
import { Name, Plain, type Origin } from "./outside-text.tsx";
import { ReplyContent, replySummary } from "./reply-content.tsx";
import { RequestContent, requestSummary } from "./request-content.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";
import { placeId } from "./place-id.ts";
import { fill } from "./sentence.tsx";
import { mayApprove, mayDecide, mayGiveUp } from "./review-standing.ts";

/** `field` is the path of the field; `message` is a sentence of ours. */
export type FieldProblem = { readonly field: string; readonly message: string };

export type ReviewPageInput = {
  readonly view: ReviewView;
  /** The path that the form is posted to: this page's own. */
  readonly action: string;
  /** The form's nonce, bound to link, version and digest. */
  readonly nonce: string;
  /** The nonce of `reviewHeaders` in the same response. */
  readonly cspNonce: string;
  /** Why the last POST decided nothing; `fields` are about single fields, an empty `field` about the whole. */
  readonly error?: { readonly title: string; readonly fields?: readonly FieldProblem[] };
  /** What the reviewer wrote and chose in that POST, to show it again. */
  readonly kept?: SubmittedForm;
  /** The grant that the reviewer chose in that POST. */
  readonly keptGrant?: KeptGrant;
  /** The reviewer's own changes, not yet sent: they are shown, and the button counts them. */
  readonly changes?: readonly FieldChange[];
  /** The reviewer asked for a preview: the page says so where there are no changes. */
  readonly preview?: boolean;
  /** The path on which the page's script hears of other reviewers' decisions; absent where it is not to listen. */
  readonly live?: string;
};

export const reviewHeaders = pageHeaders;

/** Whether the page of this view listens. Its headers must then allow its script. */
export const isLive = mayDecide;

type ErrorSummaryProps = { error: NonNullable<ReviewPageInput["error"]>; open: boolean; kind: ReviewView["request"]["kind"] };

const ErrorSummary = ({ error, open, kind }: ErrorSummaryProps) => (
  <section class="problem" role="alert" tabindex={-1} id="problem" autofocus>
    <h2>{error.title}</h2>
    {open ? <p>{words.problem.still}</p> : null}
    {error.fields === undefined || error.fields.length === 0 ? null : (
      <ul>
        {error.fields.map(({ field, message }) =>
          field === "" ? (
            <li>{message}</li>
          ) : (
            <li>
              <a href={`#${editField(field)}`}>{reviewWords.place(field, kind)}</a>: {message}
            </li>
          ),
        )}
      </ul>
    )}
  </section>
);

const Goes = ({ models }: { models: ReviewView["models"] }) => {
  const [first, ...rest] = models;
  if (first === undefined) return <>{words.glance.noModel}</>;
  const name = <Name value={first.id} />;
  return <>{rest.length === 0 ? name : fill(words.glance.thenTo(rest.length), { first: name })}</>;
};

type Shown = { readonly view: ReviewView; readonly facts: ReviewFacts };

/** None for a tool's run, which has no price: the sentence above says what runs where. */
const ModelFacts = ({ view, facts: { serving, cost, isUnsent, isOpen } }: Shown) => {
  if (isUnsent || serving.kind === "runs" || serving.kind === "ran") return null;
  return (
    <>
      <dt>{serving.kind === "goesTo" ? (isOpen ? words.glance.model : words.glance.approvedModel) : words.glance.answeredBy}</dt>
      <dd>{serving.kind === "goesTo" ? <Goes models={view.models} /> : <Name value={serving.by?.id ?? serving.realName} />}</dd>
      {cost === null ? null : (
        <>
          <dt>{words.glance.cost}</dt>
          <dd>{costWords(cost)}</dd>
        </>
      )}
    </>
  );
};

/** The facts to know before reading. On a closed page: those that are still true. */
const Glance = ({ view, facts }: Shown) => {
  const { requestor } = view;
  const { label, sentence } = asksOf(facts);
  const notice = facts.isOpen ? noticeOf(facts) : null;
  return (
    <section class="card">
      <h2 class="hidden">{words.glance.heading}</h2>
      {requestor.gone && facts.isOpen ? <p class="notice">{reviewWords.gone}</p> : null}
      {notice === null ? null : <p class="notice">{notice}</p>}
      <dl class="facts">
        <dt>{label}</dt>
        <dd>
          {fill(sentence, {
            server: <Name value={requestor.server} />,
            client: <Name value={requestor.client} />,
            method: <Name value={requestor.method} />,
            name: <Name value={requestor.name} />,
          })}{" "}
          {reviewWords.sure[facts.sureness].short}
        </dd>
        {facts.isOpen ? (
          <>
            <dt>{words.glance.deadline}</dt>
            <dd>
              <time datetime={new Date(facts.deadline.at).toISOString()}>{reviewWords.time(facts.deadline.at)}</time>,{" "}
              <strong>{fill(words.glance.left, { span: reviewWords.left(facts.deadline.leftMs) })}</strong> {words.glance.whenOpened}
            </dd>
          </>
        ) : null}
        <ModelFacts view={view} facts={facts} />
      </dl>
    </section>
  );
};

/** Further facts, folded, below the content. */
const AboutRequest = ({ view, facts }: Shown) => (
  <section class="card folded">
    <details>
      <summary>{words.about.heading}</summary>
      <dl class="facts">
        <dt>{words.about.sure}</dt>
        <dd>{reviewWords.sure[facts.sureness].full}</dd>
        {view.requestor.owner === null ? null : (
          <>
            <dt>{words.about.owner}</dt>
            <dd>
              <Name value={view.requestor.owner} />
            </dd>
          </>
        )}
        <dt>{words.glance.content}</dt>
        <dd>
          {view.gate === "response" && view.reply !== null && view.state.kind !== "denied"
            ? replySummary(view.reply)
            : requestSummary(view.request)}
        </dd>
        <dt>{words.about.reviewer}</dt>
        <dd>{fill(words.about.forYou, { reviewer: <Name value={view.reviewer} />, rule: <Name value={view.rule} /> })}</dd>
        <dt>{words.about.run}</dt>
        <dd>
          <Name value={view.run} />
        </dd>
      </dl>
    </details>
  </section>
);

/** At the response gate the prompt is folded, so a field of it is named as part of the prompt and links to the fold. */
const RiskPlace = ({ pointer, view: { gate, request } }: { pointer: string; view: ReviewView }) => {
  if (pointer === "") return null;
  const place = reviewWords.place(pointer, request.kind);
  if (gate === "request" || pointer.startsWith("/content/")) return <a href={`#${placeId(pointer)}`}>{place}</a>;
  return <a href={`#${promptId}`}>{fill(words.risks.inPrompt, { place })}</a>;
};

const promptId = "prompt";

const Risks = ({ view, facts }: Shown) => (
  <section class="card">
    <h2>{reviewWords.risks}</h2>
    <ul class="risks">
      {facts.risks.map((risk) => (
        <li>
          <span class={`level ${risk.level}`}>{reviewWords.riskLevels[risk.level]}</span> <Plain value={reviewWords.risk(risk)} />{" "}
          <RiskPlace pointer={risk.pointer} view={view} />
        </li>
      ))}
    </ul>
  </section>
);

const Notes = ({ view, facts }: Shown) =>
  view.notes.length === 0 || facts.isUnsent ? null : (
    <section class="card">
      <h2>{words.notes.heading}</h2>
      <ul>
        {view.notes.map((note) => (
          <li>
            <Plain value={reviewWords.note(note)} />
          </li>
        ))}
      </ul>
    </section>
  );

const EditHistory = ({ changes, view, from }: { changes: readonly FieldChange[]; view: ReviewView; from: Origin }) =>
  changes.length === 0 ? null : (
    <section class="card" id="changes">
      <h2>{words.changes.heading}</h2>
      <ul>
        {view.versions.map(({ version, by, at }) =>
          by === null ? null : (
            <li>{fill(words.changes.byWhom, { version: String(version), by: <Name value={by} />, at: reviewWords.time(at) })}</li>
          ),
        )}
      </ul>
      <Changes changes={changes} from={from} kind={view.request.kind} />
    </section>
  );

const editedIn = (view: ReviewView): Origin => originsOf(view)[view.gate === "request" ? "requestEdited" : "replyEdited"];

const Preview = ({ changes, view }: { changes: readonly FieldChange[]; view: ReviewView }) => (
  <section class="card preview" id="preview" role="status" tabindex={-1} autofocus>
    <h2>{words.changes.preview}</h2>
    <p>{words.changes.previewLead}</p>
    {changes.length === 0 ? <p>{words.changes.previewNone}</p> : null}
    <Changes changes={changes} from={editedIn(view)} kind={view.request.kind} />
  </section>
);

const requestHistory = (view: ReviewView): FieldChange[] =>
  view.requestAsAsked === null ? [] : requestChanges(view.requestAsAsked, view.request);

const RequestGate = ({ view, facts, editing, chosen }: Shown & { editing: Editing | undefined; chosen: string | undefined }) => (
  <>
    <EditHistory changes={requestHistory(view)} view={view} from={editedIn(view)} />
    <section>
      <h2>{facts.isOpen ? gateWords(facts).content : gateWords(facts).closedContent}</h2>
      <p>{words.outside.rule}</p>
      <RequestContent request={view.request} asAsked={view.requestAsAsked} editing={editing} origins={originsOf(view)} />
    </section>
    <section class="card">
      <h2>{modelsHeading(facts)}</h2>
      <NamedModel request={view.request} />
      <Models models={view.models} choosable={editing !== undefined} chosen={chosen} />
    </section>
    <Notes view={view} facts={facts} />
  </>
);

function modelsHeading({ asking, isUnsent }: ReviewFacts): string {
  const { heading, unaskedHeading, runsHeading, unrunHeading } = words.models;
  if (asking === "function") return isUnsent ? unrunHeading : runsHeading;
  return isUnsent ? unaskedHeading : heading;
}

/** A denied reply is never shown: only its prompt. */
const ResponseGate = ({ view, facts, editing }: Shown & { editing: Editing | undefined }) => {
  const reply = view.state.kind === "denied" ? null : view.reply;
  const origins = originsOf(view);
  const replyHistory = reply === null || view.replyAsGenerated === null ? [] : replyChanges(view.replyAsGenerated, reply);
  return (
    <>
      <EditHistory changes={replyHistory} view={view} from={editedIn(view)} />
      <section class="card folded">
        <details id={promptId}>
          <summary>
            {promptWords(facts)}: {requestSummary(view.request)}
          </summary>
          {view.requestAsAsked === null ? null : (
            <Changes changes={requestHistory(view)} from={origins.requestEdited} kind={view.request.kind} />
          )}
          <RequestContent request={view.request} asAsked={view.requestAsAsked} editing={undefined} origins={origins} />
          <NamedModel request={view.request} />
          <Models models={view.models} choosable={false} chosen={undefined} />
        </details>
      </section>
      <section>
        <h2>{facts.isOpen ? gateWords(facts).content : gateWords(facts).closedContent}</h2>
        {reply === null ? (
          <p>{view.state.kind === "denied" ? hiddenWords(facts) : words.response.missing}</p>
        ) : (
          <>
            <p>{words.outside.rule}</p>
            <ReplyContent reply={reply} asGenerated={view.replyAsGenerated} editing={editing} view={view} />
          </>
        )}
      </section>
      <Notes view={view} facts={facts} />
    </>
  );
};

const ReviewPage = ({ view, action, nonce, cspNonce, error, kept, keptGrant, changes = [], preview = false, live }: ReviewPageInput) => {
  const facts = reviewFacts(view);
  const open = facts.isOpen;
  const decides = mayDecide(view);
  const editing: Editing | undefined = mayApprove(view)
    ? {
        kept: kept?.edits ?? new Map(),
        errors: new Map(error?.fields?.map(({ field, message }) => [field, message])),
        kind: view.request.kind,
      }
    : undefined;
  const heading = titleWords(facts);
  const content = (
    <>
      {view.gate === "request" ? (
        <RequestGate view={view} facts={facts} editing={editing} chosen={kept?.model} />
      ) : (
        <ResponseGate view={view} facts={facts} editing={editing} />
      )}
      {view.risks.length > 0 && !open ? <Risks view={view} facts={facts} /> : null}
      {view.risks.length === 0 && open ? <p class="meta after">{words.risks.none}</p> : null}
      <AboutRequest view={view} facts={facts} />
    </>
  );
  const isListening = isLive(view) && live !== undefined;
  return (
    <Document
      title={`${open ? "" : `${stateWords(view.state)}: `}${heading} – ${words.product}`}
      cspNonce={cspNonce}
      {...(decides ? { skip: { to: "decision", words: words.toDecision } } : {})}
      {...(isListening ? { script: liveScript } : {})}
    >
      <h1>{heading}</h1>
      {isListening ? <LiveBanner view={view} action={action} live={live} /> : null}
      {error === undefined ? null : <ErrorSummary error={error} open={decides} kind={view.request.kind} />}
      <Outcome view={view} />
      <OwnStanding view={view} />
      {open ? <p class="lead">{editing === undefined ? gateWords(facts).stillHere : gateWords(facts).lead}</p> : null}
      {editing !== undefined && (preview || changes.length > 0) ? <Preview changes={changes} view={view} /> : null}
      <Glance view={view} facts={facts} />
      {open && view.risks.length > 0 ? <Risks view={view} facts={facts} /> : null}
      {decides ? (
        <form method="post" action={action} accept-charset="utf-8" autocomplete="off">
          <input type="hidden" name={formFields.nonce} value={nonce} />
          <input type="hidden" name={formFields.version} value={String(view.version)} />
          <input type="hidden" name={formFields.digest} value={view.digest} />
          {content}
          <Decision view={view} facts={facts} kept={kept} changes={changes.length} grant={keptGrant} isListening={isListening} />
          {mayGiveUp(view) ? <RecuseForm view={view} chosen={kept?.to} /> : null}
        </form>
      ) : (
        content
      )}
    </Document>
  );
};

/** The whole page, from `<!doctype html>` on. Every string in `input` is escaped. */
export const renderReviewPage = (input: ReviewPageInput): string => asHtml(<ReviewPage {...input} />);

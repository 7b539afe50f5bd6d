// The page that a reviewer opens: everything that would be sent or delivered, the fields to change it, and the decision.
// It renders what it is given. It decides nothing, keeps nothing, and needs no script.

import type { Child } from "hono/jsx";
import type { EditFault } from "../../shared/review/edit.ts";
import { replyChanges, requestChanges, type FieldChange } from "../../shared/review/difference.ts";
import { editField, formFields, type SubmittedForm } from "../../shared/review/form.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import type { RiskNote } from "../../shared/policy/risk.ts";
import { Changes } from "./changes.tsx";
import { Decision } from "./decision.tsx";
import { asHtml, Document, pageHeaders } from "./document.tsx";
import type { Editing } from "./edit-field.tsx";
import { Models } from "./models.tsx";
import { isOpen, Outcome, stateWords } from "./outcome.tsx";
import { Name, Plain, type Origin } from "./outside-text.tsx";
import { ReplyContent, replySummary } from "./reply-content.tsx";
import { RequestContent, requestSummary } from "./request-content.tsx";
import {
  moneyWords,
  noteWords,
  placeId,
  placeWords,
  provenanceWords,
  relativeWords,
  reviewWords as words,
  timeWords,
} from "./review-words.ts";
import { fill } from "./sentence.tsx";

export type ReviewPageInput = {
  readonly view: ReviewView;
  /** The path that the form is posted to: this page's own. */
  readonly action: string;
  /** The form's nonce, bound to link, version and digest. */
  readonly nonce: string;
  /** The nonce of `reviewHeaders` in the same response. */
  readonly cspNonce: string;
  /** Why the last POST decided nothing; `fields` are messages for single fields, an empty `field` for the whole. */
  readonly problem?: { readonly title: string; readonly fields?: readonly EditFault[] };
  /** What the reviewer wrote and chose in that POST: it is all still there. */
  readonly kept?: SubmittedForm;
  /** The reviewer's own changes, not yet sent, for `act=preview`. */
  readonly preview?: readonly FieldChange[];
};

export const reviewHeaders = pageHeaders;

const Problem = ({ problem, open }: { problem: NonNullable<ReviewPageInput["problem"]>; open: boolean }) => (
  <section class="problem" role="alert" tabindex={-1} id="problem" autofocus>
    <h2>{problem.title}</h2>
    {open ? <p>{words.problem.still}</p> : null}
    {problem.fields === undefined || problem.fields.length === 0 ? null : (
      <ul>
        {problem.fields.map(({ field, message }) =>
          field === "" ? (
            <li>{message}</li>
          ) : (
            <li>
              <a href={`#${editField(field)}`}>{placeWords(field)}</a>: {message}
            </li>
          ),
        )}
      </ul>
    )}
  </section>
);

const Asker = ({ view: { asker } }: { view: ReviewView }) => (
  <>
    <dt>{words.who.server}</dt>
    <dd>
      {fill(words.who.tool, {
        server: <Name value={asker.server} />,
        method: <Name value={asker.method} />,
        name: <Name value={asker.name} />,
      })}
    </dd>
    <dt>{words.who.client}</dt>
    <dd>
      {asker.owner === null ? (
        <Name value={asker.client} />
      ) : (
        fill(words.who.clientOf, { client: <Name value={asker.client} />, owner: <Name value={asker.owner} /> })
      )}
    </dd>
    <dt>{words.who.sure}</dt>
    <dd>{provenanceWords[asker.provenance]}</dd>
  </>
);

const Glance = ({ view }: { view: ReviewView }) => {
  const [first, ...rest] = view.models;
  const names = rest.map((model, i) => (
    <>
      {i === 0 ? "" : ", "}
      <Name value={model.id} />
    </>
  ));
  const goesTo = first === undefined ? words.glance.noModel : <Name value={first.id} />;
  return (
    <section class="card">
      <h2>{words.glance.heading}</h2>
      {view.asker.gone && isOpen(view.state) ? <p class="notice">{words.who.gone}</p> : null}
      <dl class="facts">
        <dt>{words.glance.deadline}</dt>
        <dd>
          <time datetime={new Date(view.deadlineAt).toISOString()}>{timeWords(view.deadlineAt)}</time>
          {isOpen(view.state) ? (
            <>
              , <strong>{relativeWords(view.deadlineAt, view.now)}</strong> {words.glance.counted}
            </>
          ) : null}
        </dd>
        <Asker view={view} />
        <dt>{words.glance.content}</dt>
        <dd>
          {view.gate === "response" && view.reply !== null && view.state.kind !== "denied"
            ? replySummary(view.reply)
            : requestSummary(view.request)}
        </dd>
        {view.gate === "request" ? (
          <>
            <dt>{words.glance.model}</dt>
            <dd>{rest.length === 0 ? goesTo : fill(words.glance.thenTo, { first: goesTo, rest: names })}</dd>
            <dt>{words.glance.cost}</dt>
            <dd>{moneyWords(view.worstCostUsd)}</dd>
          </>
        ) : (
          <>
            <dt>{words.glance.answeredBy}</dt>
            <dd>{view.answeredBy === null ? <Name value={view.reply?.model ?? ""} /> : <Name value={view.answeredBy.id} />}</dd>
            {view.costUsd === null ? null : (
              <>
                <dt>{words.glance.realCost}</dt>
                <dd>{moneyWords(view.costUsd)}</dd>
              </>
            )}
          </>
        )}
        <dt>{words.glance.reviewer}</dt>
        <dd>{fill(words.glance.forYou, { reviewer: <Name value={view.reviewer} />, rule: <Name value={view.rule} /> })}</dd>
        <dt>{words.who.run}</dt>
        <dd>
          <Name value={view.run} />
        </dd>
      </dl>
    </section>
  );
};

const levels = ["high", "medium", "low"] as const;

const Risks = ({ risks }: { risks: readonly RiskNote[] }) => (
  <section class="card">
    <h2>{words.risks.heading}</h2>
    {risks.length === 0 ? <p>{words.risks.none}</p> : null}
    <ul class="risks">
      {levels.flatMap((level) =>
        risks
          .filter((risk) => risk.level === level)
          .map((risk) => (
            <li>
              <span class={`level ${level}`}>{level}</span> <Plain value={risk.message} />{" "}
              {risk.pointer === "" ? null : <a href={`#${placeId(risk.pointer)}`}>{placeWords(risk.pointer)}</a>}
            </li>
          )),
      )}
    </ul>
  </section>
);

const Notes = ({ view }: { view: ReviewView }) =>
  view.notes.length === 0 ? null : (
    <section class="card">
      <h2>{words.notes.heading}</h2>
      <ul>
        {view.notes.map((note) => (
          <li>
            <Plain value={noteWords(note)} />
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
            <li>{fill(words.changes.byWhom, { version: String(version), by: <Name value={by} />, at: timeWords(at) })}</li>
          ),
        )}
      </ul>
      <Changes changes={changes} from={from} />
    </section>
  );

const Preview = ({ changes, view }: { changes: readonly FieldChange[]; view: ReviewView }) => (
  <section class="card preview" id="preview" role="status" tabindex={-1} autofocus>
    <h2>{words.changes.preview}</h2>
    <p>{words.changes.previewLead}</p>
    {changes.length === 0 ? <p>{words.changes.previewNone}</p> : null}
    <Changes changes={changes} from={view.gate === "request" ? words.outside.edited : words.outside.editedReply} />
  </section>
);

const requestHistory = (view: ReviewView): FieldChange[] =>
  view.requestAsAsked === null ? [] : requestChanges(view.requestAsAsked, view.request);

const RequestGate = ({ view, editing, chosen }: { view: ReviewView; editing: Editing | undefined; chosen: string | undefined }) => (
  <>
    <EditHistory changes={requestHistory(view)} view={view} from={words.outside.edited} />
    <section>
      <h2>{editing === undefined ? words.request.closedContent : words.request.content}</h2>
      <p>{words.outside.rule}</p>
      <RequestContent request={view.request} asAsked={view.requestAsAsked} editing={editing} />
    </section>
    <section class="card">
      <h2>{words.models.heading}</h2>
      <Models models={view.models} choosable={editing !== undefined} chosen={chosen} />
    </section>
    <Notes view={view} />
  </>
);

/** A denied reply is on no page: only the prompt that led to it can still be read. */
const ResponseGate = ({ view, editing }: { view: ReviewView; editing: Editing | undefined }) => {
  const reply = view.state.kind === "denied" ? null : view.reply;
  const replyHistory = reply === null || view.replyAsGenerated === null ? [] : replyChanges(view.replyAsGenerated, reply);
  return (
    <>
      <EditHistory changes={replyHistory} view={view} from={words.outside.editedReply} />
      <section class="card">
        <details class="prompt">
          <summary>
            {words.response.prompt}: {requestSummary(view.request)}
          </summary>
          {view.requestAsAsked === null ? null : <Changes changes={requestHistory(view)} from={words.outside.edited} />}
          <RequestContent request={view.request} asAsked={view.requestAsAsked} editing={undefined} />
          <Models models={view.models} choosable={false} chosen={undefined} />
        </details>
      </section>
      <section>
        <h2>{editing === undefined ? words.response.closedContent : words.response.content}</h2>
        {reply === null ? (
          <p>{view.state.kind === "denied" ? words.response.hidden : words.response.missing}</p>
        ) : (
          <>
            <p>{words.outside.rule}</p>
            <ReplyContent reply={reply} asGenerated={view.replyAsGenerated} editing={editing} view={view} />
          </>
        )}
      </section>
      <Notes view={view} />
    </>
  );
};

const lead = ({ gate, asker, answeredBy, reply }: ReviewView): Child[] =>
  fill(words[gate].lead, {
    server: <Name value={asker.server} />,
    client: <Name value={asker.client} />,
    model: <Name value={answeredBy?.id ?? reply?.model ?? ""} />,
  });

const ReviewPage = ({ view, action, nonce, cspNonce, problem, kept, preview }: ReviewPageInput) => {
  const open = isOpen(view.state);
  const editing: Editing | undefined = open
    ? { kept: kept?.edits ?? new Map(), faults: new Map(problem?.fields?.map(({ field, message }) => [field, message])) }
    : undefined;
  const heading = open ? words[view.gate].title : words[view.gate].closedTitle;
  const content = (
    <>
      {view.gate === "request" ? (
        <RequestGate view={view} editing={editing} chosen={kept?.model} />
      ) : (
        <ResponseGate view={view} editing={editing} />
      )}
    </>
  );
  return (
    <Document
      title={`${open ? "" : `${stateWords(view.state)}: `}${heading} – ${words.product}`}
      cspNonce={cspNonce}
      {...(open ? { skip: { to: "decision", words: words.toDecision } } : {})}
    >
      <h1>{heading}</h1>
      {problem === undefined ? null : <Problem problem={problem} open={open} />}
      <Outcome view={view} />
      {open ? <p class="lead">{lead(view)}</p> : null}
      {open && preview !== undefined ? <Preview changes={preview} view={view} /> : null}
      <Glance view={view} />
      {open || view.risks.length > 0 ? <Risks risks={view.risks} /> : null}
      {open ? (
        <form method="post" action={action} accept-charset="utf-8" autocomplete="off">
          <input type="hidden" name={formFields.nonce} value={nonce} />
          <input type="hidden" name={formFields.version} value={String(view.version)} />
          <input type="hidden" name={formFields.digest} value={view.digest} />
          {content}
          <Decision view={view} kept={kept} />
        </form>
      ) : (
        content
      )}
    </Document>
  );
};

/** The whole page, from `<!doctype html>` on. Every string in `input` is escaped; none is taken for markup. */
export const renderReviewPage = (input: ReviewPageInput): string => asHtml(<ReviewPage {...input} />);

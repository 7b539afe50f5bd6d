// Calls of one session on one page: by tool, each in a row with all of its arguments and a box.
// What is selected is decided, each call by itself. A call with more to say than its arguments
// stands alone: a warning, a change, a masked part, a hand-over.

import type { Child } from "hono/jsx";
import { digestOf } from "../../../shared/encoding.ts";
import { isOfSeries } from "../../../shared/review/inbox-facts.ts";
import { approveAct, formFields, longestReason } from "../../../shared/review/form.ts";
import { mayApprove } from "../../../shared/review/permissions.ts";
import type { Words } from "../../../shared/channels/words/words.ts";
import { reviewFacts } from "../../../shared/review/review-facts.ts";
import type { ToolCallView } from "../../../shared/review/view.ts";
import { CallRow, definitionPart } from "../call-content.tsx";
import { accountSentence } from "../details.tsx";
import { riskWords } from "../../../shared/channels/risk-words.ts";
import { Icon } from "../icons.tsx";
import { useWords } from "../language.ts";
import { Clock, HeadingWords, Strip } from "../lead.tsx";
import { type FramedPart, Frames, Name } from "../outside-text.tsx";
import { requestHistory, showingOf } from "../review-page.tsx";
import { fill, fillText } from "../sentence.tsx";
import type { BulkReview } from "./bulk-page.tsx";

type CallReview = BulkReview & { readonly view: ToolCallView };
type SeriesProps = { readonly calls: readonly CallReview[]; readonly isDenying: boolean };

/** The reviews where they are all calls that were not sent; they are of one session. */
export const callsIn = (reviews: readonly BulkReview[]): readonly CallReview[] | null =>
  reviews.length > 0 && reviews.every((review): review is CallReview => isOfSeries(review.view)) ? reviews : null;

const standsAlone = ({ view }: CallReview): boolean => {
  const { risks, requestAsAsked, redactions = [], handedBy = null } = view;
  return risks.length > 0 || requestAsAsked !== null || redactions.length > 0 || handedBy !== null || !mayApprove(view);
};

/** Those of one tool, of which the server says the same. */
const groupOf = ({ view: { request } }: CallReview): string =>
  digestOf("group", { tool: request.tool, definition: request.definition ?? null });

/** By its first warning, where it has one. */
const Why = ({ view }: { view: ToolCallView }) => {
  const words = useWords();
  const facts = reviewFacts(view);
  const [risk] = facts.risks;
  if (risk === undefined) return <HeadingWords view={view} facts={facts} />;
  return (
    <>
      <Name value={view.request.tool} />
      {words.review.marks.colon}
      {riskWords(risk, words)}
    </>
  );
};

const Alone = ({ calls }: { calls: readonly CallReview[] }) => {
  const { series } = useWords().inbox;
  if (calls.length === 0) return null;
  return (
    <section class="warnings mind" aria-labelledby="alone">
      <h2 id="alone">
        <Icon of="warning" />
        {fill(series.alone, { n: calls.length })}
      </h2>
      <ol>
        {calls.map(({ key, view, path }) => (
          <li data-key={key}>
            <a href={path}>
              <span>
                <Why view={view} />
              </span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
};

const Row = ({ call: { key, view, value, path }, name }: { call: CallReview; name: Child }) => {
  const { bulk } = useWords().inbox;
  return (
    <li data-key={key}>
      <div class="check">
        <label class="pick">
          <span class="sr">{name}</span>
          <input type="checkbox" name="review" value={value} checked autocomplete="off" />
        </label>
        <div class="whole">
          <CallRow call={view.request} before={view.before ?? null} />
          <p class="meta"></p>
        </div>
        <a class="act alone" href={path}>
          <span class="sr">
            {bulk.alone}: {name}
          </span>
        </a>
      </div>
    </li>
  );
};

const Group = ({ calls, index }: { calls: readonly CallReview[]; index: number }) => {
  const { series } = useWords().inbox;
  const name = <Name value={calls[0]?.view.request.tool ?? ""} />;
  return (
    <section class="part" aria-labelledby={`group-${index}`}>
      <header>
        <h2 id={`group-${index}`}>{fill(series.group, { name, n: calls.length })}</h2>
      </header>
      <ul class="series">
        {calls.map((call, i) => (
          <Row call={call} name={<>{fill(series.row, { name, n: String(i + 1), of: String(calls.length) })}</>} />
        ))}
      </ul>
    </section>
  );
};

/** The calls of a tool, and what the server says of it. */
function partsOf(calls: readonly CallReview[], index: number, words: Words): FramedPart[] {
  const view = calls[0]?.view;
  if (view === undefined) return [];
  const { outside } = words.page;
  const { client, server } = view.requestor;
  const showing = showingOf({ view, facts: reviewFacts(view) }, words, undefined, [], requestHistory(view));
  const fromServer = { sentence: outside.server, names: { server } };
  return [
    { from: { sentence: outside.client, names: { client } }, part: <Group calls={calls} index={index} /> },
    ...definitionPart({ call: view.request, showing, fromServer, prefix: `g${index}-` }, words),
  ];
}

type DecisionProps = {
  /** The one that expires first. */
  readonly first: ToolCallView;
  readonly groups: readonly (readonly CallReview[])[];
  readonly isDenying: boolean;
};

/** The bar of a review's page, for all that are selected. */
const Decision = ({ first, groups, isDenying }: DecisionProps) => {
  const words = useWords();
  const { page, inbox } = words;
  const { series, bulk } = inbox;
  const reach = groups[0]?.[0]?.view.mayStop ?? null;
  const asksPasskey = groups.flat().some(({ view }) => view.passkey === true);
  /** The script says how many are selected. */
  const counting = (text: string): string => JSON.stringify({ lang: page.lang, words: text });
  return (
    <section class="decide" id="decision" tabindex={-1} aria-label={page.decide.heading}>
      <Clock view={first} facts={reviewFacts(first)} />
      <p class="effect">{asksPasskey ? bulk.passkey : series.effect}</p>
      <div class="row">
        <details class="up deny" name="up" open={isDenying}>
          <summary class="btn no">{page.decide.deny}</summary>
          <div class="panel">
            <label for="reason">{bulk.reason}</label>
            <textarea class="field" id="reason" name={formFields.reason} rows={2} maxlength={longestReason}></textarea>
            <button type="submit" class="btn no solid" name={formFields.act} value="deny" data-count={counting(series.deny)}>
              {series.denySome}
            </button>
            {reach === null ? null : (
              <button type="submit" class="btn" name={formFields.act} value="denyStop">
                {groups.length === 1 ? page.stop.deny[reach] : series.denyStop[reach]}
              </button>
            )}
          </div>
        </details>
        {asksPasskey ? null : (
          <button
            type="submit"
            id="approve-all"
            class="btn approve yes"
            name={formFields.act}
            value={approveAct(0)}
            data-count={counting(series.approve)}
          >
            {series.approveSome}
          </button>
        )}
      </div>
    </section>
  );
};

/** In the browser's tab and as the heading. */
export const seriesTitle = (calls: readonly CallReview[], words: Words): string => {
  const { client = "", server = "" } = calls[0]?.view.requestor ?? {};
  return fillText(words.inbox.series.tab, { n: calls.length, client, server });
};

const SeriesHeading = ({ calls }: Pick<SeriesProps, "calls">) => {
  const { series } = useWords().inbox;
  const { client = "", server = "" } = calls[0]?.view.requestor ?? {};
  return <h1>{fill(series.title, { n: calls.length, client: <Name value={client} />, server: <Name value={server} /> })}</h1>;
};

/** `notices`: what the page says below its heading. `back`: the way to the inbox. */
export const Series = ({ calls, isDenying, notices, back }: SeriesProps & { readonly notices: Child; readonly back: Child }) => {
  const words = useWords();
  const rows = calls.filter((call) => !standsAlone(call));
  const groups = [...Map.groupBy(rows, groupOf).values()];
  const first = calls.toSorted((a, b) => a.view.deadlineAt - b.view.deadlineAt)[0]?.view;
  if (first === undefined) return null;
  // One for all of them: calls for another account are another series.
  const account = accountSentence(first, words);
  return (
    <>
      <div class="lead">
        <SeriesHeading calls={calls} />
        <Strip view={first} facts={reviewFacts(first)} />
        {account === null ? null : (
          <p class="soft">
            {words.review.account.label}
            {words.review.marks.colon}
            {account}
          </p>
        )}
        {notices}
        <Alone calls={calls.filter(standsAlone)} />
      </div>
      <div class="content">
        {calls.map(({ key }) => (
          <input type="hidden" name="pick" value={key} />
        ))}
        {rows.length === 0 ? null : <Frames parts={groups.flatMap((group, index) => partsOf(group, index, words))} />}
        {back}
      </div>
      {rows.length === 0 ? null : (
        <div class="rail">
          <Decision first={first} groups={groups} isDenying={isDenying} />
        </div>
      )}
    </>
  );
};

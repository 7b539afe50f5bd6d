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
import { Icon } from "../icons.tsx";
import { useWords } from "../language.ts";
import { HeadingWords, Strip } from "../lead.tsx";
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
                <HeadingWords view={view} facts={reviewFacts(view)} />
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
          <p class="meta">
            <a href={path}>{bulk.alone}</a>
          </p>
        </div>
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

const Decision = ({ groups, isDenying }: { groups: readonly (readonly CallReview[])[]; isDenying: boolean }) => {
  const words = useWords();
  const { page, inbox } = words;
  const { series, bulk } = inbox;
  const [first] = groups.flat();
  const reach = first?.view.mayStop ?? null;
  /** The script says how many are selected. */
  const counting = (text: string): string => JSON.stringify({ lang: page.lang, words: text });
  return (
    <section class="card" id="decision" tabindex={-1} aria-label={page.decide.heading}>
      {groups.flat().some(({ view }) => view.passkey === true) ? (
        <p class="note mind">{bulk.passkey}</p>
      ) : (
        <>
          <p class="soft">{series.effect}</p>
          <button
            type="submit"
            id="approve-all"
            class="btn yes"
            name={formFields.act}
            value={approveAct(0)}
            data-count={counting(series.approve)}
          >
            {series.approveSome}
          </button>
        </>
      )}
      <details class="ours" open={isDenying}>
        <summary class="chev">{series.denySome}</summary>
        <div class="in">
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
    </section>
  );
};

/** In the browser's tab and as the heading. */
export const seriesTitle = (calls: readonly CallReview[], words: Words): string => {
  const { client = "", server = "" } = calls[0]?.view.requestor ?? {};
  return fillText(words.inbox.series.tab, { n: calls.length, client, server });
};

export const SeriesHeading = ({ calls }: Pick<SeriesProps, "calls">) => {
  const { series } = useWords().inbox;
  const { client = "", server = "" } = calls[0]?.view.requestor ?? {};
  return <h1>{fill(series.title, { n: calls.length, client: <Name value={client} />, server: <Name value={server} /> })}</h1>;
};

export const Series = ({ calls, isDenying }: SeriesProps) => {
  const words = useWords();
  const rows = calls.filter((call) => !standsAlone(call));
  const groups = [...Map.groupBy(rows, groupOf).values()];
  const [first] = calls.toSorted((a, b) => a.view.deadlineAt - b.view.deadlineAt);
  // One for all of them: calls for another account are another series.
  const account = first === undefined ? null : accountSentence(first.view, words);
  return (
    <>
      {first === undefined ? null : <Strip view={first.view} facts={reviewFacts(first.view)} />}
      {account === null ? null : (
        <p class="soft">
          {words.review.account.label}
          {words.review.marks.colon}
          {account}
        </p>
      )}
      <Alone calls={calls.filter(standsAlone)} />
      {calls.map(({ key }) => (
        <input type="hidden" name="pick" value={key} />
      ))}
      {rows.length === 0 ? null : <Frames parts={groups.flatMap((group, index) => partsOf(group, index, words))} />}
      {rows.length === 0 ? null : <Decision groups={groups} isDenying={isDenying} />}
    </>
  );
};

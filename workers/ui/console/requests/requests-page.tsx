// The list of requests: search, filters, and fifty lines at a time, newest first. It has no content
// of any request.

import { usageOutcomes } from "../../../../shared/record/usage.ts";
import type { RunLine } from "../../../endpoints/admin/answers/run-line.ts";
import type { RunList, RunTotals } from "../../../endpoints/admin/answers/runs.ts";
import type { PointedError } from "../../../../shared/model/outcome.ts";
import { paths } from "../../../platform/urls.ts";
import { useWords } from "../../language.ts";
import { Time } from "../../names.tsx";
import { Name, Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { ApiFailed, detailsOf } from "../api.ts";
import { exampleCommand } from "../example-command.ts";
import { numbersOf } from "../numbers.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Details, Download, Empty, Heads, LinkButton, Names, Note } from "../pieces.tsx";
import { type KeyNames, isCounted, keyNamesOf, waitOf } from "./request-line.ts";
import { AskedBy, Outcome, useCause } from "./request-pieces.tsx";
import { type Filters, RequestSearch, filtersIn, queryOf } from "./request-search.tsx";
import { requestsWords } from "./requests-words.ts";

const FirstRequest = ({ visit }: { visit: Visit }) => {
  const { empty } = useTexts(requestsWords);
  return (
    <section class="card stack" aria-labelledby="first">
      <h2 id="first">{empty.title}</h2>
      <p>{empty.lead}</p>
      <pre class="command" tabindex={0}>
        {exampleCommand(visit.publicUrl)}
      </pre>
      <p>
        <a href={visit.at("keys")}>{empty.keys}</a>
      </p>
    </section>
  );
};

type Refusal = { readonly details: readonly PointedError[] };

const pageSize = 50;

const Why = ({ line }: { line: RunLine }) => {
  const texts = useTexts(requestsWords);
  const { causeFacts, review, rule, endedAt } = line;
  if (causeFacts !== null) return <Cause cause={causeFacts} />;
  if (review === null) return rule === null ? <></> : <>{fill(texts.rule, { rule: <Name value={rule} /> })}</>;
  if (review.by.length === 0) return <>{endedAt === null ? texts.nobodyYet : ""}</>;
  return (
    <>
      <Names of={review.by} />
      {review.edits === 0 ? "" : ` · ${fillText(texts.edits, { n: review.edits })}`}
    </>
  );
};

const Cause = ({ cause }: { cause: NonNullable<RunLine["causeFacts"]> }) => <Plain value={useCause(cause).what} />;

/** In a table alone: a card leaves out what there is not. */
const None = () => {
  const { none } = useTexts(requestsWords);
  return (
    <span class="absent">
      <span aria-hidden="true">–</span>
      <span class="sr">{none}</span>
    </span>
  );
};

const Line = ({ visit, line, keys }: { visit: Visit; line: RunLine; keys: KeyNames }) => {
  const texts = useTexts(requestsWords);
  const { dollars } = useWords().numbers;
  const { span } = numbersOf(visit.language);
  const wait = waitOf(line, visit.now);
  return (
    <tr>
      <td class="whole">
        <Time at={Date.parse(line.at)} now={visit.now} />
      </td>
      <td class="main-cell">
        <a href={visit.at(`requests/${line.id}`)}>
          <AskedBy line={line} />
        </a>
      </td>
      <td class="col-key-of" data-k={texts.columns.key}>
        <Name value={keys.get(line.key) ?? line.key} />
      </td>
      <td>{line.model === null ? <None /> : <Name value={line.model} />}</td>
      <td class="end whole">
        <Outcome line={line} isShort />
      </td>
      <td class="full why">
        <Why line={line} />
      </td>
      <td class="num">{isCounted(line) ? dollars(line.usage.costUsd) : <None />}</td>
      <td class="num whole" {...(wait === null ? {} : { "data-k": texts.columns.wait })}>
        {wait === null ? <None /> : span(wait)}
      </td>
    </tr>
  );
};

/** `isAll`: there are no others. */
const Lines = ({ visit, runs, keys, isAll }: { visit: Visit; runs: readonly RunLine[]; keys: KeyNames; isAll: boolean }) => {
  const texts = useTexts(requestsWords);
  const { time, by, key, model, outcome, why, cost, wait } = texts.columns;
  return (
    <section class="card scrolls" tabindex={0} aria-label={texts.title}>
      <table class="cards lines">
        <caption>
          {fill(isAll ? texts.shown : texts.shownHere, { n: runs.length })} <span class="soft">{texts.notSearched}</span>
        </caption>
        <thead>
          <tr>
            <Heads of={[time]} class="col-time" />
            <Heads of={[by]} class="col-by" />
            <Heads of={[key]} class="col-key" />
            <Heads of={[model]} class="col-model" />
            <Heads of={[outcome]} class="col-outcome" />
            <Heads of={[why]} />
            <Heads of={[cost]} class="num col-cost" />
            <Heads of={[wait]} class="num col-wait" />
          </tr>
        </thead>
        <tbody>
          {runs.map((line) => (
            <Line visit={visit} line={line} keys={keys} />
          ))}
        </tbody>
      </table>
    </section>
  );
};

/** The files of all that match, where the list goes on, and how far a search has come. */
const Below = ({ visit, filters, listed: { runs, next } }: { visit: Visit; filters: Filters; listed: RunList }) => {
  const texts = useTexts(requestsWords);
  const isFirst = visit.query.get("after") === null;
  const came = next === null || runs.length >= pageSize ? Number.NaN : Date.parse(next.split("~")[0] ?? "");
  return (
    <div class="head">
      {Number.isNaN(came) ? null : <span class="soft">{fill(texts.searchedTo, { at: <Time at={came} now={visit.now} /> })}</span>}
      {runs.length === 0 ? null : <Exports visit={visit} filters={filters} />}
      <span class="acts">
        {isFirst ? null : <LinkButton to={visit.at("requests", filters)}>{texts.newest}</LinkButton>}
        {next === null ? null : (
          <LinkButton to={visit.at("requests", { ...filters, after: next })}>
            {runs.length < pageSize ? texts.further : texts.older}
          </LinkButton>
        )}
      </span>
    </div>
  );
};

/** All that match, on every page. */
const Exports = ({ visit, filters }: { visit: Visit; filters: Filters }) => {
  const texts = useTexts(requestsWords);
  const query = queryOf(filters, visit);
  return (
    <div class="row-acts">
      <Download visit={visit} file="requests-csv" query={query}>
        {texts.csv}
      </Download>
      <Download visit={visit} file="requests-ndjson" query={query}>
        {texts.ndjson}
      </Download>
    </div>
  );
};

/** What all that match come to, on its first page. */
const Totals = ({ visit, of }: { visit: Visit; of: RunTotals }) => {
  const { totals } = useTexts(requestsWords);
  const { dollars } = useWords().numbers;
  const { count } = numbersOf(visit.language);
  const { requests, open, outcomes, reviewed, inputTokens, outputTokens, costUsd, since } = of;
  const parts = [
    fillText(totals.requests, { n: requests }),
    ...usageOutcomes.flatMap((each) => (outcomes[each] > 0 ? [fillText(totals.outcomes[each], { n: outcomes[each] })] : [])),
    ...(open > 0 ? [fillText(totals.open, { n: open })] : []),
    ...(reviewed > 0 ? [fillText(totals.reviewed, { n: reviewed })] : []),
    ...(inputTokens + outputTokens > 0 ? [fillText(totals.tokens, { input: count(inputTokens), output: count(outputTokens) })] : []),
    ...(costUsd > 0 ? [dollars(costUsd)] : []),
  ];
  return (
    <section aria-label={totals.label}>
      <p>{parts.join(" · ")}</p>
      {since === null ? null : <p class="soft">{fill(totals.since, { at: <Time at={Date.parse(since)} now={visit.now} exact /> })}</p>}
    </section>
  );
};

const NotUsable = ({ refusal: { details } }: { refusal: Refusal }) => {
  const texts = useTexts(requestsWords);
  return (
    <Note of="bad">
      <p>{texts.badFilter}</p>
      <Details of={details} />
    </Note>
  );
};

async function listRequests(visit: Visit, filters: Filters): Promise<RunList | Refusal> {
  const query = new URLSearchParams({ ...queryOf(filters, visit), limit: String(pageSize) });
  const after = visit.query.get("after");
  if (after !== null) query.set("after", after);
  try {
    return await visit.api.read(paths.admin.runs, { query });
  } catch (error) {
    if (!(error instanceof ApiFailed) || error.failure.status !== 400) throw error;
    return { details: detailsOf(error.failure.body) };
  }
}

/** Null where nothing is searched for: what all requests come to is on the page of usage. */
async function readTotals(visit: Visit, filters: Filters): Promise<RunTotals | null> {
  if (Object.keys(filters).length === 0 || visit.query.has("after")) return null;
  return visit.api.read(paths.admin.runTotals, { query: queryOf(filters, visit) });
}

async function renderRequests(visit: Visit): Promise<PageAnswer> {
  const filters = filtersIn(visit.query);
  const whole = /^run_[\w-]{30,}$/.exec(filters["q"] ?? "")?.[0];
  if (whole !== undefined && (await visit.api.find(paths.admin.run, { id: whole })) !== null)
    return { kind: "redirect", to: visit.at(`requests/${whole}`) };
  const [listed, known] = await Promise.all([listRequests(visit, filters), visit.api.read(paths.admin.keys)]);
  const totals = "details" in listed || listed.runs.length === 0 ? null : await readTotals(visit, filters);
  const texts = requestsWords[visit.language];
  const isFiltered = Object.keys(filters).length > 0 || visit.query.has("after");
  return {
    kind: "page",
    ...("details" in listed ? { status: 422 } : {}),
    title: texts.title,
    body: () => (
      <>
        <div class="head">
          <h1>{texts.title}</h1>
          <Download visit={visit} file="record">
            {texts.export}
          </Download>
        </div>
        <RequestSearch visit={visit} filters={filters} keys={known.keys} />
        {"details" in listed ? (
          <NotUsable refusal={listed} />
        ) : (
          <>
            {totals === null ? null : <Totals visit={visit} of={totals} />}
            {listed.runs.length > 0 ? (
              <Lines visit={visit} runs={listed.runs} keys={keyNamesOf(known)} isAll={listed.next === null && !visit.query.has("after")} />
            ) : isFiltered || listed.next !== null ? (
              <Empty>{texts.noMatch}</Empty>
            ) : (
              <FirstRequest visit={visit} />
            )}
            <Below visit={visit} filters={filters} listed={listed} />
          </>
        )}
      </>
    ),
  };
}

export const requestsPage: ConsolePage = { path: "requests", get: renderRequests };

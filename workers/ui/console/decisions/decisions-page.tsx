// Who approved or denied what: the decisions of people from the record, by person, decision, server
// and time, and as a file. Each leads to its request.

import type { Decision, DecisionList } from "../../../endpoints/admin/answers/decisions.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { useWords } from "../../language.ts";
import { Name, plainLetters } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { ApiFailed, detailsOf } from "../api.ts";
import { Input, Select, filledWith } from "../fields.tsx";
import { numbersOf } from "../numbers.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Details, Download, Empty, Heads, LinkButton, Note, Tag } from "../pieces.tsx";
import { type KeyNames, keyNamesOf } from "../requests/request-line.ts";
import { RangeChips, RangeFields, rangeIn, rangeOf } from "../time-range.tsx";
import { decisionsWords } from "./decisions-words.ts";

const kinds = ["approved", "denied", "dismissed"] as const;
const names = ["by", "decision", "server"] as const;
const requestsOnPage = 50;

type Filters = Readonly<Record<string, string>>;

const filtersIn = (query: URLSearchParams): Filters =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = (query.get(name) ?? "").trim();
      return value === "" ? [] : [[name, value] as const];
    }),
  );

type Looked = { readonly visit: Visit; readonly filters: Filters; readonly said: Filters };

const Search = ({ visit, filters, said, people }: Looked & { readonly people: readonly string[] }) => {
  const texts = useTexts(decisionsWords);
  const typed = filledWith(filters);
  return (
    <>
      <form class="card filters" method="get" action={visit.at("decisions")} role="search">
        <div class="fields">
          <Input typed={typed} name="by" label={texts.by} maxlength={128} offers={people} />
          <Select
            typed={typed}
            name="decision"
            label={texts.decision}
            options={[["", texts.any] as const, ...kinds.map((each) => [each, texts.decisions[each]] as const)]}
          />
          <Input typed={typed} name="server" label={texts.server} maxlength={512} />
          <RangeFields visit={visit} said={said} />
        </div>
        <p>
          <button class="btn" type="submit">
            {texts.show}
          </button>
        </p>
      </form>
      <RangeChips visit={visit} said={said} at={(time) => visit.at("decisions", { ...filters, ...time })} />
    </>
  );
};

const looks = { approved: ["ok", "check"], denied: ["bad", "cross"], dismissed: ["mind", "cross"] } as const;

const Row = ({ visit, of, keys }: { visit: Visit; of: Decision; keys: KeyNames }) => {
  const texts = useTexts(decisionsWords);
  const { columns } = texts;
  const [tone, icon] = looks[of.decision];
  const words = useWords();
  const subjects: Readonly<Record<string, string>> = texts.subjects;
  const what = [of.server ?? "", of.tool ?? ""].filter((each) => each !== "").join(" · ");
  return (
    <tr>
      <td class="whole">
        <Time at={Date.parse(of.at)} now={visit.now} />
      </td>
      <td class="main-cell">
        {of.member === null ? (
          <Name value={of.by} />
        ) : (
          fill(texts.member, { member: <Name value={of.member} />, room: <Name value={of.by} /> })
        )}
      </td>
      <td class="end whole">
        <Tag of={tone} icon={icon}>
          {of.vote ? texts.vote : texts.decisions[of.decision]}
        </Tag>
      </td>
      <td class="full why">
        <a href={visit.at(`requests/${of.request}`)}>
          <Name value={what === "" ? of.request : what} />
        </a>{" "}
        <span class="soft">
          {of.subject === null ? "" : `${subjects[of.subject] ?? of.subject}, `}
          {texts.gates[of.gate]}
        </span>
      </td>
      <td class="col-key-of" data-k={columns.key}>
        <Name value={keys.get(of.key) ?? of.key} />
      </td>
      <td data-k={columns.known}>{fill(texts.known[of.known], { issuer: <Name value={of.issuer ?? ""} /> })}</td>
      <td data-k={columns.edited}>{of.written ? texts.written : of.edits === 0 ? texts.none : fillText(texts.edits, { n: of.edits })}</td>
      <td class="num whole" data-k={columns.waited}>
        {of.waitedMs === null ? "" : numbersOf(visit.language).span(of.waitedMs)}
      </td>
      <td class="num whole" data-k={columns.receipt}>
        <a href={`${visit.at(`requests/${of.request}`)}#record`}>
          {columns.receipt}
          <span class="sr"> {what === "" ? of.request : plainLetters(what, words)}</span>
        </a>
      </td>
    </tr>
  );
};

const Rows = ({ visit, list: { decisions }, keys }: { visit: Visit; list: DecisionList; keys: KeyNames }) => {
  const texts = useTexts(decisionsWords);
  const { time, by, decision, what, key, known, edited, waited, receipt } = texts.columns;
  return (
    <section class="card scrolls" tabindex={0} aria-label={texts.title}>
      <table class="cards lines decided">
        <caption>{fillText(texts.shown, { n: decisions.length })}</caption>
        <thead>
          <tr>
            {[time, by, decision, what, key, known, edited].map((name) => (
              <th scope="col" {...(name === key ? { class: "col-key" } : {})}>
                {name}
              </th>
            ))}
            <Heads of={[waited, receipt]} class="num" />
          </tr>
        </thead>
        <tbody>
          {decisions.map((of) => (
            <Row visit={visit} of={of} keys={keys} />
          ))}
        </tbody>
      </table>
    </section>
  );
};

const Further = ({ visit, filters, said, next }: Looked & { readonly next: string | null }) => {
  const texts = useTexts(decisionsWords);
  const isFirst = !visit.query.has("after");
  if (isFirst && next === null) return null;
  const at = Date.parse(next?.split("~")[0] ?? "");
  return (
    <div class="head">
      <span class="soft">{Number.isNaN(at) ? "" : fill(texts.lookedBackTo, { at: <Time at={at} now={visit.now} /> })}</span>
      <span class="acts">
        {isFirst ? null : <LinkButton to={visit.at("decisions", { ...filters, ...said })}>{texts.newest}</LinkButton>}
        {next === null ? null : <LinkButton to={visit.at("decisions", { ...filters, ...said, after: next })}>{texts.older}</LinkButton>}
      </span>
    </div>
  );
};

async function get(visit: Visit): Promise<PageAnswer> {
  const filters = filtersIn(visit.query);
  const said = rangeIn(visit.query);
  const asked = { ...filters, ...rangeOf(said, visit) };
  const after = visit.query.get("after");
  const query = { ...asked, limit: String(requestsOnPage), ...(after === null ? {} : { after }) };
  const [list, keys, { reviewers }] = await Promise.all([
    visit.api.read(paths.admin.decisions, { query }).catch((error: unknown) => {
      if (error instanceof ApiFailed && error.failure.status === 400) return detailsOf(error.failure.body);
      throw error;
    }),
    visit.api.read(paths.admin.keys).then(keyNamesOf),
    visit.api.read(paths.admin.reviewers),
  ]);
  const texts = decisionsWords[visit.language];
  const looked: Looked = { visit, filters, said };
  const people = [...new Set(reviewers.map(({ name }) => name))];
  return {
    kind: "page",
    ...("decisions" in list ? {} : { status: 422 }),
    title: texts.title,
    body: () => (
      <>
        <h1>{texts.title}</h1>
        <p>{texts.lead}</p>
        <Search {...looked} people={people} />
        {"decisions" in list ? (
          <>
            {list.decisions.length === 0 ? (
              <Empty>{list.next === null ? texts.empty : texts.notYet}</Empty>
            ) : (
              <Rows visit={visit} list={list} keys={keys} />
            )}
            <Further {...looked} next={list.next} />
            {list.decisions.length === 0 ? null : (
              <div class="row-acts">
                <Download visit={visit} file="decisions-csv" query={asked}>
                  {texts.csv}
                </Download>
                <Download visit={visit} file="decisions-ndjson" query={asked}>
                  {texts.ndjson}
                </Download>
              </div>
            )}
          </>
        ) : (
          <Note of="bad">
            <p>{texts.badFilter}</p>
            <Details of={list} />
          </Note>
        )}
      </>
    ),
  };
}

export const decisionsPage: ConsolePage = { path: "decisions", get };

// The record of what operators did: month by month, as sentences; whether the log has it as it was;
// and its export.

import { fill } from "../../sentence.tsx";
import { actsOfMonth, monthAt } from "../../../../shared/record/operators.ts";
import { actKinds } from "../../../../shared/record/record.ts";
import type { ActCheck, ActList as Acts } from "../../../endpoints/admin/answers/acts.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Select, type Typed } from "../fields.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Download, Empty, Note, Pager } from "../pieces.tsx";
import { ActSentence } from "./act-sentence.tsx";
import { recordWords } from "./record-words.ts";

const actsOnPage = 50;
/** The record is kept for 400 days by default; an export has older months. */
const monthsKept = 14;

/** The months of which there may be acts, this one first. */
function monthsUntil(now: number): string[] {
  const [year = 0, month = 0] = monthAt(now).split("-").map(Number);
  return Array.from({ length: monthsKept }, (_, i) => monthAt(Date.UTC(year, month - 1 - i)));
}

const monthName = (month: string, { language }: Visit): string =>
  new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    Date.parse(`${month}-01T00:00:00Z`),
  );

const Filter = ({ visit, month, kind }: { visit: Visit; month: string; kind: string }) => {
  const texts = useTexts(recordWords);
  const typed: Typed = { values: { month: [month], kind: [kind] }, errors: {} };
  return (
    <form class="search" method="get" action={visit.at("record")}>
      <Select
        typed={typed}
        name="month"
        label={texts.month}
        options={monthsUntil(visit.now).map((each) => [each, monthName(each, visit)])}
      />
      <Select
        typed={typed}
        name="kind"
        label={texts.kind}
        options={[["", texts.everything], ...actKinds.map((each) => [each, texts.kinds[each]] as const)]}
      />
      <button class="btn" type="submit">
        {texts.show}
      </button>
    </form>
  );
};

const ActList = ({ visit, list: { acts, next } }: { visit: Visit; list: Acts }) => {
  const texts = useTexts(recordWords);
  if (acts.length === 0) return <Empty>{next === null ? texts.none : texts.notYet}</Empty>;
  return (
    <ol class="rank done-list">
      {acts.map(({ at, fact }) => (
        <li>
          <span class="soft">
            <Time at={Date.parse(at)} now={visit.now} exact />
          </span>
          <span>
            <ActSentence fact={fact} visit={visit} />
          </span>
        </li>
      ))}
    </ol>
  );
};

const CheckNote = ({ of: { events, issue, at } }: { of: ActCheck }) => {
  const { check } = useTexts(recordWords);
  if (issue !== null) return <Note of="bad">{check[issue].replace("{at}", String(at ?? ""))}</Note>;
  return <Note of="ok">{events === 0 ? check.empty : fill(check.holds, { n: events })}</Note>;
};

const Completeness = ({ visit, month, kind, checked }: { visit: Visit; month: string; kind: string; checked: ActCheck | null }) => {
  const { check } = useTexts(recordWords);
  return (
    <section class="card stack" id="check" aria-labelledby="complete">
      <h2 id="complete">{check.title}</h2>
      <p>{check.lead}</p>
      {checked === null ? null : <CheckNote of={checked} />}
      <p>
        <a class="btn small" href={`${visit.at("record", { month, kind, check: "yes" })}#check`}>
          {check.button}
        </a>
      </p>
    </section>
  );
};

async function get(visit: Visit): Promise<PageAnswer> {
  const { api, query, now, language } = visit;
  const months = monthsUntil(now);
  const month = months.find((each) => each === query.get("month")) ?? monthAt(now);
  const kind = actKinds.find((each) => each === query.get("kind")) ?? "";
  const before = query.get("before");
  const asked = new URLSearchParams({ month, limit: String(actsOnPage), ...(kind === "" ? {} : { kind }) });
  if (before !== null && /^\d{1,12}$/.test(before)) asked.set("before", before);
  const [list, checked] = await Promise.all([
    api.read(paths.admin.acts, { query: asked }),
    query.get("check") === "yes" ? api.read(paths.admin.actsCheck, { query: { month } }) : null,
  ]);
  const texts = recordWords[language];
  return {
    kind: "page",
    title: texts.title,
    body: () => (
      <>
        <h1>{texts.title}</h1>
        <p>{texts.lead}</p>
        <Filter visit={visit} month={month} kind={kind} />
        <section class="card" aria-label={monthName(month, visit)}>
          <ActList visit={visit} list={list} />
        </section>
        <Pager
          newer={asked.has("before") ? visit.at("record", { month, kind }) : null}
          older={list.next === null ? null : visit.at("record", { month, kind, before: list.next })}
        />
        <Completeness visit={visit} month={month} kind={kind} checked={checked} />
        <section class="card stack" aria-labelledby="export">
          <h2 id="export">{texts.exports.title}</h2>
          <div class="actions">
            <Download visit={visit} file="record" query={{ run: actsOfMonth(month) }}>
              {texts.exports.month}
            </Download>
            <Download visit={visit} file="record">
              {texts.exports.all}
            </Download>
          </div>
        </section>
      </>
    ),
  };
}

export const recordPage: ConsolePage = { path: "record", get };

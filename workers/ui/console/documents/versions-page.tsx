// The versions of a document: who wrote each, and the difference of any two.

import { documentDifference } from "../../../../shared/review/document-difference.ts";
import { Time } from "../../names.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { Select, filledWith } from "../fields.tsx";
import { type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Empty, Note } from "../pieces.tsx";
import { DifferenceCard } from "./difference-view.tsx";
import { type Version, findVersion, numberIn, readVersions, textOf, versionName } from "./document-api.ts";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import { DocumentTrail } from "./document-trail.tsx";
import { documentsWords } from "./documents-words.ts";
import { WriterName } from "./writer-name.tsx";

type Compared = { readonly from: number; readonly to: number; readonly texts: readonly [string, string] | null };

/** GET; with `from` and `to`, the difference of the two. */
export async function renderVersions(visit: Visit, name: DocumentName): Promise<PageAnswer> {
  const [versions, compared] = await Promise.all([readVersions(visit, name), comparedIn(visit, name)]);
  const texts = documentsWords[visit.language];
  const title = `${texts.names[name]}: ${texts.versions}`;
  return {
    kind: "page",
    title,
    body: () => (
      <>
        <div class="head">
          <h1>{title}</h1>
          <DocumentTrail visit={visit} name={name} at="versions" />
        </div>
        {compared === null ? null : <Comparison compared={compared} />}
        {versions.length === 0 ? null : <Compare visit={visit} name={name} versions={versions} compared={compared} />}
        <section class="card">
          {versions.length === 0 ? <Empty>{texts.list.none}</Empty> : <List visit={visit} name={name} versions={versions} />}
        </section>
      </>
    ),
  };
}

async function comparedIn(visit: Visit, name: DocumentName): Promise<Compared | null> {
  const [from, to] = [numberIn(visit.query.get("from")), numberIn(visit.query.get("to"))];
  if (from === null || to === null) return null;
  const [before, after] = await Promise.all([findVersion(visit, name, from), findVersion(visit, name, to)]);
  return { from, to, texts: before === null || after === null ? null : [textOf(before), textOf(after)] };
}

const Comparison = ({ compared: { from, to, texts: both } }: { compared: Compared }) => {
  const texts = useTexts(documentsWords);
  if (both === null) return <Note of="bad">{texts.list.gone}</Note>;
  const title = fillText(texts.list.difference, { from, to });
  return <DifferenceCard title={title} lines={documentDifference(...both)} none={texts.list.same} />;
};

type ListProps = { readonly visit: Visit; readonly name: DocumentName; readonly versions: readonly Version[] };

const Compare = ({ visit, name, versions, compared }: ListProps & { compared: Compared | null }) => {
  const texts = useTexts(documentsWords);
  const numbers = [...versions.map(({ version }) => version), 0];
  const [newest = 0, before = 0] = numbers;
  const options = numbers.map((version) => [String(version), versionName(texts, version)] as const);
  const typed = filledWith({ from: String(compared?.from ?? before), to: String(compared?.to ?? newest) });
  return (
    <form class="card form" method="get" action={visit.at(`documents/${name}/versions`)} aria-labelledby="compare">
      <h2 id="compare">{texts.list.compare}</h2>
      <div class="two">
        <Select typed={typed} name="from" label={texts.list.from} options={options} />
        <Select typed={typed} name="to" label={texts.list.to} options={options} />
      </div>
      <button class="btn" type="submit">
        {texts.list.compareButton}
      </button>
    </form>
  );
};

const List = ({ visit, name, versions }: ListProps) => {
  const texts = useTexts(documentsWords);
  const { list } = texts;
  return (
    <table class="cards">
      <caption>{list.caption}</caption>
      <thead>
        <tr>
          <th>{list.version}</th>
          <th>{list.when}</th>
          <th>{list.who}</th>
          <th>
            <span class="sr">{list.show}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {versions.map(({ version, at, by, restored }, i) => (
          <tr>
            <td class="main-cell">
              <a href={visit.at(`documents/${name}/versions/${version}`)}>{fill(texts.version, { n: version })}</a>{" "}
              {restored === null ? null : <span class="soft">{fill(list.restored, { n: restored })}</span>}
            </td>
            <td>
              <Time at={Date.parse(at)} now={visit.now} />
            </td>
            <td data-k={list.who}>
              <WriterName by={by} />
            </td>
            <td class="end">{i === 0 ? <span class="tag ok">{list.current}</span> : null}</td>
          </tr>
        ))}
        <tr>
          <td class="main-cell">
            <a href={visit.at(`documents/${name}/versions/0`)}>{texts.builtIn}</a>
          </td>
          <td />
          <td />
          <td class="end" />
        </tr>
      </tbody>
    </table>
  );
};

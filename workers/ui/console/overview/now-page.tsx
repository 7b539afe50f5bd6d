// All providers, models and servers of the last hour, what fails first: their failures and times.

import type { OutcomeLine } from "../../../endpoints/admin/answers/outcomes.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { numbersOf } from "../numbers.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Empty, Heads, Names } from "../pieces.tsx";
import { alertedIn } from "../alerts/alerts-page.tsx";
import { alertsWords } from "../alerts/alerts-words.ts";
import { NowAt, NowParts, type NowProps, NowSummary, type OutcomeList, behind, lists, timeOf } from "./now.tsx";
import { nowScript } from "./now-script.ts";
import { nowWords } from "./now-words.ts";

const Table = ({ list, of, ...props }: NowProps & { list: OutcomeList; of: readonly OutcomeLine[] }) => {
  const texts = useTexts(nowWords);
  const { visit } = props;
  const numbers = numbersOf(visit.language);
  const { columns } = texts;
  const failed = ({ failed: some, count }: OutcomeLine["now"]): string =>
    fillText(texts.of, { failed: numbers.count(some), n: numbers.count(count) });
  const times = [columns.p50, columns.p95] as const;
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">{columns.name}</th>
          <Heads of={[columns.now, columns.hour, columns.rate, ...times, columns.last]} class="num" />
        </tr>
      </thead>
      <tbody>
        {of.map((line) => (
          <tr>
            <td class="main-cell">
              <a href={behind(props, list, line)} data-of={`${list} ${line.name}`}>
                <Name value={line.name} />
              </a>
              {line.provider === null ? null : (
                <span class="soft">
                  {" "}
                  <Name value={line.provider} />
                </span>
              )}{" "}
              {line.isFailing ? <span class="tag bad">{texts.tag}</span> : null}
            </td>
            <td class="num" data-k={columns.now}>
              {failed(line.now)}
            </td>
            <td class="num" data-k={columns.hour}>
              {failed(line.hour)}
            </td>
            <td class="num" data-k={columns.rate}>
              {line.hour.count === 0 ? "–" : numbers.percent(line.hour.failed / line.hour.count)}
            </td>
            {([line.p50Ms, line.p95Ms] as const).map((milliseconds, i) => (
              <td class="num" data-k={times[i]}>
                {timeOf(numbers, milliseconds)}
              </td>
            ))}
            <td class="num" data-k={columns.last}>
              {line.lastFailedAt === null ? "–" : <Time at={Date.parse(line.lastFailedAt)} now={visit.now} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** `provider`: its models alone; null: everything. */
const Tables = ({ provider, ...props }: NowProps & { provider: string | null }) => {
  const texts = useTexts(nowWords);
  const { outcomes, visit } = props;
  return (
    <div id="now-all" class="stack" tabindex={-1}>
      {lists.map((list) => {
        if (provider !== null && list !== "models") return null;
        const of = outcomes[list].filter((line) => provider === null || line.provider === provider);
        return (
          <section class="card scrolls" tabindex={0} aria-labelledby={`now-${list}`}>
            <h2 id={`now-${list}`}>
              {provider === null ? texts.lists[list] : fill(texts.modelsOf, { provider: <Name value={provider} /> })}
            </h2>
            {of.length === 0 ? (
              <Empty>{list === "servers" ? texts.noRequests : texts.noCalls}</Empty>
            ) : (
              <Table {...props} list={list} of={of} />
            )}
          </section>
        );
      })}
      {provider === null ? null : (
        <p>
          <a href={visit.at("now")} data-of="everything">
            {texts.everything}
          </a>
        </p>
      )}
    </div>
  );
};

const Alerted = ({ visit, to }: { visit: Visit; to: readonly string[] }) => {
  const texts = useTexts(alertsWords);
  return (
    <p>
      {to.length === 0 ? texts.nobodyTold : fill(texts.told, { to: <Names of={to} /> })} <a href={visit.at("alerts")}>{texts.change}</a>
    </p>
  );
};

async function renderNow(visit: Visit): Promise<PageAnswer> {
  const [outcomes, policy] = await Promise.all([visit.api.read(paths.admin.outcomes), visit.api.read(paths.admin.policy)]);
  const props = { visit, outcomes };
  const asked = visit.query.get("provider");
  const provider = asked === "" ? null : asked;
  const part = visit.query.get("part");
  if (part === "card") return { kind: "part", body: () => <NowParts {...props} /> };
  if (part === "page")
    return {
      kind: "part",
      body: () => (
        <>
          <NowAt {...props} />
          <NowSummary {...props} />
          <Tables {...props} provider={provider} />
        </>
      ),
    };
  const texts = nowWords[visit.language];
  return {
    kind: "page",
    title: texts.title,
    script: nowScript,
    body: () => (
      <>
        <div class="head">
          <h1>{texts.title}</h1>
          <NowAt {...props} />
        </div>
        <section class="card" aria-label={texts.title}>
          <NowSummary {...props} live={visit.at("now", { part: "page", provider })} />
        </section>
        <Tables {...props} provider={provider} />
        <p class="soft">{texts.lead}</p>
        <Alerted visit={visit} to={alertedIn(policy)} />
        <p>
          <a href={visit.at("")}>{texts.back}</a>
        </p>
      </>
    ),
  };
}

export const nowPage: ConsolePage = { path: "now", get: renderNow };

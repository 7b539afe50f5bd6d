// What fails now, by provider, model and server: a card of the overview, and a page with all of it.
// Both are renewed by the page's script, and are whole without it.

import type { Child } from "hono/jsx";
import type { OutcomeLine, Outcomes } from "../../../endpoints/admin/answers/outcomes.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { type Numbers, numbersOf } from "../numbers.ts";
import { type Visit, useTexts } from "../page.ts";
import { Empty } from "../pieces.tsx";
import { FindingItem } from "./health.tsx";
import { nowWords } from "./now-words.ts";

/** On the overview; the page has all. */
const mostShown = 5;

export const lists = ["providers", "models", "servers"] as const;
export type OutcomeList = (typeof lists)[number];

export type NowProps = { readonly visit: Visit; readonly outcomes: Outcomes };

/** Where the requests behind a line are; of a provider, its models. */
export const behind = ({ visit, outcomes: { hourSince } }: NowProps, list: OutcomeList, { name }: OutcomeLine): string =>
  list === "providers"
    ? visit.at("now", { provider: name })
    : visit.at("requests", { [list === "models" ? "model" : "server"]: name, since: hourSince });

/** Everything that fails: a model or a server whose provider does is not said twice. */
function failing({ outcomes: { providers, models, servers } }: NowProps): (readonly [OutcomeList, OutcomeLine])[] {
  const known = new Set(providers.filter(({ isFailing }) => isFailing).map(({ name }) => name));
  const of = (list: OutcomeList, all: readonly OutcomeLine[]) =>
    all.filter(({ isFailing }) => isFailing).map((line) => [list, line] as const);
  return [
    ...of("providers", providers),
    ...of(
      "models",
      models.filter(({ provider }) => provider === null || !known.has(provider)),
    ),
    ...of("servers", known.size > 0 ? [] : servers),
  ];
}

/** Elements with ids, each renewed by itself. `live`: where the script asks for them anew. */
export const NowSummary = (props: NowProps & { readonly live?: string }) => {
  const { visit, outcomes, live } = props;
  const texts = useTexts(nowWords);
  const { count } = numbersOf(visit.language);
  const { reviews, isPartial } = outcomes;
  const said = failing(props).map(([list, line]): Child => {
    const { now, name } = line;
    const sentence = list === "servers" ? texts.ofRequests : texts.ofCalls;
    return (
      <FindingItem of="bad">
        <b>{fill(texts.fails, { name: <Name value={name} /> })}</b>: {fill(sentence, { failed: count(now.failed), n: now.count })}{" "}
        <a href={behind(props, list, line)} data-of={`finding ${list} ${name}`}>
          {list === "providers" ? texts.showModels : texts.show}
        </a>
      </FindingItem>
    );
  });
  const ofReviews = (["undeliverable", "expired"] as const)
    .filter((how) => reviews[how].now > 0)
    .map((how) => (
      <FindingItem of="mind">
        {fill(texts[how], { n: reviews[how].now })}{" "}
        <a href={visit.at("requests", { state: how, since: outcomes.hourSince })} data-of={`finding ${how}`}>
          {texts.show}
        </a>
      </FindingItem>
    ));
  return (
    <div id="now-said" role="status" tabindex={-1} {...(live === undefined ? {} : { "data-live": live })}>
      <ul class="findings">
        {said.length + ofReviews.length === 0 ? <FindingItem of="ok">{texts.none}</FindingItem> : null}
        {said}
        {ofReviews}
        {isPartial ? <FindingItem of="mind">{texts.isPartial}</FindingItem> : null}
      </ul>
    </div>
  );
};

/** As of when: the script renews it. */
export const NowAt = ({ visit, outcomes: { at } }: NowProps) => (
  <span class="soft" id="now-at">
    {fill(useTexts(nowWords).asOf, { at: <Time at={Date.parse(at)} now={visit.now} exact /> })}
  </span>
);

export const timeOf = (numbers: Numbers, milliseconds: number | null): string =>
  milliseconds === null ? "–" : numbers.brief(milliseconds);

const Row = ({ list, line, ...props }: NowProps & { list: OutcomeList; line: OutcomeLine }) => {
  const texts = useTexts(nowWords);
  const numbers = numbersOf(props.visit.language);
  const { name, isFailing, hour, p50Ms, p95Ms } = line;
  const failed = fillText(texts.line, { failed: numbers.count(hour.failed), n: numbers.count(hour.count) });
  return (
    <li>
      <div class="line">
        <a href={behind(props, list, line)} data-of={`${list} ${name}`}>
          <Name value={name} />
        </a>
        {isFailing ? <span class="tag bad">{texts.tag}</span> : null}
      </div>
      <span class="soft">
        {failed}
        {p50Ms === null ? null : ` · ${fillText(texts.times, { p50: timeOf(numbers, p50Ms), p95: timeOf(numbers, p95Ms) })}`}
      </span>
    </li>
  );
};

const NowLists = (props: NowProps) => {
  const texts = useTexts(nowWords);
  return (
    <div class="grid third" id="now-lists" tabindex={-1}>
      {lists.map((list) => {
        const all = props.outcomes[list];
        return (
          <div>
            <h3>{texts.lists[list]}</h3>
            {all.length === 0 ? <Empty>{list === "servers" ? texts.noRequests : texts.noCalls}</Empty> : null}
            <ul class="rank">
              {all.slice(0, mostShown).map((line) => (
                <Row {...props} list={list} line={line} />
              ))}
            </ul>
          </div>
        );
      })}
    </div>
  );
};

/** What the card's script asks for. */
export const NowParts = (props: NowProps) => (
  <>
    <NowAt {...props} />
    <NowSummary {...props} />
    <NowLists {...props} />
  </>
);

/** Beside what the doctor found: what it does not see. */
export const NowHealth = (props: NowProps) => {
  const texts = useTexts(nowWords);
  return (
    <section class="card" aria-labelledby="now">
      <div class="head">
        <h2 id="now">{texts.title}</h2>
        <NowAt {...props} />
      </div>
      <NowSummary {...props} live={props.visit.at("now", { part: "card" })} />
      <a href={props.visit.at("now")}>{texts.all}</a>
    </section>
  );
};

export const NowCard = (props: NowProps) => {
  const texts = useTexts(nowWords);
  return (
    <section class="card stack" aria-labelledby="now">
      <div class="head">
        <h2 id="now">{texts.title}</h2>
        <NowAt {...props} />
      </div>
      <NowSummary {...props} live={props.visit.at("now", { part: "card" })} />
      <NowLists {...props} />
      <a href={props.visit.at("now")}>{texts.all}</a>
    </section>
  );
};

// The top of a review page: who asks which model for what, until when, at what cost, and the
// warnings.

import type { Child } from "hono/jsx";
import type { Words } from "../../shared/channels/words/words.ts";
import { endedWords } from "../../shared/channels/fact-words.ts";
import { fieldsOfForm } from "../../shared/review/form-answer.ts";
import { isInReply } from "../../shared/review/editable-fields.ts";
import { editField } from "../../shared/review/form.ts";
import { type ReviewFacts, isOpen, servedBy } from "../../shared/review/review-facts.ts";
import type { NextStep, ReviewView } from "../../shared/review/view.ts";
import { stepsOf } from "./request-kind-words.ts";
import { Icon } from "./icons.tsx";
import { useWords } from "./language.ts";
import { Caller, People, Time } from "./names.tsx";
import { Name, PinMark, plainLetters } from "./outside-text.tsx";
import { placeId } from "./place-id.ts";
import { fill, fillText } from "./sentence.tsx";
import { markId } from "./text-part.tsx";
import { riskWords } from "../../shared/channels/risk-words.ts";
import { placeWords } from "../../shared/channels/content-words.ts";

type ViewWithFacts = { readonly view: ReviewView; readonly facts: ReviewFacts };

/** Who answers, or would; empty where nobody does. */
const headingOf = ({ requestKind, gate, isOpen }: ReviewFacts, { review }: Words): string =>
  review.kinds[requestKind].heading[gate][isOpen ? "now" : "then"];

/** "notes · summarize asks gpt-6.1-terra". Long names are cut here, and whole in the details. */
export const HeadingWords = ({ view, facts, chosen }: ViewWithFacts & { chosen?: string | undefined }) => {
  const words = useWords();
  const { server, client, name } = view.requestor;
  const model = servedBy(facts, chosen);
  const values = {
    caller: <Caller server={server} name={name} />,
    server: <Name value={server} />,
    client: <Name value={client} />,
    name: <Name value={name} />,
    model: model === "" ? words.page.noModel : <Name value={model} />,
  };
  return <>{fill(headingOf(facts, words), values)}</>;
};

export const Heading = (shown: ViewWithFacts & { chosen?: string | undefined }) => (
  <h1>
    <HeadingWords {...shown} />
  </h1>
);

/** A name in the title of the page: a long one is cut. */
const short = (value: string, words: Words): string => {
  const letters = plainLetters(value, words);
  return letters.length > 60 ? `${letters.slice(0, 60).toWellFormed()}…` : letters;
};

/** The same sentence for the browser's tab. */
export function titleOf(view: ReviewView, facts: ReviewFacts, words: Words): string {
  const { server, client, name } = view.requestor;
  const values: Record<string, string> = {
    caller: short(server, words),
    server: short(server, words),
    client: short(client, words),
    name: short(name, words),
    model: short(servedBy(facts), words) || words.page.noModel,
  };
  const sentence = headingOf(facts, words).replaceAll(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
  const count =
    facts.isOpen && facts.risks.length > 0
      ? `${fillText(words.page.warnings.heading, { n: facts.risks.length })}${words.review.marks.colon}`
      : "";
  const ended = isOpen(view.state) ? "" : `${endedWords(view.state, view.subject, words.review).title}${words.review.marks.colon}`;
  return `${count}${ended}${sentence} · ${words.page.product}`;
}

/** `next`: what comes after the approval of the request. */
export const Steps = ({ facts, next = null }: Pick<ViewWithFacts, "facts"> & { next?: NextStep | null }) => {
  const words = useWords();
  const steps = stepsOf(facts, words);
  const isThere = facts.gate === "response" || next?.kind === "review";
  const at = isThere ? steps.length - 1 : next === null ? 0 : 1;
  return (
    <ol class="steps" aria-label={words.page.steps.label}>
      {steps.map((step, i) => (
        <li {...(i === at && (facts.isOpen || next !== null) ? { "aria-current": "step" } : {})} class={i < at ? "done" : ""}>
          {step}
        </li>
      ))}
    </ol>
  );
};

/** "up to $0.0138", "cost $0.0008", "free". */
export function costOf({ cost }: Pick<ReviewFacts, "cost">, { page }: Words): Child {
  if (cost === null) return null;
  const amount = page.dollars(cost.usd);
  // "free", and "under $0.0001".
  if (cost.usd < 0.0001) return <b>{amount}</b>;
  return fill(cost.kind === "atMost" ? page.strip.upTo : page.strip.cost, { cost: <b>{amount}</b> });
}

/**
 * The time left, which the page's script counts down from the server's seconds: a wrong clock does
 * no harm.
 */
export const Left = ({ leftMs }: { leftMs: number }) => {
  const { numbers, page } = useWords();
  return (
    <b class="num" data-left={String(Math.max(0, Math.floor(leftMs / 1_000)))} data-hours={page.strip.hours}>
      {numbers.left(leftMs)}
    </b>
  );
};

/** One line below the heading: until when, at what cost, and who approved already. */
export const Strip = ({ view, facts }: ViewWithFacts) => {
  const words = useWords();
  const { page } = words;
  const cost = facts.isUnsent ? null : costOf(facts, words);
  const { votes = [] } = view;
  return (
    <p class="strip">
      {facts.isOpen ? (
        <span>
          {fill(page.strip.expires, { at: <Time at={facts.deadline.at} now={view.now} />, left: <Left leftMs={facts.deadline.leftMs} /> })}
        </span>
      ) : null}
      {cost === null ? null : <span>{cost}</span>}
      {facts.isOpen && facts.quorum !== null && votes.length === 0 ? (
        <span>{fill(words.inbox.list.needs, { n: facts.quorum.needed })}</span>
      ) : null}
      {facts.isOpen && facts.quorum !== null && votes.length > 0 ? (
        <span>
          <Icon of="check" />{" "}
          {fill(page.votes.soFar, {
            by: <People names={votes.map(({ by }) => by)} reader={view.reviewer} joined="and" />,
            votes: String(votes.length),
            quorum: String(facts.quorum.needed),
          })}
        </span>
      ) : null}
    </p>
  );
};

/** The same beside the buttons on a desktop. */
export const Clock = ({ view, facts }: ViewWithFacts) => {
  const words = useWords();
  const cost = costOf(facts, words);
  return (
    <p class="clock">
      <span>{fill(words.page.strip.left, { left: <Left leftMs={facts.deadline.leftMs} /> })}</span>
      <span class="soft">
        {fill(words.page.strip.until, { at: <Time at={facts.deadline.at} now={view.now} /> })}
        {cost === null ? null : <> · {cost}</>}
      </span>
    </p>
  );
};

/** The id of the prompt at the response gate. */
export const promptId = "prompt";

/**
 * Before the ids of the prompt's parts at the response gate, where the reply has ids of its own.
 */
export const promptPrefix = "prompt-";

const noForm = { schema: {} };

type RiskPlaceProps = { readonly pointer: string; readonly view: ReviewView; readonly number: number };

/** The texts that have marks for their warnings. */
const markedText =
  /^\/(?:systemPrompt|message|arguments|definition\/(?:title|description)|structuredContent)$|^\/(?:messages|content|tools)\/.*\/(?:text|input|description|inputSchema|structuredContent)$/;

/**
 * Where it is, in words and as an id: its mark, or its piece of the page where that has none. A
 * field of the prompt is named as part of the prompt at the response gate.
 */
function placeOf({ pointer, view: { gate, request }, number }: RiskPlaceProps, words: Words): { to: string; place: string } {
  const { page } = words;
  const field = fieldsOfForm(request.kind === "form" ? request : noForm).find(
    (each) => pointer === `/schema/properties${each.pointer.slice("/content".length)}`,
  );
  if (field !== undefined) return { to: editField(field.pointer), place: plainLetters(field.title, words) };
  const place = placeWords(pointer, words, request.kind);
  const isHere = gate === "request" || isInReply(pointer);
  return {
    to: markedText.test(pointer) ? markId(number) : isHere ? placeId(pointer) : promptId,
    place: isHere ? place : page.warnings.inPrompt.replace("{place}", place),
  };
}

export function headingWords({ risks, riskCounts }: ReviewFacts, { page: { warnings }, review: { marks } }: Words): string {
  const [first] = riskCounts;
  const heading = fillText(warnings.heading, { n: risks.length });
  if (riskCounts.length === 1 && first !== undefined && first.count > 1)
    return fillText(warnings.alike, { n: heading, level: warnings.all[first.level] });
  const said =
    riskCounts.length === 1 && first !== undefined
      ? warnings.all[first.level]
      : riskCounts.map(({ level, count }) => warnings.some[level].replace("{n}", String(count))).join(marks.comma);
  return `${heading}${marks.colon}${said}`;
}

/** The warnings, the highest first: each number leads to its mark in the text. */
export const Warnings = ({ view, facts }: ViewWithFacts) => {
  const words = useWords();
  if (facts.risks.length === 0) return null;
  const isHigh = facts.risks.some(({ level }) => level === "high");
  return (
    <section class={facts.isOpen ? (isHigh ? "warnings" : "warnings mind") : "warnings past"} aria-labelledby="warnings">
      <h2 id="warnings">
        <Icon of="warning" />
        {headingWords(facts, words)}
      </h2>
      <ol>
        {facts.risks.map((risk, i) => {
          const number = i + 1;
          const line = (
            <>
              <PinMark pin={{ number, level: risk.level }} />
              <span>{riskWords(risk, words)}</span>
            </>
          );
          if (risk.pointer === "") return <li>{line}</li>;
          const { to, place } = placeOf({ pointer: risk.pointer, view, number }, words);
          return (
            <li>
              <a href={`#${to}`}>
                {line} <span class="soft">{place}</span>
              </a>
            </li>
          );
        })}
      </ol>
    </section>
  );
};

// The facts and risk notes in a Slack message of a review, without the content.

import { accountWords, asksWords, costWords, silenceWords } from "../fact-words.ts";
import {
  type Inline,
  type SlackBlock,
  cutAt,
  filled,
  list,
  moment,
  named,
  namesOf,
  paragraph,
  say,
  shownText,
  strong,
} from "./slack-blocks.ts";
import type { NoticeWords } from "../words/notice-words.ts";
import { type NamedModel, type SamplingRequest, dimensionsOf } from "../../model/sampling.ts";
import { toolName } from "../../model/subject/tool-call.ts";
import { isMessage } from "../../model/subject/subject.ts";
import type { ReviewFacts, Serving } from "../../review/review-facts.ts";
import { unreachable } from "../../result.ts";
import type { ReviewView, ShownModel } from "../../review/view.ts";
import { type Text, textOf } from "../../words/text.ts";
import { whyText } from "../../routing/choose.ts";
import { callSentences, callWords, noteWords } from "../content-words.ts";
import { riskWords } from "../risk-words.ts";

/** How many models, risk notes and other notes are shown; the rest is counted. */
export const mostLines = 20;

/** `isBrief` leaves out what may be long. */
type FactsShown = {
  readonly words: NoticeWords;
  readonly inChannel: boolean;
  readonly isBrief: boolean;
};

/** Who asks, what for, which models, what it costs, and the deadline. */
export function factLines(view: ReviewView, facts: ReviewFacts, shown: FactsShown): SlackBlock {
  const { words, inChannel, isBrief } = shown;
  const { lang, review, slack } = words;
  const { requestor, version } = view;
  const { editedBy, quorum } = facts;
  return list([
    [...filled(`${asksWords(facts, review)} `, namesOf(requestor, words)), say(review.sure[facts.associationConfidence].short)],
    ...(requestor.gone ? [[say(review.gone)]] : []),
    ...accountFact(requestor, words),
    ...(facts.isRaised ? [[say(review.raised)]] : []),
    ...(isBrief ? [] : servingFacts(facts.serving, view, facts, shown)),
    ...(isBrief ? [] : noteFacts(view.notes, words)),
    ...(editedBy === null ? [] : [filled(slack.facts.version, { version: say(String(version)), by: named(editedBy, words) })]),
    filled(inChannel ? slack.facts.channel : slack.facts.reviewer, {
      reviewer: named(view.reviewer, words),
      rule: named(view.rule, words),
    }),
    filled(silenceWords(facts, review), { at: moment(facts.deadline.at) }),
    ...(quorum === null ? [] : [[say(textOf(slack.facts.quorum, { votes: quorum.votes, needed: quorum.needed }, lang))]]),
  ]);
}

/** Whose own login at the server a call is sent with. */
function accountFact(requestor: ReviewView["requestor"], words: NoticeWords): Inline[][] {
  const { review } = words;
  const found = accountWords(requestor, review);
  if (found === null) return [];
  const { account, owner, issuer } = found.names;
  const names = { account: named(account, words), owner: named(owner, words), issuer: named(issuer, words) };
  return [filled(`${review.account.label}${review.marks.colon}${found.sentence}`, names)];
}

function servingFacts(serving: Serving, view: ReviewView, facts: ReviewFacts, { words }: FactsShown): Inline[][] {
  const { lang, review, slack } = words;
  const cachedAt = view.subject === "message" ? (view.cachedAt ?? null) : null;
  switch (serving.kind) {
    case "goesTo":
      return [...whichModels(serving.models, facts, words), ...(isMessage(view.request) ? settingFacts(view.request, facts, words) : [])];
    case "runs": {
      return [
        filled(slack.facts.runs, {
          server: named(serving.call.server, words),
          model: named(toolName(serving.call), words),
          why: say(shortened(callWords(serving.call, words), words)),
        }),
        ...callSentences(serving, words).map((sentence) => [say(sentence)]),
      ];
    }
    case "answered":
      return [
        filled(slack.facts.answered, { model: named(serving.by?.id ?? "", words), name: named(serving.realName, words) }),
        // Vectors have no finish reason.
        ...(facts.embedding !== null && serving.stopReason === undefined ? [] : [stopFact(serving.stopReason, words)]),
        ...(facts.cost === null ? [] : [[say(textOf(slack.facts.cost, { cost: costWords(facts.cost, words) }, lang))]]),
        ...formOf(facts, words),
        ...(cachedAt === null ? [] : [filled(review.cached, { at: moment(cachedAt) })]),
      ];
    case "written":
      return [filled(slack.facts.written, { by: named(serving.by, words) }), ...formOf(facts, words)];
    case "ran":
      return [
        filled(slack.facts.ran, { model: named(toolName(serving.call), words) }),
        ...(serving.isError ? [[strong(review.toolError)]] : []),
      ];
    case "nobody":
      return [];
    default:
      return unreachable(serving);
  }
}

const whichModels = (models: readonly ShownModel[], { namedModel, cost }: ReviewFacts, words: NoticeWords): Inline[][] => [
  ...models.slice(0, mostLines).map(({ id, provider, why, worstCostUsd }, i) => [
    ...filled(i === 0 ? words.slack.facts.model : words.slack.facts.next, {
      model: named(id, words),
      provider: named(provider, words),
      cost: say(costWords({ kind: "atMost", usd: worstCostUsd }, words)),
    }),
    say(`. ${shortened(whyText(why, words.review.why), words)}`),
  ]),
  ...(namedModel === null ? [] : [namedFact(namedModel, words)]),
  ...(cost === null ? [] : [[say(textOf(words.slack.facts.worstCost, { cost: words.numbers.dollars(cost.usd) }, words.lang))]]),
];

const namedFact = ({ name, version, provider }: NamedModel, words: NoticeWords): Inline[] => [
  ...filled(version === undefined ? words.review.named : words.review.namedVersion, {
    name: named(name, words),
    version: named(version ?? "", words),
  }),
  ...(provider === undefined ? [] : filled(` ${words.review.namedProvider}`, { provider: named(provider, words) })),
];

const stopFact = (reason: string | undefined, words: NoticeWords): Inline[] =>
  filled(words.slack.facts.stopped, { reason: reason === undefined ? say(words.review.noStopReason) : named(reason, words) });

/** The settings that the request has. Embeddings and tool runs have fewer. */
const settingFacts = (
  request: SamplingRequest,
  { embedding, replyForm }: ReviewFacts,
  { lang, review, slack: { facts } }: NoticeWords,
): Inline[][] => {
  const { maxTokens, temperature, topP, topK, toolChoice } = request;
  const valued = (text: Text<"value">, value: string | number | undefined): string | undefined =>
    value === undefined ? undefined : textOf(text, { value: String(value) }, lang);
  return [
    maxTokens === undefined ? undefined : textOf(facts.maxTokens, { n: maxTokens }, lang),
    embedding === null ? undefined : textOf(review.texts, { n: embedding.texts }, lang),
    valued(facts.temperature, temperature),
    valued(facts.topP, topP),
    valued(facts.topK, topK),
    valued(facts.dimensions, dimensionsOf(request)),
    replyForm === null ? undefined : replyForm === "json" ? review.json : facts.jsonSchema,
    valued(facts.toolChoice, toolChoice),
  ].flatMap((line) => (line === undefined ? [] : [[say(line)]]));
};

/** The form that an edited reply must keep. */
const formOf = ({ replyForm }: ReviewFacts, { review, slack }: NoticeWords): Inline[][] =>
  replyForm === null ? [] : [[say(replyForm === "json" ? review.json : slack.facts.jsonSchemaBehind)]];

const noteFacts = (notes: ReviewView["notes"], words: NoticeWords): Inline[][] =>
  notes.slice(0, mostLines).map((note) => filled(words.slack.facts.note, { note: say(shortened(noteWords(note, words), words)) }));

/** A sentence that may quote text from outside, shortened and with invisible characters named. */
const shortened = (sentence: string, words: NoticeWords): string =>
  cutAt(shownText(cutAt(sentence, longestSentence), words), 2 * longestSentence);
const longestSentence = 300;

/** The warnings, the gravest first, with the numbers that they have on the page. */
export function riskBlocks({ risks }: ReviewFacts, words: NoticeWords): SlackBlock[] {
  const { lang, review, slack } = words;
  if (risks.length === 0) return [];
  const lines = risks
    .slice(0, mostLines)
    .map((risk) => [strong(`${review.riskLevels[risk.level]}${review.marks.colon}`), say(shortened(riskWords(risk, words), words))]);
  const more = risks.length - lines.length;
  return [
    paragraph(strong(review.risks)),
    list(lines, "ordered"),
    ...(more > 0 ? [paragraph(say(textOf(slack.risks.more, { n: more }, lang)))] : []),
  ];
}

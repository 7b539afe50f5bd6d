// The Adaptive Cards of the Teams channel: a review, its reminder, its outcome, and several reviews
// at once. It sends nothing.
//
// Every text is a TextRun, which has no Markdown (a TextBlock has). Source:
// https://learn.microsoft.com/en-us/adaptive-cards, schema 1.5; sizes:
// https://learn.microsoft.com/en-us/connectors/teams/#known-issues-and-limitations-with-actions (28
// KB with everything).

import type { PlainWords } from "../plain-message.ts";
import { reviewFacts } from "../../review/review-facts.ts";
import type { ReviewView } from "../../review/view.ts";
import type { DigestEntry } from "../digest-content.ts";
import { endingOf } from "../ending-words.ts";
import { type Excerpt, excerptCharacters, excerptOf, startOf } from "../excerpt.ts";
import { accountWords, digestDeadlineWords, asksWords, costWords, gateWords, silenceWords } from "../fact-words.ts";
import { handOverOf } from "../hand-over.ts";
import { noticeFacts, noticeLine, warningsOf, whatOf } from "../notice-line.ts";
import { outsideName, outsideText } from "../plain-text.ts";
import { textOf, textParts } from "../../words/text.ts";
import type { NoticeWords } from "../words/notice-words.ts";
import { riskWords } from "../risk-words.ts";

type OpenUrl = { readonly type: "Action.OpenUrl"; readonly title?: string; readonly url: string };
type TextRun = {
  readonly type: "TextRun";
  readonly text: string;
  readonly weight?: "Bolder";
  readonly size?: "Large";
  readonly fontType?: "Monospace";
  readonly selectAction?: OpenUrl;
};
type RichText = { readonly type: "RichTextBlock"; readonly inlines: readonly TextRun[] };
type Frame = { readonly type: "Container"; readonly style: "emphasis"; readonly bleed: false; readonly items: readonly RichText[] };
type AdaptiveCard = {
  readonly $schema: "http://adaptivecards.io/schemas/adaptive-card.json";
  readonly type: "AdaptiveCard";
  readonly version: "1.5";
  readonly lang: string;
  /** For programs that show no card. */
  readonly fallbackText: string;
  readonly msteams: { readonly width: "Full" };
  readonly body: readonly (RichText | Frame)[];
  readonly actions: readonly OpenUrl[];
};
/** What the workflow "Post to a channel when a webhook request is received" takes. */
export type TeamsMessage = {
  readonly type: "message";
  /** What a notification shows. */
  readonly summary: string;
  readonly attachments: readonly {
    readonly contentType: "application/vnd.microsoft.card.adaptive";
    readonly contentUrl: null;
    readonly content: AdaptiveCard;
  }[];
};

export type TeamsCardInput = {
  readonly view: ReviewView;
  readonly words: NoticeWords;
  readonly excerpt: "none" | "start";
  /** The channel's own link, never a person's. */
  readonly url: string;
};

/** Of a message as JSON, in bytes: Teams says 28 KB, and others found 21. */
export const mostTeamsBytes = 20_000;
/** Warnings; the rest is counted. */
const mostWarnings = 20;

const bytesOf = (message: TeamsMessage): number => new TextEncoder().encode(JSON.stringify(message)).length;

/** The card of an open review. Its excerpt is shortened until the message is small enough. */
export function teamsCard(input: TeamsCardInput): TeamsMessage {
  for (let characters = excerptCharacters; ; characters = Math.floor(characters / 2)) {
    const excerpt = input.excerpt === "none" ? undefined : excerptOf(input.view, characters);
    const message = reviewCard(input, excerpt);
    if (characters === 0 || bytesOf(message) <= mostTeamsBytes) return message;
  }
}

/** The card without content, for where Teams refuses `teamsCard` as too large. */
export const briefTeamsCard = (input: TeamsCardInput): TeamsMessage => {
  const { view, words, url } = input;
  return messageOf(summaryOf(view, words), [paragraph(strong(lineOf(view, words))), paragraph(run(pageWords(view, words)))], url, words);
};

export function teamsReminder({ view, words, url }: TeamsCardInput): TeamsMessage {
  const { title } = words.slack.reminder;
  const body = [
    paragraph(heading(title)),
    paragraph(run(lineOf(view, words))),
    paragraph(...filled(silenceWords(reviewFacts(view), words.review), { at: words.numbers.time(view.deadlineAt) })),
  ];
  return messageOf(`${title}: ${summaryOf(view, words)}`, body, url, words);
}

/**
 * A second card, because the first cannot be changed: who decided what, and when. It has no link
 * and no reason.
 */
export function teamsEnding(view: ReviewView, words: NoticeWords): TeamsMessage {
  const { title, sentence, by, to, at } = endingOf(view, words);
  const places = {
    ...(by === null ? {} : { by: named(by, words) }),
    ...(to === null ? {} : { to: named(to, words) }),
    ...(at === null ? {} : { at: words.numbers.time(at) }),
  };
  const what = whatOf(noticeFacts(view), words);
  const body = [paragraph(heading(title)), paragraph(...filled(sentence, places)), paragraph(run(safe(what)))];
  return messageOf(safe(`${title}: ${what}`), body, null, words);
}

/** Several reviews: a line with a link for each. No content. */
export function teamsDigest(entries: readonly DigestEntry[], words: NoticeWords): TeamsMessage {
  const title = textOf(words.review.digest, { n: entries.length }, words.lang);
  const { why } = words.slack.digest;
  const lines = entries.map(({ url, facts }) =>
    paragraph(
      { type: "TextRun", text: gateWords(facts, words.review).link, selectAction: { type: "Action.OpenUrl", url } },
      run(safe(`${words.review.marks.colon}${whatOf(facts, words, 24)}${warningsOf(facts, words)}`)),
      ...filled(digestDeadlineWords(facts, words), { at: words.numbers.time(facts.deadlineAt) }),
    ),
  );
  return messageOf(title, [paragraph(heading(title)), paragraph(run(why)), ...lines], null, words);
}

/** About no review. */
export const teamsPlain = ({ title, text, link }: PlainWords, words: NoticeWords): TeamsMessage =>
  messageOf(
    safe(title),
    [
      paragraph(heading(title)),
      paragraph(run(safe(text))),
      ...(link === null
        ? []
        : [paragraph({ type: "TextRun", text: link.label, selectAction: { type: "Action.OpenUrl", url: link.url } } as const)]),
    ],
    null,
    words,
  );

function reviewCard({ view, words, url }: TeamsCardInput, excerpt: Excerpt | undefined): TeamsMessage {
  const { lang, numbers, review, slack, teams } = words;
  const facts = reviewFacts(view);
  const { server, client, method, name } = view.requestor;
  const names = { server: named(server, words), client: named(client, words), method: named(method, words), name: named(name, words) };
  const warnings = facts.risks
    .slice(0, mostWarnings)
    .map((risk) => paragraph(strong(`${review.riskLevels[risk.level]}: `), run(riskWords(risk, words))));
  const more = facts.risks.length - warnings.length;
  const body = [
    paragraph(heading(lineOf(view, words))),
    paragraph(run(gateWords(facts, review).lead)),
    paragraph(...filled(`${asksWords(facts, review)} `, names), run(review.sure[facts.associationConfidence].short)),
    ...accountParts(view, words),
    ...(facts.isRaised ? [paragraph(run(review.raised))] : []),
    ...(facts.serving.kind === "written" ? [paragraph(...filled(slack.facts.written, { by: named(facts.serving.by, words) }))] : []),
    ...(facts.cost === null ? [] : [paragraph(run(textOf(slack.facts.cost, { cost: costWords(facts.cost, words) }, lang)))]),
    paragraph(...filled(silenceWords(facts, review), { at: numbers.time(facts.deadline.at) })),
    ...(warnings.length === 0 ? [] : [paragraph(strong(review.risks)), ...warnings]),
    ...(more > 0 ? [paragraph(run(textOf(slack.risks.more, { n: more }, lang)))] : []),
    ...handOverParts(view, words),
    ...(excerpt === undefined ? [paragraph(run(teams.noExcerpt))] : excerptParts(view, excerpt, words)),
    paragraph(...filled(teams.room, { reviewer: named(view.reviewer, words) })),
    paragraph(...filled(teams.because, { rule: named(view.rule, words) }), run(` ${pageWords(view, words)}`)),
  ];
  return messageOf(summaryOf(view, words), body, url, words);
}

/** Whose own login at the server a call is sent with. */
function accountParts({ requestor }: ReviewView, words: NoticeWords): RichText[] {
  const { review } = words;
  const found = accountWords(requestor, review);
  if (found === null) return [];
  const { account, owner, issuer } = found.names;
  const names = { account: named(account, words), owner: named(owner, words), issuer: named(issuer, words) };
  return [paragraph(...filled(`${review.account.label}${review.marks.colon}${found.sentence}`, names))];
}

/** That it is decided on the page alone. */
const pageWords = ({ subject }: ReviewView, { review, teams }: NoticeWords): string => (subject === "form" ? review.form.open : teams.page);

function handOverParts(view: ReviewView, words: NoticeWords): (RichText | Frame)[] {
  const handOver = handOverOf(view);
  if (handOver === null) return [];
  const { handedOver, secret } = words.review;
  const { by, note, leftOut } = handOver;
  return [
    paragraph(...filled(handedOver.by, { by: named(by, words) })),
    ...(leftOut === undefined ? [] : [paragraph(strong(`${handedOver.note}: `), run(secret))]),
    ...(note === null ? [] : [framed(handedOver.note, note, words)]),
  ];
}

function excerptParts(view: ReviewView, { pieces, more }: Excerpt, words: NoticeWords): (RichText | Frame)[] {
  const { lang, excerpt } = words;
  return [
    ...pieces.map(({ from, text, leftOut }) => {
      const label = startOf(view, from, words);
      return leftOut === undefined ? framed(label, text, words) : paragraph(strong(`${label}: `), run(words.review.secret));
    }),
    paragraph(run(more > 0 ? textOf(excerpt.more, { n: more }, lang) : pieces.length === 0 ? excerpt.nothing : excerpt.all)),
  ];
}

const lineOf = (view: ReviewView, words: NoticeWords): string => safe(noticeLine(noticeFacts(view), words, { now: null }));
const summaryOf = (view: ReviewView, words: NoticeWords): string =>
  safe(noticeLine(noticeFacts(view), words, { now: view.now, most: 200 }));

/**
 * A text from outside that no program reads as one of its functions, `{{DATE(…)}}` of cards, `${…}`
 * of templates, `@{…}` of workflows, and of which none makes a mention (`<at>`), markup or a link.
 */
const safe = (text: string): string =>
  text.replaceAll(/(?<=[{@$])\{|\}(?=\})|(?<=[^\s\u200b])[.:@](?=[^\s\u200b])|[*_[\]`~<>](?!\u200b)/g, "\u200b$&\u200b");

const run = (text: string): TextRun => ({ type: "TextRun", text });
const strong = (text: string): TextRun => ({ type: "TextRun", text, weight: "Bolder" });
const heading = (text: string): TextRun => ({ type: "TextRun", text, weight: "Bolder", size: "Large" });
const named = (text: string, words: NoticeWords): TextRun => ({
  type: "TextRun",
  text: safe(outsideName(text, words)),
  fontType: "Monospace",
});
const paragraph = (...inlines: TextRun[]): RichText => ({ type: "RichTextBlock", inlines });

/** A sentence of ours with a run, or a text of ours, in each `{place}`. */
const filled = (sentence: string, places: Readonly<Record<string, TextRun | string>>): TextRun[] =>
  textParts(sentence, places, "en").map((part) => (typeof part === "string" ? run(part) : part)); // no numbers

const framed = (label: string, text: string, words: NoticeWords): Frame => ({
  type: "Container",
  style: "emphasis",
  bleed: false,
  items: [paragraph(strong(label)), paragraph({ type: "TextRun", text: safe(outsideText(text, words)), fontType: "Monospace" })],
});

const messageOf = (summary: string, body: AdaptiveCard["body"], url: string | null, words: NoticeWords): TeamsMessage => ({
  type: "message",
  summary,
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.5",
        lang: words.lang,
        fallbackText: summary,
        msteams: { width: "Full" },
        body,
        actions: url === null ? [] : [{ type: "Action.OpenUrl", title: words.slack.link, url }],
      },
    },
  ],
});

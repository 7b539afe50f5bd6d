// What a chat in which nothing can be decided says: of a review, its reminder, its outcome, several
// reviews at once, and what is about none. Each chat writes the pieces in its own form, and sends
// nothing here.
//
// A piece says what it is, so that a chat can escape it: a name or a text from outside is never a
// piece of our own words.

import { unreachable } from "../result.ts";
import { reviewFacts } from "../review/review-facts.ts";
import type { ReviewView } from "../review/view.ts";
import { textOf, textParts } from "../words/text.ts";
import type { DigestEntry } from "./digest-content.ts";
import { endingOf } from "./ending-words.ts";
import { type Excerpt, excerptCharacters, excerptOf, startOf } from "./excerpt.ts";
import { accountWords, asksWords, costWords, digestDeadlineWords, gateWords, silenceWords } from "./fact-words.ts";
import { handOverOf } from "./hand-over.ts";
import { noticeFacts, noticeLine, warningsOf, whatOf } from "./notice-line.ts";
import { type PlainInput, plainWordsOf } from "./plain-message.ts";
import { outsideName, outsideText } from "./plain-text.ts";
import { riskWords } from "./risk-words.ts";
import type { Language } from "./words/languages.ts";
import { type NoticeWords, noticeWordsOf } from "./words/notice-words.ts";

export type ChatPiece =
  /** Our words. */
  | { readonly kind: "own" | "strong"; readonly text: string }
  /** Our words around names from outside, which are not marked in it. */
  | { readonly kind: "heading" | "line" | "strongLine"; readonly text: string }
  /** From outside. */
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly url: string };
/** A paragraph, or a text from outside in a frame. */
export type ChatBlock = readonly ChatPiece[] | { readonly label: string; readonly frame: string };
export type ChatMessage = {
  /** One line, as a notification shows it: names from outside are not marked in it. */
  readonly summary: string;
  readonly body: readonly ChatBlock[];
  /** The review's link; null where there is none, or one in the body for each. */
  readonly link: { readonly text: string; readonly url: string } | null;
};

export type ChatReview = {
  readonly view: ReviewView;
  readonly excerpt: "none" | "start";
  /** A channel's own link, or a person's. */
  readonly url: string;
  /** Whether several people have the link. */
  readonly isRoom: boolean;
};

/** What a chat has the pages Worker make. Plain, because it crosses a service binding. */
export type ChatRenderInput =
  /** `brief`: without what makes it long. */
  | { readonly kind: "review" | "brief" | "reminder"; readonly input: ChatReview }
  | { readonly kind: "ended"; readonly view: ReviewView }
  /** The reviewer is asked again by a newer message. */
  | { readonly kind: "replaced" }
  | { readonly kind: "digest"; readonly entries: readonly DigestEntry[] }
  | { readonly kind: "plain"; readonly said: PlainInput };

/** Each address as text in a line of its own, so that no program takes more for a part of it. */
export const withAddresses = (body: readonly ChatBlock[]): readonly ChatBlock[] =>
  body.flatMap((block): ChatBlock[] => {
    if ("frame" in block) return [block];
    const pieces = block.map((piece): ChatPiece => (piece.kind === "link" ? own(piece.text) : piece));
    return [pieces, ...block.flatMap((piece) => (piece.kind === "link" ? [[own(piece.url)]] : []))];
  });

/** Warnings; the rest is counted. */
const mostWarnings = 20;

/**
 * The message in this chat's form.
 * @param channel What the chat is called.
 * @param form Writes a message; null where that is larger than the chat takes. An excerpt is then
 *   shortened until it fits, and where none fits the message is the brief one.
 */
export function chatMessage<Written>(
  asked: ChatRenderInput,
  { language, channel, form }: { language: Language; channel: string; form: (message: ChatMessage, words: NoticeWords) => Written | null },
): Written {
  const words = noticeWordsOf(language);
  const write = (message: ChatMessage): Written => {
    const written = form(message, words) ?? form(bare(message), words);
    if (written === null) throw new Error("a message without content is larger than its chat takes");
    return written;
  };
  switch (asked.kind) {
    case "review": {
      const { input } = asked;
      for (let characters = excerptCharacters; ; characters = Math.floor(characters / 2)) {
        const excerpt = input.excerpt === "none" ? undefined : excerptOf(input.view, characters);
        const written = form(reviewMessage(input, excerpt, words, channel), words);
        if (written !== null) return written;
        if (characters === 0 || excerpt === undefined) return write(briefMessage(input, words, channel));
      }
    }
    case "brief":
      return write(briefMessage(asked.input, words, channel));
    case "reminder":
      return write(reminderMessage(asked.input, words));
    case "ended":
      return write(endingMessage(asked.view, words));
    case "replaced": {
      const { replaced, replacedLine } = words.slack.ended;
      return write({ summary: replaced, body: [[heading(replaced)], [own(replacedLine)]], link: null });
    }
    case "digest":
      return write(digestMessage(asked.entries, words));
    case "plain":
      return write(plainMessage(asked.said, language));
    default:
      return unreachable(asked);
  }
}

/** What a chat's sender has the pages Worker make: `chatMessage`, asked for by its kind. */
export const chatRenderers = <Written>(channel: string, form: (message: ChatMessage, words: NoticeWords) => Written | null) => ({
  message: (asked: ChatRenderInput, language: Language): Written => chatMessage(asked, { language, channel, form }),
});

/** Its heading and its links alone. */
const bare = ({ summary, body: [first, ...rest], link }: ChatMessage): ChatMessage => ({
  summary,
  body: [
    first ?? [],
    ...rest.flatMap((block) => ("frame" in block ? [] : block.filter(({ kind }) => kind === "link").map((piece) => [piece]))),
  ],
  link,
});

const own = (text: string): ChatPiece => ({ kind: "own", text });
const strong = (text: string): ChatPiece => ({ kind: "strong", text });
const heading = (text: string): ChatPiece => ({ kind: "heading", text });
const line = (text: string): ChatPiece => ({ kind: "line", text });
const named = (text: string, words: NoticeWords): ChatPiece => ({ kind: "name", text: outsideName(text, words) });

/** A sentence of ours with a name, or a text of ours, in each `{place}`. */
const filled = (sentence: string, places: Readonly<Record<string, ChatPiece | string>>): ChatPiece[] =>
  textParts(sentence, places, "en").map((part) => (typeof part === "string" ? own(part) : part)); // no numbers

const lineOf = (view: ReviewView, words: NoticeWords): string => noticeLine(noticeFacts(view), words, { now: null });
const summaryOf = (view: ReviewView, words: NoticeWords): string => noticeLine(noticeFacts(view), words, { now: view.now, most: 200 });

const linkOf = (url: string, { slack }: NoticeWords): ChatMessage["link"] => ({ text: slack.link, url });

function reviewMessage({ view, url, isRoom }: ChatReview, excerpt: Excerpt | undefined, words: NoticeWords, channel: string): ChatMessage {
  const { lang, numbers, review, slack, chat } = words;
  const facts = reviewFacts(view);
  const { server, client, method, name } = view.requestor;
  const names = { server: named(server, words), client: named(client, words), method: named(method, words), name: named(name, words) };
  const warnings = facts.risks
    .slice(0, mostWarnings)
    .map((risk) => [strong(`${review.riskLevels[risk.level]}: `), own(riskWords(risk, words))]);
  const more = facts.risks.length - warnings.length;
  const body = [
    [heading(lineOf(view, words))],
    [own(gateWords(facts, review).lead)],
    [...filled(`${asksWords(facts, review)} `, names), own(review.sure[facts.associationConfidence].short)],
    ...accountBlocks(view, words),
    ...(facts.isRaised ? [[own(review.raised)]] : []),
    ...(facts.serving.kind === "written" ? [filled(slack.facts.written, { by: named(facts.serving.by, words) })] : []),
    ...(facts.cost === null ? [] : [[own(textOf(slack.facts.cost, { cost: costWords(facts.cost, words) }, lang))]]),
    filled(silenceWords(facts, review), { at: numbers.time(facts.deadline.at) }),
    ...(warnings.length === 0 ? [] : [[strong(review.risks)], ...warnings]),
    ...(more > 0 ? [[own(textOf(slack.risks.more, { n: more }, lang))]] : []),
    ...handOverBlocks(view, words),
    ...(excerpt === undefined ? [[own(chat.noExcerpt)]] : excerptBlocks(view, excerpt, words)),
    ...(isRoom ? [filled(chat.room, { reviewer: named(view.reviewer, words) })] : []),
    [...filled(chat.because, { rule: named(view.rule, words) }), own(` ${pageWords(view, words, channel)}`)],
  ];
  return { summary: summaryOf(view, words), body, link: linkOf(url, words) };
}

const briefMessage = ({ view, url }: ChatReview, words: NoticeWords, channel: string): ChatMessage => ({
  summary: summaryOf(view, words),
  body: [[{ kind: "strongLine", text: lineOf(view, words) }], [own(pageWords(view, words, channel))]],
  link: linkOf(url, words),
});

function reminderMessage({ view, url }: ChatReview, words: NoticeWords): ChatMessage {
  const { title } = words.slack.reminder;
  const body = [
    [heading(title)],
    [line(lineOf(view, words))],
    filled(silenceWords(reviewFacts(view), words.review), { at: words.numbers.time(view.deadlineAt) }),
  ];
  return { summary: `${title}: ${summaryOf(view, words)}`, body, link: linkOf(url, words) };
}

/** Who decided what, and when. It has no link and no reason. */
function endingMessage(view: ReviewView, words: NoticeWords): ChatMessage {
  const { title, sentence, by, to, at } = endingOf(view, words);
  const places = {
    ...(by === null ? {} : { by: named(by, words) }),
    ...(to === null ? {} : { to: named(to, words) }),
    ...(at === null ? {} : { at: words.numbers.time(at) }),
  };
  const what = whatOf(noticeFacts(view), words);
  return { summary: `${title}: ${what}`, body: [[heading(title)], filled(sentence, places), [line(what)]], link: null };
}

/** Several reviews: a line with a link for each. No content. */
function digestMessage(entries: readonly DigestEntry[], words: NoticeWords): ChatMessage {
  const title = textOf(words.review.digest, { n: entries.length }, words.lang);
  const lines = entries.map(({ url, facts }): ChatPiece[] => [
    { kind: "link", text: gateWords(facts, words.review).link, url },
    line(`${words.review.marks.colon}${whatOf(facts, words, 24)}${warningsOf(facts, words)}`),
    ...filled(digestDeadlineWords(facts, words), { at: words.numbers.time(facts.deadlineAt) }),
  ]);
  return { summary: title, body: [[heading(title)], [own(words.slack.digest.why)], ...lines], link: null };
}

function plainMessage(said: PlainInput, language: Language): ChatMessage {
  const { title, text, link } = plainWordsOf(said, language);
  const body: ChatBlock[] = [[heading(title)], [line(text)]];
  if (link !== null) body.push([{ kind: "link", text: link.label, url: link.url }]);
  return { summary: title, body, link: null };
}

/** Whose own login at the server a call is sent with. */
function accountBlocks({ requestor }: ReviewView, words: NoticeWords): ChatBlock[] {
  const { review } = words;
  const found = accountWords(requestor, review);
  if (found === null) return [];
  const { account, owner, issuer } = found.names;
  const names = { account: named(account, words), owner: named(owner, words), issuer: named(issuer, words) };
  return [filled(`${review.account.label}${review.marks.colon}${found.sentence}`, names)];
}

/** That it is decided on the page alone. */
const pageWords = ({ subject }: ReviewView, { lang, review, chat }: NoticeWords, channel: string): string =>
  subject === "form" ? review.form.open : textOf(chat.page, { channel }, lang);

function handOverBlocks(view: ReviewView, words: NoticeWords): ChatBlock[] {
  const handOver = handOverOf(view);
  if (handOver === null) return [];
  const { handedOver, secret } = words.review;
  const { by, note, leftOut } = handOver;
  return [
    filled(handedOver.by, { by: named(by, words) }),
    ...(leftOut === undefined ? [] : [[strong(`${handedOver.note}: `), own(secret)]]),
    ...(note === null ? [] : [framed(handedOver.note, note, words)]),
  ];
}

function excerptBlocks(view: ReviewView, { pieces, more }: Excerpt, words: NoticeWords): ChatBlock[] {
  const { lang, excerpt } = words;
  return [
    ...pieces.map(({ from, text, leftOut }): ChatBlock => {
      const label = startOf(view, from, words);
      return leftOut === undefined ? framed(label, text, words) : [strong(`${label}: `), own(words.review.secret)];
    }),
    [own(more > 0 ? textOf(excerpt.more, { n: more }, lang) : pieces.length === 0 ? excerpt.nothing : excerpt.all)],
  ];
}

const framed = (label: string, text: string, words: NoticeWords): ChatBlock => ({ label, frame: outsideText(text, words) });

// What push notices say. A lock screen shows them: of the content they have its beginning alone,
// where the policy allows that, in quotes and on one line, so that no content looks like a line of
// ours. The values are plain, because they cross a service binding.

import { unreachable } from "../../result.ts";
import type { ReviewView } from "../../review/view.ts";
import { textOf } from "../../words/text.ts";
import type { DigestEntry } from "../digest-content.ts";
import { endingOf } from "../ending-words.ts";
import { beginningOf, inboxExcerpt } from "../excerpt.ts";
import { noticeFacts, warningsOf, whatOf } from "../notice-line.ts";
import { type PlainInput, plainWordsOf } from "../plain-message.ts";
import { outsideName, outsideText } from "../plain-text.ts";
import type { Language } from "../words/languages.ts";
import { type NoticeWords, noticeWordsOf } from "../words/notice-words.ts";

export type PushRenderInput =
  | { readonly kind: "review" | "reminder"; readonly view: ReviewView; readonly excerpt: "none" | "start" }
  | { readonly kind: "ended"; readonly view: ReviewView }
  | { readonly kind: "digest"; readonly entries: readonly DigestEntry[] }
  | { readonly kind: "plain"; readonly said: PlainInput };

export type PushText = { readonly title: string; readonly body: string; readonly lang: string };

/**
 * `brief`: for a push service that takes less, without content. `url`: null without a page of its
 * own.
 */
type PushWords = { readonly full: PushText; readonly brief: PushText; readonly url: string | null };

/** Bytes of JSON: the rest of a message is its link. */
const mostBytes = 2_300;
const mostBriefBytes = 400;
/** Characters of a name, and of the content. */
type Size = readonly [names: number, content: number];
const longest: Size = [40, 480];
const shorter: readonly Size[] = [
  [40, 240],
  [24, 120],
  [12, 60],
  [6, 0],
];
const mostLines = 4;

const bytesOf = (text: PushText): number => new TextEncoder().encode(JSON.stringify(text)).length;

/** The longest that fits; otherwise the shortest. */
function fitted(textAt: (names: number, content: number) => PushText, most: number): PushText {
  let text = textAt(...longest);
  for (const size of shorter) {
    if (bytesOf(text) <= most) return text;
    text = textAt(...size);
  }
  return text;
}

function message(asked: PushRenderInput, language: Language): PushWords {
  const words = noticeWordsOf(language);
  switch (asked.kind) {
    case "review":
    case "reminder":
      return {
        full: fitted((names, content) => reviewText(asked, words, names, content), mostBytes),
        brief: fitted((names) => reviewText(asked, words, names, 0), mostBriefBytes),
        url: null,
      };
    case "ended": {
      const textAt = (names: number): PushText => endedText(asked.view, words, names);
      return { full: fitted(textAt, mostBytes), brief: fitted(textAt, mostBriefBytes), url: null };
    }
    case "digest": {
      const textAt = (lines: number) => (names: number) => digestText(asked.entries, words, lines, names);
      return { full: fitted(textAt(mostLines), mostBytes), brief: fitted(textAt(0), mostBriefBytes), url: null };
    }
    case "plain": {
      const { title, text, link } = plainWordsOf(asked.said, language);
      const full = { title, body: beginningOf(text, 600), lang: words.lang };
      return { full, brief: { ...full, body: beginningOf(text, 80) }, url: link?.url ?? null };
    }
    default:
      return unreachable(asked);
  }
}

/** The deadline stays true however long the notice lies there. */
function reviewText(
  { kind, view, excerpt }: Extract<PushRenderInput, { readonly kind: "review" | "reminder" }>,
  words: NoticeWords,
  names: number,
  content: number,
): PushText {
  const { lang, numbers, review, slack } = words;
  const facts = noticeFacts(view);
  const what = whatOf(facts, words, names);
  const until = textOf(review.notice.until, { time: numbers.clockTime(facts.deadlineAt, facts.createdAt) }, lang);
  const said = content === 0 ? null : inboxExcerpt({ view, excerpt, mustSignIn: false });
  const quoted = said === null ? "" : `\n“${lineOf(said, words, content)}”`;
  return {
    title: kind === "reminder" ? `${slack.reminder.title}${review.marks.colon}${what}` : what,
    body: `${until}${warningsOf(facts, words)}${quoted}`,
    lang,
  };
}

/** What somebody else wrote, on one line, with its invisible characters written out. */
function lineOf(text: string, words: NoticeWords, characters: number): string {
  const line = outsideText(text, words).replaceAll("\u200b", "").replaceAll(/\s+/g, " ").trim();
  const shown = beginningOf(line, characters);
  return shown.length < line.length ? `${shown}…` : shown;
}

function endedText(view: ReviewView, words: NoticeWords, names: number): PushText {
  const { lang, numbers, review } = words;
  const { title, sentence, by, to, at } = endingOf(view, words);
  const name = (each: string | null): string => (each === null ? "" : outsideName(each, words, { characters: names, plain: true }));
  const body = textOf(sentence, { by: name(by), to: name(to), at: at === null ? "" : numbers.time(at) }, lang);
  return { title: `${title}${review.marks.colon}${whatOf(noticeFacts(view), words, names)}`, body, lang };
}

function digestText(entries: readonly DigestEntry[], words: NoticeWords, lines: number, names: number): PushText {
  const { lang, push } = words;
  const some = entries.slice(0, lines).map(({ facts }) => `${whatOf(facts, words, Math.min(names, 24))}${warningsOf(facts, words)}`);
  return { title: textOf(push.digest, { n: entries.length }, lang), body: [...some, push.still].join("\n"), lang };
}

export const pushRenderers = { message } as const;

// The few parts of Slack's Block Kit that our messages and modals use. Text from outside stays
// text: it is a rich text element of type `text`, or `plain_text` without emoji. Nothing here
// writes mrkdwn.
//
// Limits: https://docs.slack.dev/reference/block-kit and
// https://docs.slack.dev/reference/methods/chat.postMessage.

import { viewText, type Segment } from "../../review/text-view.ts";
import { textParts } from "../../words/text.ts";
import { invisibleWords } from "../content-words.ts";
import { unlinked } from "../plain-text.ts";
import type { NoticeWords } from "../words/notice-words.ts";

export type Inline =
  | {
      readonly type: "text";
      readonly text: string;
      readonly style?: { readonly bold?: true; readonly code?: true };
    }
  | { readonly type: "date"; readonly timestamp: number; readonly format: string; readonly fallback: string }
  | { readonly type: "link"; readonly url: string; readonly text: string };
type RichSection = { readonly type: "rich_text_section"; readonly elements: readonly Inline[] };
type RichPart =
  | RichSection
  | { readonly type: "rich_text_preformatted"; readonly elements: readonly Inline[] }
  | { readonly type: "rich_text_list"; readonly style: "bullet" | "ordered"; readonly elements: readonly RichSection[] };
export type PlainText = { readonly type: "plain_text"; readonly text: string; readonly emoji: false };
export type Button = {
  readonly type: "button";
  readonly action_id: string;
  readonly text: PlainText;
  readonly value?: string;
  readonly url?: string;
  readonly style?: "primary" | "danger";
};
type TextInput = {
  readonly type: "plain_text_input";
  readonly action_id: string;
  readonly multiline: boolean;
  readonly initial_value?: string;
  readonly max_length: number;
};
type Checkboxes = {
  readonly type: "checkboxes";
  readonly action_id: string;
  readonly options: readonly { readonly text: PlainText; readonly value: string }[];
};
export type SlackBlock =
  | { readonly type: "header"; readonly text: PlainText }
  | { readonly type: "section"; readonly text: PlainText }
  | { readonly type: "rich_text"; readonly elements: readonly RichPart[] }
  | { readonly type: "actions"; readonly elements: readonly Button[] }
  | {
      readonly type: "input";
      readonly block_id: string;
      readonly label: PlainText;
      readonly optional: boolean;
      readonly element: TextInput | Checkboxes;
    };

export const longestText = 3_000;
/** Of all the blocks of a message as JSON: Slack refuses more than about 12,000. */
export const longestMessage = 10_000;

/**
 * The length of a text after Slack's escaping: `&`, `<` and `>` become five, four and four
 * characters. Slack does not document which of its limits count before escaping and which after, so
 * ours hold for both.
 */
export const grownLength = (text: string): number =>
  text.length + [...text.matchAll(/[&<>]/g)].reduce((sum, [character]) => sum + (character === "&" ? 4 : 3), 0);

export const longestHeader = 150;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * Our own words, or a line with names from outside. In `plain_text` an `&amp;` would be shown as
 * `&`.
 */
export const plain = (text: string): PlainText => ({
  type: "plain_text",
  text: escaped(text),
  emoji: false,
});

/**
 * A line with names from outside, for `text`, where Slack reads its markup: without anything that
 * it takes for a mention, a link or a style. What is sent with it also turns markup off (`mrkdwn`),
 * which `chat.update` cannot.
 */
export const fallbackText = (line: string): string =>
  escaped(unlinked(line).replaceAll(/[*~`]|(?<!\u200b)[:@]|(?<!\w)_|_(?!\w)/g, "\u200b$&\u200b"));

export const say = (text: string): Inline => ({ type: "text", text });
export const strong = (text: string): Inline => ({ type: "text", text, style: { bold: true } });

/** A moment in the reader's own time. `at` is Unix milliseconds. */
export const moment = (at: number): Inline => ({
  type: "date",
  timestamp: Math.floor(at / 1_000),
  format: "{date_short_pretty} {time}",
  fallback: `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`,
});

const segmentWords = (segment: Segment, words: NoticeWords): string =>
  segment.kind === "text" ? segment.text : `⟨${invisibleWords(segment, words)}⟩${segment.kind === "blankLines" ? "\n" : ""}`;

/**
 * A text from outside as it is shown: invisible characters are named, blank lines are counted,
 * nothing is cut.
 */
export function shownText(text: string, words: NoticeWords): string {
  if (text === "") return words.review.outside.empty;
  return viewText(text)
    .map((segment) => segmentWords(segment, words))
    .join("");
}

const longestName = 200;

/** Whether `named` cuts this name, so that not everything is shown. */
export const isLongName = (value: string, words: NoticeWords): boolean =>
  value.length > longestName || shownText(value, words).length > 2 * longestName;

/** A name from outside inside a sentence of ours: one line, in code style. */
export function named(value: string, words: NoticeWords): Inline {
  const shown = cutAt(shownText(cutAt(value, longestName), words), 2 * longestName);
  const text = (isLongName(value, words) ? shown + words.slack.cut : shown).replaceAll(/[\r\n]+/g, `⟨${words.review.outside.lineBreak}⟩`);
  return { type: "text", text, style: { code: true } };
}

type Names = Readonly<Record<"server" | "client" | "method" | "name", string>>;

/** The names of who asks, for `filled`. */
export const namesOf = ({ server, client, method, name }: Names, words: NoticeWords): Readonly<Record<string, Inline>> => ({
  server: named(server, words),
  client: named(client, words),
  method: named(method, words),
  name: named(name, words),
});

/** The first `length` UTF-16 code units, one less where that would split a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const next = text.charCodeAt(length);
  return text.slice(0, next >= 0xdc00 && next <= 0xdfff && length > 0 ? length - 1 : length);
}

/** A sentence of ours with an element in each `{place}`. */
export const filled = (sentence: string, places: Readonly<Record<string, Inline>>): Inline[] =>
  textParts(sentence, places, "en").map((part) => (typeof part === "string" ? say(part) : part)); // no numbers

export const paragraph = (...elements: Inline[]): SlackBlock => ({
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements }],
});

export const list = (lines: readonly (readonly Inline[])[], style: "bullet" | "ordered" = "bullet"): SlackBlock => ({
  type: "rich_text",
  elements: [{ type: "rich_text_list", style, elements: lines.map((elements) => ({ type: "rich_text_section", elements })) }],
});

/** A text from outside under its label, preformatted. `shown` has at most 3,000 characters. */
export const framed = (label: string, shown: string): SlackBlock => ({
  type: "rich_text",
  elements: [
    { type: "rich_text_section", elements: [strong(label)] },
    { type: "rich_text_preformatted", elements: [say(shown)] },
  ],
});

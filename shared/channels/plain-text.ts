// Text from outside in plain text of ours, such as an email: invisible characters are written out,
// email programs find no link in it, and in the text part every line of it is marked. It escapes
// nothing: hono/jsx does.
//
// Email programs make links out of plain text. A zero width space on both sides of each joint of an
// address (a dot, a colon, an @, a backslash) prevents that. The letters stay as they are, and the
// review page shows the text exactly.

import { viewText } from "../review/text-view.ts";
import { textOf } from "../words/text.ts";
import { invisibleWords } from "./content-words.ts";
import { beginningOf } from "./excerpt.ts";
import type { NoticeWords } from "./words/notice-words.ts";

const breaker = "\u200b";

/**
 * The dots of domain names (RFC 3490 section 3.1), and the other characters that join an address.
 */
const joints = /(?<=\S)[.\u3002\uff0e\uff61@:\\](?=\S)|\\(?=\\)/gu;

/** The text without anything of which an email program or a chat makes a link. */
export const unlinked = (text: string): string => text.replace(joints, `${breaker}$&${breaker}`);

/** The text with its labels, line ends as `\n`. */
export function outsideText(text: string, words: NoticeWords): string {
  const parts = viewText(text).map((segment) => {
    if (segment.kind === "text") return unlinked(segment.text);
    return `⟨${unlinked(invisibleWords(segment, words))}⟩${segment.kind === "blankLines" ? "\n" : ""}`;
  });
  return parts.join("").replaceAll("\r\n", "\n");
}

// Right-to-left scripts, which would reorder the rest of a line of ours.
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const isolated = (line: string): string => (rightToLeft.test(line) ? `\u2068${line}\u2069` : line);

type NameOptions = {
  /** The most to show; the rest is counted. */
  readonly characters?: number;
  /**
   * For a subject, in which no program finds links: without zero width spaces and without a count.
   */
  readonly plain?: boolean;
};

/** A short text from outside inside a sentence of ours: one line, cut by length. */
export function outsideName(text: string, words: NoticeWords, { characters = 80, plain = false }: NameOptions = {}): string {
  const { lang, excerpt, review } = words;
  if (text === "") return review.outside.empty;
  const shown = beginningOf(text, characters);
  const line = outsideText(shown, words).replaceAll("\n", `⟨${review.outside.lineBreak}⟩`).replaceAll("\t", `⟨${excerpt.tab}⟩`);
  const cut = text.length - shown.length;
  if (plain) {
    // Written-out characters make a text many times longer, and a subject has a limit.
    const whole = line.replaceAll(breaker, "");
    const short = beginningOf(whole, 3 * characters);
    return `${isolated(short)}${cut > 0 || short.length < whole.length ? "…" : ""}`;
  }
  return cut > 0 ? `${isolated(line)}${textOf(excerpt.cut, { n: cut }, lang)}` : isolated(line);
}

const columns = 64;
// Wide and fullwidth by East Asian Width, and emoji.
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{3fffd}]/u;
const widthOf = (character: string): number => (character === breaker ? 0 : wide.test(character) ? 2 : 1);

/**
 * A line in pieces of 64 columns, cut after a space where there is one. Where an email program
 * breaks a longer line, the rest would have no mark.
 */
function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  const end = (at: number): void => {
    pieces.push(piece.slice(0, at));
    piece = piece.slice(at);
    width = [...piece].reduce((sum, character) => sum + widthOf(character), 0);
  };
  for (const character of line) {
    const room = columns - widthOf(character);
    if (width > room) end(piece.lastIndexOf(" ") + 1 || piece.length);
    piece += character;
    width += widthOf(character);
  }
  return [...pieces, piece];
}

/** The text framed for the text part: each line begins with a bar. */
export function framed(text: string, { start, end }: { start: string; end: string }, words: NoticeWords): string[] {
  const lines = outsideText(text, words).replaceAll("\t", "    ").split("\n");
  return [`+-- ${start}`, ...lines.flatMap(piecesOf).map((piece) => `| ${piece}`.trimEnd()), `+-- ${end}`];
}

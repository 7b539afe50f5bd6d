// A text from outside as the parts that a page shows: the whole text, with each run of invisible
// characters told. It cuts and escapes nothing; the renderer escapes.

import { findInvisible, type InvisibleCharacter } from "../invisible-characters.ts";

/** What characters are that nobody sees. */
export type InvisibleText =
  /**
   * `name` in English; null where the text has had it before, so that a text full of such
   * characters stays readable.
   */
  | { readonly kind: "character"; readonly name: string | null }
  /**
   * `spells`: what a run of them says to a model where all of it is printable ASCII; else empty.
   */
  | { readonly kind: "tags" | "selectors"; readonly spells: string }
  | { readonly kind: "spaces" };

export type Segment =
  | { readonly kind: "text"; readonly text: string }
  /**
   * `count` of the same character, or of one family (tags, variation selectors), the first being
   * `codePoint`.
   */
  | { readonly kind: "unseen"; readonly codePoint: number; readonly count: number; readonly what: InvisibleText }
  /** Four or more blank lines in a row. */
  | { readonly kind: "blankLines"; readonly count: number };

/** Shorter runs of blank lines or spaces are ordinary writing and tables. */
const fewestBlankLines = 4;
const fewestSpaces = 100;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Spaces that are ordinary writing: space, tab, no-break space, narrow no-break space, ideographic
 * space.
 */
const isBlankUnit = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0xa0 || unit === 0x202f || unit === 0x3000;

type Gap = { readonly at: number; readonly end: number; readonly kind: "lines" | "spaces"; readonly count: number };

/** The end of the run of blank characters that begins at `from`. */
function blanksEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlankUnit(text.charCodeAt(at))) at += 1;
  return at;
}

/**
 * The index after the blank line that begins at `from`; null where the line is not blank or has no
 * line end.
 */
function blankLineEnd(text: string, from: number): number | null {
  const at = blanksEnd(text, from);
  const feed = text.charCodeAt(at) === carriageReturn ? at + 1 : at;
  return text.charCodeAt(feed) === lineFeed ? feed + 1 : null;
}

/**
 * Long runs of blank lines and of spaces, in order. A scan, because a regular expression overflows
 * on millions of lines.
 */
function* gapsIn(text: string): Generator<Gap> {
  let at = 0;
  let isLineStart = true;
  while (at < text.length) {
    if (isLineStart) {
      let end = at;
      let count = 0;
      for (let next = blankLineEnd(text, end); next !== null; next = blankLineEnd(text, end)) {
        end = next;
        count += 1;
      }
      if (count >= fewestBlankLines) {
        yield { at, end, kind: "lines", count };
        at = end;
        continue;
      }
      isLineStart = false;
    }
    const unit = text.charCodeAt(at);
    if (isBlankUnit(unit)) {
      const end = blanksEnd(text, at);
      if (end - at >= fewestSpaces) yield { at, end, kind: "spaces", count: end - at };
      at = end;
    } else {
      isLineStart = unit === lineFeed;
      at += 1;
    }
  }
}

const isTag = (codePoint: number): boolean => codePoint >= 0xe0000 && codePoint <= 0xe007f;

/** The byte that a variation selector encodes where text is hidden behind an emoji. */
function selectorByte(codePoint: number): number | undefined {
  if (codePoint >= 0xfe00 && codePoint <= 0xfe0f) return codePoint - 0xfe00;
  if (codePoint >= 0xe0100 && codePoint <= 0xe01ef) return codePoint - 0xe0100 + 16;
  return undefined;
}

function familyOf(codePoint: number): string {
  if (isTag(codePoint)) return "tag";
  return selectorByte(codePoint) === undefined ? `U+${codePoint}` : "selector";
}

/**
 * What a run of tags or selectors spells to a model, where all of it is printable ASCII; otherwise
 * empty.
 */
function spelled(run: readonly InvisibleCharacter[]): string {
  let text = "";
  for (const { codePoint } of run) {
    const byte = isTag(codePoint) ? codePoint - 0xe0000 : selectorByte(codePoint);
    if (byte === 0x7f || byte === 0x01) continue;
    if (byte === undefined || byte < 0x20 || byte > 0x7e) return "";
    text += String.fromCharCode(byte);
  }
  return text;
}

function whatIs(run: readonly InvisibleCharacter[], first: InvisibleCharacter, seen: Set<number>): InvisibleText {
  const isSelector = selectorByte(first.codePoint) !== undefined;
  if (run.length > 1 && (isSelector || isTag(first.codePoint))) return { kind: isSelector ? "selectors" : "tags", spells: spelled(run) };
  const name = seen.has(first.codePoint) ? null : first.name;
  seen.add(first.codePoint);
  return { kind: "character", name };
}

/**
 * Adds the parts of a text without long gaps; invisible neighbours of one family become one part.
 */
function withUnseen(text: string, seen: Set<number>, into: Segment[]): void {
  const unseen = findInvisible(text);
  let at = 0;
  for (let i = 0; i < unseen.length;) {
    const first = unseen[i];
    if (first === undefined) break;
    if (first.at > at) into.push({ kind: "text", text: text.slice(at, first.at) });
    const run: InvisibleCharacter[] = [];
    at = first.at;
    for (
      let next = unseen[i];
      next !== undefined && next.at === at && familyOf(next.codePoint) === familyOf(first.codePoint);
      next = unseen[i]
    ) {
      run.push(next);
      at += next.length;
      i += 1;
    }
    into.push({ kind: "unseen", codePoint: first.codePoint, count: run.length, what: whatIs(run, first, seen) });
  }
  if (at < text.length) into.push({ kind: "text", text: text.slice(at) });
}

/**
 * The whole of `text` as parts in order, in linear time. Four blank lines or a hundred spaces in a
 * row become a count.
 */
export function viewText(text: string): Segment[] {
  const segments: Segment[] = [];
  const seen = new Set<number>();
  let at = 0;
  for (const gap of gapsIn(text)) {
    withUnseen(text.slice(at, gap.at), seen, segments);
    if (gap.kind === "lines") segments.push({ kind: "blankLines", count: gap.count });
    else segments.push({ kind: "unseen", codePoint: 0x20, count: gap.count, what: { kind: "spaces" } });
    at = gap.end;
  }
  withUnseen(text.slice(at), seen, segments);
  return segments;
}

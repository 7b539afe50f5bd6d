// A text from outside as the parts that a page shows: the whole text, with each run of invisible
// characters told. It cuts and escapes nothing; the renderer escapes.

import { findInvisible, type InvisibleCharacter } from "../invisible-characters.ts";
import { type RiskLevel, riskLevels } from "../policy/risk.ts";

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

/** The number of a warning in the list of a page, and how grave it is. */
export type Pin = { readonly number: number; readonly level: RiskLevel };

/** Where a warning is in a text: UTF-16 offsets. */
export type MarkedPart = Pin & { readonly start: number; readonly end: number };

/** `isFirst`: no stretch before it has this warning. */
type EdgePin = Pin & { readonly isFirst: boolean };

/**
 * The edges of a marked stretch, which take no room in the text. `level`: the gravest of what marks
 * the stretch; `pins`: the warnings whose place begins with it.
 */
type MarkEdge = { readonly kind: "markStart"; readonly level: RiskLevel; readonly pins: readonly EdgePin[] } | { readonly kind: "markEnd" };

export type MarkedSegment = Segment | MarkEdge;

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
export function* gapsIn(text: string): Generator<Gap> {
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

/** A segment with the offsets of the text that it shows. */
type Placed = { readonly segment: Segment; readonly start: number; readonly end: number };

/**
 * Adds the parts of the text from `from` to `to`, which has no long gap; invisible neighbours of
 * one family become one part.
 */
function withUnseen(whole: string, { from, to }: { from: number; to: number }, seen: Set<number>, into: Placed[]): void {
  const text = whole.slice(from, to);
  const unseen = findInvisible(text);
  const add = (segment: Segment, start: number, end: number): void => void into.push({ segment, start: from + start, end: from + end });
  let at = 0;
  for (let i = 0; i < unseen.length;) {
    const first = unseen[i];
    if (first === undefined) break;
    if (first.at > at) add({ kind: "text", text: text.slice(at, first.at) }, at, first.at);
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
    add({ kind: "unseen", codePoint: first.codePoint, count: run.length, what: whatIs(run, first, seen) }, first.at, at);
  }
  if (at < text.length) add({ kind: "text", text: text.slice(at) }, at, text.length);
}

function placedView(text: string): Placed[] {
  const placed: Placed[] = [];
  const seen = new Set<number>();
  let at = 0;
  for (const gap of gapsIn(text)) {
    withUnseen(text, { from: at, to: gap.at }, seen, placed);
    const segment: Segment =
      gap.kind === "lines"
        ? { kind: "blankLines", count: gap.count }
        : { kind: "unseen", codePoint: 0x20, count: gap.count, what: { kind: "spaces" } };
    placed.push({ segment, start: gap.at, end: gap.end });
    at = gap.end;
  }
  withUnseen(text, { from: at, to: text.length }, seen, placed);
  return placed;
}

/**
 * The whole of `text` as parts in order, in linear time. Four blank lines or a hundred spaces in a
 * row become a count.
 */
export const viewText = (text: string): Segment[] => placedView(text).map(({ segment }) => segment);

/**
 * The same with the edges of what is marked. Marks that overlap become one, with the pins of all;
 * a mark never begins or ends within a label.
 */
export function viewMarked(text: string, marks: readonly MarkedPart[]): MarkedSegment[] {
  const placed = placedView(text);
  const waiting = joined(marks);
  const segments: MarkedSegment[] = [];
  let mark = waiting.shift();
  let isInside = false;
  for (const { segment, start, end } of placed) {
    let at = start;
    while (mark !== undefined) {
      const edge = isInside ? mark.end : mark.start;
      // A label is not cut: its mark begins before it, and ends behind it.
      if (edge >= end || (isInside && edge > start && segment.kind !== "text")) break;
      if (segment.kind === "text" && edge > at) {
        segments.push({ kind: "text", text: text.slice(at, edge) });
        at = edge;
      }
      segments.push(isInside ? { kind: "markEnd" } : { kind: "markStart", level: mark.level, pins: mark.pins });
      if (isInside) mark = waiting.shift();
      isInside = !isInside;
    }
    if (segment.kind !== "text") segments.push(segment);
    else if (at < end) segments.push(at === start ? segment : { kind: "text", text: text.slice(at, end) });
  }
  if (isInside) segments.push({ kind: "markEnd" });
  return segments;
}

type JoinedMark = { readonly start: number; end: number; level: RiskLevel; readonly pins: EdgePin[] };

const graver = (a: RiskLevel, b: RiskLevel): RiskLevel => (riskLevels.indexOf(a) > riskLevels.indexOf(b) ? a : b);

/** In order, none of them empty; each warning has one pin in a stretch. */
function joined(marks: readonly MarkedPart[]): JoinedMark[] {
  const found: JoinedMark[] = [];
  const inOrder = marks.filter(({ start, end }) => start < end).toSorted((a, b) => a.start - b.start || a.number - b.number);
  const seen = new Set<number>();
  for (const { start, end, number, level } of inOrder) {
    const pin = { number, level, isFirst: !seen.has(number) };
    seen.add(number);
    const last = found.at(-1);
    if (last === undefined || start >= last.end) {
      found.push({ start, end, level, pins: [pin] });
      continue;
    }
    last.end = Math.max(last.end, end);
    last.level = graver(last.level, level);
    if (last.pins.every((each) => each.number !== number)) last.pins.push(pin);
  }
  return found;
}

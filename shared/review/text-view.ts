// A text from outside as the parts that a page shows: everything is there, and what would be invisible has a label.
// It cuts nothing and escapes nothing; escaping is the work of whoever writes the parts out.

import { findUnseen, type Unseen } from "../unseen.ts";

export type Segment =
  | { readonly kind: "text"; readonly text: string }
  /** `count` of the same character, or of one family (tags, variation selectors), the first being `codePoint`. */
  | { readonly kind: "unseen"; readonly label: string; readonly codePoint: number; readonly count: number }
  /** Whole lines with nothing to see in them, more in a row than a reader would take for a gap. */
  | { readonly kind: "blankLines"; readonly count: number };

/** From here on a run of blank lines or of spaces is counted: shorter ones are ordinary writing and tables. */
const fewestBlankLines = 4;
const fewestSpaces = 100;

const blank = "[ \\t\\u00a0\\u202f\\u3000]";
const gap = new RegExp(`(?<=^|\\n)(?:${blank}*\\r?\\n){${fewestBlankLines},}|${blank}{${fewestSpaces},}`, "g");

const isTag = (codePoint: number): boolean => codePoint >= 0xe0000 && codePoint <= 0xe007f;

/** The byte that a variation selector stands for in the known way of hiding text behind an emoji. */
function selectorByte(codePoint: number): number | undefined {
  if (codePoint >= 0xfe00 && codePoint <= 0xfe0f) return codePoint - 0xfe00;
  if (codePoint >= 0xe0100 && codePoint <= 0xe01ef) return codePoint - 0xe0100 + 16;
  return undefined;
}

function familyOf(codePoint: number): string {
  if (isTag(codePoint)) return "tag";
  return selectorByte(codePoint) === undefined ? `U+${codePoint}` : "selector";
}

const codeOf = (codePoint: number): string => `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;

/** What a run of tags or selectors says to a model, where it is printable ASCII throughout; otherwise empty. */
function spelled(run: readonly Unseen[]): string {
  let text = "";
  for (const { codePoint } of run) {
    const byte = isTag(codePoint) ? codePoint - 0xe0000 : selectorByte(codePoint);
    if (byte === 0x7f || byte === 0x01) continue;
    if (byte === undefined || byte < 0x20 || byte > 0x7e) return "";
    text += String.fromCharCode(byte);
  }
  return text;
}

function labelOf(run: readonly Unseen[], first: Unseen, seen: Set<number>): string {
  const many = run.length > 1 ? ` ×${run.length}` : "";
  if (isTag(first.codePoint) || selectorByte(first.codePoint) !== undefined) {
    const hidden = spelled(run);
    const family = isTag(first.codePoint) ? "tag characters" : "variation selectors";
    if (run.length > 1) return `${run.length} ${family}${hidden === "" ? "" : ` that spell “${hidden}”`}`;
  }
  // The name once in a text is enough to learn the label; a text full of them stays readable.
  const name = seen.has(first.codePoint) ? "" : ` ${first.name}`;
  seen.add(first.codePoint);
  return `${codeOf(first.codePoint)}${name}${many}`;
}

/** The parts of a stretch in which only unseen characters are special; neighbours of one family become one part. */
function withLabels(text: string, seen: Set<number>, into: Segment[]): void {
  const unseen = findUnseen(text);
  let at = 0;
  for (let i = 0; i < unseen.length;) {
    const first = unseen[i];
    if (first === undefined) break;
    if (first.at > at) into.push({ kind: "text", text: text.slice(at, first.at) });
    const run: Unseen[] = [];
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
    into.push({ kind: "unseen", label: labelOf(run, first, seen), codePoint: first.codePoint, count: run.length });
  }
  if (at < text.length) into.push({ kind: "text", text: text.slice(at) });
}

/** The whole of `text` as parts in order; linear in its length. Four blank lines or a hundred spaces in a row are counted. */
export function viewText(text: string): Segment[] {
  const segments: Segment[] = [];
  const seen = new Set<number>();
  let at = 0;
  for (const match of text.matchAll(gap)) {
    withLabels(text.slice(at, match.index), seen, segments);
    const run = match[0];
    const lines = run.split("\n").length - 1;
    if (lines > 0) segments.push({ kind: "blankLines", count: lines });
    else segments.push({ kind: "unseen", label: `${run.length} spaces`, codePoint: 0x20, count: run.length });
    at = match.index + run.length;
  }
  withLabels(text.slice(at), seen, segments);
  return segments;
}

// Cuts a long text into parts of some lines, so that a reader knows where they are: "lines 41–80 of
// 121". Nothing is left out.

import type { MarkedSegment } from "./text-view.ts";

/** `from` and `to` are the numbers of its first and last line, counted in the text itself. */
type LinePart = { readonly segments: readonly MarkedSegment[]; readonly from: number; readonly to: number };

/** Longer texts are cut. */
const longestWhole = 60;
const linesInPart = 40;

/** The index after the line end that is number `count` in `text`; null where it has fewer. */
function endOfLine(text: string, count: number): number | null {
  let at = -1;
  for (let i = 0; i < count; i += 1) {
    at = text.indexOf("\n", at + 1);
    if (at === -1) return null;
  }
  return at + 1;
}

const lineEndsIn = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
};

/**
 * How many lines a page shows for the text. A run of blank lines is one: it is shown as its count.
 */
export const shownLines = (segments: readonly MarkedSegment[]): number =>
  1 +
  segments.reduce((sum, segment) => sum + (segment.kind === "text" ? lineEndsIn(segment.text) : segment.kind === "blankLines" ? 1 : 0), 0);

/** How many lines the text has. */
export const allLines = (segments: readonly MarkedSegment[]): number =>
  1 +
  segments.reduce(
    (sum, segment) => sum + (segment.kind === "text" ? lineEndsIn(segment.text) : segment.kind === "blankLines" ? segment.count : 0),
    0,
  );

/**
 * The parts in order: one where the text is short. Each ends with a line end, except for the last.
 */
export function linePartsOf(segments: readonly MarkedSegment[]): LinePart[] {
  if (shownLines(segments) <= longestWhole) return [{ segments, from: 1, to: allLines(segments) }];
  const parts: LinePart[] = [];
  let current: MarkedSegment[] = [];
  let shown = 0;
  let from = 1;
  let ended = 0;
  const end = (): void => {
    if (current.length === 0) return;
    parts.push({ segments: current, from, to: ended });
    from = ended + 1;
    current = [];
    shown = 0;
  };
  for (const segment of segments) {
    // A part's end has closed it already.
    if (segment.kind === "markEnd" && current.length === 0) continue;
    if (segment.kind !== "text") {
      current.push(segment);
      if (segment.kind !== "blankLines") continue;
      shown += 1;
      ended += segment.count;
      if (shown >= linesInPart) end();
      continue;
    }
    let rest = segment.text;
    for (let at = endOfLine(rest, linesInPart - shown); at !== null && rest !== ""; at = endOfLine(rest, linesInPart - shown)) {
      current.push({ kind: "text", text: rest.slice(0, at) });
      ended += linesInPart - shown;
      rest = rest.slice(at);
      end();
    }
    if (rest === "") continue;
    current.push({ kind: "text", text: rest });
    const lines = lineEndsIn(rest);
    shown += lines;
    ended += lines;
  }
  ended += 1;
  end();
  return parts;
}

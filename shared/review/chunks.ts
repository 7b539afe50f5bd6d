// Cuts a very long text into chunks that a browser can lay out one at a time. Nothing is left out.
// A chunk ends at a line end where it can; `lineGoesOn` marks one that does not.

import type { InvisibleText, MarkedSegment } from "./text-view.ts";

type Chunk = { readonly segments: readonly MarkedSegment[]; readonly lineGoesOn: boolean };

const longest = 8_000;
const longestWord = 200;

/**
 * Where to cut a text that is longer than `room`: after a line end, a word or a label ("⟨…⟩"), else
 * between two characters.
 */
function cutIn(text: string, room: number): { at: number; lineGoesOn: boolean } {
  const lineEnd = text.lastIndexOf("\n", room - 1);
  if (lineEnd !== -1) return { at: lineEnd + 1, lineGoesOn: false };
  const word = Math.max(text.lastIndexOf(" ", room - 1), text.lastIndexOf("⟩", room - 1));
  if (word > room - longestWord) return { at: word + 1, lineGoesOn: true };
  const next = text.charCodeAt(room);
  return { at: next >= 0xdc00 && next <= 0xdfff ? room + 1 : room, lineGoesOn: true };
}

/** About as long as what a page shows for it. */
const labelLength = (what: InvisibleText): number => (what.kind === "tags" || what.kind === "selectors" ? 40 + what.spells.length : 40);

/**
 * Chunks of about 8,000 UTF-16 code units, in order. Labels count with their length, so that no
 * chunk has too many.
 */
export function chunksOf(segments: readonly MarkedSegment[]): Chunk[] {
  const chunks: Chunk[] = [];
  let current: MarkedSegment[] = [];
  let length = 0;
  const end = (lineGoesOn: boolean): void => {
    chunks.push({ segments: current, lineGoesOn });
    current = [];
    length = 0;
  };
  for (const segment of segments) {
    if (segment.kind === "markEnd") {
      // A chunk's end has closed it already.
      if (current.length > 0) current.push(segment);
      continue;
    }
    // A surrogate pair at the end of a text may fill the chunk to its last character.
    if (length >= longest) end(segment.kind === "unseen" || (segment.kind === "text" && !segment.text.startsWith("\n")));
    if (segment.kind !== "text") {
      current.push(segment);
      length += segment.kind === "unseen" ? labelLength(segment.what) : 0;
      continue;
    }
    let rest = segment.text;
    while (length + rest.length > longest) {
      const { at, lineGoesOn } = cutIn(rest, Math.max(1, longest - length));
      current.push({ kind: "text", text: rest.slice(0, at) });
      length += at;
      rest = rest.slice(at);
      if (rest === "") break;
      end(lineGoesOn);
    }
    if (rest !== "") current.push({ kind: "text", text: rest });
    length += rest.length;
  }
  if (current.length > 0) end(false);
  return chunks;
}

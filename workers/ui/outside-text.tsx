// Text that Countersign did not write, shown so that no reader takes it for ours: in a marked frame, letter by letter, with labels for
// invisible characters. It is never markdown, HTML or a link.

import type { Child } from "hono/jsx";
import { chunksOf } from "../../shared/review/chunks.ts";
import { viewText, type Segment } from "../../shared/review/text-view.ts";
import { fill } from "./sentence.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";

const Parts = ({ segments }: { segments: readonly Segment[] }) => (
  <>
    {segments.map((segment) => {
      if (segment.kind === "text") return segment.text;
      if (segment.kind === "unseen") return <b class="unseen">{reviewWords.outside.unseen(segment)}</b>;
      return <b class="unseen gap">{reviewWords.outside.blankLines(segment.count)}</b>;
    })}
  </>
);

const unseenIn = (segments: readonly Segment[]): number =>
  segments.reduce((sum, segment) => sum + (segment.kind === "unseen" && segment.codePoint !== 0x20 ? segment.count : 0), 0);

/** A short text from outside in a sentence of ours, such as a server's name. Its direction does not affect the sentence. */
export const Name = ({ value }: { value: string }) => (
  <bdi class="name">{value === "" ? reviewWords.outside.empty : <Parts segments={viewText(value)} />}</bdi>
);

/** A sentence of Countersign that may quote text from outside: in our type, with labels for invisible characters. */
export const Plain = ({ value }: { value: string }) => (
  <bdi class="plain">
    <Parts segments={viewText(value)} />
  </bdi>
);

/** Who wrote the text, in words for the frame's start and end. A frame inside the text cannot imitate that end. */
export type Origin = { readonly start: string; readonly end: string };

type FrameProps = { from: Origin; children: Child };

/** The frame around text from outside, which cannot paint over or beyond its border. */
export const Frame = ({ from, children }: FrameProps) => (
  <div class="outside">
    <p class="edge">{from.start}</p>
    {children}
    <p class="edge end">{from.end}</p>
  </div>
);

/** A segment without elements. */
const lettersOf = (segment: Segment): string => {
  if (segment.kind === "text") return segment.text;
  return segment.kind === "unseen" ? `⟨${reviewWords.outside.unseen(segment)}⟩` : `\n⟨${reviewWords.outside.blankLines(segment.count)}⟩\n`;
};

/** A short text from outside where elements are not possible, such as an option: labels are in brackets. */
export const plainLetters = (value: string): string => viewText(value).map(lettersOf).join("");

/** Each label is an element, and a text of invisible characters must not make a page that no browser opens. */
const mostLabels = 1_000;

/** Labels beyond `mostLabels` are written as text: ⟨U+200B⟩. */
function withFewLabels(segments: readonly Segment[]): readonly Segment[] {
  let labels = 0;
  const from = segments.findIndex((segment) => segment.kind !== "text" && (labels += 1) > mostLabels);
  if (from === -1) return segments;
  return [...segments.slice(0, from), { kind: "text", text: segments.slice(from).map(lettersOf).join("") }];
}

/** A text without its frame. A long one is in chunks, which the browser lays out on demand. */
export const Said = ({ segments }: { segments: readonly Segment[] }) => {
  const chunks = chunksOf(withFewLabels(segments));
  if (chunks.length <= 1) return <Parts segments={chunks[0]?.segments ?? []} />;
  return (
    <>
      {chunks.map((chunk) => (
        <div class="stretch">
          <Parts segments={chunk.segments} />
          {chunk.lineGoesOn ? <b class="unseen gap">{words.outside.lineGoesOn}</b> : null}
        </div>
      ))}
    </>
  );
};

/** A whole text from outside, uncut. */
export const OutsideText = ({ text, from }: { text: string; from: Origin }) => {
  const segments = viewText(text);
  const unseen = unseenIn(segments);
  return (
    <Frame from={from}>
      {unseen === 0 ? null : <p class="edge">{fill(words.outside.unseen(unseen), { sample: <b class="unseen">U+200B</b> })}</p>}
      <div class="said" dir="auto">
        {text === "" ? <i>{reviewWords.outside.empty}</i> : <Said segments={segments} />}
      </div>
    </Frame>
  );
};

/** The same from the text itself: for differences. */
export const SaidInline = ({ text }: { text: string }) => <Said segments={viewText(text)} />;

// Text that was not written by Countersign, shown so that nobody takes it for ours: in a marked frame, letter by letter,
// with labels for what would be invisible. It is never markdown, never HTML, never a link.

import type { Child } from "hono/jsx";
import { chunksOf } from "../../shared/review/chunks.ts";
import { viewText, type Segment } from "../../shared/review/text-view.ts";
import { fill } from "./sentence.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";

const Parts = ({ segments }: { segments: readonly Segment[] }) => (
  <>
    {segments.map((segment) => {
      if (segment.kind === "text") return segment.text;
      if (segment.kind === "unseen") return <b class="unseen">{segment.label}</b>;
      return <b class="unseen gap">{reviewWords.outside.blankLines(segment.count)}</b>;
    })}
  </>
);

const unseenIn = (segments: readonly Segment[]): number =>
  segments.reduce((sum, segment) => sum + (segment.kind === "unseen" && segment.codePoint !== 0x20 ? segment.count : 0), 0);

/** A short text from outside inside a sentence of ours: a server's name, a model's id. Its direction cannot leak out. */
export const Name = ({ value }: { value: string }) => (
  <bdi class="name">{value === "" ? reviewWords.outside.empty : <Parts segments={viewText(value)} />}</bdi>
);

/** A sentence that another part of Countersign made, which may quote something from outside: our type, their letters. */
export const Plain = ({ value }: { value: string }) => (
  <bdi class="plain">
    <Parts segments={viewText(value)} />
  </bdi>
);

/** Whose text it is, and the words at the frame's end that say so again: a frame inside the text cannot end ours. */
export type Origin = { readonly start: string; readonly end: string };

type FrameProps = { from: Origin; children: Child };

/** The frame around everything from outside. What is inside can paint neither over its border nor beyond it. */
export const Frame = ({ from, children }: FrameProps) => (
  <div class="outside">
    <p class="edge">{from.start}</p>
    {children}
    <p class="edge end">{from.end}</p>
  </div>
);

/** A segment as letters alone. */
const lettersOf = (segment: Segment): string => {
  if (segment.kind === "text") return segment.text;
  return segment.kind === "unseen" ? `⟨${segment.label}⟩` : `\n⟨${reviewWords.outside.blankLines(segment.count)}⟩\n`;
};

/** A short text from outside where only letters can stand, such as an option: what would be invisible is named in brackets. */
export const plainLetters = (value: string): string => viewText(value).map(lettersOf).join("");

/** Elements are dear: a text that is nothing but unseen characters must not make a page that no browser opens. */
const mostLabels = 1_000;

/** From the first label too many on, labels are written as text: ⟨U+200B⟩. */
function withFewLabels(segments: readonly Segment[]): readonly Segment[] {
  let labels = 0;
  const from = segments.findIndex((segment) => segment.kind !== "text" && (labels += 1) > mostLabels);
  if (from === -1) return segments;
  return [...segments.slice(0, from), { kind: "text", text: segments.slice(from).map(lettersOf).join("") }];
}

/** The parts of a text without a frame, for places that have one around them. Long texts come as blocks laid out on demand. */
export const Said = ({ segments }: { segments: readonly Segment[] }) => {
  const stretches = chunksOf(withFewLabels(segments));
  if (stretches.length <= 1) return <Parts segments={stretches[0]?.segments ?? []} />;
  return (
    <>
      {stretches.map((stretch) => (
        <div class="stretch">
          <Parts segments={stretch.segments} />
          {stretch.lineGoesOn ? <b class="unseen gap">{words.outside.lineGoesOn}</b> : null}
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

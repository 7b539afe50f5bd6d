// Text that Countersign did not write, shown so that no reader takes it for ours: in a striped
// frame, letter by letter, with labels for invisible characters. It is never markdown, HTML or a
// link.

import type { Child } from "hono/jsx";
import { placeWords, invisibleWords } from "../../shared/channels/content-words.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import type { ContentKind } from "../../shared/model/subject/subject.ts";
import { argumentName } from "../../shared/review/editable-fields.ts";
import { chunksOf } from "../../shared/review/chunks.ts";
import { allLines, linePartsOf } from "../../shared/review/line-parts.ts";
import { viewText, type Segment } from "../../shared/review/text-view.ts";
import { useWords } from "./language.ts";
import { fill } from "./sentence.tsx";

const Parts = ({ segments }: { segments: readonly Segment[] }) => {
  const words = useWords();
  return (
    <>
      {segments.map((segment) =>
        segment.kind === "text" ? (
          segment.text
        ) : (
          <b class={segment.kind === "unseen" ? "unseen" : "unseen gap"}>{invisibleWords(segment, words)}</b>
        ),
      )}
    </>
  );
};

/**
 * A short text from outside in a sentence of ours, such as a server's name. Its direction does not
 * affect the sentence.
 */
export const Name = ({ value }: { value: string }) => {
  const { outside } = useWords().review;
  return <bdi class="name">{value === "" ? outside.empty : <Parts segments={viewText(value)} />}</bdi>;
};

/** A field in our words; one of the arguments of a call by its own name. */
export const PlaceName = ({ path, kind }: { path: string; kind: ContentKind }) => {
  const words = useWords();
  const name = argumentName(path);
  return name === null ? <>{placeWords(path, words, kind)}</> : <Name value={name} />;
};

/**
 * A sentence of Countersign that may quote text from outside: in our type, with labels for
 * invisible characters.
 */
export const Plain = ({ value }: { value: string }) => (
  <bdi class="plain">
    <Parts segments={viewText(value)} />
  </bdi>
);

/** Who wrote a text: a sentence for the top of its frame, and the names in it. */
export type Origin = { readonly sentence: string; readonly names: Readonly<Record<string, string>> };

/** A piece of the content, with who wrote it. */
export type FramedPart = { readonly from: Origin; readonly part: Child };

const OriginLine = ({ from: { sentence, names } }: { from: Origin }) => (
  <p class="origin">
    <span>{fill(sentence, Object.fromEntries(Object.entries(names).map(([name, value]) => [name, <Name value={value} />])))}</span>
  </p>
);

/** Neighbours from one origin, in order. */
function grouped(parts: readonly FramedPart[]): { from: Origin; inside: Child[] }[] {
  const groups: { from: Origin; inside: Child[] }[] = [];
  for (const { from, part } of parts) {
    const last = groups.at(-1);
    if (last?.from.sentence === from.sentence) last.inside.push(part);
    else groups.push({ from, inside: [part] });
  }
  return groups;
}

/**
 * The content in its frames: one for each run of parts from the same origin. A frame's text cannot
 * paint beyond its border.
 */
export const Frames = ({ parts }: { parts: readonly FramedPart[] }) => (
  <>
    {grouped(parts).map(({ from, inside }) => (
      <div class="parts">
        <OriginLine from={from} />
        {inside}
      </div>
    ))}
  </>
);

/** A segment without elements. */
const lettersOf = (segment: Segment, words: Words): string => {
  if (segment.kind === "text") return segment.text;
  const label = `⟨${invisibleWords(segment, words)}⟩`;
  return segment.kind === "unseen" ? label : `\n${label}\n`;
};

/**
 * A short text from outside where elements are not possible, such as an option: labels are in
 * brackets.
 */
export const plainLetters = (value: string, words: Words): string =>
  viewText(value)
    .map((segment) => lettersOf(segment, words))
    .join("");

/**
 * Each label is an element, and a text of invisible characters must not make a page that no browser
 * opens.
 */
const mostLabels = 1_000;

/** Labels beyond `mostLabels` are written as text: ⟨U+200B⟩. */
function withFewLabels(segments: readonly Segment[], words: Words): readonly Segment[] {
  let labels = 0;
  const from = segments.findIndex((segment) => segment.kind !== "text" && (labels += 1) > mostLabels);
  if (from === -1) return segments;
  const letters = segments.slice(from).map((segment) => lettersOf(segment, words));
  return [...segments.slice(0, from), { kind: "text", text: letters.join("") }];
}

/** A text without its frame. A long one is in chunks, which the browser lays out on demand. */
const Said = ({ segments }: { segments: readonly Segment[] }) => {
  const { outside } = useWords().page;
  const chunks = chunksOf(segments);
  if (chunks.length <= 1) return <Parts segments={chunks[0]?.segments ?? []} />;
  return (
    <>
      {chunks.map((chunk) => (
        <div class="stretch">
          <Parts segments={chunk.segments} />
          {chunk.lineGoesOn ? <b class="unseen gap">{outside.lineGoesOn}</b> : null}
        </div>
      ))}
    </>
  );
};

/** A whole text from outside, uncut: a long one in parts, each with the numbers of its lines. */
export const OutsideText = ({ text }: { text: string }) => {
  const words = useWords();
  if (text === "")
    return (
      <div class="said">
        <i>{words.review.outside.empty}</i>
      </div>
    );
  const segments = withFewLabels(viewText(text), words);
  const parts = linePartsOf(segments);
  if (parts.length === 1)
    return (
      <div class="said" dir="auto">
        <Said segments={segments} />
      </div>
    );
  const of = allLines(segments);
  return (
    <>
      {parts.map(({ segments: inside, from, to }) => (
        <details class="lines" open>
          <summary class="chev">{fill(words.page.outside.lines, { from, to, of })}</summary>
          <div class="said" dir="auto">
            <Said segments={inside} />
          </div>
        </details>
      ))}
    </>
  );
};

/** The same from the text itself: for differences. */
export const SaidInline = ({ text }: { text: string }) => {
  const words = useWords();
  return <Said segments={withFewLabels(viewText(text), words)} />;
};

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
import { type MarkedPart, type MarkedSegment, type Pin, type Segment, viewMarked, viewText } from "../../shared/review/text-view.ts";
import { useWords } from "./language.ts";
import { fill } from "./sentence.tsx";

/**
 * The number of a warning. It is drawn from an attribute and is no text, so that nothing that a
 * text says can pass for it, and a copied text is the text alone.
 */
export const PinMark = ({ pin: { number, level }, id }: { pin: Pin; id?: string | undefined }) => (
  <b class={`pin ${level}`} data-n={String(number)} {...(id === undefined ? {} : { id })}></b>
);

/** The marks of a text, and the ids of their pins, to which the list of warnings leads. */
export type Marks = { readonly parts: readonly MarkedPart[]; readonly idOf: (number: number) => string | undefined };

const noMarks: Marks = { parts: [], idOf: () => undefined };

const Label = ({ segment }: { segment: Exclude<Segment, { kind: "text" }> }) => (
  <b class={segment.kind === "unseen" ? "unseen" : "unseen gap"}>{invisibleWords(segment, useWords())}</b>
);

type PartsProps = { readonly segments: readonly MarkedSegment[]; readonly idOf?: Marks["idOf"] };

/** A mark is closed where the segments end. */
const Parts = ({ segments, idOf = noMarks.idOf }: PartsProps): Child => {
  const children: Child[] = [];
  for (let i = 0; i < segments.length; i += 1) {
    const segment = segments[i];
    if (segment === undefined || segment.kind === "markEnd") continue;
    if (segment.kind === "text") children.push(segment.text);
    else if (segment.kind !== "markStart") children.push(<Label segment={segment} />);
    else {
      const end = segments.findIndex(({ kind }, at) => at > i && kind === "markEnd");
      const inside = segments.slice(i + 1, end === -1 ? segments.length : end);
      i += inside.length;
      children.push(
        <mark class={segment.level}>
          {segment.pins.map((pin) => (
            <PinMark pin={pin} id={pin.isFirst ? idOf(pin.number) : undefined} />
          ))}
          <Parts segments={inside} />
        </mark>,
      );
    }
  }
  return <>{children}</>;
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
const lettersOf = (segment: MarkedSegment, words: Words): string => {
  if (segment.kind === "text") return segment.text;
  if (segment.kind === "markStart" || segment.kind === "markEnd") return "";
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
function withFewLabels(segments: readonly MarkedSegment[], words: Words): readonly MarkedSegment[] {
  let labels = 0;
  const from = segments.findIndex(({ kind }) => (kind === "unseen" || kind === "blankLines") && (labels += 1) > mostLabels);
  if (from === -1) return segments;
  const letters = segments.slice(from).map((segment) => lettersOf(segment, words));
  return [...segments.slice(0, from), { kind: "text", text: letters.join("") }];
}

/** A text without its frame. A long one is in chunks, which the browser lays out on demand. */
const Said = ({ segments, idOf }: { segments: readonly MarkedSegment[]; idOf: Marks["idOf"] }) => {
  const { outside } = useWords().page;
  const chunks = chunksOf(segments);
  if (chunks.length <= 1) return <Parts segments={chunks[0]?.segments ?? []} idOf={idOf} />;
  return (
    <>
      {chunks.map((chunk) => (
        <div class="stretch">
          <Parts segments={chunk.segments} idOf={idOf} />
          {chunk.lineGoesOn ? <b class="unseen gap">{outside.lineGoesOn}</b> : null}
        </div>
      ))}
    </>
  );
};

/** A whole text from outside, uncut: a long one in parts, each with the numbers of its lines. */
export const OutsideText = ({ text, marks = noMarks }: { text: string; marks?: Marks }) => {
  const words = useWords();
  if (text === "")
    return (
      <div class="said">
        <i>{words.review.outside.empty}</i>
      </div>
    );
  const { idOf } = marks;
  const segments = withFewLabels(viewMarked(text, marks.parts), words);
  const parts = linePartsOf(segments);
  if (parts.length === 1)
    return (
      <div class="said" dir="auto">
        <Said segments={segments} idOf={idOf} />
      </div>
    );
  const of = allLines(segments);
  return (
    <>
      {parts.map(({ segments: inside, from, to }) => (
        <details class="lines" open>
          <summary class="chev">{fill(words.page.outside.lines, { from, to, of })}</summary>
          <div class="said" dir="auto">
            <Said segments={inside} idOf={idOf} />
          </div>
        </details>
      ))}
    </>
  );
};

/** The same from the text itself: for differences and values. */
export const SaidInline = ({ text, marks = noMarks }: { text: string; marks?: Marks }) => {
  const words = useWords();
  return <Said segments={withFewLabels(viewMarked(text, marks.parts), words)} idOf={marks.idOf} />;
};

// One text of the content. The frame is its field: what stands in it is what is sent. A changed
// text shows its difference, is outlined and cannot be folded away. It shows what the reviewer
// wrote last, and validates nothing.

import type { Child } from "hono/jsx";
import type { Gate } from "../../shared/model/gate.ts";
import type { ContentKind } from "../../shared/model/subject/subject.ts";
import type { FieldChange } from "../../shared/review/difference.ts";
import { asSubmitted } from "../../shared/review/submitted-text.ts";
import { editField } from "../../shared/review/form.ts";
import { allLines, shownLines } from "../../shared/review/line-parts.ts";
import { type NumberedRisk, markedParts } from "../../shared/review/risk-places.ts";
import { type Pin, viewText } from "../../shared/review/text-view.ts";
import { Difference } from "./changes.tsx";
import { Icon } from "./icons.tsx";
import type { Words } from "../../shared/channels/words/words.ts";
import { useWords } from "./language.ts";
import { type Marks, OutsideText, PinMark } from "./outside-text.tsx";
import { fill, fillText } from "./sentence.tsx";
import { placeWords } from "../../shared/channels/content-words.ts";

/** `undefined` in its place: the review is closed, or its content is not editable here. */
export type Editing = {
  /** The texts that the reviewer sent last, by path. */
  readonly kept: ReadonlyMap<string, string>;
  /** Messages by path. */
  readonly errors: ReadonlyMap<string, string>;
};

/** What each text of one side of the review needs to be shown. */
export type Showing = {
  readonly editing: Editing | undefined;
  readonly gate: Gate;
  readonly isOpen: boolean;
  /** The request's: names of fields depend on it. */
  readonly kind: ContentKind;
  /** The reviewer's own changes, not yet sent, by path. */
  readonly own: ReadonlyMap<string, FieldChange>;
  /** What reviewers changed before, by path, and who made the current version. */
  readonly earlier: ReadonlyMap<string, FieldChange>;
  readonly editedBy: Child;
  /** Whether a warning is about the field at a path, or about one within it. */
  readonly isWarned: (path: string) => boolean;
  readonly marks: TextMarks;
};

/** The warnings with their numbers in the page's list; `prefix`: before the ids of their marks. */
type TextMarks = { readonly risks: readonly NumberedRisk[]; readonly prefix: string };

/** The id of the mark of a warning. */
export const markId = (number: number, prefix = ""): string => `${prefix}w${number}`;

type PlacedWarnings = Marks & {
  /** The warnings that are about this text and have no place in it that can be marked. */
  readonly unplaced: readonly Pin[];
};

/** The warnings about the text at a path, as it is shown. */
export function marksAt({ marks: { risks, prefix } }: Pick<Showing, "marks">, path: string, text: string): PlacedWarnings {
  const here = risks.filter(({ note }) => note.pointer === path);
  const parts = markedParts(text, here);
  const placed = new Set(parts.map(({ number }) => number));
  const unplaced = here.filter(({ number }) => !placed.has(number)).map(({ number, note: { level } }) => ({ number, level }));
  return { parts, idOf: (number) => markId(number, prefix), unplaced };
}

/** A text of up to so many lines is never folded. */
const neverFolded = 6;
const charactersInLine = 80;

/** Lines as a reader counts them: a long one counts for more. */
const linesToRead = (text: string): number =>
  text.split("\n", 400).reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / charactersInLine)), 0);

export const isFoldable = (text: string): boolean => linesToRead(text) > neverFolded;

/**
 * Longer texts, and those in which something would be invisible or a warning has its place, are
 * shown in parts, with labels or with marks; their field is behind "Edit".
 */
const longestField = 6_000;
const mostFieldLines = 60;

function isField(text: string, { parts }: Pick<PlacedWarnings, "parts">): boolean {
  // A field has no marks in it.
  if (parts.length > 0) return false;
  const segments = viewText(text);
  const isPlain = segments.every(({ kind }) => kind === "text");
  return isPlain && text.length <= longestField && shownLines(segments) <= mostFieldLines;
}

/** Enough rows on a phone, in browsers that cannot fit a field to its text. */
const rowsFor = (text: string): number => text.split("\n", 400).reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 30)), 0);

type TextPartProps = {
  readonly showing: Showing;
  readonly path: string;
  readonly title: Child;
  readonly text: string;
  readonly kind?: "text" | "object" | "removable";
  /** A long text is folded, unless it is changed or a warning is about it. */
  readonly folds?: boolean;
  readonly id?: string | undefined;
  /** A line about the text, below its heading. */
  readonly about?: Child;
  /** Never a field, whatever the page is. */
  readonly fixed?: boolean;
};

type Field = {
  readonly name: string;
  readonly value: string;
  readonly isChanged: boolean;
  readonly error: string | undefined;
};

/** The field of a path as it is to be shown: the reviewer's own text where they changed it. */
export function fieldAt({ editing }: Pick<Showing, "editing">, path: string, text: string): Field | null {
  if (editing === undefined) return null;
  const kept = editing.kept.get(path);
  const isChanged = kept !== undefined && asSubmitted(kept) !== asSubmitted(text);
  return { name: editField(path), value: isChanged ? kept : text, isChanged, error: editing.errors.get(path) };
}

const Area = ({ field, label, text }: { field: Field; label: string; text: string }) => {
  const { name, value, isChanged, error } = field;
  const described = [error === undefined ? "" : `${name}:fault`, isChanged && error === undefined ? `${name}:diff` : ""].filter(Boolean);
  return (
    // No `dir`: browsers take minutes to find the direction of a megabyte in a field; the
    // stylesheet does it by line. No spell checker, because some send the text to a server. An HTML
    // parser drops the line feed after the tag, and not the text's own.
    <textarea
      class="said"
      id={name}
      name={name}
      rows={rowsFor(value)}
      spellcheck={false}
      aria-label={label}
      {...(isChanged ? { "data-was": text } : {})}
      {...(described.length === 0 ? {} : { "aria-describedby": described.join(" ") })}
      {...(error === undefined ? {} : { "aria-invalid": "true" })}
    >
      {`\n${value}`}
    </textarea>
  );
};

/** What reviewers changed before, and what this one changed: above the text itself. */
const Differences = ({ showing, path, field }: Pick<TextPartProps, "showing" | "path"> & { field: Field | null }) => {
  const words = useWords();
  const { changes } = words.page;
  const own = showing.own.get(path);
  const earlier = showing.earlier.get(path);
  if (earlier === undefined && field?.isChanged !== true) return null;
  return (
    <>
      {earlier === undefined ? null : (
        <>
          <p class="sub">{showing.editedBy}</p>
          <Difference change={earlier} />
        </>
      )}
      {own === undefined || field === null ? null : <Difference change={own} id={`${field.name}:diff`} />}
      <p class="sub">{showing.isOpen ? changes.sent[showing.gate] : changes.closed}</p>
    </>
  );
};

/** In which lines of a field the warnings are that its text has marks for. */
const FieldMarks = ({ text, marks: { parts } }: { text: string; marks: PlacedWarnings }) => {
  const { warnings } = useWords().page;
  const { marks } = useWords().review;
  const first = parts.filter(({ number }, i) => parts.findIndex((each) => each.number === number) === i);
  if (first.length === 0) return null;
  return (
    <p class="sub pins">
      {first
        .toSorted((a, b) => a.number - b.number)
        .map((pin, i) => (
          <>
            {i === 0 ? "" : marks.comma}
            <PinMark pin={pin} />
            {fill(warnings.inLine, { n: String(text.slice(0, pin.start).split("\n").length) })}
          </>
        ))}
    </p>
  );
};

/** A text that is no field, with its marks; warnings without a place in it stand above it. */
export const MarkedText = ({ showing, path, text }: Pick<TextPartProps, "showing" | "path" | "text">) => {
  const marks = marksAt(showing, path, text);
  return (
    <>
      {marks.unplaced.length === 0 ? null : (
        <p class="sub pins">
          <Pins pins={marks.unplaced} prefix={showing.marks.prefix} />
        </p>
      )}
      <OutsideText text={text} marks={marks} />
    </>
  );
};

/** The warnings about a whole text. */
export const Pins = ({ pins, prefix }: { pins: readonly Pin[]; prefix: string }) => (
  <>
    {pins.map((pin) => (
      <PinMark pin={pin} id={markId(pin.number, prefix)} />
    ))}
  </>
);

type BodyProps = TextPartProps & { readonly field: Field | null; readonly marks: PlacedWarnings };

const Body = ({ showing, path, text, kind = "text", about, field, marks }: BodyProps) => {
  const words = useWords();
  const label = placeWords(path, words, showing.kind);
  const shown = field?.value ?? text;
  const area = field === null ? null : <Area field={field} label={label} text={text} />;
  return (
    <>
      {about === undefined ? null : <p class="sub">{about}</p>}
      {field?.error === undefined ? null : (
        <p class="sub fault" id={`${field.name}:fault`}>
          {field.error}
        </p>
      )}
      <Differences showing={showing} path={path} field={field} />
      {kind === "removable" && field?.isChanged === true ? <p class="sub">{words.page.edit.removable}</p> : null}
      {area !== null && isField(text, marks) ? (
        area
      ) : (
        <>
          <div class="view">
            <OutsideText text={shown} marks={marks} />
          </div>
          {area === null ? null : (
            <details class="edit" open={field?.isChanged === true || field?.error !== undefined}>
              <summary class="act">
                <Icon of="pencil" />
                {words.page.edit.open}
                <span class="sr">: {label}</span>
              </summary>
              <FieldMarks text={shown} marks={marks} />
              {area}
            </details>
          )}
        </>
      )}
    </>
  );
};

/** Its script alone can undo: without one, the field says what to write. */
const Act = ({ field, label }: { field: Field; label: string }) => {
  const { edit } = useWords().page;
  return (
    <label class="act" for={field.name}>
      <Icon of="pencil" />
      {edit.open}
      <span class="sr">: {label}</span>
    </label>
  );
};

/** One text with its heading: a section, or a fold where it is long and `folds`. */
export const TextPart = (props: TextPartProps) => {
  const { showing, path, title, text, folds = false, id, fixed = false } = props;
  const words = useWords();
  const field = fixed ? null : fieldAt(showing, path, text);
  const marks = marksAt(showing, path, field?.value ?? text);
  const pins = <Pins pins={marks.unplaced} prefix={showing.marks.prefix} />;
  const isTouched = field?.isChanged === true || field?.error !== undefined;
  const isEdited = showing.earlier.has(path);
  const badge = isTouched ? <span class="badge">{words.page.changes.changed}</span> : null;
  const place = id === undefined ? {} : { id };
  if (!folds || !isFoldable(text)) {
    return (
      <section class={isTouched ? "part changed" : "part"} {...place}>
        <header>
          <h2>{title}</h2>
          {pins}
          {badge}
          {field !== null && isField(text, marks) ? <Act field={field} label={placeWords(path, words, showing.kind)} /> : null}
        </header>
        <Body {...props} field={field} marks={marks} />
      </section>
    );
  }
  return (
    <details class={isTouched ? "part changed" : "part"} {...place} open={isTouched || isEdited || showing.isWarned(path)}>
      <summary class="chev">
        <h2>{title}</h2>
        {pins}
        {badge}
        <span class="size">{sizeWords(text, words)}</span>
      </summary>
      <Body {...props} field={field} marks={marks} />
    </details>
  );
};

function sizeWords(text: string, { page: { outside } }: Words): string {
  const [lines, n] = [allLines(viewText(text)), text.length];
  return lines > 1 ? fillText(outside.sizeOfLines, { lines, n }) : fillText(outside.size, { n });
}

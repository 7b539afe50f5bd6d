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
import { viewText } from "../../shared/review/text-view.ts";
import { Difference } from "./changes.tsx";
import { Icon } from "./icons.tsx";
import type { Words } from "../../shared/channels/words/words.ts";
import { useWords } from "./language.ts";
import { OutsideText } from "./outside-text.tsx";
import { fillText } from "./sentence.tsx";
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
};

/** A text of up to so many lines is never folded. */
const neverFolded = 6;
const charactersInLine = 80;

/** Lines as a reader counts them: a long one counts for more. */
const linesToRead = (text: string): number =>
  text.split("\n", 400).reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / charactersInLine)), 0);

export const isFoldable = (text: string): boolean => linesToRead(text) > neverFolded;

/**
 * Longer texts, and those in which something would be invisible, are shown in parts or with labels;
 * their field is behind "Edit".
 */
const longestField = 6_000;
const mostFieldLines = 60;

function isField(text: string): boolean {
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

const Body = ({ showing, path, text, kind = "text", about, field }: TextPartProps & { field: Field | null }) => {
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
      {area !== null && isField(text) ? (
        area
      ) : (
        <>
          <div class="view">
            <OutsideText text={shown} />
          </div>
          {area === null ? null : (
            <details class="edit" open={field?.isChanged === true || field?.error !== undefined}>
              <summary class="chev">
                {words.page.edit.open}
                <span class="sr">: {label}</span>
              </summary>
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
  const isTouched = field?.isChanged === true || field?.error !== undefined;
  const isEdited = showing.earlier.has(path);
  const badge = isTouched ? <span class="badge">{words.page.changes.changed}</span> : null;
  const place = id === undefined ? {} : { id };
  if (!folds || !isFoldable(text)) {
    return (
      <section class={isTouched ? "part changed" : "part"} {...place}>
        <header>
          <h2>{title}</h2>
          {badge}
          {field !== null && isField(text) ? <Act field={field} label={placeWords(path, words, showing.kind)} /> : null}
        </header>
        <Body {...props} field={field} />
      </section>
    );
  }
  return (
    <details class={isTouched ? "part changed" : "part"} {...place} open={isTouched || isEdited || showing.isWarned(path)}>
      <summary class="chev">
        <h2>{title}</h2>
        {badge}
        <span class="size">{sizeWords(text, words)}</span>
      </summary>
      <Body {...props} field={field} />
    </details>
  );
};

function sizeWords(text: string, { page: { outside } }: Words): string {
  const [lines, n] = [allLines(viewText(text)), text.length];
  return lines > 1 ? fillText(outside.sizeOfLines, { lines, n }) : fillText(outside.size, { n });
}

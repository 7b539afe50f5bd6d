// One editable field of the review form: closed until it is wanted, open where something in it needs attention.
// It shows what the reviewer wrote last; whether that is a valid edit is decided elsewhere.

import type { SamplingRequest } from "../../shared/model/sampling.ts";
import { asSubmitted } from "../../shared/review/edit.ts";
import { editField } from "../../shared/review/form.ts";
import { fill } from "./sentence.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";

/** What the page knows about editing. `undefined` in its place: the review is closed, or the content is not editable here. */
export type Editing = {
  /** The reviewer's texts of the last try, by path. */
  readonly kept: ReadonlyMap<string, string>;
  readonly faults: ReadonlyMap<string, string>;
  /** The request's: it says what a place is called. */
  readonly kind: SamplingRequest["kind"];
};

type Kind = "text" | "object" | "limit" | "number" | "removable";

const charactersInLine = 40;

/** Enough rows to see the text, without a page of them: the field scrolls and can be dragged. */
function rowsFor(text: string): number {
  let rows = 1;
  for (let at = 0; at < text.length && rows < 16; rows += 1) {
    const lineEnd = text.indexOf("\n", at);
    at = Math.min(lineEnd === -1 ? text.length : lineEnd + 1, at + charactersInLine);
  }
  return Math.max(2, rows);
}

const labels: Readonly<Record<Kind, string>> = {
  text: words.edit.text,
  object: words.edit.object,
  limit: words.edit.limit,
  number: words.edit.text,
  removable: words.edit.text,
};

type EditFieldProps = { editing: Editing | undefined; path: string; text: string; kind: Kind };

export const EditField = ({ editing, path, text, kind }: EditFieldProps) => {
  if (editing === undefined) return null;
  const name = editField(path);
  const kept = editing.kept.get(path);
  const changed = kept !== undefined && asSubmitted(kept) !== asSubmitted(text);
  const fault = editing.faults.get(path);
  const value = changed ? kept : text;
  const place = reviewWords.place(path, editing.kind);
  const hints = [fault === undefined ? "" : `${name}:fault`, kind === "removable" || kind === "number" ? `${name}:hint` : ""].filter(
    (id) => id !== "",
  );
  const described = hints.length === 0 ? {} : { "aria-describedby": hints.join(" ") };
  const invalid = fault === undefined ? {} : ({ "aria-invalid": "true" } as const);
  return (
    <details class="edit" open={changed || fault !== undefined}>
      <summary>
        {words.edit.open}
        <span class="hidden">: {place}</span>
      </summary>
      <label for={name}>{fill(labels[kind], { label: place })}</label>
      {fault === undefined ? null : (
        <p class="fault" id={`${name}:fault`}>
          {fault}
        </p>
      )}
      {changed && fault === undefined ? <p class="kept">{words.edit.kept}</p> : null}
      {kind === "removable" || kind === "number" ? <p id={`${name}:hint`}>{words.edit.removable}</p> : null}
      {kind === "limit" || kind === "number" ? (
        <input id={name} name={name} value={value} inputmode={kind === "limit" ? "numeric" : "decimal"} {...described} {...invalid} />
      ) : (
        // Some spell checkers send what they check to a server, so none. An HTML parser drops one line feed right after the tag: this one, and not the text's own.
        <textarea id={name} name={name} rows={rowsFor(value)} spellcheck={false} {...described} {...invalid}>
          {`\n${value}`}
        </textarea>
      )}
    </details>
  );
};

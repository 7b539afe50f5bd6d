// One editable field of the review form: folded, and open where the reviewer changed it or it has an error. It shows what the reviewer
// wrote last, and validates nothing.

import type { SamplingRequest } from "../../shared/model/sampling.ts";
import { asSubmitted } from "../../shared/review/edit.ts";
import { editField } from "../../shared/review/form.ts";
import { fill } from "./sentence.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";

/** `undefined` in its place: the review is closed, or its content is not editable here. */
export type Editing = {
  /** The texts that the reviewer sent last, by path. */
  readonly kept: ReadonlyMap<string, string>;
  /** Messages by path. */
  readonly errors: ReadonlyMap<string, string>;
  /** The request's: field names depend on it. */
  readonly kind: SamplingRequest["kind"];
};

type Kind = "text" | "object" | "limit" | "number" | "removable";

const charactersInLine = 40;

/** 2 to 16 rows: the field scrolls, and its size can be dragged. */
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
  const error = editing.errors.get(path);
  const value = changed ? kept : text;
  const label = reviewWords.place(path, editing.kind);
  const hints = [error === undefined ? "" : `${name}:fault`, kind === "removable" || kind === "number" ? `${name}:hint` : ""].filter(
    (id) => id !== "",
  );
  const described = hints.length === 0 ? {} : { "aria-describedby": hints.join(" ") };
  const invalid = error === undefined ? {} : ({ "aria-invalid": "true" } as const);
  return (
    <details class="edit" open={changed || error !== undefined}>
      <summary>
        {words.edit.open}
        <span class="hidden">: {label}</span>
      </summary>
      <label for={name}>{fill(labels[kind], { label })}</label>
      {error === undefined ? null : (
        <p class="fault" id={`${name}:fault`}>
          {error}
        </p>
      )}
      {changed && error === undefined ? <p class="kept">{words.edit.kept}</p> : null}
      {kind === "removable" || kind === "number" ? <p id={`${name}:hint`}>{words.edit.removable}</p> : null}
      {kind === "limit" || kind === "number" ? (
        <input id={name} name={name} value={value} inputmode={kind === "limit" ? "numeric" : "decimal"} {...described} {...invalid} />
      ) : (
        // No spell checker, because some send the text to a server. An HTML parser drops the line feed after the tag, and not the text's own.
        <textarea id={name} name={name} rows={rowsFor(value)} spellcheck={false} {...described} {...invalid}>
          {`\n${value}`}
        </textarea>
      )}
    </details>
  );
};

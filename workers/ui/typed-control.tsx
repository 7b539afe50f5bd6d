// One field of schema-fields.ts as a control, with its hint and what is wrong with it. It keeps
// what was typed last. Names of members and choices come from outside, and are letters alone.

import { formatExamples } from "../../shared/channels/content-words.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { editField } from "../../shared/review/form.ts";
import { type Typed, boxControl, isChecked, outControl } from "../../shared/json-schema/field-controls.ts";
import { type SchemaField, hasOut, isWhole, shownIn } from "../../shared/json-schema/schema-field.ts";
import { rewrittenText } from "../../shared/review/submitted-text.ts";
import { fieldHints } from "./field-hint.ts";
import { useWords } from "./language.ts";
import { Name, plainLetters } from "./outside-text.tsx";
import { controlId } from "./place-id.ts";
import { fillText } from "./sentence.tsx";
import type { Editing } from "./text-part.tsx";

export type FieldProps<Kind extends SchemaField["kind"] = SchemaField["kind"]> = {
  readonly field: Extract<SchemaField, { readonly kind: Kind }>;
  readonly editing: Editing;
  /**
   * What the controls inside count as for the number of changes: the list that an item is added to,
   * or the object that is not there yet.
   */
  readonly unit?: string | undefined;
};

const wasTyped = (field: SchemaField, typed: Typed): boolean => {
  if (hasOut(field) && isChecked(typed, outControl(field))) return true;
  if (field.kind === "choices")
    return typed.has(field.pointer) && field.options.some((_, i) => isChosen(field, i) !== isChecked(typed, boxControl(field, i)));
  const text = typed.get(field.pointer);
  return text !== undefined && rewrittenText(shownIn(field), text) !== undefined;
};

/** The fields inside one; null where it is a control itself. */
export function insideOf(field: SchemaField): readonly SchemaField[] | null {
  if (field.kind === "union") return field.inner === null ? [] : [field.inner];
  return field.kind === "object" ? field.members : field.kind === "list" ? field.items : null;
}

/** Whether a field or one inside it was typed into, or has an error. */
export const isTouched = (field: SchemaField, editing: Editing): boolean => {
  if (editing.errors.has(field.pointer)) return true;
  if (field.kind === "union" && field.chosen !== field.was) return true;
  const inside = insideOf(field);
  if (inside === null) return wasTyped(field, editing.kept);
  return (hasOut(field) && isChecked(editing.kept, outControl(field))) || inside.some((each) => isTouched(each, editing));
};

const isChosen = ({ source = "[]", options }: FieldProps<"choices">["field"], i: number): boolean =>
  (JSON.parse(source) as unknown[]).some((each) => JSON.stringify(each) === options[i]?.json); // choices are of a list

export const Label = ({ field }: { field: SchemaField }) => {
  const { call } = useWords().page;
  const { name, pointer } = field;
  return name === null ? <>{fillText(call.item, { n: Number(pointer.slice(pointer.lastIndexOf("/") + 1)) + 1 })}</> : <Name value={name} />;
};

/** In characters. */
const longestInitial = 40;

/** What may be entered, and what is meant where nothing is. */
export function hintWords(field: SchemaField, words: Words): string {
  const { kind, rules, source, isRequired, initial } = field;
  const { page, review } = words;
  const meant = typeof initial === "string" ? initial : initial === undefined || initial === null ? "" : JSON.stringify(initial);
  const { format = "" } = rules;
  // A choice that is not set says so itself.
  const absent = isRequired ? [page.call.required] : kind === "choice" ? [] : [page.call.notSet];
  const isToldMeant = source === undefined && meant !== "" && meant.length <= longestInitial;
  const said = [
    ...(source === undefined ? absent : []),
    ...(isToldMeant ? [fillText(page.call.initial, { value: plainLetters(meant, words) })] : []),
    ...fieldHints(field, words),
    ...(kind === "text" && (format === "date" || formatExamples[format] === undefined) && /^[a-z-]{1,20}$/.test(format) ? [format] : []),
    ...(kind === "json" ? ["JSON"] : []),
  ];
  const isEmptied = source !== undefined && !isRequired && (kind === "number" || kind === "json");
  const hint = said.join(review.marks.comma);
  if (!isEmptied) return hint;
  return hint === "" ? page.edit.removable : `${hint}${review.marks.stop} ${page.edit.removable}`;
}

export const Fault = ({ pointer, editing }: { pointer: string; editing: Editing }) => {
  const error = editing.errors.get(pointer);
  return error === undefined ? null : (
    <p class="fault" id={`${controlId(pointer)}:fault`}>
      {error}
    </p>
  );
};

export const Changed = ({ field, editing }: FieldProps) =>
  isTouched(field, editing) ? <span class="badge">{useWords().page.changes.changed}</span> : null;

/** Leaves a member out, removes an item, or makes a value null. */
export const Out = ({ field, editing, unit }: FieldProps) => {
  const { call } = useWords().page;
  if (!hasOut(field)) return null;
  const name = outControl(field);
  const counted = unit ?? (field.name === null ? field.pointer.slice(0, field.pointer.lastIndexOf("/")) : field.pointer);
  const does = field.isRequired ? "null" : field.name === null ? "remove" : "leaveOut";
  return (
    <label class="check">
      <input
        type="checkbox"
        name={editField(name)}
        checked={isChecked(editing.kept, name)}
        data-was="false"
        data-unit={editField(counted)}
      />{" "}
      <span>
        {call.out[does]}
        <span class="sr">
          {" "}
          <Label field={field} />
        </span>
      </span>
    </label>
  );
};

/** A text of one line has a field of one line. */
const isLine = (text: string): boolean => text.length <= 60 && !/[\r\n]/.test(text);

export const Control = ({ field, editing, unit }: FieldProps<"text" | "number" | "json" | "choice">) => {
  const words = useWords();
  const id = controlId(field.pointer);
  const was = shownIn(field);
  const value = editing.kept.get(field.pointer) ?? was;
  const described = [editing.errors.has(field.pointer) ? `${id}:fault` : "", hintWords(field, words) === "" ? "" : `${id}:hint`];
  const common = {
    id,
    name: editField(field.pointer),
    "data-was": was,
    ...(unit === undefined ? {} : { "data-unit": editField(unit) }),
    ...(described.some(Boolean) ? { "aria-describedby": described.filter(Boolean).join(" ") } : {}),
    ...(editing.errors.has(field.pointer) ? { "aria-invalid": "true" as const } : {}),
  };
  if (field.kind === "choice")
    return (
      <select {...common}>
        {field.source === undefined || !field.isRequired ? <option value="">{words.page.call.notSet}</option> : null}
        {field.options.map(({ json, label }) => (
          <option value={json} selected={json === value}>
            {plainLetters(label, words)}
          </option>
        ))}
      </select>
    );
  if (field.kind === "json" || !isLine(was) || !isLine(value))
    return (
      <textarea {...common} class="field mono" rows={Math.min(12, value.split("\n").length + 1)} spellcheck={false}>
        {`\n${value}`}
      </textarea>
    );
  return (
    <input
      {...common}
      class={field.kind === "number" && value.length < 10 ? "narrow num" : "field mono"}
      value={value}
      spellcheck={false}
      {...(field.kind === "number" ? { inputmode: isWhole(field) ? ("numeric" as const) : ("decimal" as const) } : {})}
    />
  );
};

export const Choices = ({ field, editing, unit }: FieldProps<"choices">) => {
  const words = useWords();
  const isShown = editing.kept.has(field.pointer);
  return (
    <>
      <input type="hidden" name={editField(field.pointer)} value="" />
      {field.options.map(({ label }, i) => (
        <label class="check">
          <input
            type="checkbox"
            name={editField(boxControl(field, i))}
            checked={isShown ? isChecked(editing.kept, boxControl(field, i)) : isChosen(field, i)}
            data-was={String(isChosen(field, i))}
            data-unit={editField(unit ?? field.pointer)}
          />{" "}
          <span>{plainLetters(label, words)}</span>
        </label>
      ))}
    </>
  );
};

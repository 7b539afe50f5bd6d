// The answer to a form, from what a person typed into its fields.

import { type FormField, formFields, isBox } from "../json-schema/form-fields.ts";
import type { Typed } from "../json-schema/field-controls.ts";
import { isWhole } from "../json-schema/schema-field.ts";
import { objectOf, parseJson } from "../json/values.ts";
import type { Form, FormAnswer } from "../model/subject/form.ts";
import { type Result, err, ok } from "../result.ts";
import { type TypedFieldError, controlsOf, readTyped } from "./typed-fields.ts";

type AnswerIssue = { readonly field: string; readonly fault: TypedFieldError | { readonly kind: "unknownField" } };

/** None where it asks to open an address. Its schema was read when it came. */
export function fieldsOfForm({ schema, url }: Pick<Form, "schema" | "url">): readonly FormField[] {
  const form = url === undefined ? formFields(schema, "") : null;
  return form?.ok === true ? form.value.fields : [];
}

/**
 * The answer to this form, an address included: that it was opened says all. An empty field is left
 * out. Refused: what does not fit the schema, each at its field; a field that the form does not
 * have; and what takes too much work to check.
 */
export function formAnswerOf({ schema, url }: Pick<Form, "schema" | "url">, typed: Typed): Result<FormAnswer, readonly AnswerIssue[]> {
  if (url !== undefined) return ok({ kind: "formAnswer", content: {} });
  const form = formFields(schema, "");
  // Its schema was read before anybody was asked.
  if (!form.ok) return err([{ field: "", fault: { kind: "unfit" } }]);
  const { schema: ready, whole, fields } = form.value;
  const known = new Set(controlsOf(whole));
  if ([...typed.keys()].some((name) => !known.has(name))) return err([{ field: "", fault: { kind: "unknownField" } }]);
  // A number that JSON.parse would round is not the one that was typed.
  const rounded = fields
    .filter((field) => isWhole(field) && Math.abs(Number(typed.get(field.pointer) ?? 0)) > Number.MAX_SAFE_INTEGER)
    .map(({ pointer }) => ({ field: pointer, fault: { kind: "wrongType", types: ["integer"] } as const }));
  const read = readTyped(ready, whole, withUnchecked(fields, typed));
  const others = (read.ok ? [] : read.error).filter(({ pointer }) => rounded.every(({ field }) => field !== pointer));
  const errors = [...rounded, ...others.map(({ pointer, fault }) => ({ field: pointer, fault }))];
  if (errors.length > 0 || !read.ok) return err(errors);
  return ok({ kind: "formAnswer", content: objectOf(parseJson(read.value ?? "{}")) ?? {} });
}

/** A browser sends nothing of a box that is not checked: it is false, and no choice of several. */
function withUnchecked(fields: readonly FormField[], typed: Typed): Typed {
  const unchecked = fields.flatMap((field): readonly (readonly [string, string])[] => {
    if (isBox(field)) return [[field.pointer, String(typed.has(field.pointer))]];
    return field.kind === "choices" ? [[field.pointer, field.isRequired ? "[]" : ""]] : [];
  });
  return new Map([...typed, ...unchecked]);
}

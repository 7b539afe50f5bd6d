// The fields of a form that an MCP server asks a person to fill in, from its `requestedSchema`.
// Forms are flat (MCP, client/elicitation): a schema with anything inside anything is refused.

import type { JsonObject } from "../encoding.ts";
import { type ParamsError, pointerStep } from "../json/issue-collector.ts";
import { objectOf } from "../json/values.ts";
import { type Result, err, ok } from "../result.ts";
import { readSchema } from "./read-schema.ts";
import { type Typed, boxControl } from "./field-controls.ts";
import type { SchemaField } from "./schema-field.ts";
import { fieldOf, mostOptions } from "./schema-fields.ts";
import type { ReadySchema } from "./schema-node.ts";

export type FormField = Exclude<SchemaField, { readonly kind: "object" | "list" | "union" | "json" }> & {
  readonly name: string;
  /** As the server names it. */
  readonly title: string;
};

/** `whole`: the answer, an object of the fields. */
type FormFields = { readonly schema: ReadySchema; readonly whole: SchemaField; readonly fields: readonly FormField[] };

/** So that the page of a form can be read, whatever a server sends. */
const mostFields = 50;

const allowed = "a form's field is a text, a number, true or false, or a choice of texts";

/**
 * Why a field is none that a form may have (`PrimitiveSchemaDefinition` of 2025-11-25 and
 * 2026-07-28), and what its server writes instead.
 */
function whyNotFlat(given: JsonObject): string {
  const { type, items } = given;
  const choices = choicesIn(given) ?? choicesIn(objectOf(items) ?? {});
  if (choices !== null && choices.length === 0) return `has no choices: name at least one, or leave the field out`;
  if (choices !== null && choices.length > mostOptions)
    return `has ${choices.length} choices, and a page shows at most ${mostOptions}: ask for a text instead, or in several forms`;
  if (choices !== null && choices.every((each) => each !== undefined && each !== null && typeof each !== "string"))
    return `has choices that are no texts, which MCP does not have: write each as a text`;
  if (type === "object" || given["properties"] !== undefined)
    return `is an object, and a form has nothing inside its fields: give each of its members a field of its own`;
  if (type === "array" || items !== undefined)
    return `is a list of anything: a form has lists of named choices alone (items with enum, or with anyOf of const and title); ask for a text instead`;
  const isUnion = Array.isArray(type) || ["oneOf", "anyOf", "allOf"].some((name) => Array.isArray(given[name]));
  if (isUnion)
    return `has alternatives of several kinds, and ${allowed}: send one of them, or a field for each (a choice with titles is oneOf of const and title)`;
  return type === undefined
    ? `has no type, and ${allowed}: give it the type string, number, integer or boolean`
    : `must be flat: ${allowed}, and not more than one of enum, oneOf and anyOf`;
}

/** The values that a schema names as choices; null where it names none. */
function choicesIn(schema: JsonObject): readonly unknown[] | null {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  for (const name of ["oneOf", "anyOf"]) {
    const list = schema[name];
    const named = Array.isArray(list) ? list.map((each) => objectOf(each)?.["const"]) : [];
    if (named.length > 0 && named.every((each) => each !== undefined)) return named;
  }
  return null;
}

/**
 * The fields in the schema's order. Refused, each at its pointer below `at`: what is no flat form,
 * and what cannot be checked here, such as a pattern that takes no linear time.
 */
export function formFields(schema: JsonObject, at: string): Result<FormFields, readonly ParamsError[]> {
  const properties = objectOf(schema["properties"]);
  if (schema["type"] !== "object" || properties === null)
    return err([{ pointer: at, message: "must be a schema of type object with properties" }]);
  const count = Object.keys(properties).length;
  if (count > mostFields) return err([{ pointer: `${at}/properties`, message: `must not have more than ${mostFields} fields` }]);
  const ready = readSchema(schema, at);
  if (!ready.ok) return ready;
  const whole = fieldOf({ schema: ready.value, given: schema, json: undefined, at: "/content" });
  const errors: ParamsError[] = [];
  const fields = (whole.kind === "object" ? whole.members : []).flatMap((member): FormField[] => {
    const { name } = member;
    if (name === null) return [];
    const flat = flatField(member, objectOf(properties[name]) ?? {});
    if (flat !== null) return [{ ...flat, name, title: member.title ?? name }];
    errors.push({ pointer: `${at}/properties${pointerStep(name)}`, message: whyNotFlat(objectOf(properties[name]) ?? {}) });
    return [];
  });
  if (errors.length > 0) return err(errors);
  return ok({ schema: ready.value, whole: { ...whole, kind: "object", members: fields }, fields });
}

/** Null: there is something inside it. A field that may be null is left out instead. */
function flatField(
  field: SchemaField,
  given: JsonObject,
): Exclude<SchemaField, { readonly kind: "object" | "list" | "union" | "json" }> | null {
  switch (field.kind) {
    case "text":
      // A text by several schemas at once has no field that says what it may be.
      return given["type"] !== undefined && ["enum", "oneOf", "anyOf"].some((name) => given[name] !== undefined) ? null : field;
    case "number":
      return field;
    case "choice":
    case "choices": {
      const options = field.options.filter(({ json }) => json !== "null");
      const flat = { ...field, options };
      return isBox(flat) || options.every(({ json }) => json.startsWith('"')) ? flat : null;
    }
    default:
      return null;
  }
}

/** True or false: one box. */
export const isBox = (field: SchemaField): boolean =>
  field.kind === "choice" && field.options.every(({ json }) => /^(?:true|false)$/.test(json));

/**
 * What the controls of a form hold, as they were typed: an answer that was given, or what the
 * server suggests.
 */
export function typedOf(fields: readonly FormField[], content: JsonObject | null): Typed {
  return new Map(
    fields.flatMap((field): readonly (readonly [string, string])[] => {
      const value = content === null ? field.initial : content[field.name];
      if (value === undefined || value === null) return [];
      const json = JSON.stringify(value);
      if (field.kind === "choices") {
        const given = new Set([value].flat().map((each) => JSON.stringify(each)));
        return field.options.flatMap((option, i) => (given.has(option.json) ? [[boxControl(field, i), "on"] as const] : []));
      }
      if (isBox(field)) return value === true ? [[field.pointer, "on"]] : [];
      if (field.kind === "choice") return field.options.some((option) => option.json === json) ? [[field.pointer, json]] : [];
      return typeof value === "object" || value === "" ? [] : [[field.pointer, String(value)]];
    }),
  );
}

// The fields of a form that an MCP server asks a person to fill in, from its `requestedSchema`; and
// the answer that was typed into them, checked by that schema. Forms are flat (MCP,
// client/elicitation): a schema with anything inside anything is refused. Pure: it draws nothing.

import { format as isOfFormat } from "@cfworker/json-schema";
import type { Json, JsonObject } from "../encoding.ts";
import { checkValue } from "./check-value.ts";
import { readSchema } from "./read-schema.ts";
import type { ReadySchema } from "./schema-node.ts";
import { type ParamsError, pointerStep } from "../json/issue-collector.ts";
import { isObject, objectOf } from "../json/values.ts";
import type { Form, FormAnswer } from "../model/subject/form.ts";
import { type Result, err, ok } from "../result.ts";

/** `value` is sent, `title` is shown. */
type Option = { readonly value: string; readonly title: string };

type TextFormat = "email" | "uri" | "date" | "date-time";

/** `path`: of the value in the answer, as edits name it. */
export type AnswerField = {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly description: string | null;
  readonly isRequired: boolean;
  readonly initial: Json | undefined;
} & (
  | { readonly kind: "text"; readonly format: TextFormat | null; readonly min: number | null; readonly max: number | null }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly min: number | null; readonly max: number | null }
  | { readonly kind: "box" }
  | { readonly kind: "choice"; readonly options: readonly Option[] }
  | { readonly kind: "boxes"; readonly options: readonly Option[]; readonly min: number | null; readonly max: number | null }
);

/** What is wrong with what was typed into one field. */
export type AnswerFault =
  | { readonly kind: "missing" | "notOffered" | "unfit" }
  /** `of`: apart from faults of other fields by these names. */
  | { readonly kind: "notNumber" | "notWholeNumber"; readonly of: "answer" }
  | { readonly kind: "tooShort" | "tooLong" | "tooSmall" | "tooLarge" | "tooFew" | "tooMany"; readonly limit: number }
  | { readonly kind: "notOfFormat"; readonly format: TextFormat };

type AnswerIssue = { readonly field: string; readonly fault: AnswerFault };

/** So that the page of a form can be read, whatever a server sends. */
const mostFields = 50;
const mostOptions = 200;

/**
 * The fields in the schema's order. Refused, each at its pointer below `at`: what is no flat form,
 * and what cannot be checked here, such as a pattern that takes no linear time.
 */
export function answerFields(schema: JsonObject, at: string): Result<readonly AnswerField[], readonly ParamsError[]> {
  const properties = objectOf(schema["properties"]);
  if (schema["type"] !== "object" || properties === null)
    return err([{ pointer: at, message: "must be a schema of type object with properties" }]);
  const names = Object.keys(properties);
  if (names.length > mostFields) return err([{ pointer: `${at}/properties`, message: `must not have more than ${mostFields} fields` }]);
  const ready = readSchema(schema, at);
  if (!ready.ok) return ready;
  const errors: ParamsError[] = [];
  const required = namesIn(schema["required"]);
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const shape = shapeOf(isObject(property) ? property : {});
    if (typeof shape !== "string") return [{ ...commonOf(name, property, required), ...shape }];
    errors.push({ pointer: `${at}/properties${pointerStep(name)}`, message: shape });
    return [];
  });
  return errors.length > 0 ? err(errors) : ok(fields);
}

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** A field without what all of them have. */
type Shape<Field = AnswerField> = Field extends AnswerField ? Omit<Field, keyof ReturnType<typeof commonOf>> : never;

function commonOf(name: string, property: unknown, required: readonly string[]) {
  const { title, description, default: initial } = objectOf(property) ?? {};
  return {
    name,
    path: `/content${pointerStep(name)}`,
    title: typeof title === "string" && title.trim() !== "" ? title : name,
    description: typeof description === "string" && description.trim() !== "" ? description : null,
    isRequired: required.includes(name),
    initial: initial === null ? undefined : initial,
  };
}

const notFlat = "must be a text, a number, true or false, or a choice of texts: a form has nothing inside its fields";

/** The shape of a field, or why it is none. */
function shapeOf(given: JsonObject): Shape | string {
  const property = withoutNull(given);
  const number = (name: string): number | null => (typeof property[name] === "number" ? property[name] : null);
  switch (property["type"]) {
    case "string": {
      const options = optionsOf(property);
      if (options !== null) return chosen(options, { kind: "choice", options });
      if (["enum", "oneOf", "anyOf"].some((name) => property[name] !== undefined)) return notFlat;
      const format = formats.find((each) => each === property["format"]) ?? null;
      return { kind: "text", format, min: number("minLength"), max: number("maxLength") };
    }
    case "number":
    case "integer":
      return { kind: "number", isWhole: property["type"] === "integer", min: number("minimum"), max: number("maximum") };
    case "boolean":
      return { kind: "box" };
    case "array": {
      const options = optionsOf(objectOf(property["items"]) ?? {});
      return options === null ? notFlat : chosen(options, { kind: "boxes", options, min: number("minItems"), max: number("maxItems") });
    }
    default:
      return notFlat;
  }
}

/** What a text of each format looks like; null where everybody knows. */
export const formatExamples: Readonly<Record<TextFormat, string | null>> = {
  email: null,
  uri: "https://example.com",
  date: "2026-11-25",
  "date-time": "2026-11-25T14:30:00Z",
};
const formats = Object.keys(formatExamples) as readonly TextFormat[]; // its own names

const chosen = (options: readonly Option[], shape: Shape): Shape | string =>
  options.length > mostOptions ? `must not have more than ${mostOptions} choices` : shape;

/** Some libraries write an optional field as one that may be null as well; it is left out then. */
function withoutNull(property: JsonObject): JsonObject {
  const { anyOf: either, ...rest } = property;
  if (property["type"] !== undefined || !Array.isArray(either)) return property;
  const others = either.filter((each) => objectOf(each)?.["type"] !== "null");
  const only = others.length === 1 ? objectOf(others[0]) : null;
  return only === null ? property : { ...rest, ...only };
}

/** The choices of a schema in each way in which revisions write them; null where it has none. */
function optionsOf(schema: JsonObject): readonly Option[] | null {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  if (Array.isArray(values)) {
    if (values.length === 0 || !values.every((each) => typeof each === "string")) return null;
    const titles = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, i) => ({ value, title: titleOr(titles[i], value) }));
  }
  const titled = Array.isArray(oneOf) ? oneOf : anyOf;
  if (!Array.isArray(titled) || titled.length === 0) return null;
  const options = titled.map((each) => {
    const { const: value, title } = objectOf(each) ?? {};
    return typeof value === "string" ? { value, title: titleOr(title, value) } : null;
  });
  return options.every((each) => each !== null) ? options : null;
}

const titleOr = (title: unknown, otherwise: string): string => (typeof title === "string" && title.trim() !== "" ? title : otherwise);

/** What a field shows: what was typed, else what the server suggests. */
type Shown = { readonly text: string; readonly chosen: ReadonlySet<number> };

/**
 * What stands in a field. `typed`: what was sent for the form before, by paths; undefined where the
 * form is new.
 */
export function shownIn(field: AnswerField, typed: ReadonlyMap<string, string> | undefined): Shown {
  const options = "options" in field ? field.options : [];
  if (typed !== undefined) {
    const text = typed.get(field.path) ?? "";
    const boxes = options.flatMap((_, i) => (typed.has(optionPath(field, i)) ? [i] : []));
    return { text, chosen: new Set(field.kind === "boxes" ? boxes : text === "" ? [] : [Number(text)]) };
  }
  const given = Array.isArray(field.initial) ? field.initial : [field.initial];
  const at = options.flatMap(({ value }, i) => (given.includes(value) ? [i] : []));
  const text = field.kind === "box" ? (field.initial === true ? "on" : "") : field.initial === undefined ? "" : String(field.initial);
  return { text: field.kind === "choice" ? String(at[0] ?? "") : text, chosen: new Set(at) };
}

/** The path of one of several boxes. */
export const optionPath = ({ path }: Pick<AnswerField, "path">, index: number): string => `${path}/${index}`;

/** What the form shows of an answer that was given: texts by paths, as they were typed. */
export function typedOf(fields: readonly AnswerField[], content: JsonObject): ReadonlyMap<string, string> {
  const given = fields.flatMap((field): readonly (readonly [string, string])[] => {
    const { text, chosen: at } = shownIn({ ...field, initial: content[field.name] }, undefined);
    if (field.kind === "boxes") return [...at].map((i) => [optionPath(field, i), "on"]);
    return text === "" ? [] : [[field.path, text]];
  });
  return new Map(given);
}

/**
 * The answer to a form whose fields `answerFields` read. An empty field is left out. Refused: what
 * does not fit the schema, each at its field; a field that the form does not have; and what takes
 * too much work to check.
 */
function answerOf(
  schema: JsonObject,
  fields: readonly AnswerField[],
  typed: ReadonlyMap<string, string>,
): Result<JsonObject, readonly AnswerIssue[]> {
  const issues: AnswerIssue[] = [];
  const known = new Set<string>();
  const content: [string, Json][] = [];
  for (const field of fields) {
    const paths = field.kind === "boxes" ? field.options.map((_, i) => optionPath(field, i)) : [field.path];
    for (const path of paths) known.add(path);
    const read = valueOf(field, typed);
    if (!read.ok) issues.push({ field: field.path, fault: read.error });
    else if (read.value !== undefined) content.push([field.name, read.value]);
  }
  if ([...typed.keys()].some((path) => !known.has(path))) issues.push({ field: "", fault: { kind: "unfit" } });
  if (issues.length > 0) return err(issues);
  const answer = Object.fromEntries(content);
  const misfits = misfitsOf(readSchema(schema, ""), answer);
  return misfits.length === 0 ? ok(answer) : err(misfits);
}

/**
 * The fields of a form; none where it asks to open an address. Its schema was read when it came.
 */
export function fieldsOfForm({ schema, url }: Pick<Form, "schema" | "url">): readonly AnswerField[] {
  const fields = url === undefined ? answerFields(schema, "") : null;
  return fields?.ok === true ? fields.value : [];
}

/** The answer to this form, an address included: that it was opened says all. */
export function formAnswerOf(
  { schema, url }: Pick<Form, "schema" | "url">,
  typed: ReadonlyMap<string, string>,
): Result<FormAnswer, readonly AnswerIssue[]> {
  if (url !== undefined) return ok({ kind: "formAnswer", content: {} });
  const fields = answerFields(schema, "");
  // Its schema was read before anybody was asked.
  if (!fields.ok) return err([{ field: "", fault: { kind: "unfit" } }]);
  const answer = answerOf(schema, fields.value, typed);
  return answer.ok ? ok({ kind: "formAnswer", content: answer.value }) : answer;
}

/** What the fields' own checks do not know, such as a pattern. */
function misfitsOf(ready: Result<ReadySchema, readonly ParamsError[]>, answer: JsonObject): readonly AnswerIssue[] {
  const misfit = { kind: "unfit" } as const;
  const found = ready.ok ? checkValue(ready.value, answer) : "failed";
  if (typeof found === "string") return [{ field: "", fault: misfit }];
  return found.map(({ pointer }) => ({ field: pointer === "" ? "" : `/content/${pointer.split("/")[1] ?? ""}`, fault: misfit }));
}

type Read = Result<Json | undefined, AnswerFault>;

function valueOf(field: AnswerField, typed: ReadonlyMap<string, string>): Read {
  // HTML forms send `\r\n`.
  const text = (typed.get(field.path) ?? "").replaceAll(/\r\n?/g, "\n").toWellFormed();
  switch (field.kind) {
    case "box":
      return ok(typed.has(field.path));
    case "boxes":
      return boxesOf(field, typed);
    case "choice": {
      if (text === "") return field.isRequired ? err({ kind: "missing" }) : ok(undefined);
      const option = /^\d{1,4}$/.test(text) ? field.options[Number(text)] : undefined;
      return option === undefined ? err({ kind: "notOffered" }) : ok(option.value);
    }
    case "number":
      return numberOf(field, text.trim());
    case "text":
      return textOf(field, field.format === null ? text : text.trim());
    default:
      return field satisfies never;
  }
}

function boxesOf(field: Extract<AnswerField, { kind: "boxes" }>, typed: ReadonlyMap<string, string>): Read {
  const values = field.options.flatMap(({ value }, i) => (typed.has(optionPath(field, i)) ? [value] : []));
  if (values.length === 0 && !field.isRequired) return ok(undefined);
  if (field.min !== null && values.length < field.min) return err({ kind: "tooFew", limit: field.min });
  return field.max !== null && values.length > field.max ? err({ kind: "tooMany", limit: field.max }) : ok(values);
}

function numberOf({ isRequired, isWhole, min, max }: Extract<AnswerField, { kind: "number" }>, text: string): Read {
  if (text === "") return isRequired ? err({ kind: "missing" }) : ok(undefined);
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text) && text.length <= 40 ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return err({ kind: "notNumber", of: "answer" });
  // A number that JSON would round is not the one that was typed.
  if (isWhole && !Number.isSafeInteger(value)) return err({ kind: "notWholeNumber", of: "answer" });
  if (min !== null && value < min) return err({ kind: "tooSmall", limit: min });
  return max !== null && value > max ? err({ kind: "tooLarge", limit: max }) : ok(value);
}

function textOf({ isRequired, format, min, max }: Extract<AnswerField, { kind: "text" }>, text: string): Read {
  if (text === "") return isRequired ? err({ kind: "missing" }) : ok(undefined);
  const length = [...text].length;
  if (min !== null && length < min) return err({ kind: "tooShort", limit: min });
  if (max !== null && length > max) return err({ kind: "tooLong", limit: max });
  return format === null || isOfFormat[format]?.(text) === true ? ok(text) : err({ kind: "notOfFormat", format });
}

// Fields of a form that keeps what was typed: where it is refused, each field has its value again,
// and says what is wrong with it. Which fields a document's form has, and how each is drawn, its
// schema says; a table has their labels.

import type { Child } from "hono/jsx";
import type * as z from "zod";
import type { Language } from "../../../shared/channels/words/languages.ts";
import type { Json, JsonObject } from "../../../shared/json-types.ts";
import {
  type Field,
  type FieldValues,
  type Members,
  type OwnCodecs,
  fieldAt,
  fieldsIn,
  membersOf,
  valuesOf,
} from "../../../shared/json/form-fields.ts";
import { objectOf } from "../../../shared/json/values.ts";
import { issuesOf } from "../../../shared/routing/issues.ts";
import { type ApiError, detailsOf } from "./api.ts";
import { type InLanguages, useTexts } from "./page.ts";

/** What stands in the fields of a form, and what is wrong with it, by the name of the field. */
export type Typed = { readonly values: FieldValues; readonly errors: Readonly<Record<string, string>> };

/** Lines end as they were shown. */
export function valuesIn(form: URLSearchParams): FieldValues {
  const values: Record<string, string[]> = {};
  for (const [name, value] of form) (values[name] ??= []).push(value.replaceAll("\r\n", "\n"));
  return values;
}

export const typedOf = (form: URLSearchParams, errors: Typed["errors"] = {}): Typed => ({ values: valuesIn(form), errors });

/** A form that is shown with these values, of which none is wrong. */
export const filledWith = (values: Readonly<Record<string, string>>): Typed => ({
  values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]])),
  errors: {},
});
export const untyped = filledWith({});

export const hasErrors = ({ errors }: Typed): boolean => Object.keys(errors).length > 0;

/**
 * `missing`: what is said where nothing was entered. `none`: of a choice, that nothing is chosen.
 */
type FieldText = { readonly label: string; readonly hint?: string; readonly missing?: string; readonly none?: string };
/** `asWritten`: the options are shown as the document has them. */
type ChoiceText<V extends string> = FieldText & { readonly options: Readonly<Record<V, string>> | "asWritten" };

type TextFor<V> = [V] extends [boolean | number]
  ? FieldText & { readonly options?: Readonly<Record<"yes" | "no", string>> }
  : [V] extends [string]
    ? string extends V
      ? FieldText
      : ChoiceText<V>
    : [V] extends [readonly (infer E)[]]
      ? [E] extends [string]
        ? TextFor<E>
        : FieldText
      : string extends keyof V
        ? FieldText
        : FieldTexts<V>;

/**
 * The label of every member that an object of this type may have: a missing one does not compile.
 * `Own`: members whose codec is the form's own.
 */
export type FieldTexts<T, Own extends string = never> = {
  readonly [Name in keyof T]-?: Name extends Own ? FieldText : TextFor<NonNullable<T[Name]>>;
};

type AnyText = FieldText & { readonly options?: Readonly<Record<string, string>> | "asWritten" };
type AnyTexts = { readonly [member: string]: AnyText | AnyTexts };

type Texts = { readonly fields: AnyTexts };

/** A form of one document, or of one entry of it. */
export type DocumentForm = {
  readonly schema: z.ZodType;
  readonly members: Members;
  readonly words: InLanguages<Texts>;
};

export const formOf = (schema: z.ZodType, words: DocumentForm["words"], own: OwnCodecs = {}): DocumentForm => ({
  schema,
  members: membersOf(schema, own),
  words,
});

function textOf({ fields }: Texts, { path }: Pick<Field, "path">): AnyText {
  let texts: AnyText | AnyTexts = fields;
  for (const member of path) texts = (texts as AnyTexts)[member] ?? {}; // `FieldTexts` has all of them
  return texts as AnyText;
}

/** The fields with their labels, for components. */
export function useLabels({ members, words }: DocumentForm): readonly (readonly [field: Field, label: string])[] {
  const texts = useTexts(words);
  return fieldsIn(members).map((field) => [field, textOf(texts, field).label] as const);
}

const en = {
  missing: "Fill in this field.",
  number: "Enter a number, such as 5 or 2.50.",
  whole: "Enter a whole number.",
  boxes: "Choose at least one.",
  pairs: "Write each line as Name: value.",
  none: "not set",
  yes: "yes",
  no: "no",
};
const zhCN: typeof en = {
  missing: "请填写此字段。",
  number: "请输入数字，例如 5 或 2.50。",
  whole: "请输入整数。",
  boxes: "请至少选择一项。",
  pairs: "请按 Name: value 填写每一行。",
  none: "未设置",
  yes: "是",
  no: "否",
};
const fieldWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };

/** What the form's schema says of an object, by the names of its fields. */
export function schemaErrors(form: DocumentForm, object: JsonObject, language: Language): Typed["errors"] {
  const read = form.schema.safeParse(object);
  const errors: Record<string, string> = {};
  for (const { pointer, message } of read.success ? [] : issuesOf(read.error.issues)) {
    const field = fieldAt(form.members, stepsOf(pointer));
    if (field !== null) errors[field.name] ??= plainError(form.words[language], field, object, fieldWords[language]) ?? message;
  }
  return errors;
}

/** What is not there, or of another kind than its field. */
function plainError(texts: Texts, field: Field, object: JsonObject, words: typeof en): string | null {
  const value = field.path.reduce<Json | undefined>((of, member) => objectOf(of)?.[member], object);
  switch (field.kind) {
    case "boxes":
      return Array.isArray(value) && value.length === 0 ? words.boxes : null;
    case "whole":
      return Number.isInteger(value ?? 0) ? missing() : words.whole;
    case "number":
    case "pairs":
      return typeof value === "string" ? words[field.kind] : missing();
    default:
      return missing();
  }

  function missing(): string | null {
    return value === undefined ? (textOf(texts, field).missing ?? words.missing) : null;
  }
}

const stepsOf = (pointer: string): string[] => pointer.split("/").slice(1);

/**
 * The steps of a pointer behind `at`: `url` of `/servers/notes/url`; null where it is elsewhere.
 */
export const stepsInside = (at: string, pointer: string): readonly string[] | null =>
  pointer === at || pointer.startsWith(`${at}/`) ? stepsOf(pointer.slice(at.length)) : null;

/**
 * What the API says of members of the body, by the fields that they were typed in. `fieldOf`: the
 * field of a pointer into the body, or undefined; what belongs to no field is left to the page's
 * note.
 */
export function fieldErrors({ body }: ApiError, fieldOf: (pointer: string) => string | undefined): Typed["errors"] {
  return Object.fromEntries(
    detailsOf(body).flatMap(({ pointer, message }) => {
      const field = fieldOf(pointer);
      return field === undefined ? [] : [[field, message]];
    }),
  );
}

type FieldProps = {
  readonly typed: Typed;
  readonly name: string;
  /** Where another form of the page has a field of this name. */
  readonly id?: string;
  readonly label: Child;
  readonly hint?: Child;
};

function controlOf({ typed: { values, errors }, name, id = name, hint }: FieldProps) {
  const described = [...(errors[name] === undefined ? [] : [`${id}-error`]), ...(hint === undefined ? [] : [`${id}-hint`])];
  return {
    value: values[name]?.[0] ?? "",
    common: {
      id,
      name,
      ...(described.length === 0 ? {} : { "aria-describedby": described.join(" ") }),
      ...(errors[name] === undefined ? {} : { "aria-invalid": "true" as const }),
    },
  };
}

const Hint = ({ typed: { errors }, name, id = name, hint }: FieldProps) => (
  <>
    {hint === undefined ? null : (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
    {errors[name] === undefined ? null : (
      <p class="fault" id={`${id}-error`}>
        {errors[name]}
      </p>
    )}
  </>
);

const Around = ({ field, children }: { field: FieldProps; children: Child }) => (
  <div>
    <label for={field.id ?? field.name}>{field.label}</label>
    {children}
    <Hint {...field} />
  </div>
);

type InputProps = FieldProps & {
  readonly type?: "text" | "date" | "datetime-local";
  readonly inputmode?: "decimal" | "numeric";
  readonly required?: boolean;
  readonly maxlength?: number;
  readonly autofocus?: boolean;
  /** What the browser offers. */
  readonly offers?: readonly string[];
};

export const Input = ({ type = "text", inputmode, required, autofocus, maxlength = 2_048, offers = [], ...field }: InputProps) => {
  const { value, common } = controlOf(field);
  return (
    <Around field={field}>
      <input
        {...common}
        value={value}
        {...(offers.length === 0 ? {} : { list: `${field.name}-offers` })}
        {...(inputmode === undefined ? {} : { inputmode })}
        {...(required === true ? { required } : {})}
        {...(autofocus === true ? { autofocus } : {})}
        type={type}
        maxlength={maxlength}
        autocomplete="off"
        spellcheck={false}
      />
      {offers.length === 0 ? null : (
        <datalist id={`${field.name}-offers`}>
          {offers.map((offer) => (
            <option value={offer} />
          ))}
        </datalist>
      )}
    </Around>
  );
};

/** Several values, one on each line. */
const Lines = (field: FieldProps) => {
  const { value, common } = controlOf(field);
  return (
    <Around field={field}>
      <textarea class="field mono" {...common} rows={2} spellcheck={false} autocomplete="off">
        {`\n${value}`}
      </textarea>
    </Around>
  );
};

type Options = readonly (readonly [value: string, label: string])[];

export const Select = ({ options, required, ...field }: FieldProps & { readonly options: Options; readonly required?: boolean }) => {
  const { value, common } = controlOf(field);
  // A value that is none of them stays what it is.
  const shown = value === "" || options.some(([option]) => option === value) ? options : [...options, [value, value] as const];
  return (
    <Around field={field}>
      <select {...common} {...(required === true ? { required } : {})}>
        {shown.map(([option, label]) => (
          <option value={option} {...(option === value ? { selected: true } : {})}>
            {label}
          </option>
        ))}
      </select>
    </Around>
  );
};

const Box = (field: FieldProps) => {
  const { value, common } = controlOf(field);
  return (
    <div>
      <label class="check" for={field.name}>
        <input type="checkbox" {...common} value="yes" {...(value === "yes" ? { checked: true } : {})} />
        {field.label}
      </label>
      <Hint {...field} />
    </div>
  );
};

const Boxes = ({ options, ...field }: FieldProps & { readonly options: Options }) => {
  const { common } = controlOf(field);
  const { name: _name, "aria-invalid": _invalid, ...set } = common;
  const values = field.typed.values[field.name] ?? [];
  return (
    <fieldset {...set}>
      <legend class="label">{field.label}</legend>
      {options.map(([option, label]) => (
        <label class="check">
          <input type="checkbox" name={field.name} value={option} {...(values.includes(option) ? { checked: true } : {})} />
          {label}
        </label>
      ))}
      <Hint {...field} />
    </fieldset>
  );
};

export type DrawnProps = {
  readonly form: DocumentForm;
  readonly typed: Typed;
  /** Fields that the form draws itself, by their names. */
  readonly own?: Readonly<Record<string, Child>>;
  /** What texts are chosen from, by the names of their fields. */
  readonly options?: Readonly<Record<string, Options>>;
  /** What the browser offers, by the names of fields. */
  readonly offers?: Readonly<Record<string, readonly string[]>>;
};

const Drawn = ({ field, form, typed, own = {}, options = {}, offers = {} }: DrawnProps & { field: Field }) => {
  const words = useTexts(fieldWords);
  const { name, kind, isRequired } = field;
  const { label, hint, none = words.none, options: given = "asWritten" } = textOf(useTexts(form.words), field);
  const names = given === "asWritten" ? {} : given;
  const common = { typed, name, label, ...(hint === undefined ? {} : { hint }) };
  const choices = field.options.map((each) => [each, names[each] ?? { "": none, yes: words.yes, no: words.no }[each] ?? each] as const);
  if (own[name] !== undefined) return <>{own[name]}</>;
  switch (kind) {
    case "box":
      return <Box {...common} />;
    case "choice":
      return <Select {...common} options={choices} />;
    case "boxes":
      return <Boxes {...common} options={choices} />;
    case "lines":
    case "pairs":
      return <Lines {...common} />;
    case "number":
    case "whole":
      return <Input {...common} inputmode={kind === "whole" ? "numeric" : "decimal"} required={isRequired} maxlength={20} />;
    case "text":
      return options[name] === undefined ? (
        <Input {...common} required={isRequired} offers={offers[name] ?? []} />
      ) : (
        <Select {...common} options={options[name]} />
      );
    case "own":
      return null;
  }
};

/** The fields of these names. */
export const Fields = ({ of, ...drawn }: DrawnProps & { readonly of: readonly string[] }) => {
  const fields = new Map(fieldsIn(drawn.form.members).map((field) => [field.name, field]));
  return (
    <>
      {of.map((name) => {
        const field = fields.get(name);
        if (field === undefined) throw new Error(`the form has no field ${name}`);
        return <Drawn field={field} {...drawn} />;
      })}
    </>
  );
};

/** The names of all other fields: a new member of the document is one of them. */
export const othersThan = ({ members }: DocumentForm, named: readonly string[]): string[] =>
  fieldsIn(members)
    .map(({ name }) => name)
    .filter((name) => !named.includes(name));

type MoreProps = DrawnProps & { readonly of: readonly string[]; readonly title: string };

/**
 * Fields that are shown where one asks for them, or where one of them says something: boxes, then
 * the others.
 */
export const MoreFields = ({ title, of, ...drawn }: MoreProps) => {
  const { form, typed } = drawn;
  const boxes = new Set(fieldsIn(form.members).flatMap(({ name, kind }) => (kind === "box" ? [name] : [])));
  const initial = valuesOf(form.members, {});
  const isOpen = of.some((name) => typed.errors[name] !== undefined || (typed.values[name] ?? []).join() !== (initial[name] ?? []).join());
  return (
    <details {...(isOpen ? { open: true } : {})}>
      <summary class="chev">{title}</summary>
      <Fields {...drawn} of={of.filter((name) => boxes.has(name))} />
      <div class="pairs-of-fields">
        <Fields {...drawn} of={of.filter((name) => !boxes.has(name))} />
      </div>
    </details>
  );
};

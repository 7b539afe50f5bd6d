// Fields of a form that keeps what was typed: where it is refused, each field has its value again,
// and says what is wrong with it.

import type { Child } from "hono/jsx";
import type { PointedError } from "../../../shared/model/outcome.ts";
import type { ApiError } from "./api.ts";

/** What stands in the fields of a form, and what is wrong with it, by the name of the field. */
export type Typed = { readonly values: Readonly<Record<string, string>>; readonly errors: Readonly<Record<string, string>> };

export const typedOf = (form: URLSearchParams, errors: Typed["errors"] = {}): Typed => ({ values: Object.fromEntries(form), errors });

export const hasErrors = ({ errors }: Typed): boolean => Object.keys(errors).length > 0;

type FieldProps = {
  readonly typed: Typed;
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
};

/** What a control says of itself: its value, its hint, and that it is wrong. */
function controlOf({ typed: { values, errors }, name, hint }: FieldProps) {
  const described = [...(errors[name] === undefined ? [] : [`${name}-error`]), ...(hint === undefined ? [] : [`${name}-hint`])];
  return {
    value: values[name] ?? "",
    common: {
      id: name,
      name,
      ...(described.length === 0 ? {} : { "aria-describedby": described.join(" ") }),
      ...(errors[name] === undefined ? {} : { "aria-invalid": "true" as const }),
    },
  };
}

const Around = ({ field, children }: { field: FieldProps; children: Child }) => {
  const { typed, name, label, hint } = field;
  const error = typed.errors[name];
  return (
    <div>
      <label for={name}>{label}</label>
      {children}
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p class="fault" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
};

type InputProps = FieldProps & {
  readonly type?: "text" | "url" | "date";
  readonly inputmode?: "decimal" | "numeric" | "url";
  readonly required?: boolean;
  readonly readonly?: boolean;
  readonly placeholder?: string;
  readonly maxlength?: number;
  /** What the browser offers. */
  readonly offers?: readonly string[];
};

export const Input = ({
  type = "text",
  inputmode,
  required,
  readonly,
  placeholder,
  maxlength = 2_000,
  offers = [],
  ...field
}: InputProps) => {
  const { value, common } = controlOf(field);
  const list = offers.length === 0 ? {} : { list: `${field.name}-offers` };
  return (
    <Around field={field}>
      <input
        {...common}
        {...list}
        {...(inputmode === undefined ? {} : { inputmode })}
        {...(required === true ? { required } : {})}
        {...(readonly === true ? { readonly } : {})}
        {...(placeholder === undefined ? {} : { placeholder })}
        type={type}
        value={value}
        maxlength={maxlength}
        autocomplete="off"
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
export const Lines = (field: FieldProps) => {
  const { value, common } = controlOf(field);
  return (
    <Around field={field}>
      <textarea class="field mono" {...common} rows={2} spellcheck={false} autocomplete="off">
        {value}
      </textarea>
    </Around>
  );
};

export const Select = ({ options, ...field }: FieldProps & { readonly options: readonly (readonly [value: string, label: string])[] }) => {
  const { value, common } = controlOf(field);
  return (
    <Around field={field}>
      <select {...common}>
        {options.map(([option, label]) => (
          <option value={option} {...(option === value ? { selected: true } : {})}>
            {label}
          </option>
        ))}
      </select>
    </Around>
  );
};

/** Checked where the form has the field at all. */
export const Check = ({ typed: { values }, name, label, hint }: FieldProps) => (
  <div>
    <label class="check" for={name}>
      <input
        type="checkbox"
        id={name}
        name={name}
        value="yes"
        {...(values[name] === undefined ? {} : { checked: true })}
        {...(hint === undefined ? {} : { "aria-describedby": `${name}-hint` })}
      />
      {label}
    </label>
    {hint === undefined ? null : (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
  </div>
);

/** The values of `Lines`, without empty ones. */
export const linesIn = (text: string | undefined): string[] =>
  (text ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** A number as a person types it; null where nothing is typed, undefined where it is no number. */
export function numberIn(text: string | undefined): number | null | undefined {
  const typed = (text ?? "").trim();
  if (typed === "") return null;
  return /^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : undefined;
}

/**
 * What the API says of members of the body, by the fields that they were typed in. `fieldOf`: the
 * field of a pointer into the body, or undefined; what belongs to no field is left to the page's
 * note.
 */
export function fieldErrors({ body }: ApiError, fieldOf: (pointer: string) => string | undefined): Typed["errors"] {
  const details = Array.isArray(body["details"]) ? (body["details"] as readonly PointedError[]) : []; // as every 400 of the API has them
  return Object.fromEntries(
    details.flatMap(({ pointer, message }) => {
      const field = fieldOf(pointer);
      return field === undefined ? [] : [[field, message]];
    }),
  );
}

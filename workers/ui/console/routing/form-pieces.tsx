// Fields of the forms for one model and one provider.

import type { Child } from "hono/jsx";

type FieldProps = {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly help?: string;
  /** What is wrong with what was entered. */
  readonly fault?: string | undefined;
};

/** What every kind of field says of itself. */
const about = ({ name, help, fault }: Omit<FieldProps, "label" | "value">) => ({
  id: name,
  name,
  ...(help === undefined && fault === undefined
    ? {}
    : { "aria-describedby": [fault === undefined ? "" : `${name}-fault`, help === undefined ? "" : `${name}-help`].join(" ").trim() }),
  ...(fault === undefined ? {} : { "aria-invalid": "true" as const }),
});

const Around = ({ name, label, help, fault, children }: Omit<FieldProps, "value"> & { children: Child }) => (
  <div>
    <label for={name}>{label}</label>
    {children}
    {fault === undefined ? null : (
      <p class="fault" id={`${name}-fault`}>
        {fault}
      </p>
    )}
    {help === undefined ? null : (
      <p class="hint" id={`${name}-help`}>
        {help}
      </p>
    )}
  </div>
);

export const TextField = ({ isRequired = false, ...field }: FieldProps & { isRequired?: boolean }) => (
  <Around {...field}>
    <input
      {...about(field)}
      value={field.value}
      autocomplete="off"
      spellcheck={false}
      maxlength={2_048}
      {...(isRequired ? { required: true } : {})}
    />
  </Around>
);

type NumberProps = FieldProps & { readonly isWhole?: boolean; readonly isRequired?: boolean; readonly most?: number };

/** The range is the server's to check: a browser's own messages would come before it. */
export const NumberField = ({ isWhole = false, isRequired = false, most, ...field }: NumberProps) => (
  <Around {...field}>
    <input
      {...about(field)}
      type="number"
      inputmode={isWhole ? "numeric" : "decimal"}
      min="0"
      step={isWhole ? "1" : "any"}
      value={field.value}
      {...(most === undefined ? {} : { max: String(most) })}
      {...(isRequired ? { required: true } : {})}
    />
  </Around>
);

export const LinesField = ({ isJson = false, ...field }: FieldProps & { isJson?: boolean }) => (
  <Around {...field}>
    <textarea {...about(field)} class={isJson ? "field mono" : "field"} rows={isJson ? 8 : 3} spellcheck={false}>
      {`\n${field.value}`}
    </textarea>
  </Around>
);

type SelectProps = FieldProps & { readonly options: readonly (readonly [string, string])[] };

export const SelectField = ({ options, ...field }: SelectProps) => (
  <Around {...field}>
    <select {...about(field)}>
      {options.map(([value, text]) => (
        <option value={value} {...(value === field.value ? { selected: true } : {})}>
          {text}
        </option>
      ))}
    </select>
  </Around>
);

type CheckProps = { readonly name: string; readonly value: string; readonly label: string; readonly isChecked: boolean };

export const CheckField = ({ name, value, label, isChecked }: CheckProps) => (
  <label class="check">
    <input type="checkbox" name={name} value={value} {...(isChecked ? { checked: true } : {})} />
    {label}
  </label>
);

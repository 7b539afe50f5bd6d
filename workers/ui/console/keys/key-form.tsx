// The form that creates a key, and the request that it comes to.

import { keyRequestSchema } from "../../../../shared/budget/key-request.ts";
import { type FieldCodec, changedBy, fieldAt, oneOf, textOf, valuesOf } from "../../../../shared/json/form-fields.ts";
import type { JsonObject } from "../../../../shared/json-types.ts";
import { isObject } from "../../../../shared/json/values.ts";
import { type Result, err, ok } from "../../../../shared/result.ts";
import { Fields, Input, MoreFields, type Typed, formOf, hasErrors, othersThan, schemaErrors, typedOf } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Note } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { keysWords } from "./keys-words.ts";

const isDay = (day: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`));

/** The end of a day of UTC. */
const lastDay = (name: string): FieldCodec => ({
  kind: "own",
  show: (value) => ({ [name]: [textOf(value)] }),
  read: (values) => {
    const day = oneOf(values, name);
    return isDay(day) ? new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString() : day;
  },
});

const keyForm = formOf(keyRequestSchema, keysWords, { expiresAt: lastDay, once: null });
const first = ["name", "owner", "budget-usd", "budget-tokens", "budget-per", "expiresAt"];
const more = othersThan(keyForm, first);

/**
 * A form that nobody has typed in. `once`: of which only one key is made, also where the browser
 * sends the form again.
 */
export const freshKeyForm = (once: string): Typed => ({
  values: { ...valuesOf(keyForm.members, { budget: { per: "month" } }), once: [once] },
  errors: {},
});

/** The body of POST /admin/keys, or the fields that are wrong. */
export function keyRequestIn({ form, language }: Visit): Result<JsonObject, Typed> {
  const typed = typedOf(form);
  const { budget, ...rest } = changedBy(keyForm.members, {}, typed.values);
  const hasBudget = isObject(budget) && (budget["usd"] !== undefined || budget["tokens"] !== undefined);
  const once = oneOf(typed.values, "once");
  const request: JsonObject = { ...rest, ...(hasBudget ? { budget } : {}), ...(once === "" ? {} : { once }) };
  const day = oneOf(typed.values, "expiresAt");
  const errors = {
    ...schemaErrors(keyForm, request, language),
    ...(day === "" || isDay(day) ? {} : { expiresAt: keysWords[language].wrong.date }),
  };
  return Object.keys(errors).length > 0 ? err({ ...typed, errors }) : ok(request);
}

/** The field of a member of the request, by the pointer that the API names it with. */
export const keyField = (pointer: string): string | undefined => fieldAt(keyForm.members, pointer.split("/").slice(1))?.name;

export const KeyForm = ({ visit, typed, owners }: { visit: Visit; typed: Typed; owners: readonly string[] }) => {
  const { form, fields, wrong } = useTexts(keysWords);
  const drawn = {
    form: keyForm,
    typed,
    offers: { owner: owners },
    own: { expiresAt: <Input typed={typed} name="expiresAt" {...fields.expiresAt} type="date" maxlength={10} /> },
  };
  return (
    <form class="card form" id="new" method="post" action={visit.at("keys")} aria-labelledby="create">
      <h2 id="create">{form.title}</h2>
      {hasErrors(typed) ? (
        <Note of="bad">
          <p>{wrong.note}</p>
        </Note>
      ) : null}
      <FormToken visit={visit} />
      <input type="hidden" name="once" value={typed.values["once"]?.[0] ?? ""} />
      <div class="pairs-of-fields">
        <Fields {...drawn} of={first} />
      </div>
      <MoreFields {...drawn} of={more} title={form.more} />
      <p class="hint">{form.once}</p>
      <button class="btn yes" type="submit">
        {form.button}
      </button>
    </form>
  );
};

// The form that creates a key: its fields, and the request that they come to.

import { defaultLimits } from "../../../../shared/policy/limits.ts";
import { type Result, err, ok } from "../../../../shared/result.ts";
import { Check, Input, Lines, Select, type Typed, hasErrors, linesIn, numberIn, typedOf } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Note } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { keysWords } from "./keys-words.ts";

const scopes = ["sampling", "control", "v1"] as const;
const limitNames = Object.keys(keysWords.en.form.limits) as (keyof typeof keysWords.en.form.limits)[]; // its own names

/**
 * A form that nobody has typed in. `once`: of which only one key is made, also where the browser
 * sends the form again.
 */
export const freshKeyForm = (once: string): Typed => ({
  values: { once, per: "month", ...Object.fromEntries(scopes.map((scope) => [`scope-${scope}`, "yes"])) },
  errors: {},
});

/** The body of POST /admin/keys, or the fields that are wrong. */
export function keyRequestIn(form: URLSearchParams, wrong: (typeof keysWords)["en"]["wrong"]): Result<object, Typed> {
  const errors: Record<string, string> = {};
  const text = (name: string): string => (form.get(name) ?? "").trim();
  const number = (name: string, kind: "number" | "whole"): number | undefined => {
    const typed = numberIn(text(name));
    if (typed === undefined || (kind === "whole" && typed !== null && !Number.isSafeInteger(typed))) errors[name] = wrong[kind];
    return typed ?? undefined;
  };
  if (text("name") === "") errors["name"] = wrong.name;
  const chosen = scopes.filter((scope) => form.has(`scope-${scope}`));
  if (chosen.length === 0) errors["scopes"] = wrong.scopes;
  const [usd, tokens] = [number("usd", "number"), number("tokens", "whole")];
  const limits = Object.fromEntries(limitNames.flatMap((name) => entryOf(name, number(name, "whole"))));
  const [servers, models] = [linesIn(form.get("servers") ?? ""), linesIn(form.get("models") ?? "")];
  const day = text("expires");
  if (day !== "" && Number.isNaN(endOf(day))) errors["expires"] = wrong.date;
  if (Object.keys(errors).length > 0) return err(typedOf(form, errors));
  return ok({
    name: text("name"),
    ...(text("owner") === "" ? {} : { owner: text("owner") }),
    scopes: chosen,
    ...(servers.length === 0 ? {} : { servers }),
    ...(models.length === 0 ? {} : { models }),
    ...(usd === undefined && tokens === undefined
      ? {}
      : {
          budget: {
            ...(usd === undefined ? {} : { usd }),
            ...(tokens === undefined ? {} : { tokens }),
            per: form.get("per") === "day" ? "day" : "month",
          },
        }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(day === "" ? {} : { expiresAt: new Date(endOf(day)).toISOString() }),
    ...(text("once") === "" ? {} : { once: text("once") }),
  });
}

const entryOf = (name: string, value: number | undefined): [string, number][] => (value === undefined ? [] : [[name, value]]);

/** The end of a day of UTC, in Unix milliseconds; NaN where it is no day. */
const endOf = (day: string): number => (/^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) + 86_400_000 : Number.NaN);

/** The field of a member of the request, by the pointer that the API names it with. */
export function keyField(pointer: string): string | undefined {
  const [, member = "", inside = ""] = pointer.split("/");
  if (member === "budget") return inside === "tokens" ? "tokens" : "usd";
  if (member === "limits") return inside;
  if (member === "expiresAt") return "expires";
  return ["name", "owner", "scopes", "servers", "models"].includes(member) ? member : undefined;
}

export const KeyForm = ({ visit, typed, owners }: { visit: Visit; typed: Typed; owners: readonly string[] }) => {
  const { form, wrong } = useTexts(keysWords);
  const limitErrors = limitNames.some((name) => typed.errors[name] !== undefined || (typed.values[name] ?? "") !== "");
  const isOpen = limitErrors || ["servers", "models"].some((name) => (typed.values[name] ?? "") !== "" || typed.errors[name] !== undefined);
  return (
    <form class="card form" id="new" method="post" action={visit.at("keys")} aria-labelledby="create">
      <h2 id="create">{form.title}</h2>
      {hasErrors(typed) ? (
        <Note of="bad">
          <p>{wrong.note}</p>
        </Note>
      ) : null}
      <FormToken visit={visit} />
      <input type="hidden" name="once" value={typed.values["once"] ?? ""} />
      <div class="pairs-of-fields">
        <Input typed={typed} name="name" label={form.name} hint={form.nameHint} required maxlength={128} />
        <Input typed={typed} name="owner" label={form.owner} hint={form.ownerHint} maxlength={128} offers={owners} />
        <Input typed={typed} name="usd" label={form.usd} inputmode="decimal" maxlength={20} />
        <Input typed={typed} name="tokens" label={form.tokens} inputmode="numeric" maxlength={20} />
        <Select
          typed={typed}
          name="per"
          label={form.per}
          options={[
            ["month", form.pers.month],
            ["day", form.pers.day],
          ]}
        />
        <Input typed={typed} name="expires" label={form.expires} hint={form.expiresHint} type="date" maxlength={10} />
      </div>
      <fieldset {...(typed.errors["scopes"] === undefined ? {} : { "aria-describedby": "scopes-error" })}>
        <legend>
          <b>{form.scopes}</b>
        </legend>
        {scopes.map((scope) => (
          <Check typed={typed} name={`scope-${scope}`} label={form.scopeNames[scope]} />
        ))}
        {typed.errors["scopes"] === undefined ? null : (
          <p class="fault" id="scopes-error">
            {typed.errors["scopes"]}
          </p>
        )}
      </fieldset>
      <details {...(isOpen ? { open: true } : {})}>
        <summary class="chev">{form.more}</summary>
        <div class="pairs-of-fields">
          <Lines typed={typed} name="servers" label={form.servers} hint={form.serversHint} />
          <Lines typed={typed} name="models" label={form.models} hint={form.modelsHint} />
          {limitNames.map((name) => (
            <Input
              typed={typed}
              name={name}
              label={form.limits[name]}
              inputmode="numeric"
              maxlength={12}
              {...(name === "callsPerMinute" ? {} : { placeholder: String(defaultLimits[name]) })}
            />
          ))}
        </div>
      </details>
      <p class="hint">{form.once}</p>
      <button class="btn yes" type="submit">
        {form.button}
      </button>
    </form>
  );
};

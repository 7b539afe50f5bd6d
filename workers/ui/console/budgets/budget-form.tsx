// The form of one budget: its fields, what they say of an entry of the budgets document, and back.

import { type Result, err, ok } from "../../../../shared/result.ts";
import { fill } from "../../sentence.tsx";
import { Name } from "../../outside-text.tsx";
import { ChangedMeanwhile, type Entry, type Meanwhile } from "../entries.tsx";
import { Input, Lines, Select, type Typed, hasErrors, linesIn, numberIn, typedOf } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Note } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { budgetsWords } from "./budgets-words.ts";

const kinds = ["everything", "server", "key", "owner", "eachKey", "eachOwner"] as const;
export type OfKind = (typeof kinds)[number];

/** What a budget is of: its kind, and its name where the kind has one. */
export function ofIn({ of }: Entry): readonly [OfKind, string] {
  if (typeof of !== "object" || of === null) return ["everything", ""];
  const [[kind, name] = ["server", ""]] = Object.entries(of as Readonly<Record<string, string>>); // as the API keeps it
  if (name === "*") return [kind === "owner" ? "eachOwner" : "eachKey", ""];
  return [kind === "owner" || kind === "key" ? kind : "server", name];
}

/** The fields of an entry as the form has them. */
export function budgetValues(entry: Entry): Typed["values"] {
  const [kind, name] = ofIn(entry);
  return {
    of: kind,
    "of-name": name,
    usd: entry["usd"] === undefined ? "" : String(entry["usd"]),
    tokens: entry["tokens"] === undefined ? "" : String(entry["tokens"]),
    per: entry["per"] === "day" ? "day" : "month",
    notify: Array.isArray(entry["notify"]) ? entry["notify"].join("\n") : "",
  };
}

export const emptyBudget: Typed = { values: { of: "everything", per: "month" }, errors: {} };

/** The members that the form says, or the fields that are wrong. Other members of the entry stay. */
export function budgetIn(form: URLSearchParams, wrong: (typeof budgetsWords)["en"]["wrong"]): Result<(now: Entry | null) => Entry, Typed> {
  const errors: Record<string, string> = {};
  const text = (name: string): string => (form.get(name) ?? "").trim();
  const kind = kinds.find((each) => each === form.get("of")) ?? "everything";
  const number = (name: "usd" | "tokens"): number | undefined => {
    const typed = numberIn(text(name));
    if (typed === undefined) errors[name] = wrong.number;
    else if (name === "tokens" && typed !== null && !Number.isSafeInteger(typed)) errors[name] = wrong.whole;
    return typed ?? undefined;
  };
  if (text("name") === "") errors["name"] = wrong.name;
  if ((kind === "server" || kind === "key" || kind === "owner") && text("of-name") === "") errors["of-name"] = wrong.ofName;
  const [usd, tokens] = [number("usd"), number("tokens")];
  if (usd === undefined && tokens === undefined && errors["usd"] === undefined && errors["tokens"] === undefined)
    errors["usd"] = wrong.amount;
  if (Object.keys(errors).length > 0) return err(typedOf(form, errors));
  const notify = linesIn(form.get("notify") ?? "");
  return ok((now) => {
    const { usd: _usd, tokens: _tokens, notify: _notify, ...others } = now ?? {};
    return {
      ...others,
      of: asOf(kind, text("of-name")),
      ...(usd === undefined ? {} : { usd }),
      ...(tokens === undefined ? {} : { tokens }),
      per: form.get("per") === "day" ? "day" : "month",
      ...(notify.length === 0 ? {} : { notify }),
    };
  });
}

function asOf(kind: OfKind, name: string): unknown {
  if (kind === "everything") return kind;
  if (kind === "eachKey") return { key: "*" };
  return kind === "eachOwner" ? { owner: "*" } : { [kind]: name };
}

/** The field of a member of the entry, by its pointer. */
export function budgetField(pointer: string): string {
  const [, member = "name"] = pointer.split("/");
  return member === "of" ? "of-name" : ["usd", "tokens", "notify", "per"].includes(member) ? member : "name";
}

type FormProps = {
  readonly visit: Visit;
  readonly typed: Typed;
  /** The budget that is edited; null for a new one. */
  readonly was: string | null;
  readonly version: number;
  readonly meanwhile: Meanwhile | null;
};

export const BudgetForm = ({ visit, typed, was, version, meanwhile }: FormProps) => {
  const { form, wrong } = useTexts(budgetsWords);
  const labels = [
    ["of", form.of],
    ["of-name", form.ofName],
    ["usd", form.usd],
    ["tokens", form.tokens],
    ["per", form.per],
    ["notify", form.notify],
  ] as const;
  return (
    <form class="card form" id="form" method="post" action={visit.at("budgets")} aria-labelledby="form-title">
      <h2 id="form-title">{was === null ? form.add : fill(form.edit, { name: <Name value={was} /> })}</h2>
      {meanwhile === null ? null : <ChangedMeanwhile meanwhile={meanwhile} typed={typed} labels={labels} />}
      {hasErrors(typed) ? (
        <Note of="bad">
          <p>{wrong.note}</p>
        </Note>
      ) : null}
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={String(meanwhile?.version ?? version)} />
      {was === null ? null : <input type="hidden" name="was" value={was} />}
      <div class="pairs-of-fields">
        {was === null ? (
          <Input typed={typed} name="name" label={form.name} hint={form.nameHint} required maxlength={64} />
        ) : (
          <input type="hidden" name="name" value={was} />
        )}
        <Select typed={typed} name="of" label={form.of} options={kinds.map((kind) => [kind, form.ofs[kind]])} />
        <Input typed={typed} name="of-name" label={form.ofName} maxlength={128} />
        <Select
          typed={typed}
          name="per"
          label={form.per}
          options={[
            ["month", form.pers.month],
            ["day", form.pers.day],
          ]}
        />
        <Input typed={typed} name="usd" label={form.usd} hint={form.amountHint} inputmode="decimal" maxlength={20} />
        <Input typed={typed} name="tokens" label={form.tokens} inputmode="numeric" maxlength={20} />
        <Lines typed={typed} name="notify" label={form.notify} hint={form.notifyHint} />
      </div>
      <p class="keyline">
        <button class="btn yes" type="submit">
          {form.save}
        </button>
        {was === null ? null : (
          <a class="btn" href={visit.at("budgets")}>
            {form.cancel}
          </a>
        )}
      </p>
    </form>
  );
};

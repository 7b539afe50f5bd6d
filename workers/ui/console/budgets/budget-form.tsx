// The form of one budget: its fields, what they say of an entry of the budgets document, and back.

import { type Result, err, ok } from "../../../../shared/result.ts";
import type { Entry } from "../entries.tsx";
import { type EntryFields, EntryForm, type FilledForm } from "../entry-form.tsx";
import { Input, Lines, Select, type Typed, linesIn, numberIn, typedOf } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
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
function budgetValues(entry: Entry): Typed["values"] {
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

/**
 * The members that the form says, or the fields that are wrong. Other members of the entry stay.
 */
function budgetIn(form: URLSearchParams, wrong: (typeof budgetsWords)["en"]["wrong"]): Result<(now: Entry | null) => Entry, Typed> {
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
function budgetField(pointer: string): string {
  const [, member = "name"] = pointer.split("/");
  return member === "of" ? "of-name" : ["usd", "tokens", "notify", "per"].includes(member) ? member : "name";
}

export const budgetFields: EntryFields = {
  document: "budgets",
  empty: { values: { of: "everything", per: "month" }, errors: {} },
  valuesOf: budgetValues,
  fieldOf: budgetField,
  changeIn: ({ form, language }) => budgetIn(form, budgetsWords[language].wrong),
  taken: ({ language }) => budgetsWords[language].wrong.taken,
};

export const BudgetForm = ({ visit, filled }: { readonly visit: Visit; readonly filled: FilledForm }) => {
  const { typed } = filled;
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
    <EntryForm
      visit={visit}
      page="budgets"
      filled={filled}
      texts={form}
      wrong={wrong.note}
      labels={labels}
      first={
        <>
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
        </>
      }
    />
  );
};

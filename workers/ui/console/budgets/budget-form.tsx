// The form of one budget. What a budget is of has two fields: its kind, and a name.

import { budgetSchema } from "../../../../shared/budget/budgets.ts";
import { type FieldCodec, oneOf } from "../../../../shared/json/form-fields.ts";
import type { Json } from "../../../../shared/json-types.ts";
import { isObject } from "../../../../shared/json/values.ts";
import { FormBelow, namedEntries } from "../entries-page.tsx";
import type { EntryState } from "../entry.ts";
import { Fields, Input, Select, formOf, othersThan } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { budgetsWords } from "./budgets-words.ts";

const kinds = ["everything", "server", "key", "owner", "eachKey", "eachOwner"] as const;
export type OfKind = (typeof kinds)[number];

/** What a budget is of: its kind, and its name where the kind has one. */
export function ofIn(of: Json | undefined): readonly [OfKind, string] {
  if (!isObject(of)) return ["everything", ""];
  const [[kind, name] = ["server", ""]] = Object.entries(of);
  if (name === "*") return [kind === "owner" ? "eachOwner" : "eachKey", ""];
  return [kind === "owner" || kind === "key" ? kind : "server", String(name)];
}

const nameOfKind = "of-name";

const ofCodec = (control: string): FieldCodec => ({
  kind: "own",
  show: (value) => {
    const [kind, name] = ofIn(value);
    return { [control]: [value === undefined ? "" : kind], [nameOfKind]: [name] };
  },
  read: (values) => {
    const kind = kinds.find((each) => each === oneOf(values, control)) ?? "everything";
    if (kind === "everything") return kind;
    if (kind === "eachKey") return { key: "*" };
    return kind === "eachOwner" ? { owner: "*" } : { [kind]: oneOf(values, nameOfKind) };
  },
});

export const budgetForm = namedEntries(formOf(budgetSchema, budgetsWords, { of: ofCodec }), "budgets", {
  initial: { of: "everything", per: "month" },
  errorsOf: ({ of, usd, tokens }, language) => {
    const { wrong } = budgetsWords[language];
    return {
      ...(isObject(of) && ofIn(of)[1] === "" && !Object.values(of).includes("*") ? { [nameOfKind]: wrong.ofName } : {}),
      ...(usd === undefined && tokens === undefined ? { usd: wrong.amount } : {}),
    };
  },
});

export const BudgetForm = ({ visit, state }: { readonly visit: Visit; readonly state: EntryState }) => {
  const { typed } = state;
  const { form, fields } = useTexts(budgetsWords);
  const own = {
    of: (
      <>
        <Select typed={typed} name="of" label={fields.of.label} options={kinds.map((kind) => [kind, form.ofs[kind]])} />
        <Input typed={typed} name={nameOfKind} label={form.ofName} maxlength={128} />
      </>
    ),
  };
  const first = <Fields form={budgetForm} typed={typed} own={own} of={othersThan(budgetForm, [])} />;
  return <FormBelow visit={visit} of={budgetForm} state={state} texts={form} first={first} />;
};

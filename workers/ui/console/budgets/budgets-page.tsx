// Budgets: what is spent of each, and the form that adds and changes one. What a budget is of has
// two fields: its kind, and a name.

import type { Json, JsonObject } from "../../../../shared/json-types.ts";
import type { BudgetLine } from "../../../endpoints/admin/answers/spend.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { Document } from "../documents/document-api.ts";
import { EntriesHead, FormBelow, RowActs, entriesIn, entriesPage, entryOn, namedEntries } from "../entries-page.tsx";
import type { EntryState } from "../entry.ts";
import { type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Empty, List } from "../pieces.tsx";
import { type KeyNames, keyNamesOf } from "../requests/request-line.ts";
import { SpendMeter, amountIn } from "../spend-meter.tsx";
import { budgetsWords } from "./budgets-words.ts";
import { budgetSchema } from "../../../../shared/budget/budgets.ts";
import { type FieldCodec, oneOf } from "../../../../shared/json/form-fields.ts";
import { isObject } from "../../../../shared/json/values.ts";
import { Fields, Input, Select, formOf, othersThan } from "../fields.tsx";

const kinds = ["everything", "server", "key", "owner", "eachKey", "eachOwner"] as const;
type OfKind = (typeof kinds)[number];

/** What a budget is of: its kind, and its name where the kind has one. */
function ofIn(of: Json | undefined): readonly [OfKind, string] {
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

const budgetForm = namedEntries(formOf(budgetSchema, budgetsWords, { of: ofCodec }), "budgets", {
  initial: { of: "everything", per: "month" },
  errorsOf: ({ of, usd, tokens }, language) => {
    const { wrong } = budgetsWords[language];
    return {
      ...(isObject(of) && ofIn(of)[1] === "" && !Object.values(of).includes("*") ? { [nameOfKind]: wrong.ofName } : {}),
      ...(usd === undefined && tokens === undefined ? { usd: wrong.amount } : {}),
    };
  },
});

const BudgetForm = ({ visit, state }: { readonly visit: Visit; readonly state: EntryState }) => {
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

/** Of a budget that each key or owner has for itself: those who have spent most of it. */
const partsShown = 5;

/** A key leads to its page; an owner has none. */
const Part = ({ visit, part, keys }: { visit: Visit; part: string; keys: KeyNames }) => {
  const name = keys.get(part);
  return name === undefined ? (
    <Name value={part} />
  ) : (
    <a href={visit.at(`keys/${part}`)}>
      <Name value={name} />
    </a>
  );
};

/** A key and a server have a page; an owner has none. */
const Of = ({ visit, entry, keys }: { visit: Visit; entry: JsonObject; keys: KeyNames }) => {
  const { of } = useTexts(budgetsWords);
  const [kind, name] = ofIn(entry["of"]);
  if (kind === "key") return <>{fill(of.key, { name: <Part visit={visit} part={name} keys={keys} /> })}</>;
  if (kind !== "server") return <>{fill(of[kind], { name: <Name value={name} /> })}</>;
  const link = (
    <a href={visit.at(`servers/${name}`)}>
      <Name value={name} />
    </a>
  );
  return <>{fill(of.server, { name: link })}</>;
};

const Line = ({ visit, line, keys }: { visit: Visit; line: BudgetLine; keys: KeyNames }) => {
  const texts = useTexts(budgetsWords);
  const amounts = [
    ...(line.reserved > 0 ? [texts.reserved.replace("{amount}", amountIn(line.unit, line.reserved, visit.language))] : []),
    ...(line.unaccounted > 0 ? [texts.unaccounted.replace("{amount}", amountIn(line.unit, line.unaccounted, visit.language))] : []),
  ];
  return (
    <div>
      {line.part === null ? null : <Part visit={visit} part={line.part} keys={keys} />}
      <SpendMeter line={line} visit={visit} />
      {amounts.length === 0 ? null : <p class="soft">{amounts.join(" · ")}</p>}
    </div>
  );
};

type RowProps = {
  readonly visit: Visit;
  readonly name: string;
  readonly entry: JsonObject;
  readonly lines: readonly BudgetLine[];
  readonly version: number;
  readonly keys: KeyNames;
};

const BudgetRow = ({ visit, name, entry, lines, version, keys }: RowProps) => {
  const texts = useTexts(budgetsWords);
  const [first] = lines;
  const notified = Array.isArray(entry["notify"]) ? entry["notify"].length : 0;
  return (
    <tr>
      <td class="main-cell">
        <Name value={name} />
      </td>
      <td class="full">
        <Of visit={visit} entry={entry} keys={keys} />
        {notified === 0 ? null : <div class="soft">{fill(texts.notified, { n: notified })}</div>}
      </td>
      <td class="full stack">
        {lines.length === 0 ? <span class="soft">{texts.nobody}</span> : null}
        {lines.slice(0, partsShown).map((line) => (
          <Line visit={visit} line={line} keys={keys} />
        ))}
        {lines.length > partsShown ? <p class="soft">{fill(texts.more, { n: lines.length - partsShown })}</p> : null}
      </td>
      {first === undefined ? (
        <td />
      ) : (
        <td data-k={texts.columns.resets}>
          <Time at={Date.parse(first.resetsAt)} now={visit.now} />
        </td>
      )}
      <td class="end">
        <div class="row-acts">
          <RowActs visit={visit} of={budgetForm} name={name} version={version} texts={texts} />
        </div>
      </td>
    </tr>
  );
};

type ListProps = { readonly visit: Visit; readonly current: Document; readonly spend: readonly BudgetLine[]; readonly keys: KeyNames };

const Budgets = ({ visit, current, spend, keys }: ListProps) => {
  const texts = useTexts(budgetsWords);
  const { columns } = texts;
  const entries = Object.entries(entriesIn(current, "budgets"));
  if (entries.length === 0) return <Empty>{texts.none}</Empty>;
  return (
    <List
      caption={fillText(texts.count, { n: entries.length })}
      columns={[columns.name, columns.of, columns.spend, columns.resets]}
      action={columns.action}
    >
      {entries.map(([name, entry]) => (
        <BudgetRow
          visit={visit}
          name={name}
          entry={entry}
          version={current.version}
          keys={keys}
          lines={spend.filter(({ budget }) => budget === name)}
        />
      ))}
    </List>
  );
};

const Explained = () => {
  const { explained } = useTexts(budgetsWords);
  return (
    <details>
      <summary class="chev">{explained.title}</summary>
      <p>{explained.reserved}</p>
      <p>{explained.unaccounted}</p>
      <p>{explained.reset}</p>
    </details>
  );
};

async function renderBudgets(visit: Visit, sent?: EntryState): Promise<PageAnswer> {
  const [{ current, state }, { budgets: spend }, keys] = await Promise.all([
    entryOn(visit, budgetForm, sent),
    visit.api.read(paths.admin.spend),
    visit.api.read(paths.admin.keys).then(keyNamesOf),
  ]);
  const texts = budgetsWords[visit.language];
  return {
    kind: "page",
    title: texts.title,
    ...(sent === undefined ? {} : { status: 422 }),
    body: () => (
      <>
        <EntriesHead visit={visit} of={budgetForm} texts={texts} lead={texts.lead} state={state} />
        <section class="card" aria-label={texts.title}>
          <Budgets visit={visit} current={current} spend={spend} keys={keys} />
        </section>
        <Explained />
        <p class="keyline">
          <a href={visit.at("keys")}>{texts.keys}</a>
          <a href={visit.at("documents/budgets")}>{texts.json}</a>
        </p>
        {visit.may("change") ? <BudgetForm visit={visit} state={state} /> : null}
      </>
    ),
  };
}

export const budgetsPage = entriesPage(budgetForm, renderBudgets);

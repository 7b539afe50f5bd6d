// Budgets: what is spent of each, and the forms that add, change and remove one.

import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import {
  type Entry,
  type EntryDocument,
  type Meanwhile,
  NotRemoved,
  pointerInside,
  readEntries,
  saveEntry,
  versionIn,
} from "../entries.tsx";
import { type Typed, fieldErrors, typedOf } from "../fields.tsx";
import { type ConsolePage, type Shown, type Visit, useTexts } from "../page.ts";
import { Confirm, Empty, Note, Refused } from "../pieces.tsx";
import { type SpendLine, SpendMeter, amountIn } from "../spend-meter.tsx";
import { BudgetForm, budgetField, budgetIn, budgetValues, emptyBudget, ofIn } from "./budget-form.tsx";
import { budgetsWords } from "./budgets-words.ts";

/** Of a budget that each key or owner has for itself: those who have spent most of it. */
const partsShown = 5;

const Of = ({ entry }: { entry: Entry }) => {
  const { of } = useTexts(budgetsWords);
  const [kind, name] = ofIn(entry);
  return <>{fill(of[kind], { name: <Name value={name} /> })}</>;
};

const Line = ({ visit, line }: { visit: Visit; line: SpendLine }) => {
  const texts = useTexts(budgetsWords);
  const amounts = [
    ...(line.reserved > 0 ? [texts.reserved.replace("{amount}", amountIn(line.unit, line.reserved, visit.language))] : []),
    ...(line.unaccounted > 0 ? [texts.unaccounted.replace("{amount}", amountIn(line.unit, line.unaccounted, visit.language))] : []),
  ];
  return (
    <div>
      {line.part === null ? null : <Name value={line.part} />}
      <SpendMeter line={line} visit={visit} />
      {amounts.length === 0 ? null : <p class="soft">{amounts.join(" · ")}</p>}
    </div>
  );
};

type RowProps = {
  readonly visit: Visit;
  readonly name: string;
  readonly entry: Entry;
  readonly lines: readonly SpendLine[];
  readonly version: number;
};

const BudgetRow = ({ visit, name, entry, lines, version }: RowProps) => {
  const texts = useTexts(budgetsWords);
  const [first] = lines;
  const notified = Array.isArray(entry["notify"]) ? entry["notify"].length : 0;
  return (
    <tr>
      <td class="main-cell">
        <Name value={name} />
      </td>
      <td class="full">
        <Of entry={entry} />
        {notified === 0 ? null : <div class="soft">{texts.notified(notified)}</div>}
      </td>
      <td class="full stack">
        {lines.length === 0 ? <span class="soft">{texts.nobody}</span> : null}
        {lines.slice(0, partsShown).map((line) => (
          <Line visit={visit} line={line} />
        ))}
        {lines.length > partsShown ? <p class="soft">{texts.more(lines.length - partsShown)}</p> : null}
      </td>
      {first === undefined ? (
        <td />
      ) : (
        <td data-k={texts.columns.resets}>
          <Time at={Date.parse(first.resetsAt)} now={visit.now} />
        </td>
      )}
      <td class="end">
        {visit.may("change") ? (
          <div class="row-acts">
            <a class="btn small" href={`${visit.at("budgets", { edit: name })}#form`}>
              {texts.edit}
              <span class="sr"> {name}</span>
            </a>
            <Confirm
              visit={visit}
              to="budgets"
              fields={{ remove: name, version: String(version) }}
              ask={texts.remove}
              about={name}
              says={fill(texts.removeSays, { name: <Name value={name} /> })}
              button={texts.removeButton.replace("{name}", () => name)}
            />
          </div>
        ) : null}
      </td>
    </tr>
  );
};

type ListProps = { readonly visit: Visit; readonly current: EntryDocument; readonly spend: readonly SpendLine[] };

const Budgets = ({ visit, current: { entries, version }, spend }: ListProps) => {
  const texts = useTexts(budgetsWords);
  const { columns } = texts;
  const names = Object.keys(entries);
  if (names.length === 0) return <Empty>{texts.none}</Empty>;
  return (
    <table class="cards">
      <caption>{texts.count(names.length)}</caption>
      <thead>
        <tr>
          <th>{columns.name}</th>
          <th>{columns.of}</th>
          <th>{columns.spend}</th>
          <th>{columns.resets}</th>
          <th>
            <span class="sr">{columns.action}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(entries).map(([name, entry]) => (
          <BudgetRow visit={visit} name={name} entry={entry} version={version} lines={spend.filter(({ budget }) => budget === name)} />
        ))}
      </tbody>
    </table>
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

type Said = {
  readonly failure?: ApiError;
  readonly typed?: Typed;
  readonly meanwhile?: Meanwhile;
  readonly isNotRemoved?: boolean;
};

async function budgetsShown(visit: Visit, said: Said = {}): Promise<Shown> {
  const { failure, typed, meanwhile = null, isNotRemoved = false } = said;
  const [current, { budgets: spend }] = await Promise.all([
    readEntries(visit.api, "budgets"),
    visit.api.read<{ readonly budgets: readonly SpendLine[] }>("/admin/budgets/spend"),
  ]);
  const texts = budgetsWords[visit.language];
  const asked = typed === undefined ? visit.query.get("edit") : (visit.form.get("was") ?? null);
  const edited = asked === null ? undefined : current.entries[asked];
  const was = typed === undefined && edited === undefined ? null : asked;
  const filled = typed ?? (edited === undefined ? emptyBudget : { values: budgetValues(edited), errors: {} });
  // A form that is shown again is still made from the version that it was made from.
  const version = typed === undefined ? current.version : versionIn(visit.form);
  const done = visit.query.get("done");
  return {
    kind: "page",
    title: texts.title,
    ...(Object.keys(said).length > 0 ? { status: 422 } : {}),
    body: () => (
      <>
        <div class="head">
          <h1>{texts.title}</h1>
          {visit.may("change") ? (
            <a class="btn yes small" href={was === null ? "#form" : `${visit.at("budgets")}#form`}>
              {texts.add}
            </a>
          ) : null}
        </div>
        <p>{texts.lead}</p>
        {done === "saved" || done === "removed" ? <Note of="ok">{texts.done[done]}</Note> : null}
        {failure === undefined ? null : <Refused failure={failure} />}
        {isNotRemoved ? <NotRemoved /> : null}
        <section class="card" aria-label={texts.title}>
          <Budgets visit={visit} current={current} spend={spend} />
        </section>
        <Explained />
        <p class="keyline">
          <a href={visit.at("keys")}>{texts.keys}</a>
          <a href={visit.at("documents/budgets")}>{texts.json}</a>
        </p>
        {visit.may("change") ? <BudgetForm visit={visit} typed={filled} was={was} version={version} meanwhile={meanwhile} /> : null}
      </>
    ),
  };
}

async function act(visit: Visit): Promise<Shown> {
  const { form, api } = visit;
  const texts = budgetsWords[visit.language];
  const version = versionIn(form);
  const removed = form.get("remove");
  if (removed !== null) {
    const saved = await saveEntry(api, { document: "budgets", name: removed, version, isNew: false, change: () => null });
    if (saved.kind === "saved") return { kind: "redirect", to: visit.at("budgets", { done: "removed" }) };
    return budgetsShown(visit, saved.kind === "refused" ? { failure: saved.failure } : { isNotRemoved: true });
  }
  const change = budgetIn(form, texts.wrong);
  if (!change.ok) return budgetsShown(visit, { typed: change.error });
  const name = (form.get("name") ?? "").trim();
  const saved = await saveEntry(api, { document: "budgets", name, version, isNew: !form.has("was"), change: change.value });
  switch (saved.kind) {
    case "saved":
      return { kind: "redirect", to: visit.at("budgets", { done: "saved" }) };
    case "taken":
      return budgetsShown(visit, { typed: typedOf(form, { name: texts.wrong.taken }) });
    case "changed": {
      const now = saved.now === null ? null : budgetValues(saved.now);
      return budgetsShown(visit, { typed: typedOf(form), meanwhile: { now, version: saved.version } });
    }
    case "refused": {
      const errors = fieldErrors(saved.failure, (pointer) => {
        const inside = pointerInside("budgets", name, pointer);
        return inside === null ? undefined : budgetField(inside);
      });
      const typed = typedOf(form, errors);
      return budgetsShown(visit, Object.keys(errors).length > 0 ? { typed } : { typed, failure: saved.failure });
    }
  }
}

export const budgetsPage: ConsolePage = { path: "budgets", get: (visit) => budgetsShown(visit), post: act };

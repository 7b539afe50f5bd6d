// One entry of the routing table, a model or a provider: added, changed, checked or removed in a
// form, on top of the version of the whole table that the form was made from.

import type { Child } from "hono/jsx";
import { documentPaths } from "../../../platform/urls.ts";
import { changedBy, fieldAt, valuesOf } from "../../../../shared/json/form-fields.ts";
import type { JsonObject } from "../../../../shared/json-types.ts";
import type { PointedError } from "../../../../shared/model/outcome.ts";
import { Plain } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { findVersion, numberIn, readDocument } from "../documents/document-api.ts";
import { saveDocument } from "../documents/save-document.ts";
import { type DocumentForm, type DrawnProps, Fields, type Typed, schemaErrors, stepsInside, useLabels, valuesIn } from "../fields.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { partScript } from "../part-script.ts";
import { Confirm, Note, Refused } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { type RoutingWords, routingWords } from "./routing-words.ts";

export type TableEntry = {
  readonly kind: "model" | "provider";
  /** The field that names it, in the form and in the page's address. */
  readonly name: string;
  readonly form: DocumentForm;
  readonly done: Readonly<Record<"saved" | "removed", keyof RoutingWords["done"]>>;
  readonly script?: string;
  /** As the form has it; null where the table has none. `was`: null for a new one. */
  readonly read: (table: JsonObject, was: string | null) => JsonObject | null;
  /** The table with it, and the pointer to it there. */
  readonly write: (table: JsonObject, was: string | null, entry: JsonObject) => { readonly table: JsonObject; readonly at: string };
  readonly without: (table: JsonObject, name: string) => JsonObject;
  /** Another one has this name. The table could not say so. */
  readonly isTaken?: (table: JsonObject, was: string | null, entry: JsonObject) => boolean;
  /** Why it cannot be removed. */
  readonly isKept?: (texts: RoutingWords["form"], table: JsonObject, name: string) => Child | null;
  /** What is done with a table that is not saved. */
  readonly tryDraft?: (visit: Visit, table: JsonObject, version: number) => Promise<PageAnswer>;
  readonly fields: (drawn: DrawnProps, table: JsonObject) => Child;
};

type SetProps = DrawnProps & {
  readonly title: keyof RoutingWords["form"]["sets"];
  readonly of: readonly string[];
  readonly inPairs?: boolean;
};

export const FieldSet = ({ title, inPairs = false, ...fields }: SetProps) => {
  const { form } = useTexts(routingWords);
  return (
    <fieldset class="card form">
      <legend class="label">{form.sets[title]}</legend>
      {inPairs ? (
        <div class="two">
          <Fields {...fields} />
        </div>
      ) : (
        <Fields {...fields} />
      )}
    </fieldset>
  );
};

/** What is wrong, by the names of fields, and elsewhere in the table. */
type Problems = { readonly errors: Typed["errors"]; readonly elsewhere: readonly PointedError[] };
const none: Problems = { errors: {}, elsewhere: [] };
const hasProblems = ({ errors, elsewhere }: Problems): boolean => Object.keys(errors).length + elsewhere.length > 0;

type State = {
  readonly version: number;
  readonly table: JsonObject;
  readonly was: string | null;
  readonly values: Typed["values"];
  /** Absent before anything was entered. */
  readonly problems?: Problems;
  readonly failure?: ApiError;
};

const mostProblems = 20;

/** What the form's script renews. */
const Verdict = ({ form, problems }: { form: DocumentForm; problems: Problems | undefined }) => {
  const { form: texts } = useTexts(routingWords);
  const labels = useLabels(form);
  if (problems === undefined) return <div id="check" aria-live="polite" />;
  const { errors, elsewhere } = problems;
  const wrong = labels.flatMap(([{ name }, label]) => (errors[name] === undefined ? [] : [{ name, label, message: errors[name] }]));
  return (
    <div id="check" aria-live="polite">
      {hasProblems(problems) ? (
        <Note of="bad">
          <p>
            <b>{texts.toFix}</b>
          </p>
          <ul>
            {wrong.map(({ name, label, message }) => (
              <li>
                <a href={`#${name}`}>{label}</a>: <Plain value={message} />
              </li>
            ))}
            {elsewhere.slice(0, mostProblems).map(({ pointer, message }) => (
              <li>
                <code>
                  <Plain value={pointer} />
                </code>{" "}
                <Plain value={message} />
              </li>
            ))}
          </ul>
        </Note>
      ) : (
        <Note of="ok">{texts.valid}</Note>
      )}
    </div>
  );
};

/** Where the operator may only read, its fields cannot be changed, and it has no buttons. */
const EntryForm = ({ visit, of, state }: { visit: Visit; of: TableEntry; state: State }) => {
  const { form: texts } = useTexts(routingWords);
  const { version, table, was, values, problems } = state;
  const mayChange = visit.may("change");
  const button = (act: string, says: string, more = "") => (
    <button class={`btn${more}`} type="submit" name="do" value={act} {...(act === "check" ? { formnovalidate: true } : {})}>
      {says}
    </button>
  );
  return (
    <form class="stack" method="post" action={visit.at(`routing/${of.kind}`)} data-part="check">
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="was" value={was ?? ""} />
      <fieldset class="plain-set" {...(mayChange ? {} : { disabled: true })}>
        {of.fields({ form: of.form, typed: { values, errors: problems?.errors ?? {} } }, table)}
      </fieldset>
      <Verdict form={of.form} problems={problems} />
      {mayChange ? (
        <>
          <p class="soft">{fill(texts.basedOn, { next: version + 1 })}</p>
          <div class="actions">
            {button("save", texts.save, " yes")}
            {button("check", texts.check)}
            {of.tryDraft === undefined ? null : button("try", texts.tryIt)}
          </div>
        </>
      ) : null}
    </form>
  );
};

const Removal = ({ visit, of, state: { version, table, was } }: { visit: Visit; of: TableEntry; state: State }) => {
  const { form } = useTexts(routingWords);
  const texts = form[of.kind];
  if (was === null || !visit.may("change")) return null;
  const kept = of.isKept?.(form, table, was) ?? null;
  if (kept !== null) return <p class="soft">{kept}</p>;
  return (
    <Confirm
      visit={visit}
      to={`routing/${of.kind}`}
      fields={{ version: String(version), was, do: "remove" }}
      ask={texts.remove}
      about={was}
      says={fill(texts.removeSays, { n: version })}
      button={form.removeButton}
    />
  );
};

function entryShown(visit: Visit, of: TableEntry, state: State): PageAnswer {
  const { form } = routingWords[visit.language];
  const texts = form[of.kind];
  const { was, table, problems = none, failure } = state;
  const title = was === null ? texts.add : fill(texts.edit, { name: was }).join("");
  const isRemoved = was !== null && of.read(table, was) === null;
  return {
    kind: "page",
    title,
    ...(isRemoved ? { status: 404 } : hasProblems(problems) || failure !== undefined ? { status: 422 } : {}),
    script: partScript + (of.script ?? ""),
    body: () => (
      <>
        <div class="head">
          <h1>{title}</h1>
          <a class="btn small" href={visit.at("routing")}>
            {form.back}
          </a>
        </div>
        {failure === undefined ? null : <Refused failure={failure} />}
        {isRemoved ? (
          <Note of="bad">{texts.notFound}</Note>
        ) : (
          <>
            <EntryForm visit={visit} of={of} state={state} />
            <Removal visit={visit} of={of} state={state} />
          </>
        )}
      </>
    ),
  };
}

export const pageOf = (of: TableEntry): ConsolePage => ({
  path: `routing/${of.kind}`,
  get: (visit) => readEntry(visit, of),
  post: (visit) => actOnEntry(visit, of),
});

async function readEntry(visit: Visit, of: TableEntry): Promise<PageAnswer> {
  const { version, ...document } = await readDocument(visit, "routing");
  const table = document as JsonObject; // JSON of the API
  const was = visit.query.get(of.name);
  return entryShown(visit, of, { version, table, was, values: valuesOf(of.form.members, of.read(table, was) ?? {}) });
}

/** Checks the entry, for the page or for its script, tries, saves or removes it. */
async function actOnEntry(visit: Visit, of: TableEntry): Promise<PageAnswer> {
  const { form: sent } = visit;
  const version = numberIn(sent.get("version"));
  if (version === null) return { kind: "notFound" };
  // Where the version is no longer kept, as it is now: the save is then refused as a conflict.
  const table: JsonObject = (await findVersion(visit, "routing", version)) ?? (await readDocument(visit, "routing"));
  const was = sent.get("was") || null;
  const { members } = of.form;
  const before = of.read(table, was) ?? {};
  const act = sent.get("do");
  if (act === "remove" && was !== null) {
    const state = { version, table, was, values: valuesOf(members, before) };
    return saved(visit, of, state, of.without(table, was), of.done.removed);
  }
  const values = valuesIn(sent);
  const entry = changedBy(members, before, values);
  const changed = of.write(table, was, entry);
  const problems = of.isTaken?.(table, was, entry)
    ? { errors: { [of.name]: routingWords[visit.language].form.taken }, elsewhere: [] }
    : await problemsOf(visit, of, entry, changed);
  if (sent.get("part") === "check") return { kind: "part", body: () => <Verdict form={of.form} problems={problems} /> };
  const state: State = { version, table, was, values, problems };
  if (hasProblems(problems) || act === "check") return entryShown(visit, of, state);
  if (act === "try" && of.tryDraft !== undefined) return of.tryDraft(visit, changed.table, version);
  return saved(visit, of, state, changed.table, of.done.saved);
}

/** What the schema says of the entry, else what the gateway would refuse of the table. */
async function problemsOf(
  visit: Visit,
  { form, name }: TableEntry,
  entry: JsonObject,
  changed: ReturnType<TableEntry["write"]>,
): Promise<Problems> {
  const own = schemaErrors(form, entry, visit.language);
  if (Object.keys(own).length > 0) return { ...none, errors: own };
  const answer = await visit.api.send("POST", documentPaths("routing").check, { body: changed.table });
  const details = answer.ok ? answer.value.details : [{ pointer: "/", message: answer.error.error }];
  const errors: Record<string, string> = {};
  const elsewhere = details.filter(({ pointer, message }) => {
    const steps = stepsInside(changed.at, pointer);
    const field = steps?.length === 0 ? name : steps === null ? undefined : fieldAt(form.members, steps)?.name;
    if (field !== undefined) errors[field] ??= message;
    return field === undefined;
  });
  return { errors, elsewhere };
}

/** The page that follows a save; else the form. */
async function saved(
  visit: Visit,
  of: TableEntry,
  state: State,
  document: JsonObject,
  done: keyof RoutingWords["done"],
): Promise<PageAnswer> {
  const to = (version: number): string => visit.at("routing", { done, version });
  const answer = await saveDocument(visit, { name: "routing", base: state.version, document, to });
  return answer.ok ? answer.value : entryShown(visit, of, { ...state, failure: answer.error });
}

// One entry of the routing table, a model or a provider, on a page of its own: its form, what is
// wrong with it, and its removal.

import type { Child } from "hono/jsx";
import type { JsonObject } from "../../../../shared/json-types.ts";
import { Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { readDocument } from "../documents/document-api.ts";
import { type EntryForm as FormOf, type EntryState, actOnEntry, isWrong, openedEntry } from "../entry.ts";
import { type DrawnProps, Fields, useLabels } from "../fields.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { partScript } from "../part-script.ts";
import { Confirm, LinkButton, Note, Refused } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { type RoutingWords, routingWords } from "./routing-words.ts";

export type TableEntry = FormOf & {
  /** The page is named for it. */
  readonly kind: "model" | "provider";
  readonly done: Readonly<Record<"saved" | "removed", keyof RoutingWords["done"]>>;
  readonly script?: string;
  /** Why it cannot be removed. */
  readonly isKept?: (texts: RoutingWords["form"], table: JsonObject, name: string) => Child | null;
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

const mostProblems = 20;

/** What the form's script renews. */
const Verdict = ({ of, state: { typed, elsewhere } }: { of: TableEntry; state: EntryState }) => {
  const { form: texts } = useTexts(routingWords);
  const labels = useLabels(of);
  if (elsewhere === undefined) return <div id="check" aria-live="polite" />;
  const { errors } = typed;
  const wrong = labels.flatMap(([{ name }, label]) => (errors[name] === undefined ? [] : [{ name, label, message: errors[name] }]));
  return (
    <div id="check" aria-live="polite">
      {wrong.length + elsewhere.length > 0 ? (
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
const EntryForm = ({ visit, of, state }: { visit: Visit; of: TableEntry; state: EntryState }) => {
  const { form: texts } = useTexts(routingWords);
  const { version, document, was, typed } = state;
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
        {of.fields({ form: of, typed }, document)}
      </fieldset>
      <Verdict of={of} state={state} />
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

const Removal = ({ visit, of, state: { version, document, was } }: { visit: Visit; of: TableEntry; state: EntryState }) => {
  const { form } = useTexts(routingWords);
  const texts = form[of.kind];
  if (was === null || !visit.may("change")) return null;
  const kept = of.isKept?.(form, document, was) ?? null;
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

function entryShown(visit: Visit, of: TableEntry, state: EntryState): PageAnswer {
  const { form } = routingWords[visit.language];
  const texts = form[of.kind];
  const { was, document, failure } = state;
  const title = was === null ? texts.add : fillText(texts.edit, { name: was });
  const isRemoved = was !== null && of.read(document, was) === null;
  return {
    kind: "page",
    title,
    ...(isRemoved ? { status: 404 } : isWrong(state) ? { status: 422 } : {}),
    script: partScript + (of.script ?? ""),
    body: () => (
      <>
        <div class="head">
          <h1>{title}</h1>
          <span class="acts">
            {was === null ? null : <LinkButton to={visit.at("requests", { [of.kind]: was })}>{form.requests}</LinkButton>}
            {was === null || of.kind === "provider" ? null : <LinkButton to={visit.at("usage", { by: of.kind })}>{form.usage}</LinkButton>}
            <LinkButton to={visit.at("routing")}>{form.back}</LinkButton>
          </span>
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
  get: async (visit) => entryShown(visit, of, openedEntry(of, await readDocument(visit, of.document), visit.query.get(of.name))),
  post: (visit) =>
    actOnEntry(visit, of, {
      shown: (state) => entryShown(visit, of, state),
      done: (what, version) => visit.at("routing", { done: of.done[what], version }),
      part: (state) => ({ kind: "part", body: () => <Verdict of={of} state={state} /> }),
      ...(of.tryDraft === undefined ? {} : { tryDraft: of.tryDraft.bind(null, visit) }),
    }),
});

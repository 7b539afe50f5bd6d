// The form for one entry of a document, and what comes of sending it: the same for every document
// whose entries have names.

import type { Child } from "hono/jsx";
import type { Result } from "../../../shared/result.ts";
import { Name } from "../outside-text.tsx";
import { fill } from "../sentence.tsx";
import type { ApiError } from "./api.ts";
import {
  ChangedMeanwhile,
  type Entry,
  type EntryDocument,
  type Meanwhile,
  NotRemoved,
  pointerInside,
  saveEntry,
  versionIn,
} from "./entries.tsx";
import { Input, type Typed, fieldErrors, hasErrors, typedOf } from "./fields.tsx";
import type { Shown, Visit } from "./page.ts";
import { Note, Refused } from "./pieces.tsx";
import { FormToken } from "./shell.tsx";

/** What the fields of one document's entries are. Its page has the document's name. */
export type EntryFields = {
  readonly document: "budgets" | "servers";
  /** The form for a new entry. */
  readonly empty: Typed;
  readonly valuesOf: (entry: Entry) => Typed["values"];
  /** The field of a place inside the entry, as an error's JSON pointer names it. */
  readonly fieldOf: (inside: string) => string;
  /**
   * What the form makes of the entry as it is (null: there is none); or what was typed, with what
   * is wrong.
   */
  readonly changeIn: (visit: Visit) => Result<(now: Entry | null) => Entry, Typed>;
  /** There is an entry of this name already. */
  readonly taken: (visit: Visit) => string;
};

/** What the page says of the form that was sent; nothing of it was done. */
export type EntrySaid = {
  readonly failure?: ApiError;
  readonly typed?: Typed;
  readonly meanwhile?: Meanwhile;
  readonly isNotRemoved?: boolean;
};

/**
 * What stands in the form. `was`: the name of the entry that it changes; null where it adds one.
 */
export type FilledForm = {
  readonly typed: Typed;
  readonly was: string | null;
  readonly version: number;
  readonly meanwhile: Meanwhile | null;
};

/** The form as it was sent, else that of the entry that the address names, else an empty one. */
export function filledForm(
  visit: Visit,
  { empty, valuesOf }: EntryFields,
  current: EntryDocument,
  { typed, meanwhile }: EntrySaid,
): FilledForm {
  const asked = typed === undefined ? visit.query.get("edit") : (visit.form.get("was") ?? null);
  const edited = asked === null ? undefined : current.entries[asked];
  return {
    typed: typed ?? (edited === undefined ? empty : { values: valuesOf(edited), errors: {} }),
    was: typed === undefined && edited === undefined ? null : asked,
    // A form that is shown again is still made from the version that it was made from.
    version: typed === undefined ? current.version : versionIn(visit.form),
    meanwhile: meanwhile ?? null,
  };
}

/** Removes or saves the entry that the form names. `shown`: the page, where that was not done. */
export async function actOnEntry(visit: Visit, fields: EntryFields, shown: (said: EntrySaid) => Promise<Shown>): Promise<Shown> {
  const { form, api } = visit;
  const { document } = fields;
  const version = versionIn(form);
  const done = (what: "saved" | "removed"): Shown => ({ kind: "redirect", to: visit.at(document, { done: what }) });
  const removed = form.get("remove");
  if (removed !== null) {
    const saved = await saveEntry(api, { document, name: removed, version, isNew: false, change: () => null });
    if (saved.kind === "saved") return done("removed");
    return shown(saved.kind === "refused" ? { failure: saved.failure } : { isNotRemoved: true });
  }
  const change = fields.changeIn(visit);
  if (!change.ok) return shown({ typed: change.error });
  const name = (form.get("name") ?? "").trim();
  const saved = await saveEntry(api, { document, name, version, isNew: !form.has("was"), change: change.value });
  switch (saved.kind) {
    case "saved":
      return done("saved");
    case "taken":
      return shown({ typed: typedOf(form, { name: fields.taken(visit) }) });
    case "changed": {
      const now = saved.now === null ? null : fields.valuesOf(saved.now);
      return shown({ typed: typedOf(form), meanwhile: { now, version: saved.version } });
    }
    case "refused": {
      const errors = fieldErrors(saved.failure, (pointer) => {
        const inside = pointerInside(document, name, pointer);
        return inside === null ? undefined : fields.fieldOf(inside);
      });
      const typed = typedOf(form, errors);
      return shown(hasErrors(typed) ? { typed } : { typed, failure: saved.failure });
    }
  }
}

type HeadProps = {
  readonly visit: Visit;
  readonly page: EntryFields["document"];
  readonly texts: { readonly title: string; readonly add: string; readonly done: Readonly<Record<"saved" | "removed", string>> };
  readonly lead: Child;
  /** Whether the form changes an entry: adding one begins with another form. */
  readonly isEditing: boolean;
  readonly said: EntrySaid;
};

/** The top of a page of entries: its name, the way to the form, and what became of the last one. */
export const EntriesHead = ({ visit, page, texts, lead, isEditing, said: { failure, isNotRemoved = false } }: HeadProps) => {
  const done = visit.query.get("done");
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        {visit.may("change") ? (
          <a class="btn yes small" href={isEditing ? `${visit.at(page)}#form` : "#form"}>
            {texts.add}
          </a>
        ) : null}
      </div>
      <p>{lead}</p>
      {done === "saved" || done === "removed" ? <Note of="ok">{texts.done[done]}</Note> : null}
      {failure === undefined ? null : <Refused failure={failure} />}
      {isNotRemoved ? <NotRemoved /> : null}
    </>
  );
};

type FormProps = {
  readonly visit: Visit;
  readonly page: EntryFields["document"];
  readonly filled: FilledForm;
  readonly texts: Readonly<Record<"add" | "edit" | "name" | "nameHint" | "save" | "cancel", string>>;
  /** That fields are wrong. */
  readonly wrong: string;
  readonly labels: readonly (readonly [name: string, label: string])[];
  /** The fields that stand beside the name. */
  readonly first: Child;
  readonly children?: Child;
};

/**
 * The frame of the form: its name, what is wrong or was changed meanwhile, and the version that it
 * was made from.
 */
export const EntryForm = ({
  visit,
  page,
  filled: { typed, was, version, meanwhile },
  texts,
  wrong,
  labels,
  first,
  children,
}: FormProps) => (
  <form class="card form" id="form" method="post" action={visit.at(page)} aria-labelledby="form-title">
    <h2 id="form-title">{was === null ? texts.add : fill(texts.edit, { name: <Name value={was} /> })}</h2>
    {meanwhile === null ? null : <ChangedMeanwhile meanwhile={meanwhile} typed={typed} labels={labels} />}
    {hasErrors(typed) ? (
      <Note of="bad">
        <p>{wrong}</p>
      </Note>
    ) : null}
    <FormToken visit={visit} />
    <input type="hidden" name="version" value={String(meanwhile?.version ?? version)} />
    {was === null ? null : <input type="hidden" name="was" value={was} />}
    <div class="pairs-of-fields">
      {was === null ? (
        <Input typed={typed} name="name" label={texts.name} hint={texts.nameHint} required maxlength={64} />
      ) : (
        <input type="hidden" name="name" value={was} />
      )}
      {first}
    </div>
    {children}
    <p class="keyline">
      <button class="btn yes" type="submit">
        {texts.save}
      </button>
      {was === null ? null : (
        <a class="btn" href={visit.at(page)}>
          {texts.cancel}
        </a>
      )}
    </p>
  </form>
);

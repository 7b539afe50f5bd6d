// The form for one entry of a document, and what comes of sending it: the same for every document
// whose entries have names.

import type { Child } from "hono/jsx";
import type { Language } from "../../../shared/channels/words/languages.ts";
import { changedBy, fieldAt, valuesOf } from "../../../shared/json/form-fields.ts";
import type { JsonObject } from "../../../shared/json-types.ts";
import { pointerTo } from "../../../shared/routing/issues.ts";
import { Name } from "../outside-text.tsx";
import { fill } from "../sentence.tsx";
import type { ApiError } from "./api.ts";
import { ChangedMeanwhile, type Entry, type EntryDocument, type Meanwhile, NotRemoved, saveEntry, versionIn } from "./entries.tsx";
import { type DocumentForm, Input, type Typed, fieldErrors, hasErrors, schemaErrors, stepsInside, typedOf, valuesIn } from "./fields.tsx";
import { type InLanguages, type PageAnswer, type Visit, useTexts } from "./page.ts";
import { Note, Refused } from "./pieces.tsx";
import { FormToken } from "./shell.tsx";

/** The form of one document's entries. Its page has the document's name. */
export type EntryFormOf = DocumentForm & {
  readonly document: "budgets" | "servers";
  /** What a new entry begins with. */
  readonly initial?: JsonObject;
  /** What is wrong beyond what the schema says, by the names of the fields. */
  readonly errorsOf?: (entry: JsonObject, language: Language) => Typed["errors"];
};

const en = {
  label: "Name",
  save: "Save",
  cancel: "Cancel",
  wrong: "Nothing was saved. Correct the fields below.",
  name: "Enter a name.",
  taken: "There is one of this name already. Choose another name, or edit that one.",
};
const zhCN: typeof en = {
  label: "名称",
  save: "保存",
  cancel: "取消",
  wrong: "没有保存任何内容。请更正以下字段。",
  name: "请输入名称。",
  taken: "已有同名条目。请另选名称，或编辑已有的条目。",
};
const entryFormWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };

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
  { members, initial = {} }: EntryFormOf,
  current: EntryDocument,
  { typed, meanwhile }: EntrySaid,
): FilledForm {
  const asked = typed === undefined ? visit.query.get("edit") : (visit.form.get("was") ?? null);
  const edited = asked === null ? undefined : current.entries[asked];
  return {
    typed: typed ?? { values: valuesOf(members, edited ?? initial), errors: {} },
    was: typed === undefined && edited === undefined ? null : asked,
    // A form that is shown again is still made from the version that it was made from.
    version: typed === undefined ? current.version : versionIn(visit.form),
    meanwhile: meanwhile ?? null,
  };
}

function errorsIn(visit: Visit, form: EntryFormOf, name: string): Typed["errors"] {
  const { language } = visit;
  const entry = changedBy(form.members, {}, valuesIn(visit.form));
  return {
    ...(name === "" ? { name: entryFormWords[language].name } : {}),
    ...schemaErrors(form, entry, language),
    ...form.errorsOf?.(entry, language),
  };
}

/** Removes or saves the entry that the form names. `shown`: the page, where that was not done. */
export async function actOnEntry(visit: Visit, form: EntryFormOf, shown: (said: EntrySaid) => Promise<PageAnswer>): Promise<PageAnswer> {
  const { form: sent, api } = visit;
  const { document, members } = form;
  const version = versionIn(sent);
  const done = (what: "saved" | "removed"): PageAnswer => ({ kind: "redirect", to: visit.at(document, { done: what }) });
  const removed = sent.get("remove");
  if (removed !== null) {
    const saved = await saveEntry(api, { document, name: removed, version, isNew: false, change: () => null });
    if (saved.kind === "saved") return done("removed");
    return shown(saved.kind === "refused" ? { failure: saved.failure } : { isNotRemoved: true });
  }
  const name = (sent.get("name") ?? "").trim();
  const wrong = typedOf(sent, errorsIn(visit, form, name));
  if (hasErrors(wrong)) return shown({ typed: wrong });
  const change = (now: Entry | null): Entry => changedBy(members, now ?? {}, wrong.values);
  const saved = await saveEntry(api, { document, name, version, isNew: !sent.has("was"), change });
  switch (saved.kind) {
    case "saved":
      return done("saved");
    case "taken":
      return shown({ typed: typedOf(sent, { name: entryFormWords[visit.language].taken }) });
    case "changed":
      return shown({
        typed: typedOf(sent),
        meanwhile: { now: saved.now === null ? null : valuesOf(members, saved.now), version: saved.version },
      });
    case "refused": {
      const errors = fieldErrors(saved.failure, (pointer) => {
        const inside = stepsInside(pointerTo([document, name]), pointer);
        return inside === null ? undefined : (fieldAt(members, inside)?.name ?? "name");
      });
      const typed = typedOf(sent, errors);
      return shown(hasErrors(typed) ? { typed } : { typed, failure: saved.failure });
    }
  }
}

type HeadProps = {
  readonly visit: Visit;
  readonly page: EntryFormOf["document"];
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
  readonly form: EntryFormOf;
  readonly filled: FilledForm;
  readonly texts: Readonly<Record<"add" | "edit" | "nameHint", string>>;
  /** The fields that stand beside the name. */
  readonly first: Child;
  readonly children?: Child;
};

/**
 * The frame of the form: its name, what is wrong or was changed meanwhile, and the version that it
 * was made from.
 */
export const EntryForm = ({ visit, form, filled: { typed, was, version, meanwhile }, texts, first, children }: FormProps) => {
  const words = useTexts(entryFormWords);
  return (
    <form class="card form" id="form" method="post" action={visit.at(form.document)} aria-labelledby="form-title">
      <h2 id="form-title">{was === null ? texts.add : fill(texts.edit, { name: <Name value={was} /> })}</h2>
      {meanwhile === null ? null : <ChangedMeanwhile form={form} meanwhile={meanwhile} typed={typed} />}
      {hasErrors(typed) ? (
        <Note of="bad">
          <p>{words.wrong}</p>
        </Note>
      ) : null}
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={String(meanwhile?.version ?? version)} />
      {was === null ? null : <input type="hidden" name="was" value={was} />}
      <div class="pairs-of-fields">
        {was === null ? (
          <Input typed={typed} name="name" label={words.label} hint={texts.nameHint} required maxlength={64} />
        ) : (
          <input type="hidden" name="name" value={was} />
        )}
        {first}
      </div>
      {children}
      <p class="keyline">
        <button class="btn yes" type="submit">
          {words.save}
        </button>
        {was === null ? null : (
          <a class="btn" href={visit.at(form.document)}>
            {words.cancel}
          </a>
        )}
      </p>
    </form>
  );
};

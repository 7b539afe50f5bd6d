// A page of the entries of a document that have names, such as budgets: its top, and the form
// below the list, which adds and changes one. Where somebody else changed the same entry meanwhile
// nothing is written, and the page shows the difference.

import type { Child } from "hono/jsx";
import type { Language } from "../../../shared/channels/words/languages.ts";
import type { JsonObject } from "../../../shared/json-types.ts";
import { objectOf } from "../../../shared/json/values.ts";
import { pointerTo } from "../../../shared/routing/issues.ts";
import { Name, Plain } from "../outside-text.tsx";
import { fill } from "../sentence.tsx";
import { readDocument } from "./documents/document-api.ts";
import { type EntryForm, type EntryState, actOnEntry, openedEntry } from "./entry.ts";
import { type DocumentForm, Input, type Typed, hasErrors, useLabels } from "./fields.tsx";
import { type ConsolePage, type InLanguages, type PageAnswer, type Visit, useTexts } from "./page.ts";
import { Confirm, Details, Done, Note, Refused } from "./pieces.tsx";
import { FormToken } from "./shell.tsx";

const en = {
  label: "Name",
  save: "Save",
  cancel: "Cancel",
  wrong: "Nothing was saved. Correct the fields below.",
  name: "Enter a name.",
  taken: "There is one of this name already. Choose another name, or edit that one.",
  changed: "Somebody else changed this while you did. Nothing was saved. Compare, then save again to replace it with yours.",
  removed: "Somebody else removed this while you changed it. Nothing was saved. Save again to add it as it stands here.",
  removal: "Somebody else changed this since the page was made. Nothing was removed. Look at it again.",
  field: "Field",
  now: "Now",
  yours: "Yours",
  empty: "empty",
};
const zhCN: typeof en = {
  label: "名称",
  save: "保存",
  cancel: "取消",
  wrong: "没有保存任何内容。请更正以下字段。",
  name: "请输入名称。",
  taken: "已有同名条目。请另选名称，或编辑已有的条目。",
  changed: "在您更改期间，其他人更改了此项。没有保存任何内容。请比较，然后再次保存以用您的内容替换。",
  removed: "在您更改期间，其他人删除了此项。没有保存任何内容。再次保存将按此处内容添加。",
  removal: "此页面生成后，其他人更改了此项。没有删除任何内容。请再看一下。",
  field: "字段",
  now: "当前",
  yours: "您的",
  empty: "空",
};
const entryWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };

/** The documents whose entries have a name, each under a member of the document's own name. */
type NamedDocument = "budgets" | "servers";

export const entriesIn = (document: JsonObject, name: NamedDocument): Readonly<Record<string, JsonObject>> =>
  (objectOf(document[name]) ?? {}) as Readonly<Record<string, JsonObject>>; // the API keeps none that is not

type Initial = {
  readonly initial?: JsonObject;
  readonly errorsOf?: (entry: JsonObject, language: Language) => Typed["errors"];
};

export const namedEntries = (form: DocumentForm, document: NamedDocument, { initial = {}, errorsOf }: Initial = {}): EntryForm => ({
  ...form,
  document,
  name: "name",
  isApart: true,
  read: (whole, was) => {
    const entries = entriesIn(whole, document);
    return was === null ? initial : Object.hasOwn(entries, was) ? (entries[was] ?? null) : null;
  },
  write: (whole, { name, entry }) => ({
    document: { ...whole, [document]: { ...entriesIn(whole, document), [name]: entry } },
    at: pointerTo([document, name]),
  }),
  without: (whole, name) => {
    const { [name]: _removed, ...others } = entriesIn(whole, document);
    return { ...whole, [document]: others };
  },
  errorsOf: (whole, { was, name, entry }, language) => {
    const words = entryWords[language];
    return {
      ...(name === "" ? { name: words.name } : {}),
      ...(was === null && Object.hasOwn(entriesIn(whole, document), name) ? { name: words.taken } : {}),
      ...errorsOf?.(entry, language),
    };
  },
});

/** `sent`: the form as it was sent, where nothing was done. */
export const entryOn = async (visit: Visit, of: EntryForm, sent?: EntryState) => {
  const current = await readDocument(visit, of.document);
  const edited = visit.query.get("edit");
  const opened = openedEntry(of, current, of.read(current, edited) === null ? null : edited);
  // What was not removed is not to be changed.
  return { current, state: visit.form.get("do") === "remove" ? { ...sent, ...opened } : (sent ?? opened) };
};

const placeOf = ({ page, document }: EntryForm): string => page ?? document;

/** The page of the document's own name. */
export const entriesPage = (of: EntryForm, shown: (visit: Visit, sent?: EntryState) => Promise<PageAnswer>): Required<ConsolePage> => ({
  path: of.document,
  get: (visit) => shown(visit),
  post: (visit) => actOnEntry(visit, of, { shown: (state) => shown(visit, state), done: (what) => visit.at(placeOf(of), { done: what }) }),
});

type HeadProps = {
  readonly visit: Visit;
  readonly of: EntryForm;
  readonly texts: { readonly title: string; readonly add: string; readonly done: Readonly<Record<"saved" | "removed", string>> };
  readonly lead: Child;
  readonly state: EntryState;
};

/** The top of the page: its name, the way to the form, and what became of the last one. */
export const EntriesHead = ({ visit, of, texts, lead, state: { was, failure, isNotRemoved = false } }: HeadProps) => {
  const { removal } = useTexts(entryWords);
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        {visit.may("change") ? (
          <a class="btn yes small" href={was === null ? "#form" : `${visit.at(placeOf(of))}#form`}>
            {texts.add}
          </a>
        ) : null}
      </div>
      <p>{lead}</p>
      <Done visit={visit} texts={texts.done} />
      {failure === undefined ? null : <Refused failure={failure} />}
      {isNotRemoved ? <Note of="mind">{removal}</Note> : null}
    </>
  );
};

type RowActsProps = {
  readonly visit: Visit;
  readonly of: EntryForm;
  readonly name: string;
  readonly version: number;
  readonly texts: Readonly<Record<"edit" | "remove" | "removeSays" | "removeButton", string>>;
};

/** What changes and removes the entry of a row. */
export const RowActs = ({ visit, of, name, version, texts }: RowActsProps) =>
  visit.may("change") ? (
    <>
      <a class="btn small" href={`${visit.at(placeOf(of), { edit: name })}#form`}>
        {texts.edit}
        <span class="sr"> {name}</span>
      </a>
      <Confirm
        visit={visit}
        to={placeOf(of)}
        fields={{ was: name, version: String(version), do: "remove" }}
        ask={texts.remove}
        about={name}
        says={fill(texts.removeSays, { name: <Name value={name} /> })}
        button={texts.removeButton.replace("{name}", () => name)}
      />
    </>
  ) : null;

type FormProps = {
  readonly visit: Visit;
  readonly of: EntryForm;
  readonly state: EntryState;
  readonly texts: Readonly<Record<"add" | "edit" | "nameHint", string>>;
  /** The fields that stand beside the name. */
  readonly first: Child;
  readonly children?: Child;
};

/**
 * The frame of the form: its name, what is wrong or was changed meanwhile, and the version that it
 * was made from.
 */
export const FormBelow = ({ visit, of, state, texts, first, children }: FormProps) => {
  const words = useTexts(entryWords);
  const { typed, was, version, meanwhile, elsewhere = [] } = state;
  return (
    <form class="card form" id="form" method="post" action={visit.at(placeOf(of))} aria-labelledby="form-title">
      <h2 id="form-title">{was === null ? texts.add : fill(texts.edit, { name: <Name value={was} /> })}</h2>
      {meanwhile === undefined ? null : <ChangedMeanwhile form={of} now={meanwhile} yours={typed.values} />}
      {hasErrors(typed) || elsewhere.length > 0 ? (
        <Note of="bad">
          <p>{words.wrong}</p>
          <Details of={elsewhere} />
        </Note>
      ) : null}
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={String(version)} />
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
          <a class="btn" href={visit.at(placeOf(of))}>
            {words.cancel}
          </a>
        )}
      </p>
    </form>
  );
};

type ChangedProps = { readonly form: DocumentForm; readonly now: Typed["values"] | null; readonly yours: Typed["values"] };

/** The difference between what stands in the form and what the entry is now; null: it is gone. */
const ChangedMeanwhile = ({ form, now, yours }: ChangedProps) => {
  const texts = useTexts(entryWords);
  const labels = useLabels(form);
  if (now === null) return <Note of="mind">{texts.removed}</Note>;
  const shown = (value: string): Child => (value === "" ? <span class="soft">{texts.empty}</span> : <Plain value={value} />);
  const different = labels.flatMap(([field, label]) => {
    const [theirs = "", mine = ""] = [now, yours].map((of) =>
      Object.keys(field.show(undefined))
        .flatMap((name) => of[name] ?? [])
        .join(" ")
        .trim(),
    );
    return theirs === mine ? [] : [{ label, theirs, mine }];
  });
  return (
    <Note of="mind">
      <p>{texts.changed}</p>
      <div class="scrolls" tabindex={0} role="region" aria-label={texts.field}>
        <table>
          <thead>
            <tr>
              <th>{texts.field}</th>
              <th>{texts.now}</th>
              <th>{texts.yours}</th>
            </tr>
          </thead>
          <tbody>
            {different.map(({ label, theirs, mine }) => (
              <tr>
                <td>{label}</td>
                <td>{shown(theirs)}</td>
                <td>{shown(mine)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Note>
  );
};

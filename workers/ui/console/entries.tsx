// One entry of a document, such as a budget or a server, as a form changes it: everything else in
// the document stays, also what the form does not know. Where somebody else changed the same entry
// meanwhile nothing is written, and the page shows the difference.

import { canonicalJson, type JsonObject } from "../../../shared/encoding.ts";
import type { Child } from "hono/jsx";
import { documentPaths, paths } from "../../platform/urls.ts";
import { Plain } from "../outside-text.tsx";
import type { Api, ApiError } from "./api.ts";
import { type DocumentForm, type Typed, useLabels } from "./fields.tsx";
import { type InLanguages, useTexts } from "./page.ts";
import { Note } from "./pieces.tsx";

/** The documents whose entries have a name, each under a member of the document's own name. */
type DocumentName = "budgets" | "servers";
export type Entry = JsonObject;
type Entries = Readonly<Record<string, Entry>>;
export type EntryDocument = { readonly version: number; readonly document: Entry; readonly entries: Entries };

export async function readEntries(api: Api, name: DocumentName): Promise<EntryDocument> {
  const document = await api.read(paths.admin[name]);
  return { version: document.version, document, entries: (document[name] ?? {}) as Entries }; // the API keeps none that is not
}

/**
 * `changed`: somebody else changed the entry; `now` is what it is, or null where it is gone.
 * `taken`: there is one of this name already.
 */
type Saved =
  | { readonly kind: "saved" | "taken" }
  | { readonly kind: "changed"; readonly now: Entry | null; readonly version: number }
  | { readonly kind: "refused"; readonly failure: ApiError };

type Change = {
  readonly document: DocumentName;
  readonly name: string;
  /** The version that the form was made from. */
  readonly version: number;
  readonly isNew: boolean;
  /** The entry as it is to be, from what it is (null: there is none); null removes it. */
  readonly change: (now: Entry | null) => Entry | null;
};

/** Another document may be written between reading and writing: then it is looked at again. */
const tries = 3;

/** Writes one entry, where it is as it was in the version that the form was made from. */
export async function saveEntry(api: Api, { document, name, version, isNew, change }: Change): Promise<Saved> {
  for (let left = tries; ; left -= 1) {
    const current = await readEntries(api, document);
    const now = entryOf(current.entries, name);
    if (isNew && now !== null) return { kind: "taken" };
    if (current.version !== version && !isNew && !isSame(now, await entryIn(api, document, { version, name })))
      return { kind: "changed", now, version: current.version };
    const next = change(now);
    const { [name]: _was, ...others } = current.entries;
    // In its own place, so that the document keeps its order.
    const entries =
      next === null
        ? others
        : now === null
          ? { ...current.entries, [name]: next }
          : Object.fromEntries(Object.entries(current.entries).map(([each, entry]) => [each, each === name ? next : entry]));
    const written = await api.send("PUT", paths.admin[document], {
      body: { ...current.document, [document]: entries },
      ifMatch: current.version,
    });
    if (written.ok) return { kind: "saved" };
    if (written.error.status !== 412 || left === 1) return { kind: "refused", failure: written.error };
  }
}

const entryOf = (entries: Entries, name: string): Entry | null => (Object.hasOwn(entries, name) ? (entries[name] ?? null) : null);

/**
 * The entry of an old version. Undefined where that version is no longer kept: nobody knows what
 * the form was made from.
 */
async function entryIn(
  api: Api,
  document: DocumentName,
  { version, name }: { readonly version: number; readonly name: string },
): Promise<Entry | null | undefined> {
  if (version === 0) return null;
  const old = await api.find(documentPaths(document).version, { version });
  return old === null ? undefined : entryOf((old[document] ?? {}) as Entries, name);
}

const isSame = (a: Entry | null, b: Entry | null | undefined): boolean =>
  a === null || b == null ? a === b : canonicalJson(a) === canonicalJson(b);

/** The version in a form; -1, which no document has, where it has none. */
export const versionIn = (form: URLSearchParams): number =>
  /^\d{1,9}$/.test(form.get("version") ?? "") ? Number(form.get("version")) : -1;

const en = {
  changed: "Somebody else changed this while you did. Nothing was saved. Compare, then save again to replace it with yours.",
  removed: "Somebody else removed this while you changed it. Nothing was saved. Save again to add it as it stands here.",
  removal: "Somebody else changed this since the page was made. Nothing was removed. Look at it again.",
  field: "Field",
  now: "Now",
  yours: "Yours",
  empty: "empty",
};
const zhCN: typeof en = {
  changed: "在您更改期间，其他人更改了此项。没有保存任何内容。请比较，然后再次保存以用您的内容替换。",
  removed: "在您更改期间，其他人删除了此项。没有保存任何内容。再次保存将按此处内容添加。",
  removal: "此页面生成后，其他人更改了此项。没有删除任何内容。请再看一下。",
  field: "字段",
  now: "当前",
  yours: "您的",
  empty: "空",
};
const entryWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };

/** What is to be known before the form is sent again. */
export type Meanwhile = { readonly now: Typed["values"] | null; readonly version: number };

type ChangedProps = { readonly form: DocumentForm; readonly meanwhile: Meanwhile; readonly typed: Typed };

/** The difference between what stands in the form and what the entry is now. */
export const ChangedMeanwhile = ({ form, meanwhile: { now }, typed: { values } }: ChangedProps) => {
  const texts = useTexts(entryWords);
  const labels = useLabels(form);
  if (now === null) return <Note of="mind">{texts.removed}</Note>;
  const shown = (value: string): Child => (value === "" ? <span class="soft">{texts.empty}</span> : <Plain value={value} />);
  const different = labels.flatMap(([field, label]) => {
    const [theirs = "", yours = ""] = [now, values].map((of) =>
      Object.keys(field.show(undefined))
        .flatMap((name) => of[name] ?? [])
        .join(" ")
        .trim(),
    );
    return theirs === yours ? [] : [{ label, theirs, yours }];
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
            {different.map(({ label, theirs, yours }) => (
              <tr>
                <td>{label}</td>
                <td>{shown(theirs)}</td>
                <td>{shown(yours)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Note>
  );
};

/** A removal of what was changed meanwhile. */
export const NotRemoved = () => <Note of="mind">{useTexts(entryWords).removal}</Note>;

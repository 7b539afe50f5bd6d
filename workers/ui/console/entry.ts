// One entry of a document, such as a budget or a model: added, changed, checked or removed in a
// form, on top of the version of the document that the form was made from. Everything else in the
// document stays, also what the form does not know.

import { canonicalJson } from "../../../shared/encoding.ts";
import type { Language } from "../../../shared/channels/words/languages.ts";
import { changedBy, fieldAt, valuesOf } from "../../../shared/json/form-fields.ts";
import type { JsonObject } from "../../../shared/json-types.ts";
import type { PointedError } from "../../../shared/model/outcome.ts";
import { documentPaths } from "../../platform/urls.ts";
import type { DocumentName } from "../../stubs/config-calls.ts";
import type { ApiError } from "./api.ts";
import { type Document, findVersion, numberIn, readDocument } from "./documents/document-api.ts";
import { saveDocument } from "./documents/save-document.ts";
import { type DocumentForm, type Typed, hasErrors, schemaErrors, stepsInside, valuesIn } from "./fields.tsx";
import type { PageAnswer, Visit } from "./page.ts";

export type EntryForm = DocumentForm & {
  readonly document: DocumentName;
  /** The page that has the form; absent: it is called as the document. */
  readonly page?: string;
  /** The field that names the entry. */
  readonly name: string;
  /** As the form has it, `null`: what a new one begins with; null where the document has none. */
  readonly read: (document: JsonObject, was: string | null) => JsonObject | null;
  /** The document with it, and the pointer to it there. */
  readonly write: (document: JsonObject, entry: WrittenEntry) => { readonly document: JsonObject; readonly at: string };
  readonly without: (document: JsonObject, name: string) => JsonObject;
  /** What the schema cannot say, by the names of the fields. */
  readonly errorsOf?: (document: JsonObject, written: WrittenEntry, language: Language) => Typed["errors"];
  /**
   * What others changed elsewhere in the document stays, unasked. Without it, a change of anything
   * leads to the page of both changes.
   */
  readonly isApart?: boolean;
};

/** `was`: the name that it had; null for a new one. */
type WrittenEntry = { readonly was: string | null; readonly name: string; readonly entry: JsonObject };

/** What stands in the form, and what the page says of it. */
export type EntryState = {
  readonly version: number;
  readonly document: JsonObject;
  readonly was: string | null;
  readonly typed: Typed;
  /** What is wrong in no field of the form. Absent before anything was entered. */
  readonly elsewhere?: readonly PointedError[];
  readonly failure?: ApiError;
  /** What somebody else made of the entry; null: it is gone. */
  readonly meanwhile?: Typed["values"] | null;
  readonly isNotRemoved?: boolean;
};

export const isWrong = ({ typed, elsewhere = [], failure }: EntryState): boolean =>
  hasErrors(typed) || elsewhere.length > 0 || failure !== undefined;

/** The form of the entry of this name, else that of a new one. */
export function openedEntry(of: EntryForm, { version, ...document }: Document, was: string | null): EntryState {
  const entry = of.read(document, was) ?? of.read(document, null) ?? {};
  return { version, document, was, typed: { values: valuesOf(of.members, entry), errors: {} } };
}

type Answers = {
  /** The page, where nothing was done. */
  readonly shown: (state: EntryState) => Promise<PageAnswer> | PageAnswer;
  /** Where the operator goes next. */
  readonly done: (what: "saved" | "removed", version: number) => string;
  /** The part of the page that the form's script renews. */
  readonly part?: (state: EntryState) => PageAnswer;
  /** What is done with a document that is not saved. */
  readonly tryDraft?: (document: JsonObject, version: number) => Promise<PageAnswer>;
};

/** Another document may be written between reading and writing: then it is looked at again. */
const mostTries = 3;

/** Checks, tries, saves or removes the entry, as the form that was sent says. */
export async function actOnEntry(visit: Visit, of: EntryForm, { shown, done, part, tryDraft }: Answers): Promise<PageAnswer> {
  const { form: sent, language } = visit;
  const version = numberIn(sent.get("version"));
  if (version === null) return { kind: "notFound" };
  const base = await findVersion(visit, of.document, version);
  // Where the version is no longer kept, as it is now: the save is then refused as a conflict.
  const { version: _version, ...document } = base ?? (await readDocument(visit, of.document));
  const was = sent.get("was") || null;
  const before = was === null ? null : of.read(document, was);
  const act = sent.get("do");
  if (act === "remove" && was !== null) {
    const typed = { values: valuesOf(of.members, before ?? {}), errors: {} };
    return save({ version, document, was, typed }, (on) => of.without(on, was), "removed");
  }
  const values = valuesIn(sent);
  const written = { was, name: (sent.get(of.name) ?? "").trim(), entry: changedBy(of.members, of.read(document, was) ?? {}, values) };
  const state = await checked(visit, of, { version, document, was, typed: { values, errors: errorsIn(document) } }, written);
  if (sent.get("part") === "check" && part !== undefined) return part(state);
  if (isWrong(state) || act === "check") return shown(state);
  if (act === "try" && tryDraft !== undefined) return tryDraft(of.write(document, written).document, version);
  return save(state, (on) => of.write(on, written).document, "saved");

  function errorsIn(on: JsonObject): Typed["errors"] {
    return { ...schemaErrors(of, written.entry, language), ...of.errorsOf?.(on, written, language) };
  }

  async function save(
    on: EntryState,
    change: (document: JsonObject) => JsonObject,
    what: "saved" | "removed",
    tries = mostTries,
  ): Promise<PageAnswer> {
    const saved = await saveDocument(visit, {
      name: of.document,
      base: on.version,
      document: change(on.document),
      to: (next) => done(what, next),
      ...(of.isApart === true && tries > 1 ? { conflict: () => again(on, change, what, tries - 1) } : {}),
    });
    return saved.ok ? saved.value : shown({ ...on, failure: saved.error });
  }

  /** Where nobody else changed this entry, it is written into what the document is now. */
  async function again(on: EntryState, change: (document: JsonObject) => JsonObject, what: "saved" | "removed", tries: number) {
    const { version: next, ...current } = await readDocument(visit, of.document);
    const now = was === null ? null : of.read(current, was);
    if (was !== null && (base === null || !isSame(now, before))) {
      if (what === "removed") return shown({ ...on, isNotRemoved: true });
      return shown({ ...on, version: next, document: current, meanwhile: now === null ? null : valuesOf(of.members, now) });
    }
    const errors = what === "removed" ? {} : errorsIn(current);
    if (Object.keys(errors).length > 0) return shown({ ...on, typed: { ...on.typed, errors } });
    return save({ ...on, version: next, document: current }, change, what, tries);
  }
}

/** What the gateway would refuse of the whole document, in the fields where it has one. */
async function checked(visit: Visit, of: EntryForm, entered: EntryState, written: WrittenEntry): Promise<EntryState> {
  if (hasErrors(entered.typed)) return { ...entered, elsewhere: [] };
  const { document: body, at } = of.write(entered.document, written);
  const answer = await visit.api.send("POST", documentPaths(of.document).check, { body });
  if (!answer.ok) return { ...entered, elsewhere: [], failure: answer.error };
  const errors: Record<string, string> = {};
  const elsewhere = answer.value.details.filter(({ pointer, message }) => {
    const steps = stepsInside(at, pointer);
    const field = steps?.length === 0 ? of.name : steps === null ? undefined : fieldAt(of.members, steps)?.name;
    if (field !== undefined) errors[field] ??= message;
    return field === undefined;
  });
  return { ...entered, typed: { ...entered.typed, errors }, elsewhere };
}

const isSame = (a: JsonObject | null, b: JsonObject | null): boolean =>
  a === null || b === null ? a === b : canonicalJson(a) === canonicalJson(b);

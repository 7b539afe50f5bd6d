// A document as JSON, to be edited: checked while somebody types, and saved on top of the version
// that it was read from.

import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { partScript } from "../part-script.ts";
import type { PageAnswer, Visit } from "../page.ts";
import { Note, Refused } from "../pieces.tsx";
import { findVersion, numberIn, readDocument, textIn, textOf } from "./document-api.ts";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import { DocumentTrail } from "./document-trail.tsx";
import { documentsWords } from "./documents-words.ts";
import { type DraftCheck, DraftChanges, DraftVerdict, checkDraft } from "./draft-check.tsx";
import { Editor } from "./editor.tsx";
import { editorScript } from "./editor-script.ts";
import { saveDocument } from "./save-document.ts";

type Draft = {
  readonly version: number;
  readonly base: unknown;
  readonly text: string;
  readonly check: DraftCheck;
  readonly failure?: ApiError;
};

/** GET. */
export async function renderEditor(visit: Visit, name: DocumentName): Promise<PageAnswer> {
  const current = await readDocument(visit, name);
  const text = textOf(current);
  const draft = { version: current.version, base: current, text, check: await checkDraft(visit, name, text) };
  return editorOf(visit, name, draft, false);
}

function editorOf(visit: Visit, name: DocumentName, draft: Draft, isUnsaved = true): PageAnswer {
  const texts = documentsWords[visit.language];
  const saved = numberIn(visit.query.get("saved"));
  const { version, base, text, check, failure } = draft;
  const title = fillText(visit.may("change") ? texts.editing : texts.reading, { name: texts.names[name] });
  const isWrong = failure !== undefined || (isUnsaved && visit.form.get("do") === "save");
  return {
    kind: "page",
    title,
    ...(isWrong ? { status: 422 } : {}),
    script: partScript + editorScript,
    body: () => (
      <>
        <div class="head">
          <h1>{title}</h1>
          <DocumentTrail visit={visit} name={name} at="editor" />
        </div>
        {saved === null || isUnsaved ? null : (
          <Note of="ok">
            <p>
              {fill(texts.saved, { n: saved })} <a href={visit.at(`documents/${name}/versions/${saved}`)}>{texts.seeChange}</a>
            </p>
          </Note>
        )}
        {failure === undefined ? null : <Refused failure={failure} />}
        {visit.may("change") ? <p>{fill(texts.basedOn, { n: version, next: version + 1 })}</p> : null}
        <Editor
          visit={visit}
          name={name}
          version={version}
          base={base}
          text={text}
          check={check}
          save={texts.save}
          isUnsaved={isUnsaved}
          label={texts.document}
        />
      </>
    ),
  };
}

/** POST: checks the draft, for the page or for its script, or saves it. */
export async function editorActs(visit: Visit, name: DocumentName): Promise<PageAnswer> {
  const text = textIn(visit);
  const version = numberIn(visit.form.get("version"));
  if (version === null) return { kind: "notFound" };
  const check = await checkDraft(visit, name, text);
  const base = await baseOf(visit, name, version);
  if (visit.form.get("part") === "check") return partOf(check, base);
  const draft: Draft = { version, base, text, check };
  if (visit.form.get("do") !== "save" || check.kind !== "valid") return editorOf(visit, name, draft);
  const mayCutOff = check.keysCutOff.length > 0 && visit.form.get("cutOffKeys") === "yes";
  if (check.keysCutOff.length > 0 && !mayCutOff) return editorOf(visit, name, draft);
  const to = (next: number): string => visit.at(`documents/${name}`, { saved: next });
  const saved = await saveDocument(visit, { name, base: version, document: check.value, text, mayCutOff, to });
  return saved.ok ? saved.value : editorOf(visit, name, { ...draft, failure: saved.error });
}

const partOf = (check: DraftCheck, base: unknown): PageAnswer => ({
  kind: "part",
  body: () => (
    <>
      <DraftVerdict check={check} />
      <DraftChanges check={check} base={base} />
    </>
  ),
});

/** What the draft was made from; where that is no longer kept, the document as it is now. */
const baseOf = async (visit: Visit, name: DocumentName, version: number): Promise<unknown> =>
  (await findVersion(visit, name, version)) ?? readDocument(visit, name);

// One version of a document: what it changed, the whole of it, and restoring it, which is confirmed
// by what it would change.

import type { Child } from "hono/jsx";
import { type DifferenceLine, documentDifference } from "../../../../shared/review/document-difference.ts";
import { documentPaths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Note, Refused } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { DifferenceCard, DifferenceView } from "./difference-view.tsx";
import { findVersion, numberIn, readDocument, readVersions, textOf, versionName } from "./document-api.ts";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import { DocumentTrail } from "./document-trail.tsx";
import { documentsWords } from "./documents-words.ts";
import { KeysCutOff, checkDraft } from "./draft-check.tsx";
import { WriterName } from "./writer-name.tsx";

type Said = { readonly failure?: ApiError; readonly isMoved?: boolean };

/** GET. */
export async function renderVersion(visit: Visit, name: DocumentName, version: number, said: Said = {}): Promise<PageAnswer> {
  const [document, before, current, versions] = await Promise.all([
    findVersion(visit, name, version),
    version === 0 ? null : findVersion(visit, name, version - 1),
    readDocument(visit, name),
    readVersions(visit, name),
  ]);
  if (document === null) return { kind: "notFound" };
  const texts = documentsWords[visit.language];
  const listed = versions.find((each) => each.version === version);
  const title = `${texts.names[name]}: ${versionName(texts, version)}`;
  const text = textOf(document);
  const changed = before === null ? null : documentDifference(textOf(before), text);
  const isCurrent = current.version === version;
  const restoring = isCurrent ? null : documentDifference(textOf(current), text);
  const check = restoring === null || restoring.length === 0 || !visit.may("change") ? null : await checkDraft(visit, name, text);
  return {
    kind: "page",
    title,
    ...(said.failure === undefined && said.isMoved !== true ? {} : { status: 422 }),
    body: () => (
      <>
        <div class="head">
          <h1>{title}</h1>
          <DocumentTrail visit={visit} name={name} at="version" />
        </div>
        {said.failure === undefined ? null : <Refused failure={said.failure} />}
        {said.isMoved === true ? <Note of="mind">{fill(texts.one.moved, { n: current.version })}</Note> : null}
        {listed === undefined ? null : (
          <p>
            {fill(texts.one.by, { who: <WriterName by={listed.by} />, at: <Time at={Date.parse(listed.at)} now={visit.now} /> })}{" "}
            {listed.restored === null ? null : <>{fill(texts.list.restored, { n: listed.restored })}. </>}
            {isCurrent ? texts.one.isCurrent : null}
          </p>
        )}
        {changed === null ? null : (
          <DifferenceCard title={fillText(texts.one.change, { n: version - 1 })} lines={changed} none={texts.one.noChange} />
        )}
        {restoring === null || !visit.may("change") ? null : (
          <Restore visit={visit} name={name} version={version} current={current.version} lines={restoring}>
            {check?.kind === "valid" && check.keysCutOff.length > 0 ? (
              <KeysCutOff keys={check.keysCutOff}>
                <label class="check">
                  <input type="checkbox" name="cutOffKeys" value="yes" required />
                  {texts.cutOffAnyway}
                </label>
              </KeysCutOff>
            ) : null}
          </Restore>
        )}
        <details class="card">
          <summary class="chev">{texts.one.text}</summary>
          <textarea class="json field" readonly rows={24} aria-label={texts.one.text} spellcheck={false}>
            {`\n${text}`}
          </textarea>
        </details>
      </>
    ),
  };
}

type RestoreProps = {
  readonly visit: Visit;
  readonly name: DocumentName;
  readonly version: number;
  readonly current: number;
  readonly lines: readonly DifferenceLine[];
  readonly children: Child;
};

const Restore = ({ visit, name, version, current, lines, children }: RestoreProps) => {
  const texts = useTexts(documentsWords);
  const title = fillText(texts.one.restoreTitle, { n: version });
  return (
    <form class="card stack" method="post" action={visit.at(`documents/${name}/versions/${version}`)} aria-labelledby="restore">
      <h2 id="restore">{title}</h2>
      <FormToken visit={visit} />
      <input type="hidden" name="current" value={current} />
      {lines.length === 0 ? (
        <p class="soft">{texts.one.same}</p>
      ) : (
        <>
          <p>{fill(texts.one.restoreLead, { current, next: current + 1 })}</p>
          <DifferenceView lines={lines} label={title} />
          {children}
          <button class="btn yes" type="submit">
            {fill(texts.one.restore, { n: version })}
          </button>
        </>
      )}
    </form>
  );
};

/** POST: restores it, where the current version is still the one whose difference was shown. */
export async function versionActs(visit: Visit, name: DocumentName, version: number): Promise<PageAnswer> {
  const current = numberIn(visit.form.get("current"));
  if (current === null) return { kind: "notFound" };
  const query = visit.form.get("cutOffKeys") === "yes" ? { cutOffKeys: "yes" } : {};
  const done = await visit.api.send("POST", documentPaths(name).restore, { version, query, ifMatch: current });
  if (done.ok) return { kind: "redirect", to: visit.at(`documents/${name}`, { saved: done.value.version }) };
  return renderVersion(visit, name, version, done.error.status === 412 ? { isMoved: true } : { failure: done.error });
}

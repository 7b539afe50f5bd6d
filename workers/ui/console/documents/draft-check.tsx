// What is wrong with a draft of a document, beside its text: by our reading of JSON, then by the
// gateway's own check.

import type { Child } from "hono/jsx";
import { type JsonSyntaxError, lineAt, placeOf, readJsonText } from "../../../../shared/json/json-text.ts";
import { documentDifference } from "../../../../shared/review/document-difference.ts";
import type { KeyCutOff } from "../../../endpoints/admin/answers/documents.ts";
import { documentPaths } from "../../../platform/urls.ts";
import { Name, Plain } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { type Visit, useTexts } from "../page.ts";
import { Note, Refused } from "../pieces.tsx";
import { DifferenceView } from "./difference-view.tsx";
import { textOf } from "./document-api.ts";
import type { DocumentName } from "../../../stubs/config-calls.ts";
import { documentsWords } from "./documents-words.ts";

/** What is wrong, and the line it is in. */
type DraftIssue = {
  readonly line: number;
  readonly excerpt: string;
  readonly pointer: string;
  readonly message: string | { readonly repeated: true };
};

export type DraftCheck =
  | { readonly kind: "notJson"; readonly fault: JsonSyntaxError; readonly line: number; readonly excerpt: string }
  | { readonly kind: "notValid"; readonly issues: readonly DraftIssue[] }
  | { readonly kind: "refused"; readonly failure: ApiError }
  | { readonly kind: "valid"; readonly value: unknown; readonly keysCutOff: readonly KeyCutOff[] };

const excerptLength = 80;

function excerptOf(text: string, line: number): string {
  const whole = (text.split("\n", line)[line - 1] ?? "").trim();
  return whole.length > excerptLength ? `${whole.slice(0, excerptLength)}…` : whole;
}

/** Checks a draft. Nothing is written. */
export async function checkDraft(visit: Visit, name: DocumentName, text: string): Promise<DraftCheck> {
  const read = readJsonText(text);
  if (!read.ok) {
    const line = lineAt(text, read.at);
    return { kind: "notJson", fault: read.fault, line, excerpt: excerptOf(text, line) };
  }
  const issueAt = (pointer: string, message: DraftIssue["message"]): DraftIssue => {
    const line = lineAt(text, placeOf(read.places, pointer));
    return { line, excerpt: excerptOf(text, line), pointer, message };
  };
  if (read.repeated.length > 0) return { kind: "notValid", issues: read.repeated.map((pointer) => issueAt(pointer, { repeated: true })) };
  const answer = await visit.api.send("POST", documentPaths(name).check, { body: read.value });
  if (!answer.ok) return { kind: "refused", failure: answer.error };
  const { valid, details, keysCutOff = [] } = answer.value;
  if (valid) return { kind: "valid", value: read.value, keysCutOff };
  const issues = details.map(({ pointer, message }) => issueAt(pointer, message)).toSorted((a, b) => a.line - b.line);
  return { kind: "notValid", issues };
}

const LineLink = ({ line }: { line: number }) => {
  const texts = useTexts(documentsWords);
  return (
    <a href="#text" data-line={line}>
      {fill(texts.line, { n: line })}
    </a>
  );
};

const Excerpt = ({ value }: { value: string }) => (
  <p>
    <code>
      <Plain value={value} />
    </code>
  </p>
);

const mostIssues = 20;

const Issues = ({ issues }: { issues: readonly DraftIssue[] }) => {
  const texts = useTexts(documentsWords);
  return (
    <Note of="bad">
      <p>
        <b>{texts.notValid}</b>
      </p>
      <ul class="faults">
        {issues.slice(0, mostIssues).map(({ line, excerpt, pointer, message }) => (
          <li>
            <p>
              <LineLink line={line} />{" "}
              <code>
                <Plain value={pointer === "" ? "/" : pointer} />
              </code>{" "}
              {typeof message === "string" ? <Plain value={message} /> : texts.repeated}
            </p>
            <Excerpt value={excerpt} />
          </li>
        ))}
        {issues.length > mostIssues ? <li>{fill(texts.more, { n: issues.length - mostIssues })}</li> : null}
      </ul>
    </Note>
  );
};

/**
 * The API keys that a policy would refuse from then on. `children`: what lets the operator do it
 * all the same.
 */
export const KeysCutOff = ({ keys, children = null }: { keys: readonly KeyCutOff[]; children?: Child }) => {
  const texts = useTexts(documentsWords);
  return (
    <Note of="mind">
      <p>{texts.cutOff}</p>
      <ul>
        {keys.slice(0, mostIssues).map(({ name, owner, rule }) => (
          <li>
            {fill(texts.cutOffKey, {
              key: <Name value={name} />,
              owner: owner === null ? texts.noOwner : <Name value={owner} />,
              rule: <Name value={rule} />,
            })}
          </li>
        ))}
        {keys.length > mostIssues ? <li>{fill(texts.more, { n: keys.length - mostIssues })}</li> : null}
      </ul>
      {children}
    </Note>
  );
};

const Verdict = ({ check }: { check: DraftCheck }) => {
  const texts = useTexts(documentsWords);
  switch (check.kind) {
    case "notJson":
      return (
        <Note of="bad">
          <p>
            <b>{texts.notJson}</b>
          </p>
          <p>
            <LineLink line={check.line} /> {texts.faults[check.fault]}
          </p>
          <Excerpt value={check.excerpt} />
        </Note>
      );
    case "notValid":
      return <Issues issues={check.issues} />;
    case "refused":
      return <Refused failure={check.failure} />;
    case "valid":
      return (
        <>
          <Note of="ok">
            <p>{texts.valid}</p>
          </Note>
          {check.keysCutOff.length === 0 ? null : <KeysCutOff keys={check.keysCutOff} />}
        </>
      );
  }
};

type PartProps = { readonly check: DraftCheck };

/** The two parts that the editor's script renews. */
export const DraftVerdict = ({ check }: PartProps) => (
  <div id="check" class="stack" aria-live="polite">
    <Verdict check={check} />
  </div>
);

/** What the draft changes of the version that it is made from. */
export const DraftChanges = ({ check, base }: PartProps & { base: unknown }) => (
  <div id="changes">{check.kind === "valid" ? <Changes before={textOf(base)} after={textOf(check.value)} /> : null}</div>
);

const Changes = ({ before, after }: { before: string; after: string }) => {
  const texts = useTexts(documentsWords);
  const lines = documentDifference(before, after);
  return lines.length === 0 ? (
    <p class="soft">{texts.unchanged}</p>
  ) : (
    <section class="stack" aria-labelledby="changes-heading">
      <h2 id="changes-heading">{texts.changes}</h2>
      <DifferenceView lines={lines} label={texts.changes} />
    </section>
  );
};

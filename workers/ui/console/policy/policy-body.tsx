// What the policy's page shows: one form with the rules, the open rule's fields, the replay and the
// import.

import { isEqual, nameOf, rulesIn } from "../../../../shared/policy/draft.ts";
import type { KeyCutOff } from "../../../endpoints/admin/answers/documents.ts";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { type ApiError, detailsOf } from "../api.ts";
import { type Visit, useTexts } from "../page.ts";
import { DocumentTrail } from "../documents/document-trail.tsx";
import { KeysCutOff } from "../documents/draft-check.tsx";
import { Note, Refused } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { type Imported, ImportCard } from "./import-card.tsx";
import { type CurrentPolicy, type PolicyState, hiddenFields } from "./policy-state.ts";
import { policyWords } from "./policy-words.ts";
import { ReplayCard } from "./replay-card.tsx";
import { RuleEditor } from "./rule-editor.tsx";
import { RulesCard } from "./rules-card.tsx";

export type PolicyView = {
  readonly visit: Visit;
  readonly current: CurrentPolicy;
  readonly state: PolicyState;
  readonly focus: string | null;
  readonly imported: Imported | null;
  readonly notes: readonly ("saved" | "badDraft" | "imported" | "cannotAskLess")[];
  readonly failure: ApiError | null;
};

/** What is wrong with a draft, each with the name of its rule. */
const Invalid = ({ failure, state }: { failure: ApiError; state: PolicyState }) => {
  const texts = useTexts(policyWords);
  const details = detailsOf(failure.body);
  if (details.length === 0) return <Refused failure={failure} />;
  const rules = rulesIn(state.draft);
  return (
    <Note of="bad">
      <p>
        <b>{texts.notSaved}</b> {texts.invalid}
      </p>
      <ul>
        {details.slice(0, 20).map(({ pointer, message }) => {
          const at = /^\/rules\/(\d+)(.*)$/.exec(pointer);
          return (
            <li>
              {at === null ? <code>{pointer}</code> : [<Name value={nameOf(rules[Number(at[1])] ?? {})} />, " ", <code>{at[2]}</code>]}{" "}
              {message}
            </li>
          );
        })}
      </ul>
    </Note>
  );
};

const Failure = ({ failure, state }: { failure: ApiError; state: PolicyState }) => {
  const { saveAllTheSame } = useTexts(policyWords);
  const { keys } = failure.body;
  if (failure.status === 409 && Array.isArray(keys))
    return (
      // The API's own answer.
      <KeysCutOff keys={keys as readonly KeyCutOff[]}>
        <button class="btn small no" type="submit" name="do" value="save-cutting">
          {saveAllTheSame}
        </button>
      </KeysCutOff>
    );
  return <Invalid failure={failure} state={state} />;
};

export const PolicyBody = ({ visit, current, state, focus, imported, notes, failure }: PolicyView) => {
  const texts = useTexts(policyWords);
  const { version: _draft, ...draft } = state.draft;
  const { version: _current, ...document } = current.document;
  const isDraft = !isEqual(draft, document);
  const masksOtherwise = !isEqual(state.draft["redaction"], current.document["redaction"]);
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <DocumentTrail visit={visit} name="policy" at="page" />
      </div>
      {notes.includes("saved") ? (
        <Note of="ok">{fill(texts.saved, { version: visit.query.get("version") ?? current.version })}</Note>
      ) : null}
      {notes.includes("badDraft") ? <Note of="bad">{texts.badDraft}</Note> : null}
      {notes.includes("cannotAskLess") ? <Note of="mind">{texts.cannotAskLess}</Note> : null}
      {notes.includes("imported") ? <Note of="ok">{texts.import.added}</Note> : null}
      <form class="main-form" id="policy" method="post" action={visit.at("policy")} accept-charset="utf-8">
        {/* What Enter in a field presses. */}
        <button class="sr" type="submit" name="do" value="keep" tabindex={-1} aria-hidden="true" />
        <FormToken visit={visit} />
        {Object.entries(hiddenFields(state)).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {failure === null ? null : <Failure failure={failure} state={state} />}
        {isDraft ? (
          <Note of="mind">
            {texts.draft} <a href={visit.at("policy")}>{texts.drop}</a>
          </Note>
        ) : null}
        <div class={state.editing === null ? "grid" : "grid side"}>
          <RulesCard visit={visit} state={state} current={current.document} focus={focus} />
          {state.editing === null ? null : (
            <RuleEditor visit={visit} draft={state.draft} editing={state.editing} isRefused={failure !== null} />
          )}
        </div>
        {!isDraft && state.editing === null ? null : visit.may("change") ? (
          <button class="btn yes" type="submit" name="do" value="save">
            {fill(texts.save, { version: state.base + 1 })}
          </button>
        ) : (
          <p class="soft">{texts.see}</p>
        )}
        <ReplayCard visit={visit} replay={state.replay} days={state.days} masksOtherwise={masksOtherwise} />
        <ImportCard visit={visit} draft={state.draft} pasted={state.pasted} imported={imported} />
      </form>
    </>
  );
};

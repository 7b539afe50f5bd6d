// What the policy's page shows: one form with the rules, the open rule's fields, the replay and the import.

import { changesIn, defaultIn, isEqual, nameOf, rulesIn } from "../../../../shared/policy/draft.ts";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { type Visit, useTexts } from "../page.ts";
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
  readonly notes: readonly ("saved" | "badDraft" | "imported")[];
  readonly failure: ApiError | null;
};

const Conflict = ({ state, current }: Pick<PolicyView, "state" | "current">) => {
  const words = useTexts(policyWords).conflict;
  const { draft, base } = state;
  const { document, version } = current;
  const { changes, removed } = changesIn(draft, document);
  const rules = rulesIn(draft);
  const others = [...new Set([...Object.keys(draft), ...Object.keys(document)])].filter(
    (name) => !["rules", "default", "version"].includes(name) && !isEqual(draft[name], document[name]),
  );
  const lines = [
    ...changes.flatMap((change, index) => {
      if (change.kind === "same") return [];
      const says = { new: words.added, changed: words.changed, moved: words.moved }[change.kind];
      return [fill(says, { name: <Name value={nameOf(rules[index] ?? {})} /> })];
    }),
    ...removed.map((name) => fill(words.removed, { name: <Name value={name} /> })),
    ...(isEqual(defaultIn(draft), defaultIn(document)) ? [] : [words.default]),
    ...(others.length === 0 ? [] : [fill(words.others, { names: <Name value={others.join(", ")} /> })]),
  ];
  return (
    <Note of="bad">
      <p>
        <b>{fill(words.title, { version, base })}</b>
      </p>
      {lines.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <>
          <p>{fill(words.lead, { version })}</p>
          <ul>
            {lines.map((line) => (
              <li>{line}</li>
            ))}
          </ul>
          <input type="hidden" name="over" value={String(version)} />
          <button class="btn small no" type="submit" name="do" value="rebase">
            {fill(words.rebase, { version })}
          </button>
        </>
      )}
    </Note>
  );
};

type CutOffKey = { readonly id: string; readonly name: string; readonly rule: string };

const CutOff = ({ keys }: { keys: readonly CutOffKey[] }) => {
  const words = useTexts(policyWords).cutOff;
  return (
    <Note of="mind">
      <p>
        <b>{words.title}</b>
      </p>
      <ul>
        {keys.map(({ id, name, rule }) => (
          <li>
            <Name value={name} /> (<Name value={id} />
            ). {fill(words.says, { rule: <Name value={rule} /> })}
          </li>
        ))}
      </ul>
      <button class="btn small no" type="submit" name="do" value="save-cutting">
        {words.save}
      </button>
    </Note>
  );
};

/** What is wrong with a draft, each with the name of its rule. */
const Invalid = ({ failure, state }: { failure: ApiError; state: PolicyState }) => {
  const texts = useTexts(policyWords);
  const details = Array.isArray(failure.body["details"])
    ? (failure.body["details"] as readonly { readonly pointer?: string; readonly message?: string }[]) // the API's own
    : [];
  if (details.length === 0) return <Refused failure={failure} />;
  const rules = rulesIn(state.draft);
  return (
    <Note of="bad">
      <p>
        <b>{texts.notSaved}</b> {texts.invalid}
      </p>
      <ul>
        {details.slice(0, 20).map(({ pointer = "", message }) => {
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

const Failure = ({ failure, state, current }: { failure: ApiError } & Pick<PolicyView, "state" | "current">) => {
  if (failure.status === 412) return <Conflict state={state} current={current} />;
  const { keys } = failure.body;
  if (failure.status === 409 && Array.isArray(keys)) return <CutOff keys={keys as readonly CutOffKey[]} />; // the API's own
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
        <div class="chips">
          <a class="btn small" href={visit.at("documents/policy")}>
            {texts.asJson}
          </a>
          <a class="btn small" href={visit.at("documents/policy/versions")}>
            {texts.versions}
          </a>
        </div>
      </div>
      {notes.includes("saved") ? (
        <Note of="ok">{fill(texts.saved, { version: visit.query.get("version") ?? current.version })}</Note>
      ) : null}
      {notes.includes("badDraft") ? <Note of="bad">{texts.badDraft}</Note> : null}
      {notes.includes("imported") ? <Note of="ok">{texts.import.added}</Note> : null}
      <form class="main-form" id="policy" method="post" action={visit.at("policy")} accept-charset="utf-8">
        {/* What Enter in a field presses. */}
        <button class="sr" type="submit" name="do" value="keep" tabindex={-1} aria-hidden="true" />
        <FormToken visit={visit} />
        {Object.entries(hiddenFields(state)).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {failure === null ? null : <Failure failure={failure} state={state} current={current} />}
        {isDraft ? (
          <Note of="mind">
            {texts.draft} <a href={visit.at("policy")}>{texts.drop}</a>
          </Note>
        ) : null}
        <div class={state.editing === null ? "grid" : "grid side"}>
          <RulesCard visit={visit} state={state} current={current.document} focus={focus} />
          {state.editing === null ? null : <RuleEditor draft={state.draft} editing={state.editing} />}
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

// One rule, or the default, in fields. They are part of the page's form: whatever button is
// pressed, what they say goes into the draft.

import { objectOf } from "../../../../shared/json/values.ts";
import { conditionsSchema } from "../../../../shared/policy/conditions.ts";
import { type Draft, defaultIn, nameOf, rulesIn } from "../../../../shared/policy/draft.ts";
import { fieldsIn } from "../../../../shared/json/form-fields.ts";
import { conditionMembers, consequenceMembers, fieldsOf, handOver } from "../../../../shared/policy/rule-form.ts";
import { consequencesSchema } from "../../../../shared/policy/rules.ts";
import type { Language } from "../../../../shared/channels/words/languages.ts";
import type { JsonObject } from "../../../../shared/json-types.ts";
import { Name, plainLetters } from "../../outside-text.tsx";
import { useWords } from "../../language.ts";
import { fill } from "../../sentence.tsx";
import { type DocumentForm, Fields, Input, MoreFields, Select, type Typed, othersThan, schemaErrors } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { People } from "../people-field.tsx";
import type { EditedRule } from "./policy-state.ts";
import { policyWords } from "./policy-words.ts";

const { en, "zh-CN": zh } = policyWords;
const conditionForm: DocumentForm = {
  schema: conditionsSchema,
  members: conditionMembers,
  words: { en: { fields: en.conditions }, "zh-CN": { fields: zh.conditions } },
};
const consequenceForm: DocumentForm = {
  schema: consequencesSchema,
  members: consequenceMembers,
  words: { en: { fields: en.consequences }, "zh-CN": { fields: zh.consequences } },
};

const [subject, asked] = ["subject", ["server", "tool", "key", "model"]] as const;

const [gates, terms, permits] = [
  ["request", "response"],
  ["quorum", "deadlineSeconds"],
  ["grants", "selfApproval"],
] as const;
/** Not of the default. */
const ofRules = ["shadow"];
const jurors = fieldsIn(consequenceMembers).flatMap(({ name }) => (name.startsWith("juror-") ? [name] : []));
const rarer = ["replyRisk", "remindAtSeconds", "escalate-afterSeconds", "escalate-to", "handOverTo", "boundTo"];
const more = [...rarer, ...othersThan(consequenceForm, [...gates, ...terms, ...permits, ...ofRules, ...jurors, "reviewers", ...rarer])];

type SectionProps = { readonly typed: Typed; readonly draft: Draft; readonly isDefault: boolean };

const Conditions = ({ typed }: Pick<SectionProps, "typed">) => {
  const { form } = useTexts(policyWords);
  return (
    <fieldset class="plain-set">
      <legend>{form.when}</legend>
      <Fields form={conditionForm} typed={typed} of={[subject]} />
      <div class="two">
        <Fields form={conditionForm} typed={typed} of={asked} />
      </div>
      <MoreFields form={conditionForm} typed={typed} of={othersThan(conditionForm, [subject, ...asked])} title={form.moreConditions} />
      <p class="soft">{form.globs}</p>
    </fieldset>
  );
};

const Consequences = ({ typed, draft, isDefault }: SectionProps) => {
  const { form, consequences } = useTexts(policyWords);
  const people = { typed, policy: draft };
  const own = {
    reviewers: <People {...people} name="reviewers" {...consequences.reviewers} {...(isDefault ? {} : { hint: form.askDefault })} />,
    "escalate-to": <People {...people} name="escalate-to" {...consequences.escalate.to} />,
    handOverTo: (
      <>
        <Select typed={typed} name={handOver} {...consequences.handOverTo} options={Object.entries(form.handOvers)} />
        <People {...people} name="handOverTo" label={form.handOvers.these} />
      </>
    ),
  };
  const drawn = { form: consequenceForm, typed, own };
  return (
    <fieldset class="plain-set">
      <legend>{form.then}</legend>
      <div class="two">
        <Fields {...drawn} of={gates} />
      </div>
      {own.reviewers}
      <div class="two">
        <Fields {...drawn} of={terms} />
      </div>
      <Fields {...drawn} of={isDefault ? permits : [...permits, ...ofRules]} />
      <details>
        <summary class="chev">{form.more}</summary>
        <div class="form">
          <Fields {...drawn} of={isDefault ? more : [...more, ...jurors]} />
        </div>
      </details>
    </fieldset>
  );
};

/** What is wrong with the open rule, by the names of its fields. */
function ruleErrors(rule: JsonObject, isDefault: boolean, language: Language): Typed["errors"] {
  const then = isDefault ? rule : (objectOf(rule["then"]) ?? {});
  const { reviewers: _reviewers, ...ofDefault } = then;
  return {
    ...(isDefault ? {} : schemaErrors(conditionForm, objectOf(rule["when"]) ?? {}, language)),
    ...schemaErrors(consequenceForm, isDefault ? ofDefault : then, language),
  };
}

type EditorProps = {
  readonly visit: Visit;
  readonly draft: Draft;
  readonly editing: Exclude<EditedRule, null>;
  /** The API refused the draft: each field says what is wrong with it. */
  readonly isRefused: boolean;
};

export const RuleEditor = ({ visit, draft, editing, isRefused }: EditorProps) => {
  const texts = useTexts(policyWords);
  const words = useWords();
  const { form } = texts;
  const rules = rulesIn(draft);
  const isDefault = editing === "default";
  const rule = isDefault ? defaultIn(draft) : (rules[editing] ?? {});
  const typed: Typed = {
    values: { ...fieldsOf(rule, isDefault), position: [isDefault ? "" : String(editing + 1)] },
    errors: isRefused ? ruleErrors(rule, isDefault, visit.language) : {},
  };
  const positions = rules.map((_, index) => [String(index + 1), String(index + 1)] as const);
  return (
    <section class="card form" id="edit" aria-labelledby="edit-title">
      <h2 id="edit-title">
        {isDefault ? texts.everythingElse : fill(form.rule, { position: editing + 1, name: <Name value={nameOf(rule)} /> })}
      </h2>
      {isDefault ? null : (
        <div class="two">
          <Input typed={typed} name="name" label={form.name} autofocus />
          <Select typed={typed} name="position" label={form.position} options={positions} />
        </div>
      )}
      {isDefault ? null : <Conditions typed={typed} />}
      <Consequences typed={typed} draft={draft} isDefault={isDefault} />
      <div class="row">
        <button class="btn" type="submit" name="do" value="apply">
          {form.apply}
        </button>
        {isDefault ? null : (
          <button
            class="btn no"
            type="submit"
            name="do"
            value={`remove:${editing}`}
            aria-label={`${form.remove}: ${plainLetters(nameOf(rule), words)}`}
          >
            {form.remove}
          </button>
        )}
      </div>
    </section>
  );
};

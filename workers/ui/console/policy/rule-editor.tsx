// One rule, or the default, in fields. They are part of the page's form: whatever button is
// pressed, what they say goes into the draft.

import { type Draft, defaultIn, nameOf, peopleIn, rulesIn } from "../../../../shared/policy/draft.ts";
import { type FieldValues, fieldsOf } from "../../../../shared/policy/rule-form.ts";
import { Name, plainLetters } from "../../outside-text.tsx";
import { useWords } from "../../language.ts";
import { fill } from "../../sentence.tsx";
import { useTexts } from "../page.ts";
import type { EditedRule } from "./policy-state.ts";
import { policyWords } from "./policy-words.ts";

type FieldProps = { readonly name: string; readonly label: string; readonly values: FieldValues; readonly hint?: string };

const valueOf = (values: FieldValues, name: string): string => values[name]?.[0] ?? "";

type InputProps = FieldProps & { readonly mode?: "numeric" | "decimal"; readonly hasFocus?: boolean };

const Input = ({ name, label, values, hint, mode, hasFocus = false }: InputProps) => (
  <div>
    <label for={name}>{label}</label>
    <input
      id={name}
      name={name}
      value={valueOf(values, name)}
      autocomplete="off"
      maxlength={512}
      {...(mode === undefined ? {} : { inputmode: mode })}
      {...(hint === undefined ? {} : { "aria-describedby": `${name}-hint` })}
      {...(hasFocus ? { autofocus: true } : {})}
    />
    {hint === undefined ? null : (
      <p class="soft" id={`${name}-hint`}>
        {hint}
      </p>
    )}
  </div>
);

/** `options`: their values and words. A value that is none of them stays what it is. */
const Select = ({ name, label, values, options, none }: FieldProps & { options: Readonly<Record<string, string>>; none?: string }) => {
  const value = valueOf(values, name);
  const known = none === undefined ? options : { "": none, ...options };
  const shown = value in known ? known : { ...known, [value]: value };
  return (
    <div>
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {Object.entries(shown).map(([each, says]) => (
          <option value={each} selected={each === value}>
            {says}
          </option>
        ))}
      </select>
    </div>
  );
};

const Box = ({ name, label, values }: FieldProps) => (
  <label class="check">
    <input type="checkbox" name={name} value="yes" checked={valueOf(values, name) === "yes"} />
    {label}
  </label>
);

/** Groups and people of the document, and whom the rule names beside them. */
const People = ({ name, label, values, hint, draft }: FieldProps & { draft: Draft }) => {
  const { groups, people } = peopleIn(draft);
  const chosen = values[name] ?? [];
  const all = [...new Set([...groups, ...people, ...chosen])];
  return (
    <fieldset class="people">
      <legend>{label}</legend>
      <div>
        {all.map((each) => (
          <label class="check">
            <input type="checkbox" name={name} value={each} checked={chosen.includes(each)} />
            <span>
              <Name value={each} />
            </span>
          </label>
        ))}
      </div>
      {hint === undefined ? null : <p class="soft">{hint}</p>}
    </fieldset>
  );
};

type SectionProps = { readonly values: FieldValues; readonly draft: Draft };

const Conditions = ({ values }: SectionProps) => {
  const { form } = useTexts(policyWords);
  const yesOrNo = { yes: form.yes, no: form.no };
  return (
    <fieldset class="plain-set">
      <legend>{form.when}</legend>
      <div class="two">
        <Input name="server" label={form.server} values={values} />
        <Input name="tool" label={form.tool} values={values} />
        <Input name="key" label={form.key} values={values} />
        <Input name="model" label={form.model} values={values} />
        <Input name="method" label={form.method} values={values} />
        <Select name="provenance" label={form.provenance} values={values} options={form.provenances} none={form.anyValue} />
        <Select name="hasMedia" label={form.hasMedia} values={values} options={yesOrNo} none={form.anyValue} />
        <Select name="hasTools" label={form.hasTools} values={values} options={yesOrNo} none={form.anyValue} />
        <Input name="costOverUsd" label={form.costOverUsd} values={values} mode="decimal" />
        <Input name="maxTokensOver" label={form.maxTokensOver} values={values} mode="numeric" />
        <Select name="risk" label={form.risk} values={values} options={form.risks} none={form.anyValue} />
      </div>
      <p class="soft">{form.globs}</p>
    </fieldset>
  );
};

const Consequences = ({ values, draft, isDefault }: SectionProps & { isDefault: boolean }) => {
  const { form } = useTexts(policyWords);
  const { refuse: _refuse, ...replyGates } = form.gates;
  return (
    <fieldset class="plain-set">
      <legend>{form.then}</legend>
      <div class="two">
        <Select name="request" label={form.request} values={values} options={form.gates} />
        <Select name="response" label={form.response} values={values} options={replyGates} />
      </div>
      <People name="reviewers" label={form.ask} values={values} draft={draft} {...(isDefault ? {} : { hint: form.askDefault })} />
      <div class="two">
        <Input name="quorum" label={form.quorum} values={values} mode="numeric" />
        <Input name="deadline" label={form.deadline} values={values} mode="decimal" />
      </div>
      <Box name="grants" label={form.grants} values={values} />
      <Box name="selfApproval" label={form.selfApproval} values={values} />
      <details>
        <summary class="chev">{form.more}</summary>
        <div class="form">
          <Select name="replyRisk" label={form.replyRisk} values={values} options={form.risks} none={form.never} />
          <Input name="remind" label={form.remind} values={values} hint={form.remindHint} />
          <Input name="escalateAfter" label={form.escalateAfter} values={values} mode="decimal" />
          <People name="escalateTo" label={form.escalateTo} values={values} draft={draft} />
          <Select name="handOver" label={form.handOver} values={values} options={form.handOvers} />
          <People name="handOverTo" label={form.handOvers.these} values={values} draft={draft} />
          <Select name="boundTo" label={form.boundTo} values={values} options={form.reaches} />
          <Box name="grantsInferred" label={form.grantsInferred} values={values} />
          <Box name="noticeExcerpt" label={form.noticeExcerpt} values={values} />
          <Box name="tellReason" label={form.tellReason} values={values} />
          <Box name="tellAuthor" label={form.tellAuthor} values={values} />
          <Box name="context" label={form.context} values={values} />
          <Box name="timeoutCoversReview" label={form.timeoutCoversReview} values={values} />
          <Box name="cheaperWithinBudget" label={form.cheaperWithinBudget} values={values} />
        </div>
      </details>
    </fieldset>
  );
};

export const RuleEditor = ({ draft, editing }: { draft: Draft; editing: Exclude<EditedRule, null> }) => {
  const texts = useTexts(policyWords);
  const words = useWords();
  const { form } = texts;
  const rules = rulesIn(draft);
  const isDefault = editing === "default";
  const rule = isDefault ? defaultIn(draft) : (rules[editing] ?? {});
  const values = fieldsOf(rule, isDefault);
  const positions = Object.fromEntries(rules.map((_, index) => [String(index + 1), String(index + 1)]));
  return (
    <section class="card form" id="edit" aria-labelledby="edit-title">
      <h2 id="edit-title">
        {isDefault ? texts.everythingElse : fill(form.rule, { position: editing + 1, name: <Name value={nameOf(rule)} /> })}
      </h2>
      {isDefault ? null : (
        <div class="two">
          <Input name="name" label={form.name} values={values} hasFocus />
          <Select name="position" label={form.position} values={{ position: [String(editing + 1)] }} options={positions} />
        </div>
      )}
      {isDefault ? null : <Conditions values={values} draft={draft} />}
      <Consequences values={values} draft={draft} isDefault={isDefault} />
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

// The rules of a draft as sentences, in order, with what moves them. Every button posts the whole
// draft.

import { type Draft, type RuleChange, changesIn, defaultIn, isEqual, nameOf, rulesIn } from "../../../../shared/policy/draft.ts";
import { Icon } from "../../icons.tsx";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Empty, Names } from "../pieces.tsx";
import type { PolicyState } from "./policy-state.ts";
import { policyWords } from "./policy-words.ts";
import { RuleText } from "./rule-text.tsx";

/** `focus`: the value of the button that was pressed and stands elsewhere now. */
type CardProps = { readonly visit: Visit; readonly state: PolicyState; readonly current: Draft; readonly focus: string | null };

const Change = ({ change, current }: { change: RuleChange | undefined; current: Draft }) => {
  const texts = useTexts(policyWords);
  if (change === undefined || !("from" in change)) return null;
  return (
    <p class="soft">
      {change.kind === "moved"
        ? fill(texts.moved, { position: change.from + 1 })
        : fill(texts.was, { sentence: <RuleText rule={change.was} draft={current} /> })}
    </p>
  );
};

type ButtonProps = {
  readonly act: string;
  readonly icon: "up" | "down";
  readonly says: string;
  readonly name: string;
  readonly focus: string | null;
  readonly isOff: boolean;
};

const Mover = ({ act, icon, says, name, focus, isOff }: ButtonProps) => (
  <button class="act mover" type="submit" name="do" value={act} disabled={isOff} {...(focus === act ? { autofocus: true } : {})}>
    <Icon of={icon} />
    <span class="sr">{fill(says, { name: <Name value={name} /> })}</span>
  </button>
);

const Edit = ({ visit, act, name, isEdited }: { visit: Visit; act: string; name: string; isEdited: boolean }) => {
  const texts = useTexts(policyWords);
  return (
    <button class="act" type="submit" name="do" value={`edit:${act}`} formaction={`${visit.at("policy")}#edit`}>
      <span class="sr">{fill(texts.editRule, { name: <Name value={name} /> })}</span>
      <span aria-hidden="true">{isEdited ? texts.editing : texts.edit}</span>
    </button>
  );
};

export const RulesCard = ({ visit, state, current, focus }: CardProps) => {
  const texts = useTexts(policyWords);
  const { draft, editing } = state;
  const rules = rulesIn(draft);
  const { changes, removed } = changesIn(draft, current);
  return (
    <section class="card" id="rules" aria-labelledby="rules-title">
      <div class="head">
        <h2 id="rules-title">{texts.rules}</h2>
        <button class="btn small" type="submit" name="do" value="add" formaction={`${visit.at("policy")}#edit`}>
          {texts.add}
        </button>
      </div>
      {rules.length === 0 ? <Empty>{texts.noRules}</Empty> : null}
      <ol class="rules">
        {rules.map((rule, index) => (
          <li {...(editing === index ? { class: "now" } : {})} data-at={index}>
            <span class="at" title={texts.drag}>
              {index + 1}
            </span>
            <div>
              <h3>
                <Name value={nameOf(rule)} /> {changes[index]?.kind === "new" ? <span class="tag live">{texts.isNew}</span> : null}
              </h3>
              <p>
                <RuleText rule={rule} draft={draft} />
              </p>
              <Change change={changes[index]} current={current} />
            </div>
            {changes[index]?.kind === "new" ? null : (
              <a class="its" href={visit.at("requests", { rule: nameOf(rule) })}>
                {texts.requests}
                <span class="sr"> {nameOf(rule)}</span>
              </a>
            )}
            <div class="movers">
              <Mover act={`up:${index}`} icon="up" says={texts.up} name={nameOf(rule)} focus={focus} isOff={index === 0} />
              <Mover
                act={`down:${index}`}
                icon="down"
                says={texts.down}
                name={nameOf(rule)}
                focus={focus}
                isOff={index === rules.length - 1}
              />
              <Edit visit={visit} act={String(index)} name={nameOf(rule)} isEdited={editing === index} />
            </div>
          </li>
        ))}
        <li {...(editing === "default" ? { class: "now" } : {})}>
          <span class="at" />
          <div>
            <h3>{texts.everythingElse}</h3>
            <p>
              <RuleText rule={null} draft={draft} />
            </p>
            <p class="soft">{texts.elseAllowed}</p>
            {isEqual(defaultIn(draft), defaultIn(current)) ? null : (
              <p class="soft">{fill(texts.was, { sentence: <RuleText rule={null} draft={current} /> })}</p>
            )}
          </div>
          <div class="movers">
            <Edit visit={visit} act="default" name={texts.everythingElse} isEdited={editing === "default"} />
          </div>
        </li>
      </ol>
      {removed.length === 0 ? null : <p class="soft">{fill(texts.removed, { names: <Names of={removed} /> })}</p>}
    </section>
  );
};

// A rule as it is read: its sentences, or that it is not valid.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { type SentencePart, ruleSentence } from "../../../../shared/channels/rules/rule-sentence.ts";
import { type Draft, defaultIn } from "../../../../shared/policy/draft.ts";
import { policySchema } from "../../../../shared/policy/rules.ts";
import { useWords } from "../../language.ts";
import { Name } from "../../outside-text.tsx";
import { useTexts } from "../page.ts";
import { policyWords } from "./policy-words.ts";

const Part = ({ part }: { part: SentencePart }) => {
  if (typeof part === "string") return <>{part}</>;
  return <b>{"strong" in part ? part.strong : <Name value={part.name} />}</b>;
};

/**
 * `rule`: as the document has it; null for the default. The names that it asks are those of the
 * default where it has none.
 */
export const RuleText = ({ rule, draft }: { rule: JsonObject | null; draft: Draft }) => {
  const { unreadable } = useTexts(policyWords);
  const language = useWords().page.lang === "zh-CN" ? "zh-CN" : "en";
  const byDefault = policySchema.safeParse({ default: defaultIn(draft) }).data?.default;
  const read = rule === null ? null : policySchema.safeParse({ rules: [rule] }).data?.rules[0];
  const spoken =
    rule === null
      ? byDefault && { when: null, then: byDefault }
      : read && { when: read.when, then: { ...read.then, reviewers: read.then.reviewers ?? byDefault?.reviewers ?? [] } };
  if (spoken === undefined || spoken === null) return <b class="bad-rule">{unreadable}</b>;
  return (
    <>
      {ruleSentence(spoken, language).map((part) => (
        <Part part={part} />
      ))}
    </>
  );
};

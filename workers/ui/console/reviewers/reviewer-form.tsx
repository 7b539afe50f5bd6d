// The form that adds and changes one reviewer of the policy, with the groups that they are in. What
// rules name them stays: a change that leaves a rule without people is refused.

import { pointerTo } from "../../../../shared/routing/issues.ts";
import { type FieldCodec, linesIn, oneOf, textsOf } from "../../../../shared/json/form-fields.ts";
import { groupNames, groupedReviewer, withReviewer, withoutReviewer } from "../../../../shared/policy/reviewer-edit.ts";
import { groupedReviewerSchema } from "../../../../shared/policy/rules.ts";
import { fill } from "../../sentence.tsx";
import { FormBelow } from "../entries-page.tsx";
import type { EntryForm, EntryState } from "../entry.ts";
import { Fields, MoreFields, formOf, othersThan } from "../fields.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Names } from "../pieces.tsx";
import { reviewersWords } from "./reviewers-words.ts";

/** One on each line, in their order. */
const inOrder = (name: string): FieldCodec => ({
  kind: "lines",
  show: (value) => ({ [name]: [textsOf(value).join("\n")] }),
  read: (values) => {
    const lines = linesIn(oneOf(values, name));
    return lines.length === 0 ? undefined : lines;
  },
});

const form = formOf(groupedReviewerSchema, reviewersWords, { notify: inOrder });

export const reviewerForm: EntryForm = {
  ...form,
  document: "policy",
  page: "reviewers",
  name: "name",
  isApart: true,
  read: (policy, was) => (was === null ? { groups: groupNames(policy).slice(0, 1) } : groupedReviewer(policy, was)),
  write: (policy, { name, entry: { groups, ...person } }) => {
    const [first = "", ...others] = textsOf(groups);
    const document = withReviewer(policy, { ...person, name }, [first, ...others]);
    const people = (document["reviewers"] as Readonly<Record<string, readonly { readonly name?: unknown }[]>>)[first] ?? []; // withReviewer made it
    return { document, at: pointerTo(["reviewers", first, people.findIndex((each) => each.name === name)]) };
  },
  without: withoutReviewer,
  errorsOf: (policy, { was, name }, language) =>
    was === null && groupedReviewer(policy, name) !== null ? { name: reviewersWords[language].form.taken } : {},
};

const first = ["groups", "email"];
const times = ["language", "timeZone", "away-from", "away-until", "away-to", "quietHours-from", "quietHours-until"];
const channels = othersThan(form, ["name", ...first, ...times]);

export const ReviewerForm = ({ visit, state }: { readonly visit: Visit; readonly state: EntryState }) => {
  const { form: texts } = useTexts(reviewersWords);
  const drawn = { form, typed: state.typed };
  return (
    <FormBelow visit={visit} of={reviewerForm} state={state} texts={texts} first={<Fields {...drawn} of={first} />}>
      <p class="hint">{fill(texts.known, { groups: <Names of={groupNames(state.document)} /> })}</p>
      <MoreFields {...drawn} of={channels} title={texts.channels} />
      <MoreFields {...drawn} of={times} title={texts.times} />
    </FormBelow>
  );
};

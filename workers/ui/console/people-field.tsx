// Groups and people of the policy, to be chosen in a form.

import { peopleIn } from "../../../shared/policy/draft.ts";
import type { JsonObject } from "../../../shared/json-types.ts";
import { Name } from "../outside-text.tsx";
import type { Typed } from "./fields.tsx";

type PeopleProps = {
  readonly name: string;
  readonly label: string;
  readonly typed: Typed;
  readonly hint?: string;
  readonly policy: JsonObject;
};

/** A box for each of them, and for whom the form names beside them. */
export const People = ({ name, label, typed, hint, policy }: PeopleProps) => {
  const { groups, people } = peopleIn(policy);
  const chosen = typed.values[name] ?? [];
  const all = [...new Set([...groups, ...people, ...chosen])];
  const error = typed.errors[name];
  return (
    <fieldset class="people" {...(error === undefined ? {} : { "aria-describedby": `${name}-error` })}>
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
      {error === undefined ? null : (
        <p class="fault" id={`${name}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
};

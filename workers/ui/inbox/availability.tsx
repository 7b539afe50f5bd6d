// A reviewer's holiday and quiet hours: a fold of the inbox with one form, which needs no script.

import { formFields } from "../../../shared/review/form.ts";
import { useWords } from "../language.ts";

export type AvailabilityProblem = "zone" | "away" | "quiet" | "busy";

export type AvailabilityInput = {
  readonly action: string;
  readonly nonce: string;
  /** As they are, or as they were typed and not saved. Empty: not set. */
  readonly typed: Readonly<Record<"zone" | "from" | "until" | "to" | "quiet" | "loud", string>>;
  /** Names of those who may stand in. */
  readonly standIns: readonly string[];
  readonly problem: AvailabilityProblem | null;
  readonly isSaved: boolean;
};

export const Availability = ({ action, nonce, typed, standIns, problem, isSaved }: AvailabilityInput) => {
  const words = useWords().inbox.availability;
  const field = (name: Exclude<keyof typeof typed, "to">, type: string) => (
    <div>
      <label for={name}>{words.fields[name]}</label>
      <input id={name} name={name} type={type} value={typed[name]} autocomplete="off" maxlength={60} />
    </div>
  );
  return (
    <details class="ours" id="availability" open={isSaved || problem !== null}>
      <summary class="chev">{words.heading}</summary>
      <form class="in stack" method="post" action={action} accept-charset="utf-8">
        <input type="hidden" name={formFields.nonce} value={nonce} />
        {problem === null ? null : (
          <p class="note bad" role="alert">
            {words.problems[problem]}
          </p>
        )}
        {isSaved ? (
          <p class="note" role="status">
            {words.saved}
          </p>
        ) : null}
        <p class="soft">{words.lead}</p>
        <div class="two">
          {field("from", "date")}
          {field("until", "date")}
        </div>
        <div>
          <label for="to">{words.fields.to}</label>
          <select id="to" name="to">
            <option value="">{words.nobody}</option>
            {standIns.map((name) => (
              <option value={name} selected={name === typed.to}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div class="two">
          {field("quiet", "time")}
          {field("loud", "time")}
        </div>
        {field("zone", "text")}
        <button type="submit" class="btn">
          {words.save}
        </button>
      </form>
    </details>
  );
};

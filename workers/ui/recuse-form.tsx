// "Not yours to decide?": hands the review to another reviewer, or recuses this one. Folded, below the decision.

import { formFields } from "../../shared/review/form.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { plainLetters } from "./outside-text.tsx";
import { pageWords as words } from "../../shared/channels/words/words.ts";

type RecuseFormProps = { view: ReviewView; chosen: string | undefined };

const HandOver = ({ to, chosen }: { to: readonly string[]; chosen: string | undefined }) => (
  <div class="choice">
    <label for="to">{words.recuse.to}</label>
    <select id="to" name={formFields.to} aria-describedby="to-hint">
      {to.map((name) => (
        <option value={name} selected={name === chosen}>
          {plainLetters(name)}
        </option>
      ))}
    </select>
    <p id="to-hint">{words.recuse.handOverHint}</p>
    <button type="submit" name={formFields.act} value="handOver">
      {words.recuse.handOver}
    </button>
  </div>
);

export const RecuseForm = ({ view: { handOverTo = [] }, chosen }: RecuseFormProps) => (
  <section class="card folded">
    <details open={chosen !== undefined}>
      <summary>{words.recuse.heading}</summary>
      {handOverTo.length === 0 ? null : <HandOver to={handOverTo} chosen={chosen} />}
      <div class="choice">
        <p id="not-mine-hint">{words.recuse.notMineHint}</p>
        <button type="submit" name={formFields.act} value="notMine" aria-describedby="not-mine-hint">
          {words.recuse.notMine}
        </button>
      </div>
    </details>
  </section>
);

// "Not yours to decide?": hands the review to another reviewer, or says that it is not this one's. Folded, below the decision.

import { formFields } from "../../shared/review/form.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { plainLetters } from "./outside-text.tsx";
import { pageWords as words } from "../../shared/channels/words/words.ts";

type GiveUpProps = { view: ReviewView; chosen: string | undefined };

const HandOver = ({ to, chosen }: { to: readonly string[]; chosen: string | undefined }) => (
  <div class="choice">
    <label for="to">{words.giveUp.to}</label>
    <select id="to" name={formFields.to} aria-describedby="to-hint">
      {to.map((name) => (
        <option value={name} selected={name === chosen}>
          {plainLetters(name)}
        </option>
      ))}
    </select>
    <p id="to-hint">{words.giveUp.handOverHint}</p>
    <button type="submit" name={formFields.act} value="handOver">
      {words.giveUp.handOver}
    </button>
  </div>
);

export const GiveUp = ({ view: { handOverTo = [] }, chosen }: GiveUpProps) => (
  <section class="card folded">
    <details open={chosen !== undefined}>
      <summary>{words.giveUp.heading}</summary>
      {handOverTo.length === 0 ? null : <HandOver to={handOverTo} chosen={chosen} />}
      <div class="choice">
        <p id="not-mine-hint">{words.giveUp.notMineHint}</p>
        <button type="submit" name={formFields.act} value="notMine" aria-describedby="not-mine-hint">
          {words.giveUp.notMine}
        </button>
      </div>
    </details>
  </section>
);

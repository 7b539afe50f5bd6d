// Not the reviewer's to decide: hands the review to another reviewer with a note, or recuses this
// one.

import { type SubmittedForm, formFields, longestNote } from "../../shared/review/form.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { useWords } from "./language.ts";
import { plainLetters } from "./outside-text.tsx";

type RecuseFormProps = { readonly view: ReviewView; readonly kept: SubmittedForm | undefined };

const HandOver = ({ to, kept }: { to: readonly string[]; kept: SubmittedForm | undefined }) => {
  const words = useWords();
  const { recuse } = words.page;
  return (
    <details name="more" open={kept?.to !== undefined}>
      <summary class="chev">{recuse.handOver}</summary>
      <div class="in">
        <label for="to">{recuse.to}</label>
        <select id="to" name={formFields.to} aria-describedby="to-hint">
          {to.map((name) => (
            <option value={name} selected={name === kept?.to}>
              {plainLetters(name, words)}
            </option>
          ))}
        </select>
        <label for="note">{recuse.note}</label>
        <textarea class="field" id="note" name={formFields.note} rows={2} maxlength={longestNote}>
          {`\n${kept?.note ?? ""}`}
        </textarea>
        <p class="hint" id="to-hint">
          {recuse.handOverHint}
        </p>
        <button type="submit" name={formFields.act} value="handOver" class="btn">
          {recuse.handOver}
        </button>
      </div>
    </details>
  );
};

export const RecuseForm = ({ view: { handOverTo = [] }, kept }: RecuseFormProps) => {
  const { recuse } = useWords().page;
  return (
    <>
      {handOverTo.length === 0 ? null : <HandOver to={handOverTo} kept={kept} />}
      <details name="more">
        <summary class="chev">{recuse.notMine}</summary>
        <div class="in">
          <p class="hint" id="not-mine-hint">
            {recuse.notMineHint}
          </p>
          <button type="submit" name={formFields.act} value="notMine" class="btn" aria-describedby="not-mine-hint">
            {recuse.notMine}
          </button>
        </div>
      </details>
    </>
  );
};

// The parts of the content that rules masked, and for those whom the policy names what stood there,
// and the buttons that put it back.

import { formFields, liftAct } from "../../shared/review/form.ts";
import type { ReviewView, ShownRedaction } from "../../shared/review/view.ts";
import { useWords } from "./language.ts";
import { Name, OutsideText } from "./outside-text.tsx";
import { placeId } from "./place-id.ts";
import { fill } from "./sentence.tsx";
import { placeWords } from "../../shared/channels/content-words.ts";

const Item = ({ view, redaction }: { view: ReviewView; redaction: ShownRedaction }) => {
  const words = useWords();
  const { redaction: said } = words.page;
  const { id, label, pointer, rule, state, original } = redaction;
  const place = placeWords(pointer, words, view.request.kind);
  return (
    <li>
      <p>
        {fill(said.item, {
          label: <Name value={label} />,
          place: <a href={`#${placeId(pointer)}`}>{place}</a>,
          rule: <Name value={rule} />,
        })}
        {state === "masked" ? null : ` · ${said.state[state]}`}
      </p>
      {original === undefined ? null : (
        <details>
          <summary class="chev">{said.original}</summary>
          <OutsideText text={original} />
        </details>
      )}
      {view.mayLift === true && state === "masked" ? (
        <button type="submit" name={formFields.act} value={liftAct(id)} class="btn small">
          {said.lift}
          <span class="sr">
            {words.review.marks.colon}
            {label}
          </span>
        </button>
      ) : null}
    </li>
  );
};

/** Nothing where nothing was masked. Inside the form: its buttons submit it. */
export const Redactions = ({ view }: { view: ReviewView }) => {
  const { redaction: said } = useWords().page;
  const { redactions = [] } = view;
  if (redactions.length === 0) return null;
  return (
    <section class="note news" id="redactions" aria-labelledby="redacted">
      <div>
        <h2 id="redacted">{fill(said.heading, { n: redactions.length })}</h2>
        <ul>
          {redactions.map((redaction) => (
            <Item view={view} redaction={redaction} />
          ))}
        </ul>
        {view.mayLift === true ? <p class="soft">{said.hint}</p> : null}
      </div>
    </section>
  );
};

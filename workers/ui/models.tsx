// Which model is asked first, and which after it. Nothing outside this list ever gets the content.

import { formFields } from "../../shared/review/form.ts";
import type { ShownModel } from "../../shared/review/view.ts";
import { Name, Plain } from "./outside-text.tsx";
import { moneyWords, reviewWords as words } from "./review-words.ts";
import { fill } from "./sentence.tsx";

/** Up to so many models have their own words on the approve button (the stylesheet has a rule for each). */
export const modelsOnButton = 12;

const About = ({ model, rank }: { model: ShownModel; rank: number }) => (
  <>
    <strong>
      <Name value={model.id} />
    </strong>
    <span class="meta">
      {rank === 0 ? words.models.first : words.models.later},{" "}
      {model.worstCostUsd === 0 ? words.models.free : fill(words.models.atMost, { cost: moneyWords(model.worstCostUsd) })}
    </span>
    <span class="meta">{fill(words.models.knownAs, { provider: <Name value={model.provider} />, name: <Name value={model.name} /> })}</span>
    <span>
      <Plain value={model.why} />
    </span>
  </>
);

type ModelsProps = { models: readonly ShownModel[]; choosable: boolean; chosen: string | undefined };

/** The list in failover order; with radio buttons where the reviewer may put another one first. */
export const Models = ({ models, choosable, chosen }: ModelsProps) => {
  if (models.length === 0) return <p>{words.glance.noModel}</p>;
  if (!choosable || models.length === 1) {
    return (
      <>
        {models.length === 1 ? null : <p>{words.models.closedOrder}</p>}
        <ol class="models">
          {models.map((model, i) => (
            <li>
              <About model={model} rank={i} />
            </li>
          ))}
        </ol>
      </>
    );
  }
  const first = Math.max(
    0,
    models.findIndex((model) => model.id === chosen),
  );
  return (
    <fieldset>
      <legend>{words.models.legend}</legend>
      <p>{words.models.order}</p>
      {models.map((model, i) => (
        <label class="model">
          <input type="radio" name={formFields.model} value={model.id} id={`model-${i}`} checked={i === first} />
          <span>
            <About model={model} rank={i} />
          </span>
        </label>
      ))}
    </fieldset>
  );
};

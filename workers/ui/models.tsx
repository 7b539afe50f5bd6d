// The models in the order in which they are called. No other model gets the content.

import type { SamplingRequest } from "../../shared/model/sampling.ts";
import { formFields } from "../../shared/review/form.ts";
import type { ShownModel } from "../../shared/review/view.ts";
import { Name, Plain } from "./outside-text.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";
import { costWords } from "../../shared/channels/fact-words.ts";
import { fill } from "./sentence.tsx";

/** With more models than this the approve button names none (the stylesheet has a rule for each). */
export const modelsOnButton = 12;

/** The provider and its name for the model, where they differ from the id. */
const KnownAs = ({ model: { id, name, provider } }: { model: ShownModel }) =>
  name === id && provider === id ? null : (
    <span class="meta">
      {fill(name === id ? words.models.from : words.models.knownAs, { provider: <Name value={provider} />, name: <Name value={name} /> })}
    </span>
  );

/** The only model has no rank, and its cost is at the top of the page. */
const About = ({ model, rank, alone }: { model: ShownModel; rank: number; alone: boolean }) => (
  <>
    <strong>
      <Name value={model.id} />
    </strong>
    {alone ? null : (
      <span class="meta">
        {rank === 0 ? words.models.first : words.models.later}, {costWords({ kind: "atMost", usd: model.worstCostUsd })}
      </span>
    )}
    <KnownAs model={model} />
    <span>
      <Plain value={reviewWords.modelWhy(model.why)} />
    </span>
  </>
);

/** The model that the client named. Where another of the list stands in for it, that one's reason says so. */
export const NamedModel = ({ request: { namedModel } }: { request: SamplingRequest }) =>
  namedModel === undefined ? null : (
    <p>
      {fill(namedModel.version === undefined ? reviewWords.named : reviewWords.namedVersion, {
        name: <Name value={namedModel.name} />,
        version: <Name value={namedModel.version ?? ""} />,
      })}
      {namedModel.provider === undefined ? null : (
        <> {fill(reviewWords.namedProvider, { provider: <Name value={namedModel.provider} /> })}</>
      )}
    </p>
  );

type ModelsProps = { models: readonly ShownModel[]; choosable: boolean; chosen: string | undefined };

/** The list in failover order, with radio buttons where the reviewer may choose the first. */
export const Models = ({ models, choosable, chosen }: ModelsProps) => {
  if (models.length === 0) return <p>{words.glance.noModel}</p>;
  if (!choosable || models.length === 1) {
    return (
      <>
        {models.length === 1 ? null : <p>{words.models.closedOrder}</p>}
        <ol class="models">
          {models.map((model, i) => (
            <li>
              <About model={model} rank={i} alone={models.length === 1} />
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
            <About model={model} rank={i} alone={false} />
          </span>
        </label>
      ))}
    </fieldset>
  );
};

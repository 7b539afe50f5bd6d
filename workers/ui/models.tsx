// The models in the order in which they are called. No other model gets the content.

import type { SamplingRequest } from "../../shared/model/sampling.ts";
import { type ToolCall, toolName } from "../../shared/model/subject/tool-call.ts";
import { callWords } from "../../shared/channels/content-words.ts";
import { formFields } from "../../shared/review/form.ts";
import type { ShownModel } from "../../shared/review/view.ts";
import { useWords } from "./language.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { Name, Plain, plainLetters } from "./outside-text.tsx";
import { fill } from "./sentence.tsx";
import { whyText } from "../../shared/routing/choose.ts";

/**
 * With more models than this the page does not name the chosen one beside the button (the
 * stylesheet has a rule for each).
 */
export const modelsOnButton = 12;

/** The provider and its name for the model, where they differ from the id. */
const KnownAs = ({ model: { id, name, provider } }: { model: ShownModel }) => {
  const { models } = useWords().page;
  if (name === id && provider === id) return null;
  return (
    <span class="soft">
      {fill(name === id ? models.from : models.knownAs, { provider: <Name value={provider} />, name: <Name value={name} /> })}
    </span>
  );
};

/** " · up to $0.0138", " · free". */
function upTo({ worstCostUsd: usd }: ShownModel, { page }: Words): string {
  return ` · ${usd === 0 ? page.dollars(0) : page.strip.upTo.replace("{cost}", page.dollars(usd))}`;
}

/** Why it may answer. The only model's cost is at the top of the page. */
const About = ({ model, alone }: { model: ShownModel; alone: boolean }) => {
  const words = useWords();
  return (
    <>
      <strong>
        <Name value={model.id} />
        {alone ? null : upTo(model, words)}
      </strong>
      <KnownAs model={model} />
      <span class="soft">
        <Plain value={whyText(model.why, words.review.why)} />
      </span>
    </>
  );
};

/**
 * The model that the client named. Where another of the list stands in for it, that one's reason
 * says so.
 */
export const NamedModel = ({ request: { namedModel } }: { request: SamplingRequest }) => {
  const { review } = useWords();
  if (namedModel === undefined) return null;
  return (
    <p>
      {fill(namedModel.version === undefined ? review.named : review.namedVersion, {
        name: <Name value={namedModel.name} />,
        version: <Name value={namedModel.version ?? ""} />,
      })}
      {namedModel.provider === undefined ? null : <> {fill(review.namedProvider, { provider: <Name value={namedModel.provider} /> })}</>}
    </p>
  );
};

/** The tool that runs, and why it runs there. */
export const RunsOn = ({ call }: { call: ToolCall }) => (
  <ol class="models">
    <li>
      <strong>
        <Name value={toolName(call)} />
      </strong>
      <span class="soft">
        <Plain value={callWords(call, useWords())} />
      </span>
    </li>
  </ol>
);

type ModelsProps = {
  readonly models: readonly ShownModel[];
  readonly choosable: boolean;
  readonly chosen: string | undefined;
};

/** The position of the chosen model in the list; the first where none or another is chosen. */
export const chosenIndex = (models: readonly ShownModel[], chosen: string | undefined): number =>
  Math.max(
    0,
    models.findIndex((model) => model.id === chosen),
  );

/** The models in failover order, each with its reason. */
const Reasons = ({ models }: Pick<ModelsProps, "models">) => {
  const { page } = useWords();
  const alone = models.length === 1;
  return (
    <ol class="models">
      {models.map((model) => (
        <li>
          <About model={model} alone={alone} />
        </li>
      ))}
      {alone ? null : <li class="soft">{page.models.order}</li>}
    </ol>
  );
};

/** The model that is asked first, in one field where it may be chosen; the rest is folded. */
export const Models = ({ models, choosable, chosen }: ModelsProps) => {
  const words = useWords();
  const { page } = words;
  const [first] = models;
  if (first === undefined) return <p>{page.noModel}</p>;
  const selected = chosenIndex(models, chosen);
  return (
    <>
      {choosable && models.length > 1 ? (
        <select id="model" name={formFields.model} aria-label={page.models.legend} data-was={first.id}>
          {models.map((model, i) => (
            <option id={`model-${i}`} value={model.id} selected={i === selected}>
              {plainLetters(model.id, words)}
              {upTo(model, words)}
            </option>
          ))}
        </select>
      ) : (
        <Name value={first.id} />
      )}
      <details class="why">
        <summary class="chev">{page.models.why}</summary>
        <Reasons models={models} />
      </details>
    </>
  );
};

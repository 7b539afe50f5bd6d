// The models in the order in which they are called. No other model gets the content.

import type { SamplingRequest } from "../../shared/model/sampling.ts";
import { type ToolCall, toolName } from "../../shared/model/subject/tool-call.ts";
import { callWords } from "../../shared/channels/content-words.ts";
import { formFields } from "../../shared/review/form.ts";
import type { ShownModel } from "../../shared/review/view.ts";
import { useWords } from "./language.ts";
import { Name, Plain } from "./outside-text.tsx";
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

/** The only model's cost is at the top of the page. */
const About = ({ model, alone }: { model: ShownModel; alone: boolean }) => {
  const { page, review } = useWords();
  const { upTo } = page.strip;
  const { worstCostUsd: usd } = model;
  return (
    <>
      <strong>
        <Name value={model.id} />
        {alone ? null : ` · ${usd === 0 ? page.dollars(0) : upTo.replace("{cost}", page.dollars(usd))}`}
      </strong>
      <KnownAs model={model} />
      <span class="soft">
        <Plain value={whyText(model.why, review.why)} />
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

/** The list in failover order, with radio buttons where the reviewer may choose the first. */
export const Models = ({ models, choosable, chosen }: ModelsProps) => {
  const { page } = useWords();
  if (models.length === 0) return <p>{page.noModel}</p>;
  const alone = models.length === 1;
  if (!choosable || alone) {
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
  }
  const first = chosenIndex(models, chosen);
  return (
    <fieldset>
      <legend class="sr">{page.models.legend}</legend>
      {models.map((model, i) => (
        <label class="model">
          <input
            type="radio"
            name={formFields.model}
            value={model.id}
            id={`model-${i}`}
            checked={i === first}
            data-was={i === 0 ? "yes" : "no"}
          />
          <span>
            <About model={model} alone={false} />
          </span>
        </label>
      ))}
      <p class="hint">{page.models.order}</p>
    </fieldset>
  );
};

// The settings of a request as rows of the details, each with its field where it can be changed.

import type { Child } from "hono/jsx";
import { type ModelPreferences, type SamplingRequest, dimensionsOf } from "../../shared/model/sampling.ts";
import { objectText } from "../../shared/review/editable-fields.ts";
import type { Origins } from "./request-kind-words.ts";
import { useWords } from "./language.ts";
import { Name } from "./outside-text.tsx";
import { FramedText } from "./request-content.tsx";
import { fill } from "./sentence.tsx";
import { type Showing, fieldAt } from "./text-part.tsx";
import { placeWords } from "../../shared/channels/content-words.ts";

/** A fact in one line: its name, and what it is. */
export const Row = ({ name, children }: { name: Child; children: Child }) => (
  <div class="pair">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** The same where the fact needs more room. */
export const TallRow = ({ name, children }: { name: Child; children: Child }) => (
  <div class="tall">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

type FieldRowProps = {
  readonly showing: Showing;
  readonly path: string;
  readonly text: string;
  readonly kind: "limit" | "number";
};

/** A setting with its field; without one where it cannot be changed here. */
const FieldRow = ({ showing, path, text, kind }: FieldRowProps) => {
  const words = useWords();
  const { settings, edit, changes } = words.page;
  const name = placeWords(path, words, showing.kind);
  const field = fieldAt(showing, path, text);
  const earlier = showing.earlier.get(path)?.changes.find((change) => change.kind === "removed");
  const was = earlier?.kind === "removed" ? fill(settings.was, { before: <Name value={earlier.text} /> }) : null;
  if (field === null)
    return (
      <Row name={name}>
        {text} {was}
      </Row>
    );
  const hint = `${field.name}:hint`;
  const fault = `${field.name}:fault`;
  return (
    <div class={field.isChanged || field.error !== undefined ? "tall beside changed" : "tall beside"}>
      <dt>
        <label for={field.name}>{name}</label> {field.isChanged ? <span class="badge">{changes.changed}</span> : null}
      </dt>
      <dd>
        {field.error === undefined ? null : (
          <p class="fault" id={fault}>
            {field.error}
          </p>
        )}
        <input
          class="narrow num"
          id={field.name}
          name={field.name}
          value={field.value}
          data-was={text}
          inputmode={kind === "limit" ? "numeric" : "decimal"}
          aria-describedby={field.error === undefined ? hint : `${fault} ${hint}`}
          {...(field.error === undefined ? {} : { "aria-invalid": "true" })}
        />
        <p class="hint" id={hint}>
          {field.isChanged ? (
            <>
              {fill(settings.was, { before: <Name value={text} /> })}
              {words.review.marks.stop}{" "}
            </>
          ) : null}
          {was}
          {was === null ? "" : `${words.review.marks.stop} `}
          {kind === "limit" ? edit.limit : edit.removable}
        </p>
      </dd>
    </div>
  );
};

/** The stop sequences' field is one line: a browser would take the line ends out of it. */
const StopRow = ({ showing, path, text }: Omit<FieldRowProps, "kind">) => {
  const words = useWords();
  const { edit, changes } = words.page;
  const name = placeWords(path, words, showing.kind);
  const field = fieldAt(showing, path, text);
  if (field === null)
    return (
      <Row name={name}>
        <Name value={JSON.stringify(text)} />
      </Row>
    );
  const fault = `${field.name}:fault`;
  return (
    <div class={field.isChanged || field.error !== undefined ? "tall changed" : "tall"}>
      <dt>
        {name} <Name value={JSON.stringify(text)} /> {field.isChanged ? <span class="badge">{changes.changed}</span> : null}
      </dt>
      <dd>
        <details class="edit" open={field.isChanged || field.error !== undefined}>
          <summary class="chev">
            {edit.open}
            <span class="sr">
              {words.review.marks.colon}
              {name}
            </span>
          </summary>
          {field.error === undefined ? null : (
            <p class="fault" id={fault}>
              {field.error}
            </p>
          )}
          <textarea
            class="field mono"
            id={field.name}
            name={field.name}
            rows={2}
            spellcheck={false}
            aria-label={name}
            data-was={text}
            {...(field.error === undefined ? {} : { "aria-describedby": fault, "aria-invalid": "true" })}
          >
            {`\n${field.value}`}
          </textarea>
          <p class="hint">{edit.removable}</p>
        </details>
      </dd>
    </div>
  );
};

const Preferences = ({ preferences }: { preferences: ModelPreferences }) => {
  const {
    page: { settings },
    review: { marks },
  } = useWords();
  const hints = preferences.hints ?? [];
  const { costPriority: cost, speedPriority: speed, intelligencePriority: intelligence } = preferences;
  const priorities = Object.entries({ cost, speed, intelligence })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join(marks.comma);
  return (
    <>
      {hints.length === 0 ? null : (
        <p>
          {settings.hints}
          {hints.map((hint, i) => (
            <>
              {i === 0 ? "" : marks.comma}
              <Name value={hint.name ?? ""} />
            </>
          ))}
        </p>
      )}
      {priorities === "" ? null : <p>{settings.priorities + priorities}</p>}
      {hints.length === 0 && priorities === "" ? <p>{settings.notSet}</p> : null}
    </>
  );
};

type SettingsProps = { readonly request: SamplingRequest; readonly showing: Showing; readonly origins: Origins };

const ReplyForm = ({ format, origins }: { format: NonNullable<SamplingRequest["responseFormat"]>; origins: Origins }) => {
  const { page, review } = useWords();
  const { schema } = format;
  return (
    <TallRow name={page.settings.form}>
      {schema === undefined ? (
        review.json
      ) : (
        <>
          <p>{page.settings.jsonSchema}</p>
          <FramedText text={objectText(schema)} from={origins.request} />
        </>
      )}
    </TallRow>
  );
};

/**
 * The numbers, in one line each. Those that only a chat needs are left out for other kinds, unless
 * they are set.
 */
const Numbers = ({ request, showing }: Omit<SettingsProps, "origins">) => {
  const { settings } = useWords().page;
  const { kind, maxTokens, temperature, topP, topK } = request;
  const dimensions = dimensionsOf(request);
  return (
    <>
      {kind !== "chat" ? null : <FieldRow showing={showing} path="/maxTokens" text={String(maxTokens)} kind="limit" />}
      {temperature !== undefined ? (
        <FieldRow showing={showing} path="/temperature" text={String(temperature)} kind="number" />
      ) : kind === "chat" ? (
        <Row name={settings.temperature}>{settings.notSet}</Row>
      ) : null}
      {topP === undefined ? null : <Row name={settings.topP}>{String(topP)}</Row>}
      {topK === undefined ? null : <Row name={settings.topK}>{String(topK)}</Row>}
      {dimensions === undefined ? null : <Row name={settings.dimensions}>{String(dimensions)}</Row>}
    </>
  );
};

/** Every setting that reaches a provider, and what the client asked for beside. */
export const SettingsRows = ({ request, showing, origins }: SettingsProps) => {
  const { page } = useWords();
  const { settings, toolChoices, contexts } = page;
  const { responseFormat, stopSequences = [], toolChoice, parallelToolCalls, includeContext, modelPreferences, metadata } = request;
  return (
    <>
      <Numbers request={request} showing={showing} />
      {responseFormat === undefined ? null : <ReplyForm format={responseFormat} origins={origins} />}
      {stopSequences.map((stop, i) => (
        <StopRow showing={showing} path={`/stopSequences/${i}`} text={stop} />
      ))}
      {toolChoice === undefined ? null : <Row name={settings.toolChoice}>{toolChoices[toolChoice]}</Row>}
      {parallelToolCalls === undefined ? null : (
        <Row name={settings.parallelToolCalls}>{parallelToolCalls ? settings.severalToolCalls : settings.oneToolCall}</Row>
      )}
      {includeContext === undefined ? null : <Row name={settings.includeContext}>{contexts[includeContext]}</Row>}
      {modelPreferences === undefined ? null : (
        <TallRow name={settings.preferences}>
          <Preferences preferences={modelPreferences} />
        </TallRow>
      )}
      {metadata === undefined ? null : (
        <TallRow name={settings.metadata}>
          <FramedText text={objectText(metadata)} from={origins.request} />
        </TallRow>
      )}
    </>
  );
};

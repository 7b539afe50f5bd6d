// The form of one model.

import type { JsonObject } from "../../../../shared/json-types.ts";
import { isObject } from "../../../../shared/json/values.ts";
import { providersIn, writtenModel } from "../../../../shared/routing/table-edit.ts";
import { fill } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import { FormToken } from "../shell.tsx";
import { type Faults, FormVerdict, faultAt } from "./form-faults.tsx";
import { CheckField, LinesField, NumberField, SelectField, TextField } from "./form-pieces.tsx";
import { type ModelFields, kindsOfContent, kindsOfTask, prices, scoreAxes } from "./model-fields.ts";
import { routingWords } from "./routing-words.ts";

type FormProps = {
  readonly visit: Visit;
  readonly version: number;
  readonly table: JsonObject;
  readonly was: string | null;
  readonly fields: ModelFields;
  readonly faults: Faults | null;
};

type PartProps = Pick<FormProps, "table" | "was" | "fields" | "faults">;

const Identity = ({ table, fields, faults }: PartProps) => {
  const { form: texts } = useTexts(routingWords);
  const field = (name: string) => ({ name, value: fields.get(name), fault: faultAt(faults, name) });
  const providers = Object.keys(providersIn(table)).map((name) => [name, name] as const);
  return (
    <fieldset class="card form">
      <legend class="label">{texts.identity}</legend>
      <TextField {...field("id")} label={texts.id} help={texts.idHelp} isRequired />
      <SelectField {...field("provider")} label={texts.provider} options={providers} />
      <TextField {...field("name")} label={texts.name} help={texts.nameHelp} isRequired />
      <LinesField {...field("aliases")} label={texts.aliases} help={texts.aliasesHelp} />
      <LinesField {...field("standsInFor")} label={texts.standsInFor} help={texts.standsInForHelp} />
      <NumberField {...field("place")} label={texts.place} help={texts.placeHelp} isWhole />
    </fieldset>
  );
};

const Abilities = ({ fields, faults }: PartProps) => {
  const { form: texts, models, play } = useTexts(routingWords);
  const field = (name: string) => ({ name, value: fields.get(name), fault: faultAt(faults, name) });
  return (
    <fieldset class="card form">
      <legend class="label">{texts.abilities}</legend>
      <fieldset id="accepts">
        <legend class="label">{texts.accepts}</legend>
        {kindsOfContent.map((kind) => (
          <CheckField name="accepts" value={kind} label={models.kinds[kind]} isChecked={fields.has("accepts", kind)} />
        ))}
      </fieldset>
      <fieldset id="tasks">
        <legend class="label">{texts.tasks}</legend>
        {kindsOfTask.map((kind) => (
          <CheckField name="tasks" value={kind} label={play.tasks[kind]} isChecked={fields.has("tasks", kind)} />
        ))}
      </fieldset>
      <CheckField name="tools" value="yes" label={texts.tools} isChecked={fields.has("tools", "yes")} />
      <NumberField {...field("contextTokens")} label={texts.contextTokens} isWhole isRequired />
      <NumberField {...field("maxOutputTokens")} label={texts.maxOutputTokens} isWhole isRequired />
      <NumberField {...field("imageTokens")} label={texts.imageTokens} help={texts.optional} isWhole />
    </fieldset>
  );
};

const Prices = ({ table, was, fields, faults }: PartProps) => {
  const { form: texts } = useTexts(routingWords);
  const price = was === null ? undefined : writtenModel(table, was)?.["price"];
  const above = isObject(price) ? price["above"] : undefined;
  const from = isObject(above) ? above["inputTokens"] : undefined;
  return (
    <fieldset class="card form">
      <legend class="label">{texts.prices}</legend>
      <div class="two">
        {prices.map((name) => {
          const isRequired = name === "inputPerMTok" || name === "outputPerMTok";
          return (
            <NumberField
              name={name}
              value={fields.get(name)}
              fault={faultAt(faults, name)}
              label={texts[name]}
              isRequired={isRequired}
              {...(isRequired ? {} : { help: texts.optional })}
            />
          );
        })}
      </div>
      {typeof from === "number" ? <p class="hint">{fill(texts.above, { n: from })}</p> : null}
    </fieldset>
  );
};

const Scores = ({ fields, faults }: PartProps) => {
  const { form: texts } = useTexts(routingWords);
  return (
    <fieldset class="card form">
      <legend class="label">{texts.scores}</legend>
      {scoreAxes.map((axis) => (
        <NumberField
          name={axis}
          value={fields.get(axis)}
          fault={faultAt(faults, axis)}
          label={texts.scoreNames[axis]}
          most={1}
          isRequired
        />
      ))}
    </fieldset>
  );
};

const Access = ({ fields, faults }: PartProps) => {
  const { form: texts } = useTexts(routingWords);
  const field = (name: string) => ({ name, value: fields.get(name), fault: faultAt(faults, name) });
  return (
    <fieldset class="card form">
      <legend class="label">{texts.access}</legend>
      <CheckField name="enabled" value="yes" label={texts.enabled} isChecked={fields.has("enabled", "yes")} />
      <LinesField {...field("onlyKeys")} label={texts.onlyKeys} help={texts.onlyKeysHelp} />
      <LinesField {...field("onlyServers")} label={texts.onlyServers} help={texts.onlyServersHelp} />
      <LinesField {...field("rest")} label={texts.rest} help={texts.restHelp} isJson />
    </fieldset>
  );
};

/** Where the operator may only read, its fields cannot be changed, and it has no buttons. */
export const ModelForm = ({ visit, version, table, was, fields, faults }: FormProps) => {
  const { form: texts } = useTexts(routingWords);
  const part = { table, was, fields, faults };
  const mayChange = visit.may("change");
  return (
    <form class="stack" method="post" action={visit.at("routing/model")} data-part="check">
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="was" value={was ?? ""} />
      <fieldset class="plain-set" {...(mayChange ? {} : { disabled: true })}>
        <div class="grid half">
          <div class="grid">
            <Identity {...part} />
            <Scores {...part} />
            <Prices {...part} />
          </div>
          <div class="grid">
            <Abilities {...part} />
            <Access {...part} />
          </div>
        </div>
      </fieldset>
      <FormVerdict faults={faults} />
      {mayChange ? (
        <>
          <p class="soft">{fill(texts.basedOn, { next: version + 1 })}</p>
          <div class="actions">
            <button class="btn yes" type="submit" name="do" value="save">
              {texts.save}
            </button>
            <button class="btn" type="submit" name="do" value="check" formnovalidate>
              {texts.check}
            </button>
            <button class="btn" type="submit" name="do" value="try">
              {texts.tryIt}
            </button>
          </div>
        </>
      ) : null}
    </form>
  );
};

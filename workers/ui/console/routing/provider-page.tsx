// One provider of the routing table: added, changed or removed in a form. Its credential is a
// secret of the Worker, and never stands here.

import type { Json, JsonObject } from "../../../../shared/json-types.ts";
import { isObject } from "../../../../shared/json/values.ts";
import { pointerStep } from "../../../../shared/json/issue-collector.ts";
import { tableKinds } from "../../../../shared/routing/provider-kinds.ts";
import { providersIn, withProvider, withoutProvider } from "../../../../shared/routing/table-edit.ts";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { numberIn, readDocument } from "../documents/document-api.ts";
import { partScript } from "../part-script.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Confirm, Note, Refused } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { type Faults, FormVerdict, faultAt, faultsOf } from "./form-faults.tsx";
import { CheckField, SelectField, TextField } from "./form-pieces.tsx";
import { routingWords } from "./routing-words.ts";
import { issuesOf, saveTable, tableOf } from "./table-save.ts";

const texts = ["secret", "baseUrl", "baseUrlFrom"] as const;
const switches = ["keyless", "allowPrivate"] as const;

type Fields = { readonly name: string; readonly provider: JsonObject };

type Form = {
  readonly version: number;
  readonly table: JsonObject;
  /** Its name; null: a new one. */
  readonly was: string | null;
  readonly fields: Fields;
  readonly faults?: Faults;
  readonly failure?: ApiError;
};

const providerIn = (table: JsonObject, name: string): JsonObject | null => {
  const providers = providersIn(table);
  const found = Object.hasOwn(providers, name) ? providers[name] : undefined;
  return isObject(found) ? (found as JsonObject) : null;
};

const modelsOf = (table: JsonObject, name: string | null): number =>
  (Array.isArray(table["models"]) ? table["models"] : []).filter((model) => isObject(model) && model["provider"] === name).length;

const textAt = (provider: JsonObject, name: string): string => {
  const value = provider[name];
  return typeof value === "string" ? value : "";
};

const ProviderForm = ({ visit, form: { version, was, fields, faults } }: { visit: Visit; form: Form }) => {
  const { form: words, providers } = useTexts(routingWords);
  const { name, provider } = fields;
  const mayChange = visit.may("change");
  const field = (of: string) => ({ name: of, value: textAt(provider, of), fault: faultAt(faults ?? null, of) });
  return (
    <form class="stack" method="post" action={visit.at("routing/provider")} data-part="check">
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="was" value={was ?? ""} />
      <fieldset class="card form" {...(mayChange ? {} : { disabled: true })}>
        <legend class="label">{words.provider}</legend>
        <TextField name="name" value={name} fault={faultAt(faults ?? null, "name")} label={providers.name} isRequired />
        <SelectField {...field("kind")} label={words.kind} options={tableKinds.map((kind) => [kind, providers.kinds[kind]] as const)} />
        <TextField {...field("secret")} label={words.secret} help={words.secretHelp} />
        <TextField {...field("baseUrl")} label={words.baseUrl} help={words.baseUrlHelp} />
        <TextField {...field("baseUrlFrom")} label={words.baseUrlFrom} help={words.baseUrlFromHelp} />
        {switches.map((of) => (
          <CheckField name={of} value="yes" label={words[of]} isChecked={provider[of] === true} />
        ))}
      </fieldset>
      <FormVerdict faults={faults ?? null} />
      {mayChange ? (
        <>
          <p class="soft">{fill(words.basedOn, { next: version + 1 })}</p>
          <div class="actions">
            <button class="btn yes" type="submit" name="do" value="save">
              {words.save}
            </button>
            <button class="btn" type="submit" name="do" value="check" formnovalidate>
              {words.check}
            </button>
          </div>
        </>
      ) : null}
    </form>
  );
};

function formShown(visit: Visit, form: Form): PageAnswer {
  const { form: words } = routingWords[visit.language];
  const { was, table, version, faults = [], failure } = form;
  const title = was === null ? words.addProvider : fill(words.editProvider, { name: was }).join("");
  const isRemoved = was !== null && providerIn(table, was) === null;
  const used = modelsOf(table, was);
  return {
    kind: "page",
    title,
    ...(isRemoved ? { status: 404 } : faults.length === 0 && failure === undefined ? {} : { status: 422 }),
    script: partScript,
    body: () => (
      <>
        <div class="head">
          <h1>{title}</h1>
          <a class="btn small" href={visit.at("routing")}>
            {words.back}
          </a>
        </div>
        {failure === undefined ? null : <Refused failure={failure} />}
        {isRemoved ? <Note of="bad">{words.notFoundProvider}</Note> : <ProviderForm visit={visit} form={form} />}
        {isRemoved || was === null || !visit.may("change") ? null : used > 0 ? (
          <p class="soft">{fill(words.usedBy, { n: used })}</p>
        ) : (
          <Confirm
            visit={visit}
            to="routing/provider"
            fields={{ version: String(version), was, do: "remove" }}
            ask={words.removeProvider}
            about={was}
            says={fill(words.removeProviderSays, { n: version })}
            button={words.removeButton}
          />
        )}
      </>
    ),
  };
}

const shownOf = (table: JsonObject, was: string | null): Fields => ({
  name: was ?? "",
  provider: (was === null ? null : providerIn(table, was)) ?? { kind: "openai" },
});

async function providerShown(visit: Visit): Promise<PageAnswer> {
  const { version, ...document } = await readDocument(visit, "routing");
  const table = document as JsonObject; // JSON of the API
  const was = visit.query.get("name");
  return formShown(visit, { version, table, was, fields: shownOf(table, was) });
}

/** What the form stands for. Members that it does not have stay as they were. */
function fieldsIn(form: URLSearchParams, old: JsonObject): Fields {
  const text = (name: string): string => (form.get(name) ?? "").trim();
  const provider: Record<string, Json> = { ...old, kind: text("kind") };
  for (const name of texts) {
    if (text(name) === "") delete provider[name];
    else provider[name] = text(name);
  }
  for (const name of switches) {
    const isOn = form.get(name) === "yes";
    if (isOn || Object.hasOwn(old, name)) provider[name] = isOn;
  }
  return { name: text("name"), provider };
}

async function providerActs(visit: Visit): Promise<PageAnswer> {
  const version = numberIn(visit.form.get("version"));
  if (version === null) return { kind: "notFound" };
  const table = await tableOf(visit, version);
  const was = visit.form.get("was") || null;
  if (visit.form.get("do") === "remove" && was !== null) {
    const removed = await saveTable(visit, { version, table: withoutProvider(table, was), done: "providerRemoved" });
    return removed.ok ? removed.value : formShown(visit, { version, table, was, fields: shownOf(table, was), failure: removed.error });
  }
  const fields = fieldsIn(visit.form, (was === null ? null : providerIn(table, was)) ?? {});
  const changed = withProvider(table, was, fields.name, fields.provider);
  const isTaken = fields.name !== was && providerIn(table, fields.name) !== null;
  const { form: words } = routingWords[visit.language];
  const faults: Faults = [
    ...(isTaken ? [{ field: "name", message: words.taken }] : []),
    ...faultsOf(await issuesOf(visit, changed), `/providers${pointerStep(fields.name)}`, ([member = ""]) =>
      member === "" ? "name" : member,
    ),
  ];
  if (visit.form.get("part") === "check") return { kind: "part", body: () => <FormVerdict faults={faults} /> };
  const form = { version, table, was, fields, faults };
  if (faults.length > 0 || visit.form.get("do") === "check") return formShown(visit, form);
  const saved = await saveTable(visit, { version, table: changed, done: "provider" });
  return saved.ok ? saved.value : formShown(visit, { ...form, failure: saved.error });
}

export const providerPage: ConsolePage = { path: "routing/provider", get: providerShown, post: providerActs };

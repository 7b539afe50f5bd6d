// One model of the routing table: added, changed or removed in a form.

import type { JsonObject } from "../../../../shared/json-types.ts";
import { isObject } from "../../../../shared/json/values.ts";
import { type ModelEdit, placeOfModel, withModel, withoutModel, writtenModel } from "../../../../shared/routing/table-edit.ts";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { numberIn, readDocument, textOf } from "../documents/document-api.ts";
import { partScript } from "../part-script.ts";
import type { ConsolePage, PageAnswer, Visit } from "../page.ts";
import { Confirm, Note, Refused } from "../pieces.tsx";
import { type FieldProblem, type ModelFields, editOf, fieldsOfForm, fieldsOfModel } from "./model-fields.ts";
import { type Faults, FormVerdict, faultsOf } from "./form-faults.tsx";
import { ModelForm } from "./model-form.tsx";
import { playScript } from "./playground.tsx";
import { routingShown } from "./routing-page.tsx";
import { routingWords } from "./routing-words.ts";
import { issuesOf, saveTable, tableOf } from "./table-save.ts";

type Form = {
  readonly version: number;
  readonly table: JsonObject;
  /** The id of the model; null: a new one. */
  readonly was: string | null;
  readonly fields: ModelFields;
  readonly faults?: Faults;
  readonly failure?: ApiError;
};

function formShown(visit: Visit, { version, table, was, fields, faults, failure }: Form): PageAnswer {
  const { form: texts } = routingWords[visit.language];
  const title = was === null ? texts.addModel : fill(texts.editModel, { name: was }).join("");
  const isRemoved = was !== null && writtenModel(table, was) === null;
  return {
    kind: "page",
    title,
    ...(isRemoved ? { status: 404 } : (faults ?? []).length === 0 && failure === undefined ? {} : { status: 422 }),
    script: partScript + playScript,
    body: () => (
      <>
        <div class="head">
          <h1>{title}</h1>
          <a class="btn small" href={visit.at("routing")}>
            {texts.back}
          </a>
        </div>
        {failure === undefined ? null : <Refused failure={failure} />}
        {isRemoved ? (
          <Note of="bad">{texts.notFound}</Note>
        ) : (
          <>
            <ModelForm visit={visit} version={version} table={table} was={was} fields={fields} faults={faults ?? null} />
            {was === null || !visit.may("change") ? null : (
              <Confirm
                visit={visit}
                to="routing/model"
                fields={{ version: String(version), was, do: "remove" }}
                ask={texts.remove}
                about={was}
                says={fill(texts.removeSays, { n: version })}
                button={texts.removeButton}
              />
            )}
          </>
        )}
      </>
    ),
  };
}

async function modelShown(visit: Visit): Promise<PageAnswer> {
  const { version, ...document } = await readDocument(visit, "routing");
  const table = document as JsonObject; // JSON of the API
  const was = visit.query.get("id");
  return formShown(visit, { version, table, was, fields: fieldsOfModel(table, was) });
}

async function modelActs(visit: Visit): Promise<PageAnswer> {
  const version = numberIn(visit.form.get("version"));
  if (version === null) return { kind: "notFound" };
  const table = await tableOf(visit, version);
  const was = visit.form.get("was") || null;
  if (visit.form.get("do") === "remove" && was !== null) {
    const removed = await saveTable(visit, { version, table: withoutModel(table, was), done: "removed" });
    if (removed.ok) return removed.value;
    return formShown(visit, { version, table, was, fields: fieldsOfModel(table, was), failure: removed.error });
  }
  const fields = fieldsOfForm(visit.form);
  const { edit, problems } = editOf(table, was, fields);
  const changed = withModel(table, edit);
  const faults = await faultsOfEdit(visit, { changed, edit, problems });
  if (visit.form.get("part") === "check") return { kind: "part", body: () => <FormVerdict faults={faults} /> };
  const form = { version, table, was, fields, faults };
  if (faults.length > 0 || visit.form.get("do") === "check") return formShown(visit, form);
  if (visit.form.get("do") === "try") return routingShown(visit, { text: textOf(changed), value: changed, version });
  const saved = await saveTable(visit, { version, table: changed, done: "model" });
  return saved.ok ? saved.value : formShown(visit, { version, table, was, fields, failure: saved.error });
}

type Edited = { readonly changed: JsonObject; readonly edit: ModelEdit; readonly problems: readonly FieldProblem[] };

/** What is wrong with the fields, by field where it is one's. */
async function faultsOfEdit(visit: Visit, { changed, edit, problems }: Edited): Promise<Faults> {
  const { form: texts } = routingWords[visit.language];
  const own = problems.map(({ field, problem }) => ({ field, message: texts[problem] }));
  const at = placeOf(changed, edit);
  const others = (await issuesOf(visit, changed)).filter(({ pointer }) => !own.some(({ field }) => pointer.endsWith(`/${field}`)));
  return [...own, ...faultsOf(others, `/models/${at}`, modelFieldAt)];
}

/** Where the model stands now, from 0. */
function placeOf(changed: JsonObject, { model, place }: ModelEdit): number {
  const models = Array.isArray(changed["models"]) ? changed["models"] : [];
  const here = models[Math.min(Math.max(place - 1, 0), models.length - 1)];
  return isObject(here) && here["id"] === model["id"] ? models.indexOf(here as JsonObject) : placeOfModel(changed, String(model["id"])) - 1;
}

/**
 * The field that a member of the model is entered in: `/price/inputPerMTok` in its own, `/thinking`
 * in the one for the rest.
 */
function modelFieldAt(steps: readonly string[]): string | null {
  const [member = "", inner] = steps;
  if (member === "price" || member === "scores") return inner ?? null;
  const own = [
    "id",
    "provider",
    "name",
    "aliases",
    "accepts",
    "tasks",
    "tools",
    "contextTokens",
    "maxOutputTokens",
    "imageTokens",
    "onlyKeys",
    "onlyServers",
    "enabled",
  ];
  return own.includes(member) ? member : member === "" ? null : "rest";
}

export const modelPage: ConsolePage = { path: "routing/model", get: modelShown, post: modelActs };

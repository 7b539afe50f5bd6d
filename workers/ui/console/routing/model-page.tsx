// One model of the routing table, in a form.

import { isObject } from "../../../../shared/json/values.ts";
import { pointerTo } from "../../../../shared/routing/issues.ts";
import {
  type ModelEdit,
  placeOfModel,
  providersIn,
  standsInFor,
  withModel,
  withoutModel,
  writtenModel,
} from "../../../../shared/routing/table-edit.ts";
import type { JsonObject } from "../../../../shared/json-types.ts";
import { textOf } from "../documents/document-api.ts";
import { type DrawnProps, MoreFields, othersThan } from "../fields.tsx";
import { useTexts } from "../page.ts";
import { playScript } from "./playground.tsx";
import { modelForm } from "./routing-fields.ts";
import { renderRouting } from "./routing-page.tsx";
import { routingWords } from "./routing-words.ts";
import { FieldSet, type TableEntry, pageOf } from "./table-entry.tsx";

const sets = {
  identity: ["id", "provider", "name", "aliases", "standsInFor", "place"],
  scores: ["scores-intelligence", "scores-speed", "scores-cost"],
  prices: ["price-inputPerMTok", "price-outputPerMTok", "price-cachedInputPerMTok", "price-cacheWritePerMTok"],
  abilities: ["accepts", "tasks", "tools", "contextTokens", "maxOutputTokens", "imageTokens"],
  access: ["enabled", "onlyKeys", "onlyServers"],
} as const;
const more = othersThan(modelForm, Object.values(sets).flat());

/** Where the model stands now, from 0. */
function indexOf(table: JsonObject, { model, place }: ModelEdit): number {
  const models = Array.isArray(table["models"]) ? table["models"] : [];
  const here = models[Math.min(Math.max(place - 1, 0), models.length - 1)];
  return isObject(here) && here["id"] === model["id"] ? models.indexOf(here) : placeOfModel(table, String(model["id"])) - 1;
}

const Rest = (drawn: DrawnProps) => {
  const { form } = useTexts(routingWords);
  return (
    <div class="card form">
      <MoreFields {...drawn} of={more} title={form.sets.more} />
    </div>
  );
};

const entry: TableEntry = {
  ...modelForm,
  kind: "model",
  document: "routing",
  name: "id",
  done: { saved: "model", removed: "removed" },
  script: playScript,
  read: (table, was) => {
    const model = was === null ? { scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 } } : writtenModel(table, was);
    return model === null ? null : { ...model, place: placeOfModel(table, was), standsInFor: was === null ? [] : standsInFor(table, was) };
  },
  write: (table, { was, entry: { place, standsInFor: hints, ...model } }) => {
    const edit: ModelEdit = {
      was,
      model,
      place: typeof place === "number" ? place : placeOfModel(table, was),
      standsInFor: Array.isArray(hints) ? hints.map(String) : [],
    };
    const changed = withModel(table, edit);
    return { document: changed, at: pointerTo(["models", indexOf(changed, edit)]) };
  },
  without: withoutModel,
  tryDraft: (visit, value, version) => renderRouting(visit, { text: textOf(value), value, version }),
  fields: (drawn, table) => {
    const options = { provider: Object.keys(providersIn(table)).map((name) => [name, name] as const) };
    return (
      <>
        <div class="grid half">
          <div class="grid">
            <FieldSet {...drawn} title="identity" of={sets.identity} options={options} />
            <FieldSet {...drawn} title="scores" of={sets.scores} />
            <FieldSet {...drawn} title="prices" of={sets.prices} inPairs />
          </div>
          <div class="grid">
            <FieldSet {...drawn} title="abilities" of={sets.abilities} />
            <FieldSet {...drawn} title="access" of={sets.access} />
          </div>
        </div>
        <Rest {...drawn} />
      </>
    );
  },
};

export const modelPage = pageOf(entry);

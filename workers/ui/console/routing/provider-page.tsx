// One provider of the routing table, in a form. Its credential is a secret of the Worker, and never
// stands here.

import { isObject, objectOf } from "../../../../shared/json/values.ts";
import type { JsonObject } from "../../../../shared/json-types.ts";
import { pointerTo } from "../../../../shared/routing/issues.ts";
import { providersIn, withProvider, withoutProvider } from "../../../../shared/routing/table-edit.ts";
import { fill } from "../../sentence.tsx";
import { othersThan } from "../fields.tsx";
import { providerForm } from "./routing-fields.ts";
import { routingWords } from "./routing-words.ts";
import { FieldSet, type TableEntry, pageOf } from "./table-entry.tsx";

const modelsOf = (table: JsonObject, name: string): number =>
  (Array.isArray(table["models"]) ? table["models"] : []).filter((model) => isObject(model) && model["provider"] === name).length;

const entry: TableEntry = {
  ...providerForm,
  kind: "provider",
  document: "routing",
  name: "name",
  done: { saved: "provider", removed: "providerRemoved" },
  read: (table, was) => {
    if (was === null) return { kind: "openai" };
    const providers = providersIn(table);
    const provider = Object.hasOwn(providers, was) ? objectOf(providers[was]) : null;
    return provider === null ? null : { ...provider, name: was };
  },
  write: (table, { was, name, entry: { name: _name, ...provider } }) => ({
    document: withProvider(table, was, name, provider),
    at: pointerTo(["providers", name]),
  }),
  without: withoutProvider,
  errorsOf: (table, { was, name }, language) =>
    name !== was && Object.hasOwn(providersIn(table), name) ? { name: routingWords[language].form.taken } : {},
  isKept: (texts, table, name) => (modelsOf(table, name) > 0 ? fill(texts.usedBy, { n: modelsOf(table, name) }) : null),
  fields: (drawn) => <FieldSet {...drawn} title="provider" of={["name", ...othersThan(providerForm, ["name"])]} />,
};

export const providerPage = pageOf(entry);

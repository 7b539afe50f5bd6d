// Changes of one entry of a routing table as it is written: everything else stays as it is, members
// that this version does not know included.

import type { JsonObject, Json } from "../json-types.ts";
import { isObject } from "../json/values.ts";

const listIn = (table: JsonObject, member: string): readonly JsonObject[] => {
  const list = table[member];
  return Array.isArray(list) ? (list.filter(isObject) as JsonObject[]) : []; // a table that was valid when it was written
};

const modelsIn = (table: JsonObject): readonly JsonObject[] => listIn(table, "models");
const equivalentsIn = (table: JsonObject): readonly JsonObject[] => listIn(table, "equivalents");
const namesIn = (entry: JsonObject): readonly Json[] => (Array.isArray(entry["models"]) ? entry["models"] : []);

export const writtenModel = (table: JsonObject, id: string): JsonObject | null =>
  modelsIn(table).find((model) => model["id"] === id) ?? null;

/** The model's place in the table, from 1; one behind the last where it is not in it. */
export function placeOfModel(table: JsonObject, id: string | null): number {
  const at = modelsIn(table).findIndex((model) => model["id"] === id);
  return (at === -1 ? modelsIn(table).length : at) + 1;
}

/** The hints that this model stands in for. */
export const standsInFor = (table: JsonObject, id: string): string[] =>
  equivalentsIn(table).flatMap((entry) => (namesIn(entry).includes(id) ? [String(entry["hint"])] : []));

export type ModelEdit = {
  /** The id that it had; null: a new one. */
  readonly was: string | null;
  /** From 1. */
  readonly place: number;
  readonly model: JsonObject;
  readonly standsInFor: readonly string[];
};

/**
 * The table with the model in its place. A new id takes the place of the old one wherever the
 * equivalents name it.
 */
export function withModel(table: JsonObject, { was, place, model, standsInFor: hints }: ModelEdit): JsonObject {
  const id = String(model["id"]);
  const others = modelsIn(table).filter((each) => each["id"] !== was || was === null);
  const models = others.toSpliced(Math.min(Math.max(place - 1, 0), others.length), 0, model);
  const missing = new Set(hints);
  const equivalents = equivalentsIn(table).flatMap((entry): JsonObject[] => {
    const hint = String(entry["hint"]);
    const renamed = namesIn(entry).map((name) => (was !== null && name === was ? id : name));
    const names = hints.includes(hint) ? (renamed.includes(id) ? renamed : [...renamed, id]) : renamed.filter((name) => name !== id);
    missing.delete(hint);
    return names.length === 0 ? [] : [{ ...entry, models: names }];
  });
  const added = [...missing].map((hint) => ({ hint, models: [id] }));
  return withEquivalents({ ...table, models }, [...equivalents, ...added]);
}

/** The table without the model, and without its id among the equivalents. */
export function withoutModel(table: JsonObject, id: string): JsonObject {
  const models = modelsIn(table).filter((model) => model["id"] !== id);
  const equivalents = equivalentsIn(table).flatMap((entry): JsonObject[] => {
    const names = namesIn(entry).filter((name) => name !== id);
    return names.length === 0 ? [] : [{ ...entry, models: names }];
  });
  return withEquivalents({ ...table, models }, equivalents);
}

const withEquivalents = (table: JsonObject, equivalents: readonly JsonObject[]): JsonObject =>
  equivalents.length === 0 && table["equivalents"] === undefined ? table : { ...table, equivalents: [...equivalents] };

export const providersIn = (table: JsonObject): JsonObject => (isObject(table["providers"]) ? table["providers"] : {});

/** The table with the provider; a new name takes the place of the old one in every model. */
export function withProvider(table: JsonObject, was: string | null, name: string, provider: JsonObject): JsonObject {
  const entries = Object.entries(providersIn(table));
  const changed: [string, Json][] =
    was === null || !entries.some(([each]) => each === was)
      ? [...entries.filter(([each]) => each !== name), [name, provider]]
      : entries.map(([each, value]) => (each === was ? [name, provider] : [each, value]));
  const models = modelsIn(table).map((model) => (was !== null && model["provider"] === was ? { ...model, provider: name } : model));
  return { ...table, providers: Object.fromEntries(changed), models };
}

export function withoutProvider(table: JsonObject, name: string): JsonObject {
  return { ...table, providers: Object.fromEntries(Object.entries(providersIn(table)).filter(([each]) => each !== name)) };
}

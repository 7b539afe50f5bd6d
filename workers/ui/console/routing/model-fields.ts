// A model of the routing table as the fields of a form, and back. What has no field is kept: in a
// field of its own as JSON, or as it was.

import type { Json, JsonObject } from "../../../../shared/json-types.ts";
import { printJson } from "../../../../shared/json/json-text.ts";
import { isObject, objectOf, parseJson } from "../../../../shared/json/values.ts";
import { placeOfModel, standsInFor, writtenModel, type ModelEdit } from "../../../../shared/routing/table-edit.ts";

export const kindsOfContent = ["text", "image", "audio"] as const;
export const kindsOfTask = ["chat", "embedding"] as const;
export const prices = ["inputPerMTok", "outputPerMTok", "cachedInputPerMTok", "cacheWritePerMTok"] as const;
export const scoreAxes = ["intelligence", "speed", "cost"] as const;

const texts = ["id", "provider", "name"] as const;
const counts = ["contextTokens", "maxOutputTokens", "imageTokens"] as const;
const lists = ["aliases", "onlyKeys", "onlyServers"] as const;
const fielded: ReadonlySet<string> = new Set([...texts, ...counts, ...lists, "accepts", "tasks", "tools", "price", "scores", "enabled"]);

/** The values of the fields, by name. Several of one name: check boxes. */
export type ModelFields = { readonly get: (name: string) => string; readonly has: (name: string, value: string) => boolean };

export const fieldsOfForm = (form: URLSearchParams): ModelFields => ({
  get: (name) => (form.get(name) ?? "").replaceAll("\r\n", "\n"),
  has: (name, value) => form.getAll(name).includes(value),
});

const inside = (value: Json | undefined, member: string): Json | undefined => (isObject(value) ? (value as JsonObject)[member] : undefined);
const textOf = (value: Json | undefined): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");
const linesOf = (value: Json | undefined): string => (Array.isArray(value) ? value.map(textOf).join("\n") : "");

/** The fields of a model as it is written; of a new one where there is none. */
export function fieldsOfModel(table: JsonObject, id: string | null): ModelFields {
  const model = (id === null ? null : writtenModel(table, id)) ?? {};
  const rest = Object.fromEntries(Object.entries(model).filter(([name]) => !fielded.has(name)));
  const values: Record<string, string> = {
    ...Object.fromEntries([...texts, ...counts].map((name) => [name, textOf(model[name])])),
    ...Object.fromEntries(lists.map((name) => [name, linesOf(model[name])])),
    ...Object.fromEntries(prices.map((name) => [name, textOf(inside(model["price"], name))])),
    ...Object.fromEntries(scoreAxes.map((axis) => [axis, textOf(inside(model["scores"], axis)) || "0.5"])),
    standsInFor: id === null ? "" : standsInFor(table, id).join("\n"),
    place: String(placeOfModel(table, id)),
    rest: Object.keys(rest).length === 0 ? "" : printJson(rest),
  };
  const sets: Record<string, Json> = {
    accepts: model["accepts"] ?? ["text"],
    tasks: model["tasks"] ?? ["chat"],
    tools: model["tools"] === true ? ["yes"] : [],
    enabled: model["enabled"] === false ? [] : ["yes"],
  };
  return {
    get: (name) => values[name] ?? "",
    has: (name, value) => {
      const set = sets[name];
      return Array.isArray(set) && set.includes(value);
    },
  };
}

/** A field that cannot be read, by its name. */
export type FieldProblem = { readonly field: string; readonly problem: "notNumber" | "notJson" };

/**
 * The change that the form stands for. `was`: the model as it is written in `table`, or null for a
 * new one.
 */
export function editOf(
  table: JsonObject,
  was: string | null,
  fields: ModelFields,
): { readonly edit: ModelEdit; readonly problems: readonly FieldProblem[] } {
  const old = (was === null ? null : writtenModel(table, was)) ?? {};
  const problems: FieldProblem[] = [];
  const numberOf = (name: string): number | undefined => {
    const text = fields.get(name).trim().replaceAll(/[\s_]/g, "");
    if (text === "") return undefined;
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    problems.push({ field: name, problem: "notNumber" });
    return undefined;
  };
  const restText = fields.get("rest").trim();
  const rest = restText === "" ? {} : objectOf(parseJson(restText));
  if (rest === null) problems.push({ field: "rest", problem: "notJson" });
  const chosen = (name: string, of: readonly string[]): string[] => of.filter((each) => fields.has(name, each));
  const oldPrice = isObject(old["price"]) ? (old["price"] as JsonObject) : {};
  const price = { ...oldPrice, ...Object.fromEntries(prices.map((name) => [name, numberOf(name)])) };
  const scores = Object.fromEntries(scoreAxes.map((axis) => [axis, numberOf(axis)]));
  const model: Record<string, unknown> = {
    ...Object.fromEntries(texts.map((name) => [name, fields.get(name).trim()])),
    ...Object.fromEntries(counts.map((name) => [name, numberOf(name)])),
    price,
    scores,
    ...rest,
  };
  /** What is as it would be without it is written only where it was. */
  const put = (name: string, value: Json, standard: Json): void => {
    if (Object.hasOwn(old, name) || JSON.stringify(value) !== JSON.stringify(standard)) model[name] = value;
  };
  for (const name of lists) put(name, linesIn(fields.get(name)), []);
  put("accepts", chosen("accepts", kindsOfContent), ["text"]);
  put("tasks", chosen("tasks", kindsOfTask), ["chat"]);
  put("tools", fields.has("tools", "yes"), false);
  put("enabled", fields.has("enabled", "yes"), true);
  const place = numberOf("place") ?? placeOfModel(table, was);
  const edit = { was, place, model: inOrder(old, model), standsInFor: linesIn(fields.get("standsInFor")) };
  return { edit, problems };
}

const linesIn = (text: string): string[] => [...new Set(text.split("\n").map((line) => line.trim()))].filter((line) => line !== "");

/**
 * Without members that are undefined, the old ones in their old order: a difference then shows what
 * was changed alone.
 */
function inOrder(old: JsonObject, model: Readonly<Record<string, unknown>>): JsonObject {
  const names = [
    ...Object.keys(old).filter((name) => Object.hasOwn(model, name)),
    ...Object.keys(model).filter((name) => !Object.hasOwn(old, name)),
  ];
  const ordered = Object.fromEntries(names.map((name) => [name, sameOrder(old[name], model[name])]));
  return JSON.parse(JSON.stringify(ordered)) as JsonObject; // of JSON values
}

const sameOrder = (old: Json | undefined, next: unknown): unknown =>
  Array.isArray(old) && Array.isArray(next) && old.length === next.length && next.every((each) => old.includes(each as Json)) ? old : next;

// The smallest value that satisfies a JSON Schema, as far as a schema can be satisfied without a
// solver. For the demo provider only.

import { isObject, type Members } from "../../json/values.ts";
import type { Json, JsonObject } from "../../encoding.ts";
import { isJsonObject } from "../narrow.ts";

const deepest = 16;
/**
 * References and long lists inside one another multiply: a schema of a few lines can demand more
 * values than fit in memory.
 */
const mostMembers = 10_000;

/**
 * `filler`: the text of free strings. `left`: how many more members of schemas may be looked at,
 * repeated looks included.
 */
type Walk = { readonly root: JsonObject; readonly filler: string; left: number };

/**
 * Arguments for a tool: an object with the schema's required members and nothing else; free strings
 * are "demo". Understood are const, default, examples, enum, type, required, properties, items,
 * prefixItems, minItems, minLength, common formats, bounds, multipleOf, anyOf, oneOf, allOf and
 * local `$ref`s. `pattern`, `not`, `if` and the like are not: such a value may fail the tool's own
 * check. What is deeper than 16 levels, or comes after 10,000 members, is null.
 */
export function minimalArguments(schema: JsonObject): JsonObject {
  const value = minimalValue(schema, "demo");
  return isJsonObject(value) ? value : {};
}

/**
 * A value of any type by the same rules; each string that the schema leaves free is `filler`,
 * within the schema's lengths.
 */
export const minimalValue = (schema: JsonObject, filler: string): Json => valueFor(schema, { root: schema, filler, left: mostMembers }, 0);

function valueFor(given: unknown, walk: Walk, depth: number): Json {
  if (!isObject(given) || depth > deepest || walk.left <= 0) return null;
  const schema = flattened(given, walk, depth);
  for (const name of ["const", "default"]) if (schema[name] !== undefined) return json(schema[name]);
  for (const name of ["enum", "examples"]) {
    const list = schema[name];
    if (Array.isArray(list) && list.length > 0) return json(list[0]);
  }
  const branch = [schema["anyOf"], schema["oneOf"]].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(branch)) return valueFor({ ...schema, anyOf: undefined, oneOf: undefined, ...fields(branch[0]) }, walk, depth + 1);
  switch (typeOf(schema)) {
    case "object":
      return objectFor(schema, walk, depth);
    case "array":
      return arrayFor(schema, walk, depth);
    case "string":
      return stringFor(schema, walk.filler);
    case "integer":
    case "number":
      return numberFor(schema);
    case "boolean":
      return false;
    default:
      return null;
  }
}

/**
 * The schema with its `$ref` and `allOf` folded in. Later members win, required lists and
 * properties add up.
 */
function flattened(schema: Members, walk: Walk, depth: number): Members {
  walk.left -= 1 + Object.keys(schema).length + Object.keys(fields(schema["properties"])).length + list(schema["required"]).length;
  const referred = typeof schema["$ref"] === "string" ? [resolve(schema["$ref"], walk.root)] : [];
  const parts = [...referred, ...(Array.isArray(schema["allOf"]) ? schema["allOf"] : [])];
  if (parts.length === 0 || depth > deepest) return schema;
  const merged: Record<string, unknown> = { ...schema, $ref: undefined, allOf: undefined };
  const properties = { ...fields(schema["properties"]) };
  const required = [...list(schema["required"])];
  for (const part of parts) {
    if (walk.left <= 0) break;
    const next = flattened(fields(part), walk, depth + 1);
    Object.assign(merged, next);
    Object.assign(properties, fields(next["properties"]));
    for (const name of list(next["required"])) required.push(name);
  }
  return { ...merged, properties, required };
}

function resolve(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) at = fields(at)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  return at;
}

function typeOf(schema: Members): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type[0];
  if (type !== undefined) return type;
  if (schema["properties"] !== undefined || schema["required"] !== undefined) return "object";
  return schema["items"] === undefined ? undefined : "array";
}

function objectFor(schema: Members, walk: Walk, depth: number): Json {
  const properties = fields(schema["properties"]);
  const names = list(schema["required"]).filter((name) => typeof name === "string");
  return Object.fromEntries(names.map((name) => [name, valueFor(properties[name], walk, depth + 1)]));
}

function arrayFor(schema: Members, walk: Walk, depth: number): Json {
  const prefix = list(schema["prefixItems"]);
  const length = Math.min(count(schema["minItems"]), 100);
  return Array.from({ length }, (_, index) => valueFor(prefix[index] ?? schema["items"], walk, depth + 1));
}

const formats: { readonly [format: string]: string } = {
  date: "2000-01-01",
  time: "00:00:00Z",
  "date-time": "2000-01-01T00:00:00Z",
  duration: "PT0S",
  email: "demo@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** JSON Schema counts characters, not UTF-16 units. */
function stringFor(schema: Members, filler: string): string {
  const format = typeof schema["format"] === "string" ? formats[schema["format"]] : undefined;
  if (format !== undefined) return format;
  const characters = [...filler];
  const missing = Math.min(count(schema["minLength"]), 10_000) - characters.length;
  return [...characters, ..."o".repeat(Math.max(0, missing))].slice(0, lengthOf(schema["maxLength"])).join("");
}

function numberFor(schema: Members): number {
  const step = number(schema["multipleOf"]) ?? (typeOf(schema) === "integer" ? 1 : undefined);
  const least = number(schema["minimum"]) ?? -Infinity;
  const above = number(schema["exclusiveMinimum"]) ?? -Infinity;
  const most = Math.min(number(schema["maximum"]) ?? Infinity, number(schema["exclusiveMaximum"]) ?? Infinity);
  if (step === undefined) {
    if (least <= 0 && above < 0 && most > 0) return 0;
    if (least > above) return least;
    if (above !== -Infinity) return most === Infinity ? above + 1 : (above + most) / 2;
    return number(schema["maximum"]) === most ? most : most - 1;
  }
  if (least <= 0 && above < 0 && most > 0) return 0;
  if (least === -Infinity && above === -Infinity) {
    const down = Math.floor(most / step) * step;
    return down === number(schema["exclusiveMaximum"]) ? down - step : down;
  }
  const up = Math.ceil(Math.max(least, above) / step) * step;
  return up === above ? up + step : up;
}

const fields = (value: unknown): Members => (isObject(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const count = (value: unknown): number => Math.max(0, number(value) ?? 0);
const lengthOf = (value: unknown): number => Math.max(0, number(value) ?? Infinity);

/**
 * A member of a schema, which is JSON already; null where it is deeper than any arguments may be.
 */
function json(value: unknown): Json {
  const wrapped: unknown = { value };
  return isJsonObject(wrapped) ? (wrapped["value"] ?? null) : null;
}

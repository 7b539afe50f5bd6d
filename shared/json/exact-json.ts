// JSON as text, for what must stay as it was written: a parser rounds 9007199254740993, and makes
// 1.0 of 1. Each takes JSON that JSON.parse has accepted.

import type { Json } from "../json-types.ts";
import { elementsOf, membersOf, textAt, whole } from "./spans.ts";
import { isObject } from "./values.ts";

const encoder = new TextEncoder();

/** An object's members, each as it is written; of a repeated name the last, as in JSON.parse. */
export function membersIn(json = "{}"): Map<string, string> {
  const bytes = encoder.encode(json);
  return new Map(membersOf(bytes, whole(bytes)).map((span) => [span.name, textAt(bytes, span)]));
}

/** The items of a list, each as it is written. */
export function itemsIn(json = "[]"): string[] {
  const bytes = encoder.encode(json);
  return elementsOf(bytes, whole(bytes)).map((span) => textAt(bytes, span));
}

/** Without the white space between its parts. */
export const compactJson = (json: string): string => json.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, "$1");

/** As JSON.stringify indents it by two, with texts and numbers as they are written. */
export function prettyJson(json: string, indent = ""): string {
  const value: unknown = JSON.parse(json);
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? itemsIn(json).map((each) => prettyJson(each, deeper))
    : isObject(value)
      ? [...membersIn(json)].map(([name, each]) => `${JSON.stringify(name)}: ${prettyJson(each, deeper)}`)
      : null;
  if (parts === null) return json.trim();
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return parts.length === 0 ? open + close : `${open}\n${parts.map((part) => deeper + part).join(",\n")}\n${indent}${close}`;
}

/** The JSON of a value, in which each part that is the same in `json` is written as it is there. */
export function jsonLike(json: string | undefined, value: Json): string {
  if (json === undefined) return JSON.stringify(value);
  const before: unknown = JSON.parse(json);
  if (JSON.stringify(before) === JSON.stringify(value)) return json;
  if (Array.isArray(before) && Array.isArray(value)) {
    const items = itemsIn(json);
    return `[${value.map((each, i) => jsonLike(items[i], each)).join(",")}]`;
  }
  if (!isObject(before) || !isObject(value)) return JSON.stringify(value);
  const members = membersIn(json);
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}:${jsonLike(members.get(name), each)}`)
    .join(",")}}`;
}

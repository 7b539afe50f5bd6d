// The fields of a content that a reviewer may change, each under its JSON pointer. One walk for
// each kind (subject/) serves the form, the edits and the differences, so that all of them know the
// same fields.

import type { JsonObject } from "../encoding.ts";
import { prettyJson } from "../json/exact-json.ts";
import { placeOf } from "../json-schema/field-controls.ts";
import { type Walk, unchanged } from "../model/subject/walk.ts";

/** An object as the JSON text that a form has for editing. */
export const objectText = (value: JsonObject, json?: string): string =>
  json === undefined ? JSON.stringify(value, null, 2) : prettyJson(json);

/** Puts the text of each field that may be changed into `fields`, and changes nothing. */
export function collector(fields: Map<string, string>): Walk {
  const keep =
    <T extends string | number | JsonObject>(show: (value: T, json?: string) => string) =>
    (path: string, value: T, json?: string): T => {
      fields.set(path, show(value, json));
      return value;
    };
  const text = keep<string>((value) => value);
  const number = keep<number>(String);
  return { ...unchanged, text, optionalText: text, object: keep<JsonObject>(objectText), limit: number, number };
}

/** Whether a pointer leads into what came of a request, and not into the request. */
export const isInReply = (pointer: string): boolean => /^\/(?:content|structuredContent)(?:\/|$)/.test(pointer);

/** Whether a pointer leads into the arguments of a tool's call. */
export const isInArguments = (pointer: string): boolean => /^\/arguments(?:[/~]|$)/.test(pointer);

/** The names that lead to one of the arguments of a tool's call, or null: "to/1/name". */
export function argumentName(pointer: string): string | null {
  const place = placeOf(pointer);
  return place.startsWith("/arguments/") ? place.slice("/arguments/".length).replaceAll("~1", "/").replaceAll("~0", "~") : null;
}

/** The list positions in a pointer, counted from one. */
export const ordinalsIn = (path: string): number[] => [...path.matchAll(/\/(\d+)/g)].map((match) => Number(match[1]) + 1);

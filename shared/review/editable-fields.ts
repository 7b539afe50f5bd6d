// The fields of a content that a reviewer may change, each under its JSON pointer. One walk for
// each kind (subject/) serves the form, the edits and the differences, so that all of them know the
// same fields.

import type { JsonObject } from "../encoding.ts";

/** What the walk puts in place of each field. `undefined` leaves the field out. */
export type Rewrite = {
  text(path: string, value: string): string;
  optionalText(path: string, value: string): string | undefined;
  object(path: string, value: JsonObject): JsonObject;
  /** A limit in tokens. */
  limit(path: string, value: number): number;
  number(path: string, value: number): number | undefined;
};

/** An object as the JSON text that a form has for editing. */
export const objectText = (value: JsonObject): string => JSON.stringify(value, null, 2);

/** Puts each field's text into `fields`, and changes nothing. */
export function collector(fields: Map<string, string>): Rewrite {
  const keep =
    <T extends string | number | JsonObject>(show: (value: T) => string) =>
    (path: string, value: T): T => {
      fields.set(path, show(value));
      return value;
    };
  const text = keep<string>((value) => value);
  const number = keep<number>(String);
  return { text, optionalText: text, object: keep<JsonObject>(objectText), limit: number, number };
}

/** Blanks every editable field: the rest is what no edit can change. */
export const blanked: Rewrite = {
  text: () => "",
  optionalText: () => undefined,
  object: () => ({}),
  limit: () => 0,
  number: () => undefined,
};

/** Whether a pointer leads into what came of a request, and not into the request. */
export const isInReply = (pointer: string): boolean => /^\/(?:content|structuredContent)(?:\/|$)/.test(pointer);

/** The list positions in a pointer, counted from one. */
export const ordinalsIn = (path: string): number[] => [...path.matchAll(/\/(\d+)/g)].map((match) => Number(match[1]) + 1);

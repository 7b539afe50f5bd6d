// What a walk over a content does at each of its places. One walk for each kind but messages serves
// the form, the edits, the differences, the masks, the warnings and what the channels show, so that
// all of them know the same places. A message's walk (shared/review/subject/message.ts) is that of
// what a reviewer may change.

import type { JsonObject } from "../../encoding.ts";

/**
 * Called with the JSON pointer and the value of each place; what it returns stands there instead.
 * `undefined` leaves the member out.
 */
export type Walk = {
  // What a reviewer may change.
  text(path: string, value: string): string;
  optionalText(path: string, value: string): string | undefined;
  /** `json`: how it is written, where JSON.stringify would write it otherwise. */
  object(path: string, value: JsonObject, json?: string): JsonObject;
  /** A limit in tokens. */
  limit(path: string, value: number): number;
  number(path: string, value: number): number | undefined;
  // What is shown and checked, and is no reviewer's to change.
  fixedText(path: string, value: string): string;
  fixedObject(path: string, value: JsonObject, json?: string): JsonObject;
  /** Shown and checked, and sent nowhere. */
  claim(path: string, value: string): void;
};

/** Leaves everything as it is. */
export const unchanged: Walk = {
  text: (_, value) => value,
  optionalText: (_, value) => value,
  object: (_, value) => value,
  limit: (_, value) => value,
  number: (_, value) => value,
  fixedText: (_, value) => value,
  fixedObject: (_, value) => value,
  claim: () => {},
};

/** Every text and object alike, whether a reviewer may change it or not. */
export const alike = (text: Walk["text"], object: Walk["object"]): Walk => ({
  ...unchanged,
  text,
  optionalText: text,
  object,
  fixedText: text,
  fixedObject: object,
});

/** Blanks every place that a reviewer may change: the rest is what no edit can change. */
export const blanking: Walk = {
  ...unchanged,
  text: () => "",
  optionalText: () => undefined,
  object: () => ({}),
  limit: () => 0,
  number: () => undefined,
};

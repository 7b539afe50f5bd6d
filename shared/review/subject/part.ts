// What the kinds of subjects have in common: how a request or a reply of each is edited and
// compared.

import type { Walk } from "../../model/subject/walk.ts";
import { collector } from "../editable-fields.ts";

/** The adapter of one kind of content. */
export type Part<T> = {
  /** With each field rewritten that a reviewer may change, in the page's order. */
  readonly rewrite: (value: T, rewrite: Walk) => T;
  /** Whether a value is one of this kind by its schema. */
  readonly fits: (value: unknown) => boolean;
  /** Whether a reviewer may empty a text. */
  readonly mayBeEmptied: boolean;
  /** What is said of an edit that makes it invalid. */
  readonly invalid: "invalidRequest" | "invalidReply";
  /** What is compared of a version; absent: field by field, and what no edit can change. */
  readonly compared?: (value: T) => Compared;
};

export type Compared = { readonly fields: ReadonlyMap<string, string>; readonly rest: unknown };

/** Each field's text by its path, as this walk finds them. */
export function fieldsBy<T>(rewrite: Part<T>["rewrite"], value: T): Map<string, string> {
  const fields = new Map<string, string>();
  rewrite(value, collector(fields));
  return fields;
}

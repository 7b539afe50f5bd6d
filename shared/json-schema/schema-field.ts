// One field of a form for a value by its JSON Schema: what it is, what it shows, and what may be
// entered. schema-fields.ts makes them.

import type { Json } from "../encoding.ts";
import { prettyJson } from "../json/exact-json.ts";
import { typesOf } from "./alternatives.ts";
import type { PlainKeywords } from "./schema-keywords.ts";
import type { Schema } from "./schema-node.ts";

/** `json`: the value that it stands for. `label`: its title, or the value as people read it. */
export type FieldOption = { readonly json: string; readonly label: string };

export type FieldKind =
  | { readonly kind: "text" }
  | { readonly kind: "number" }
  | { readonly kind: "json" }
  /** One of these. True and false are a choice of two. */
  | { readonly kind: "choice"; readonly options: readonly FieldOption[] }
  /** Any number of these, each once. */
  | { readonly kind: "choices"; readonly options: readonly FieldOption[] }
  | { readonly kind: "object"; readonly members: readonly SchemaField[] }
  /** Those that are there, those that were added, and a blank one. */
  | { readonly kind: "list"; readonly items: readonly SchemaField[] }
  | Union;

/** A value of one of several schemas: the fields of one, and which other ones there are. */
export type Union = {
  readonly kind: "union";
  readonly alternatives: readonly FieldAlternative[];
  /** The alternative that the value is of as it came; null where it is of none, or not there. */
  readonly was: number | null;
  /** The one whose fields these are. */
  readonly chosen: number | null;
  /** Its field, whose pointer is another one where the alternative is not that of the value. */
  readonly inner: SchemaField | null;
};

/** What tells an alternative from the others. Names and titles come from outside. */
export type FieldAlternative = {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly type: string | undefined;
  /** Members of one value, and that value. */
  readonly fixed: ReadonlyMap<string, Json>;
  /** The only value that it allows. */
  readonly only: Json | undefined;
  /** The names of members, those first that must be there. */
  readonly members: readonly string[];
  /** The schemas that a value of it is checked by. */
  readonly schemas: readonly Schema[];
};

export type SchemaField = FieldKind & {
  /** RFC 6901. Of an item that was added: where it would stand if no other were removed. */
  readonly pointer: string;
  /** Of a member; null for the whole and for an item of a list. */
  readonly name: string | null;
  /** The schema's own words, which come from outside. */
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  /** The JSON of the value as it came; undefined where there is none. */
  readonly source: string | undefined;
  /** What the schema says is meant where there is no value. */
  readonly initial: Json | undefined;
  /** Bounds, pattern and format. */
  readonly rules: PlainKeywords;
};

/**
 * Whether the field has the control of `outControl`. A choice has an option for it, and a number or
 * JSON text that is emptied is left out.
 */
export function hasOut({ kind, isRequired, isNullable, source }: SchemaField): boolean {
  if (source === undefined || kind === "choice") return false;
  return isRequired ? isNullable && source !== "null" : kind !== "number" && kind !== "json";
}

/** Whether it is a number that has to be a whole one. */
export const isWhole = ({ kind, rules }: Pick<SchemaField, "kind" | "rules">): boolean =>
  kind === "number" && typesOf(rules).includes("integer") && !typesOf(rules).includes("number");

/**
 * What a number, a length or a count of items is at least and at most. Not told: what every whole
 * number is that JSON carries, and every text.
 */
export function boundsOf(field: SchemaField): { readonly min?: number | undefined; readonly max?: number | undefined } {
  const { minimum, maximum, exclusiveMinimum, minLength = 0, maxLength, minItems, maxItems } = field.rules;
  if (field.kind === "text") return { min: minLength > 1 ? minLength : undefined, max: maxLength };
  if (field.kind !== "number") return { min: minItems, max: maxItems };
  const min = isWhole(field) && exclusiveMinimum !== undefined ? Math.floor(exclusiveMinimum) + 1 : minimum;
  const told = (limit = Infinity): number | undefined => (Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined);
  return { min: told(min), max: told(maximum) };
}

/** What the control of a text, a number, a choice or JSON text shows. */
export function shownIn({ kind, source }: SchemaField): string {
  if (source === undefined) return "";
  const value: unknown = JSON.parse(source);
  if (kind === "text") return typeof value === "string" ? value : "";
  if (kind === "number") return source === "null" ? "" : source;
  return kind === "choice" ? JSON.stringify(value) : prettyJson(source);
}

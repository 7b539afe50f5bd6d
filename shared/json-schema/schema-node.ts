// A schema in the form that values are checked by: what `readSchema` returns. Every keyword is
// well-formed, every reference leads to its schema, and what drafts write in several ways is
// written in one: lists of `items` as `prefixItems`, `dependencies` as the two keywords that
// replaced it.

import type { Pattern } from "./pattern.ts";
import type { PlainKeywords, schemaLists, singleSchemas } from "./schema-keywords.ts";

export type Schema = boolean | SchemaNode;

export type SchemaNode = {
  /** Its JSON pointer in the schema that was given. */
  readonly path: string;
  readonly plain: PlainKeywords;
  readonly single: { [keyword in (typeof singleSchemas)[number] | "items" | "$ref"]?: Schema };
  readonly lists: { [keyword in (typeof schemaLists)[number]]?: readonly Schema[] };
  readonly properties: Map<string, Schema>;
  readonly patternProperties: Map<string, Schema>;
  readonly dependentSchemas: Map<string, Schema>;
  readonly dependentRequired: Map<string, readonly string[]>;
};

export type ReadySchema = {
  readonly root: Schema;
  /** By their source text. */
  readonly patterns: ReadonlyMap<string, Pattern>;
  /** Whether `contains` evaluates the items that match it: not in 2019-09. */
  readonly containsEvaluates: boolean;
};

/** The schemas that a schema applies to the value itself, by keyword. */
export function inPlace({ single, lists, dependentSchemas }: SchemaNode): [keyword: string, Schema][] {
  const several = (["anyOf", "allOf", "oneOf"] as const).map((keyword) => [keyword, lists[keyword] ?? []] as const);
  return [
    ...(["$ref", "not", "if", "then", "else"] as const).map((keyword) => [keyword, single[keyword]] as const),
    ...several.flatMap(([keyword, schemas]) => schemas.map((each) => [keyword, each] as const)),
    ...[...dependentSchemas.values()].map((each) => ["dependentSchemas", each] as const),
  ].flatMap(([keyword, schema]): [string, Schema][] => (schema === undefined ? [] : [[keyword, schema]]));
}

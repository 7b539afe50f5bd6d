// The alternatives that a schema has for one value: those of `oneOf` and `anyOf`, also inside one
// another and behind references, and several types. Each is one schema from which fields can be
// drawn. It checks nothing: a value is checked by the schema as it was given.

import type { Json } from "../json-types.ts";
import type { PlainKeywords } from "./schema-keywords.ts";
import type { Schema, SchemaNode } from "./schema-node.ts";

export type Alternative = {
  /** What a value of it is drawn from, with what the schemas around it say. */
  readonly schema: Schema;
  /** The members of `oneOf` and `anyOf` that lead to it, from the outermost. */
  readonly own: readonly Schema[];
};

/** More make no list that a person chooses from. */
const mostAlternatives = 40;
/** Schemas that are put together for the alternatives of one. */
const mostExpanded = 400;

export const typesOf = ({ type = [] }: PlainKeywords): readonly string[] => [type].flat();

export const isNull = (schema: Schema): boolean => typeof schema !== "boolean" && typesOf(schema.plain).join() === "null";

/** Null where a value has no choice of at least two, null itself not counted, or of too many. */
export function alternativesOf(schema: SchemaNode): readonly Alternative[] | null {
  const found = new Expansion().expand(schema);
  if (found === null || found.length > mostAlternatives) return null;
  const [none, others] = [found.filter(({ schema: each }) => isNull(each)), found.filter(({ schema: each }) => !isNull(each))];
  return others.length < 2 ? null : [...others, ...none.slice(0, 1)];
}

/** The members that have one value in this alternative: they tell it from the others. */
export function fixedMembers({ schema }: Alternative): ReadonlyMap<string, Json> {
  const members = typeof schema === "boolean" ? [] : [...schema.properties];
  return new Map(
    members.flatMap(([name, member]): readonly (readonly [string, Json])[] => {
      const value = onlyValue(member);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The one value that a schema allows; undefined where it names none, or several. */
export function onlyValue(schema: Schema): Json | undefined {
  if (typeof schema === "boolean") return undefined;
  const { const: value, enum: values } = schema.plain;
  return value !== undefined || values?.length !== 1 ? value : values[0];
}

class Expansion {
  #left = mostExpanded;

  /** Null: too many. */
  expand(from: Schema): readonly Alternative[] | null {
    this.#left -= 1;
    if (this.#left < 0) return null;
    if (typeof from === "boolean") return [{ schema: from, own: [] }];
    const { oneOf, anyOf, allOf = [], ...lists } = from.lists;
    const { $ref, ...single } = from.single;
    let found: readonly Alternative[] | null = [{ schema: { ...from, single, lists }, own: [] }];
    for (const each of $ref === undefined ? allOf : [$ref, ...allOf]) found = this.#each(found, this.expand(each));
    for (const list of [oneOf, anyOf]) {
      if (list === undefined) continue;
      const members = this.#members(list);
      const types = typesOf(from.plain).join();
      if (members === null || members.some(({ schema }) => saysMore(schema, types))) found = this.#each(found, members);
    }
    return found === null ? null : found.flatMap(byType);
  }

  #members(list: readonly Schema[]): readonly Alternative[] | null {
    const all: Alternative[] = [];
    for (const each of list) {
      const found = this.expand(each);
      if (found === null) return null;
      all.push(...found.map(({ schema, own }) => ({ schema, own: [each, ...own] })));
    }
    return all;
  }

  #each(these: readonly Alternative[] | null, those: readonly Alternative[] | null): readonly Alternative[] | null {
    if (these === null || those === null) return null;
    this.#left -= these.length * those.length;
    if (this.#left < 0) return null;
    return these.flatMap((one) => those.map((other) => ({ schema: both(one.schema, other.schema), own: [...one.own, ...other.own] })));
  }
}

/** Whether other fields come of it: what only narrows a value leaves its field as it is. */
const saysMore = (schema: Schema, outerTypes: string): boolean =>
  typeof schema !== "boolean" &&
  (!["", outerTypes].includes(typesOf(schema.plain).join()) ||
    schema.properties.size > 0 ||
    schema.single.items !== undefined ||
    schema.lists.prefixItems !== undefined ||
    schema.plain.enum !== undefined ||
    schema.plain.const !== undefined);

/** One for each of several types. A whole number is a number. */
function byType(alternative: Alternative): readonly Alternative[] {
  const { schema, own } = alternative;
  if (typeof schema === "boolean" || schema.plain.enum !== undefined || schema.plain.const !== undefined) return [alternative];
  const types = typesOf(schema.plain);
  const different = types.filter((type) => type !== "integer" || !types.includes("number"));
  if (different.length < 2) return [alternative];
  return different.map((type) => ({ schema: { ...schema, plain: { ...schema.plain, type } }, own }));
}

/** Both schemas as one: for what both say, the inner one. */
function both(outer: Schema, inner: Schema): Schema {
  if (typeof inner === "boolean") return inner ? outer : inner;
  if (typeof outer === "boolean") return outer ? inner : outer;
  const said = Object.fromEntries(Object.entries(inner.plain).filter(([, value]) => value !== undefined));
  const required = [...new Set([...(outer.plain.required ?? []), ...(inner.plain.required ?? [])])];
  return {
    path: inner.path,
    plain: { ...outer.plain, ...said, ...(required.length === 0 ? {} : { required }) },
    single: { ...outer.single, ...inner.single },
    lists: { ...outer.lists, ...inner.lists },
    properties: new Map([...outer.properties, ...inner.properties]),
    patternProperties: new Map([...outer.patternProperties, ...inner.patternProperties]),
    dependentSchemas: new Map([...outer.dependentSchemas, ...inner.dependentSchemas]),
    dependentRequired: new Map([...outer.dependentRequired, ...inner.dependentRequired]),
  };
}

// The fields of a form for a value by its JSON Schema: the arguments of a call, the answer to a
// form. Pure: schema and value in, fields out; typed-fields.ts reads what was typed into them.
//
// What a schema does not describe, or describes in a way that no control says, is a field of JSON
// text: nothing of the value is without a field. Each field keeps the JSON of its value as it came,
// because a number beyond 2^53 is another one after JSON.parse.

import type { Json, JsonObject } from "../encoding.ts";
import { itemsIn, membersIn } from "../json/exact-json.ts";
import { pointerStep } from "../json/issue-collector.ts";
import { isObject } from "../json/values.ts";
import { type Alternative, alternativesOf, fixedMembers, isNull, onlyValue, typesOf } from "./alternatives.ts";
import { type Work, checkValue } from "./check-value.ts";
import { type Typed, alternativeControl } from "./field-controls.ts";
import type { FieldAlternative, FieldKind, FieldOption, SchemaField, Union } from "./schema-field.ts";
import type { ReadySchema, Schema, SchemaNode } from "./schema-node.ts";

const mostFields = 400;
const mostItems = 50;
export const mostOptions = 1_000;
/** Objects and lists inside one another. */
const deepest = 8;
/** References and alternatives that lead to one schema. */
const mostSteps = 16;

/** `json`: the value's JSON, which JSON.parse accepts; undefined where there is none yet. */
type FieldsInput = {
  readonly schema: ReadySchema;
  /** The schema as it was given, for its words. */
  readonly given: JsonObject;
  readonly json: string | undefined;
  /** Where the value stands in what the form is about: the beginning of every pointer. */
  readonly at: string;
  /** What was typed so far: items that were added have fields. */
  readonly typed?: Typed;
};

/** The whole as one field: an object of fields, or JSON text where no field can say more. */
export function fieldOf({ schema, given, json, at, typed = new Map() }: FieldsInput): SchemaField {
  return new FieldBuilder(schema, given, typed).field(schema.root, json, { pointer: at, name: null, isRequired: true, open: [] });
}

type Place = Pick<SchemaField, "pointer" | "name" | "isRequired"> & {
  /** The schemas of what is around it. */
  readonly open: readonly SchemaNode[];
};

/** What a schema comes down to for one value. */
type Shape = {
  readonly schema: SchemaNode | null;
  readonly type: string | undefined;
  readonly options: readonly FieldOption[] | undefined;
  readonly alternatives: readonly Alternative[] | undefined;
  readonly isNullable: boolean;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly initial: Json | undefined;
};

class FieldBuilder {
  readonly #ready: ReadySchema;
  readonly #given: JsonObject;
  readonly #typed: Typed;
  #left = mostFields;
  readonly #work: Work = { steps: 0, patternSteps: 0 };
  readonly #alternatives = new Map<SchemaNode, readonly Alternative[] | null>();

  constructor(ready: ReadySchema, given: JsonObject, typed: Typed) {
    this.#ready = ready;
    this.#given = given;
    this.#typed = typed;
  }

  field(from: Schema, source: string | undefined, place: Place): SchemaField {
    this.#left -= 1;
    const value = source === undefined ? undefined : (JSON.parse(source) as Json); // JSON.parse accepted the whole
    const { schema, type, options, alternatives, isNullable, ...words } = this.#shapeOf(from, value);
    const { pointer, name, isRequired } = place;
    const common = { pointer, name, isRequired, isNullable, source, rules: schema?.plain ?? {}, ...words };
    if (alternatives !== undefined) return { ...common, ...this.#union(alternatives, value, source, place) };
    if (options !== undefined) return { ...common, kind: "choice", options: withCurrent(options, isNullable, value) };
    if ((type === "string" && isOr(value, "string", isNullable)) || (type === "number" && isOr(value, "number", isNullable)))
      return { ...common, kind: type === "string" ? "text" : "number" };
    // A text of no type that is known stays one: in JSON text it would stand in quotes.
    if (type === undefined && typeof value === "string") return { ...common, kind: "text" };
    if (schema === null || !this.#hasRoom(schema, source, place)) return { ...common, kind: "json" };
    const inside = [...place.open, schema];
    if (type === "object" && schema.properties.size > 0 && (value === undefined || isObject(value)))
      return { ...common, kind: "object", members: this.#members(schema, source, pointer, inside) };
    if (type === "array" && (value === undefined || Array.isArray(value)))
      return { ...common, ...this.#list(schema, value, source, pointer, inside) };
    return { ...common, kind: "json" };
  }

  #union(alternatives: readonly Alternative[], value: Json | undefined, source: string | undefined, place: Place): Union {
    const { pointer, name, open } = place;
    const was = value === undefined ? null : this.#fitting(alternatives, value);
    const typed = this.#typed.get(alternativeControl(place));
    const index = typed !== undefined && /^\d{1,2}$/.test(typed) ? Number(typed) : null;
    const chosen = index !== null && index < alternatives.length ? index : was;
    const inside = { name, isRequired: true, open };
    const alternative = chosen === null ? undefined : alternatives[chosen];
    const inner =
      alternative === undefined
        ? source === undefined
          ? null
          : this.field(true, source, { pointer, ...inside })
        : chosen === was
          ? this.field(alternative.schema, source, { pointer, ...inside })
          : this.field(alternative.schema, this.#startOf(alternative, alternatives, value, source), {
              pointer: `${pointer}~.as${chosen}`,
              ...inside,
            });
    return { kind: "union", alternatives: alternatives.map((each) => this.#described(each)), was, chosen, inner };
  }

  #described(alternative: Alternative): FieldAlternative {
    const { schema, own } = alternative;
    const words = typeof schema === "boolean" ? {} : this.#at(schema.path);
    const names = typeof schema === "boolean" ? [] : [...new Set([...(schema.plain.required ?? []), ...schema.properties.keys()])];
    return {
      title: wordsOf(words["title"]),
      description: wordsOf(words["description"]),
      type: typeof schema === "boolean" ? undefined : typeAlone(schema),
      fixed: fixedMembers(alternative),
      only: onlyValue(schema),
      members: names,
      schemas: own,
    };
  }

  /**
   * What a value of an alternative begins as: the value that is there if it fits, with the members
   * that it may have, and the defaults. JSON; undefined where there is none yet.
   */
  #startOf({ schema }: Alternative, all: readonly Alternative[], value: Json | undefined, source: string | undefined): string | undefined {
    if (typeof schema === "boolean") return source;
    const type = typeAlone(schema);
    const initial = onlyValue(schema) ?? this.#at(schema.path)["default"];
    if (type === "object" && schema.properties.size > 0)
      return this.#startOfObject(schema, all, isObject(value) ? source : isObject(initial) ? JSON.stringify(initial) : undefined);
    if (value !== undefined && this.#fits(schema, value)) return source;
    if (initial !== undefined) return JSON.stringify(initial);
    if (schema.plain.enum !== undefined) return undefined;
    return { string: '""', array: "[]", object: "{}", null: "null" }[type ?? ""];
  }

  /** `source`: of an object. */
  #startOfObject(schema: SchemaNode, all: readonly Alternative[], source: string | undefined): string {
    const { properties, single } = schema;
    const described = new Set(all.flatMap((each) => (typeof each.schema === "boolean" ? [] : [...each.schema.properties.keys()])));
    const there = membersIn(source);
    const start = new Map<string, string>();
    for (const [name, member] of properties) {
      const initial = onlyValue(member) ?? (typeof member === "boolean" ? undefined : this.#at(member.path)["default"]);
      const came = there.get(name);
      if (came !== undefined && this.#fits(member, JSON.parse(came) as Json)) start.set(name, came); // a part of JSON
      else if (initial !== undefined) start.set(name, JSON.stringify(initial));
    }
    // What no alternative describes stays, unless this one has nothing but its own.
    for (const [name, text] of there) if (!described.has(name) && single.additionalProperties !== false) start.set(name, text);
    return `{${[...start].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
  }

  /** A value that is not there is not drawn without end where its schema has itself inside. */
  #hasRoom(schema: SchemaNode, source: string | undefined, { open }: Place): boolean {
    return this.#left > 0 && open.length < deepest && (source !== undefined || !open.includes(schema));
  }

  /** Those that are there in their order, then the others in that of the schema. */
  #members(
    { properties, patternProperties, plain, single }: SchemaNode,
    source: string | undefined,
    at: string,
    open: readonly SchemaNode[],
  ): SchemaField[] {
    const there = membersIn(source);
    const { required = [] } = plain;
    const other = single.additionalProperties ?? true;
    const byPattern = (name: string): Schema | undefined =>
      [...patternProperties].find(([pattern]) => this.#ready.patterns.get(pattern)?.matches(name))?.[1];
    return [...new Set([...there.keys(), ...properties.keys()])].map((name) =>
      this.field(properties.get(name) ?? byPattern(name) ?? other, there.get(name), {
        pointer: at + pointerStep(name),
        name,
        isRequired: required.includes(name),
        open,
      }),
    );
  }

  #list(
    { single, lists }: SchemaNode,
    value: Json | undefined,
    source: string | undefined,
    at: string,
    open: readonly SchemaNode[],
  ): FieldKind {
    const { items } = single;
    const values = Array.isArray(value) ? value : [];
    if (items === undefined || lists.prefixItems !== undefined || values.length > mostItems) return { kind: "json" };
    const { options, type } = this.#shapeOf(items, undefined);
    const texts = values.map((each) => JSON.stringify(each));
    const isSet = new Set(texts).size === texts.length && texts.every((text) => options?.some(({ json }) => json === text));
    if (options !== undefined && type === undefined && isSet) return { kind: "choices", options };
    const there = itemsIn(source);
    const count = Math.min(Math.max(there.length, this.#lastTyped(at, there.length)) + 1, mostItems);
    return {
      kind: "list",
      items: Array.from({ length: Math.max(count, there.length) }, (_, i) =>
        this.field(items, there[i], { pointer: `${at}/${i}`, name: null, isRequired: false, open }),
      ),
    };
  }

  /** One more than the index of the last item that was added and filled in. */
  #lastTyped(at: string, from: number): number {
    let last = from;
    for (const [control, text] of this.#typed) {
      const index = text !== "" && control.startsWith(`${at}/`) ? /^\d{1,3}(?=$|[/~])/.exec(control.slice(at.length + 1))?.[0] : undefined;
      if (index !== undefined) last = Math.max(last, Number(index) + 1);
    }
    return last;
  }

  #shapeOf(from: Schema, value: Json | undefined): Shape {
    let schema = from;
    let isNullable = false;
    let title: string | undefined;
    let description: string | undefined;
    let initial: Json | undefined;
    const shape = (more: Partial<Shape>): Shape => ({
      schema: null,
      type: undefined,
      options: undefined,
      alternatives: undefined,
      isNullable,
      title,
      description,
      initial,
      ...more,
    });
    for (let step = 0; step < mostSteps; step += 1) {
      if (typeof schema === "boolean") return shape({});
      const words = this.#at(schema.path);
      title ??= wordsOf(words["title"]);
      description ??= wordsOf(words["description"]);
      initial ??= words["default"];
      const { plain, single, lists, properties } = schema;
      const alternatives = lists.oneOf ?? lists.anyOf;
      const options = this.#optionsOf(schema) ?? alternatives?.map((each) => this.#onlyOption(each));
      if (options?.every((each) => each !== undefined) === true && options.length > 0 && options.length <= mostOptions)
        return shape({ schema, options, isNullable: isNullable || typesOf(plain).includes("null") });
      const several = this.#alternativesOf(schema);
      if (several !== null) return shape({ schema, alternatives: several });
      if (plain.type !== undefined || properties.size > 0 || single.items !== undefined) {
        const { type, orNull } = typeFor(schema, value);
        return shape({ schema, type, options: type === undefined ? undefined : fixedOptions[type], isNullable: isNullable || orNull });
      }
      const others: readonly Schema[] = alternatives?.filter((each) => !isNull(each)) ?? [];
      isNullable ||= alternatives !== undefined && others.length < alternatives.length;
      const next: Schema | undefined =
        single.$ref ?? (lists.allOf?.length === 1 ? lists.allOf[0] : others.length === 1 ? others[0] : undefined);
      if (next === undefined) return shape({});
      schema = next;
    }
    return shape({});
  }

  /** Where nothing of a schema says that there are several, they are not looked for. */
  #alternativesOf(schema: SchemaNode): readonly Alternative[] | null {
    const { oneOf, anyOf, allOf = [] } = schema.lists;
    if (oneOf === undefined && anyOf === undefined && allOf.length < 2 && typesOf(schema.plain).length < 2) return null;
    const known = this.#alternatives.get(schema);
    const found = known === undefined ? alternativesOf(schema) : known;
    this.#alternatives.set(schema, found);
    return found;
  }

  /**
   * The alternative that the value is of: of several that it fits, the one that describes most of
   * its members; where it fits none, the one whose fixed members it has.
   */
  #fitting(alternatives: readonly Alternative[], value: Json): number | null {
    let best: number | null = null;
    let most = -1;
    for (const [i, { schema, own }] of alternatives.entries()) {
      if (!isOfType(schema, value)) continue;
      if (!own.every((each) => this.#fits(each, value))) continue;
      const described =
        isObject(value) && typeof schema !== "boolean" ? Object.keys(value).filter((name) => schema.properties.has(name)) : [];
      if (described.length > most) [best, most] = [i, described.length];
    }
    if (best !== null || !isObject(value)) return best;
    const named = alternatives.findIndex((each) => {
      const fixed = [...fixedMembers(each)];
      return fixed.length > 0 && fixed.every(([name, only]) => Object.hasOwn(value, name) && value[name] === only);
    });
    return named === -1 ? null : named;
  }

  #fits(root: Schema, value: Json): boolean {
    const errors = checkValue({ ...this.#ready, root }, value, this.#work);
    return typeof errors !== "string" && errors.length === 0;
  }

  #optionsOf(schema: SchemaNode): readonly (FieldOption | undefined)[] | undefined {
    const names = this.#at(schema.path)["enumNames"];
    const { const: only, enum: values = only === undefined ? undefined : [only] } = schema.plain;
    return values?.map((value, i) => optionOf(value, Array.isArray(names) ? names[i] : undefined));
  }

  /** The option of a schema that allows one value. */
  #onlyOption(schema: Schema): FieldOption | undefined {
    if (typeof schema === "boolean") return undefined;
    const { const: value = schema.plain.enum?.length === 1 ? schema.plain.enum[0] : undefined } = schema.plain;
    return value === undefined ? undefined : optionOf(value, this.#at(schema.path)["title"]);
  }

  /** The schema at a place, as it was given. */
  #at(path: string): JsonObject {
    let value: Json | undefined = this.#given;
    for (const step of path === "" ? [] : path.slice(1).split("/")) {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      value = Array.isArray(value) ? value[Number(name)] : isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    }
    return isObject(value) ? value : {};
  }
}

const wordsOf = (value: unknown): string | undefined => (typeof value === "string" && value.trim() !== "" ? value : undefined);

/** The values of a type that has few. */
const fixedOptions: Readonly<Record<string, readonly FieldOption[]>> = {
  boolean: [true, false].map((value) => ({ json: String(value), label: String(value) })),
  null: [{ json: "null", label: "null" }],
};

/** Whole numbers are numbers. Of several types, that of the value. */
function typeFor({ plain, properties, single }: SchemaNode, value: Json | undefined): { type: string | undefined; orNull: boolean } {
  const types = typesOf(plain).map((type) => (type === "integer" ? "number" : type));
  const others = [...new Set(types)].filter((type) => type !== "null");
  const orNull = types.includes("null");
  if (others.length === 1) return { type: others[0], orNull };
  if (types.length > 0) return { type: others.find((type) => type === (Array.isArray(value) ? "array" : typeof value)), orNull };
  return { type: properties.size > 0 ? "object" : single.items === undefined ? undefined : "array", orNull };
}

function isOfType(schema: Schema, value: Json): boolean {
  const types = typeof schema === "boolean" ? [] : typesOf(schema.plain);
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return types.length === 0 || types.some((each) => each === type || (each === "integer" && Number.isInteger(value)));
}

/** The type of an alternative, which has one at most. */
const typeAlone = (schema: SchemaNode): string | undefined => (isNull(schema) ? "null" : typeFor(schema, undefined).type);

const isOr = (value: Json | undefined, type: "string" | "number", isNullable: boolean): boolean =>
  value === undefined || typeof value === type || (isNullable && value === null);

function optionOf(value: Json, title: unknown): FieldOption | undefined {
  if (typeof value === "object" && value !== null) return undefined;
  const json = JSON.stringify(value);
  return { json, label: wordsOf(title) ?? (typeof value === "string" ? value : json) };
}

/** With null where that is allowed, and with the value that is there, allowed or not. */
function withCurrent(options: readonly FieldOption[], isNullable: boolean, value: Json | undefined): readonly FieldOption[] {
  const more = [...(isNullable ? [null] : []), ...(value === undefined ? [] : [value])].map((each) => JSON.stringify(each));
  const other = [...new Set(more)].filter((json) => options.every((each) => each.json !== json));
  return [...options, ...other.map((json) => ({ json, label: json }))];
}

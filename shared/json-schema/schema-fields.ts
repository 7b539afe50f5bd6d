// The fields of a form for a value by its JSON Schema: the arguments of a call, the answer to a
// form. Pure: schema and value in, fields out; typed-fields.ts reads what was typed into them.
//
// What a schema does not describe, or describes in a way that no control says, is a field of JSON
// text: nothing of the value is without a field. Each field keeps the JSON of its value as it came,
// because a number beyond 2^53 is another one after JSON.parse.

import type { Json, JsonObject } from "../encoding.ts";
import { itemsIn, membersIn, prettyJson } from "../json/exact-json.ts";
import { pointerStep } from "../json/issue-collector.ts";
import { isObject } from "../json/values.ts";
import { checkValue } from "./check-value.ts";
import type { PlainKeywords } from "./schema-keywords.ts";
import type { ReadySchema, Schema, SchemaNode } from "./schema-node.ts";

/** `json`: the value that it stands for. `label`: its title, or the value as people read it. */
type FieldOption = { readonly json: string; readonly label: string };

type FieldKind =
  | { readonly kind: "text" }
  | { readonly kind: "number" }
  | { readonly kind: "json" }
  /** One of these. True and false are a choice of two. */
  | { readonly kind: "choice"; readonly options: readonly FieldOption[] }
  /** Any number of these, each once. */
  | { readonly kind: "choices"; readonly options: readonly FieldOption[] }
  | { readonly kind: "object"; readonly members: readonly SchemaField[] }
  /** Those that are there, those that were added, and a blank one. */
  | { readonly kind: "list"; readonly items: readonly SchemaField[] };

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

/** The names and values of the controls of a form, as it was sent. */
export type Typed = ReadonlyMap<string, string>;

/**
 * The control that leaves a member or an item out, or makes a value null. No pointer ends so: after
 * `~` it has 0 or 1.
 */
export const outControl = ({ pointer }: Pick<SchemaField, "pointer">): string => `${pointer}~.out`;

/** The box of one of several choices. The control of the field's name says that they were shown. */
export const boxControl = ({ pointer }: Pick<SchemaField, "pointer">, option: number): string => `${pointer}~.${option}`;

export const isChecked = (typed: Typed, control: string): boolean => typed.get(control) === "on";

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

const mostFields = 400;
const mostItems = 50;
const mostOptions = 200;
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

  constructor(ready: ReadySchema, given: JsonObject, typed: Typed) {
    this.#ready = ready;
    this.#given = given;
    this.#typed = typed;
  }

  field(from: Schema, source: string | undefined, place: Place): SchemaField {
    this.#left -= 1;
    const value = source === undefined ? undefined : (JSON.parse(source) as Json); // JSON.parse accepted the whole
    const { schema, type, options, isNullable, ...words } = this.#shapeOf(from, value);
    const { pointer, name, isRequired } = place;
    const common = { pointer, name, isRequired, isNullable, source, rules: schema?.plain ?? {}, ...words };
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
      if (plain.type !== undefined || properties.size > 0 || single.items !== undefined) {
        const { type, orNull } = typeFor(schema, value);
        return shape({ schema, type, options: type === "boolean" ? flags : undefined, isNullable: isNullable || orNull });
      }
      const others: readonly Schema[] = alternatives?.filter((each) => !isNull(each)) ?? [];
      isNullable ||= alternatives !== undefined && others.length < alternatives.length;
      const next: Schema | undefined = single.$ref ?? (lists.allOf?.length === 1 ? lists.allOf[0] : this.#fitting(others, value));
      if (next === undefined) return shape({});
      schema = next;
    }
    return shape({});
  }

  /** Of several alternatives the one that the value is of. */
  #fitting(schemas: readonly Schema[], value: Json | undefined): Schema | undefined {
    if (schemas.length <= 1) return schemas[0];
    if (value === undefined || value === null) return undefined;
    return schemas.find((root) => {
      const errors = checkValue({ ...this.#ready, root }, value);
      return typeof errors !== "string" && errors.length === 0;
    });
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

const flags: readonly FieldOption[] = [true, false].map((value) => ({ json: String(value), label: String(value) }));

const typesOf = ({ type = [] }: PlainKeywords): readonly string[] => [type].flat();

const isNull = (schema: Schema): boolean => typeof schema !== "boolean" && typesOf(schema.plain).join() === "null";

/** Whole numbers are numbers. Of several types, that of the value. */
function typeFor({ plain, properties, single }: SchemaNode, value: Json | undefined): { type: string | undefined; orNull: boolean } {
  const types = typesOf(plain).map((type) => (type === "integer" ? "number" : type));
  const others = [...new Set(types)].filter((type) => type !== "null");
  const orNull = types.includes("null");
  if (others.length === 1) return { type: others[0], orNull };
  if (types.length > 0) return { type: others.find((type) => type === (Array.isArray(value) ? "array" : typeof value)), orNull };
  return { type: properties.size > 0 ? "object" : single.items === undefined ? undefined : "array", orNull };
}

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

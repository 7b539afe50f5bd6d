// The shapes of values from outside. Each field reads its value, has the JSON Schema that says the
// same, and infers its type, so that the three cannot drift apart. Readers never throw: they
// collect errors in an `IssueCollector`, and return a placeholder of the right type after one,
// because a value with an error is discarded.
//
// Not zod, which reads the operator's documents (docs/decisions/reading.md): it collects every
// error of a list, which for a body of megabytes takes gigabytes or overflows the stack, and it
// does not report which members it left out.

import { isObject } from "./values.ts";
import type { Json, JsonObject } from "../encoding.ts";
import { pointerStep, IssueCollector } from "./issue-collector.ts";

export type Field<T> = {
  /** `value` is any value; undefined where the member is absent. `at`: its pointer. */
  readonly read: (value: unknown, at: string, issues: IssueCollector) => T;
  readonly schema: JsonObject;
  /**
   * A member that may be absent: it is `absent` from the result too, or has its `default` there, or
   * is always `leftOut` of the result.
   */
  readonly optional?: "absent" | "default" | "leftOut";
};

type Optional<T> = Field<T | undefined> & { readonly optional: "absent" };
type LeftOut = Field<undefined> & { readonly optional: "leftOut" };

export type Fields = { readonly [name: string]: Field<unknown> };

type NamesOf<F, Kind> = { [K in keyof F]: F[K] extends { readonly optional: Kind } ? K : never }[keyof F];
type Members<F extends Fields> = {
  [K in Exclude<keyof F, NamesOf<F, "absent" | "leftOut">>]: ReadOf<F[K]>;
} & { [K in NamesOf<F, "absent">]?: Exclude<ReadOf<F[K]>, undefined> };

/** What a field reads. */
export type ReadOf<F> = F extends Field<infer T> ? T : never;

const missing = (value: unknown, otherwise: string): string => (value === undefined ? "is required" : otherwise);

/**
 * A field's result after an error in the value's own type: the members of a value that is no object
 * are not reported.
 */
const placeholder = <T>({ read }: Field<T>): T => read(undefined, "", new IssueCollector());

/** The same field with a description, for readers of the published schema. */
export const described = <F extends Field<unknown>>(description: string, field: F): F => ({
  ...field,
  schema: { description, ...field.schema },
});

/**
 * The same field; its schema also has the rules that are checked elsewhere, beside other members.
 */
export const alsoSaying = <F extends Field<unknown>>(more: JsonObject, field: F): F => ({ ...field, schema: { ...field.schema, ...more } });

export const optional = <T>(field: Field<T>): Optional<T> => ({
  read: (value, at, issues) => (value === undefined ? undefined : field.read(value, at, issues)),
  schema: field.schema,
  optional: "absent",
});

export const withDefault = <T extends Json>(otherwise: T, field: Field<T>): Field<T> => ({
  read: (value, at, issues) => (value === undefined ? otherwise : field.read(value, at, issues)),
  schema: { ...field.schema, default: otherwise },
  optional: "default",
});

/** A member that is checked where it is present, and never in the result. */
export const leftOut = (field: Field<unknown>): LeftOut => ({
  read(value, at, issues) {
    if (value !== undefined) field.read(value, at, issues);
    return undefined;
  },
  schema: field.schema,
  optional: "leftOut",
});

/** A value as `parse` returns it; undefined is an error. For shapes that no other field has. */
export const parsed = <T>(parse: (value: unknown) => T | undefined, must: string, otherwise: T, schema: JsonObject): Field<T> => ({
  read(value, at, issues) {
    const read = parse(value);
    if (read === undefined) issues.add(at, must);
    return read ?? otherwise;
  },
  schema,
});

/**
 * The same field with one more rule: the result is what `refine` returns, and undefined is an
 * error.
 */
export const refined = <T>(field: Field<T>, refine: (value: T) => T | undefined, must: string): Field<T> => ({
  read(value, at, issues) {
    const before = issues.found.length;
    const read = field.read(value, at, issues);
    if (issues.found.length > before) return read;
    const result = refine(read);
    if (result === undefined) issues.add(at, must);
    return result ?? read;
  },
  schema: field.schema,
});

type TextRules = {
  /** In characters, which are code points, as JSON Schema counts. */
  readonly min?: number;
  readonly max?: number;
  /** Anchored, for the flag `u`; `why` follows the pointer where it does not match. */
  readonly pattern?: { readonly source: string; readonly why: string };
};

export function text({ min = 0, max, pattern }: TextRules = {}): Field<string> {
  const matches = pattern === undefined ? undefined : new RegExp(pattern.source, "u");
  return {
    read(value, at, issues) {
      if (typeof value !== "string") issues.add(at, missing(value, "must be a string"));
      else if (value.length < min) issues.add(at, min === 1 ? "must not be empty" : `must have at least ${min} characters`);
      else if (max !== undefined && isLonger(value, max)) issues.add(at, `must not have more than ${max} characters`);
      else if (matches?.test(value) === false) issues.add(at, pattern?.why ?? "");
      else return value;
      return "";
    },
    schema: {
      type: "string",
      ...(min > 0 && { minLength: min }),
      ...(max !== undefined && { maxLength: max }),
      ...(pattern !== undefined && { pattern: pattern.source }),
    },
  };
}

/**
 * A code point is one or two units, so a text of twice as many units is longer whatever is in it.
 */
const isLonger = (value: string, max: number): boolean => value.length > max && (value.length > 2 * max || [...value].length > max);

const isFinite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

export const number: Field<number> = {
  read(value, at, issues) {
    if (isFinite(value)) return value;
    issues.add(at, missing(value, "must be a number"));
    return 0;
  },
  schema: { type: "number" },
};

export const numberWithin = (min: number, max: number): Field<number> => ({
  read(value, at, issues) {
    if (typeof value === "number" && value >= min && value <= max) return value;
    issues.add(at, missing(value, `must be a number from ${min} to ${max}`));
    return min;
  },
  schema: { type: "number", minimum: min, maximum: max },
});

/**
 * A whole number; without `max`, up to the largest that a JSON number carries exactly. `100.0` is
 * whole.
 */
export const integerWithin = (min: number, max = Number.MAX_SAFE_INTEGER): Field<number> => ({
  read(value, at, issues) {
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    issues.add(at, missing(value, `must be an integer ${range}`));
    return min;
  },
  schema: { type: "integer", minimum: min, maximum: max },
});

export const flag: Field<boolean> = {
  read(value, at, issues) {
    if (typeof value !== "boolean") issues.add(at, missing(value, "must be true or false"));
    return value === true;
  },
  schema: { type: "boolean" },
};

export const oneOf = <const T extends string>(words: readonly [T, ...T[]]): Field<T> => ({
  read(value, at, issues) {
    for (const word of words) if (word === value) return word;
    issues.add(at, missing(value, `must be one of ${words.join(", ")}`));
    return words[0];
  },
  schema: { type: "string", enum: [...words] },
});

type Bounds = { readonly min?: number; readonly max?: number };

/**
 * The members of a list from outside; a list that is longer than `bounds` allow is an error and is
 * not read.
 */
export function membersOf(value: unknown, at: string, issues: IssueCollector, { min = 0, max = Infinity }: Bounds): readonly unknown[] {
  if (!Array.isArray(value)) issues.add(at, missing(value, "must be an array"));
  else if (value.length > max) issues.add(at, `must not have more than ${max} members; this has ${value.length}`);
  else if (value.length < min) issues.add(at, min === 1 ? "must not be empty" : `must have at least ${min} members`);
  else return value;
  return [];
}

export const list = <T>(member: Field<T>, bounds: Bounds = {}): Field<T[]> => ({
  read(value, at, issues) {
    const members: T[] = [];
    for (const [i, one] of membersOf(value, at, issues, bounds).entries()) {
      if (issues.full) break;
      members.push(member.read(one, `${at}/${i}`, issues));
    }
    return members;
  },
  schema: {
    type: "array",
    items: member.schema,
    ...(bounds.min !== undefined && { minItems: bounds.min }),
    ...(bounds.max !== undefined && { maxItems: bounds.max }),
  },
});

/** One value, or a list of them. One value is read as a list of it is. */
export const oneOrMore = <T>(member: Field<T>, bounds: Bounds = {}): Field<T[]> => {
  const many = list(member, bounds);
  return {
    read: (value, at, issues) => (Array.isArray(value) ? many.read(value, at, issues) : [member.read(value, at, issues)]),
    schema: { anyOf: [member.schema, many.schema] },
  };
};

/** Whether a value is an object; any other value is an error. */
function expectObject(value: unknown, at: string, issues: IssueCollector): value is JsonObject {
  if (isObject(value)) return true;
  issues.add(at, missing(value, "must be an object"));
  return false;
}

/**
 * Any object, as it is. `checkJson`, which runs over the whole value first, has proven that it is
 * JSON.
 */
export const anyObject: Field<JsonObject> = {
  read: (value, at, issues) => (expectObject(value, at, issues) ? value : {}),
  schema: { type: "object" },
};

/** An object that is checked by a field and returned as it is. */
export const keptAfter = (field: Field<unknown>): Field<JsonObject> => ({
  read(value, at, issues) {
    field.read(value, at, issues);
    return isObject(value) ? anyObject.read(value, at, issues) : {};
  },
  schema: field.schema,
});

/** An object whose members, whatever their names, are alike. */
export const record = <T>(member: Field<T>): Field<{ [name: string]: T }> => ({
  read(value, at, issues) {
    const members = expectObject(value, at, issues) ? Object.entries(value) : [];
    // As entries: assigned to, a member named __proto__ would become a prototype.
    return Object.fromEntries(
      members.flatMap(([name, each]) => (issues.full ? [] : [[name, member.read(each, at + pointerStep(name), issues)]])),
    );
  },
  schema: { type: "object", additionalProperties: member.schema },
});

/**
 * An object with these members. Others are ignored and reported (`IssueCollector.ignored`), never
 * an error.
 */
export function object<const F extends Fields>(fields: F): Field<{ [K in keyof Members<F>]: Members<F>[K] }> {
  const entries = Object.entries(fields).map(([name, field]) => ({ name, step: pointerStep(name), field }));
  const required = entries.flatMap(({ name, field }) => (field.optional === undefined ? [name] : []));
  return {
    read(value, at, issues) {
      const given = expectObject(value, at, issues) ? value : undefined;
      const target = given === undefined ? new IssueCollector() : issues;
      const known: { [name: string]: unknown } = {};
      for (const { name, step, field } of entries) {
        const read = field.read(given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined, at + step, target);
        if (read !== undefined) known[name] = read;
      }
      for (const name of Object.keys(given ?? {})) if (!Object.hasOwn(fields, name)) issues.ignore(at, name);
      // Each member was read by the field of its name.
      return known as { [K in keyof Members<F>]: Members<F>[K] };
    },
    schema: {
      type: "object",
      properties: Object.fromEntries(entries.map(({ name, field }) => [name, field.schema])),
      ...(required.length > 0 && { required }),
    },
  };
}

/** An object of one of several shapes, distinguished by the value of one member. */
export function tagged<const K extends Fields>(member: string, shapes: K): Field<ReadOf<K[keyof K]>> {
  const [first = "", ...others] = Object.keys(shapes);
  const tag = oneOf([first, ...others]);
  const step = pointerStep(member);
  return {
    read(value, at, issues) {
      const before = issues.found.length;
      const word = expectObject(value, at, issues) ? tag.read(value[member], at + step, issues) : first;
      const shape = shapes[word] as Field<ReadOf<K[keyof K]>>; // the word is one of its names
      return issues.found.length > before || issues.full ? placeholder(shape) : shape.read(value, at, issues);
    },
    schema: { oneOf: Object.values(shapes).map(({ schema }) => schema) },
  };
}

/**
 * An object of one of two shapes: that of `having` where it has the member, else that of `lacking`.
 */
export const withEither = <A, B>(member: string, having: Field<A>, lacking: Field<B>): Field<A | B> => ({
  read: (value, at, issues) =>
    isObject(value) && value[member] !== undefined ? having.read(value, at, issues) : lacking.read(value, at, issues),
  schema: { oneOf: [having.schema, lacking.schema] },
});

/**
 * Whether a value is exactly what a field describes: without an error, and without a member that
 * the field does not name.
 */
export function fits(field: Field<unknown>, value: unknown): boolean {
  const issues = new IssueCollector();
  field.read(value, "", issues);
  return issues.found.length === 0 && issues.ignored.length === 0;
}

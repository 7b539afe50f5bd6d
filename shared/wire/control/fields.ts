// Members of an envelope: each one reads its value and says the same as JSON Schema, so that the endpoint and what it publishes cannot
// drift apart. Readers never throw, gather faults as `Reading` does, and give a placeholder of the right type after one.
//
// Not zod, which is the choice for documents of our own: it reads the whole of a list before it looks at its length and gathers
// every fault of it, which for a body of megabytes is gigabytes; and it does not tell which members it left out.

import type { Json, JsonObject } from "../../encoding.ts";
import { pointerStep, Reading } from "../../json/reading.ts";

/** As many pointers to ignored members are told; longer names are not repeated. */
const mostIgnored = 20;
const longestIgnoredName = 128;

export class EnvelopeReading extends Reading {
  readonly ignored: string[] = [];

  ignore(at: string, name: string): void {
    if (this.ignored.length < mostIgnored && name.length <= longestIgnoredName) this.ignored.push(at + pointerStep(name));
  }
}

export type Field<T> = {
  /** `value` is anything at all; undefined where the member is absent. `at`: its pointer. */
  readonly read: (value: unknown, at: string, reading: EnvelopeReading) => T;
  readonly schema: JsonObject;
  /** May be absent. */
  readonly optional?: true;
};

export type Fields = { readonly [name: string]: Field<unknown> };
export type ReadOf<F> = F extends Field<infer T> ? T : { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

const missing = (value: unknown, otherwise: string): string => (value === undefined ? "is required" : otherwise);

/** The same field with a description, for whoever reads the published schema. */
export const described = <T>(description: string, field: Field<T>): Field<T> => ({ ...field, schema: { description, ...field.schema } });

/** The same field, whose schema also says what is checked elsewhere, beside other members (`checkTogether`). */
export const alsoSaying = <T>(more: JsonObject, field: Field<T>): Field<T> => ({ ...field, schema: { ...field.schema, ...more } });

export const optional = <T>(field: Field<T>): Field<T | undefined> => ({
  read: (value, at, reading) => (value === undefined ? undefined : field.read(value, at, reading)),
  schema: field.schema,
  optional: true,
});

export const withDefault = <T extends Json>(otherwise: T, field: Field<T>): Field<T> => ({
  read: (value, at, reading) => (value === undefined ? otherwise : field.read(value, at, reading)),
  schema: { ...field.schema, default: otherwise },
  optional: true,
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
    read(value, at, reading) {
      if (typeof value !== "string") reading.fault(at, missing(value, "must be a string"));
      else if (value.length < min) reading.fault(at, min === 1 ? "must not be empty" : `must have at least ${min} characters`);
      else if (max !== undefined && isLonger(value, max)) reading.fault(at, `must not have more than ${max} characters`);
      else if (matches?.test(value) === false) reading.fault(at, pattern?.why ?? "");
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

/** A code point is one or two units, so a text of twice as many units is longer whatever is in it. */
const isLonger = (value: string, max: number): boolean => value.length > max && (value.length > 2 * max || [...value].length > max);

export const numberWithin = (min: number, max: number): Field<number> => ({
  read(value, at, reading) {
    if (typeof value === "number" && value >= min && value <= max) return value;
    reading.fault(at, missing(value, `must be a number from ${min} to ${max}`));
    return min;
  },
  schema: { type: "number", minimum: min, maximum: max },
});

/** A whole number; without `max`, up to the largest that a JSON number carries exactly. `100.0` is whole. */
export const integerWithin = (min: number, max = Number.MAX_SAFE_INTEGER): Field<number> => ({
  read(value, at, reading) {
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    reading.fault(at, missing(value, `must be an integer ${range}`));
    return min;
  },
  schema: { type: "integer", minimum: min, maximum: max },
});

export const flag: Field<boolean> = {
  read(value, at, reading) {
    if (typeof value !== "boolean") reading.fault(at, missing(value, "must be true or false"));
    return value === true;
  },
  schema: { type: "boolean" },
};

export const oneOf = <const T extends string>(words: readonly [T, ...T[]]): Field<T> => ({
  read(value, at, reading) {
    for (const word of words) if (word === value) return word;
    reading.fault(at, missing(value, `must be one of ${words.join(", ")}`));
    return words[0];
  },
  schema: { type: "string", enum: [...words] },
});

/** A list of `min` to `max` members; a longer one is a fault and is not read. */
export const list = <T>(member: Field<T>, { min = 0, max }: { readonly min?: number; readonly max: number }): Field<readonly T[]> => ({
  read(value, at, reading) {
    const given = reading.bounded(max, reading.array(value, at), at);
    if (Array.isArray(value) && value.length < min)
      reading.fault(at, min === 1 ? "must not be empty" : `must have at least ${min} members`);
    const members: T[] = [];
    for (const [i, one] of given.entries()) {
      if (reading.full) break;
      members.push(member.read(one, `${at}/${i}`, reading));
    }
    return members;
  },
  schema: { type: "array", items: member.schema, ...(min > 0 && { minItems: min }), maxItems: max },
});

/** One value, or a list of them. A list of one is read as the value is. */
export const oneOrMore = <T>(member: Field<T>, max: number): Field<readonly T[]> => {
  const many = list(member, { min: 1, max });
  return {
    read: (value, at, reading) => (Array.isArray(value) ? many.read(value, at, reading) : [member.read(value, at, reading)]),
    schema: { anyOf: [member.schema, many.schema] },
  };
};

/** An object of anything, kept as it is. Proven to be JSON by `checkJson`, which runs over the whole envelope first. */
export const anyObject: Field<JsonObject> = {
  read: (value, at, reading) => (reading.object(value, at) ?? {}) as JsonObject,
  schema: { type: "object" },
};

/** An object with these members. Others are ignored and told (`EnvelopeReading.ignored`), never a fault. */
export function object<const F extends Fields>(fields: F): Field<ReadOf<F>> {
  const entries = Object.entries(fields);
  const required = entries.flatMap(([name, field]) => (field.optional === true ? [] : [name]));
  return {
    read(value, at, reading) {
      const given = reading.object(value, at);
      // Nothing is said of the members of what is no object.
      const target = given === undefined ? new EnvelopeReading() : reading;
      const known: { [name: string]: unknown } = {};
      for (const [name, field] of entries) {
        known[name] = field.read(
          given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined,
          at + pointerStep(name),
          target,
        );
      }
      for (const name of Object.keys(given ?? {})) if (!Object.hasOwn(fields, name)) reading.ignore(at, name);
      // Each member was read by the field of its name.
      return known as ReadOf<F>;
    },
    schema: {
      type: "object",
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
      ...(required.length > 0 && { required }),
    },
  };
}

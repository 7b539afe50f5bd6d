// A JSON object as the fields of a form, and back, as its zod schema says: which fields there are,
// what each shows of the object, and what it makes of what was typed.
//
// What was not changed in the form stays as it is in the object: also a member that is left out,
// one that the schema does not know, and one that no field can say. What was typed and cannot be
// read goes into the object as it is, so that the check of the object names it and nothing is lost.

import type * as z from "zod";
import type { Json, JsonObject } from "../json-types.ts";
import { objectOf } from "./values.ts";

/** The values of a form's controls by their names: none, one, or several of one name. */
export type FieldValues = Readonly<Record<string, readonly string[]>>;

/**
 * `box`: checked or not. `choice`: one of its options. `boxes`: any of its options. `lines`: texts,
 * one on each line. `pairs`: lines of `name: value`. `own`: the form draws it itself.
 */
type FieldKind = "text" | "number" | "whole" | "box" | "choice" | "boxes" | "lines" | "pairs" | "own";

/** How one member is shown and read. `undefined`: the member is left out. */
export type FieldCodec = {
  readonly kind: FieldKind;
  readonly show: (value: Json | undefined) => FieldValues;
  readonly read: (values: FieldValues) => Json | undefined;
};

export type Field = FieldCodec & {
  /** Of its control: the names of the members that lead to it, joined by `-`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly isRequired: boolean;
  /** Of a choice or of boxes, as the schema has them; "" is none of them. */
  readonly options: readonly string[];
  /** What the member is where it is left out. */
  readonly otherwise: Json | undefined;
};

/** An object inside the object. */
type Group = { readonly members: Members; readonly isRequired: boolean };
export type Members = Readonly<Record<string, Field | Group>>;

/** Codecs in place of those of the schema, by the names of fields; null: the form has no field. */
export type OwnCodecs = Readonly<Record<string, ((name: string) => FieldCodec) | null>>;

export const oneOf = (values: FieldValues, name: string): string => (values[name]?.[0] ?? "").trim();
export const textOf = (value: Json | undefined): string => (value === undefined || value === null ? "" : String(value));
export const textsOf = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);

/** The number that was typed, else the text. */
export function numberFrom(typed: string): Json {
  const digits = typed.replaceAll(/[\s_]/g, "");
  return digits !== "" && Number.isFinite(Number(digits)) ? Number(digits) : typed;
}

/** `empty`: what an empty field says. */
const text =
  (empty: null | undefined) =>
  (name: string): FieldCodec => ({
    kind: "text",
    show: (value) => ({ [name]: [textOf(value)] }),
    read: (values) => oneOf(values, name) || empty,
  });

const number =
  (kind: "number" | "whole") =>
  (name: string): FieldCodec => ({
    ...text(undefined)(name),
    kind,
    read: (values) => (oneOf(values, name) === "" ? undefined : numberFrom(oneOf(values, name))),
  });

/** A box: `on` where it is checked, else `off`. */
export const box =
  (on: Json = true, off: Json = false) =>
  (name: string): FieldCodec => ({
    kind: "box",
    show: (value) => ({ [name]: value === on ? ["yes"] : [] }),
    read: (values) => (oneOf(values, name) === "yes" ? on : off),
  });

const yesOrNo = (name: string): FieldCodec => ({
  kind: "choice",
  show: (value) => ({ [name]: [value === undefined ? "" : value === true ? "yes" : "no"] }),
  read: (values) => ({ yes: true, no: false })[oneOf(values, name)],
});

const boxes = (name: string): FieldCodec => ({
  kind: "boxes",
  show: (value) => ({ [name]: textsOf(value) }),
  read: (values) => [...(values[name] ?? [])],
});

/** Texts that the form offers itself. None chosen: the member is left out. */
export const names = (name: string): FieldCodec => ({
  ...boxes(name),
  kind: "own",
  read: (values) => ((values[name] ?? []).length === 0 ? undefined : [...(values[name] ?? [])]),
});

export const linesIn = (typed: string): string[] =>
  typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const lines = (name: string): FieldCodec => ({
  kind: "lines",
  show: (value) => ({ [name]: [Array.isArray(value) ? value.map(textOf).join("\n") : textOf(value)] }),
  read: (values) => {
    const read = linesIn(oneOf(values, name));
    return read.length === 0 ? undefined : read;
  },
});

const pairs = (name: string): FieldCodec => ({
  kind: "pairs",
  show: (value) => {
    const entries = objectOf(value);
    const shown =
      entries === null
        ? textOf(value)
        : Object.entries(entries)
            .map(([each, of]) => `${each}: ${textOf(of)}`)
            .join("\n");
    return { [name]: [shown] };
  },
  read: (values) => {
    const typed = linesIn(oneOf(values, name));
    const read = typed.flatMap((line) => {
      const [, each, of] = /^([^:\s]+)\s*:\s*(.*)$/.exec(line) ?? [];
      return each === undefined || of === undefined ? [] : [[each, of] as const];
    });
    if (typed.length === 0) return undefined;
    return read.length === typed.length ? Object.fromEntries(read) : typed.join("\n");
  },
});

type Unwrapped = {
  readonly def: z.core.$ZodTypes["_zod"]["def"];
  readonly isRequired: boolean;
  readonly otherwise: Json | undefined;
  readonly isNullable: boolean;
};

/** What a schema is of, without what says that it may be left out. */
function unwrapped(schema: z.core.$ZodType): Unwrapped {
  const { def } = (schema as z.core.$ZodTypes)._zod; // every schema is one of these
  switch (def.type) {
    case "optional":
    case "prefault":
      return { ...unwrapped(def.innerType), isRequired: false };
    case "default":
      return { ...unwrapped(def.innerType), isRequired: false, otherwise: def.defaultValue as Json }; // of a document in JSON
    case "nullable":
      return { ...unwrapped(def.innerType), isNullable: true };
    case "pipe":
      return unwrapped(def.in);
    case "union": {
      // Of a value that may be written shorter, the form has the whole one.
      const whole = def.options.find((option) => (option as z.core.$ZodTypes)._zod.def.type === "object");
      return whole === undefined ? { def, isRequired: true, otherwise: undefined, isNullable: false } : unwrapped(whole);
    }
    default:
      return { def, isRequired: true, otherwise: undefined, isNullable: false };
  }
}

type Drawn = { readonly codec: (name: string) => FieldCodec; readonly options: readonly string[] };

function drawnBy({ def, isRequired, otherwise, isNullable }: Unwrapped): Drawn {
  const none = isNullable || (!isRequired && otherwise === undefined) ? [""] : [];
  const plain = (codec: Drawn["codec"]): Drawn => ({ codec, options: [] });
  switch (def.type) {
    case "number":
      return plain(number("format" in def ? "whole" : "number"));
    case "boolean":
      return otherwise === undefined ? { codec: yesOrNo, options: [...none, "yes", "no"] } : plain(box());
    case "enum":
      return {
        codec: (name) => ({ ...text(isNullable ? null : undefined)(name), kind: "choice" }),
        options: [...none, ...Object.values(def.entries).map(String)],
      };
    case "array": {
      const { def: element } = unwrapped(def.element);
      return element.type === "enum" ? { codec: boxes, options: Object.values(element.entries).map(String) } : plain(lines);
    }
    case "record":
      return plain(pairs);
    default:
      return plain(text(isNullable ? null : undefined));
  }
}

type Inside = { readonly at: readonly string[]; readonly isRequired: boolean };

/** The fields of an object by its schema. `inside`: where it stands in the whole. */
export function membersOf(schema: z.core.$ZodType, own: OwnCodecs = {}, inside: Inside = { at: [], isRequired: true }): Members {
  const { def } = unwrapped(schema);
  if (def.type !== "object") throw new Error("a form is of an object");
  return Object.fromEntries(
    Object.entries(def.shape).flatMap(([member, of]): [string, Field | Group][] => {
      const path = [...inside.at, member];
      const name = path.join("-");
      const codec = own[name];
      const inner = unwrapped(of);
      const isRequired = inside.isRequired && inner.isRequired;
      if (codec === null) return [];
      if (codec === undefined && inner.def.type === "object")
        return [[member, { members: membersOf(of, own, { at: path, isRequired }), isRequired: inner.isRequired }]];
      // In an object that may be left out, a choice has an option that leaves it out.
      const { codec: drawn, options } = drawnBy({ ...inner, isRequired });
      return [[member, { ...(codec ?? drawn)(name), name, path, isRequired, options, otherwise: inner.otherwise }]];
    }),
  );
}

/** In the order of the schema. */
export const fieldsIn = (members: Members): readonly Field[] =>
  Object.values(members).flatMap((each) => ("members" in each ? fieldsIn(each.members) : [each]));

const shownOf = ({ show, otherwise }: Field, value: Json | undefined): FieldValues => show(value ?? otherwise);

/** What the fields show of an object. */
export const valuesOf = (members: Members, object: JsonObject): FieldValues =>
  Object.fromEntries(
    Object.entries(members).flatMap(([member, each]) =>
      Object.entries("members" in each ? valuesOf(each.members, objectOf(object[member]) ?? {}) : shownOf(each, object[member])),
    ),
  );

/** The object with what the form says. */
export function changedBy(members: Members, object: JsonObject, values: FieldValues): JsonObject {
  const result: Record<string, Json> = { ...object };
  for (const [member, each] of Object.entries(members)) {
    const before = result[member];
    const value = "members" in each ? changedGroup(each, before, values) : changedField(each, before, values);
    if (value === undefined) delete result[member];
    else result[member] = value;
  }
  return result;
}

function changedField(field: Field, before: Json | undefined, values: FieldValues): Json | undefined {
  const isSame = Object.entries(shownOf(field, before)).every(([each, texts]) => isSameTexts(texts, values[each] ?? []));
  return isSame ? before : field.read(values);
}

function changedGroup({ members, isRequired }: Group, before: Json | undefined, values: FieldValues): Json | undefined {
  const old = objectOf(before);
  const changed = changedBy(members, old ?? {}, values);
  if (isRequired || Object.keys(changed).length > 0) return changed;
  return old === null || Object.keys(old).length === 0 ? before : undefined;
}

/** An empty field and a missing one say the same, and boxes that are checked have no order. */
const isSameTexts = (one: readonly string[], other: readonly string[]): boolean => {
  const [left, right] = [one, other].map((texts) =>
    texts
      .map((each) => each.trim())
      .filter((each) => each !== "")
      .toSorted(),
  );
  return left?.length === right?.length && (left ?? []).every((each, index) => each === right?.[index]);
};

/** The field of what stands at these steps inside the object; null where none has it. */
export function fieldAt(members: Members, [member = "", ...inside]: readonly string[]): Field | null {
  const each = Object.hasOwn(members, member) ? members[member] : undefined;
  if (each === undefined || !("members" in each)) return each ?? null;
  return inside.length === 0 ? (fieldsIn(each.members)[0] ?? null) : fieldAt(each.members, inside);
}

// Reads what was typed into the fields of a form (schema-fields.ts) back into JSON, and checks it
// by the schema. What nobody touched keeps its bytes, whatever stands beside it.

import type { Json } from "../encoding.ts";
import { compactJson } from "../json/exact-json.ts";
import { type JsonRule, brokenJsonRule } from "../json/json-rules.ts";
import { pointerStep } from "../json/issue-collector.ts";
import { readJsonText } from "../json/json-text.ts";
import { type ValueError, checkValue } from "../json-schema/check-value.ts";
import { type Typed, alternativeControl, boxControl, drawnControl, isChecked, outControl } from "../json-schema/field-controls.ts";
import { type SchemaField, hasOut, isWhole, shownIn } from "../json-schema/schema-field.ts";
import { checkedFormats } from "../json-schema/schema-keywords.ts";
import type { ReadySchema, Schema } from "../json-schema/schema-node.ts";
import { isObject } from "../json/values.ts";
import { type Result, err, ok } from "../result.ts";
import { rewrittenText } from "./submitted-text.ts";

/** Why what was typed is refused, without anything of it. */
export type TypedFieldError =
  | ValueError
  | { readonly kind: "notJson" | "repeatedMember" | "tooMuchWork" }
  | { readonly kind: "jsonRule"; readonly rule: JsonRule };

/** `pointer`: of the field that the error stands beside. */
type TypedError = { readonly pointer: string; readonly fault: TypedFieldError };

/**
 * The JSON of a text that somebody wrote. Refused: what is none, what the pipeline cannot carry,
 * and a member that is given twice, of which readers take one or the other.
 */
export function jsonFrom(text: string): Result<string, TypedFieldError> {
  const read = readJsonText(text);
  if (!read.ok) return err({ kind: "notJson" });
  if (read.repeated.length > 0) return err({ kind: "repeatedMember" });
  const rule = brokenJsonRule(read.value);
  return rule === null ? ok(compactJson(text)) : err({ kind: "jsonRule", rule });
}

/**
 * The value with what was typed: its JSON, the same text where nothing was changed; undefined where
 * there is none. Refused, each at its field: what cannot be read, and what the schema does not
 * allow, unless the value was so before.
 */
export function readTyped(schema: ReadySchema, field: SchemaField, typed: Typed): Result<string | undefined, readonly TypedError[]> {
  const reading = new Reading(typed, field.pointer);
  const json = reading.read(field, field.pointer);
  const unread = reading.errors;
  if (unread.length === 0 && json !== undefined && json === field.source) return ok(json);
  const before = new Set(
    field.source === undefined
      ? []
      : reading
          .told(schema, field.source)
          .filter(({ pointer }) => !reading.isSwitched(field.pointer + pointer))
          .map(({ key }) => key),
  );
  const errors = reading.told(schema, json ?? "{}").flatMap(({ pointer, fault, key }): TypedError[] => {
    const at = reading.fieldAt(field.pointer + pointer);
    if (unread.some((each) => isWithin(each.pointer, at))) return [];
    return before.has(key) && !reading.changed.has(at) ? [] : [{ pointer: at, fault }];
  });
  const all = [...unread, ...errors];
  return all.length === 0 ? ok(json) : err(all);
}

const isWithin = (pointer: string, outer: string): boolean => pointer === outer || pointer.startsWith(`${outer}/`);

/** `key`: the same for the same error. */
type Misfit = { readonly pointer: string; readonly fault: TypedFieldError; readonly key: string };

/** What the schema does not allow in a value. */
export function misfits(schema: ReadySchema, json: string): readonly Misfit[] {
  const found = checkValue(schema, JSON.parse(json) as Json);
  if (typeof found === "string") return [{ pointer: "", fault: { kind: "tooMuchWork" }, key: found }];
  return found.map(({ pointer, message, fault }) => ({ pointer, fault, key: pointer + message }));
}

/** The names of all controls that the fields have. */
export function controlsOf(field: SchemaField): string[] {
  const out = hasOut(field) ? [outControl(field)] : [];
  switch (field.kind) {
    case "object":
      return [...out, ...field.members.flatMap(controlsOf)];
    case "list":
      return [...out, ...field.items.flatMap(controlsOf)];
    case "union":
      return [...out, alternativeControl(field), drawnControl(field), ...(field.inner === null ? [] : controlsOf(field.inner))];
    case "choices":
      return [...out, field.pointer, ...field.options.map((_, i) => boxControl(field, i))];
    default:
      return [...out, field.pointer];
  }
}

/**
 * The names of the values that may be of another alternative than the page had: what was typed into
 * the fields of that one does not count.
 */
export function unionsIn(field: SchemaField): string[] {
  switch (field.kind) {
    case "object":
      return field.members.flatMap(unionsIn);
    case "list":
      return field.items.flatMap(unionsIn);
    case "union":
      return [field.pointer, ...(field.inner === null ? [] : unionsIn(field.inner))];
    default:
      return [];
  }
}

/** The JSON of a number as people write it, such as +1, .5 and 007. */
function asNumber(text: string): string | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = ""] = /^([+-]?)(\d*)(?:\.(\d*))?(e[+-]?\d{1,3})?$/i.exec(text) ?? [];
  if (whole + fraction === "") return undefined;
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  return (sign === "-" ? sign : "") + digits + (fraction === "" ? "" : `.${fraction}`) + exponent;
}

class Reading {
  readonly errors: TypedError[] = [];
  /** Fields, without objects and lists. */
  readonly changed = new Set<string>();
  readonly #typed: Typed;
  readonly #root: string;
  /** The schemas of the alternative of each place in the new value. */
  readonly #schemas = new Map<string, readonly Schema[]>();
  /** The places whose alternative is another one now. */
  readonly #switched: string[] = [];
  /** The field of each place in the new value: items move up where one is removed. */
  readonly #fields = new Map<string, string>();

  constructor(typed: Typed, root: string) {
    this.#typed = typed;
    this.#root = root;
  }

  isSwitched(pointer: string): boolean {
    return this.#switched.some((each) => isWithin(pointer, each));
  }

  /**
   * What the schema does not allow in a value. Of several alternatives it says no more than that
   * none fits: what is wrong is told by the one whose fields there are.
   */
  told(schema: ReadySchema, json: string): readonly Misfit[] {
    const value = JSON.parse(json) as Json; // of a value that was read
    const detailed = ({ pointer, fault, key }: Misfit): readonly Misfit[] => {
      const own = fault.kind === "unfit" ? this.#schemas.get(this.#root + pointer) : undefined;
      const part = own === undefined ? undefined : valueAt(value, pointer);
      if (own === undefined || part === undefined) return [{ pointer, fault, key }];
      const inside = own
        .flatMap((root) => misfits({ ...schema, root }, JSON.stringify(part)))
        .map((each) => ({ ...each, pointer: pointer + each.pointer, key: `${pointer}${each.key}` }));
      const different = new Map(inside.map((each) => [`${each.pointer} ${each.fault.kind}`, each]));
      // Each place once: schemas inside one another would tell of it as often as there are paths.
      const errors = [...different.values()].filter((each) => each.pointer !== pointer || each.fault.kind !== "unfit");
      return errors.length === 0
        ? [{ pointer, fault, key }]
        : errors.flatMap((each) => (each.pointer === pointer ? [each] : detailed(each)));
    };
    return misfits(schema, json).flatMap(detailed);
  }

  /** The field that an error at a place in the new value stands beside. */
  fieldAt(pointer: string): string {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
      const field = this.#fields.get(at);
      if (field !== undefined || at === "") return field ?? "";
    }
  }

  /** `at`: where it stands in the new value. */
  read(field: SchemaField, at: string): string | undefined {
    this.#fields.set(at, field.pointer);
    const { source } = field;
    if (hasOut(field) && isChecked(this.#typed, outControl(field))) return field.isRequired ? "null" : undefined;
    switch (field.kind) {
      case "object": {
        const members = field.members.flatMap((member) => {
          const { name } = member;
          const json = name === null ? undefined : this.read(member, at + pointerStep(name));
          return json === undefined ? [] : [{ member, text: `${JSON.stringify(name)}:${json}`, isSame: json === member.source }];
        });
        const isSame = members.every((each) => each.isSame) && members.length === field.members.filter(isThere).length;
        return isSame ? source : `{${members.map(({ text }) => text).join(",")}}`;
      }
      case "list": {
        const items: string[] = [];
        let isSame = true;
        for (const item of field.items) {
          const json = this.read(item, `${at}/${items.length}`);
          isSame &&= json === item.source;
          if (json !== undefined) items.push(json);
        }
        return isSame ? source : `[${items.join(",")}]`;
      }
      case "union":
        return this.#union(field, at);
      default: {
        const json = field.kind === "choices" ? this.#choices(field) : this.#simple(field);
        if (json !== source) this.changed.add(field.pointer);
        return json;
      }
    }
  }

  #union(field: Extract<SchemaField, { kind: "union" }>, at: string): string | undefined {
    const { alternatives, chosen, was, inner, source } = field;
    const typed = this.#typed.get(alternativeControl(field));
    if (typed !== undefined && typed !== String(chosen ?? "")) return this.#refuse(field, { kind: "notOffered" });
    if (inner === null) return source;
    if (chosen !== null) this.#schemas.set(at, alternatives[chosen]?.schemas ?? []);
    const json = this.read(inner, at);
    if (chosen === was) return json;
    this.#switched.push(at);
    this.changed.add(inner.pointer);
    return json ?? this.#refuse(inner, { kind: "missing" });
  }

  #choices(field: Extract<SchemaField, { kind: "choices" }>): string | undefined {
    const { source, options, pointer } = field;
    if (!this.#typed.has(pointer)) return source;
    const before = source === undefined ? [] : (JSON.parse(source) as Json[]).map((each) => JSON.stringify(each)); // each is an option
    const chosen = options.flatMap(({ json }, i) => (isChecked(this.#typed, boxControl(field, i)) ? [json] : []));
    if (source === undefined && chosen.length === 0) return this.#typed.get(pointer) === "[]" ? "[]" : undefined;
    if (chosen.length === before.length && chosen.every((json) => before.includes(json))) return source;
    return `[${[...before.filter((json) => chosen.includes(json)), ...chosen.filter((json) => !before.includes(json))].join(",")}]`;
  }

  #simple(field: Exclude<SchemaField, { kind: "object" | "list" | "choices" | "union" }>): string | undefined {
    const { kind, source, pointer } = field;
    const typed = this.#typed.get(pointer);
    const text = typed === undefined ? undefined : rewrittenText(shownIn(field), typed);
    if (text === undefined) return source;
    const trimmed = text.trim();
    if (kind === "text") return JSON.stringify(checkedFormats.has(field.rules.format ?? "") && trimmed !== "" ? trimmed : text);
    if (trimmed === "" && (source === undefined || !field.isRequired)) return undefined;
    if (trimmed === shownIn(field)) return source;
    if (kind === "number") {
      const written = asNumber(trimmed);
      if (written !== undefined) return this.#carried(field, written);
      return this.#refuse(field, { kind: "wrongType", types: [isWhole(field) ? "integer" : "number"] });
    }
    if (kind === "choice")
      return field.options.some(({ json }) => json === trimmed) ? trimmed : this.#refuse(field, { kind: "notOffered" });
    return this.#carried(field, trimmed);
  }

  #carried(field: SchemaField, text: string): string | undefined {
    const json = jsonFrom(text);
    return json.ok ? json.value : this.#refuse(field, json.error);
  }

  #refuse({ pointer, source }: SchemaField, fault: TypedFieldError): string | undefined {
    this.errors.push({ pointer, fault });
    return source;
  }
}

/** The part of a value at a pointer; undefined where there is none. */
function valueAt(value: Json, pointer: string): Json | undefined {
  let part: Json | undefined = value;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    part = Array.isArray(part) ? part[Number(name)] : isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined;
  }
  return part;
}

const isThere = ({ source }: SchemaField): boolean => source !== undefined;

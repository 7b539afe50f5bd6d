// The arguments of a tool's call as a reviewer edits and compares them: field by field where the
// server gave a schema that can be read, else as one JSON text.

import type { JsonObject } from "../encoding.ts";
import { prettyJson } from "../json/exact-json.ts";
import { type ToolCall, argumentsJsonOf, withArguments } from "../model/subject/tool-call.ts";
import { readSchema } from "../json-schema/read-schema.ts";
import type { Typed } from "../json-schema/field-controls.ts";
import type { SchemaField } from "../json-schema/schema-field.ts";
import { fieldOf } from "../json-schema/schema-fields.ts";
import type { ReadySchema } from "../json-schema/schema-node.ts";
import { type Result, err, ok } from "../result.ts";
import { objectText } from "./editable-fields.ts";
import { rewrittenText } from "./submitted-text.ts";
import { type TypedFieldError, controlsOf, jsonFrom, misfits, readTyped, unionsIn } from "./typed-fields.ts";

/** The place of the whole, also as one text. */
export const argumentsPath = "/arguments";

type CallFields = { readonly schema: ReadySchema; readonly field: SchemaField };

/** Null where nothing is known of the arguments. `typed`: what a reviewer typed so far. */
export function argumentFields(call: ToolCall, typed?: Typed): CallFields | null {
  const given = call.definition?.inputSchema;
  const schema = given === undefined ? null : readSchema(given, "");
  if (given === undefined || schema?.ok !== true) return null;
  const input = { schema: schema.value, given, json: argumentsJsonOf(call), at: argumentsPath };
  return { schema: schema.value, field: fieldOf({ ...input, ...(typed === undefined ? {} : { typed }) }) };
}

/** `unknownField`: of no control of the call. `inside`: at a place in JSON text. */
export type CallFieldError =
  | TypedFieldError
  | { readonly kind: "notObject" | "unknownField" }
  | { readonly kind: "inside"; readonly at: string; readonly fault: TypedFieldError };
type CallErrors = readonly { readonly field: string; readonly fault: CallFieldError }[];

/**
 * The call with what was typed into its fields, or written over the JSON of all its arguments; the
 * same call where nothing was changed. Refused: what cannot be read, and what the tool's schema
 * does not allow.
 */
export function editedCall(call: ToolCall, edits: Typed): Result<ToolCall, CallErrors> {
  const fields = argumentFields(call, edits);
  const isWhole = edits.has(argumentsPath) || fields === null;
  const known = new Set(isWhole ? [argumentsPath] : controlsOf(fields.field));
  const unions = isWhole ? [] : unionsIn(fields.field);
  const isKnown = (name: string): boolean =>
    known.has(name) || unions.some((each) => name === each || name.startsWith(`${each}/`) || name.startsWith(`${each}~.`));
  if (![...edits.keys()].every(isKnown)) return err([{ field: "", fault: { kind: "unknownField" } }]);
  const read = isWhole ? wholeFrom(call, fields, edits.get(argumentsPath)) : typedFrom(fields, edits);
  if (!read.ok) return read;
  const json = read.value ?? "{}";
  if (json === argumentsJsonOf(call)) return ok(call);
  return json.startsWith("{") ? ok(withArguments(call, json)) : err([{ field: argumentsPath, fault: { kind: "notObject" } }]);
}

function typedFrom({ schema, field }: CallFields, edits: Typed): Result<string | undefined, CallErrors> {
  const read = readTyped(schema, field, edits);
  return read.ok ? read : err(read.error.map(({ pointer, fault }) => ({ field: pointer, fault })));
}

function wholeFrom(call: ToolCall, fields: CallFields | null, typed: string | undefined): Result<string, CallErrors> {
  const before = argumentsJsonOf(call);
  const text = typed === undefined ? undefined : rewrittenText(objectText(call.arguments, call.argumentsJson), typed);
  if (text === undefined) return ok(before);
  const json = jsonFrom(text);
  if (!json.ok) return err([{ field: argumentsPath, fault: json.error }]);
  if (fields === null || !json.value.startsWith("{")) return json;
  const known = new Set(misfits(fields.schema, before).map(({ key }) => key));
  const errors = misfits(fields.schema, json.value).filter(({ key }) => !known.has(key));
  if (errors.length === 0) return json;
  return err(
    errors.map(({ pointer, fault }) => ({ field: argumentsPath, fault: pointer === "" ? fault : { kind: "inside", at: pointer, fault } })),
  );
}

/** An argument that two calls have differently: its JSON in both; undefined where it is absent. */
type CallDifference = { readonly path: string; readonly now: string | undefined; readonly then: string | undefined };

/** Where the arguments of a call differ from those of an earlier one of the same tool. */
export function callDifferences(call: ToolCall, earlier: ToolCall): readonly CallDifference[] {
  const inputSchema = call.definition?.inputSchema ?? namesIn(call, earlier);
  const [here, there] = [call, earlier].map((each) => ({ ...each, definition: { inputSchema } })) as [ToolCall, ToolCall]; // of two
  const [now, then] = [argumentTexts(here, there), argumentTexts(there, here)];
  const paths = [...new Set([...now.keys(), ...then.keys()])];
  return paths.flatMap((path) => (now.get(path) === then.get(path) ? [] : [{ path, now: now.get(path), then: then.get(path) }]));
}

/** For calls without a schema: each argument is one value. */
const namesIn = (...calls: readonly ToolCall[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(calls.flatMap((each) => Object.keys(each.arguments)).map((name) => [name, {}])),
});

/**
 * What the arguments of a call are beside those of another: a text for each field, and one for a
 * whole list or object that is longer or shorter, or is not in both. A page counts its changes in
 * the same way.
 */
export function argumentTexts(call: ToolCall, other: ToolCall): ReadonlyMap<string, string> {
  const [here, there] = [argumentFields(call)?.field, argumentFields(other)?.field];
  const texts = new Map<string, string>();
  const others = new Map<string, string>();
  if (here !== undefined && there !== undefined) compare(here, there, texts, others);
  const isSame = texts.size === others.size && [...texts].every(([path, text]) => others.get(path) === text);
  // Members in another order, say: a difference all the same, of bytes.
  if (isSame && argumentsJsonOf(call) !== argumentsJsonOf(other))
    return new Map([[argumentsPath, objectText(call.arguments, call.argumentsJson)]]);
  return texts;
}

function compare(one: SchemaField, other: SchemaField, texts: Map<string, string>, others: Map<string, string>): void {
  const areThere = one.source !== undefined && other.source !== undefined;
  if (areThere && one.kind === "union" && other.kind === "union" && one.was === other.was && one.inner !== null && other.inner !== null)
    return compare(one.inner, other.inner, texts, others);
  if (areThere && one.kind === "object" && other.kind === "object") {
    const [mine, theirs] = [one, other].map(({ members }) => new Map(members.map((each) => [each.pointer, each])));
    for (const pointer of new Set([...(mine?.keys() ?? []), ...(theirs?.keys() ?? [])])) {
      const absent = { source: undefined, kind: "json" } as const;
      const [left, right] = [mine?.get(pointer), theirs?.get(pointer)];
      const either = left ?? right;
      if (either !== undefined) compare(left ?? { ...either, ...absent }, right ?? { ...either, ...absent }, texts, others);
    }
    return;
  }
  if (areThere && one.kind === "list" && other.kind === "list") {
    const [mine, theirs] = [one, other].map(({ items }) => items.filter(({ source }) => source !== undefined));
    if (mine !== undefined && theirs !== undefined && mine.length === theirs.length) {
      for (const [i, item] of mine.entries()) compare(item, theirs[i] ?? item, texts, others);
      return;
    }
  }
  const areTexts = [one, other].every(({ source }) => source === undefined || source.startsWith('"'));
  for (const [{ pointer, source }, into] of [
    [one, texts],
    [other, others],
  ] as const)
    if (source !== undefined) into.set(pointer, areTexts ? String(JSON.parse(source)) : prettyJson(source));
}

// Applies a reviewer's edits to the content of a review. Untouched fields keep their exact bytes,
// changed ones their type and role, and the result is valid by the protocol's schema. It records
// and approves nothing.

import { objectOf, parseJson } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import { brokenJsonRule } from "../json/json-rules.ts";
import type { SamplingReply } from "../model/sampling.ts";
import { type Content, isPlain } from "../model/subject/subject.ts";
import { err, ok, type Result } from "../result.ts";
import { type Walk, unchanged } from "../model/subject/walk.ts";
import { type CallFieldError, editedCall } from "./call-fields.ts";
import { objectText } from "./editable-fields.ts";
import { fieldsOf, partOf } from "./subject/parts.ts";
import { rewrittenText } from "./submitted-text.ts";

/**
 * Why an edit is refused. It quotes no content from outside; the catalogue of words has a sentence
 * for each.
 */
export type EditFault =
  | CallFieldError
  | { readonly kind: "empty" }
  | { readonly kind: "notNumber" | "notWholeNumber" }
  | { readonly kind: "raised"; readonly requested: number }
  | { readonly kind: "invalidRequest" }
  | { readonly kind: "invalidReply" }
  | { readonly kind: "modelNotListed" }
  /** A reviewer may write no reply to this request. */
  | { readonly kind: "notWritable" }
  | { readonly kind: "blankReply" }
  /** The request requires JSON; `hasSchema`: that matches a schema. */
  | { readonly kind: "notRequestedJson"; readonly hasSchema: boolean };

/** `field` is the path of the field; empty: the whole. */
export type EditIssue = { readonly field: string; readonly fault: EditFault };

type Edited<T> = { readonly value: T; readonly changed: boolean };

function parseObject(text: string): Result<JsonObject, EditFault> {
  const parsed = parseJson(text);
  if (parsed === undefined) return err({ kind: "notJson" });
  const value = objectOf(parsed);
  if (value === null) return err({ kind: "notObject" });
  // A reviewer's object is hashed and sent, so it keeps the rules of JSON from the wire.
  const rule = brokenJsonRule(value);
  return rule === null ? ok(value) : err({ kind: "jsonRule", rule });
}

function applying(edits: ReadonlyMap<string, string>, issues: EditIssue[], mayBeEmpty: boolean): { rewrite: Walk; changed: () => boolean } {
  let changed = false;

  /** The reviewer's new text, or undefined where the field is unchanged. */
  const newText = (path: string, original: string): string | undefined => {
    const edit = edits.get(path);
    return edit === undefined ? undefined : rewrittenText(original, edit);
  };
  const refuse = <T>(path: string, fault: EditFault, value: T): T => {
    issues.push({ field: path, fault });
    return value;
  };
  const change = <T>(value: T): T => {
    changed = true;
    return value;
  };

  const rewrite: Walk = {
    ...unchanged,
    text(path, value) {
      const text = newText(path, value);
      if (text === undefined) return value;
      if (text === "" && !mayBeEmpty) return refuse(path, { kind: "empty" }, value);
      return change(text);
    },
    optionalText(path, value) {
      const text = newText(path, value);
      if (text === undefined) return value;
      return change(text === "" ? undefined : text);
    },
    object(path, value) {
      const text = newText(path, objectText(value));
      if (text === undefined) return value;
      const parsed = parseObject(text);
      return parsed.ok ? change(parsed.value) : refuse(path, parsed.error, value);
    },
    limit(path, value) {
      const text = newText(path, String(value))?.trim();
      if (text === undefined || text === String(value)) return value;
      if (!/^[0-9]{1,15}$/.test(text) || Number(text) < 1) return refuse(path, { kind: "notWholeNumber" }, value);
      if (Number(text) > value) return refuse(path, { kind: "raised", requested: value }, value);
      return Number(text) === value ? value : change(Number(text));
    },
    number(path, value) {
      const text = newText(path, String(value))?.trim();
      if (text === undefined || text === String(value)) return value;
      if (text === "") return change(undefined);
      if (!/^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text)) return refuse(path, { kind: "notNumber" }, value);
      return Number(text) === value ? value : change(Number(text));
    },
  };
  return { rewrite, changed: () => changed };
}

function unknownPaths(edits: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): EditIssue[] {
  const extra = [...edits.keys()].some((path) => !known.has(path));
  return extra ? [{ field: "", fault: { kind: "unknownField" } }] : [];
}

/**
 * What a client requires of a reply beyond the protocol's schema: what is wrong with one that does
 * not fit, or null.
 */
export type ReplyRule = (reply: SamplingReply) => EditFault | null;

/**
 * The content with the edits in it. `edits` maps paths to texts as the browser sent them. A field
 * that is missing, or the same after a form's changes to it (`asSubmitted`), keeps its exact value;
 * without any change the value is the same object. An emptied system prompt, stop sequence, tool
 * description or temperature is left out; `maxTokens` may only go down. Refused, with every issue:
 * other emptied texts of a request, because providers refuse empty texts; an unknown path; an
 * invalid content; and where the edited reply does not fit `rule`, each changed text.
 */
export function applyEdits<T extends Content>(
  content: T,
  edits: ReadonlyMap<string, string>,
  rule?: (value: T) => EditFault | null,
): Result<Edited<T>, EditIssue[]> {
  if (isPlain(content) && content.kind === "toolCall") {
    const edited = editedCall(content, edits);
    return edited.ok ? ok({ value: edited.value as T, changed: edited.value !== content }) : err([...edited.error]); // T is the call
  }
  const part = partOf(content);
  const known = fieldsOf(content);
  const issues = unknownPaths(edits, known);
  const { rewrite, changed } = applying(edits, issues, part.mayBeEmptied);
  const value = part.rewrite(content, rewrite);
  if (issues.length === 0 && changed() && !part.fits(value)) issues.push({ field: "", fault: { kind: part.invalid } });
  const misfit = issues.length === 0 && changed() ? (rule?.(value) ?? null) : null;
  if (misfit !== null) for (const [field, text] of fieldsOf(value)) if (known.get(field) !== text) issues.push({ field, fault: misfit });
  if (issues.length > 0) return err(issues);
  return ok(changed() ? { value, changed: true } : { value: content, changed: false });
}

// A draft of the policy as it is edited: the document's own JSON, which may be invalid meanwhile.
// What the editor does not know stays as it is.

import type { Json, JsonObject } from "../encoding.ts";
import { isObject, objectOf, parseJson } from "../json/values.ts";

export type Draft = JsonObject;

/** The draft in a text; null where it is no JSON object. */
export const readDraft = (text: string): Draft | null => objectOf(parseJson(text));

export const draftText = (draft: Draft): string => JSON.stringify(draft);

/**
 * Its rules in order. What is no object counts as an empty rule, so that positions are those of the
 * document.
 */
export const rulesIn = (draft: Draft): readonly JsonObject[] => {
  const { rules } = draft;
  return Array.isArray(rules) ? rules.map((rule: Json) => objectOf(rule) ?? {}) : [];
};

export const defaultIn = (draft: Draft): JsonObject => objectOf(draft["default"]) ?? {};

export const nameOf = (rule: JsonObject): string => (typeof rule["name"] === "string" ? rule["name"] : "");

const withRules = (draft: Draft, rules: readonly JsonObject[]): Draft => ({ ...draft, rules: [...rules] });

/** Moves a rule to a position, both from 0. A position behind the last is the last. */
export function moveRule(draft: Draft, from: number, to: number): Draft {
  const rules = rulesIn(draft);
  const rule = rules[from];
  if (rule === undefined) return draft;
  const others = rules.toSpliced(from, 1);
  return withRules(draft, others.toSpliced(Math.min(Math.max(to, 0), others.length), 0, rule));
}

export const removeRule = (draft: Draft, at: number): Draft => withRules(draft, rulesIn(draft).toSpliced(at, 1));

export const replaceRule = (draft: Draft, at: number, rule: JsonObject): Draft => withRules(draft, rulesIn(draft).toSpliced(at, 1, rule));

export const addRules = (draft: Draft, rules: readonly JsonObject[], at = rulesIn(draft).length): Draft =>
  withRules(draft, rulesIn(draft).toSpliced(at, 0, ...rules));

export const replaceDefault = (draft: Draft, gates: JsonObject): Draft => ({ ...draft, default: gates });

/** A new rule that asks those of the default about everything; its name is none that a rule has. */
export function newRule(draft: Draft): JsonObject {
  const names = new Set(rulesIn(draft).map(nameOf));
  for (let number = names.size + 1; ; number += 1) if (!names.has(`rule ${number}`)) return { name: `rule ${number}`, when: {}, then: {} };
}

/** The groups and the people of a document, as rules may name them. */
export function peopleIn(draft: Draft): { readonly groups: readonly string[]; readonly people: readonly string[] } {
  const reviewers = objectOf(draft["reviewers"]) ?? {};
  const people = Object.values(reviewers).flatMap((group) =>
    Array.isArray(group) ? group.flatMap((person) => (isObject(person) && typeof person["name"] === "string" ? [person["name"]] : [])) : [],
  );
  return { groups: Object.keys(reviewers), people: [...new Set(people)] };
}

/** Where a rule stands beside the one of its name in another version of the document. */
export type RuleChange =
  | { readonly kind: "same" | "new" }
  | { readonly kind: "changed"; readonly was: JsonObject; readonly from: number }
  | { readonly kind: "moved"; readonly from: number };

/**
 * Each rule of the draft beside the document in use, and the rules that the draft no longer has.
 */
export function changesIn(draft: Draft, current: Draft): { readonly changes: readonly RuleChange[]; readonly removed: readonly string[] } {
  const before = rulesIn(current);
  const after = rulesIn(draft);
  const stays = new Set(after.map(nameOf));
  const kept = before.map(nameOf).filter((name) => stays.has(name));
  const known = new Set(kept);
  const order = after.map(nameOf).filter((name) => known.has(name));
  const changes = after.map((rule): RuleChange => {
    const from = before.findIndex((each) => nameOf(each) === nameOf(rule));
    const was = before[from];
    if (was === undefined) return { kind: "new" };
    if (!isEqual(was, rule)) return { kind: "changed", was, from };
    return kept[order.indexOf(nameOf(rule))] === nameOf(rule) ? { kind: "same" } : { kind: "moved", from };
  });
  return { changes, removed: before.map(nameOf).filter((name) => !stays.has(name)) };
}

/** Whether two values of JSON are equal, whatever the order of members. */
export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.every((each, index) => isEqual(each, other[index]))
    );
  const [left, right] = [objectOf(one), objectOf(other)];
  if (left === null || right === null) return one === other;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => isEqual(left[name], right[name]));
}

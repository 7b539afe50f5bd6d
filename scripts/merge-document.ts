// A document with a change to a part of it. Pure.

import { isObject } from "../shared/json/values.ts";

/**
 * Objects are merged member by member, and null takes a member out. In a list of things with names
 * (`name`, or `id`), one replaces what has its name where that is, and a new one goes to the front:
 * of rules and of models the first counts. Everything else is replaced.
 */
export function mergeDocument(old: unknown, change: unknown): unknown {
  if (Array.isArray(change)) return isNamed(change) && Array.isArray(old) ? mergeList(old, change) : change;
  if (!isObject(change)) return change;
  const merged = new Map(isObject(old) ? Object.entries(old) : []);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergeDocument(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

const isNamed = (list: readonly unknown[]): boolean => list.length > 0 && list.every((item) => nameOf(item) !== undefined);
const nameOf = (item: unknown): unknown => (isObject(item) ? (item["id"] ?? item["name"]) : undefined);

function mergeList(old: readonly unknown[], change: readonly unknown[]): readonly unknown[] {
  const given = new Map(change.map((item) => [nameOf(item), item]));
  const added = change.filter((item) => !old.some((each) => nameOf(each) === nameOf(item)));
  return [...added, ...old.map((each) => given.get(nameOf(each)) ?? each)];
}

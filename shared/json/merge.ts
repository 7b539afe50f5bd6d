// Two changes of one JSON document joined into one, where they do not touch each other.

import { canonicalJson } from "../encoding.ts";
import { type Result, err, ok } from "../result.ts";
import { pointerStep } from "./issue-collector.ts";
import { type Members, isObject } from "./values.ts";

/** In place of a member or element that is not there. */
const absent = Symbol("absent");
type Value = unknown;

const same = (a: Value, b: Value): boolean =>
  a === b || (a !== absent && b !== absent && typeof a === typeof b && canonicalJson(a) === canonicalJson(b));

/**
 * What `mine` and `theirs` both made of `base`. Objects are joined by member, and lists by element
 * where each element has an `id`, a `name` or a `hint` of its own. Refused with the pointers of
 * what both changed differently.
 */
export function mergeJson(base: unknown, mine: unknown, theirs: unknown): Result<unknown, string[]> {
  const overlaps: string[] = [];
  const merged = merge({ base, mine, theirs }, "", overlaps);
  return overlaps.length === 0 ? ok(merged) : err(overlaps);
}

type Three<T> = { readonly base: T; readonly mine: T; readonly theirs: T };

function merge({ base, mine, theirs }: Three<Value>, pointer: string, overlaps: string[]): Value {
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  if (isObject(base) && isObject(mine) && isObject(theirs)) {
    const three = { base: mapOf(base), mine: mapOf(mine), theirs: mapOf(theirs) };
    return Object.fromEntries(mergeMaps(three, pointer, overlaps));
  }
  if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs)) {
    const three = identified({ base, mine, theirs });
    if (three !== null) return mergeMaps(three, pointer, overlaps).map(([, value]) => value);
  }
  overlaps.push(pointer);
  return mine;
}

const mapOf = (object: Members): Map<string, Value> => new Map(Object.entries(object));

/** The elements by their own names, where all three lists have them. */
function identified(lists: Three<readonly Value[]>): Three<Map<string, Value>> | null {
  for (const member of ["id", "name", "hint"]) {
    const [base, mine, theirs] = [named(lists.base, member), named(lists.mine, member), named(lists.theirs, member)];
    if (base !== null && mine !== null && theirs !== null) return { base, mine, theirs };
  }
  return null;
}

function named(list: readonly Value[], member: string): Map<string, Value> | null {
  const map = new Map<string, Value>();
  for (const element of list) {
    const name = isObject(element) ? element[member] : undefined;
    if (typeof name !== "string" || map.has(name)) return null;
    map.set(name, element);
  }
  return map;
}

function mergeMaps(three: Three<Map<string, Value>>, pointer: string, overlaps: string[]): [string, Value][] {
  const names = orderOf(three);
  if (names === null) {
    overlaps.push(pointer);
    return [...three.mine];
  }
  return names.flatMap((name): [string, Value][] => {
    const of = (map: Map<string, Value>): Value => (map.has(name) ? map.get(name) : absent);
    const value = merge({ base: of(three.base), mine: of(three.mine), theirs: of(three.theirs) }, pointer + pointerStep(name), overlaps);
    return value === absent ? [] : [[name, value]];
  });
}

/**
 * All names: in the order of whoever changed it, with the other's new ones behind what they stood
 * behind. Null: both changed it.
 */
function orderOf({ base, mine, theirs }: Three<Map<string, Value>>): string[] | null {
  const isKept = (other: Map<string, Value>): boolean => {
    const common = (map: Map<string, Value>, of: Map<string, Value>): string =>
      JSON.stringify([...map.keys()].filter((name) => of.has(name)));
    return common(base, other) === common(other, base);
  };
  if (!isKept(mine) && !isKept(theirs)) return null;
  const [first, second] = isKept(mine) ? [theirs, mine] : [mine, theirs];
  const names = [...first.keys()];
  let before = -1;
  for (const name of second.keys()) {
    const at = names.indexOf(name);
    if (at === -1) names.splice((before += 1), 0, name);
    else before = at;
  }
  return names;
}

// Changes of one reviewer of a policy as it is written: everything else stays as it is, members
// that this version does not know included. One person may be in several groups, and is the same in
// each.

import type { JsonObject } from "../json-types.ts";
import { isObject, objectOf } from "../json/values.ts";

type Groups = Readonly<Record<string, JsonObject[]>>;

const groupsOf = (policy: JsonObject): Groups =>
  Object.fromEntries(
    Object.entries(objectOf(policy["reviewers"]) ?? {}).map(([group, people]) => [
      group,
      Array.isArray(people) ? (people.filter(isObject) as JsonObject[]) : [], // a policy that was valid when it was written
    ]),
  );

const isNamed =
  (name: string) =>
  (person: JsonObject): boolean =>
    person["name"] === name;

/** The names of the groups, in their order. */
export const groupNames = (policy: JsonObject): string[] => Object.keys(groupsOf(policy));

/** The reviewer of this name with the groups that they are in; null where there is none. */
export function groupedReviewer(policy: JsonObject, name: string): JsonObject | null {
  const groups = Object.entries(groupsOf(policy)).filter(([, people]) => people.some(isNamed(name)));
  const person = groups[0]?.[1].find(isNamed(name));
  return person === undefined ? null : { ...person, groups: groups.map(([group]) => group) };
}

/**
 * The policy with this reviewer in these groups, at their place where they were in one, and in no
 * other. A group of which nobody is left is gone, and a new name is a new group.
 */
export function withReviewer(policy: JsonObject, person: JsonObject, groups: readonly string[]): JsonObject {
  const is = isNamed(String(person["name"]));
  const before = groupsOf(policy);
  const changed = Object.entries(before).map(([group, people]): [string, JsonObject[]] => {
    if (!groups.includes(group)) return [group, people.filter((each) => !is(each))];
    return [group, people.some(is) ? people.map((each) => (is(each) ? person : each)) : [...people, person]];
  });
  const added = groups.filter((group) => !Object.hasOwn(before, group)).map((group): [string, JsonObject[]] => [group, [person]]);
  return { ...policy, reviewers: Object.fromEntries([...changed.filter(([, people]) => people.length > 0), ...added]) };
}

export const withoutReviewer = (policy: JsonObject, name: string): JsonObject => withReviewer(policy, { name }, []);

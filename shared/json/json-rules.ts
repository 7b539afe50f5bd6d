// The rules for every JSON value from outside, checked before anything walks, hashes or stores it.
// Never throws, never changes the value.
//
// JSON.parse accepts more than the rest of the pipeline can carry: a lone surrogate or a number
// that overflowed to infinity has no canonical form (RFC 8785 sections 3.2.2.2 and 3.2.2.3), a
// member named `__proto__` becomes a prototype in the first careless copy, and a value nested a
// hundred thousand deep overflows the stack of the first recursive walk.

import { boundedPointerTo, type IssueCollector } from "./issue-collector.ts";

/**
 * Objects and arrays inside one another in the params of a request, the params themselves counted.
 */
const MAX_DEPTH = 64;

const messages = {
  surrogate: "has a lone surrogate, which is not a character",
  surrogateName: "has a member whose name has a lone surrogate",
  reservedName: "has a member named __proto__, which is refused",
  hugeNumber: "is a number too large to carry",
  depth: `is nested more than ${MAX_DEPTH} levels deep`,
  notJson: "is not a JSON value",
} as const;

/** The rule that a value breaks. */
export type JsonRule = keyof typeof messages;

/**
 * Reports everything in `value` that breaks a rule above, under the pointer "" for `value` itself.
 */
export function checkJson(value: unknown, issues: IssueCollector): void {
  walkJson(value, { report: (pointer, rule) => issues.add(pointer, messages[rule]), isFull: () => issues.full });
}

/** A rule that the value breaks; null where it breaks none. */
export function brokenJsonRule(value: unknown): JsonRule | null {
  const broken: JsonRule[] = [];
  walkJson(value, { report: (_, rule) => broken.push(rule), isFull: () => broken.length > 0 });
  return broken[0] ?? null;
}

type Found = { readonly report: (pointer: string, rule: JsonRule) => void; readonly isFull: () => boolean };

function walkJson(value: unknown, { report, isFull }: Found): void {
  const path: (string | number)[] = [];

  function visit(value: unknown, depth: number): void {
    switch (typeof value) {
      case "string":
        if (!value.isWellFormed()) report(boundedPointerTo(path), "surrogate");
        return;
      case "number":
        if (!Number.isFinite(value)) report(boundedPointerTo(path), "hugeNumber");
        return;
      case "boolean":
        return;
      case "object":
        if (value !== null) visitMembers(value, depth);
        return;
      case "undefined":
        // Absent in JSON; a field that requires the value reports it.
        return;
      default:
        report(boundedPointerTo(path), "notJson");
    }
  }

  function visitMembers(container: object, depth: number): void {
    if (depth > MAX_DEPTH) {
      report(boundedPointerTo(path), "depth");
    } else if (Array.isArray(container)) {
      for (let i = 0; i < container.length && !isFull(); i += 1) {
        path.push(i);
        visit(container[i], depth + 1);
        path.pop();
      }
    } else {
      for (const [name, member] of Object.entries(container)) {
        if (isFull()) return;
        if (name === "__proto__") report(boundedPointerTo(path), "reservedName");
        else if (!name.isWellFormed()) report(boundedPointerTo(path), "surrogateName");
        else {
          path.push(name);
          visit(member, depth + 1);
          path.pop();
        }
      }
    }
  }

  visit(value, 1);
}

/**
 * Whether `value` has more than `levels` objects and arrays inside one another, itself counted.
 * Looks no deeper than that.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(value)) if (isDeeperThan(levels - 1, member)) return true;
  return false;
}

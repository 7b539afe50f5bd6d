// The decisions about a request's members, as tables in tests have them: each is passed on, used
// for the answer, noted, left out without a word, or refused.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ParsedRequest } from "../../../../shared/wire/openai/openai-request.ts";

type Then =
  /** What the neutral request has of it. */
  | { readonly passed: object }
  /** What the answer is written by. */
  | { readonly answered: object }
  /** Where it is not passed on, and the word for it that reviewers see. */
  | { readonly noted: string; readonly as: string }
  /** Where it comes back with an answer's item, and says nothing to a model. */
  | { readonly silent: string }
  | { readonly refused: string; readonly why: string };

type Decided = readonly [asked: object, then: Then];

export const notedAt = (noted: string, as = "messages"): Then => ({ noted, as });
export const refusedAt = (refused: string, why: string): Then => ({ refused, why });

/** Of each interface, each member. */
export type DecidedMembers = { readonly [name: string]: { readonly [member: string]: Decided } };

/** The members, without the one at this pointer. */
function without(members: object, pointer: string): object {
  const copy = structuredClone(members);
  const steps = pointer.split("/").slice(1);
  const last = steps.pop() ?? "";
  const parent = steps.reduce<object>((at, step) => (at as { readonly [name: string]: object })[step] ?? {}, copy);
  expect(parent).toHaveProperty([last]);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else Reflect.deleteProperty(parent, last);
  return copy;
}

/** `well`: what a request with these members is read as. `errorsOf`: why it is refused. */
export function testDecided(
  decided: DecidedMembers,
  well: (more: object) => ParsedRequest,
  errorsOf: (more: object) => readonly object[],
): void {
  describe.each(Object.entries(decided))("%s:", (_name, members) => {
    test.each(Object.entries(members))("%s", (_member, [asked, then]) => {
      if ("refused" in then)
        expect(errorsOf(asked)).toContainEqual({ pointer: then.refused, message: expect.stringContaining(then.why) as string });
      else if ("noted" in then) {
        const { request, notes, ignored } = well(asked);
        expect(notes).toContain(`Not passed on: ${then.noted}.`);
        expect(ignored).toEqual([then.as]);
        expect(request).toEqual(well(without(asked, then.noted)).request);
      } else if ("silent" in then) {
        const { request, notes } = well(asked);
        expect(notes).toEqual([]);
        expect(request).toEqual(well(without(asked, then.silent)).request);
      } else if ("answered" in then) expect(well(asked)).toMatchObject(then.answered);
      else {
        const { request, notes } = well(asked);
        expect(request).toMatchObject(then.passed);
        expect(notes).toEqual([]);
      }
    });
  });
}

export const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, "", " ", -1, 0, 1e308, [], {}, [[]], "\ud800", "auto", "data:image/png;base64,", "{}", {
    type: "function",
  }),
);

/** The value with one place in it replaced, or a member beside it. */
export function mutated(value: unknown, steps: readonly number[], by: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== "object" || value === null) return by;
  if (Array.isArray(value)) {
    const at = step % (value.length + 1);
    return at === value.length ? [...value, by] : value.map((each: unknown, i) => (i === at ? mutated(each, rest, by) : each));
  }
  const names = [...Object.keys(value), "type", "content", "name"];
  const name = names[step % names.length] ?? "";
  return { ...value, [name]: mutated((value as { readonly [name: string]: unknown })[name], rest, by) };
}

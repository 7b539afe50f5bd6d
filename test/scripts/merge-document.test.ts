// What `npm run change` makes of a document.

import { expect, test } from "vitest";
import { mergeDocument } from "../../scripts/merge-document.ts";

const policy = {
  version: 3,
  rules: [{ name: "a", then: { quorum: 1, response: "allow" } }, { then: { request: "refuse" } }],
  default: { reviewers: ["everyone"], tellReason: true },
  reviewers: { everyone: [{ name: "Ann", email: "ann@example.com" }] },
};

test("a new rule goes first, and every other stays, also one without a name", () => {
  const rule = { name: "b", when: { subject: "toolCall" }, then: {} };
  expect(mergeDocument(policy, { rules: [rule] })).toEqual({ ...policy, rules: [rule, ...policy.rules] });
});

test("a rule of the same name takes its place, whole, and the same change again changes nothing", () => {
  const change = { rules: [{ name: "a", then: { quorum: 2 } }] };
  const once = mergeDocument(policy, change);
  expect(once).toEqual({ ...policy, rules: [{ name: "a", then: { quorum: 2 } }, policy.rules[1]] });
  expect(mergeDocument(once, change)).toEqual(once);
});

test("objects are merged, lists without names are replaced, and null takes a member out", () => {
  const change = { default: { reviewers: ["lead"], tellReason: null }, reviewers: { lead: [{ name: "Cy" }] } };
  expect(mergeDocument(policy, change)).toEqual({
    ...policy,
    default: { reviewers: ["lead"] },
    reviewers: { ...policy.reviewers, lead: [{ name: "Cy" }] },
  });
  expect(mergeDocument(policy, { rules: [] })).toEqual({ ...policy, rules: [] });
});

test("models go by their id, where two may have one name", () => {
  const models = [
    { id: "x", name: "m" },
    { id: "y", name: "m" },
  ];
  expect(mergeDocument({ models }, { models: [{ id: "y", name: "n" }] })).toEqual({ models: [models[0], { id: "y", name: "n" }] });
});

test("a member with a name of JavaScript's own is a member like any other", () => {
  const merged = mergeDocument({ a: 1 }, JSON.parse('{ "__proto__": { "b": 2 }, "constructor": 3 }'));
  expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"b":2},"constructor":3}');
});

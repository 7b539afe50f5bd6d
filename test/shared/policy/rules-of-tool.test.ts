import { expect, test } from "vitest";
import { parsePolicy } from "../../../shared/policy/rules.ts";
import { rulesOfTool } from "../../../shared/policy/rules-of-tool.ts";

const policyOf = (rules: readonly object[]) => {
  const read = parsePolicy({ rules, default: { reviewers: ["team"] }, reviewers: { team: [{ name: "Ann" }] } });
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
};
const hints = { readOnly: false, destructive: true, openWorld: true };
const rulesFor = (rules: readonly object[], call: object = { hints, definitionChanged: false }) =>
  rulesOfTool(policyOf(rules), { server: "github", tool: "delete_branch", call });
const namesFor = (rules: readonly object[], call?: object) => rulesFor(rules, call).map(({ rule, isSure }) => [rule, isSure]);
const rule = (name: string, when: object, then: object = {}) => ({ name, when: { subject: "toolCall", ...when }, then });

test("a call that no rule is about is allowed", () => {
  expect(rulesFor([rule("others", { tool: "read_*" }), { name: "models", when: {}, then: {} }])).toEqual([
    { rule: "default", isSure: true, juror: null, request: "allow", response: "allow", reviewers: [] },
  ]);
});

test("the first rule that applies to every call of the tool is the last of the list", () => {
  expect(rulesFor([rule("deletes", { tool: "delete_*" }, { response: "allow" }), rule("all", {}, { request: "refuse" })])).toEqual([
    { rule: "deletes", isSure: true, juror: null, request: "review", response: "allow", reviewers: ["team"] },
  ]);
});

test.each([{ key: "ci-*" }, { arguments: [{ pointer: "/force", equals: true }] }, { firstUse: true }, { risk: "low" }])(
  "a rule with %j may apply, and what comes after it may too",
  (when) => {
    expect(namesFor([rule("some", when), rule("all", {})])).toEqual([
      ["some", false],
      ["all", true],
    ]);
    expect(namesFor([rule("some", when)])).toEqual([
      ["some", false],
      ["default", true],
    ]);
  },
);

test.each([
  [{ annotations: { destructive: true } }, true],
  [{ annotations: { destructive: false } }, false],
  [{ definitionChanged: true }, false],
  [{ definitionChanged: false }, true],
  [{ method: "tools/*" }, true],
  [{ provenance: "own" }, false],
  [{ server: "notes" }, false],
])("a rule with %j is judged by what is known: %s", (when, applies) => {
  expect(namesFor([rule("one", when)])).toEqual([[applies ? "one" : "default", true]]);
});

test("a rule's juror is named", () => {
  expect(rulesFor([rule("deletes", {}, { request: "allow", juror: { model: "judge" } })])).toMatchObject([
    { juror: "judge", request: "allow" },
  ]);
});

test("a rule in shadow decides nothing", () => {
  expect(namesFor([rule("watching", {}, { shadow: true })])).toEqual([["default", true]]);
});

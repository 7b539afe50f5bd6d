// Which rules are about a sampling request, a tool's call and a form, and what the default is
// about.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyScope } from "../../../shared/model/gate.ts";
import type { JudgedRequest, JudgedSubject } from "../../../shared/model/judged-request.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { judge, restsOnArguments } from "../../../shared/policy/evaluate.ts";
import { redactionTermsOf } from "../../../shared/policy/redaction-terms.ts";
import { ruleWithoutOwner } from "../../../shared/policy/own-requests.ts";
import { parsePolicy, policySchema, type Policy } from "../../../shared/policy/rules.ts";
import { planRun } from "../../../shared/run/plan.ts";
import type { Endpoint } from "../../../shared/record/record.ts";
import type { SubjectRequest } from "../../../shared/model/subject/subject.ts";
import { requestOf, tableOf } from "../routing/examples.ts";

const subjects: readonly JudgedSubject[] = ["message", "function", "toolCall", "form"];

const policyOf = (rules: readonly object[], byDefault: object = {}): Policy => {
  const parsed = parsePolicy({
    rules: rules.map((rule, index) => ({ name: `rule ${index}`, ...rule })),
    default: { reviewers: ["everyone"], ...byDefault },
    reviewers: { everyone: [{ name: "Ann" }, { name: "Bo" }] },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};

const judgedOf = (subject: JudgedSubject): JudgedRequest => ({
  subject,
  server: "notes",
  tool: "delete_note",
  method: "tools/call",
  keyName: "ci",
  keyOwner: null,
  provenance: "observed",
  hasMedia: false,
  hasTools: false,
  maxTokens: 0,
  risk: "none",
  models: [],
  isOnce: false,
});

/** Each subject with the rule that decided and what it says. */
const decided = (policy: Policy): Readonly<Record<string, string>> =>
  Object.fromEntries(
    subjects.map((subject) => {
      const judgement = judge(policy, judgedOf(subject));
      return [
        subject,
        judgement.kind === "refused"
          ? `${judgement.rule}: refused`
          : `${judgement.gates.rule}: ${judgement.gates.request} ${judgement.gates.response}`,
      ];
    }),
  );

describe("a rule", () => {
  test("that names no subject is about sampling and the functions of /control, as before there were subjects", () => {
    expect(decided(policyOf([{ then: { request: "refuse" } }]))).toEqual({
      message: "rule 0: refused",
      function: "rule 0: refused",
      toolCall: "default: allow allow",
      form: "default: allow allow",
    });
  });

  test.each([
    ["message", ["message"]],
    ["toolCall", ["toolCall", "function"]],
    ["form", ["form"]],
  ])("with the subject %s is about %j alone", (subject, about) => {
    const rulings = decided(policyOf([{ when: { subject }, then: { request: "refuse" } }]));
    expect(subjects.filter((each) => rulings[each] === "rule 0: refused")).toEqual(subjects.filter((each) => about.includes(each)));
  });

  test("for tool calls has the careful values where it says nothing", () => {
    expect(decided(policyOf([{ when: { subject: "toolCall" } }], { request: "allow", response: "allow" }))).toMatchObject({
      function: "rule 0: review review",
      toolCall: "rule 0: review review",
      form: "default: allow allow",
    });
  });
});

test("the default reviews functions of /control, and no call that a client makes and no form", () => {
  expect(decided(policyOf([], { quorum: 2 }))).toEqual({
    message: "default: review review",
    function: "default: review review",
    toolCall: "default: allow allow",
    form: "default: allow allow",
  });
});

test("a policy without subjects allows every call and form, whatever its rules say", () => {
  const rule = fc.record({
    when: fc.record({ server: fc.constant("*"), tool: fc.constant("*"), provenance: fc.constant("observed") }, { requiredKeys: [] }),
    then: fc.record({ request: fc.constantFrom("allow", "review", "refuse"), quorum: fc.constantFrom(1, 2) }, { requiredKeys: [] }),
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), fc.constantFrom("allow", "review", "refuse"), (rules, request) => {
      expect(decided(policyOf(rules, { request }))).toMatchObject({ toolCall: "default: allow allow", form: "default: allow allow" });
    }),
  );
});

describe("a rule for tool calls", () => {
  const by = (when: object, more: Partial<JudgedRequest> = {}, given?: JsonObject): string => {
    const policy = policyOf([{ when: { subject: "toolCall", ...when }, then: { request: "refuse" } }]);
    return judge(policy, { ...judgedOf("toolCall"), ...more }, given === undefined ? undefined : { given, sent: given }).kind;
  };

  test.each([
    [{ annotations: { destructive: true } }, {}, { hints: { readOnly: false, destructive: false, openWorld: true } }],
    [{ annotations: { readOnly: false } }, {}, { hints: { readOnly: true, destructive: false, openWorld: true } }],
    [{ annotations: { openWorld: true } }, {}, { hints: { readOnly: true, destructive: false, openWorld: false } }],
    [{ annotations: { readOnly: false, openWorld: true } }, {}, { hints: { readOnly: false, destructive: true, openWorld: false } }],
    [{ firstUse: true }, {}, { firstUse: false }],
    [{ definitionChanged: true }, {}, { definitionChanged: false }],
    [{ firstUse: false }, { firstUse: false }, {}],
    [{ annotations: { readOnly: true } }, { hints: { readOnly: true, destructive: false, openWorld: true } }, {}],
  ] as const)("by %j takes what is not known for the worst", (when, met, unmet) => {
    expect(by(when, { call: met })).toBe("refused");
    expect(by(when, { call: unmet })).toBe("gates");
  });

  test("applies by its warnings, its tool, its server and its key", () => {
    expect(by({ risk: "medium", tool: "delete_*", server: "no*", key: "c*", method: "tools/call" }, { risk: "high" })).toBe("refused");
    expect(by({ risk: "medium" })).toBe("gates");
  });

  test("applies where all of its conditions on arguments hold", () => {
    const when = {
      arguments: [
        { pointer: "/env", equals: "production" },
        { pointer: "/force", present: true },
      ],
    };
    expect(by(when, {}, { env: "production", force: false })).toBe("refused");
    expect(by(when, {}, { env: "production" })).toBe("gates");
    expect(by(when)).toBe("gates");
  });

  test("is not told apart by the record where it, or one before it, looks at arguments", () => {
    const rests = (...rules: readonly object[]): boolean => restsOnArguments(policyOf(rules), judgedOf("toolCall"));
    const looking = { when: { subject: "toolCall", arguments: [{ pointer: "/env", present: true }] } };
    expect(rests(looking)).toBe(true);
    expect(rests({ when: { subject: "toolCall" } }, looking)).toBe(false);
    expect(rests({ when: { subject: "toolCall", server: "mail" } }, { ...looking, when: { ...looking.when, server: "mail" } })).toBe(false);
  });

  test.each([
    [{ subject: "toolCall", model: "*" }, "/rules/0/when/model"],
    [{ subject: "toolCall", hasMedia: true }, "/rules/0/when/hasMedia"],
    [{ subject: "form", maxTokensOver: 1 }, "/rules/0/when/maxTokensOver"],
    [{ subject: "toolCall", costOverUsd: 1 }, "/rules/0/when/costOverUsd"],
    [{ firstUse: true }, "/rules/0/when/firstUse"],
    [{ subject: "form", annotations: { readOnly: true } }, "/rules/0/when/annotations"],
    [{ subject: "message", arguments: [{ pointer: "/a", present: true }] }, "/rules/0/when/arguments"],
    [{ subject: "toolCall", arguments: [{ pointer: "/a" }] }, "/rules/0/when/arguments/0"],
  ])("is refused with conditions of another subject (%j)", (when, pointer) => {
    const parsed = parsePolicy({ rules: [{ name: "a", when }], default: { request: "allow", response: "allow" }, reviewers: {} });
    expect(parsed.ok ? [] : parsed.error.map((issue) => issue.pointer)).toContain(pointer);
  });
});

test("redaction masks a client's call where a rule names calls, and a function as before", () => {
  const terms = (when: object, subject: JudgedSubject): boolean => {
    const { redaction } = policySchema.parse({ redaction: { rules: [{ name: "n", pattern: "x", when }] } });
    return redactionTermsOf(redaction, [], judgedOf(subject)) !== null;
  };
  expect(subjects.filter((subject) => terms({}, subject))).toEqual(["message", "function"]);
  expect(subjects.filter((subject) => terms({ subject: "toolCall" }, subject))).toEqual(["function", "toolCall"]);
});

describe("what a plan is about", () => {
  const call: SubjectRequest = { kind: "toolCall", server: "notes", tool: "delete_note", arguments: {} };
  const about = (request: SubjectRequest, endpoint: Endpoint): string => {
    const plan = planRun({
      routing: tableOf([{ id: "one" }]),
      policy: policyOf([]),
      request,
      endpoint,
      requestor: { server: "notes", method: "tools/call", name: "delete_note", provenance: "own" },
      key: { id: "key_1", name: "ci" },
      ready: () => undefined,
    });
    if (!plan.ok) throw new Error(plan.error.kind);
    return `${plan.value.judged.subject}: ${plan.value.gatePolicy.request}`;
  };

  test("is a function where the gateway makes the call, and a tool's call where its caller does", () => {
    expect(about(call, "control")).toBe("function: review");
    expect(about(call, "relay")).toBe("toolCall: allow");
  });

  test("is a message where a model answers, and a form", () => {
    expect(about(requestOf(), "control")).toBe("message: review");
    expect(about({ kind: "form", server: "notes", message: "Which?", schema: {} }, "relay")).toBe("form: allow");
  });
});

describe("a key without a known owner", () => {
  const barred = (rules: readonly object[], scopes: readonly KeyScope[], byDefault: object = {}): string | null =>
    ruleWithoutOwner(policyOf(rules, byDefault), { name: "ci", owner: "Zoe", scopes });
  const own = { selfApproval: false };

  test.each(["toolCall", "form"])("is cut off by a rule for a %s behind one for everything else", (subject) => {
    const rules = [{ then: {} }, { when: { subject }, then: own }];
    expect(barred(rules, ["sampling"])).toBe("rule 1");
    expect(barred(rules, ["v1"])).toBeNull();
  });

  test("may be kept by a rule before it for the same subject alone", () => {
    const rules = [{ when: { subject: "toolCall" }, then: { request: "allow", response: "allow" } }, { then: own }];
    expect(barred(rules, ["sampling"])).toBe("rule 1");
    expect(barred([rules[0] ?? {}, { when: { subject: "toolCall" }, then: own }], ["sampling", "control"])).toBeNull();
  });

  test("at the control endpoint is cut off by a rule for calls, and by the default", () => {
    expect(barred([{ when: { subject: "toolCall" }, then: own }], ["control"])).toBe("rule 0");
    expect(barred([{ when: { subject: "message" }, then: {} }], ["control"], own)).toBe("default");
    expect(barred([{ when: { subject: "message" }, then: {} }], ["sampling"], own)).toBeNull();
  });
});

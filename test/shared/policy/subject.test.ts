// Which rules are about a sampling request, a tool's call and a form, and what the default is
// about.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyScope } from "../../../shared/model/gate.ts";
import type { JudgedRequest, JudgedSubject } from "../../../shared/model/judged-request.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { type GatePlan, judge, peopleOfPlan, restsOnArguments } from "../../../shared/policy/evaluate.ts";
import { redactionTermsOf } from "../../../shared/policy/redaction-terms.ts";
import { ruleWithoutOwner } from "../../../shared/policy/own-requests.ts";
import { parsePolicy, policySchema, type Policy } from "../../../shared/policy/rules.ts";
import { carefulHints } from "../../../shared/policy/tool-hints.ts";
import { planRun } from "../../../shared/run/plan.ts";
import type { Endpoint } from "../../../shared/record/record.ts";
import type { SubjectRequest } from "../../../shared/model/subject/subject.ts";
import { requestOf, tableOf } from "../routing/examples.ts";

const subjects: readonly JudgedSubject[] = ["message", "function", "toolCall", "form"];

const policyOf = (rules: readonly object[], byDefault: object = {}): Policy => {
  const parsed = parsePolicy({
    rules: rules.map((rule, index) => ({ name: `rule ${index}`, ...rule })),
    default: { reviewers: ["everyone"], ...byDefault },
    reviewers: { everyone: [{ name: "Ann" }, { name: "Bo", email: "bo@example.com" }] },
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
    const policy = policyOf([{ when: { subject: "toolCall" }, then: { selfApproval: true } }], { request: "allow", response: "allow" });
    expect(decided(policy)).toMatchObject({
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

describe("who decides about a call", () => {
  const about = (then: object, more: Partial<JudgedRequest> = {}) =>
    judge(policyOf([{ when: { subject: "toolCall" }, then }]), { ...judgedOf("toolCall"), keyOwner: "bo@example.com", ...more });
  const asked = (then: object, more: Partial<JudgedRequest> = {}): GatePlan | string => {
    const judgement = about(then, more);
    return judgement.kind === "refused" ? judgement.why : judgement.gates;
  };

  test("that is confirmed: the owner of the key, and nobody else", () => {
    const gates = asked({ request: "confirm", remindAtSeconds: [60] });
    expect(gates).toMatchObject({ request: "review", confirm: true, quorum: 1, selfApproval: true, escalate: null, remindAtSeconds: [60] });
    expect(typeof gates === "string" ? [] : peopleOfPlan(gates).map(({ name }) => name)).toEqual(["Bo"]);
  });

  test.each([null, "Zoe"])("that is confirmed by an owner who is no reviewer (%j): nobody, and it is refused", (keyOwner) => {
    expect(asked({ request: "confirm" }, { keyOwner })).toBe("ownerUnknown");
  });

  test("that is reviewed: others, never the owner", () => {
    expect(asked({})).toMatchObject({ request: "review", selfApproval: false, owner: "Bo", quorum: 1 });
    expect(asked({}, { keyOwner: "Zoe" })).toBe("ownerUnknown");
    expect(asked({ selfApproval: true }, { keyOwner: "Zoe" })).toMatchObject({ request: "review", selfApproval: true });
    expect(asked({ quorum: 2 })).toMatchObject({ quorum: 2 });
  });

  test("that is allowed or refused: nobody", () => {
    expect(asked({ request: "allow", response: "allow" }, { keyOwner: null })).toMatchObject({ request: "allow", response: "allow" });
    expect(asked({ request: "refuse" })).toBe("policyRefused");
  });

  test("a message is reviewed as before: its owner may", () => {
    const policy = policyOf([{ when: { subject: "message" } }, { when: { subject: "form" } }]);
    for (const subject of ["message", "form"] as const)
      expect(judge(policy, judgedOf(subject))).toMatchObject({ kind: "gates", gates: { selfApproval: true } });
  });

  test.each([
    [{ request: "confirm", reviewers: ["everyone"] }, "/rules/0/then/reviewers"],
    [{ request: "confirm", quorum: 2 }, "/rules/0/then/quorum"],
    [{ request: "confirm", escalate: { afterSeconds: 60, to: ["everyone"] } }, "/rules/0/then/escalate"],
    [{ request: "confirm", handOverTo: ["everyone"] }, "/rules/0/then/handOverTo"],
  ])("a confirmation that says who else decides is refused (%j)", (then, pointer) => {
    const document = { reviewers: { everyone: [{ name: "Ann" }] }, default: { reviewers: ["everyone"] } };
    const parsed = parsePolicy({ ...document, rules: [{ name: "a", when: { subject: "toolCall" }, then }] });
    expect(parsed.ok ? [] : parsed.error.map((issue) => issue.pointer)).toEqual([pointer]);
  });

  test("a message is not confirmed, nor is everything else", () => {
    const reviewers = { everyone: [{ name: "Ann" }] };
    const parsed = parsePolicy({
      reviewers,
      rules: [{ name: "a", then: { request: "confirm" } }],
      default: { request: "confirm", reviewers: ["everyone"] },
    });
    expect(parsed.ok ? [] : parsed.error.map((issue) => issue.pointer)).toEqual(["/default/request", "/rules/0/then/request"]);
  });

  test("a key without a known owner is cut off by a confirmation, and by no rule in shadow", () => {
    const cut = (then: object): string | null =>
      ruleWithoutOwner(policyOf([{ when: { subject: "toolCall" }, then }]), { name: "ci", owner: "Zoe", scopes: ["sampling"] });
    expect(cut({ request: "confirm", selfApproval: true })).toBe("rule 0");
    expect(cut({})).toBe("rule 0");
    expect(cut({ request: "confirm", shadow: true })).toBeNull();
    expect(cut({ request: "allow", response: "allow" })).toBeNull();
  });
});

/** Any rule for calls, by what its conditions say of the tool. */
const callRules = fc.record({
  when: fc.record(
    {
      subject: fc.constant("toolCall"),
      server: fc.constantFrom("notes", "mail", "*"),
      risk: fc.constantFrom("low", "high"),
      annotations: fc.record({ readOnly: fc.boolean(), destructive: fc.boolean(), openWorld: fc.boolean() }, { requiredKeys: [] }),
      firstUse: fc.boolean(),
      definitionChanged: fc.boolean(),
    },
    { requiredKeys: ["subject"] },
  ),
  then: fc.record(
    {
      request: fc.constantFrom("review", "confirm", "allow", "refuse"),
      response: fc.constantFrom("review", "allow"),
      grants: fc.boolean(),
    },
    { requiredKeys: ["request"] },
  ),
});
const calls = fc.record({
  risk: fc.constantFrom("none", "low", "medium", "high"),
  keyOwner: fc.constantFrom(null, "Ann", "Zoe"),
  call: fc.record(
    {
      hints: fc.record({ readOnly: fc.boolean(), destructive: fc.boolean(), openWorld: fc.boolean() }),
      firstUse: fc.boolean(),
      definitionChanged: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
});
const callOf = (more: Partial<JudgedRequest>): JudgedRequest => ({ ...judgedOf("toolCall"), ...more });

describe("any rules for calls", () => {
  test("decide as they do without those that are in shadow", () => {
    const mixed = fc.array(fc.tuple(callRules, fc.boolean()), { maxLength: 5 });
    fc.assert(
      fc.property(mixed, calls, (rules, more) => {
        const named = rules.map(([rule, shadow], index) => ({ ...rule, name: `r${index}`, then: { ...rule.then, shadow } }));
        const judgement = judge(policyOf(named), callOf(more));
        const without = judge(policyOf(named.filter(({ then }) => !then.shadow)), callOf(more));
        if (judgement.kind === "refused") expect(judgement).toEqual(without);
        else {
          const { shadow: _would, ...gates } = judgement.gates;
          expect({ ...judgement, gates }).toEqual(without);
        }
      }),
    );
  });

  test("take what is not known as they take the worst that could be known", () => {
    fc.assert(
      fc.property(fc.array(callRules, { maxLength: 5 }), calls, (rules, { call: _known, ...more }) => {
        const worst = { hints: carefulHints, firstUse: true, definitionChanged: true };
        const policy = policyOf(rules);
        expect(judge(policy, callOf(more))).toEqual(judge(policy, callOf({ ...more, call: worst })));
      }),
    );
  });

  test("are loosened by no rule that refuses or reviews, wherever it stands", () => {
    const strictness = (policy: Policy, call: JudgedRequest): number => {
      const judgement = judge(policy, call);
      if (judgement.kind === "refused") return 3;
      return Number(judgement.gates.request === "review") + Number(judgement.gates.response === "review");
    };
    const open = callRules.map(({ when }) => ({ when, then: { request: "allow", response: "allow" } }));
    fc.assert(
      fc.property(fc.array(fc.oneof(callRules, open), { maxLength: 4 }), callRules, calls, fc.nat(), (rules, { when }, more, at) => {
        const call = callOf(more);
        const refusing = policyOf(rules.toSpliced(at % (rules.length + 1), 0, { when, then: { request: "refuse" } } as never));
        expect(strictness(refusing, call)).toBeGreaterThanOrEqual(strictness(policyOf(rules), call));
        const opened = rules.filter((rule) => rule.then.request === "allow");
        const reviewing = policyOf(opened.toSpliced(at % (opened.length + 1), 0, { when, then: {} } as never));
        expect(strictness(reviewing, call)).toBeGreaterThanOrEqual(strictness(policyOf(opened), call));
      }),
    );
  });
});

describe("a rule in shadow", () => {
  const trying = { when: { subject: "toolCall", tool: "delete_*" }, then: { shadow: true, quorum: 2, response: "allow" } };
  const shadowIn = (rules: readonly object[], more: Partial<JudgedRequest> = {}): unknown => {
    const judgement = judge(policyOf(rules), callOf({ keyOwner: "Ann", ...more }));
    return judgement.kind === "refused" ? "refused" : judgement.gates.shadow;
  };

  test("asks nobody, and says whom it would have asked", () => {
    expect(decided(policyOf([trying]))).toMatchObject({ toolCall: "default: allow allow" });
    expect(shadowIn([trying])).toEqual({ rule: "rule 0", request: "review", response: "allow", quorum: 2, reviewers: ["Ann", "Bo"] });
    expect(shadowIn([{ ...trying, then: { request: "confirm", shadow: true } }])).toMatchObject({ request: "confirm", reviewers: ["Ann"] });
    expect(shadowIn([{ ...trying, then: { request: "refuse", shadow: true } }])).toMatchObject({ request: "refuse", reviewers: [] });
  });

  test("would have refused where the owner is not known", () => {
    expect(shadowIn([trying], { keyOwner: "Zoe" })).toMatchObject({ rule: "rule 0", request: "refuse" });
  });

  test("says nothing where a rule before it decides, or it does not apply", () => {
    const before = { when: { subject: "toolCall" }, then: { request: "allow", response: "allow" } };
    expect(shadowIn([before, trying])).toBeUndefined();
    expect(shadowIn([trying], { tool: "read_note" })).toBeUndefined();
    expect(shadowIn([trying, { when: { subject: "toolCall" }, then: { request: "refuse" } }])).toBe("refused");
  });

  test("is for messages too", () => {
    const judgement = judge(policyOf([{ then: { shadow: true } }], { request: "allow", response: "allow" }), judgedOf("message"));
    expect(judgement).toMatchObject({ gates: { rule: "default", request: "allow", shadow: { rule: "rule 0", request: "review" } } });
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
      now: 0,
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
    expect(about({ kind: "form", server: "notes", message: "Which?", schema: {} }, "relay")).toBe("form: review");
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

  test("is cut off where a call may come to /approvals", () => {
    const when = { subject: "toolCall", provenance: "own" };
    expect(barred([{ when, then: own }], ["sampling"])).toBe("rule 0");
    expect(barred([{ when: { provenance: "own" }, then: own }], ["sampling"])).toBeNull();
  });

  test("at the control endpoint is cut off by a rule for calls, and by the default", () => {
    expect(barred([{ when: { subject: "toolCall" }, then: own }], ["control"])).toBe("rule 0");
    expect(barred([{ when: { subject: "message" }, then: {} }], ["control"], own)).toBe("default");
    expect(barred([{ when: { subject: "message" }, then: {} }], ["sampling"], own)).toBeNull();
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JudgedRequest, judgedNames, judgedRecord, judgedRequest } from "../../../shared/model/judged-request.ts";
import { type GatePlan, judge } from "../../../shared/policy/evaluate.ts";
import { type Policy, parsePolicy } from "../../../shared/policy/rules.ts";
import { type Ruling, effectOf, effects, replay } from "../../../shared/record/policy-replay.ts";
import type { RecordFact } from "../../../shared/record/record.ts";
import { addTallies, noReplay, replayAll, tallySchema } from "../../../shared/record/replay-tally.ts";

const people = { oncall: [{ name: "Ann" }, { name: "Bo" }], lead: [{ name: "Cy" }] };
const policyOf = (rules: readonly { name?: string; when?: object; then?: object }[], byDefault: object = {}): Policy => {
  const parsed = parsePolicy({
    rules: rules.map((rule, index) => ({ name: `rule ${index}`, ...rule })),
    default: { reviewers: ["oncall"], ...byDefault },
    reviewers: people,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};

const request: JudgedRequest = {
  subject: "message",
  server: "notes",
  tool: "summarize",
  method: "tools/call",
  keyName: "ci-7",
  keyOwner: null,
  provenance: "claimed",
  hasMedia: false,
  hasTools: false,
  maxTokens: 100,
  risk: "none",
  models: [
    { id: "cheap", worstCostUsd: 0.01 },
    { id: "dear", worstCostUsd: 0.2 },
  ],
  isOnce: false,
};

type Received = Extract<RecordFact, { kind: "received" }>;

/** As a gateway with this policy records it. */
function received(policy: Policy, judged: JudgedRequest): RecordFact {
  const judgement = judge(policy, judged);
  if (judgement.kind === "refused")
    return {
      kind: "refused",
      key: "key_1",
      endpoint: "sampling",
      server: judged.server,
      method: "sampling/createMessage",
      name: judged.tool,
      reason: { kind: judgement.why, rule: judgement.rule },
      judged: { ...judgedNames(judged), ...judgedRecord(judged) },
    };
  return receivedBy(judgement.gates, judged);
}

const receivedBy = (gates: GatePlan, judged: JudgedRequest): Received => ({
  kind: "received",
  key: "key_1",
  server: judged.server,
  method: judged.method,
  name: judged.tool,
  provenance: judged.provenance,
  endpoint: "sampling",
  requestDigest: "digest",
  rule: gates.rule,
  requestGate: gates.request,
  responseGate: gates.response,
  ...(gates.replyRisk === null ? {} : { replyRisk: gates.replyRisk }),
  ...(gates.reviewers.length === 0 ? {} : { asked: { reviewers: gates.reviewers.map(({ name }) => name), quorum: gates.quorum } }),
  judged: judgedRecord(judged),
  models: judged.models.map(({ id }) => id),
  risks: [],
  contextIgnored: null,
  takenOver: false,
});

const effect = (before: Policy, after: Policy, judged: JudgedRequest = request): string => {
  const replayed = replay(after, { fact: received(before, judged), grants: [] });
  return replayed.kind === "judged" ? replayed.effect : replayed.kind;
};

describe("what the record has of a request", () => {
  test.each([
    {},
    { hasMedia: true },
    { subject: "function" },
    { subject: "toolCall", models: [], call: { firstUse: false, hints: { readOnly: true, destructive: false, openWorld: true } } },
    { hasTools: true, isOnce: true },
    { keyOwner: "ann@example.com", risk: "high", provenance: "observed", models: [] },
  ] as const)("is what the rules judge it by (%j)", (more) => {
    const judged = { ...request, ...more };
    expect(judgedRequest(judgedNames(judged), JSON.parse(JSON.stringify(judgedRecord(judged))))).toEqual(judged);
  });
});

describe("every condition is judged from the record", () => {
  test.each([
    [{ subject: "message" }, { subject: "toolCall" }],
    [{ server: "no*" }, { server: "mail" }],
    [{ tool: "summarize" }, { tool: "search" }],
    [{ method: "tools/*" }, { method: "prompts/get" }],
    [{ key: "ci-*" }, { keyName: "ann" }],
    [{ model: "*" }, null],
    [{ provenance: "claimed" }, { provenance: "observed" }],
    [{ hasMedia: false }, { hasMedia: true }],
    [{ hasTools: false }, { hasTools: true }],
    [{ maxTokensOver: 99 }, { maxTokens: 99 }],
    [{ costOverUsd: 0.1 }, { models: [{ id: "cheap", worstCostUsd: 0.01 }] }],
    [{ risk: "medium" }, null],
  ] as const)("%j", (when, otherwise) => {
    const judged: JudgedRequest = { ...request, ...("risk" in when ? { risk: "high" } : {}) };
    const draft = policyOf([{ when, then: { request: "refuse" } }]);
    expect(effect(policyOf([]), draft, judged)).toBe("newlyRefused");
    if (otherwise !== null) expect(effect(policyOf([]), draft, { ...request, ...otherwise })).toBe("same");
  });
});

test("what a rule on arguments would have done is not known", () => {
  const draft = policyOf([{ when: { subject: "toolCall", arguments: [{ pointer: "/env", present: true }] } }]);
  expect(effect(policyOf([]), draft, { ...request, subject: "toolCall" })).toBe("unknown");
  expect(effect(policyOf([]), draft, request)).toBe("same");
});

describe("the effect of a draft", () => {
  const open = { then: { request: "allow", response: "allow" } };
  const refusing = { then: { request: "refuse" } };
  test.each([
    ["newlyUnseen", [], [open]],
    ["newlyUnseen", [refusing], [open]],
    ["newlyRefused", [], [refusing]],
    ["noLongerRefused", [refusing], []],
    ["newlyAsked", [open], []],
    ["asksMore", [{ then: { request: "allow" } }], []],
    ["asksLess", [], [{ then: { request: "allow" } }]],
    ["asksMore", [], [{ then: { quorum: 2 } }]],
    ["asksOtherwise", [], [{ then: { reviewers: ["lead"] } }]],
    ["asksOtherwise", [{ then: { request: "allow" } }], [{ then: { response: "allow" } }]],
    ["asksMore", [open], [{ then: { ...open.then, replyRisk: "high" } }]],
    ["newlyUnseen", [], [{ then: { ...open.then, replyRisk: "high" } }]],
    ["same", [], [{ name: "another", then: {} }]],
    ["newlyRefused", [], [{ then: { selfApproval: false } }]],
  ] as const)("%s", (expected, before, after) => {
    expect(effect(policyOf(before), policyOf(after))).toBe(expected);
  });

  test("is none where the draft is the policy in force, whatever the policy and the request are", () => {
    const glob = fc.constantFrom("*", "no*", "mail", "cheap", "dear");
    const rule = fc.record(
      {
        when: fc.record(
          { server: glob, model: glob, costOverUsd: fc.constantFrom(0, 0.1, 1), hasMedia: fc.boolean() },
          { requiredKeys: [] },
        ),
        then: fc.record(
          {
            request: fc.constantFrom("review", "allow", "refuse"),
            response: fc.constantFrom("review", "allow"),
            replyRisk: fc.constantFrom(null, "low", "high"),
            quorum: fc.constantFrom(1, 2),
            reviewers: fc.constantFrom(["oncall"], ["oncall", "lead"]),
            selfApproval: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ["when", "then"] },
    );
    const asked = fc.record({ hasMedia: fc.boolean(), isOnce: fc.boolean(), keyOwner: fc.constantFrom(null, "Ann") });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), asked, (rules, more) => {
        const policy = policyOf(rules);
        expect(effect(policy, policy, { ...request, ...more })).toBe("same");
      }),
    );
  });

  test("and its inverse: what asks more one way asks less the other way", () => {
    const rulings = fc.record({
      kind: fc.constant("asks" as const),
      rule: fc.constant("r"),
      asking: fc.record({ prompt: fc.constantFrom(0 as const, 2 as const), reply: fc.constantFrom(0 as const, 1 as const, 2 as const) }),
      reviewers: fc.constantFrom(["Ann"], ["Ann", "Bo"]),
      quorum: fc.constantFrom(1, 2),
    });
    const inverse: Record<string, string> = {
      asksMore: "asksLess",
      asksLess: "asksMore",
      newlyAsked: "newlyUnseen",
      newlyUnseen: "newlyAsked",
    };
    const ruling = fc.oneof(rulings, fc.record({ kind: fc.constant("refused" as const), rule: fc.constant("r") }));
    fc.assert(
      fc.property(ruling, ruling, (one: Ruling, other: Ruling) => {
        const there = effectOf(one, other);
        if (one.kind === "refused" || other.kind === "refused") return;
        expect(effectOf(other, one)).toBe(inverse[there] ?? there);
      }),
    );
  });
});

describe("grants", () => {
  const granting = policyOf([{ name: "granting", then: { grants: true, response: "allow" } }]);
  const used: RecordFact = { kind: "grantUsed", gate: "request", grant: "g", by: "Ann" };
  const under = (draft: Policy): string => {
    const replayed = replay(draft, { fact: received(granting, request), grants: [used] });
    return replayed.kind === "judged" ? replayed.effect : replayed.kind;
  };
  test.each([
    ["still count under the same rule", [{ name: "granting", then: { grants: true, response: "allow" } }], "same"],
    ["end where the rule gives none", [{ name: "granting", then: { response: "allow" } }], "newlyAsked"],
    ["end where another rule decides", [{ name: "other", then: { grants: true, response: "allow" } }], "newlyAsked"],
    ["end where two must approve", [{ name: "granting", then: { grants: true, quorum: 2, response: "allow" } }], "newlyAsked"],
    [
      "end where the giver no longer decides",
      [{ name: "granting", then: { grants: true, response: "allow", reviewers: ["lead"], handOverTo: [] } }],
      "newlyAsked",
    ],
  ])("%s", (_name, rules, expected) => {
    expect(under(policyOf(rules))).toBe(expected);
  });
});

describe("what cannot be told is said", () => {
  test.each([
    ["a record that is deleted", null, { kind: "unknown", why: "deleted", count: 1 }],
    [
      "refusals by rules that were only counted",
      { kind: "refusedMany", key: "k", endpoint: "sampling", reason: "policyRefused", since: "", until: "", count: 30 },
      { kind: "unknown", why: "countedOnly", count: 30 },
    ],
    [
      "a refusal that no rule decided",
      { kind: "refused", key: "k", endpoint: "sampling", server: null, method: null, name: null, reason: { kind: "notJson" } },
      { kind: "notByRules", count: 1 },
    ],
    [
      "a refusal by the key's list of servers",
      {
        kind: "refused",
        key: "k",
        endpoint: "relay",
        server: "s",
        method: null,
        name: "n",
        reason: { kind: "policyRefused", rule: "the key's servers" },
      },
      { kind: "notByRules", count: 1 },
    ],
    ["a call that was handed back", { kind: "handedBack", key: "k", requestId: "1" }, { kind: "notByRules", count: 1 }],
  ] as const)("%s", (_name, fact, expected) => {
    expect(replay(policyOf([]), { fact: fact as RecordFact | null, grants: [] })).toEqual(expected);
  });
});

describe("the sum", () => {
  const before = policyOf([]);
  const draft = policyOf([
    { name: "open", when: { tool: "s*" }, then: { request: "allow", response: "allow" } },
    { then: { reviewers: ["lead"], quorum: 1 } },
  ]);
  const requestsOf = (tools: readonly string[]) =>
    tools.map((tool, index) => ({
      run: `run_${index}`,
      state: index % 2 === 0 ? ("rejected" as const) : ("completed" as const),
      fact: received(before, { ...request, tool }),
      grants: [],
    }));

  test("has the effects, the rules before and after, whose load changes, and what people denied", () => {
    const sum = replayAll(draft, requestsOf(["summarize", "summarize", "summarize", "mail"]));
    expect(sum).toMatchObject({
      requests: 4,
      effects: { newlyUnseen: 3, asksOtherwise: 1, same: 0 },
      groups: [
        {
          effect: "newlyUnseen",
          server: "notes",
          tool: "summarize",
          ruleBefore: "default",
          ruleAfter: "open",
          requests: 3,
          denied: 2,
          examples: ["run_0", "run_1", "run_2"],
        },
        { effect: "asksOtherwise", tool: "mail", ruleAfter: "rule 1" },
      ],
      rules: expect.arrayContaining([
        { rule: "default", before: 4, after: 0 },
        { rule: "open", before: 0, after: 3 },
      ]),
    });
    expect(sum.reviewers.find(({ reviewer }) => reviewer === "Ann")?.asked).toEqual({ before: 4, after: 0 });
    expect(sum.reviewers.find(({ reviewer }) => reviewer === "Cy")?.asked).toEqual({ before: 0, after: 1 });
  });

  test("of pages is the sum of all, in any division, and fits its schema", () => {
    const tools = fc.array(fc.constantFrom("summarize", "mail", "search", "x".repeat(2_000)), { maxLength: 30 });
    fc.assert(
      fc.property(tools, fc.nat(30), (names, at) => {
        const all = requestsOf(names);
        const parts = addTallies(addTallies(noReplay, replayAll(draft, all.slice(0, at))), replayAll(draft, all.slice(at)));
        expect(parts).toEqual(replayAll(draft, all));
        expect(tallySchema.safeParse(parts).success).toBe(true);
      }),
    );
  });

  test("has a bounded number of groups, and counts the rest", () => {
    const many = requestsOf(Array.from({ length: 400 }, (_, index) => `s${index}`));
    const sum = replayAll(draft, many);
    expect([sum.groups.length, sum.ungrouped, sum.effects.newlyUnseen]).toEqual([300, 100, 400]);
    expect(Object.keys(sum.effects).toSorted()).toEqual([...effects].toSorted());
  });
});

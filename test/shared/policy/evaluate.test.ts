import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PolicyFacts, judged } from "../../../shared/policy/conditions.ts";
import { type GatePlan, evaluatePolicy as evaluateJudged, peopleOfPlan, permittedModels } from "../../../shared/policy/evaluate.ts";
import { matchesGlob } from "../../../shared/policy/glob.ts";
import { parsePolicy, type Policy } from "../../../shared/policy/rules.ts";
import type { Candidate } from "../../../shared/routing/choose.ts";
import { providerOf } from "../../../shared/routing/table.ts";
import { requestOf, tableOf } from "../routing/examples.ts";
import { defaultModel } from "../../support/model-why.ts";

const policyOf = (rules: readonly { name?: string; when?: object; then?: object }[], byDefault: object = {}): Policy => {
  const parsed = parsePolicy({
    rules: rules.map((rule, index) => ({ name: `rule ${index}`, ...rule })),
    default: { reviewers: ["everyone"], ...byDefault },
    reviewers: { everyone: [{ name: "Ann" }, { name: "Bo" }], lead: [{ name: "Cy", email: "cy@example.com" }] },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};

const candidate = (id: string, worstCostUsd = 0.01): Candidate => {
  const table = tableOf([{ id }]);
  const [model] = table.models;
  const provider = providerOf(table, "alpha");
  if (model === undefined || provider === undefined) throw new Error("no model");
  return { model, provider, why: defaultModel, worstCostUsd };
};

const evaluatePolicy = (policy: Policy, facts: PolicyFacts): GatePlan => evaluateJudged(policy, judged(facts));
const permittedCandidates = (policy: Policy, facts: PolicyFacts): readonly Candidate[] => {
  const permitted = permittedModels(policy, judged(facts));
  return facts.candidates.filter(({ model: { id } }) => permitted.has(id));
};

const factsOf = (members: Partial<PolicyFacts> = {}): PolicyFacts => ({
  subject: "message",
  server: "notes",
  tool: "summarize",
  method: "tools/call",
  keyName: "ci-7",
  keyOwner: null,
  provenance: "claimed",
  request: requestOf(),
  candidates: [candidate("cheap-1")],
  risk: [],
  ...members,
});
const ruleFor = (rule: { when: object }, members: Partial<PolicyFacts>): string => evaluatePolicy(policyOf([rule]), factsOf(members)).rule;

test("the first rule that matches wins, and the default comes last", () => {
  const policy = policyOf([
    { when: { server: "mail" }, then: { request: "refuse" } },
    { when: { server: "no*" }, then: { request: "allow" } },
    { then: { request: "refuse" } },
  ]);
  expect(evaluatePolicy(policy, factsOf())).toMatchObject({ rule: "rule 1", request: "allow", response: "review" });
  expect(evaluatePolicy(policy, factsOf({ server: "mail" }))).toMatchObject({ rule: "rule 0", request: "refuse" });
  expect(evaluatePolicy(policyOf([]), factsOf())).toMatchObject({ rule: "default", request: "review", response: "review" });
});

const image = requestOf({ messages: [{ role: "user", content: [{ type: "image", data: "AA==", mimeType: "image/png" }] }] });
const audioResult = requestOf({
  messages: [
    { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [{ type: "audio", data: "AA==", mimeType: "audio/wav" }] }] },
  ],
});
const pdf = requestOf({ messages: [{ role: "user", content: [{ type: "pdf", data: "JVBERi0=" }] }] });
const tools = requestOf({ tools: [{ name: "t", inputSchema: {} }] });
const note = (level: "low" | "medium" | "high"): PolicyFacts["risk"][number] => ({ level, kind: "overridesInstructions", pointer: "" });

const conditions: [object, Partial<PolicyFacts>, Partial<PolicyFacts>][] = [
  [{}, {}, { server: "never" }],
  [{ server: "no*" }, { server: "notes" }, { server: "Notes" }],
  [{ tool: "*.md" }, { tool: "file:///a.md" }, { tool: "a.mdx" }],
  [{ method: "tools/call" }, {}, { method: "prompts/get" }],
  [{ key: "ci-*" }, {}, { keyName: "laptop" }],
  [{ provenance: "observed" }, { provenance: "observed" }, { provenance: "inferred" }],
  [{ hasMedia: true }, { request: image }, {}],
  [{ hasMedia: true }, { request: audioResult }, { request: tools }],
  [{ hasMedia: true }, { request: pdf }, {}],
  [{ hasMedia: false }, {}, { request: image }],
  [{ hasTools: true }, { request: tools }, { request: image }],
  [{ hasTools: true }, { request: audioResult }, {}],
  [{ maxTokensOver: 100 }, { request: requestOf({ maxTokens: 101 }) }, { request: requestOf({ maxTokens: 100 }) }],
  [{ costOverUsd: 0.05 }, { candidates: [candidate("a", 0.01), candidate("b", 0.051)] }, { candidates: [candidate("a", 0.05)] }],
  [{ risk: "medium" }, { risk: [note("low"), note("high")] }, { risk: [note("low")] }],
  [{ risk: "low" }, { risk: [note("low")] }, { risk: [] }],
];
test.each(conditions)("the condition %j matches where it should and nowhere else", (when, matching, other) => {
  expect(ruleFor({ when }, matching)).toBe("rule 0");
  if (Object.keys(when).length > 0) expect(ruleFor({ when }, other)).toBe("default");
});

test("all conditions of a rule must hold", () => {
  expect(ruleFor({ when: { server: "notes", hasMedia: true } }, {})).toBe("default");
  expect(ruleFor({ when: { server: "notes", hasMedia: true } }, { request: image })).toBe("rule 0");
});

test("a rule's missing fields are the careful ones, whatever the default says, and its people are those of the default", () => {
  const policy = policyOf([{ then: { request: "allow" } }], {
    request: "allow",
    response: "allow",
    grants: true,
    tellReason: true,
    quorum: 2,
    deadlineSeconds: 60,
  });
  expect(evaluatePolicy(policy, factsOf())).toEqual({
    rule: "rule 0",
    request: "allow",
    response: "review",
    replyRisk: null,
    reviewers: [{ name: "Ann" }, { name: "Bo" }],
    quorum: 1,
    selfApproval: true,
    owner: null,
    deadlineSeconds: 600,
    remindAtSeconds: [],
    escalate: null,
    noticeExcerpt: "none",
    identity: "link",
    tellReason: false,
    tellAuthor: false,
    grants: false,
    grantsInferred: false,
    boundTo: "tool",
    context: "none",
    timeoutCoversReview: false,
    receipt: false,
    cheaperWithinBudget: false,
    handOverTo: [{ name: "Cy", email: "cy@example.com" }],
  } satisfies GatePlan);
});

describe("to whom a review may be handed", () => {
  const handOverCandidatesOf = (then: object): string[] =>
    evaluatePolicy(policyOf([{ then }]), factsOf()).handOverTo.map(({ name }) => name);

  test("to anybody whom the document names and who is not asked anyway, unless it says to whom", () => {
    expect(handOverCandidatesOf({ reviewers: ["lead"] })).toEqual(["Ann", "Bo"]);
    expect(handOverCandidatesOf({ reviewers: ["lead"], handOverTo: ["Bo", "lead"] })).toEqual(["Bo"]);
    expect(handOverCandidatesOf({ handOverTo: [] })).toEqual([]);
  });

  test("with both gates open there is nothing to hand over", () => {
    expect(handOverCandidatesOf({ request: "allow", response: "allow" })).toEqual([]);
  });
});

describe("a Slack channel in place of a person", () => {
  const channel = { name: "#oncall", slack: "C0123" };
  const withChannel = (members: object, then: object): Policy => {
    const parsed = parsePolicy({
      default: { reviewers: ["room", "Ann"], ...members },
      rules: [{ name: "rule", when: { model: "dear*" }, then }],
      reviewers: { room: [channel], people: [{ name: "Ann" }] },
    });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
    return parsed.value;
  };

  test("is asked like a person where anybody may decide", () => {
    expect(evaluatePolicy(withChannel({}, { reviewers: ["Ann"] }), factsOf()).reviewers).toEqual([channel, { name: "Ann" }]);
  });

  test("is left out where a stricter rule of the same plan needs to know who decides", () => {
    const plan = evaluatePolicy(
      withChannel({}, { reviewers: ["Ann"], selfApproval: false }),
      factsOf({ candidates: [candidate("cheap-1"), candidate("dear-1")] }),
    );
    expect(plan).toMatchObject({ selfApproval: false, handOverTo: [] });
    expect(plan.reviewers).toEqual([{ name: "Ann" }]);
  });

  test("where the strictest rule names nobody else, the people of the rule that needs to know are asked", () => {
    const policy = parsePolicy({
      default: { reviewers: ["Ann"], selfApproval: false },
      rules: [{ name: "rule", when: { model: "dear*" }, then: { reviewers: ["room"] } }],
      reviewers: { room: [channel], people: [{ name: "Ann" }] },
    });
    if (!policy.ok) throw new Error(JSON.stringify(policy.error));
    const plan = evaluatePolicy(policy.value, factsOf({ candidates: [candidate("dear-1"), candidate("cheap-1")] }));
    expect(plan).toMatchObject({ rule: "rule", selfApproval: false, reviewers: [{ name: "Ann" }] });
  });
});

test("everybody who may come to decide has a place of their own, and no more than a byte can name", () => {
  const crowd = Array.from({ length: 300 }, (_, i) => ({ name: `P${i}` }));
  const [ann = { name: "" }, bo = { name: "" }] = [{ name: "Ann" }, { name: "Bo" }];
  const people = peopleOfPlan({ reviewers: [ann, bo], escalate: { afterSeconds: 1, to: [bo, { name: "Cy" }] }, handOverTo: crowd });
  expect(people.slice(0, 4).map(({ name }) => name)).toEqual(["Ann", "Bo", "Cy", "P0"]);
  expect(people).toHaveLength(256);
});

test("the plan names people, not groups, and reminds in order", () => {
  const policy = policyOf([
    { then: { reviewers: ["lead", "Ann"], remindAtSeconds: [420, 180, 180], escalate: { afterSeconds: 300, to: ["everyone"] } } },
  ]);
  expect(evaluatePolicy(policy, factsOf())).toMatchObject({
    reviewers: [{ name: "Cy", email: "cy@example.com" }, { name: "Ann" }],
    remindAtSeconds: [180, 420],
    escalate: { afterSeconds: 300, to: [{ name: "Ann" }, { name: "Bo" }] },
  });
});

describe("failover", () => {
  const cheapAndDear = factsOf({ candidates: [candidate("cheap-1"), candidate("dear-1")] });

  test("a rule that allows a cheap model does not carry a dear one past the reviewer", () => {
    const policy = policyOf([{ when: { model: "cheap*" }, then: { request: "allow", response: "allow" } }]);
    expect(evaluatePolicy(policy, factsOf())).toMatchObject({ request: "allow", response: "allow" });
    expect(evaluatePolicy(policy, cheapAndDear)).toMatchObject({ rule: "default", request: "review", response: "review" });
  });

  test("a rule that reviews a dear model holds although another rule allows the one that answers first", () => {
    const policy = policyOf([
      { when: { model: "dear*" }, then: { reviewers: ["lead"] } },
      { then: { request: "allow", response: "allow" } },
    ]);
    expect(evaluatePolicy(policy, cheapAndDear)).toMatchObject({
      rule: "rule 0",
      request: "review",
      response: "review",
      reviewers: [{ name: "Cy" }],
    });
  });

  test("a model that is refused refuses the request, and can be left off the list before", () => {
    const policy = policyOf([{ when: { model: "cheap*" } }, { then: { request: "refuse" } }]);
    expect(evaluatePolicy(policy, cheapAndDear)).toMatchObject({ rule: "rule 1", request: "refuse" });
    const candidates = permittedCandidates(policy, cheapAndDear);
    expect(candidates.map(({ model }) => model.id)).toEqual(["cheap-1"]);
    expect(evaluatePolicy(policy, { ...cheapAndDear, candidates })).toMatchObject({ rule: "rule 0", request: "review" });
  });

  test("where each of two rules closes one gate, both are closed and the people of both are asked", () => {
    const policy = policyOf([
      { when: { model: "cheap*" }, then: { request: "allow", grants: true, selfApproval: true } },
      { when: { model: "dear*" }, then: { response: "allow", reviewers: ["lead"], selfApproval: false } },
    ]);
    expect(evaluatePolicy(policy, cheapAndDear)).toMatchObject({
      request: "review",
      response: "review",
      grants: false,
      selfApproval: false,
      reviewers: [{ name: "Ann" }, { name: "Bo" }, { name: "Cy" }],
    });
  });

  test("what grants and kept replies reach, and which reply is looked at, are as the strictest rule has them", () => {
    const policy = policyOf([
      { when: { model: "cheap*" }, then: { boundTo: "key", grantsInferred: true, replyRisk: null, quorum: 2 } },
      { when: { model: "dear*" }, then: { boundTo: "server", replyRisk: "medium" } },
    ]);
    expect(evaluatePolicy(policy, cheapAndDear)).toMatchObject({
      rule: "rule 0",
      boundTo: "server",
      grantsInferred: false,
      replyRisk: "medium",
    });
  });

  const loosening: [keyof GatePlan, unknown, unknown][] = [
    ["selfApproval", true, false],
    ["tellReason", true, false],
    ["tellAuthor", true, false],
    ["grants", true, false],
    ["grantsInferred", true, false],
    ["boundTo", "key", "server"],
    ["context", "thisServer", "none"],
    ["noticeExcerpt", "start", "none"],
  ];
  test.each(loosening)(
    "%s is %j where each rule says so, and %j where one does not, whichever of them is the strictest",
    (field, loose, strict) => {
      const saying = (cheap: unknown, dear: unknown, dearQuorum = 1): unknown =>
        evaluatePolicy(
          policyOf([
            { when: { model: "cheap*" }, then: { [field]: cheap } },
            { when: { model: "dear*" }, then: { [field]: dear, quorum: dearQuorum } },
          ]),
          cheapAndDear,
        )[field];
      expect(saying(loose, loose)).toBe(loose);
      for (const quorum of [1, 2]) expect([saying(loose, strict, quorum), saying(strict, loose, quorum)]).toEqual([strict, strict]);
    },
  );

  test("where reviewers have to be signed in, nobody is asked, or has it handed over, who cannot be", () => {
    const people = [{ name: "Ann", email: "ann@example.com" }, { name: "Bo" }, { name: "#r", slack: "C0123" }];
    const policy = parsePolicy({
      rules: [
        { name: "free", when: { model: "cheap*" }, then: { reviewers: ["all"] } },
        { name: "signed in", then: { reviewers: ["Ann"], identity: "signedIn" } },
      ],
      default: { reviewers: ["all"] },
      reviewers: { all: people, more: [{ name: "Cy" }, { name: "Di", email: "di@example.com" }] },
    });
    if (!policy.ok) throw new Error("no policy");
    const plan = evaluatePolicy(policy.value, cheapAndDear);
    expect(plan.reviewers.map(({ name }) => name)).toEqual(["Ann"]);
    expect(plan.handOverTo.map(({ name }) => name)).toEqual(["Di"]);
  });

  test("a response gate that the reply's risk may close counts as closed: its people are asked, and it may be handed over", () => {
    const policy = policyOf([
      { when: { model: "cheap*" }, then: { request: "allow", response: "allow", replyRisk: "high", reviewers: ["lead"] } },
      { then: { request: "allow", response: "allow" } },
    ]);
    const plan = evaluatePolicy(policy, cheapAndDear);
    expect(plan).toMatchObject({ rule: "rule 0", request: "allow", response: "allow", replyRisk: "high", reviewers: [{ name: "Cy" }] });
    expect(plan.handOverTo.map(({ name }) => name)).toEqual(["Ann", "Bo"]);
  });

  test("of equally closed rules the larger quorum counts", () => {
    const policy = policyOf([{ when: { model: "cheap*" } }, { then: { quorum: 2 } }]);
    expect(evaluatePolicy(policy, cheapAndDear)).toMatchObject({ rule: "rule 1", quorum: 2 });
  });

  test("a rule that closes both gates with one vote carries no model past the second vote that its own rule wants", () => {
    const policy = policyOf([
      { when: { model: "cheap*" }, then: { reviewers: ["lead"] } },
      { when: { model: "dear*" }, then: { response: "allow", quorum: 2 } },
    ]);
    const plan = evaluatePolicy(policy, cheapAndDear);
    expect(plan).toMatchObject({ rule: "rule 0", request: "review", response: "review", quorum: 2 });
    expect(plan.reviewers.map(({ name }) => name)).toEqual(["Cy", "Ann", "Bo"]);
  });

  test("the quorum of a rule that closes no gate is nobody's", () => {
    const policy = policyOf([
      { when: { model: "cheap*" }, then: { request: "allow", response: "allow", quorum: 2 } },
      { then: { reviewers: ["lead"] } },
    ]);
    expect(evaluatePolicy(policy, cheapAndDear)).toMatchObject({ quorum: 1, reviewers: [{ name: "Cy" }] });
  });

  test("adding a model never lowers the quorum, and there are always as many people as it wants", () => {
    const outcome = fc.record({
      request: fc.constantFrom("review", "allow"),
      response: fc.constantFrom("review", "allow"),
      quorum: fc.constantFrom(1, 2),
    });
    const rules = fc.array(fc.record({ when: fc.record({ model: fc.constantFrom("a*", "b*", "c*", "*") }), then: outcome }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(rules, fc.subarray(["a1", "b1", "c1"], { minLength: 1 }), (rules, ids) => {
        const policy = policyOf(rules);
        const before = evaluatePolicy(policy, factsOf({ candidates: ids.map((id) => candidate(id)) }));
        const after = evaluatePolicy(policy, factsOf({ candidates: [...ids, "d1"].map((id) => candidate(id)) }));
        expect(after.quorum).toBeGreaterThanOrEqual(before.quorum);
        if (after.request === "review" || after.response === "review") expect(after.reviewers.length).toBeGreaterThanOrEqual(after.quorum);
      }),
    );
  });

  test("the order of the candidates changes nothing", () => {
    const outcome = fc.record({
      request: fc.constantFrom("review", "allow", "refuse"),
      response: fc.constantFrom("review", "allow"),
      quorum: fc.constantFrom(1, 2),
    });
    const rules = fc.array(fc.record({ when: fc.record({ model: fc.constantFrom("a*", "b*", "c*", "*") }), then: outcome }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(rules, fc.shuffledSubarray(["a1", "b1", "c1", "d1"], { minLength: 1 }), (rules, ids) => {
        const policy = policyOf(rules);
        const plan = (order: readonly string[]): GatePlan =>
          evaluatePolicy(policy, factsOf({ candidates: order.map((id) => candidate(id)) }));
        expect(plan(ids)).toEqual(plan(ids.toSorted()));
      }),
    );
  });

  test("adding a model to the list never opens a gate", () => {
    const outcome = fc.record({ request: fc.constantFrom("review", "allow", "refuse"), response: fc.constantFrom("review", "allow") });
    const rules = fc.array(fc.record({ when: fc.record({ model: fc.constantFrom("a*", "b*", "c*", "*") }), then: outcome }), {
      maxLength: 5,
    });
    const closed = { allow: 0, review: 1, refuse: 2 };
    fc.assert(
      fc.property(rules, fc.subarray(["a1", "b1", "c1"], { minLength: 1 }), (rules, ids) => {
        const policy = policyOf(rules);
        const before = evaluatePolicy(policy, factsOf({ candidates: ids.map((id) => candidate(id)) }));
        const after = evaluatePolicy(policy, factsOf({ candidates: [...ids, "d1"].map((id) => candidate(id)) }));
        expect(closed[after.request]).toBeGreaterThanOrEqual(closed[before.request]);
        if (after.request !== "refuse") expect(closed[after.response]).toBeGreaterThanOrEqual(closed[before.response]);
      }),
    );
  });
});

describe("globs", () => {
  test.each([
    ["", "", true],
    ["", "a", false],
    ["*", "", true],
    ["a*", "a", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["*b*", "abc", true],
    ["a*b*c", "aXXbYYc", true],
    ["a*b*b", "ab", false],
    ["a.c", "abc", false],
    ["[a-z]+", "abc", false],
    ["(a|b)*", "(a|b)c", true],
    ["A*", "abc", false],
    ["?", "a", false],
    ["**", "x", true],
  ])("%j and %j: %s", (glob, value, fits) => {
    expect(matchesGlob(glob, value)).toBe(fits);
  });

  test("a glob means what the regular expression of its escaped pieces means", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", ".", "("), maxLength: 8 });
    const texts = fc.string({ unit: fc.constantFrom("a", "b", ".", "("), maxLength: 10 });
    fc.assert(
      fc.property(letters, texts, (glob, value) => {
        const pattern = glob
          .split("*")
          .map((piece) => piece.replaceAll(/[.(]/g, "\\$&"))
          .join("[^]*");
        expect(matchesGlob(glob, value)).toBe(new RegExp(`^${pattern}$`).test(value));
      }),
      { numRuns: 2000 },
    );
  });
});

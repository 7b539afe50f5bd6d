import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ruleSentence } from "../../../../shared/channels/rules/rule-sentence.ts";
import type { Language } from "../../../../shared/channels/words/languages.ts";
import { parsePolicy } from "../../../../shared/policy/rules.ts";

/** `when`: null for the default. */
function said(when: object | null, then: object, language: Language = "en"): string {
  const parsed = parsePolicy({
    rules: when === null ? [] : [{ name: "rule", when, then }],
    default: when === null ? { reviewers: ["oncall"], ...then } : { reviewers: ["oncall"] },
    reviewers: { oncall: [{ name: "Ann" }, { name: "Bo" }], lead: [{ name: "Cy" }] },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const [rule = { when: null, then: parsed.value.default }] = parsed.value.rules;
  const spoken: Parameters<typeof ruleSentence>[0]["then"] = {
    ...rule.then,
    reviewers: rule.then.reviewers ?? parsed.value.default.reviewers,
  };
  return ruleSentence({ when: rule.when, then: spoken }, language)
    .map((part) => (typeof part === "string" ? part : "strong" in part ? part.strong : part.name))
    .join("");
}

describe("a rule in English", () => {
  test.each([
    [
      { risk: "high" },
      { quorum: 2, reviewers: ["oncall", "lead"], remindAtSeconds: [180, 420], escalate: { afterSeconds: 300, to: ["lead"] } },
      "If it has a high warning, ask oncall and lead about prompt and reply. 2 approve. Remind after 3 minutes and 7 minutes. After 5 minutes ask lead too. Expires in 10 minutes.",
    ],
    [
      { costOverUsd: 0.02 },
      { deadlineSeconds: 3600 },
      "If it can cost over $0.02, ask oncall about prompt and reply. 1 approves. Expires in 1 hour.",
    ],
    [
      { tool: "search_*", hasTools: false },
      { request: "allow" },
      "If the tool is search_* and it offers no tools, allow the prompt. Ask oncall about the reply. 1 approves. Expires in 10 minutes.",
    ],
    [
      { provenance: "claimed", key: "ci-*" },
      { request: "refuse" },
      "If the API key is ci-* and the client only reports where it comes from, refuse it.",
    ],
    [
      {
        subject: "toolCall",
        annotations: { destructive: true, openWorld: false },
        arguments: [
          { pointer: "/amount", over: 100 },
          { pointer: "/env", oneOf: ["a", "b"] },
        ],
      },
      { request: "refuse" },
      "If a tool is called, the argument /amount is over 100, the argument /env is one of a and b, the tool may destroy something and the tool reaches its own system alone, refuse it.",
    ],
    [
      { subject: "toolCall", server: "db" },
      { request: "confirm", response: "allow", shadow: true },
      "If a tool is called and the server is db, ask the API key's owner about the call. Allow the result. Expires in 10 minutes. In shadow: nobody is asked, the record says who would have been, and the rules after it decide.",
    ],
    [
      { subject: "toolCall" },
      { quorum: 2, replyRisk: "low" },
      "If a tool is called, ask oncall about call and result. 2 approve. Expires in 10 minutes. Nobody approves their own request.",
    ],
    [
      { subject: "form" },
      { request: "confirm" },
      "If a server asks for a form, ask the API key's owner to answer it. Expires in 10 minutes.",
    ],
    [
      {},
      { request: "allow", response: "allow", replyRisk: "high" },
      "For every request: allow prompt and reply. Ask oncall about a reply with a high warning. 1 approves. Expires in 10 minutes.",
    ],
    [
      null,
      { selfApproval: true, grants: true, handOverTo: [], tellReason: true },
      "Ask oncall about prompt and reply. 1 approves. Expires in 10 minutes. Reviewers may always allow requests of the same tool. It cannot be handed over. The server is told why a request was denied.",
    ],
  ])("%j %j", (when, then, expected) => {
    expect(said(when, then)).toBe(expected);
  });
});

test("a rule in Chinese", () => {
  expect(said({ risk: "high", server: "notes" }, { quorum: 2 }, "zh-CN")).toBe(
    "如果服务器是 notes，且有高级警告，提示和回复均由 oncall 审核。需 2 人批准。10分钟后过期。",
  );
});

describe("every rule", () => {
  const yes = fc.boolean();
  const common = {
    server: fc.constant("SERVER"),
    tool: fc.constant("TOOL"),
    method: fc.constant("METHOD"),
    key: fc.constant("KEY"),
    provenance: fc.constantFrom("claimed", "inferred", "observed", "own"),
    risk: fc.constantFrom("low", "medium", "high"),
  };
  const ofMessages = {
    subject: fc.constant("message"),
    model: fc.constant("MODEL"),
    hasMedia: yes,
    hasTools: yes,
    maxTokensOver: fc.constant(777),
    costOverUsd: fc.constant(0.00025),
  };
  const ofCalls = {
    subject: fc.constant("toolCall"),
    arguments: fc.constantFrom(
      [{ pointer: "/POINTER", equals: "VALUE" }],
      [{ pointer: "/POINTER", oneOf: ["VALUE", 5] }],
      [
        { pointer: "/POINTER", present: false },
        { pointer: "/other", glob: "VALUE" },
      ],
    ),
    annotations: fc.record({ readOnly: yes, destructive: yes, openWorld: yes }, { requiredKeys: [] }),
    firstUse: yes,
    definitionChanged: yes,
  };
  const when: fc.Arbitrary<object> = fc.oneof(
    fc.record({ ...common, ...ofMessages }, { requiredKeys: [] }),
    fc.record({ ...common, ...ofCalls }, { requiredKeys: ["subject"] }),
    fc.record({ ...common, subject: fc.constant("form") }, { requiredKeys: ["subject"] }),
  );
  const then = fc.record(
    {
      request: fc.constantFrom("review", "allow", "refuse"),
      response: fc.constantFrom("review", "allow"),
      replyRisk: fc.constantFrom(null, "low", "medium", "high"),
      quorum: fc.constantFrom(1, 2),
      selfApproval: yes,
      remindAtSeconds: fc.constantFrom([], [60]),
      grants: yes,
      grantsInferred: yes,
      boundTo: fc.constantFrom("tool", "server", "key"),
      tellReason: yes,
      tellAuthor: yes,
      noticeExcerpt: fc.constantFrom("none", "start"),
      context: fc.constantFrom("none", "thisServer"),
      handOverTo: fc.constantFrom([], ["lead"]),
    },
    { requiredKeys: [] },
  );

  test("has each of its conditions in its sentence, and no place without a value, in both languages", () => {
    fc.assert(
      fc.property(when, then, fc.constantFrom<Language>("en", "zh-CN"), (conditions, consequences, language) => {
        const text = said(conditions, consequences, language);
        expect(text).not.toMatch(/[{}*]/);
        for (const name of ["server", "tool", "method", "key", "model"] as const)
          expect(text.includes(name.toUpperCase())).toBe(name in conditions);
        for (const value of ["/POINTER", "VALUE"]) expect(text.includes(value)).toBe("arguments" in conditions);
        expect(text.includes("777")).toBe("maxTokensOver" in conditions);
        expect(text.includes("$0.00025")).toBe("costOverUsd" in conditions);
      }),
    );
  });

  test("says another sentence where what it does differs", () => {
    const variants = [
      {},
      { request: "allow" },
      { response: "allow" },
      { request: "allow", response: "allow" },
      { request: "refuse" },
      { request: "allow", response: "allow", replyRisk: "low" },
      { quorum: 2 },
      { selfApproval: false },
      { deadlineSeconds: 61 },
      { remindAtSeconds: [60] },
      { escalate: { afterSeconds: 60, to: ["lead"] } },
      { noticeExcerpt: "start" },
      { tellReason: true },
      { tellAuthor: true },
      { grants: true },
      { grants: true, grantsInferred: true },
      { grants: true, boundTo: "server" },
      { boundTo: "server" },
      { context: "thisServer" },
      { timeoutCoversReview: true },
      { cheaperWithinBudget: true },
      { handOverTo: [] },
      { handOverTo: ["lead"] },
    ];
    for (const language of ["en", "zh-CN"] as const)
      expect(new Set(variants.map((consequences) => said({}, consequences, language))).size).toBe(variants.length);
  });
});

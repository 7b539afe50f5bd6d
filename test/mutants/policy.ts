// What the policy says: which rule, which gates, which people.

import type { Mutant } from "./mutant.ts";

const conditions = { file: "shared/policy/conditions.ts", test: { file: "test/shared/policy/evaluate.test.ts" } };
const evaluate = { file: "shared/policy/evaluate.ts", test: { file: "test/shared/policy/evaluate.test.ts" } };
const limits = { file: "shared/policy/limits.ts", test: { file: "test/shared/policy/limits.test.ts" } };

export const policyMutants: readonly Mutant[] = [
  {
    ...evaluate,
    name: "a refusal of one model refuses the request",
    from: 'request: gate.request === "refuse" ? "refuse" : all(',
    to: "request: all(",
  },
  {
    ...evaluate,
    name: "a request gate is open only if it is for all models",
    from: 'all(({ gate }) => gate.request === "allow") ? "allow" : "review",',
    to: 'outcomes.some(({ gate }) => gate.request === "allow") ? "allow" : "review",',
  },
  {
    ...evaluate,
    name: "a response gate is open only if it is for all models",
    from: 'response: all(({ gate }) => gate.response === "allow") ? "allow" : "review",',
    to: 'response: outcomes.some(({ gate }) => gate.response === "allow") ? "allow" : "review",',
  },
  {
    ...evaluate,
    name: "own requests are barred where one rule bars them",
    from: "const selfApproval = all(({ gate }) => gate.selfApproval);",
    to: "const selfApproval = outcomes.some(({ gate }) => gate.selfApproval);",
  },
  {
    ...evaluate,
    name: "the largest quorum counts",
    from: "const quorum = Math.max(1, ...outcomes.filter((outcome) => closedGates(outcome) > 0).map((outcome) => outcome.gate.quorum));",
    to: "const quorum = gate.quorum;",
  },
  {
    ...evaluate,
    name: "where it counts who decides, a channel does not",
    from: "(quorum > 1 || !selfApproval ? people.filter((each) => !isRoom(each)) : people)",
    to: "people",
  },
  {
    ...evaluate,
    name: "grants are enabled only if all rules enable them",
    from: "grants: all(({ gate }) => gate.grants),",
    to: "grants: outcomes.some(({ gate }) => gate.grants),",
  },
  {
    ...evaluate,
    name: "context is added only if all rules allow it",
    from: 'context: all(({ gate }) => gate.context === "thisServer") ? "thisServer" : "none",',
    to: 'context: outcomes.some(({ gate }) => gate.context === "thisServer") ? "thisServer" : "none",',
  },
  {
    ...evaluate,
    name: "a reason is told only if all rules tell it",
    from: "tellReason: all(({ gate }) => gate.tellReason),",
    to: "tellReason: outcomes.some(({ gate }) => gate.tellReason),",
  },
  {
    ...evaluate,
    name: "an excerpt is shown only if all rules show it",
    from: 'noticeExcerpt: all(({ gate }) => gate.noticeExcerpt === "start") ? "start" : "none",',
    to: 'noticeExcerpt: outcomes.some(({ gate }) => gate.noticeExcerpt === "start") ? "start" : "none",',
  },
  {
    ...evaluate,
    name: "the strictest rule comes first",
    from: "closedGates(b) - closedGates(a) || b.gate.quorum",
    to: "closedGates(a) - closedGates(b) || b.gate.quorum",
  },
  {
    ...conditions,
    name: "a server's condition counts",
    from: "server: (wanted, { server }) => matchesGlob(wanted, server),",
    to: "server: () => true,",
  },
  {
    ...conditions,
    name: "a tool's condition counts",
    from: "tool: (wanted, { tool }) => matchesGlob(wanted, tool),",
    to: "tool: () => true,",
  },
  {
    ...conditions,
    name: "a method's condition counts",
    from: "method: (wanted, { method }) => matchesGlob(wanted, method),",
    to: "method: () => true,",
  },
  {
    ...conditions,
    name: "a key's condition counts",
    from: "key: (wanted, { keyName }) => matchesGlob(wanted, keyName),",
    to: "key: () => true,",
  },
  { ...conditions, name: "a model's condition counts", from: "model !== undefined && matchesGlob(wanted, model),", to: "true," },
  {
    ...conditions,
    name: "a condition on the association counts",
    from: "provenance: (wanted, { provenance }) => wanted === provenance,",
    to: "provenance: () => true,",
  },
  {
    ...conditions,
    name: "a condition on media counts",
    from: "hasMedia: (wanted, { hasMedia }) => wanted === hasMedia,",
    to: "hasMedia: () => true,",
  },
  {
    ...conditions,
    name: "a condition on tools counts",
    from: "hasTools: (wanted, { hasTools }) => wanted === hasTools,",
    to: "hasTools: () => true,",
  },
  {
    ...conditions,
    name: "a condition on tokens counts",
    from: "outputLimit(request) > wanted,",
    to: "outputLimit(request) >= wanted,",
  },
  {
    ...conditions,
    name: "a condition on the cost counts",
    from: "dearestUsd > wanted,",
    to: "dearestUsd >= wanted,",
  },
  {
    ...conditions,
    name: "a condition on the risk counts",
    from: "riskRank >= rankOf[wanted],",
    to: "riskRank > rankOf[wanted],",
  },
  {
    ...conditions,
    name: "all conditions of a rule count, not any of them",
    from: "names.every((name) => isMet(name, conditions, facts, model))",
    to: "names.some((name) => conditions[name] !== undefined && isMet(name, conditions, facts, model))",
  },
  {
    ...conditions,
    name: "media in a tool's result are media",
    from: 'for (const piece of block.type === "tool_result" ? block.content : [block]) {',
    to: "for (const piece of [block]) {",
  },
  {
    ...evaluate,
    name: "the lowest risk of a reply that a rule asks about counts",
    from: "riskLevels.find((level) => outcomes.some(({ gate }) => gate.replyRisk === level)) ?? null,",
    to: "gate.replyRisk,",
  },
  {
    ...evaluate,
    name: "grants and kept replies reach as far as the narrowest rule lets them",
    from: 'reaches.find((reach) => outcomes.some(({ gate }) => gate.boundTo === reach)) ?? "tool",',
    to: "gate.boundTo,",
  },
  {
    ...evaluate,
    name: "an inferred tool counts only if all rules let it",
    from: "grantsInferred: all(({ gate }) => gate.grantsInferred),",
    to: "grantsInferred: outcomes.some(({ gate }) => gate.grantsInferred),",
  },
  {
    name: "a key of nobody whom the policy knows is refused when it is used",
    file: "shared/run/plan.ts",
    from: 'if (barsOwn(gates) && gates.owner === null) return err({ kind: "ownerUnknown", rule: gates.rule });',
    to: "",
    test: { file: "test/workers/contract/keys.test.ts", only: "asks nobody, by any way in" },
  },
  {
    name: "a key of nobody whom the policy knows is not made",
    file: "workers/endpoints/admin/api-keys.ts",
    from: "if (rule !== null) {",
    to: "if (rule === null) {} else if (rule.length > 999) {",
    test: { file: "test/workers/contract/keys.test.ts", only: "is not made there" },
  },
  {
    name: "a policy that cuts keys off is refused",
    file: "workers/endpoints/admin/admin-documents.ts",
    from: "if (cutOff.length > 0)",
    to: "if (cutOff.length > 999)",
    test: { file: "test/workers/contract/keys.test.ts", only: "cuts keys off" },
  },
  {
    name: "an owner is a reviewer by the whole name or email",
    file: "shared/policy/own-requests.ts",
    from: "nameKey(each) === key)",
    to: "key.includes(nameKey(each)))",
    test: { file: "test/workers/contract/keys.test.ts", only: "is not made there" },
  },
  {
    name: "a Slack channel owns no key",
    file: "shared/policy/own-requests.ts",
    from: "!isRoom(person) &&",
    to: "",
    test: { file: "test/workers/contract/keys.test.ts", only: "is not made there" },
  },
  {
    name: "names that look the same are refused",
    file: "shared/policy/rules.ts",
    from: "if ((drawn.get(drawnKey(person.name)) ?? key) !== key)",
    to: 'if ((drawn.get(drawnKey(person.name)) ?? key) === "")',
    test: { file: "test/shared/policy/rules.test.ts" },
  },
  {
    ...limits,
    name: "a place that is taken is taken",
    from: "if (others.length === live.length && others.length >= limits.concurrent) {",
    to: "if (others.length === live.length && others.length > limits.concurrent) {",
  },
  {
    ...limits,
    name: "a lease ends",
    from: "leases.filter(({ expiresAt }) => expiresAt > now)",
    to: "leases.filter(({ expiresAt }) => expiresAt > 0 || now < 0)",
  },
  {
    ...limits,
    name: "a request costs credit",
    from: "bucket: { credit: credit - cost, at }, retryAfterMs: 0",
    to: "bucket: { credit, at }, retryAfterMs: 0",
  },
  {
    ...limits,
    name: "a bucket holds no more than its rate",
    from: "const credit = Math.min((bucket?.credit ?? full) + elapsed * rate, full);",
    to: "const credit = (bucket?.credit ?? full) + elapsed * rate;",
  },
];

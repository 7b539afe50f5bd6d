// What the policy says: which rule, which gates, which people.

import type { Mutant } from "./mutant.ts";

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
    from: "(quorum > 1 || !selfApproval ? people.filter((each) => !isSlackChannel(each)) : people)",
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
  { ...evaluate, name: "a server's condition counts", from: "fits(when.server, facts.server) &&\n", to: "" },
  { ...evaluate, name: "a tool's condition counts", from: "fits(when.tool, facts.tool) &&\n", to: "" },
  { ...evaluate, name: "a method's condition counts", from: "fits(when.method, facts.method) &&\n", to: "" },
  { ...evaluate, name: "a key's condition counts", from: "fits(when.key, facts.keyName) &&\n", to: "" },
  { ...evaluate, name: "a model's condition counts", from: "fits(when.model, model) &&\n", to: "" },
  {
    ...evaluate,
    name: "a condition on the association counts",
    from: "(when.provenance === undefined || when.provenance === facts.provenance) &&\n",
    to: "",
  },
  {
    ...evaluate,
    name: "a condition on media counts",
    from: "(when.hasMedia === undefined || when.hasMedia === facts.hasMedia) &&\n",
    to: "",
  },
  {
    ...evaluate,
    name: "a condition on tools counts",
    from: "(when.hasTools === undefined || when.hasTools === facts.hasTools) &&\n",
    to: "",
  },
  {
    ...evaluate,
    name: "a condition on tokens counts",
    from: "facts.request.maxTokens > when.maxTokensOver",
    to: "facts.request.maxTokens >= when.maxTokensOver",
  },
  {
    ...evaluate,
    name: "a condition on the cost counts",
    from: "facts.dearestUsd > when.costOverUsd",
    to: "facts.dearestUsd >= when.costOverUsd",
  },
  {
    ...evaluate,
    name: "a condition on the risk counts",
    from: "facts.riskRank >= rankOf[when.risk]",
    to: "facts.riskRank > rankOf[when.risk]",
  },
  {
    ...evaluate,
    name: "media in a tool's result are media",
    from: 'for (const piece of block.type === "tool_result" ? block.content : [block]) {',
    to: "for (const piece of [block]) {",
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

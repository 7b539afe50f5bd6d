// Grants: what they cover, how often, and who may give one.

import type { Mutant } from "./mutant.ts";

const grant = { file: "shared/policy/grant.ts", test: { file: "test/shared/policy/grant.test.ts" } };
const giving = { file: "shared/run/granting.ts", test: { file: "test/shared/run/granting.test.ts" } };

export const grantMutants: readonly Mutant[] = [
  { ...grant, name: "a revoked grant covers nothing", from: "grant.revokedAt === null &&\n", to: "" },
  { ...grant, name: "an expired grant covers nothing", from: "now < grant.expiresAt &&\n", to: "now <= grant.expiresAt &&\n" },
  { ...grant, name: "a grant is for its gate", from: "grant.gate === gate &&\n", to: "" },
  {
    ...grant,
    name: "a grant is for its request, or its shape",
    from: 'grant.digest === (grant.what === "exact" ? query.exact : query.shape) &&\n',
    to: "",
  },
  {
    ...grant,
    name: "an exact grant is for the exact request",
    from: '(grant.what === "exact" ? query.exact : query.shape)',
    to: "query.shape",
  },
  { ...grant, name: "a grant has a ceiling of characters", from: "query.characters <= grant.charactersAtMost &&\n", to: "" },
  { ...grant, name: "a grant has a ceiling of tokens", from: "query.maxTokens <= grant.maxTokensAtMost &&\n", to: "" },
  { ...grant, name: "a grant covers no higher risk", from: "levels.indexOf(query.risk) <= levels.indexOf(grant.riskAtMost) &&\n", to: "" },
  { ...grant, name: "a grant is of its rule", from: "grant.rule === query.rule &&\n", to: "" },
  { ...grant, name: "a grant is worth no more than the word of who gave it", from: "query.deciders.includes(grant.by)", to: "true" },
  { ...grant, name: "a session's grant is the session's", from: "scope.session === session && ", to: "" },
  { ...grant, name: "uses run out", from: "each.usesLeft > 0 && ", to: "" },
  { ...grant, name: "money runs out", from: " && each.spendLeftMicroUsd >= cost)\n", to: ")\n" },
  { ...grant, name: "a use is counted", from: "usesLeft: grant.usesLeft - 1,", to: "usesLeft: grant.usesLeft," },
  {
    ...grant,
    name: "what a use may cost is counted",
    from: "spendLeftMicroUsd: grant.spendLeftMicroUsd - cost, lastUsedAt: now",
    to: "lastUsedAt: now",
  },
  { ...grant, name: "a repeat takes no grant that was given since", from: 'if (query.asked === "repeat") continue;', to: "" },
  {
    ...grant,
    name: "a call that may be paid twice takes its money twice",
    from: 'const again = query.asked === "takenOver" ? cost : 0;',
    to: "const again = 0;",
  },
  {
    ...grant,
    name: "no more is given back than was given",
    from: "usesLeft: Math.min(grant.usesLeft + 1, grant.usesGiven),",
    to: "usesLeft: grant.usesLeft + 1,",
  },
  { ...grant, name: "kinds of content are part of a shape", from: "sent, kinds: kindsIn(messages), last", to: "sent, last" },
  {
    ...grant,
    name: "models are part of a shape",
    from: "?? null, models });",
    to: "?? null });",
  },
  {
    ...giving,
    name: "a grant is offered where the rules enable it",
    from: "grants && quorum === 1 &&",
    to: "quorum === 1 &&",
  },
  {
    ...giving,
    name: "a grant is offered where one approval decides",
    from: "quorum === 1 && (",
    to: "(",
  },
  {
    ...giving,
    name: "a channel gives no grant",
    from: 'plan[gate] !== "review" || isSlackChannel(reviewer)) return null;',
    to: 'plan[gate] !== "review") return null;',
  },
  {
    ...giving,
    name: "no grant is offered for what was edited",
    from: "if (requestVersion !== 1 || replyVersion !== 1) return null;",
    to: "",
  },
  {
    ...giving,
    name: "a grant ends in thirty days",
    from: "now + Math.min(wish.hours * 3_600_000, longestGrantMs)",
    to: "now + wish.hours * 3_600_000",
    survives: "the form refuses more than 720 hours before; the second bound is for callers to come",
  },
  {
    ...giving,
    name: "where the rules enable no grants none is asked for",
    from: "if (closed.length === 0 || !mayUseGrants(gates, asker)) return null;",
    to: "if (closed.length === 0) return null;",
  },
  {
    name: "a grant that was given twice is given once",
    file: "workers/objects/key-grants.ts",
    from: "if (grants.has(grant.id)) return;",
    to: "",
    test: { file: "test/workers/contract/grants.test.ts", only: "a grant is given|revok" },
  },
  {
    name: "a revoked key takes no grant",
    file: "workers/objects/key.ts",
    from: "if (!this.#revoked) this.#grants.give(JSON.parse(grant) as Grant, this.now());",
    to: "this.#grants.give(JSON.parse(grant) as Grant, this.now());",
    test: { file: "test/workers/contract/grants.test.ts", only: "with its key" },
  },
];

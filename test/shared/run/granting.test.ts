import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Grant, bypassFrom, useGrants } from "../../../shared/policy/grant.ts";
import { parsePolicy } from "../../../shared/policy/rules.ts";
import type { LoginAccount } from "../../../shared/credential/login-account.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import type { ToolCall } from "../../../shared/model/subject/tool-call.ts";
import type { GrantRequest } from "../../../shared/review/form.ts";
import { type OfferFacts, grantFrom, grantIdOf, grantQueryOf, grantedFact, keyOfGrantId, offerOf } from "../../../shared/run/granting.ts";
import { stagesOf } from "../../../shared/run/stages.ts";
import { type Requestor, type RunInput, inputFacts } from "../../../shared/run/run-input.ts";
import { type Plan, planRun } from "../../../shared/run/plan.ts";
import { requestOf, tableOf } from "../routing/examples.ts";

const now = 1_000_000;
const requestor: Requestor = { server: "notes", method: "tools/call", name: "summarize", provenance: "claimed" };
const requestRef = { session: "session-1", originating: '["notes",7]', request: "1" };
const routing = tableOf([{ id: "one" }, { id: "two", price: { inputPerMTok: 3, outputPerMTok: 15 } }]);

function plan(then: object, request: ChatRequest = requestOf(), by: Partial<Requestor> = {}, owner = "Bo"): ReturnType<typeof planRun> {
  const policy = parsePolicy({
    rules: [{ name: "granting", then: { reviewers: ["everyone"], grants: true, ...then } }],
    default: { reviewers: ["everyone"] },
    reviewers: { everyone: [{ name: "Ada" }, { name: "Bo" }], channel: [{ name: "The channel", slack: "C012AB3CD" }] },
  });
  if (!policy.ok) throw new Error(JSON.stringify(policy.error));
  const key = { id: "key_dev", name: "dev", owner };
  return planRun({
    routing,
    policy: policy.value,
    request,
    endpoint: "sampling",
    requestor: { ...requestor, ...by },
    key,
    ready: () => undefined,
    now: 0,
  });
}

function planned(then: object = {}, request?: ChatRequest, by?: Partial<Requestor>): Plan {
  const made = plan(then, request, by);
  if (!made.ok) throw new Error(made.error.kind);
  return made.value;
}

const openingOf = ({ work, gatePolicy, risks, judged }: Plan, over: Partial<RunInput> = {}): Omit<RunInput, "request"> => ({
  id: "run_1",
  createdAt: now,
  endpoint: "sampling",
  key: { id: "key_dev", name: "dev", owner: "you" },
  requestor,
  work: work.kind === "message" ? { ...work, contextIgnored: null } : work.kind === "toolCall" ? { ...work, act: "tool" } : work,
  gatePolicy,
  risks,
  judged,
  use: { endpoint: "sampling", revision: null, features: [], maxTokens: 0 },
  notes: [],
  takenOver: false,
  mode: "sync",
  ttlMs: null,
  identicalDigest: "identical",
  requestRef,
  ...over,
});

const wishFor = (over: Partial<GrantRequest> = {}): GrantRequest => ({ what: "shape", scope: "tool", hours: 24, uses: 10, ...over });

const give = (over: Partial<GrantRequest> = {}, request: ChatRequest = requestOf(), then: object = {}): Grant =>
  grantFrom({ input: openingOf(planned(then, request)), request, gate: "request", reply: null, by: "Ada" }, wishFor(over), now);

/** Whether a later request passes the request gate by this grant. */
function lets(
  grant: Grant,
  request: ChatRequest,
  then: object = {},
  at = now,
  over: { by?: Partial<Requestor>; owner?: string } = {},
): boolean {
  const made = plan(then, request, over.by, over.owner);
  if (!made.ok) return false;
  const query = grantQueryOf({
    run: "run_2",
    plan: made.value,
    request,
    requestor: { ...requestor, ...over.by },
    requestRef: { ...requestRef, request: "2" },
    params: "digest",
  });
  if (query === null) return false;
  return useGrants([grant], [], { ...query, asked: "fresh" }, at).passes.some(({ gate }) => gate === "request");
}

const saying = (text: string, over: Partial<ChatRequest> = {}): ChatRequest =>
  requestOf({ systemPrompt: "You summarize.", messages: [{ role: "user", content: [{ type: "text", text }] }], ...over });

describe("an offer", () => {
  const facts: OfferFacts = {
    gate: "request",
    gatePolicy: planned({ boundTo: "key" }).gatePolicy,
    requestor,
    reply: null,
    risks: [{ level: "low" }, { level: "medium" }],
    request: requestOf(),
    reviewer: {},
    requestVersion: 1,
    replyVersion: 1,
  };

  test("is of every scope that the rules let it reach, with the highest risk that was seen", () => {
    expect(offerOf(facts)).toEqual({ scopes: ["session", "tool", "server", "key"], risk: "medium", replyRisk: null });
    for (const [boundTo, scopes] of [
      ["tool", ["session", "tool"]],
      ["server", ["session", "tool", "server"]],
    ] as const)
      expect(offerOf({ ...facts, gatePolicy: planned({ boundTo }).gatePolicy })).toMatchObject({ scopes });
    expect(offerOf({ ...facts, gate: "response", risks: [] })).toMatchObject({ risk: "none" });
  });

  test("at the response gate has the highest risk of the reply, and none of what is not there", () => {
    const reply = { content: [{ type: "text" as const, text: "See https://example.com/?data={x}." }], model: "m" };
    expect(offerOf({ ...facts, gate: "response", reply })).toMatchObject({ replyRisk: "medium" });
    expect(offerOf({ ...facts, gate: "response" })).toMatchObject({ replyRisk: "none" });
  });

  test("is for no session where the request is of none", () => {
    expect(offerOf({ ...facts, sessionless: true })).toMatchObject({ scopes: ["tool", "server", "key"] });
  });

  test.each<[string, Partial<OfferFacts>]>([
    ["the rules do not enable grants", { gatePolicy: planned({ grants: false }).gatePolicy }],
    ["two must approve", { gatePolicy: planned({ quorum: 2 }).gatePolicy }],
    ["the policy opens the gate", { gatePolicy: planned({ request: "allow" }).gatePolicy }],
    ["the request was edited", { requestVersion: 2 }],
    ["the request was edited, for the reply to it too", { gate: "response", requestVersion: 2 }],
    ["the reply was edited", { gate: "response", replyVersion: 2 }],
    ["nobody can tell who would give it", { reviewer: { slack: "C012AB3CD" } }],
  ])("is not made where %s", (_name, change) => expect(offerOf({ ...facts, ...change })).toBeNull());
});

describe("a grant that was given", () => {
  test("says who gave it, where, under which rule, and for how long", () => {
    expect(give({ hours: 1, uses: 3 })).toMatchObject({
      key: "key_dev",
      gate: "request",
      scope: { kind: "tool", server: "notes", tool: { method: "tools/call", name: "summarize" } },
      by: "Ada",
      run: "run_1",
      rule: "granting",
      givenAt: now,
      expiresAt: now + 3_600_000,
      usesGiven: 3,
      usesLeft: 3,
      revokedAt: null,
    });
    expect(give({ scope: "session" }).scope).toEqual({
      kind: "session",
      session: "session-1",
      server: "notes",
      tool: { method: "tools/call", name: "summarize" },
    });
    expect(give({ scope: "key" }).scope).toEqual({ kind: "key" });
  });

  test("is one for each gate of a run, however often it is given, and its id tells the key", () => {
    const { id } = give();
    expect(give().id).toBe(id);
    const input = openingOf(planned());
    const reply = grantFrom({ input, request: requestOf(), gate: "response", reply: null, by: "Ada" }, wishFor(), now);
    expect(reply.id).not.toBe(id);
    expect(keyOfGrantId(id)).toBe("key_dev");
    expect(grantIdOf("key_dev", id.slice("key_dev.".length))).toBe(id);
    for (const other of ["", "key_dev", "key_dev.x", `${id}x`, `x${id}`, id.replace("key_dev", "../key"), `${id}\n`])
      expect(keyOfGrantId(other)).toBeUndefined();
  });

  test("never lasts longer than thirty days", () => {
    expect(give({ hours: 10_000 }).expiresAt).toBe(now + 30 * 24 * 3_600_000);
  });

  test("is in the record without any of the content", () => {
    const fact = grantedFact(give({}, saying("SECRET")));
    expect(fact).toMatchObject({ kind: "granted", gate: "request", by: "Ada", scope: "tool", what: "shape", uses: 10 });
    expect(JSON.stringify(fact)).not.toContain("SECRET");
  });

  test("lets the same shape pass with other words, and the exact request alone where it is for that", () => {
    expect(lets(give({}, saying("Hello")), saying("Something else"))).toBe(true);
    expect(lets(give({ what: "exact" }, saying("Hello")), saying("Hello"))).toBe(true);
    expect(lets(give({ what: "exact" }, saying("Hello")), saying("Hello!"))).toBe(false);
    expect(lets(give({ what: "exact" }, saying("Hello")), saying("Hello", { maxTokens: 99 }))).toBe(false);
  });

  test("does not where one byte of the system prompt is another", () => {
    expect(lets(give({}, saying("Hello")), saying("Hello", { systemPrompt: "You summarize!" }))).toBe(false);
  });

  test("does not where a risk is found that was not seen when it was given", () => {
    const high = "Ignore\u{E0041}\u{E0042}\u{E0043} this.";
    expect(planned({}, saying(high)).risks.map(({ level }) => level)).toContain("high");
    expect(lets(give({}, saying("Hello")), saying(high))).toBe(false);
    expect(lets(give({}, saying(high)), saying(high))).toBe(true);
  });

  test("has no effect once the policy is another", () => {
    const grant = give();
    expect(lets(grant, requestOf())).toBe(true);
    expect(lets(grant, requestOf(), { grants: false })).toBe(false);
    expect(lets(grant, requestOf(), { quorum: 2 })).toBe(false);
    expect(lets(grant, requestOf(), { request: "refuse" })).toBe(false);
    expect(lets(grant, requestOf(), { reviewers: ["Bo"], handOverTo: [] })).toBe(false);
    expect(lets(grant, requestOf(), { selfApproval: false })).toBe(true);
    expect(lets(grant, requestOf(), { selfApproval: false }, now, { owner: "Ada" })).toBe(false);
  });

  test("pays for all its uses, each as long as it may be, at the price of the dearest model", () => {
    const uses = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(uses, fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 4_000 }), (count, first, later) => {
        let grant = give({ uses: count }, saying("x".repeat(first)));
        const request = saying("y".repeat(later));
        fc.pre(lets(grant, request));
        for (let n = 0; n <= count; n += 1) {
          const query = grantQueryOf({ run: "run", plan: planned({}, request), request, requestor, requestRef, params: `${n}` });
          if (query === null) throw new Error("no query");
          const granted = useGrants([grant], [], { ...query, asked: "fresh" }, now);
          expect(granted.passes).toHaveLength(n < count ? 1 : 0);
          grant = granted.grants[0] ?? grant;
        }
        expect(grant.spendLeftMicroUsd).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 30 },
    );
  });
});

test("whatever grants there are, what the policy refuses is refused and a gate that is not asked about is none of theirs", () => {
  const gates = fc.record({
    request: fc.constantFrom("review", "allow", "refuse"),
    response: fc.constantFrom("review", "allow"),
    grants: fc.boolean(),
    quorum: fc.integer({ min: 1, max: 2 }),
  });
  const grants = [give(), give({ what: "exact" }), { ...give(), gate: "response" as const }];
  fc.assert(
    fc.property(gates, (then) => {
      const made = plan(then);
      expect(made.ok).toBe(then.request !== "refuse");
      if (!made.ok) return;
      const query = grantQueryOf({
        run: "run_2",
        plan: made.value,
        request: requestOf(),
        requestor,
        requestRef,
        params: "digest",
      });
      const granted = query === null ? [] : useGrants(grants, [], { ...query, asked: "fresh" }, now).passes;
      const after = stagesOf({ ...made.value, granted });
      const isAllowed = then.grants && then.quorum === 1;
      const always = isAllowed ? [] : [{ kind: "always" }];
      expect(after).toEqual([
        { kind: "review", name: "request", when: then.request === "review" ? always : [] },
        { kind: "act", act: "model" },
        { kind: "review", name: "response", when: then.response === "review" ? [...always, { kind: "ifEdited" }] : [] },
      ]);
    }),
  );
});

test.each([
  [null, undefined, null],
  ["high", undefined, "high"],
  [null, "none", "low"],
  [null, "medium", "high"],
  [null, "high", null],
  ["medium", "low", "medium"],
  ["high", "none", "low"],
] as const)(
  "a rule that asks for replies of the risk %s, and a grant that was given for one of %s, ask about one of %s",
  (replyRisk, replyRiskAtMost, responseIfRisk) => {
    const pass = { gate: "response", grant: "g", by: "Ada" } as const;
    const granted = [{ ...pass, gate: "request" } as const, replyRiskAtMost === undefined ? pass : { ...pass, replyRiskAtMost }];
    const ifRisk = responseIfRisk === null ? [] : [{ kind: "ifRisk", level: responseIfRisk }];
    expect(stagesOf({ ...planned({ replyRisk }), granted })).toEqual([
      { kind: "review", name: "request", when: [] },
      { kind: "act", act: "model" },
      { kind: "review", name: "response", when: [{ kind: "ifEdited" }, ...ifRisk] },
    ]);
  },
);

test("a call that its caller makes is reviewed before it, and what it returns where that comes through here", () => {
  const { gatePolicy } = planned({ request: "review", response: "review", replyRisk: "low" });
  const whenReturned = [{ kind: "always" }, { kind: "ifEdited" }, { kind: "ifRisk", level: "low" }];
  for (const [act, when] of [
    ["release", whenReturned],
    ["none", []],
  ] as const)
    expect(stagesOf({ gatePolicy, work: { kind: "toolCall" }, act })).toEqual([
      { kind: "review", name: "request", when: [{ kind: "always" }] },
      { kind: "act", act },
      { kind: "review", name: "response", when },
    ]);
});

test("the identity is one for repeats, and another for anything else", () => {
  const base = { run: "run_1", plan: planned(), request: requestOf(), requestor, requestRef, params: "digest", owner: null };
  const of = (over: Partial<typeof base>): string | undefined => grantQueryOf({ ...base, ...over })?.identity;
  const others = [
    of({ params: "other" }),
    ...(["session", "originating", "request"] as const).map((part) => of({ requestRef: { ...requestRef, [part]: "other" } })),
  ];
  expect(of({ run: "run_2" })).toBe(of({}));
  expect(new Set([of({}), ...others]).size).toBe(5);
});

test("the record of a run begins with what was asked and what let it through", () => {
  const granted = [{ gate: "request" as const, grant: "key_dev.1", by: "Ada" }];
  expect(inputFacts(openingOf(planned(), { granted }), "digest")).toMatchObject([
    { kind: "received", requestGate: "review" },
    { kind: "grantUsed", gate: "request", grant: "key_dev.1", by: "Ada" },
  ]);
  expect(inputFacts(openingOf(planned()), "digest")).toHaveLength(1);
});

describe("a grant for calls", () => {
  const requestorOfCall: Requestor = { server: "notes", method: "tools/call", name: "delete", provenance: "observed" };
  const callOf = (given: JsonObject): ToolCall => ({ kind: "toolCall", server: "notes", tool: "delete", arguments: given });
  const approved = callOf({ path: "/a", env: "staging", count: 1 });

  function planOf(request: ToolCall): Plan {
    const policy = parsePolicy({
      rules: [{ name: "granting", when: { subject: "toolCall" }, then: { grants: true, selfApproval: true } }],
      default: { reviewers: ["everyone"] },
      reviewers: { everyone: [{ name: "Ada" }, { name: "Bo" }] },
    });
    if (!policy.ok) throw new Error(JSON.stringify(policy.error));
    const key = { id: "key_dev", name: "dev" };
    const made = planRun({
      routing,
      policy: policy.value,
      request,
      endpoint: "relay",
      requestor: requestorOfCall,
      key,
      ready: () => undefined,
      now: 0,
    });
    if (!made.ok) throw new Error(made.error.kind);
    return made.value;
  }
  const giving = (wish: Partial<GrantRequest>): Grant =>
    grantFrom(
      { input: openingOf(planOf(approved), { requestor: requestorOfCall }), request: approved, gate: "request", reply: null, by: "Ada" },
      wishFor({ scope: "tool", ...wish }),
      now,
    );
  const passes = (grant: Grant, given: JsonObject, account?: LoginAccount): boolean => {
    const request = callOf(given);
    const by = account === undefined ? requestorOfCall : { ...requestorOfCall, account };
    const query = grantQueryOf({ run: "run_2", plan: planOf(request), request, requestor: by, requestRef, params: "digest" });
    if (query === null) throw new Error("no query");
    return useGrants([grant], [], { ...query, asked: "fresh" }, now).passes.some(({ gate }) => gate === "request");
  };

  test("covers other values, but those of the arguments that are pinned", () => {
    const grant = giving({ pinned: ["env", "count"] });
    expect(passes(grant, { path: "/b", env: "staging", count: 1 })).toBe(true);
    expect(passes(grant, { path: "/b", env: "production", count: 1 })).toBe(false);
    expect(passes(grant, { path: "/b", env: "staging", count: "1" })).toBe(false);
    expect(passes(giving({}), { path: "/b", env: "production", count: 2 })).toBe(true);
  });

  test.each(["exact", "shape"] as const)("%s covers the account at the server that its giver was shown, and no other", (what) => {
    const [work, home] = ["work", "home"].map((name) => ({ issuer: "https://auth.example.com", name })) as [LoginAccount, LoginAccount]; // two
    const requestor = { ...requestorOfCall, account: work };
    const input = openingOf(planOf(approved), { requestor });
    const grant = grantFrom({ input, request: approved, gate: "request", reply: null, by: "Ada" }, wishFor({ scope: "tool", what }), now);
    expect(passes(grant, approved.arguments, work)).toBe(true);
    expect(passes(grant, approved.arguments, home)).toBe(false);
    expect(passes(grant, approved.arguments)).toBe(false);
    expect(passes(grant, approved.arguments, { ...work, issuer: "https://evil.example.com" })).toBe(false);
  });

  test("does not count where the rules do not enable grants: only a bypass would", () => {
    const grant = giving({});
    const request = approved;
    const enabled = planOf(request);
    const plan = { ...enabled, gatePolicy: { ...enabled.gatePolicy, grants: false } };
    const query = grantQueryOf({ run: "run_2", plan, request, requestor: requestorOfCall, requestRef, params: "digest" });
    if (query === null) throw new Error("no query");
    expect(useGrants([grant], [], { ...query, asked: "fresh" }, now).passes).toEqual([]);
    const bypass = bypassFrom({ id: "key_dev.b", key: "key_dev", server: undefined, by: "ann@example.com", hours: 1 }, now);
    expect(useGrants([grant, bypass], [], { ...query, asked: "fresh" }, now).passes).toHaveLength(2);
  });

  test("covers no call with an argument more or less", () => {
    expect(passes(giving({}), { path: "/a", env: "staging", count: 1, force: true })).toBe(false);
    expect(passes(giving({}), { path: "/a", env: "staging" })).toBe(false);
  });

  test("that is exact pins all there is", () => {
    const grant = giving({ what: "exact", pinned: ["env"] });
    expect(grant.pinned).toBeUndefined();
    expect(passes(grant, { count: 1, env: "staging", path: "/a" })).toBe(true);
    expect(passes(grant, { path: "/b", env: "staging", count: 1 })).toBe(false);
  });

  test("covers fewer calls the more is pinned", () => {
    const value = fc.constantFrom("/a", "staging", 1, "production", null);
    const given = fc.record({ path: value, env: value, count: value });
    const names = fc.subarray(["path", "env", "count"]);
    fc.assert(
      fc.property(given, names, names, (later, some, more) => {
        const narrow = passes(giving({ pinned: [...some, ...more] }), later);
        expect(narrow).toBe(passes(giving({ pinned: some }), later) && passes(giving({ pinned: more }), later));
      }),
    );
  });

  test("is offered with the names of the arguments", () => {
    const { gatePolicy, risks } = planOf(approved);
    const offer = offerOf({
      gate: "request",
      gatePolicy,
      requestor: requestorOfCall,
      risks,
      reply: null,
      reviewer: {},
      requestVersion: 1,
      replyVersion: 1,
      request: approved,
    });
    expect(offer?.arguments).toEqual(["path", "env", "count"]);
  });
});

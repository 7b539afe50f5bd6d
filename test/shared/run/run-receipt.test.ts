// What a run's receipt says, from its state: never more than was decided.

import { describe, expect, test } from "vitest";
import { requestText } from "../../../shared/receipt/claims.ts";
import type { Review } from "../../../shared/review/decision.ts";
import type { RunState } from "../../../shared/run/lifecycle.ts";
import { receiptFacts, textDigest } from "../../../shared/run/run-receipt.ts";

type Input = Parameters<typeof receiptFacts>[0];

const call = { kind: "toolCall" as const, server: "github", tool: "delete_branch", arguments: { branch: "main", force: true } };
const edited = { ...call, arguments: { branch: "main", force: false } };

const input = (more: Partial<Input> = {}): Input => ({
  id: "run_1",
  key: { id: "key_1", name: "one", owner: null },
  endpoint: "relay",
  requestor: { server: "github", method: "tools/call", name: "delete_branch", provenance: "observed" },
  gatePolicy: { rule: "calls" } as Input["gatePolicy"], // nothing else of it is read
  policyVersion: 12,
  work: { kind: "toolCall", act: "release" },
  ...more,
});

const at = 1_795_000_000_000;
const review = (more: Partial<Review> = {}): Review => ({
  gate: "request",
  version: 1,
  digest: "shown",
  openedAt: at - 60_000,
  deadlineAt: at + 60_000,
  quorum: 1,
  reviewers: ["Ada", "Bo"],
  left: [],
  owner: null,
  selfApproval: true,
  votes: [{ reviewer: "Ada", version: 1, at: at - 1_000, channel: "email" }],
  closing: { how: "approved", by: "Ada", at: at - 1_000, channel: "email", version: 1, reason: null },
  ...more,
});

const state = (more: Partial<RunState> = {}): RunState => ({
  stages: [],
  at: 0,
  terms: { reviewers: [], escalateTo: [], quorum: 1, owner: null, selfApproval: true, deadlineSeconds: 60 },
  content: { digest: "shown", risk: "none" },
  reviews: { request: review(), response: null },
  call: null,
  end: { kind: "completed" },
  ...more,
});

const factsOf = (of: RunState | null, more: Partial<Input> = {}, sent = call) =>
  receiptFacts(input(more), { asked: call, sent, state: of, at });

describe("a receipt", () => {
  test("claims no person where a juror let the call pass, also where a person reviewed the result", () => {
    const work = { kind: "toolCall", act: "release", juror: { model: "judge", verdict: "passed" } } as const;
    expect(factsOf(null, { work }).mode).toBe("policy");
    const response = review({ gate: "response" });
    expect(factsOf(state({ reviews: { request: null, response } }), { work }).mode).toBe("policy");
    const granted = [{ gate: "response" as const, grant: "g", by: "Ada" }];
    expect(factsOf(null, { work, granted }).mode).toBe("policy");
    expect(
      factsOf(state(), { work: { kind: "toolCall", act: "release", juror: { model: "judge", verdict: "raised", why: "said" } } }).mode,
    ).toBe("human");
  });

  test("names the people whose approvals counted, and how they came", () => {
    const votes = [
      { reviewer: "Ada", version: 1, at: at - 2_000, channel: "inbox" },
      { reviewer: "Bo", version: 1, at: at - 1_000, channel: "slack" },
      { reviewer: "Cy", version: 1, at: at - 500, channel: "teams", known: { how: "link" } as const },
      { reviewer: "Di", version: 1, at: at - 100, channel: "inbox", known: { how: "issuer", issuer: "office" } as const },
    ];
    const { mode, decision, reviewers } = factsOf(state({ reviews: { request: review({ votes }), response: null } }));
    expect([mode, decision]).toEqual(["human", "approved"]);
    expect(reviewers.map(({ name, amr, gate, signIn }) => [name, amr, gate, signIn])).toEqual([
      ["Ada", "inbox", "request", undefined],
      ["Bo", "slack", "request", undefined],
      ["Cy", "link", "request", undefined],
      ["Di", "inbox", "request", "issuer"],
    ]);
    expect(JSON.stringify(reviewers)).not.toContain("office");
  });

  test("has the weakest of what opened a gate as its mode", () => {
    const grant = { gate: "response" as const, grant: "g", by: "Ada" };
    expect(factsOf(state(), { granted: [grant] }).mode).toBe("grant");
    expect(factsOf(state(), { granted: [grant, { ...grant, bypass: true }] }).mode).toBe("bypass");
    expect(factsOf(null, { granted: [grant] }).mode).toBe("grant");
    expect(factsOf(null).mode).toBe("policy");
    expect(factsOf(state({ reviews: { request: null, response: null } })).mode).toBe("policy");
  });

  test("of what ended without a decision names the policy, whoever had voted", () => {
    for (const kind of ["expired", "undeliverable"] as const)
      expect(factsOf(state({ end: { kind, gate: "request" } }))).toMatchObject({ mode: "policy", decision: kind });
    expect(factsOf(state({ end: { kind: "cancelled", cause: "caller" } }))).toMatchObject({ mode: "policy", decision: "cancelled" });
  });

  test("of a denial names who denied", () => {
    const closing = { how: "denied" as const, by: "Bo", at, channel: "inbox", version: 1, reason: "no" };
    const denied = state({
      reviews: { request: review({ votes: [], closing }), response: null },
      end: { kind: "rejected", gate: "request", by: "Bo", reason: "no" },
    });
    const facts = factsOf(denied, { granted: [{ gate: "response", grant: "g", by: "Ada" }] });
    expect(facts).toMatchObject({ mode: "human", decision: "denied", reviewers: [{ name: "Bo", decision: "denied" }] });
    expect(JSON.stringify(facts)).not.toContain('"no"');
  });

  test("says that nothing was approved where a run failed, or waits, before its call began", () => {
    expect(factsOf(state({ end: { kind: "failed" } })).decision).toBe("cancelled");
    expect(factsOf(state({ end: null })).decision).toBe("cancelled");
    expect(factsOf(state({ end: null, call: { number: 1, startedAt: null } })).decision).toBe("cancelled");
    expect(factsOf(state({ end: null, call: { number: 1, startedAt: at } })).decision).toBe("approved");
    expect(factsOf(state({ end: { kind: "failed" }, call: { number: 1, startedAt: at } })).decision).toBe("approved");
  });

  test("of a call is of what is sent, and has what was proposed where that is another", () => {
    const digest = ({ arguments: args }: typeof call) => textDigest(requestText("tools/call", { name: "delete_branch", arguments: args }));
    const changed = state({ reviews: { request: review({ version: 2 }), response: null } });
    expect(factsOf(changed, {}, edited)).toMatchObject({
      edited: { request: true, reply: false },
      request: { jcs: digest(edited), proposed: digest(call), shown: "shown" },
    });
    expect(factsOf(state()).request).toEqual({ jcs: digest(call), shown: "shown" });
  });

  test("of a written reply says that the reply is a person's, and the request is not changed", () => {
    const written = { by: "Ada", at, reply: "r", risk: "none" as const };
    expect(factsOf(state({ reviews: { request: review({ version: 2, written }), response: null } })).edited).toEqual({
      request: false,
      reply: true,
    });
  });
});

// What a review is about, before any words: the facts that every channel renders.

import { describe, expect, test } from "vitest";
import { reviewFacts } from "../../../shared/review/review-facts.ts";
import { control, openRequest, openResponse } from "../../outside/pages/examples.ts";

describe("what is asked", () => {
  test("is ahead while it waits, and not once it has run or is over", () => {
    expect(reviewFacts(openRequest)).toMatchObject({ requestKind: "sampling", isOpen: true, isAhead: true, isUnsent: false });
    expect(reviewFacts(control.toolCall)).toMatchObject({ requestKind: "toolCall", isAhead: true });
    expect(reviewFacts(control.toolResult)).toMatchObject({ requestKind: "toolCall", isOpen: true, isAhead: false });
    const state = { kind: "expired", at: 1 } as const;
    expect(reviewFacts({ ...openRequest, state })).toMatchObject({ isOpen: false, isAhead: false, isUnsent: true });
  });

  test("is known by the relay's evidence where there is some", () => {
    expect(reviewFacts(openRequest).associationConfidence).toBe(openRequest.requestor.provenance);
    const requestor = { ...openRequest.requestor, provenance: "inferred", evidence: "onlyInFlight" } as const;
    expect(reviewFacts({ ...openRequest, requestor }).associationConfidence).toBe("onlyInFlight");
  });
});

test("the cost is the worst case before, what it was after, and nothing for a tool's run", () => {
  expect(reviewFacts({ ...openRequest, worstCostUsd: 0.02 }).cost).toEqual({ kind: "atMost", usd: 0.02 });
  expect(reviewFacts({ ...openResponse, costUsd: 0.01 }).cost).toEqual({ kind: "was", usd: 0.01 });
  expect(reviewFacts({ ...openResponse, costUsd: null }).cost).toBeNull();
  expect(reviewFacts(control.toolCall).cost).toBeNull();
});

test("the gravest risk comes first, and levels without any are not counted", () => {
  const risk = (level: "low" | "medium" | "high") => ({ level, kind: "overridesInstructions" as const, pointer: "" });
  const facts = reviewFacts({ ...openRequest, risks: [risk("low"), risk("high"), risk("low")] });
  expect(facts.risks.map(({ level }) => level)).toEqual(["high", "low", "low"]);
  expect(facts.riskCounts).toEqual([
    { level: "high", count: 1 },
    { level: "low", count: 2 },
  ]);
});

test("a reviewer's own request bars them before their vote does", () => {
  expect(reviewFacts(openRequest).bar).toBeNull();
  expect(reviewFacts({ ...openRequest, ownVote: { at: 1 } }).bar).toBe("voted");
  expect(reviewFacts({ ...openRequest, mayApprove: false, ownVote: { at: 1 } }).bar).toBe("ownRequest");
});

test("a quorum is one where more than one person has to approve", () => {
  expect(reviewFacts({ ...openRequest, quorum: 1 }).quorum).toBeNull();
  expect(reviewFacts({ ...openRequest, quorum: 3 }).quorum).toEqual({ needed: 3, votes: 0 });
  const state = { kind: "voted", votes: 2, quorum: 3 } as const;
  expect(reviewFacts({ ...openRequest, quorum: 3, state }).quorum).toEqual({ needed: 3, votes: 2 });
});

// Who is asked in place of whom, where reviewers are on holiday.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JudgedRequest } from "../../../shared/model/judged-request.ts";
import { isAway } from "../../../shared/policy/availability.ts";
import { type GatePlan, evaluatePolicy, peopleOfPlan } from "../../../shared/policy/evaluate.ts";
import { type Policy, parsePolicy } from "../../../shared/policy/rules.ts";
import { withStandIns } from "../../../shared/policy/stand-ins.ts";

const now = Date.parse("2026-12-25T12:00:00Z");
const awayTo = (to: string) => ({ from: "2026-12-24", until: "2026-12-31", to });

const judged = (keyOwner: string | null): JudgedRequest => ({
  subject: "message",
  server: "notes",
  tool: "summarize",
  method: "tools/call",
  keyName: "ci-7",
  keyOwner,
  provenance: "claimed",
  hasMedia: false,
  hasTools: false,
  maxTokens: 100,
  risk: "none",
  models: [],
  isOnce: false,
});

function policyOf(people: readonly object[], gate: object, others: readonly object[] = []): Policy {
  const document = {
    default: { reviewers: ["asked"], ...gate },
    reviewers: { asked: people, ...(others.length === 0 ? {} : { others }) },
  };
  const parsed = parsePolicy(document);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

const planOf = (policy: Policy, keyOwner: string | null = null): GatePlan =>
  withStandIns(policy, evaluatePolicy(policy, judged(keyOwner)), now);
const names = (people: readonly { readonly name: string }[]): string[] => people.map(({ name }) => name);
const asked = (policy: Policy, keyOwner?: string): string[] => names(planOf(policy, keyOwner).reviewers);

const [ann, bo, cy] = [{ name: "Ann", away: awayTo("Bo") }, { name: "Bo" }, { name: "Cy" }];

describe("a reviewer on holiday", () => {
  test("is replaced by who stands in, of whom the plan says so, and comes back after the last day", () => {
    const policy = policyOf([ann], {}, [bo]);
    const plan = planOf(policy);
    expect([names(plan.reviewers), names(plan.handOverTo), plan.standIns]).toEqual([["Bo"], [], [{ reviewer: "Ann", by: "Bo" }]]);
    const after = withStandIns(policy, evaluatePolicy(policy, judged(null)), Date.parse("2027-01-01T00:00:00Z"));
    expect([names(after.reviewers), after.standIns]).toEqual([["Ann"], undefined]);
  });

  test("is replaced in the escalation too, and is offered to nobody for a hand-over", () => {
    const policy = policyOf([cy], { escalate: { afterSeconds: 60, to: ["Ann"] } }, [ann, bo]);
    const plan = planOf(policy);
    expect([names(plan.reviewers), names(plan.escalate?.to ?? []), names(plan.handOverTo)]).toEqual([["Cy"], ["Bo"], ["Bo"]]);
  });

  test("whose stand-in is away too leads on to the next; a chain that closes leads nowhere", () => {
    expect(asked(policyOf([ann], {}, [{ ...bo, away: awayTo("Cy") }, cy]))).toEqual(["Cy"]);
    expect(asked(policyOf([ann], {}, [{ ...bo, away: awayTo("Ann") }]))).toEqual(["Ann"]);
  });

  test.each<[string, Policy, string | null]>([
    ["the requestor", policyOf([ann], {}, [bo]), "Bo"],
    ["the requestor, also one who is asked", policyOf([ann, bo], { selfApproval: false }), "Bo"],
    ["somebody to whom the rule lets nobody hand over", policyOf([ann], { handOverTo: [] }, [bo]), null],
    ["somebody outside of the rule's list", policyOf([ann], { handOverTo: ["Cy"] }, [bo, cy]), null],
    ["one of two who must approve", policyOf([ann, bo], { quorum: 2 }), null],
  ])("is asked all the same where the stand-in is %s", (_what, policy, owner) => {
    expect(asked(policy, owner ?? undefined)).toContain("Ann");
  });

  test("decides about their own request themselves", () => {
    expect(asked(policyOf([ann], {}, [bo]), "Ann")).toEqual(["Ann"]);
  });

  test("whose stand-in is asked anyway leaves one voice less, and not one that counts twice", () => {
    expect(asked(policyOf([ann, bo, cy], { quorum: 2 }))).toEqual(["Bo", "Cy"]);
  });
});

test("with any holidays a request is asked of as many as must approve, none twice, and of nobody who gains from a hand-over", () => {
  const all = ["A", "B", "C", "D", "E", "F"];
  const holidays = fc.array(fc.option(fc.constantFrom(...all), { nil: null }), { minLength: 6, maxLength: 6 });
  const some = fc.subarray(all, { minLength: 1 });
  fc.assert(
    fc.property(
      holidays,
      some,
      fc.option(fc.subarray(all), { nil: undefined }),
      fc.constantFrom(null, ...all),
      fc.nat({ max: 3 }),
      fc.boolean(),
      (to, first, handOverTo, owner, more, selfApproval) => {
        const people = all.map((name, i) => {
          const other = to[i] ?? name;
          return { name, ...(other === name ? {} : { away: awayTo(other) }) };
        });
        const quorum = Math.min(1 + more, first.length);
        const policy = policyOf(people, { reviewers: first, handOverTo, quorum, selfApproval });
        const before = evaluatePolicy(policy, judged(owner));
        const plan = withStandIns(policy, before, now);
        const able = ({ reviewers }: GatePlan): number => reviewers.filter(({ name }) => selfApproval || name !== owner).length;
        expect(new Set(names(plan.reviewers)).size).toBe(plan.reviewers.length);
        expect(able(plan)).toBeGreaterThanOrEqual(Math.min(quorum, able(before)));
        for (const { reviewer, by } of plan.standIns ?? []) {
          expect([by === owner, reviewer === owner]).toEqual([false, false]);
          expect(names(peopleOfPlan(before))).toContain(by);
          expect(isAway(policy.reviewers["asked"]?.find(({ name }) => name === by) ?? {}, now)).toBe(false);
          expect(names(plan.reviewers)).toContain(by);
        }
        const known = new Set([...names(before.reviewers), ...(plan.standIns ?? []).map(({ by }) => by)]);
        for (const name of names(plan.reviewers)) expect(known).toContain(name);
      },
    ),
    { numRuns: 500 },
  );
});

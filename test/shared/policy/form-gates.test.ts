import { expect, test } from "vitest";
import { formGates } from "../../../shared/policy/form-gates.ts";
import { type GatePlan, evaluatePolicy } from "../../../shared/policy/evaluate.ts";
import { judgedRequest } from "../../../shared/model/judged-request.ts";
import { type Policy, policySchema } from "../../../shared/policy/rules.ts";

const people = [{ name: "Ann", email: "ann@example.com" }, { name: "Bo" }, { name: "#team", slack: "C0123456789" }];
const policyWith = (rules: readonly object[] = []): Policy =>
  policySchema.parse({ rules, default: { reviewers: ["everyone"], quorum: 2 }, reviewers: { everyone: people } });

function gates(policy: Policy, owner: string | null, isUrl = false): GatePlan {
  const judged = judgedRequest(
    { server: "notes", tool: "book", method: "tools/call", provenance: "observed" },
    { subject: "form", keyName: "k", maxTokens: 0, risk: "none", models: [] },
  );
  return formGates(evaluatePolicy(policy, judged), policy, owner, { isUrl });
}
const asked = ({ reviewers }: GatePlan): string[] => reviewers.map(({ name }) => name);

const toAll = { name: "all", when: { subject: "form" }, then: { request: "allow", response: "review", grants: true, quorum: 2 } };

test("without a rule the key's owner is asked, alone", () => {
  const plan = gates(policyWith(), "ann@example.com");
  expect([asked(plan), plan.quorum, plan.handOverTo, plan.escalate]).toEqual([["Ann"], 1, [], null]);
  for (const owner of [null, "Cy"]) expect(asked(gates(policyWith(), owner))).toEqual([]);
});

test("a rule says who else is asked; no rule lets a form pass, reviews its answer or allows a grant for it", () => {
  const plan = gates(policyWith([toAll]), "Ann");
  expect([asked(plan), plan.quorum]).toEqual([["Ann", "Bo"], 2]);
  expect(plan).toMatchObject({ request: "review", response: "allow", replyRisk: null, grants: false });
});

test("a room, which is nobody, is not asked", () => {
  expect(asked(gates(policyWith([{ ...toAll, then: { ...toAll.then, quorum: 1 } }]), "Ann"))).toEqual(["Ann", "Bo"]);
});

test("an address is for the owner alone, signed in, whatever a rule says, and for nobody without an inbox", () => {
  const plan = gates(policyWith([{ ...toAll, then: { ...toAll.then, noticeExcerpt: "start" } }]), "Ann", true);
  expect([asked(plan), plan.quorum, plan.handOverTo]).toEqual([["Ann"], 1, []]);
  expect([plan.identity, plan.noticeExcerpt]).toEqual(["signedIn", "none"]);
  expect(asked(gates(policyWith([toAll]), "Bo", true))).toEqual([]);
  expect(asked(gates(policyWith([toAll]), null, true))).toEqual([]);
});

// What `docs/policy.md` says is what the code does.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defaultPolicy } from "../../../shared/policy/default-policy.ts";
import { type PolicyFacts, judged } from "../../../shared/policy/conditions.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import type { JudgedRequest } from "../../../shared/model/judged-request.ts";
import { type GatePlan, evaluatePolicy as evaluateJudged, judge } from "../../../shared/policy/evaluate.ts";
import { limitsSchema } from "../../../shared/policy/limits.ts";
import { parsePolicy, policyJsonSchema, policySchema, type Policy } from "../../../shared/policy/rules.ts";
import type { Candidate } from "../../../shared/routing/choose.ts";
import { providerOf } from "../../../shared/routing/table.ts";
import { requestOf, tableOf } from "../routing/examples.ts";
import type { RiskNote } from "../../../shared/policy/risk.ts";
import { defaultModel } from "../../support/model-why.ts";

const text = readFileSync(new URL("../../../docs/policy.md", import.meta.url), "utf8");
const policies = [...text.matchAll(/^```json\n([^]*?)^```/gm)].map(([, block]): Policy => {
  const parsed = parsePolicy(JSON.parse(block ?? ""));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
});
const rowsUnder = (heading: string): string[][] =>
  (text.split(`${heading}\n`)[1]?.split(/\n##/)[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
const namesUnder = (heading: string): string[] =>
  rowsUnder(heading)
    .flatMap(([names = ""]) => names.replaceAll("`", "").split(", "))
    .toSorted();

const candidate = (id: string, worstCostUsd: number): Candidate => {
  const table = tableOf([{ id }]);
  const [model] = table.models;
  const provider = providerOf(table, "alpha");
  if (model === undefined || provider === undefined) throw new Error("no model");
  return { model, provider, why: defaultModel, worstCostUsd };
};
const evaluatePolicy = (policy: Policy, facts: PolicyFacts): GatePlan => evaluateJudged(policy, judged(facts));

const factsOf = (members: Partial<PolicyFacts>): PolicyFacts => ({
  subject: "message",
  server: "notes-eu",
  tool: "search_all",
  method: "tools/call",
  keyName: "ci-1",
  keyOwner: null,
  provenance: "claimed",
  request: requestOf(),
  candidates: [candidate("local", 0)],
  risk: [],
  ...members,
});

test("every example is a policy that is accepted, and the first is the default", () => {
  expect(policies).toHaveLength(6);
  expect(policies[0]).toEqual(defaultPolicy());
});

describe("the examples do what is said of them", () => {
  const [, team = defaultPolicy(), open = defaultPolicy()] = policies;
  const risk = [{ level: "high" as const, kind: "credential" as const, of: "apiKey" as const, pointer: "" }];

  test.each([
    ["a free run", team, {}, { rule: "notes are ours", request: "allow", response: "allow" }],
    [
      "failover to another model",
      team,
      { candidates: [candidate("local", 0), candidate("dear", 0.01)] },
      { rule: "default", request: "review", response: "review", tellReason: false },
    ],
    [
      "a risk",
      team,
      { risk },
      { rule: "risky", request: "review", quorum: 2, reviewers: [{ name: "Ann" }, { name: "Bo" }, { name: "Cy" }] },
    ],
    [
      "a high price",
      team,
      { candidates: [candidate("local", 0.06)] },
      { rule: "expensive", deadlineSeconds: 3600, reviewers: [{ name: "Cy" }] },
    ],
    ["everything else", team, { server: "mail" }, { rule: "default", request: "review", tellReason: true }],
    ["development", open, {}, { request: "allow", response: "allow" }],
  ])("%s", (_, policy, members, plan) => {
    expect(evaluatePolicy(policy, factsOf(members))).toMatchObject(plan);
  });
});

test("the examples for tool calls do what is said of them", () => {
  const [, , , calls = defaultPolicy()] = policies;
  const called = { ...judged(factsOf({ subject: "toolCall", candidates: [], keyOwner: "Ann" })), hasTools: false };
  const gatesOf = (policy: Policy, more: Partial<JudgedRequest>, given: JsonObject = {}) =>
    judge(policy, { ...called, ...more }, { given, sent: given });
  expect(gatesOf(calls, { server: "database" })).toMatchObject({
    gates: { rule: "destroying", confirm: true, request: "review", response: "allow", reviewers: [{ name: "Ann" }] },
  });
  const reading = { hints: { readOnly: true, destructive: false, openWorld: false } };
  expect(gatesOf(calls, { server: "database", call: reading })).toMatchObject({ gates: { request: "allow" } });
  expect(gatesOf(calls, { tool: "deploy" }, { env: "staging" })).toMatchObject({ gates: { rule: "staging", request: "allow" } });
  expect(gatesOf(calls, { tool: "deploy" }, { env: "production" })).toMatchObject({
    gates: { rule: "deployments", request: "review", response: "allow", quorum: 2, selfApproval: false },
  });
  const rules = calls.rules.map((rule) => ({ ...rule, then: { ...rule.then, shadow: true } }));
  const shadow = { request: "allow", shadow: { rule: "destroying", request: "confirm" } };
  expect(gatesOf({ ...calls, rules }, { server: "database" })).toMatchObject({ gates: shadow });
});

test("every field of the schema is described, and nothing else", () => {
  const members = z.object({ properties: z.record(z.string(), z.unknown()) });
  const schema = z
    .object({
      properties: z.object({
        rules: z.object({ items: z.object({ properties: z.object({ when: members, then: members }) }) }),
        reviewers: z.object({ additionalProperties: z.object({ items: members }) }),
      }),
    })
    .parse(policyJsonSchema());
  const keysOf = (value: { properties: Record<string, unknown> }): string[] => Object.keys(value.properties).toSorted();
  expect(namesUnder("### The document")).toEqual(keysOf(members.parse(policyJsonSchema())));
  expect(namesUnder("### Conditions (`when`)")).toEqual(keysOf(schema.properties.rules.items.properties.when));
  expect(namesUnder("### Consequences (`then`, and `default`)")).toEqual(keysOf(schema.properties.rules.items.properties.then));
  expect(namesUnder("### Reviewers")).toEqual(keysOf(schema.properties.reviewers.additionalProperties.items));
});

test("the defaults are those that are described", () => {
  const described = (heading: string): [string, unknown][] =>
    rowsUnder(heading)
      .filter(([, value = ""]) => value.startsWith("`"))
      .map(([name = "", value = ""]) => [name.replaceAll("`", ""), JSON.parse(value.replaceAll("`", ""))]);
  const consequences = new Map<string, unknown>(Object.entries(policySchema.parse({}).default));
  const ofThen = described("### Consequences (`then`, and `default`)");
  expect(ofThen.length).toBe(consequences.size - 1);
  for (const [name, value] of ofThen) expect([name, consequences.get(name)]).toEqual([name, value]);
  expect(Object.fromEntries(described("## Limits of a key"))).toEqual(limitsSchema.parse({}));
});

test("every kind of risk that the code has is described, and nothing else", () => {
  // A kind that is not here does not compile.
  const kinds: Readonly<Record<RiskNote["kind"], null>> = {
    addressesReviewer: null,
    asksSecret: null,
    bidirectional: null,
    bidirectionalMark: null,
    blankLines: null,
    blob: null,
    control: null,
    credential: null,
    longSpace: null,
    lookAlikes: null,
    overridesInstructions: null,
    size: null,
    tagCharacters: null,
    unseen: null,
    urlWithData: null,
    zeroWidth: null,
  };
  expect(namesUnder("## Risks")).toEqual(Object.keys(kinds));
});

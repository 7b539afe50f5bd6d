import { describe, expect, test } from "vitest";
import { parsePolicy } from "../../../shared/policy/rules.ts";
import { askLess } from "../../../shared/record/ask-less.ts";
import type { RecordFact } from "../../../shared/record/record.ts";

type Received = Extract<RecordFact, { kind: "received" }>;

const when = { subject: "toolCall", server: "database" };
const draft = {
  version: 3,
  rules: [
    { name: "never", when: { ...when, tool: "drop_*" }, then: { request: "refuse" } },
    { name: "asks", when, then: { quorum: 2, response: "allow", shadow: true } },
  ],
  default: { reviewers: ["team"] },
  reviewers: { team: [{ name: "Ann" }, { name: "Bo" }] },
};
const judged = { subject: "toolCall", keyName: "ci", maxTokens: 0, risk: "none", models: [], call: { definitionChanged: false } } as const;
/** What the draft looks at, of a fact that has more. */
const received = (over: Partial<Received> = {}): RecordFact =>
  ({
    kind: "received",
    server: "database",
    name: "query",
    rule: "asks",
    requestGate: "review",
    responseGate: "allow",
    judged,
    ...over,
  }) as Received;

test("the rule lets calls of that tool, server and key pass, before the rule that asked and after those that refuse", () => {
  const less = askLess(draft, received());
  expect(less?.at).toBe(1);
  const rules = less?.draft["rules"];
  expect(rules).toEqual([
    draft.rules[0],
    {
      name: "query passes",
      when: { ...when, tool: "query", key: "ci", definitionChanged: false },
      then: { quorum: 2, response: "allow", request: "allow" },
    },
    draft.rules[1],
  ]);
  expect(parsePolicy(less?.draft).ok).toBe(true);
  const again = askLess(less?.draft ?? {}, received())?.draft["rules"];
  expect(JSON.stringify(again)).toContain('"query passes 2"');
});

describe("no rule is drafted", () => {
  test.each<[string, RecordFact | undefined]>([
    ["without a record", undefined],
    ["from a call about which nobody was asked", received({ requestGate: "allow" })],
    ["from a sampling request", received({ judged: { ...judged, subject: "message" } })],
    ["where the rule that asked is gone", received({ rule: "another" })],
    ["for a tool whose name would match others", received({ name: "*" })],
    ["for a key whose name would match others", received({ judged: { ...judged, keyName: "ci-*" } })],
  ])("%s", (_what, fact) => expect(askLess(draft, fact)).toBeNull());
});

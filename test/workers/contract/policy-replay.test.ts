// POST /admin/policy/replay: what another policy would have done with requests of the record.

import { beforeEach, describe, expect, test } from "vitest";
import { type LineState, numberEvents } from "../../../shared/record/record.ts";
import { type ReplayTally, addTallies, noReplay } from "../../../shared/record/replay-tally.ts";
import { judgedRecord } from "../../../shared/model/judged-request.ts";
import { appendToLedger } from "../../../workers/stubs/stubs.ts";
import { runIdOf, runRandomLength } from "../../../shared/sealed-id.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { admin, adminJson, configure, env, eventually, jsonBody, openNotice, sample, travel } from "../support/gateway.ts";
import { recordLines } from "../support/record.ts";
import { wholeOr } from "../support/whole.ts";

type Answer = { readonly total: number; readonly read: number; readonly sum: ReplayTally; readonly next: string | null };

const ask = async (policy: object, more: object = {}): Promise<Answer> =>
  adminJson<Answer>("/policy/replay", jsonBody("POST", { policy, ...more }));

/** All pages. */
async function replayed(policy: object, days = 7): Promise<{ sum: ReplayTally; total: number; read: number; pages: number }> {
  let answer = await ask(policy, { days });
  let [sum, read, pages] = [addTallies(noReplay, answer.sum), answer.read, 1];
  while (answer.next !== null) {
    answer = await ask(policy, { days, next: answer.next });
    sum = addTallies(sum, answer.sum);
    read += answer.read;
    pages += 1;
  }
  return { sum, total: answer.total, read, pages };
}

const people = { everyone: [{ name: "Ada" }], lead: [{ name: "Cy" }] };
const inForce = {
  rules: [
    { name: "open", when: { server: "open" }, then: { request: "allow", response: "allow" } },
    { name: "no", when: { server: "bad" }, then: { request: "refuse" } },
  ],
  default: { reviewers: ["everyone"] },
  reviewers: people,
};

const lines = async (count: number): Promise<void> => {
  await eventually("the lines", async () => (await adminJson<{ runs: unknown[] }>("/runs")).runs.length >= count);
};

beforeEach(() => configure("policy", inForce));

describe("a draft", () => {
  test("is judged by what the record has of real requests, of every condition, and changes nothing", async () => {
    await sample({ server: "open", id: 1 });
    await sample({ server: "bad", id: 2 });
    void sample({ server: "notes", id: 3, params: { maxTokens: 900 } });
    await openNotice("request");
    await lines(3);
    const before = (await recordLines()).length;
    const { sum, total, read } = await replayed({
      rules: [
        {
          name: "long",
          when: { maxTokensOver: 500, provenance: "claimed", hasMedia: false, method: "tools/call" },
          then: { reviewers: ["lead"] },
        },
        { name: "open", when: { server: "*" }, then: { request: "allow", response: "allow" } },
      ],
      default: { reviewers: ["everyone"] },
      reviewers: people,
    });
    expect({ total, read }).toEqual({ total: 3, read: 3 });
    expect(sum.effects).toMatchObject({ same: 1, asksOtherwise: 1, newlyUnseen: 1 });
    expect(sum.groups.find(({ effect }) => effect === "newlyUnseen")).toMatchObject({ server: "bad", ruleBefore: "no", ruleAfter: "open" });
    expect(sum.groups.find(({ effect }) => effect === "asksOtherwise")).toMatchObject({ ruleBefore: "default", ruleAfter: "long" });
    expect(sum.reviewers).toEqual([
      { reviewer: "Ada", asked: { before: 1, after: 0 }, ifWarned: { before: 0, after: 0 } },
      { reviewer: "Cy", asked: { before: 0, after: 1 }, ifWarned: { before: 0, after: 0 } },
    ]);
    expect(await recordLines()).toHaveLength(before + 1); // that the record was exported
    expect((await replayed(inForce)).sum.effects.same).toBe(3);
  });

  test("that is not valid is refused, with the place", async () => {
    const answer = await admin("/policy/replay", jsonBody("POST", { policy: { rules: [{ name: "a", when: { colour: "red" } }] } }));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ details: [{ pointer: "/rules/0/when/colour" }] });
  });
});

/** A request in the ledger as the fast path writes it. */
async function recorded(index: number, at: number, state: LineState = "completed"): Promise<void> {
  const run = runIdOf(settingsOf(env).keys, crypto.getRandomValues(new Uint8Array(runRandomLength)));
  const judged = judgedRecord({
    subject: "message",
    server: "open",
    tool: `tool_${index % 3}`,
    method: "tools/call",
    keyName: "ci",
    keyOwner: null,
    provenance: "claimed",
    hasMedia: index % 2 === 0,
    hasTools: false,
    maxTokens: 100,
    risk: "none",
    models: [{ id: "first", worstCostUsd: 0.01 }],
    isOnce: false,
  });
  const events = numberEvents(run, null, at, [
    {
      kind: "received",
      key: "key_1",
      server: "open",
      method: "tools/call",
      name: `tool_${index % 3}`,
      provenance: "claimed",
      endpoint: "sampling",
      requestDigest: "digest",
      rule: "open",
      requestGate: "allow",
      responseGate: "allow",
      judged,
      models: ["first"],
      risks: [],
      contextIgnored: null,
      takenOver: false,
    },
    { kind: "finished", outcome: "completed" },
  ]);
  const summary = {
    run,
    key: "key_1",
    server: "open",
    name: `tool_${index % 3}`,
    createdAt: at,
    endedAt: at,
    state,
    cause: null,
    model: "first",
    inputTokens: 1,
    outputTokens: 1,
    costUsd: 0,
    reviews: [],
  };
  await appendToLedger(env, run, { events, summary });
}

test("many requests come in pages, each once, whatever comes meanwhile; older days are not asked", async () => {
  const now = Date.now();
  const count = wholeOr(2_500, 1_100);
  for (let index = 0; index < count; index += 50)
    await Promise.all(Array.from({ length: 50 }, (_, more) => recorded(index + more, now - Math.floor((index + more) / 7))));
  await recorded(0, now - 8 * 86_400_000);
  const draft = { ...inForce, rules: [{ name: "media", when: { hasMedia: true } }, ...inForce.rules] };
  const first = await ask(draft);
  expect(first.total).toBe(count);
  expect(first.read).toBeLessThanOrEqual(512);
  travel(1_000);
  await recorded(1, Date.now() + 1_000);
  let [sum, read, next] = [first.sum, first.read, first.next];
  while (next !== null) {
    const page: Answer = await ask(draft, { next });
    sum = addTallies(sum, page.sum);
    read += page.read;
    next = page.next;
  }
  expect(read).toBe(count);
  expect(sum.effects).toMatchObject({ newlyAsked: count / 2, same: count / 2 });
  expect(sum.rules).toContainEqual({ rule: "open", before: count, after: count / 2 });
  expect((await replayed(draft, 30)).total).toBe(count + 2);
});

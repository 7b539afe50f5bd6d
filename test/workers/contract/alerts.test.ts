// What operators are told of: once when it begins and once when it ends, by a channel of the
// policy's `alerts`, with nothing of any request.

import { evictDurableObject } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { jsonOf } from "../../../shared/json/json-of.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { BudgetObject } from "../../../workers/objects/budget-object.ts";
import { alertStub, budgetStub, ledgerStub } from "../../../workers/stubs/stubs.ts";
import { type WebhookReceiver, createWebhookReceiver } from "../../support/webhook-receiver.ts";
import { asObject, ringNextAlarm, tablesOf } from "../objects/inside.ts";
import {
  admin,
  adminJson,
  answerOf,
  configure,
  env,
  eventually,
  jsonBody,
  model,
  policy,
  publicUrl,
  sample,
  travel,
} from "../support/gateway.ts";
import { promptMarker } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const asking = { messages: [{ role: "user", content: { type: "text", text: promptMarker } }] };

let receiver: WebhookReceiver;
const told = () => receiver.taken.map(({ event: { type, data } }) => [type, data["kind"], data["alert"]]);
const ids = () => receiver.requests.map(({ headers }) => headers.get("webhook-id"));

/** The policy of the tests, with this member beside it. */
const withAlerts = (more: object = {}) => ({
  ...policy,
  reviewers: { ...policy.reviewers, ops: [{ name: "Ops", webhook: "TEAMS" }] },
  alerts: { to: ["ops"], ...more },
});

beforeEach(async () => {
  // An hour ahead of the alarms' own clock: none goes off before it is rung.
  travel(60 * minuteMs);
  receiver = createWebhookReceiver((env as unknown as Record<string, string>)["WEBHOOK_TEAMS_SECRET"] ?? ""); // vitest.config.ts gives it
  answerAt("https://webhook.example.com", receiver.answer);
  await configure("policy", withAlerts());
});

const rowsOf = async (table: string) => (await tablesOf(alertStub(env)))[table] ?? [];
/** Time passes, and the object looks and sends. */
async function after(milliseconds: number): Promise<void> {
  travel(milliseconds);
  await ringNextAlarm(alertStub(env));
}
/** The ledger has told the object that something failed. */
const noticed = (): Promise<boolean> => eventually("a look", async () => (await rowsOf("looking")).length > 0);

test("a provider that fails and works again is said once each, at least once and with one id, whatever is cut off", async () => {
  model.script(...Array.from({ length: 18 }, () => ({ status: 500, message: promptMarker })));
  await answerOf(sample({ server: "open", params: asking }));
  await noticed();
  await answerOf(sample({ server: "open", params: asking }));
  await eventually("both in the record", async () =>
    (await adminJson<{ servers: { hour: { failed: number } }[] }>("/outcomes")).servers.some(({ hour }) => hour.failed === 2),
  );
  expect(told()).toEqual([]);
  await after(6 * secondMs);
  const [first] = receiver.taken;
  expect(first?.event).toMatchObject({
    type: "alert.began",
    data: {
      kind: "providerFailing",
      provider: "scripted",
      failed: 12,
      count: 12,
      leftOut: 0,
      title: "scripted fails",
      url: `${publicUrl}/console/now`,
    },
  });

  // It goes on failing: nothing more is said.
  await answerOf(sample({ server: "open", params: asking }));
  await after(minuteMs);
  await evictDurableObject(alertStub(env));
  await after(minuteMs);
  expect(receiver.taken).toHaveLength(1);

  travel(5 * minuteMs);
  await answerOf(sample({ server: "open", params: asking }));
  await eventually("the answer in the record", async () =>
    (await adminJson<{ servers: { hour: { count: number } }[] }>("/outcomes")).servers.some(({ hour }) => hour.count === 4),
  );
  receiver.script({ status: 503 });
  await after(minuteMs);
  await evictDurableObject(alertStub(env));
  await after(10 * minuteMs);
  expect(told()).toEqual([
    ["alert.began", "providerFailing", first?.event.data["alert"]],
    ["alert.ended", "providerFailing", first?.event.data["alert"]],
  ]);
  const [began, ended, again, ...others] = ids();
  expect([ended === again, began === ended, others]).toEqual([true, false, []]);
  expect(await rowsOf("open")).toEqual([]);
  expect(await rowsOf("looking")).toEqual([]);
  expect(JSON.stringify(receiver.requests.map(({ body }) => body))).not.toContain(promptMarker);
});

test("a budget is said to be used up when all of it is, and to have room again", async () => {
  const budgets = (amount: number) => ({ budgets: { all: { of: "everything", tokens: amount, per: "month" } } });
  await configure("budgets", budgets(100));
  const allowance = { budget: "all", part: null, unit: "tokens", limit: 100, per: "month", notify: [] } as const;
  const all = asObject<BudgetObject>(budgetStub(env, allowance));
  await all.reserve({ allowance, id: "a", amount: 100, leaseMs: 1_000, wanted: 0 });
  await all.settle([{ id: "a", spent: 100, unaccounted: 0, underWay: [] }]);
  await ringNextAlarm(all);
  await noticed();
  await after(6 * secondMs);
  expect(receiver.taken[0]?.event).toMatchObject({
    type: "alert.began",
    data: { kind: "budgetUsedUp", budget: "all", part: null, unit: "tokens", limit: 100, url: `${publicUrl}/console/budgets` },
  });
  await after(minuteMs);
  expect(receiver.taken).toHaveLength(1);
  await configure("budgets", budgets(1_000));
  await after(minuteMs);
  expect(told().map(([type]) => type)).toEqual(["alert.began", "alert.ended"]);
  expect(await rowsOf("used_up")).toEqual([]);
});

test("a budget that refuses a call is said to, where what was spent leaves too little for it, and not what is under way", async () => {
  const budgets = (amount: number) => ({ budgets: { all: { of: "everything", tokens: amount, per: "month" } } });
  await configure("budgets", budgets(100));
  const allowance = { budget: "all", part: null, unit: "tokens", limit: 100, per: "month", notify: [] } as const;
  const all = asObject<BudgetObject>(budgetStub(env, allowance));
  const reserve = async (id: string, amount: number): Promise<string> =>
    (await all.reserve({ allowance, id, amount, leaseMs: 1_000, wanted: 0 })).kind;
  expect([await reserve("larger than all", 101), await reserve("a", 60), await reserve("meanwhile", 60)]).toEqual([
    "usedUp",
    "reserved",
    "usedUp",
  ]);
  expect(await rowsOf("used_up")).toEqual([]);
  await all.settle([{ id: "a", spent: 60, unaccounted: 0, underWay: [] }]);
  expect(await reserve("b", 60)).toBe("usedUp");
  await noticed();
  await after(6 * secondMs);
  expect(receiver.taken[0]?.event).toMatchObject({ type: "alert.began", data: { kind: "budgetUsedUp", budget: "all", limit: 100 } });
  await configure("budgets", budgets(120));
  await after(minuteMs);
  expect(told().map(([type]) => type)).toEqual(["alert.began", "alert.ended"]);
});

test("reviews that reach nobody and expire are said, of more than the policy wants none, and the next one counts them", async () => {
  await configure("policy", withAlerts({ perHour: 1 }));
  const line = (run: string, how: "expired" | "undeliverable"): RunSummary => ({
    run,
    key: "key_a",
    server: "notes",
    name: "sum",
    createdAt: Date.now(),
    endedAt: Date.now(),
    state: how,
    cause: { kind: how, gate: "request" },
    model: null,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    reviews: [{ gate: "request", how, ms: 1_000 }],
  });
  await ledgerStub(env, 0).append(
    jsonOf((["undeliverable", "expired"] as const).map((how) => ({ events: [], summary: line(`run_${how}`, how) }))),
  );
  await noticed();
  await after(6 * secondMs);
  expect(receiver.taken.map(({ event: { data } }) => [data["kind"], data["count"], data["leftOut"]])).toEqual([["nobodyReached", 1, 0]]);
  await after(61 * minuteMs);
  expect(receiver.taken.map(({ event: { type, data } }) => [type, data["kind"], data["leftOut"]])).toEqual([
    ["alert.began", "nobodyReached", 0],
    ["alert.ended", "nobodyReached", 1],
  ]);
});

test("nobody hears where the policy says so of nobody, and whom it names is somebody, whom the doctor looks for", async () => {
  const check = async () => {
    const { checks } = await (
      await admin("/doctor", { method: "POST" })
    ).json<{ checks: { check: string; state: string; text: string }[] }>();
    return checks.filter((each) => each.check === "alerts");
  };
  expect(await check()).toMatchObject([{ state: "good", text: expect.stringContaining("1 reviewer") as string }]);
  await configure("policy", {
    ...withAlerts(),
    alerts: { to: ["people-without-addresses"] },
    reviewers: { ...policy.reviewers, "people-without-addresses": [{ name: "Dee" }] },
  });
  expect(await check()).toMatchObject([{ state: "fix" }]);
  const { version } = await adminJson<{ version: number }>("/policy");
  const refused = await admin("/policy", {
    ...jsonBody("PUT", { ...withAlerts(), alerts: { to: ["nobody"] } }),
    headers: { "Content-Type": "application/json", "If-Match": String(version) },
  });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("/alerts/to/0");
  await configure("policy", policy);
  model.script(...Array.from({ length: 6 }, () => ({ status: 500, message: "down" })));
  await answerOf(sample({ server: "open" }));
  await eventually("the failure", async () =>
    (await adminJson<{ servers: { hour: { failed: number } }[] }>("/outcomes")).servers.some(({ hour }) => hour.failed === 1),
  );
  expect(await rowsOf("looking")).toEqual([]);
});

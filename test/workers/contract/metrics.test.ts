// GET /metrics, as a scraper gets it: what is counted, who may read it, and that no counter ever
// decreases.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { families } from "../../../shared/telemetry/metric-families.ts";
import { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import { ledgerShards, ledgerStub } from "../../../workers/stubs/stubs.ts";
import { type ReadFamily, readPrometheusText, valueOf } from "../../support/prometheus-text.ts";
import { asObject, crash, later, ringAlarm } from "../objects/inside.ts";
import {
  adminToken,
  answerOf,
  configure,
  createKey,
  devKey,
  env,
  errorOf,
  eventually,
  gateway,
  gatewayWith,
  model,
  policy,
  sample,
} from "../support/gateway.ts";
import { promptMarker, reasonMarker, replyMarker } from "../support/logs.ts";
import { decide } from "../support/reviewer.ts";

const metricsToken = "metrics-token-of-the-tests-0123456789";
const scrape = async (): Promise<string> => {
  const response = await gateway("/metrics", { key: adminToken });
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return response.text();
};
const read = async (): Promise<Map<string, ReadFamily>> => readPrometheusText(await scrape());

/** The metrics, once this series has this value: the record is written behind. */
const once = (name: string, labels: Record<string, string>, value: number): Promise<Map<string, ReadFamily>> =>
  eventually(`${name}${JSON.stringify(labels)} ${value}`, async () => {
    const found = await read();
    return valueOf(found, name, labels) === value ? found : null;
  });

describe("what is counted", () => {
  test("has every family, without a series where nothing happened", async () => {
    const found = await read();
    expect([...found.keys()]).toEqual(Object.keys(families));
    expect(found.get("countersign_requests_total")?.samples).toEqual([]);
    expect(valueOf(found, "countersign_behind")).toBe(0);
  });

  test("requests, model calls, tokens and cost, refusals, failures, people and notices", async () => {
    await answerOf(sample());
    await errorOf(sample({ server: "refused" }));
    model.script({ status: 401, message: "no" });
    await errorOf(sample());
    const denied = sample({ server: "request-gate" });
    await decide("request", "deny");
    await errorOf(denied);
    const outcomes = ["completed", "refused", "failed", "rejected"];
    const found = await eventually("all four", async () => {
      const now = await read();
      return outcomes.every((outcome) => valueOf(now, "countersign_requests_total", { endpoint: "sampling", outcome }) === 1) ? now : null;
    });
    const total = (name: string, labels: Record<string, string>): number => valueOf(found, name, labels);
    expect(total("countersign_refusals_total", { endpoint: "sampling", reason: "policyRefused" })).toBe(1);
    expect(total("countersign_model_attempts_total", { model: "first", outcome: "answered" })).toBe(1);
    expect(total("countersign_model_attempts_total", { model: "first", outcome: "refusedCredential" })).toBe(1);
    expect(total("countersign_model_seconds_count", { model: "first" })).toBe(1);
    expect(total("countersign_tokens_total", { model: "first", direction: "input" })).toBe(12);
    expect(total("countersign_tokens_total", { model: "first", direction: "output" })).toBe(5);
    expect(total("countersign_cost_usd_total", { model: "first" })).toBeCloseTo(22e-6, 10);
    expect(total("countersign_reviews_opened_total", { gate: "request" })).toBe(1);
    expect(total("countersign_review_seconds_count", { gate: "request", outcome: "denied" })).toBe(1);
    expect(total("countersign_notices_total", { channel: "outbox", state: "sent" })).toBe(1);
  });

  test("open requests, by what they wait for, and no longer once they have ended", async () => {
    const waiting = sample({ server: "request-gate" });
    await once("countersign_open_requests", { state: "waiting" }, 1);
    await decide("request", "approve");
    await answerOf(waiting);
    await once("countersign_open_requests", { state: "waiting" }, 0);
  });

  test("how much of budgets is used, without whose part it is", async () => {
    await createKey({ name: "ci", owner: "Grace Hopper" });
    const { key } = await createKey({ name: "desk", owner: "Ada Lovelace" });
    await configure("budgets", {
      budgets: {
        team: { of: "everything", per: "month", usd: 0.001 },
        each: { of: { owner: "*" }, per: "day", tokens: 1000 },
        none: { of: { server: "nobody" }, per: "day", usd: 0 },
      },
    });
    await answerOf(sample({}, { key }));
    const found = await eventually("the use of a budget", async () => {
      const now = await read();
      // Each budget has an object of its own, which hears of it by itself.
      const used = (of: Record<string, string>): boolean => valueOf(now, "countersign_budget_used_ratio", of) > 0;
      const isKnown = used({ budget: "team", unit: "usd", per: "month" }) && used({ budget: "each", unit: "tokens", per: "day" });
      return isKnown ? now : null;
    });
    expect(valueOf(found, "countersign_budget_used_ratio", { budget: "team", unit: "usd", per: "month" })).toBeCloseTo(0.022, 5);
    // Of several parts the one that has used most: Ada's, and not Grace's.
    expect(valueOf(found, "countersign_budget_used_ratio", { budget: "each", unit: "tokens", per: "day" })).toBeCloseTo(0.017, 5);
    // A budget of nothing is used up.
    expect(valueOf(found, "countersign_budget_parts_used_up", { budget: "none", unit: "usd", per: "day" })).toBe(1);
    expect(valueOf(found, "countersign_budget_parts_used_up", { budget: "team", unit: "usd", per: "month" })).toBe(0);
    expect(await scrape()).not.toContain("Grace");
  });

  test("holds no prompt, reply, reason, key, session or person", async () => {
    await configure("policy", { ...policy, reviewers: { everyone: [{ name: "Ada Lovelace" }] } });
    const denied = sample({ server: "request-gate", session: "session-of-somebody" });
    await decide("request", "deny", undefined, (fields) => fields.set("reason", reasonMarker));
    await errorOf(denied);
    await answerOf(sample({ server: "open-of-a-made-up-name" }));
    await once("countersign_requests_total", { endpoint: "sampling", outcome: "completed" }, 1);
    const text = await scrape();
    for (const secret of [
      promptMarker,
      replyMarker,
      reasonMarker,
      devKey,
      adminToken,
      "Ada",
      "Lovelace",
      "session-of-somebody",
      "made-up-name",
      "summarize",
    ])
      expect(text).not.toContain(secret);
  });
});

describe("counters", () => {
  const counted = (found: ReadonlyMap<string, ReadFamily>): Map<string, number> =>
    new Map(
      [...found].flatMap(([, { type, samples }]) =>
        type === "gauge" ? [] : samples.map(({ name, labels, value }) => [name + JSON.stringify(labels), value] as const),
      ),
    );
  const expectNoneLess = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): void =>
    expect([...before].filter(([series, value]) => (after.get(series) ?? -1) < value)).toEqual([]);

  test("never decrease: not by a reset of every object, and not when the record is cleaned up", async () => {
    for (let index = 0; index < 5; index += 1) await answerOf(sample({ originating: index }));
    await errorOf(sample({ server: "refused" }));
    // Both, for the record is written behind: what came between the two alarms would be left over.
    await once("countersign_requests_total", { endpoint: "sampling", outcome: "refused" }, 1);
    const before = counted(await once("countersign_requests_total", { endpoint: "sampling", outcome: "completed" }, 5));
    await crash();
    const reset = counted(await read());
    expectNoneLess(before, reset);
    // The first time the bundles are filled, the second time they are old.
    for (let times = 0; times < 2; times += 1) {
      later(401 * 24 * 3_600_000);
      for (let shard = 0; shard < ledgerShards; shard += 1) await ringAlarm(ledgerStub(env, shard) as DurableObjectStub);
    }
    let rows = 0;
    for (let shard = 0; shard < ledgerShards; shard += 1)
      rows += await runInDurableObject(asObject<LedgerObject>(ledgerStub(env, shard) as DurableObjectStub), (_, { storage }) =>
        Number(storage.sql.exec("SELECT COUNT(*) AS n FROM log_batch").one()["n"]),
      );
    expect(rows).toBe(0);
    expectNoneLess(reset, counted(await read()));
    await answerOf(sample());
    await once("countersign_requests_total", { endpoint: "sampling", outcome: "completed" }, 6);
  });

  test("count an event once, however often it is appended and metrics are read", async () => {
    const answer = await answerOf(sample());
    await once("countersign_requests_total", { endpoint: "sampling", outcome: "completed" }, 1);
    expect(answer.result).toBeDefined();
    for (let shard = 0; shard < ledgerShards; shard += 1) {
      const stub = ledgerStub(env, shard);
      await stub.append(jsonOf([{ events: readJsonOf(await stub.entries(0)).events, summary: null }]));
    }
    expect(valueOf(await read(), "countersign_requests_total", { endpoint: "sampling", outcome: "completed" })).toBe(1);
  });

  test("count a flood of refusals when its minute is over", async () => {
    const key = await createKey({ limits: { requestsPerMinute: 1 } });
    for (let index = 0; index < 30; index += 1) await errorOf(sample({ server: "refused" }, { key: key.key }));
    const all = async (): Promise<number> => {
      const found = await read();
      const samples = found.get("countersign_refusals_total")?.samples ?? [];
      return samples.reduce((sum, { value }) => sum + value, 0);
    };
    await eventually("those that are written one by one", async () => (await all()) >= 20);
    later(120_000);
    await eventually("all of them", async () => (await all()) === 30);
  });

  test("are not served without one of their parts: they would seem to begin anew", async () => {
    vi.spyOn(LedgerObject.prototype, "metrics").mockImplementationOnce(() => {
      throw new Error("a shard that fails");
    });
    expect((await gateway("/metrics", { key: adminToken })).status).toBe(503);
    expect((await gateway("/metrics", { key: adminToken })).status).toBe(200);
  });
});

describe("who may read them", () => {
  test("the metrics token, which opens nothing else", async () => {
    const variables = { METRICS_TOKEN: metricsToken };
    expect((await gatewayWith(variables, "/metrics", { key: metricsToken })).status).toBe(200);
    expect((await gatewayWith(variables, "/metrics", { key: adminToken })).status).toBe(200);
    for (const path of ["/admin/runs", "/admin/policy", "/admin/record", "/admin/notices", "/runs/run_x"])
      expect([path, (await gatewayWith(variables, path, { key: metricsToken })).status]).toEqual([path, 401]);
    expect(
      (
        await gatewayWith(variables, "/sampling", {
          method: "POST",
          body: "{}",
          key: metricsToken,
          headers: { "Content-Type": "application/json" },
        })
      ).status,
    ).toBe(401);
  });

  test.each([
    ["nobody", null],
    ["an API key", devKey],
    ["a wrong token", "metrics-token-of-nobody-0123456789"],
    ["a token that is not configured", metricsToken],
  ])("not %s", async (_, key) => {
    const response = await gateway("/metrics", { key });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
    expect(await response.text()).not.toContain("countersign_");
  });

  test("not a metrics token that is too short: health says so", async () => {
    const variables = { METRICS_TOKEN: "short" };
    expect((await gatewayWith(variables, "/metrics", { key: "short" })).status).toBe(401);
    const { problems } = await (await gatewayWith(variables, "/healthz")).json<{ problems: string[] }>();
    expect(problems.join()).toContain("METRICS_TOKEN is shorter than 16 characters");
  });
});

// What fails now: a provider's failures and its recovery, as the operator's API, health and the
// console say them.

import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { ledgerShards, ledgerStub } from "../../../workers/stubs/stubs.ts";
import { adminJson, answerOf, env, eventually, gateway, model, openNotice, sample, travel } from "../support/gateway.ts";
import { decide } from "../support/reviewer.ts";

type Line = {
  readonly name: string;
  readonly provider: string | null;
  readonly isFailing: boolean;
  readonly now: { readonly count: number; readonly failed: number };
  readonly hour: { readonly count: number; readonly failed: number };
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastFailedAt: string | null;
};
type Outcomes = {
  readonly isPartial: boolean;
  readonly providers: readonly Line[];
  readonly models: readonly Line[];
  readonly servers: readonly Line[];
  readonly reviews: object;
};

const outcomes = (): Promise<Outcomes> => adminJson<Outcomes>("/outcomes");
const minuteMs = 60_000;

test("a provider that fails is said to fail now, by provider, model and server, until it does not", async () => {
  // Five minutes without the turn of one, whatever the time.
  travel(minuteMs - (Date.now() % minuteMs));
  // Three calls of each model for each request.
  model.script(...Array.from({ length: 12 }, () => ({ status: 500, message: "down" })));
  await answerOf(sample({ server: "open" }));
  await answerOf(sample({ server: "open" }));
  const failing = await eventually("both failures", async () => {
    const all = await outcomes();
    return all.servers.some(({ hour }) => hour.failed === 2) ? all : null;
  });
  expect(failing.isPartial).toBe(false);
  const [provider] = failing.providers;
  expect(provider).toMatchObject({ name: "scripted", provider: null, isFailing: true, p50Ms: null, p95Ms: null });
  expect(provider?.now.failed).toBe(provider?.now.count);
  expect(failing.models.map(({ name, provider: of, isFailing }) => [name, of, isFailing])).toContainEqual(["first", "scripted", true]);
  expect(failing.servers).toMatchObject([{ name: "open", provider: null, now: { count: 2, failed: 2 } }]);
  const { status, problems } = await (await gateway("/healthz")).json<{ status: string; problems: string[] }>();
  expect(status).toBe("degraded");
  expect(problems.join()).toMatch(/1 provider fails now/);
  expect(problems.join()).not.toContain("scripted");

  // In memory alone: an object that woke reads its log.
  for (let shard = 0; shard < ledgerShards; shard += 1) await evictDurableObject(ledgerStub(env, shard));
  expect(await outcomes()).toMatchObject({ providers: failing.providers, models: failing.models, servers: failing.servers });

  travel(5 * minuteMs);
  await answerOf(sample({ server: "open" }));
  const well = await eventually("the answer", async () => {
    const all = await outcomes();
    return all.servers.some(({ hour }) => hour.count === 3) ? all : null;
  });
  expect(well.providers).toMatchObject([{ name: "scripted", isFailing: false, now: { count: 1, failed: 0 } }]);
  expect(well.providers[0]?.hour.failed).toBe(provider?.hour.failed);
  expect(well.providers[0]?.p50Ms).toEqual(expect.any(Number));
  expect((await (await gateway("/healthz")).json<{ problems: string[] }>()).problems.join()).not.toContain("provider fails");
});

test("what people deny is no failure of its server, and a call that is counted once stays one", async () => {
  const denied = sample({ server: "request-gate" });
  await openNotice("request");
  await decide("request", "deny");
  await answerOf(denied);
  const all = await eventually("its line", async () => {
    const some = await outcomes();
    return some.servers.length > 0 ? some : null;
  });
  expect(all.servers).toMatchObject([{ name: "request-gate", isFailing: false, hour: { count: 1, failed: 0 } }]);
  expect(all.reviews).toEqual({ expired: { now: 0, hour: 0 }, undeliverable: { now: 0, hour: 0 } });
  for (let shard = 0; shard < ledgerShards; shard += 1) await evictDurableObject(ledgerStub(env, shard));
  expect((await outcomes()).servers).toEqual(all.servers);
});

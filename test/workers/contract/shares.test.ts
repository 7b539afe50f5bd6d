// A busy key: the Worker admits its requests from a share of its limits, and the limits and a
// revocation are as exact as without.

import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { defaultLimits, emptyKeyState } from "../../../shared/policy/limits.ts";
import { KeyObject } from "../../../workers/objects/key/key-object.ts";
import { keyStub } from "../../../workers/stubs/stubs.ts";
import { crash } from "../objects/inside.ts";
import { HeldModels } from "../support/held-models.ts";
import { answerOf, createKey, env, errorOf, eventually, gateway, model, openNotice, sample } from "../support/gateway.ts";
import { decide } from "../support/reviewer.ts";

afterEach(() => vi.restoreAllMocks());

const statuses = async (key: string, count: number): Promise<number[]> => {
  const seen: number[] = [];
  for (let i = 0; i < count; i += 1) seen.push((await sample({}, { key })).status);
  return seen;
};

/** What the object has written: within a second of a change. */
const written = ({ id }: { readonly id: string }) =>
  runInDurableObject(keyStub(env, id), async (_, state) => (await state.storage.get<typeof emptyKeyState>("state")) ?? emptyKeyState);

/** The clock stands still: a slow machine earns nothing meanwhile, and gives no share back. */
const stopClock = (): void => void vi.spyOn(Date, "now").mockReturnValue(Date.now());

test("its object is asked for few of its requests", async () => {
  const { key } = await createKey({ limits: { roundsPerOriginatingRequest: 1_000, requestsPerMinute: 1_000, concurrent: 100 } });
  stopClock();
  const admit = vi.spyOn(KeyObject.prototype, "admit");
  expect(await statuses(key, 40)).toEqual(Array.from({ length: 40 }, () => 200));
  // The first, and those that bring shares.
  expect(admit.mock.calls.length).toBeLessThan(20);
  expect(model.calls).toHaveLength(40);
});

test("as many requests are admitted as its limit says, and the next is refused", async () => {
  const { key } = await createKey({ limits: { roundsPerOriginatingRequest: 1_000, requestsPerMinute: 30 } });
  stopClock();
  const seen = await statuses(key, 40);
  expect(seen.filter((status) => status === 200)).toHaveLength(30);
  expect(await errorOf(await sample({}, { key }))).toMatchObject({ code: -32013, data: { limit: "requestsPerMinute", max: 30 } });
});

test("no more run at once than its limit says, those of a share and those of its object together", async () => {
  const { key } = await createKey({ limits: { roundsPerOriginatingRequest: 1_000, requestsPerMinute: 1_000, concurrent: 8 } });
  await statuses(key, 3);
  const models = new HeldModels();
  const running = Array.from({ length: 8 }, () => sample({}, { key }));
  await models.came(8);
  expect(await errorOf(await sample({}, { key }))).toMatchObject({ code: -32013, data: { limit: "concurrent", max: 8 } });
  models.end();
  for (const each of running) expect(await answerOf(each)).toHaveProperty("result");
  expect((await sample({}, { key })).status).toBe(200);
});

test("what is left of a share is given back when no request follows", async () => {
  const made = await createKey({ limits: { roundsPerOriginatingRequest: 1_000, requestsPerMinute: 1_000, concurrent: 100 } });
  await statuses(made.key, 5);
  await eventually("no share", async () => {
    const { shares, leases, bucket } = await written(made);
    return bucket !== null && shares.length === 0 && leases.length === 0;
  });
  const { bucket } = await written(made);
  expect(bucket?.credit).toBeGreaterThanOrEqual((1_000 - 5) * 60_000);
});

test("a run that ended holds no place of its key, also where the key's object is reset at the same moment", async () => {
  const made = await createKey({ limits: { roundsPerOriginatingRequest: 1_000, requestsPerMinute: 1_000, concurrent: 1 } });
  const limits = { ...defaultLimits, concurrent: 1 };
  const given = { limits, leaseMs: 600_000, session: null, identical: "", released: [], reports: [], shareFor: null };
  const admit = async (run: string) => (await keyStub(env, made.id).admit({ ...given, run })).kind;
  expect(await admit("first")).toBe("admitted");
  await keyStub(env, made.id).beginRun("first", "digest", null, 600_000);
  await eventually("its lease", async () => (await written(made)).leases.length === 1);
  await keyStub(env, made.id).endRun("first", "digest", null);
  await crash();
  expect(await admit("second")).toBe("admitted");
});

test("a request whose run has not begun holds a place for less than a minute; its run for as long as people may take", async () => {
  const made = await createKey();
  const admit = vi.spyOn(KeyObject.prototype, "admit");
  const answer = sample({ server: "request-gate" }, { key: made.key });
  await openNotice("request");
  expect(admit.mock.calls.map(([{ leaseMs }]) => leaseMs < 60_000)).toEqual([true]);
  await eventually("its lease", async () => (await written(made)).leases.some(({ expiresAt }) => expiresAt > Date.now() + 600_000));
  await decide("request", "deny");
  await answer;
  await eventually("its end", async () => (await written(made)).leases.length === 0);
});

test("a revocation ends when nothing can be admitted from a share any more", async () => {
  const made = await createKey({ limits: { roundsPerOriginatingRequest: 1_000, requestsPerMinute: 1_000, concurrent: 100 } });
  expect(await statuses(made.key, 5)).not.toContain(401);
  // As at another place on earth, which tells neither this isolate nor KV.
  await keyStub(env, made.id).revoke();
  expect(await statuses(made.key, 3)).toEqual([401, 401, 401]);
});

const asking = async (key: string, count: number): Promise<number[]> => {
  const seen: number[] = [];
  for (let i = 0; i < count; i += 1) seen.push((await gateway("/runs/none", { key })).status);
  return seen;
};

test("its object is asked for few of its messages that ask no model", async () => {
  const { key } = await createKey({ limits: { callsPerMinute: 1_000 } });
  stopClock();
  const count = vi.spyOn(KeyObject.prototype, "count");
  expect(new Set(await asking(key, 60))).toEqual(new Set([404]));
  expect(count.mock.calls.length).toBeLessThan(20);
});

test("as many messages are counted as its limit says, and the next is refused", async () => {
  const { key } = await createKey({ limits: { callsPerMinute: 60 } });
  stopClock();
  expect((await asking(key, 80)).filter((status) => status === 404)).toHaveLength(60);
  expect(await (await gateway("/runs/none", { key })).json()).toMatchObject({ error: { data: { limit: "callsPerMinute", max: 60 } } });
});

test("a revocation ends when no message can be counted from a share any more", async () => {
  const made = await createKey({ limits: { callsPerMinute: 1_000 } });
  expect(await asking(made.key, 20)).not.toContain(401);
  await keyStub(env, made.id).revoke();
  expect(await asking(made.key, 3)).toEqual([401, 401, 401]);
});

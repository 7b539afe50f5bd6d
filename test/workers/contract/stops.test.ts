// The kill switch: once it has answered nothing is sent for what is stopped, in whatever phase a
// request is; and it is taken back.

import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { StopObject } from "../../../workers/objects/stop-object.ts";
import { stopStub } from "../../../workers/stubs/stubs.ts";
import { asObject, crash, ringAlarm } from "../objects/inside.ts";
import { replyMarker } from "../support/logs.ts";
import { HeldModels } from "../support/held-models.ts";
import { decide } from "../support/reviewer.ts";
import { recordLines } from "../support/record.ts";
import {
  admin,
  adminJson,
  answerOf,
  createKey,
  env,
  errorOf,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  type KeyAnswer,
  model,
  openNotice,
  runOf,
  sample,
  samplingMessage,
  travel,
} from "../support/gateway.ts";

const limits = { roundsPerOriginatingRequest: 10_000, requestsPerMinute: 10_000, concurrent: 2_000 };
let made: KeyAnswer;
let key: string;
let tests = 0;
beforeEach(async () => {
  // Later than the test before: what this isolate was told in it counts no longer.
  tests += 1;
  travel(tests * 60_000);
  made = await createKey({ limits });
  ({ key } = made);
});

const stop = async (path: string): Promise<void> => {
  const answer = await admin(`/stops/${path}`, { method: "PUT" });
  expect(answer.status).toBe(204);
};
const resume = async (path: string): Promise<void> => {
  expect((await admin(`/stops/${path}`, { method: "DELETE" })).status).toBe(204);
};
/** The object's alarm, as the platform rings it. */
const ring = (): Promise<boolean> => ringAlarm(asObject(stopStub(env, 0)));

describe.each([
  ["everything", (): string => "everything", "everything"],
  ["its server", (): string => "servers/open", "server"],
  ["its key", (): string => `keys/${made.id}`, "key"],
] as const)("with a stop of %s", (_, path, scope) => {
  test("a request is refused, says why, and nothing is sent; afterwards it goes on", async () => {
    expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
    await stop(path());
    const { code, data, message } = await errorOf(sample({ id: "later" }, { key }));
    expect([code, data]).toEqual([-1, { outcome: "refused", stopped: scope }]);
    expect(message).toContain("stopped by an operator");
    expect(model.calls).toHaveLength(1);
    await resume(path());
    travel(2_000);
    expect(await answerOf(sample({ id: "later" }, { key }))).toHaveProperty("result");
  });
});

test.each(["servers/other", "keys/dev"])("a stop of %s is for nothing else", async (path) => {
  await stop(path);
  expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
});

describe("a stop of a key", () => {
  type Refused = { readonly error: string; readonly keys: readonly { readonly id: string; readonly name: string }[] };
  const putStop = (name: string): Promise<Response> => admin(`/stops/keys/${encodeURIComponent(name)}`, { method: "PUT" });
  const stops = async (): Promise<unknown[]> => (await adminJson<{ stops: unknown[] }>("/stops")).stops;

  test("that there is not stops nothing, and says which there are", async () => {
    for (const name of ["key_other", "a key", made.id.toUpperCase(), "__proto__", made.key]) {
      const answer = await putStop(name);
      const { error, keys } = await answer.json<Refused>();
      expect([name, answer.status, error]).toEqual([name, 404, expect.stringContaining("Nothing was changed")]);
      expect(keys).toContainEqual({ id: made.id, name: made.name });
      expect(keys).toContainEqual({ id: "key_dev", name: "dev" });
      expect(JSON.stringify([error, keys])).not.toContain(made.key);
    }
    expect(await stops()).toEqual([]);
    expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
  });

  test("by its name stops it, where no other key has the name; and resumes it", async () => {
    const named = await createKey({ name: "the only one", limits });
    expect((await putStop("the only one")).status).toBe(204);
    expect(await stops()).toMatchObject([{ scope: "key", key: named.id }]);
    expect((await errorOf(sample({}, { key: named.key }))).code).toBe(-1);
    expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
    await resume(`keys/${encodeURIComponent("the only one")}`);
    expect(await stops()).toEqual([]);
  });

  test("by a name that several have stops none, and says which", async () => {
    const two = [await createKey({ name: "twice", limits }), await createKey({ name: "twice", limits })];
    const answer = await putStop("twice");
    expect(answer.status).toBe(409);
    const { keys } = await answer.json<Refused>();
    expect(keys.map(({ id }) => id).toSorted()).toEqual(two.map(({ id }) => id).toSorted());
    expect(await stops()).toEqual([]);
  });

  test("that was revoked meanwhile is still taken back", async () => {
    await stop(`keys/${made.id}`);
    expect((await admin(`/keys/${made.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await putStop(made.id)).status).toBe(404);
    await resume(`keys/${made.id}`);
    expect(await stops()).toEqual([]);
  });
});

test("nobody is asked for what is stopped", async () => {
  await stop("servers/request-gate");
  expect(await errorOf(sample({ server: "request-gate" }, { key }))).toMatchObject({ code: -1, data: { stopped: "server" } });
  expect((await adminJson<{ notices: unknown[] }>("/notices")).notices).toEqual([]);
});

test("open reviews are withdrawn, and say so; nothing of them is sent", async () => {
  const answer = sample({ server: "request-gate" }, { key });
  const { run } = await openNotice("request");
  await stop("everything");
  await ring();
  expect(await errorOf(answer)).toMatchObject({ code: -32800, data: { outcome: "cancelled" } });
  expect((await runOf(run, key)).state).toBe("cancelled");
  expect(model.calls).toHaveLength(0);
  const { cause } = await adminJson<{ cause: string }>(`/runs/${run}`);
  expect(cause).toBe("An operator stopped it; to let new requests through, resume it at /admin/stops.");
});

test("a decision that comes after the stop, before the review is withdrawn, sends nothing", async () => {
  const answer = sample({ server: "request-gate" }, { key });
  const { run } = await openNotice("request");
  await stop("servers/request-gate");
  await decide("request", "approve", run).catch(() => {});
  expect((await errorOf(answer)).code).not.toBe(-32011);
  expect(model.calls).toHaveLength(0);
});

describe("in every phase of a request", () => {
  test("a reply that waits for its review is not delivered", async () => {
    const answer = sample({ server: "response-gate" }, { key });
    const { run } = await openNotice("response");
    await stop("keys/" + made.id);
    await ring();
    expect((await errorOf(answer)).code).toBe(-32800);
    expect((await runOf(run, key)).state).toBe("cancelled");
    expect(JSON.stringify(await runOf(run, key))).not.toContain(replyMarker);
  });

  test("a task that waits ends as cancelled", async () => {
    const { result } = await answerOf(sample({ server: "request-gate", params: { task: { ttl: 60_000 } } }, { key }));
    const { taskId = "" } = (result?.["task"] ?? {}) as { taskId?: string };
    await openNotice("request", taskId);
    await stop("servers/request-gate");
    await ring();
    expect((await runOf(taskId, key)).status).toBe("cancelled");
    expect(model.calls).toHaveLength(0);
  });

  test("a retry after a provider's error is not made", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    model.script({ until: promise, step: { status: 503, message: "overloaded" } });
    const answer = sample({}, { key });
    await eventually("the first attempt", async () => model.calls.length === 1);
    await stop("everything");
    resolve();
    const { code, data } = await errorOf(answer);
    expect(code).toBe(-32011);
    expect(data?.["attempts"]).toMatchObject([{ fault: "overloaded" }, { fault: "stopped" }]);
    expect(model.calls).toHaveLength(1);
  });

  test("a repeat of what was answered before gets its answer: nothing is sent", async () => {
    const first = await answerOf(sample({ id: "same" }, { key }));
    await stop("everything");
    expect(await answerOf(sample({ id: "same" }, { key }))).toEqual(first);
    expect(model.calls).toHaveLength(1);
  });
});

test("under load: no call begins after it answered, and those under way go on", async () => {
  const models = new HeldModels();
  const answers = Array.from({ length: 60 }, () => sample({}, { key }));
  await models.came(1);
  const stopping = stop("everything");
  answers.push(...Array.from({ length: 60 }, () => sample({}, { key })));
  await stopping;
  const begun = models.asked.length;
  answers.push(...Array.from({ length: 60 }, () => sample({}, { key })));
  models.end();
  const seen = await Promise.all(answers.map(answerOf));
  expect(models.asked).toHaveLength(begun);
  expect(seen.filter(({ result }) => result !== undefined)).toHaveLength(begun);
  for (const { error } of seen) if (error !== undefined) expect(error.data).toEqual({ outcome: "refused", stopped: "everything" });
});

test("a stop outlives a reset of every object", async () => {
  await stop("everything");
  await crash();
  travel(2_000);
  expect((await errorOf(sample({}, { key }))).code).toBe(-1);
});

test("a run that begins before the stop is known everywhere is found by a later look", async () => {
  await stop("everything");
  await ring();
  // An isolate that still goes by what it was told would open this one; here the stop is taken back
  // for a moment to the same end.
  await Promise.all(Array.from({ length: 4 }, (_, shard) => stopStub(env, shard).resume({ scope: "everything" })));
  travel(2_000);
  // What it says, not the response alone: that may begin long before it ends.
  const answer = errorOf(sample({ server: "request-gate" }, { key }));
  await openNotice("request");
  const by = { kind: "adminToken", fingerprint: "0123456789ab" } as const;
  await Promise.all(Array.from({ length: 4 }, (_, shard) => stopStub(env, shard).stop({ scope: "everything" }, shard === 0 ? by : null)));
  await eventually("cancelled", async () => {
    await ring();
    return (await Promise.race([answer, Promise.resolve(null)])) !== null;
  });
  expect((await answer).code).toBe(-32800);
});

test("a stop that was taken back withdraws nothing any more", async () => {
  await stop("everything");
  await ring();
  await resume("everything");
  travel(2_000);
  const answer = sample({ server: "request-gate" }, { key });
  const { run } = await openNotice("request");
  await ring();
  expect((await runOf(run, key)).state).not.toBe("cancelled");
  await decide("request", "approve", run);
  expect(await answerOf(answer)).toHaveProperty("result");
});

test("a thousand stops are kept at most; everything can be stopped all the same", async () => {
  const of = (at: number) => ({ scope: "server", server: `server-${at}` }) as const;
  await runInDurableObject(asObject<StopObject>(stopStub(env, 0)), (stops) => {
    for (let at = 0; at < 1_000; at += 1) expect(stops.stop(of(at), null)).toBe(true);
    expect([stops.stop(of(1_000), null), stops.stop(of(0), null), stops.list().length]).toEqual([false, true, 1_000]);
  });
  const refused = await admin("/stops/servers/one-more", { method: "PUT" });
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("stop everything, or take some back")]);
  await stop("everything");
  expect((await errorOf(sample({}, { key }))).data).toEqual({ outcome: "refused", stopped: "everything" });
});

test("where the stops cannot be read nothing is sent", async () => {
  const failing = new Proxy(env.STOP, { get: () => () => ({ stops: () => Promise.reject(new Error("no")) }) });
  const answer = await gatewayWith({ STOP: failing }, "/sampling", { ...jsonBody("POST", samplingMessage()), key });
  expect(await errorOf(answer)).toMatchObject({ code: -32011, data: { attempts: [{ fault: "stopped", detail: "unverified" }] } });
  expect(model.calls).toHaveLength(0);
});

test("stops are listed, are in the record with who made them, and only an operator makes them", async () => {
  await stop("servers/a%20b");
  await stop("everything");
  await resume("everything");
  expect(await adminJson("/stops")).toEqual({ stops: [{ scope: "server", server: "a b", at: expect.any(String) }] });
  const facts = (await recordLines({})).map(({ fact }) => fact).filter(({ kind }) => kind === "stopped" || kind === "resumed");
  expect(facts).toMatchObject([
    { kind: "stopped", scope: "server", of: "a b", by: { kind: "adminToken" } },
    { kind: "stopped", scope: "everything", of: null },
    { kind: "resumed", scope: "everything", of: null },
  ]);
  expect((await gateway("/admin/stops/everything", { method: "PUT", key })).status).toBe(401);
  expect((await admin("/stops/everything", { method: "DELETE" })).status).toBe(404);
});

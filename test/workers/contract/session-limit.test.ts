// How many sessions a key may have at once: exact, whatever comes together or is lost on the way.

import { beforeEach, describe, expect, test, vi } from "vitest";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { KeyObject } from "../../../workers/objects/key/key-object.ts";
import { SessionObject } from "../../../workers/objects/session/session-object.ts";
import { keyStub, sessionStub } from "../../../workers/stubs/stubs.ts";
import { control, gates, textEnvelope } from "../support/control.ts";
import { answerOf, createKey, env, errorOf, eventually, gateway, model, sample } from "../support/gateway.ts";
import { crash, later, ringAlarm, tablesOf } from "../objects/inside.ts";

const hour = 3_600_000;
const limits = { requestsPerMinute: 1_000, concurrent: 100, sessions: 3 };
const limitsOf = { ...defaultLimits, ...limits };
const overLimit = { code: -32013, data: { limit: "sessions", max: 3, retryAfterMs: 60_000 } };

let key = { id: "", key: "" };
beforeEach(async () => {
  key = await createKey({ limits });
});

const sampleIn = (session: string, more: object = {}): Promise<Response> => sample({ session, ...more }, key);
const end = (session: string): Promise<Response> => gateway(`/sessions/${session}`, { method: "DELETE", key: key.key });
const statuses = async (sessions: readonly string[]): Promise<number[]> => {
  const responses = await Promise.all(sessions.map((session) => sampleIn(session)));
  return responses.map(({ status }) => status).toSorted();
};
const counted = async (): Promise<number | undefined> =>
  (await tablesOf(keyStub(env, key.id) as DurableObjectStub))["live_session"]?.length;
/** The check of every session that may have been due by now. */
const checked = (): Promise<boolean> => ringAlarm(keyStub(env, key.id));
const names = (count: number, prefix = "s"): string[] => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

describe("a session over the limit", () => {
  test("is refused with what to do, nothing is kept of it, and those that have begun go on", async () => {
    for (const session of names(3)) expect(await answerOf(sampleIn(session))).toHaveProperty("result");
    const response = await sampleIn("one-more");
    expect([response.status, response.headers.get("Retry-After")]).toEqual([429, "60"]);
    const refusal = await errorOf(response);
    expect(refusal).toMatchObject(overLimit);
    expect(refusal.message).toContain("DELETE /sessions/{session}");
    expect(await tablesOf(sessionStub(env, key.id, "one-more") as DurableObjectStub)).toEqual({});
    for (const session of names(3)) expect((await sampleIn(session)).status).toBe(200);
    expect(model.calls).toHaveLength(6);
  });

  test("is refused, of a flood of made-up ones, all but three", async () => {
    for (const flood of ["a", "b", "c"])
      expect(await statuses(names(20, flood))).toEqual(Array.from({ length: 20 }, (_, n) => (flood === "a" && n < 3 ? 200 : 429)));
    expect(await counted()).toBe(3);
    const begun = await Promise.all(names(20, "a").map((name) => sessionStub(env, key.id, name).isAlive()));
    expect(begun.filter(Boolean)).toHaveLength(3);
  });

  test("is refused after a crash of everything too", async () => {
    expect(await statuses(names(3))).toEqual([200, 200, 200]);
    await crash();
    expect(await statuses(names(5))).toEqual([200, 200, 200, 429, 429]);
  });

  test("is refused at the control endpoint where it is named; a request without one is not", async () => {
    await gates();
    await statuses(names(3));
    const controlled = await control(textEnvelope({}, { request_id: "r1", context: { session_id: "chat" } }), { key: key.key });
    expect(controlled.status).toBe(429);
    expect((await control(textEnvelope({}, { request_id: "r2" }), { key: key.key })).status).toBe(200);
    // The refused one left its id free.
    expect((await control(textEnvelope({ max_tokens: 7 }, { request_id: "r1" }), { key: key.key })).status).toBe(200);
  });
});

test("twenty requests of one new session are one session", async () => {
  const requests = Array.from({ length: 20 }, (_, n) => sampleIn("only", { id: `r-${n}`, originating: n }));
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await counted()).toBe(1);
});

test("the place of a session that was ended is free at once; its name stays ended", async () => {
  await statuses(names(3));
  expect((await end("s-1")).status).toBe(204);
  expect(await statuses(["new-1", "new-2"])).toEqual([200, 429]);
  expect((await errorOf(sampleIn("s-1"))).data).toEqual({ reason: "sessionEnded" });
  expect(await counted()).toBe(3);
});

test("an end that the key does not hear of makes room when it looks", async () => {
  await statuses(names(3));
  vi.spyOn(KeyObject.prototype, "sessionEnded").mockImplementation(() => {});
  await end("s-1");
  expect((await sampleIn("new")).status).toBe(429);
  later(12 * hour);
  await checked();
  expect(await statuses(["new", "another"])).toEqual([200, 429]);
});

test("the place of a session that is used no more is free after two days; those that are used keep theirs", async () => {
  await statuses(names(3));
  // They are told behind how their requests ended, and keep what they know of others for longer.
  for (const session of names(3))
    await eventually("the end of a request", async () => {
      const { sampling = [] } = await tablesOf(sessionStub(env, key.id, session) as DurableObjectStub);
      return sampling.length > 0 && sampling.every(({ settled_at }) => settled_at !== null);
    });
  for (let passed = 0; passed < 60; passed += 12) {
    later(12 * hour);
    expect(await answerOf(sampleIn("s-0", { id: passed, originating: passed }))).toHaveProperty("result");
    for (const session of names(3)) await ringAlarm(sessionStub(env, key.id, session) as DurableObjectStub);
    await checked();
  }
  expect(await counted()).toBe(1);
  expect(await statuses(["s-0", "new-1", "new-2", "new-3"])).toEqual([200, 200, 200, 429]);
});

test("a place for a session that never began is free two minutes later", async () => {
  const { associate } = SessionObject.prototype;
  const spy = vi.spyOn(SessionObject.prototype, "associate").mockImplementation(() => {
    throw new Error("the object is gone");
  });
  expect(await statuses(names(3))).toEqual([500, 500, 500]);
  spy.mockImplementation(associate);
  expect((await sampleIn("new")).status).toBe(429);
  later(120_000);
  await checked();
  expect(await statuses(["new", ...names(3)])).toEqual([200, 200, 200, 429]);
});

test("a session that cannot be asked keeps its place", async () => {
  await statuses(names(3));
  vi.spyOn(SessionObject.prototype, "isAlive").mockImplementation(() => {
    throw new Error("the object is gone");
  });
  later(120_000);
  await checked();
  expect((await sampleIn("new")).status).toBe(429);
});

test("a session that is asked for while it is checked keeps its place", async () => {
  await keyStub(env, key.id).beginSession(sessionStub(env, key.id, "slow").id.toString(), { ...limitsOf, sessions: 1 });
  later(120_000);
  vi.spyOn(SessionObject.prototype, "isAlive").mockImplementationOnce(async function (this: SessionObject) {
    await keyStub(env, key.id).beginSession(sessionStub(env, key.id, "slow").id.toString(), { ...limitsOf, sessions: 1 });
    return false;
  } as never);
  await checked();
  expect(await counted()).toBe(1);
});

// Repeats: the same key, session, originating request, JSON-RPC id and params are one request,
// asked once and paid once.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { sessionStub } from "../../../workers/stubs/stubs.ts";
import { devKeyId } from "../../../workers/stores/keys.ts";
import {
  type RpcAnswer,
  answerOf,
  createKey,
  env,
  errorOf,
  eventually,
  model,
  notices,
  openNotice,
  post,
  sample,
  samplingMessage,
  travel,
} from "../support/gateway.ts";
import { decide } from "../support/reviewer.ts";

const runOfAnswer = ({ result }: RpcAnswer): string | undefined => result?._meta?.["countersign/run"]?.id;

describe("on the fast path", () => {
  test("twenty at once reach the model once and get the one answer", async () => {
    const message = samplingMessage({ id: 1 });
    model.script({ until: new Promise((resolve) => setTimeout(resolve, 100)), step: {} });
    const answers = await Promise.all(Array.from({ length: 20 }, () => answerOf(post(message))));
    expect(model.calls).toHaveLength(1);
    expect(new Set(answers.map(runOfAnswer)).size).toBe(1);
    expect(runOfAnswer(answers[0] as RpcAnswer)).toMatch(/^run_/);
  });

  test("one that comes after the answer gets the kept one, for ten minutes", async () => {
    const first = await answerOf(sample({ id: 1 }));
    expect(await answerOf(sample({ id: 1 }))).toEqual(first);
    await eventually("the kept answer", () =>
      runInDurableObject(
        sessionStub(env, devKeyId, "sess-1"),
        (_, { storage }) => storage.sql.exec("SELECT 1 FROM sampling WHERE state = 'settled'").toArray().length > 0,
      ),
    );
    travel(9 * 60_000);
    expect(await answerOf(sample({ id: 1 }))).toEqual(first);
    expect(model.calls).toHaveLength(1);
  });

  test("an error is kept as an answer is", async () => {
    model.script({ status: 400, message: "no" });
    const first = await answerOf(sample({ id: 1 }));
    expect(first.error?.code).toBe(-32011);
    expect(await answerOf(sample({ id: 1 }))).toEqual(first);
    expect(model.calls).toHaveLength(1);
  });

  test("one whose first caller left gets the answer that was begun", async () => {
    let answerNow = (): void => {};
    model.script({ until: new Promise<void>((resolve) => (answerNow = resolve)), step: {} });
    const left = await sample({ id: 1 }, { headers: { Accept: "text/event-stream" } });
    await left.body?.cancel();
    const again = answerOf(sample({ id: 1 }));
    answerNow();
    expect(await again).toHaveProperty("result");
    expect(model.calls).toHaveLength(1);
  });
});

describe("on the durable path", () => {
  test("twenty at once ask one person once, reach the model once and get the one answer", async () => {
    const message = samplingMessage({ id: 1, server: "notes" });
    const answers = Array.from({ length: 20 }, () => answerOf(post(message)));
    await decide("request", "approve");
    await decide("response", "approve");
    expect(new Set((await Promise.all(answers)).map(runOfAnswer)).size).toBe(1);
    expect(model.calls).toHaveLength(1);
    expect((await notices()).map(({ gate }) => gate).sort()).toEqual(["request", "response"]);
  });

  test("one that comes after the end gets the very answer, a no as well as a yes", async () => {
    const first = answerOf(sample({ id: 1, server: "request-gate" }));
    await decide("request", "deny");
    expect(await answerOf(sample({ id: 1, server: "request-gate" }))).toEqual(await first);
    expect(await notices()).toHaveLength(1);
  });

  test("one that comes while it waits, after the first caller left, waits for the same run", async () => {
    const left = await sample({ id: 1, server: "request-gate" });
    const { run } = await openNotice("request");
    await left.body?.cancel();
    const again = answerOf(sample({ id: 1, server: "request-gate" }));
    await decide("request", "approve", run);
    expect(runOfAnswer(await again)).toBe(run);
    expect(await notices()).toHaveLength(1);
  });
});

describe.each(["open", "request-gate"])("for the server %s", (server) => {
  test("the same id with other params is -32600", async () => {
    const first = sample({ id: 1, server });
    if (server !== "open") await openNotice("request");
    else await first;
    const other = await sample({ id: 1, server, params: { maxTokens: 51 } });
    expect(other.status).toBe(200);
    expect(await errorOf(other)).toMatchObject({ code: -32600, message: expect.stringContaining("other params") });
    expect(await eventually("one call at most", async () => model.calls.length <= 1)).toBe(true);
  });

  test("progress token and task are no part of what was asked; the order of members is none either", async () => {
    const { params, ...message } = samplingMessage({ id: 1, server });
    const reordered = { ...message, params: Object.fromEntries(Object.entries(params).reverse()) };
    const first = answerOf(post({ ...message, params }));
    if (server !== "open") await openNotice("request");
    const again = answerOf(sample({ id: 1, server, meta: { progressToken: "p9" } }));
    const third = answerOf(post(reordered));
    if (server !== "open") await decide("request", "approve");
    const runs = (await Promise.all([first, again, third])).map(runOfAnswer);
    expect(new Set(runs).size).toBe(1);
    expect(runs[0]).toMatch(/^run_/);
    expect(model.calls).toHaveLength(1);
  });
});

test.each<[string, object, object]>([
  ["another JSON-RPC id", { id: 1 }, { id: 2 }],
  ["the id as a string", { id: 1 }, { id: "1" }],
  ["another originating request", { id: 1, originating: 7 }, { id: 1, originating: 8 }],
  ["the originating request's id as a string", { id: 1, originating: 7 }, { id: 1, originating: "7" }],
  ["another session", { id: 1, session: "sess-1" }, { id: 1, session: "sess-2" }],
  ["another server", { id: 1, server: "open" }, { id: 1, server: "open-too" }],
])("%s is another request", async (_name, first, second) => {
  const runs = [await answerOf(sample(first)), await answerOf(sample(second))].map(runOfAnswer);
  expect(new Set(runs).size).toBe(2);
  expect(model.calls).toHaveLength(2);
});

test("the same request of another key is another request", async () => {
  const other = await createKey();
  const runs = [await answerOf(sample({ id: 1 })), await answerOf(sample({ id: 1 }, { key: other.key }))].map(runOfAnswer);
  expect(new Set(runs).size).toBe(2);
  expect(model.calls).toHaveLength(2);
});

// A call whose server asked for input, in its object: one continuation for each round, whoever asks
// and whatever is lost; and nothing is left where its key is revoked.

import { beforeEach, describe, expect, test } from "vitest";
import { createCallStart } from "./call-start.ts";
import { jsonOf } from "../../../shared/json/json-of.ts";
import { callStub } from "../../../workers/stubs/stubs.ts";
import { promptMarker } from "../support/logs.ts";
import { admin, createKey, env, eventually, gatewayWith, model, notices, openNotice, travel } from "../support/gateway.ts";
import { type Upstream, configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { decide, press } from "../support/reviewer.ts";
import {
  type Said,
  StatelessClient,
  answerWith,
  continuations,
  formInput,
  responsesTo,
  roundOf,
  samplesOnce,
  samplingInput,
  textResult,
} from "../support/stateless.ts";
import { crash, everything, pause, ringNextAlarm, stubOf } from "./inside.ts";

const url = `${upstreamOrigin}/mcp`;
let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ open: { url, protocol: "2026" }, "request-gate": { url, protocol: "2026" } });
});

const soon = (server: string, key?: string): StatelessClient =>
  new StatelessClient(server, {
    send: (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init),
    ...(key === undefined ? {} : { key }),
  });

describe("sampling that a person does not let pass", () => {
  const methods: readonly (readonly [string, object])[] = [
    ["tools/call", { name: "summarize", arguments: {} }],
    ["prompts/get", { name: "summarize" }],
    ["resources/read", { uri: "test://a" }],
  ];
  const ends: Readonly<Record<string, () => Promise<unknown>>> = {
    denied: () => decide("request", "deny"),
    expired: async () => {
      const { run } = await openNotice("request");
      travel(601_000);
      await ringNextAlarm(stubOf(run));
    },
  };

  test.each(methods.flatMap(([method, params]) => Object.keys(ends).map((end) => [method, end, params] as const)))(
    "ends %s where it was %s: a tool with the sentence, others with -1",
    async (method, end, params) => {
      upstream.answer = samplesOnce();
      const client = soon("request-gate");
      const first = await client.says(method, params);
      await ends[end]?.();
      const said = await eventually("the end", async (): Promise<Said | null> => {
        const next = await client.says(method, { ...params, requestState: first.result?.requestState });
        return next.result?.requestState === undefined ? next : null;
      });
      if (method === "tools/call")
        expect(said.result).toEqual({
          resultType: "complete",
          isError: true,
          content: [{ type: "text", text: expect.stringMatching(end === "denied" ? /denied|rejected/i : /expired|in time/i) }],
        });
      else expect(said.error?.code).toBe(-1);
      expect([continuations(upstream.calls).length, model.calls.length]).toEqual([0, 0]);
      // Kept for whoever asks again.
      const again = await client.says(method, { ...params, requestState: first.result?.requestState });
      expect([again.result, again.error]).toEqual([said.result, said.error]);
    },
  );
});

describe("two requests that are the same", () => {
  test("share a call that waits: one review, one reply, one continuation, one result", async () => {
    upstream.answer = samplesOnce();
    const [one, other] = [soon("request-gate"), soon("request-gate")];
    const states = (await Promise.all([one.call(), other.call()])).map(({ result }) => result?.requestState);
    expect(await notices()).toHaveLength(1);
    await press((await openNotice("request")).link, "approve");
    const results = await Promise.all(
      states.map((requestState) =>
        eventually("the end", async () => {
          const { result } = await one.call({ requestState });
          return result?.["content"] === undefined ? null : result;
        }),
      ),
    );
    expect(results[0]).toEqual(results[1]);
    expect([continuations(upstream.calls).length, model.calls.length, (await notices()).length]).toEqual([1, 1, 1]);
  });

  test("are two calls where their clients declare different capabilities: neither is asked for what the other one declared", async () => {
    upstream.answer = (call) => {
      if (call.message.method !== "tools/call") return undefined;
      const elicits = JSON.stringify(call.message.params).includes('"elicitation"');
      if (continuations([call]).length > 0) return answerWith(call, textResult("done"));
      return answerWith(call, roundOf({ reply: samplingInput(), ...(elicits ? { confirm: formInput } : {}) }));
    };
    const client = soon("request-gate");
    const asked = await client.call({}, { capabilities: { elicitation: {} } });
    expect(Object.keys(asked.result?.inputRequests ?? {})).toEqual(["confirm"]);
    expect((await client.call()).result).toEqual({ resultType: "input_required", requestState: expect.any(String) });
    const state = asked.result?.requestState;
    expect((await client.call({ requestState: state })).error?.code).toBe(-32602);
  });

  test("are two calls where one came after the end of the other", async () => {
    upstream.answer = samplesOnce();
    const client = soon("open");
    expect((await client.call()).result?.["content"]).toBeDefined();
    expect((await client.call()).result?.["content"]).toBeDefined();
    expect(continuations(upstream.calls)).toHaveLength(2);
  });
});

describe("a crash of every object", () => {
  test("while a person thinks loses nothing: the review, the reply and the continuation come once", async () => {
    upstream.answer = samplesOnce();
    const client = soon("request-gate");
    const first = await client.call();
    const { link } = await openNotice("request");
    await crash();
    // With its state, and as a client that never got one.
    const [second, third] = await Promise.all([client.call({ requestState: first.result?.requestState }), client.call()]);
    for (const { result } of [second, third]) expect(result?.requestState).toBeDefined();
    expect(await notices()).toHaveLength(1);
    expect((await press(link, "approve")).status).toBe(303);
    await crash();
    const said = await eventually("the end", async () => {
      const { result, error } = await client.call({ requestState: second.result?.requestState });
      if (error !== undefined) throw new Error(error.message);
      return result?.["content"] === undefined ? null : result;
    });
    expect(JSON.stringify(said)).toContain("Hello.");
    expect([continuations(upstream.calls).length, model.calls.length, (await notices()).length]).toEqual([1, 1, 1]);
  });

  test("while the server has the continuation ends the call: the outcome is unknown, and nothing is sent again", async () => {
    let arrived = 0;
    upstream.answer = (call) => {
      if (call.message.method !== "tools/call") return undefined;
      if (continuations([call]).length === 0) return answerWith(call, roundOf({ reply: samplingInput() }));
      arrived += 1;
      return new Promise<Response>(() => {});
    };
    const client = soon("open");
    const first = await client.call();
    const requestState = first.result?.requestState;
    await eventually("the continuation", async () => arrived > 0);
    await crash();
    const said = await eventually("the end", async () => {
      const next = await client.call({ requestState });
      expect(arrived).toBe(1);
      return next.error === undefined ? null : next;
    });
    expect(said.error?.message).toMatch(/outcome is unknown/);
    expect((await client.call({ requestState })).error).toEqual(said.error);
    expect([arrived, model.calls.length]).toEqual([1, 1]);
  });
});

describe("the object", () => {
  const at = (name: string) => callStub(env, "key-of-the-test", name);

  test("answers nothing of a call that it does not know, and stores nothing", async () => {
    const call = at("unknown");
    expect(await call.look("a")).toBeNull();
    expect(await call.answer("a", 1, "reply", "{}")).toBe(false);
    expect(await call.proceed("a", 1, { meta: jsonOf({}), authorization: null })).toBeNull();
    expect(await call.end("a", 1, jsonOf({ result: {} }))).toBeNull();
    await call.cancel(null);
    expect(await everything()).not.toMatch(/"call":/);
  });

  test("takes the first answer to what the round asked, and no other", async () => {
    const { id } = await createKey();
    const call = callStub(env, id, "first");
    const requests = [
      { key: "confirm", method: "elicitation/create" as const, params: null },
      { key: "reply", method: "sampling/createMessage" as const, params: null },
    ];
    await call.open({ ...createCallStart(id, { requests, state: null }), ours: [] });
    expect(await call.answer("attempt", 2, "confirm", "{}")).toBe(false);
    expect(await call.answer("attempt", 1, "other", "{}")).toBe(false);
    await call.decline("attempt", 2, "reply");
    await call.decline("attempt", 1, "other");
    await call.decline("attempt", 1, "confirm");
    expect(await call.look("attempt")).toMatchObject({ answered: [], gateway: [] });
    await call.decline("attempt", 1, "reply");
    expect(await call.look("attempt")).toMatchObject({ answered: [], gateway: ["reply"] });
    expect(await call.answer("attempt", 1, "reply", "{}")).toBe(false);
    expect(await call.answer("attempt", 1, "confirm", '{"action":"accept"}')).toBe(true);
    expect(await call.answer("attempt", 1, "confirm", '{"action":"decline"}')).toBe(false);
    expect(await call.look("attempt")).toMatchObject({ kind: "waiting", round: 1, answered: ["confirm"] });
  });

  test("sends nothing before everything that the round asked is answered; what the server has by then nobody else ends", async () => {
    const { id } = await createKey();
    const call = callStub(env, id, "whole");
    const requests = ["confirm", "other"].map((key) => ({ key, method: "elicitation/create" as const, params: null }));
    const how = { meta: jsonOf({}), authorization: null };
    const server = { holds: false };
    upstream.answer = async (sent) => {
      while (server.holds) await pause(5);
      return answerWith(sent, textResult("done"));
    };
    await call.open(createCallStart(id, { requests, state: "s" }));
    await call.answer("attempt", 1, "confirm", "{}");
    expect(await call.proceed("attempt", 1, how)).toMatchObject({ kind: "waiting", answered: ["confirm"] });
    expect(upstream.calls).toEqual([]);
    await call.answer("attempt", 1, "other", "{}");
    server.holds = true;
    const proceeding = call.proceed("attempt", 1, how);
    await eventually("the continuation", async () => upstream.calls.length === 1);
    expect(await call.end("attempt", 1, jsonOf({ result: { n: 1 } }))).toMatchObject({ kind: "waiting" });
    expect(await call.answer("attempt", 1, "other", '{"late":true}')).toBe(false);
    server.holds = false;
    expect(await proceeding).toMatchObject({ kind: "ended", answer: expect.stringContaining("done") });
    expect(upstream.calls.map(responsesTo)).toEqual([{ confirm: {}, other: {} }]);
  });

  test("begins another call where the one that waited has waited for a day", async () => {
    const { id } = await createKey();
    const call = callStub(env, id, "day");
    const start = createCallStart(id, { requests: [], state: "s" });
    await call.open(start);
    expect(await call.open({ ...start, attempt: "second" })).toMatchObject({ attempt: "attempt" });
    travel(24 * 3_600_000);
    expect(await call.open({ ...start, attempt: "third" })).toMatchObject({ attempt: "third" });
    expect(await call.look("attempt")).toBeNull();
  });

  test("ends a call in its round alone, once", async () => {
    const { id } = await createKey();
    const call = callStub(env, id, "end");
    await call.open(createCallStart(id, { requests: [], state: "s" }));
    expect(await call.end("attempt", 2, jsonOf({ result: {} }))).toMatchObject({ kind: "waiting" });
    expect(await call.end("attempt", 1, jsonOf({ result: { n: 1 } }))).toMatchObject({ kind: "ended", answer: '{"result":{"n":1}}' });
    expect(await call.end("attempt", 1, jsonOf({ result: { n: 2 } }))).toMatchObject({ answer: '{"result":{"n":1}}' });
    await call.cancel("attempt");
    expect(await call.look("attempt")).toMatchObject({ answer: '{"result":{"n":1}}' });
    travel(11 * 60_000);
    expect(await call.look("attempt")).toBeNull();
  });
});

describe("a key that is revoked while a call waits", () => {
  test("ends it: nothing of it is stored, nothing more goes to the server, and its state is no good", async () => {
    upstream.answer = samplesOnce({ reply: samplingInput("A secret question."), confirm: formInput }, "the server's secret state");
    const { id, key } = await createKey();
    const client = soon("request-gate", key);
    const first = await client.call({ arguments: { secret: `${promptMarker} in the arguments` } }, { capabilities: { elicitation: {} } });
    expect(first.result?.requestState).toBeDefined();
    await openNotice("request");
    expect(await everything()).toContain("the server's secret state");
    expect((await admin(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
    await eventually("nothing of the call", async () => !/^CALL .*"call":\[\{/m.test(await everything()));
    expect(await everything()).not.toMatch(/the server's secret state|in the arguments/);
    const asked = upstream.calls.length;
    const again = await client.call({ requestState: first.result?.requestState });
    expect(again.error).toBeDefined();
    expect([upstream.calls.length, continuations(upstream.calls).length, model.calls.length]).toEqual([asked, 0, 0]);
  });

  test("has none that begins later", async () => {
    const { id } = await createKey();
    expect((await admin(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
    const call = callStub(env, id, "later");
    expect(await call.open(createCallStart(id, { requests: [], state: "a late state" }))).toBeNull();
    expect(await everything()).not.toContain("a late state");
  });

  test("has none that begins later in an object that it had a call in", async () => {
    const { id } = await createKey();
    const call = callStub(env, id, "again");
    expect(await call.open(createCallStart(id, { requests: [], state: "an early state" }))).toMatchObject({ kind: "waiting" });
    expect((await admin(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
    await eventually("nothing of the call", async () => !(await everything()).includes("an early state"));
    expect(await call.open(createCallStart(id, { requests: [], state: "a late state" }))).toBeNull();
    expect(await everything()).not.toContain("a late state");
  });

  test("takes its answer away also where the server has the continuation", async () => {
    let answer = (): void => {};
    const waits = new Promise<void>((resolve) => (answer = resolve));
    let arrived = false;
    upstream.answer = async (call) => {
      if (call.message.method !== "tools/call") return undefined;
      if (continuations([call]).length === 0) return answerWith(call, roundOf({ reply: samplingInput() }));
      arrived = true;
      await Promise.race([waits, new Promise((resolve) => setTimeout(resolve, 3_000))]);
      return answerWith(call, textResult("the server's late secret"));
    };
    const { id, key } = await createKey();
    const calling = soon("open", key).call();
    await eventually("the continuation", async () => arrived);
    expect((await admin(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
    answer();
    const said = await calling;
    expect(JSON.stringify(said)).not.toContain("late secret");
    expect(await everything()).not.toContain("late secret");
  });
});

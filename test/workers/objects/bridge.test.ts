// What a BridgeObject keeps, for how long, and what it does where a stream of the server breaks.

import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { BridgeObject } from "../../../workers/objects/bridge/bridge-object.ts";
import { jsonOf } from "../../../shared/json/json-of.ts";
import { bridgeStub } from "../../../workers/stubs/stubs.ts";
import { admin, createKey, env, eventually, gatewayWith } from "../support/gateway.ts";
import { type Upstream, configureServers, eventFor, openStream, scriptUpstream, streamOf, upstreamOrigin } from "../support/mcp-server.ts";
import { idsOf } from "../support/scope.ts";
import { StatelessClient, answerWith, formInput, resultFor, roundOf } from "../support/stateless.ts";
import { type Rows, asObject, crash, pause, tablesIn } from "./inside.ts";

let upstream: Upstream;
let client: StatelessClient;
/**
 * Of this test's client alone: an object of a test before may still be ending a stream, and then
 * has rows again.
 */
let name: string;
let tests = 0;
let found: DurableObjectId | undefined;
beforeEach(async () => {
  tests += 1;
  name = `client ${tests} of the tests`;
  found = undefined;
  upstream = scriptUpstream();
  client = new StatelessClient("open", { name });
  const url = `${upstreamOrigin}/mcp`;
  await configureServers({ open: { url }, own: { url, passAuthorization: true } });
});

const said = { content: [{ type: "text", text: "said" }] };
const elicits = { jsonrpc: "2.0", id: 5, method: "elicitation/create", params: { message: "Well?", requestedSchema: {} } };
const capabilities = { elicitation: {} };

const objectAt = (id: DurableObjectId): DurableObjectStub<BridgeObject> => asObject<BridgeObject>(env.BRIDGE.get(id));
/** The objects that have a session of this test's client. */
async function sessions(): Promise<DurableObjectId[]> {
  const all = await idsOf(env.BRIDGE);
  const own = await Promise.all(
    all.map((id) =>
      runInDurableObject(objectAt(id), (_, state) =>
        (tablesIn(state.storage)["bridge"] ?? []).some((row) => String(row["client"]).includes(name)),
      ),
    ),
  );
  return all.filter((_, at) => own[at] === true);
}
/** The one object that this test made, also after it has forgotten everything. */
async function bridge(): Promise<DurableObjectStub<BridgeObject>> {
  if (found === undefined) {
    const [id, ...more] = await sessions();
    if (id === undefined || more.length > 0) throw new Error(`not one object: ${id === undefined ? "none" : 1 + more.length}`);
    found = id;
  }
  return objectAt(found);
}
const rows = async (): Promise<Rows> => runInDurableObject(await bridge(), (_, state) => tablesIn(state.storage));
/** Its alarm, so much later. */
const later = async (ms: number): Promise<void> =>
  runInDurableObject(await bridge(), async (object) => {
    object.now = () => Date.now() + ms;
    await object.alarm();
    object.now = () => Date.now();
  });
const callsOf = (method: string): unknown[] => upstream.calls.filter(({ message }) => message.method === method);

describe("a session at a server", () => {
  test("is kept without its calls, and ended half an hour after its last use", async () => {
    upstream.answer = (call) => (call.message.method === "tools/call" ? Response.json(resultFor(call, said)) : undefined);
    expect((await client.call()).result).toEqual({ ...said, resultType: "complete" });
    expect(await rows()).toMatchObject({ bridge: [{ server: "open", revision: "2025-11-25" }], bridge_call: [] });
    await later(29 * 60_000);
    expect(upstream.calls.filter(({ method }) => method === "DELETE")).toEqual([]);
    await later(31 * 60_000);
    expect(upstream.calls.filter(({ method }) => method === "DELETE")).toHaveLength(1);
    expect(await rows()).toEqual({});
    await client.call();
    expect(callsOf("initialize")).toHaveLength(2);
  });

  test("is forgotten with everything in it where its key is revoked", async () => {
    upstream.answer = ({ message }) => (message.method === "tools/call" ? streamOf(eventFor(elicits, "1")) : undefined);
    const { result } = await client.call({}, { capabilities });
    expect(result?.inputRequests).toHaveProperty("input-1");
    const [call] = (await rows())["bridge_call"] ?? [];
    expect(JSON.parse(String(call?.["state"]))).toMatchObject({ questions: [{ key: "input-1", isAnswered: false }] });
    await (await bridge()).keyRevoked();
    expect(await rows()).toEqual({});
    expect((await client.call({ requestState: result?.requestState }, { capabilities })).error).toMatchObject({ code: -32_602 });
    expect(await rows()).toEqual({});
  });

  test("keeps no credential of the client, and passes what the server wants of one", async () => {
    const own = new StatelessClient("own", { key: null, name });
    const headers = { Authorization: "Bearer secret-of-the-client", "X-Countersign-Key": "dev-key-of-the-tests-0123456789abcdef" };
    upstream.answer = ({ message }) => (message.method === "tools/call" ? streamOf(eventFor(elicits, "1")) : undefined);
    await own.call({}, { capabilities, headers });
    expect(callsOf("tools/call")).toHaveLength(1);
    expect(JSON.stringify(await rows())).not.toContain("secret-of-the-client");
    upstream.answer = () => new Response("no", { status: 401, headers: { "WWW-Authenticate": "Bearer realm=notes" } });
    const refused = await own.request("tools/list", {}, { capabilities, headers });
    expect([refused.status, refused.headers.get("WWW-Authenticate")]).toEqual([401, "Bearer realm=notes"]);
  });
});

describe("another client", () => {
  const elicitsOnce = ({ message }: { message: { method?: string } }): Response | undefined =>
    message.method === "tools/call" ? streamOf(eventFor(elicits, "1")) : undefined;

  test("with another key has a session of its own, and finds no call of the first", async () => {
    upstream.answer = elicitsOnce;
    await client.call({}, { capabilities });
    const { key } = await createKey();
    await new StatelessClient("open", { key, name }).call({}, { capabilities });
    expect([callsOf("initialize").length, callsOf("tools/call").length]).toEqual([2, 2]);
    // In one object, the second session would have taken the place of the first.
    expect(await sessions()).toHaveLength(2);
  });

  test("with other arguments finds no call of the first in their session", async () => {
    upstream.answer = elicitsOnce;
    const first = await client.call({ arguments: { at: 1 } }, { capabilities });
    const second = await client.call({ arguments: { at: 2 } }, { capabilities });
    expect(second.result?.requestState).not.toBe(first.result?.requestState);
    expect([callsOf("initialize").length, callsOf("tools/call").length]).toEqual([1, 2]);
  });

  test("of a revoked key has nothing begun in an object that the key knows nothing of", async () => {
    const { id } = await createKey();
    expect((await admin(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
    const late = bridgeStub(env, id, "later");
    const visit = {
      key: JSON.stringify({ id }),
      server: "open",
      authorization: null,
      client: jsonOf({ capabilities: {}, clientInfo: null }),
    };
    expect(await late.discover(visit)).toEqual({ kind: "gone" });
    expect(await late.listen(visit, "leg", jsonOf({ lists: [], uris: [] }))).toEqual({ kind: "gone" });
    expect(upstream.calls).toEqual([]);
  });
});

test("a server is told nothing without the credential that its client had, after a reset", async () => {
  const headers = { Authorization: "Bearer secret-of-the-client", "X-Countersign-Key": "dev-key-of-the-tests-0123456789abcdef" };
  upstream.answer = ({ message }) => (message.method === "tools/call" ? streamOf(eventFor(elicits, "1")) : undefined);
  await new StatelessClient("own", { key: null, name }).call({}, { capabilities, headers });
  const stub = await bridge();
  await crash();
  const told = upstream.calls.length;
  await runInDurableObject(stub, async (object) => {
    object.now = () => Date.now() + 25 * 3_600_000;
    await object.alarm();
  });
  expect(upstream.calls.slice(told).map(({ method, message }) => message.method ?? method)).toEqual([]);
});

test("a server asks a hundred times in one call at most", async () => {
  const stream = openStream();
  upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
  const calling = client.call({}, { capabilities });
  await eventually("the call", async () => callsOf("tools/call").length === 1);
  for (let at = 1; at <= 101; at += 1) stream.say(eventFor({ ...elicits, id: `q${at}` }));
  await eventually("the refusal", async () => upstream.answersTo("q101").length === 1);
  expect(upstream.answersTo("q101")[0]?.error?.message).toMatch(/more than 100 times/);
  expect(upstream.answersTo("q100")).toEqual([]);
  expect((await calling).result?.requestState).toEqual(expect.any(String));
  stream.end();
});

describe("while its client has no request, a server that asks", () => {
  const roots = { roots: {} };
  const isOfNewCall = (): boolean => callsOf("tools/call").length > 1;

  test("for roots waits for the next call, eight times at most; what it withdraws is not asked", async () => {
    const [aside, response] = [openStream(), openStream()];
    upstream.answer = (call) => {
      if (call.method === "GET") return aside.response();
      if (call.message.method !== "tools/call") return undefined;
      return isOfNewCall() ? response.response() : Response.json(resultFor(call, said));
    };
    await client.call({}, { capabilities: roots });
    const ids = Array.from({ length: 10 }, (_, at) => `r${at}`);
    for (const id of ids) aside.say(eventFor({ jsonrpc: "2.0", id, method: "roots/list" }));
    aside.say(eventFor({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "r3" } }));
    aside.say(eventFor({ jsonrpc: "2.0", id: "last", method: "ping" }));
    await eventually("an answer to what came last", async () => upstream.answersTo("last").length === 1);
    const refused = await eventually("the refusals", async () => {
      const answered = ids.filter((id) => upstream.answersTo(id).length > 0);
      return answered.length >= 2 ? answered : null;
    });
    expect(refused).toEqual(["r8", "r9"]);
    expect(upstream.answersTo("r9")[0]?.error?.message).toMatch(/cannot be asked/);
    const { result } = await client.call({}, { capabilities: roots });
    expect(Object.values(result?.inputRequests ?? {}).map(({ method }) => method)).toEqual(Array(7).fill("roots/list"));
    for (const stream of [aside, response]) stream.end();
  });
});

test("a server that asks a call's client for what it did not declare, or nested too deeply, is refused", async () => {
  const stream = openStream();
  upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
  const calling = client.callToEnd({}, { capabilities: { elicitation: { form: {} } } });
  let deep: unknown = 1;
  for (let level = 0; level < 101; level += 1) deep = [deep];
  const asks: readonly (readonly [string, object, number])[] = [
    ["roots/list", {}, -32_601],
    ["sampling/createMessage", {}, -32_602],
    ["elicitation/create", { mode: "url", url: "https://example.com" }, -32_601],
    ["elicitation/create", { deep }, -32_602],
    ["tools/list", {}, -32_601],
  ];
  for (const [at, [method, params, code]] of asks.entries()) {
    stream.say(eventFor({ jsonrpc: "2.0", id: `w${at}`, method, params }));
    const [answer] = await eventually("the refusal", async () => {
      const answers = upstream.answersTo(`w${at}`);
      return answers.length > 0 ? answers : null;
    });
    expect([method, answer?.error?.code]).toEqual([method, code]);
  }
  const { message } = upstream.calls.find((each) => each.message.method === "tools/call") ?? {};
  stream.say(eventFor({ jsonrpc: "2.0", id: message?.id, result: said }));
  stream.end();
  expect((await calling).result).toMatchObject(said);
});

test("a hundred calls of one client wait at most: one more is refused until one of them ends", async () => {
  const server = { holds: true };
  upstream.answer = async (call) => {
    if (call.message.method !== "tools/call") return undefined;
    while (server.holds) await pause(50);
    return Response.json(resultFor(call, said));
  };
  const soon = new StatelessClient("open", { send: (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init) });
  const waiting = await Promise.all(Array.from({ length: 100 }, (_, at) => soon.call({ arguments: { at } })));
  expect(waiting.every(({ result }) => result?.requestState !== undefined)).toBe(true);
  const refused = await soon.request("tools/call", { name: "summarize", arguments: { at: 100 } });
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "5"]);
  expect(callsOf("tools/call")).toHaveLength(100);
  server.holds = false;
  expect((await client.callToEnd({ arguments: { at: 0 }, requestState: waiting[0]?.result?.requestState })).result).toMatchObject(said);
});

test("a state of a call without a session is no good where the server has sessions now, and begins none", async () => {
  await configureServers({ open: { url: `${upstreamOrigin}/stateless`, protocol: "2026" } });
  upstream.answer = (call) =>
    call.message.method === "tools/call" ? answerWith(call, roundOf({ confirm: formInput }, "the server's state")) : undefined;
  const { result } = await client.call({}, { capabilities });
  expect(result?.requestState).toEqual(expect.any(String));
  await configureServers({ open: { url: `${upstreamOrigin}/mcp` } });
  const again = await client.call({ requestState: result?.requestState, inputResponses: { confirm: {} } }, { capabilities });
  expect(again.error).toMatchObject({ code: -32_602, message: expect.stringContaining("not one of this gateway for this request") });
  expect(await sessions()).toEqual([]);
});

describe("a stream of the server that breaks", () => {
  test("is resumed behind its last event", async () => {
    const resumed = openStream();
    upstream.answer = ({ method, message, headers }) => {
      if (message.method === "tools/call") return streamOf(eventFor({ jsonrpc: "2.0", method: "notifications/progress" }, "one"));
      return method === "GET" && headers.get("Last-Event-ID") === "one" ? resumed.response() : undefined;
    };
    const asked = client.callToEnd();
    const { message } = await eventually("the call", () =>
      Promise.resolve(upstream.calls.find((each) => each.message.method === "tools/call")),
    );
    resumed.say(eventFor({ jsonrpc: "2.0", id: message.id, result: said }, "two"));
    expect((await asked).result).toEqual({ ...said, resultType: "complete" });
    expect(callsOf("tools/call")).toHaveLength(1);
  });

  test.each([
    ["without event ids", undefined],
    ["that the server does not resume", "one"],
  ])("%s ends with an error, and the request is not sent again", async (_, id) => {
    upstream.answer = ({ message }) =>
      message.method === "tools/call" ? streamOf(eventFor({ jsonrpc: "2.0", method: "notifications/progress" }, id)) : undefined;
    expect((await client.callToEnd()).error?.message).toMatch(/unknown/);
    expect(callsOf("tools/call")).toHaveLength(1);
  });
});

describe("a client that does not come back", () => {
  test("has a day, and then the server is told", async () => {
    const stream = openStream();
    stream.say(eventFor(elicits, "1"));
    upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
    const { result } = await client.call({}, { capabilities: { elicitation: { form: {} } } });
    await later(25 * 3_600_000);
    expect(callsOf("notifications/cancelled")).toHaveLength(1);
    expect(
      (await client.call({ requestState: result?.requestState }, { capabilities: { elicitation: { form: {} } } })).error,
    ).toMatchObject({ code: -32_602 });
    stream.end();
  });
});

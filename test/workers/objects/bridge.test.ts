// What a BridgeObject keeps, for how long, and what it does where a stream of the server breaks.

import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { BridgeObject } from "../../../workers/objects/bridge/bridge-object.ts";
import { env, eventually } from "../support/gateway.ts";
import { type Upstream, configureServers, eventFor, openStream, scriptUpstream, streamOf, upstreamOrigin } from "../support/mcp-server.ts";
import { StatelessClient, resultFor } from "../support/stateless.ts";
import { type Rows, asObject, tablesIn } from "./inside.ts";

let upstream: Upstream;
let client: StatelessClient;
beforeEach(async () => {
  upstream = scriptUpstream();
  client = new StatelessClient();
  before = (await idsOf()).map(String);
  const url = `${upstreamOrigin}/mcp`;
  await configureServers({ open: { url }, own: { url, passAuthorization: true } });
});

const said = { content: [{ type: "text", text: "said" }] };
const elicits = { jsonrpc: "2.0", id: 5, method: "elicitation/create", params: { message: "Well?", requestedSchema: {} } };
const capabilities = { elicitation: {} };

const idsOf = async (): Promise<DurableObjectId[]> => listDurableObjectIds(env.BRIDGE as DurableObjectNamespace);
let before: string[];
/** The one object that this test made. */
async function bridge(): Promise<DurableObjectStub<BridgeObject>> {
  const [id, ...more] = (await idsOf()).filter((each) => !before.includes(each.toString()));
  if (id === undefined || more.length > 0) throw new Error(`not one object: ${more.length}`);
  return asObject<BridgeObject>(env.BRIDGE.get(id));
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
    expect(await rows()).toMatchObject({ bridge: [{ server: "open", revision: "2025-11-25" }], bridge_call: [], bridge_question: [] });
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
    expect((await rows())["bridge_question"]).toHaveLength(1);
    await (await bridge()).keyRevoked();
    expect(await rows()).toEqual({});
    expect((await client.call({ requestState: result?.requestState }, { capabilities })).error).toMatchObject({ code: -32_602 });
    expect(await rows()).toEqual({});
  });

  test("keeps no credential of the client, and passes what the server wants of one", async () => {
    const own = new StatelessClient("own", { key: null });
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

// `subscriptions/listen` of clients of 2026-07-28 at a server with sessions: what the server tells
// beside its responses reaches those who asked for it, and its subscriptions last as long as
// somebody listens.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cellClient } from "../../outside/support/cell-clients.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { type Listening, listenRaw, rawStateless } from "../../outside/support/raw-stateless.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";
import { type StreamingServer, serveStreaming } from "../../outside/support/relay-serve.ts";

let office: RelayOffice;
let old: OldServer;
let streamless: StreamingServer;
let lost: OldServer;
beforeAll(async () => {
  [old, lost] = await Promise.all([serveOld(), serveOld()]);
  streamless = await serveStreaming(async (request) =>
    request.method === "GET"
      ? new Response(null, { status: 405 })
      : fetch(old.url, { method: request.method, headers: request.headers, body: await request.text() }),
  );
  // A client that leaves is noticed with the next heartbeat.
  office = await relayOffice({ HEARTBEAT_SECONDS: "1" });
  const at = (url: string): object => ({ url, allowPrivate: true });
  await office.serve({ old: at(old.url), lost: at(lost.url), streamless: at(streamless.url) });
});
afterAll(async () => {
  await Promise.all([office?.close(), old?.close(), lost?.close(), streamless?.close()]);
});

const listen = (filter: object, server = "old", key?: string): Promise<Listening> => listenRaw(office.relay(server), filter, key);
const idKey = "io.modelcontextprotocol/subscriptionId";
const urisOf = (server: OldServer, method: string): unknown[] =>
  server.received.filter(({ message }) => message.method === method).map(({ message }) => (message.params as { uri?: string }).uri);
const methodsOf = ({ told }: Listening): unknown[] => told.map(({ method }) => method);
const acknowledged = "notifications/subscriptions/acknowledged";
const changed = "notifications/tools/list_changed";
const updated = "notifications/resources/updated";

describe("a client of 2026-07-28 that listens to a server with sessions", () => {
  test("is told by discovery what it can listen to", async () => {
    const { message } = await rawStateless(office.relay("old")).send("server/discover");
    expect(message.result).toMatchObject({ capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } } });
  });

  test("has what the server tells of acknowledged, and is told that and nothing else", async () => {
    const one = await listen({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["test://a", "test://refused"] });
    const other = await listen({ resourceSubscriptions: ["test://b"] });
    expect(one.told).toEqual([
      {
        jsonrpc: "2.0",
        method: acknowledged,
        params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["test://a"] }, _meta: { [idKey]: one.id } },
      },
    ]);
    await old.notify(updated, { uri: "test://b" });
    await old.notify("notifications/prompts/list_changed");
    await old.notify(updated, { uri: "test://a/part" });
    await old.notify(changed);
    await until("the last change", () => methodsOf(one).includes(changed));
    expect(one.told.slice(1)).toEqual([
      { jsonrpc: "2.0", method: updated, params: { uri: "test://a/part", _meta: { [idKey]: one.id } } },
      { jsonrpc: "2.0", method: changed, params: { _meta: { [idKey]: one.id } } },
    ]);
    await until("its change", () => other.told.length === 2);
    expect(other.told[1]).toMatchObject({ method: updated, params: { uri: "test://b" } });
    await Promise.all([one.close(), other.close()]);
  });

  test("shares a subscription with others, which ends with the last of them", async () => {
    const [first, second] = await Promise.all([1, 2].map(() => listen({ resourceSubscriptions: ["test://shared"] })));
    const count = (method: string): number => urisOf(old, method).filter((uri) => uri === "test://shared").length;
    expect(count("resources/subscribe")).toBe(1);
    await first?.close();
    await old.notify(updated, { uri: "test://shared" });
    await until("the change", () => second?.told.length === 2);
    expect(count("resources/unsubscribe")).toBe(0);
    await second?.close();
    await until("the end of the subscription", () => count("resources/unsubscribe") === 1);
  });

  test("on SDK 2.x, hears of changes", async () => {
    const client = await cellClient("SDK 2.x, 2026", office.relay("old"), { Authorization: `Bearer ${relayKey}` });
    await client.listen();
    await until("the change", async () => (await old.notify(changed), client.heard.length > 0));
    await client.close();
  });

  test("has the end of its request at once where the server tells of nothing", async () => {
    for (const ended of [await listen({ promptsListChanged: true }), await listen({ toolsListChanged: true }, "streamless")]) {
      await ended.over;
      expect(methodsOf(ended)).toEqual([acknowledged, undefined]);
      expect(ended.told[0]).toMatchObject({ params: { notifications: {} } });
      expect(ended.told[1]).toMatchObject({ id: ended.id, result: { resultType: "complete", _meta: { [idKey]: ended.id } } });
    }
  });

  test("has the end of its request when the server has forgotten the session, and may listen again", async () => {
    const before = await listen({ toolsListChanged: true }, "lost");
    lost.restart();
    await before.over;
    expect(before.told.at(-1)).toMatchObject({ id: before.id, result: { resultType: "complete" } });
    const after = await listen({ toolsListChanged: true, resourceSubscriptions: ["test://a"] }, "lost");
    await lost.notify(changed);
    await until("the change", () => methodsOf(after).includes(changed));
    expect(lost.sessions()).toBe(2);
    await after.close();
  });

  test.each([
    {},
    { notifications: [] },
    { notifications: { resourceSubscriptions: Array.from({ length: 65 }, (_, index) => `a:${index}`) } },
  ])("is refused what is no filter (%#)", async (params) => {
    expect(await rawStateless(office.relay("old")).send("subscriptions/listen", params)).toMatchObject({
      status: 400,
      message: { error: { code: -32_602 } },
    });
  });

  test("is refused where too many listen", async () => {
    const key = await office.key({ name: "many" });
    const open = await Promise.all(Array.from({ length: 20 }, () => listen({ toolsListChanged: true }, "old", key)));
    await expect(listen({ toolsListChanged: true }, "old", key)).rejects.toThrow(/429/);
    await Promise.all(open.map((each) => each.close()));
  });

  test("is cut off when its key is revoked", async () => {
    const key = await office.key({ name: "ending" });
    const listening = await listen({ toolsListChanged: true, resourceSubscriptions: ["test://revoked"] }, "old", key);
    await office.revoke("ending");
    await listening.over;
    await old.notify(changed);
    expect(methodsOf(listening)).not.toContain(changed);
    expect((await fetch(office.relay("old"), { method: "POST", headers: { Authorization: `Bearer ${key}` }, body: "{}" })).status).toBe(
      401,
    );
  });
});

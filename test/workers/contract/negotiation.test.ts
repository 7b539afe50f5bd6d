// Which family a server speaks is found out once for all its clients, and again where it changes.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { digestOf } from "../../../shared/encoding.ts";
import { protocolVersionKey } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { env } from "../support/gateway.ts";
import { RelayClient, type Upstream, configureServers, initializeResult, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { StatelessClient, answerWith, lastOf, samplingInput } from "../support/stateless.ts";

/**
 * `both` speaks 2026-07-28 and gives sessions; `noSession` speaks it and answers `initialize`
 * without one.
 */
type Family = "stateless" | "sessions" | "both" | "noSession" | "sessionless";
let servers = 0;
let upstream: Upstream;
let family: Family;
const addressOf = (server: number): string => `${upstreamOrigin}/mcp-${server}`;
beforeEach(async () => {
  upstream = scriptUpstream();
  servers += 1;
  // An address of its own: what is known of another one does not count.
  await configureServers({ open: { url: addressOf(servers), protocol: "auto" } });
  upstream.answer = (call) => {
    const { method, id } = call.message;
    if (method === "server/discover" && family !== "sessions" && family !== "sessionless")
      return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
    if (family === "stateless" && method === "initialize")
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32022, message: "No" } }, { status: 400 });
    if (method === "initialize" && !call.headers.has("Mcp-Method")) {
      if (call.message.params?.["clientInfo"] === undefined)
        return Response.json({ jsonrpc: "2.0", id, error: { code: -32602, message: "Invalid params" } });
      return Response.json(
        { jsonrpc: "2.0", id, result: initializeResult("2025-11-25") },
        family === "noSession" || family === "sessionless" ? {} : { headers: { "Mcp-Session-Id": upstream.session } },
      );
    }
    if (family === "stateless" || family === "noSession" || family === "sessionless" || call.headers.has("Mcp-Session-Id"))
      return undefined;
    if (family === "both" && call.headers.has("Mcp-Method")) return undefined;
    return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Bad Request: no session" } }, { status: 400 });
  };
});

afterEach(() => {
  vi.useRealTimers();
});

const methods = (): (string | undefined)[] => upstream.calls.map(({ message }) => message.method);
const countOf = (name: string): number => methods().filter((method) => method === name).length;
const probes = (): number => countOf("server/discover");
/** Whether the last request was one of a session at the server. */
const wasInSession = (): boolean => upstream.calls.at(-1)?.headers.has("Mcp-Session-Id") === true;
const older = async (): Promise<{ client: RelayClient; answer: Response }> => {
  const client = new RelayClient();
  return { client, answer: await client.connect() };
};

test.each<[Family, number]>([
  ["sessions", 1],
  ["stateless", 1],
])("a server of the family %s is asked once for many requests without a session", async (speaks, asked) => {
  family = speaks;
  for (let count = 0; count < 5; count += 1) {
    const answer = await new StatelessClient().request("tools/list");
    expect([answer.status, (await lastOf(answer)).result]).toEqual([200, expect.any(Object)]);
  }
  expect(probes()).toBe(asked);
});

test.each<Family>(["sessions", "both"])(
  "a server of the family %s gets a client's own initialize, and is asked nothing else",
  async (speaks) => {
    family = speaks;
    for (let count = 0; count < 5; count += 1) {
      const { client, answer } = await older();
      expect(answer.status).toBe(200);
      await client.request(1, "tools/list");
      expect(wasInSession()).toBe(true);
    }
    expect([probes(), countOf("initialize")]).toEqual([0, 5]);
  },
);

test("a server of both families is spoken to by each client in its own, in any order", async () => {
  family = "both";
  for (let count = 0; count < 2; count += 1) {
    expect((await new StatelessClient().request("tools/list")).status).toBe(200);
    expect(wasInSession()).toBe(false);
    const { client } = await older();
    expect((await client.request(1, "tools/list")).status).toBe(200);
    expect(wasInSession()).toBe(true);
  }
  expect([probes(), countOf("initialize")]).toEqual([1, 2]);
});

test.each<Family>(["stateless", "noSession"])(
  "a server of the family %s is spoken to in 2026-07-28, and gets one initialize",
  async (speaks) => {
    family = speaks;
    for (let count = 0; count < 3; count += 1) {
      const { client, answer } = await older();
      expect(await answer.json()).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
      expect((await client.request(1, "tools/list")).status).toBe(200);
      expect(upstream.calls.at(-1)?.headers.get("MCP-Protocol-Version")).toBe("2026-07-28");
    }
    expect(countOf("initialize")).toBe(1);
  },
);

test("a server without sessions that does not speak 2026-07-28 is passed through, and asked once", async () => {
  family = "sessionless";
  for (let count = 0; count < 3; count += 1) {
    const { client, answer } = await older();
    expect(await answer.json()).toMatchObject({ result: initializeResult("2025-11-25") });
    await client.request(1, "tools/list");
    expect(upstream.calls.at(-1)?.headers.get("Mcp-Method")).toBeNull();
  }
  expect([probes(), countOf("initialize")]).toEqual([1, 3]);
});

test("another isolate's finding counts: no initialize is sent to a server that gives no session", async () => {
  family = "noSession";
  const about = { url: addressOf(servers), headers: {}, secret: null };
  await env.CONFIG.put(`begins:${digestOf("countersign/server-family/v1", about)}`, "noSession");
  expect((await older()).answer.status).toBe(200);
  expect(methods()).toEqual(["server/discover"]);
});

test("what a client's initialize showed is known to other isolates", async () => {
  family = "noSession";
  await older();
  const about = { url: addressOf(servers), headers: {}, secret: null };
  const digest = digestOf("countersign/server-family/v1", about);
  expect(await Promise.all([`begins:${digest}`, `family:${digest}`].map((name) => env.CONFIG.get(name)))).toEqual([
    "noSession",
    "stateless",
  ]);
});

test.each<[Family, Family]>([
  ["noSession", "both"],
  ["stateless", "both"],
  ["both", "noSession"],
  ["both", "stateless"],
  ["sessions", "both"],
  ["both", "sessions"],
])("a server that goes from %s to %s is found out by clients of both families", async (before, after) => {
  family = before;
  await older();
  await new StatelessClient().request("tools/list");
  family = after;
  // What `initialize` showed is remembered for a quarter of an hour.
  vi.setSystemTime(Date.now() + 15 * 60_000);
  const digest = digestOf("countersign/server-family/v1", { url: addressOf(servers), headers: {}, secret: null });
  await env.CONFIG.delete(`begins:${digest}`);
  const { client, answer } = await older();
  expect(answer.status).toBe(200);
  expect((await client.request(1, "tools/list")).status).toBe(200);
  expect(wasInSession()).toBe(after === "both" || after === "sessions");
  expect((await new StatelessClient().request("tools/list")).status).toBe(200);
});

test("an error that is about one client's initialize decides nothing for the others", async () => {
  family = "both";
  const bad = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } };
  await new RelayClient().post(bad);
  const { client, answer } = await older();
  expect(answer.status).toBe(200);
  await client.request(1, "tools/list");
  expect(wasInSession()).toBe(true);
});

test("an error that answers a claim of 2026-07-28 decides nothing for the others", async () => {
  family = "both";
  const before = upstream.answer;
  upstream.answer = (call) =>
    call.message.method === "initialize" && call.message.params?.["_meta"] !== undefined
      ? Response.json({ jsonrpc: "2.0", id: call.message.id, error: { code: -32022, message: "No" } }, { status: 400 })
      : before(call);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  await new RelayClient().post({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { ...params, _meta: { [protocolVersionKey]: "x" } },
  });
  const { client } = await older();
  await client.request(1, "tools/list");
  expect(wasInSession()).toBe(true);
});

test("a server that gives up its sessions is found out by the clients of both families", async () => {
  family = "sessions";
  expect((await older()).answer.status).toBe(200);
  expect((await new StatelessClient().request("tools/list")).status).toBe(200);
  family = "stateless";
  const { client, answer } = await older();
  expect(answer.status).toBe(200);
  expect((await client.request(1, "tools/list")).status).toBe(200);
  expect((await new StatelessClient().request("tools/list")).status).toBe(200);
});

test.each([401, 429, 503])("a server that is not there for an initialize (%i) keeps its family", async (status) => {
  family = "both";
  const before = upstream.answer;
  upstream.answer = (call) => (call.message.method === "initialize" ? new Response("not now", { status }) : before(call));
  expect((await older()).answer.status).toBe(status);
  upstream.answer = before;
  const { client } = await older();
  await client.request(1, "tools/list");
  expect(wasInSession()).toBe(true);
});

test("a bridge whose server gave up its sessions does not speak for its client a second time", async () => {
  family = "sessions";
  expect((await new StatelessClient().request("tools/list")).status).toBe(200);
  family = "stateless";
  // Another client, and so another bridge, which begins a session of its own.
  const asked = { capabilities: { roots: {} } };
  await new StatelessClient().request("tools/list", {}, asked);
  expect(probes()).toBe(1);
  expect((await new StatelessClient().request("tools/list", {}, asked)).status).toBe(200);
  expect(probes()).toBe(2);
});

test("a server that gets sessions is found out: clients that have them begin one", async () => {
  family = "stateless";
  const { client } = await older();
  expect((await client.request(1, "tools/list")).status).toBe(200);
  family = "sessions";
  expect((await client.request(2, "tools/list")).status).toBe(404);
  const again = await older();
  expect(again.answer.status).toBe(200);
  expect((await again.client.request(1, "tools/list")).status).toBe(200);
  expect((await new StatelessClient().says("tools/list")).result).toBeDefined();
});

test("a client without a session is served in one from then on", async () => {
  family = "stateless";
  expect((await new StatelessClient().request("tools/list")).status).toBe(200);
  family = "sessions";
  expect((await new StatelessClient().says("tools/call", { name: "x" })).result).toBeDefined();
  expect(upstream.calls.at(-1)?.headers.has("Mcp-Session-Id")).toBe(true);
  expect((await older()).answer.status).toBe(200);
});

test.each([401, 403, 429, 500, 503])("a server that answers %i at the probe is of neither family, and is asked again", async (status) => {
  family = "stateless";
  const before = upstream.answer;
  let isDown = true;
  upstream.answer = (call) => (isDown ? new Response("not now", { status, headers: { "Retry-After": "1" } }) : before(call));
  for (const answer of [await new StatelessClient().request("server/discover"), (await older()).answer])
    expect([answer.status, await answer.text()]).toEqual([status, "not now"]);
  isDown = false;
  expect((await new StatelessClient().request("tools/list")).status).toBe(200);
  expect((await older()).answer.status).toBe(200);
});

test("a server that cannot be reached at the probe is not called one with sessions", async () => {
  family = "stateless";
  const before = upstream.answer;
  upstream.answer = () => Promise.reject(new Error("unreachable"));
  const answer = await new StatelessClient().request("server/discover");
  expect([answer.status, (await lastOf(answer)).error?.code]).toEqual([502, -32603]);
  upstream.answer = before;
  expect((await new StatelessClient().request("tools/list")).status).toBe(200);
});

test("a server that leaves the probe without an answer may still begin a session", async () => {
  family = "sessions";
  const before = upstream.answer;
  upstream.answer = (call) => (call.message.method === "server/discover" ? Promise.reject(new Error("unreachable")) : before(call));
  expect((await older()).answer.status).toBe(200);
});

test("what a server asks for at the probe is asked of nobody", async () => {
  upstream.answer = (call) =>
    call.message.method === "server/discover" ? Response.json({ jsonrpc: "2.0", id: 1, ...samplingInput() }) : undefined;
  const answer = await new StatelessClient().request("tools/list", {}, { capabilities: { sampling: {} } });
  expect(await answer.text()).not.toContain("createMessage");
});

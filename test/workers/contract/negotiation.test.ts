// Which family a server speaks is found out once for all its clients, and again where it changes.

import { beforeEach, expect, test } from "vitest";
import { RelayClient, type Upstream, configureServers, initializeResult, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { StatelessClient, answerWith, lastOf, samplingInput } from "../support/stateless.ts";

type Family = "stateless" | "sessions";
let servers = 0;
let upstream: Upstream;
let family: Family;
beforeEach(async () => {
  upstream = scriptUpstream();
  servers += 1;
  // An address of its own: what is known of another one does not count.
  await configureServers({ open: { url: `${upstreamOrigin}/mcp-${servers}`, protocol: "auto" } });
  upstream.answer = (call) => {
    const { method, id } = call.message;
    if (family === "stateless") {
      if (method === "initialize") return Response.json({ jsonrpc: "2.0", id, error: { code: -32022, message: "No" } }, { status: 400 });
      if (method !== "server/discover") return undefined;
      return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
    }
    if (method === "initialize" && !call.headers.has("Mcp-Method"))
      return Response.json(
        { jsonrpc: "2.0", id, result: initializeResult("2025-11-25") },
        { headers: { "Mcp-Session-Id": upstream.session } },
      );
    if (call.headers.has("Mcp-Session-Id")) return undefined;
    return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Bad Request: no session" } }, { status: 400 });
  };
});

const methods = (): (string | undefined)[] => upstream.calls.map(({ message }) => message.method);
const probes = (): number => methods().filter((method) => method === "server/discover").length;
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

test("a server with sessions is asked once for many sessions", async () => {
  family = "sessions";
  for (let count = 0; count < 5; count += 1) expect((await older()).answer.status).toBe(200);
  expect(probes()).toBe(1);
});

test("a server that gives up its sessions is found out by the clients of both families", async () => {
  family = "sessions";
  expect((await older()).answer.status).toBe(200);
  family = "stateless";
  expect((await older()).answer.ok).toBe(false);
  const { client, answer } = await older();
  expect(answer.status).toBe(200);
  expect((await client.request(1, "tools/list")).status).toBe(200);
  expect((await new StatelessClient().request("tools/list")).status).toBe(200);
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

// GET /admin/sunset: what each MCP server's sampling came to, over all shards of the ledger.

import { beforeEach, describe, expect, test } from "vitest";
import { monthAt } from "../../../shared/record/operators.ts";
import type { SunsetLine } from "../../../shared/record/sunset.ts";
import { ledgerShardOf } from "../../../workers/stubs/stubs.ts";
import {
  admin,
  adminJson,
  answerOf,
  configure,
  createKey,
  eventually,
  gateway,
  jsonBody,
  model,
  policy,
  sample,
} from "../support/gateway.ts";
import { promptMarker, replyMarker } from "../support/logs.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { decide } from "../support/reviewer.ts";
import { StatelessClient, samplesOnce } from "../support/stateless.ts";
import { chatOf, clientOf } from "../support/v1.ts";

type Report = { readonly isComplete: boolean; readonly servers: SunsetLine[]; readonly next: string | null };

const report = (query = ""): Promise<Report> => adminJson<Report>(`/sunset${query}`);

/** The report, once it has so many requests of a server. */
const reported = (server: string, requests: number): Promise<SunsetLine> =>
  eventually(`${requests} requests of ${server}`, async () =>
    (await report()).servers.find((each) => each.server === server && each.requests === requests),
  );

describe("the report", () => {
  test("is empty where nothing sampled, and is the operator's alone", async () => {
    expect(await report()).toEqual({ isComplete: true, servers: [], next: null });
    expect(await (await admin("/sunset?format=text")).text()).toBe("No MCP server has sampled.\n");
    expect((await gateway("/admin/sunset")).status).toBe(401);
  });

  test("adds up the requests of every shard, whatever became of them, and counts a repeat once", async () => {
    const before = Date.now();
    const runs: string[] = [];
    for (let id = 0; id < 12; id += 1) {
      const { result } = await answerOf(sample({ id, session: `sess-${id}`, params: { maxTokens: 100 + id } }));
      runs.push(result?._meta?.["countersign/run"]?.id ?? "");
    }
    await answerOf(sample({ id: 0, session: "sess-0", params: { maxTokens: 100 } }));
    expect(new Set(runs.map(ledgerShardOf)).size).toBeGreaterThan(1);
    model.script({ status: 400, message: "no" });
    expect((await answerOf(sample())).error).toBeDefined();
    expect((await answerOf(sample({ params: { maxTokens: 0 } }))).error).toMatchObject({ code: -32602 });
    const line = await reported("open", 14);
    expect(line).toMatchObject({
      entry: "none",
      v1: { requests: 0, lastAt: null },
      outcomes: { completed: 12, failed: 1, refused: 1 },
      broughtBy: [{ endpoint: "sampling", revision: "2025-11-25", requests: 13 }],
      models: [{ model: "first", requests: 12 }],
      usage: { inputTokens: 144, outputTokens: 60, costUsd: Number(((12 * (12 * 1 + 5 * 2)) / 1_000_000).toFixed(6)) },
    });
    const [first, last] = [Date.parse(line.firstAt ?? ""), Date.parse(line.lastAt ?? "")] as const;
    expect(line.months.reduce((sum, { requests }) => sum + requests, 0)).toBe(14);
    expect(line.months.at(-1)?.month).toBe(monthAt(last));
    expect(first).toBeGreaterThanOrEqual(before);
    expect(last).toBeGreaterThanOrEqual(first);
    expect(line.moving.join(" ")).toContain("the most that it asked for is 111");
  });

  test("says what a move changes, from what the requests used", async () => {
    await configureServers({ "request-gate": { url: `${upstreamOrigin}/mcp`, v1Tokens: { maxUsd: 1, maxSeconds: 60 } } });
    model.script({ text: `{"reply":"${replyMarker}"}` });
    const waiting = sample({
      server: "request-gate",
      params: { tools: [{ name: "look", inputSchema: { type: "object" } }], includeContext: "thisServer", stopSequences: ["END"] },
      meta: { "countersign/responseFormat": { type: "json" } },
    });
    await decide("request", "approve");
    await answerOf(waiting);
    const { moving, entry } = await reported("request-gate", 1);
    expect(entry).toBe("withV1Tokens");
    const said = moving.join("\n");
    for (const words of [
      "its entry in the servers document has v1Tokens",
      "It uses tools",
      "response_format",
      "includeContext",
      "become stop",
      "deadlineSeconds",
    ])
      expect(said).toContain(words);
    for (const words of ["image_url", "input_audio", "as a task", "modelPreferences"]) expect(said).not.toContain(words);
  });

  test("has an open request only once it has ended, and one at /control never", async () => {
    const waiting = sample({ server: "request-gate" });
    await decide("request", "deny");
    await answerOf(waiting);
    void sample({ server: "response-gate" });
    expect((await reported("request-gate", 1)).outcomes).toEqual({ rejected: 1 });
    const envelope = {
      protocol_version: "1.0",
      request_id: crypto.randomUUID(),
      model: { name: "first" },
      task: { type: "function_call", parameters: { functions: [{ name: "f" }], function_call: { name: "f", parameters: {} } } },
    };
    await gateway("/control", { method: "POST", body: JSON.stringify(envelope), headers: { "Content-Type": "application/json" } });
    await eventually(
      "the line of /control",
      async () => (await adminJson<{ runs: { server: string }[] }>("/runs?server=control")).runs.length > 0,
    );
    expect((await report()).servers.map(({ server }) => server)).toEqual(["request-gate"]);
  });

  test("says of a server that it calls /v1, and counts no request that a key makes for itself", async () => {
    const allow = { request: "allow", response: "allow" };
    await configure("policy", { ...policy, default: { ...policy.default, ...allow } });
    await answerOf(sample());
    const { key } = await createKey();
    const originatingRequest = { id: 1, method: "tools/call", name: "summarize", server: "open" };
    const made = await gateway("/tokens", { key, ...jsonBody("POST", { session: "sess-1", originatingRequest, maxUsd: 1 }) });
    const { token } = await made.json<{ token: string }>();
    for (const credential of [token, token, key]) await clientOf(credential).chat.completions.create(chatOf("?"));
    const { requests, v1, broughtBy } = await eventually("both requests at /v1", async () => {
      const { servers } = await report();
      return servers.find((each) => each.server === "open" && each.requests === 1 && each.v1.requests === 2);
    });
    expect(requests).toBe(1);
    expect(broughtBy).toMatchObject([{ endpoint: "sampling", requests: 1 }]);
    expect(v1.lastAt).not.toBeNull();
    await eventually(
      "the line of the key's own request",
      async () => (await adminJson<{ runs: { server: string }[] }>("/runs?server=v1")).runs.length > 0,
    );
    expect((await report()).servers.map(({ server }) => server)).toEqual(["open"]);
  });

  test("goes on by name: each server is on one page", async () => {
    const servers = ["open-b", "open-a", "open-é", "open-d", "open-c"];
    for (const server of servers) for (const session of ["one", "two"]) await answerOf(sample({ server, session, originating: server }));
    for (const server of servers) await reported(server, 2);
    const found: string[] = [];
    for (let after: string | null = ""; after !== null;) {
      const page: Report = await report(`?limit=2${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`);
      expect(page.servers.length).toBeLessThanOrEqual(2);
      expect(page.servers.every(({ requests }) => requests === 2)).toBe(true);
      found.push(...page.servers.map(({ server }) => server));
      after = page.next;
    }
    expect(found).toEqual(["open-a", "open-b", "open-c", "open-d", "open-é"]);
    const text = await (await admin("/sunset?format=text&limit=4")).text();
    expect(text).toMatch(/^open-a\n/);
    expect(text).toContain("More servers follow: ?format=text&after=open-d&limit=4");
  });

  test.each(["?format=xml", "?limit=0", "?limit=201", "?surprise=1"])("%s is 400", async (query) => {
    expect((await admin(`/sunset${query}`)).status).toBe(400);
  });
});

describe("at the relay", () => {
  let upstream: Upstream;
  beforeEach(async () => {
    upstream = scriptUpstream();
    await configureServers({ open: { url: `${upstreamOrigin}/mcp` }, "open-modern": { url: `${upstreamOrigin}/mcp`, protocol: "2026" } });
  });

  test.each(["2024-11-05", "2025-06-18", "2025-11-25"])("a request of %s is known by its revision", async (revision) => {
    const client = new RelayClient();
    await client.connect({}, revision);
    const stream = openStream();
    upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
    stream.say(eventFor(samplingRequest("ask-1", promptMarker)));
    const call = client.call(1);
    await eventually("an answer to ask-1", async () => upstream.answersTo("ask-1")[0]);
    stream.say(eventFor(responseTo(1)));
    stream.end();
    await (await call).text();
    expect(await reported("open", 1)).toMatchObject({
      entry: "withoutV1Tokens",
      broughtBy: [{ endpoint: "relay", revision, requests: 1 }],
    });
  });

  test("a request of 2026-07-28 too", async () => {
    upstream.answer = samplesOnce();
    await new StatelessClient("open-modern").callToEnd();
    expect(await reported("open-modern", 1)).toMatchObject({ broughtBy: [{ endpoint: "relay", revision: "2026-07-28", requests: 1 }] });
  });
});

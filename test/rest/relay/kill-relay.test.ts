// Kill -9 of the gateway while a server behind the relay waits for a person: the server gets its
// answer, once, and the client its result or the truth.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema, CreateMessageResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import { type RawMcpServer, askFor, event, openStream, resultOf, startRawMcpServer } from "../../support/raw-mcp-server.ts";
import { decideByLink, pause } from "../../outside/support/killable-gateway.ts";
import { type RawClient, rawClient, until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";
import { type StreamingServer, serveStreaming } from "../../outside/support/relay-serve.ts";
import { MemoryEvents, sessionsOf } from "../../outside/support/relay-sessions.ts";

type Sampling = {
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly runs: string[];
  readonly answers: string[];
  /** How many stand-alone streams it has opened. */
  readonly listened: () => number;
};

/**
 * A server of the SDK whose tool samples once, with or without a store of events; `aside` does so
 * on the stand-alone stream.
 */
async function samplingServer(canReplay: boolean): Promise<Sampling> {
  const runs: string[] = [];
  const answers: string[] = [];
  let listened = 0;
  const make = (): Server => {
    const server = new Server({ name: "sampling", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      runs.push(params.name);
      const text = `The question of ${params.name}`;
      const sampling = { messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 20 };
      const timeout = 120_000;
      const reply =
        params.name === "aside"
          ? await server.createMessage(sampling, { timeout })
          : await extra.sendRequest({ method: "sampling/createMessage", params: sampling }, CreateMessageResultSchema, { timeout });
      return { content: [{ type: "text", text: `said: ${reply.content.type === "text" ? reply.content.text : ""}` }] };
    });
    return server;
  };
  const endpoint = sessionsOf(make, () => (canReplay ? { eventStore: new MemoryEvents() } : {}));
  const server: StreamingServer = await serveStreaming(async (request) => {
    const text = request.method === "POST" ? await request.clone().text() : "";
    if (text.includes('"role":"assistant"')) answers.push(text);
    const answer = await endpoint(request);
    if (request.method === "GET" && answer.ok) listened += 1;
    return answer;
  });
  return { ...server, runs, answers, listened: () => listened };
}

async function clientOf(url: string): Promise<Client> {
  const client = new Client({ name: "plain", version: "1" }, { capabilities: {} });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${relayKey}` } },
    reconnectionOptions: { initialReconnectionDelay: 300, reconnectionDelayGrowFactor: 1, maxReconnectionDelay: 300, maxRetries: 200 },
  });
  // The SDK's own type of its transport leaves `sessionId` open where exactOptionalPropertyTypes
  // does not.
  await client.connect(transport as Transport);
  return client;
}

let office: RelayOffice;
let replaying: Sampling;
let forgetful: Sampling;
let raw: RawMcpServer;
beforeAll(async () => {
  [office, replaying, forgetful, raw] = await Promise.all([
    relayOffice(),
    samplingServer(true),
    samplingServer(false),
    startRawMcpServer(),
  ]);
  const rule = { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"] } };
  await office.rule({ ...openGates, rules: [rule], reviewers: { everyone: [{ name: "Ada" }] } });
  const at = (url: string): object => ({ url, allowPrivate: true });
  await office.serve({ replaying: at(replaying.url), forgetful: at(forgetful.url), raw: at(raw.url) });
});
afterAll(async () => {
  await Promise.all([office?.close(), replaying?.close(), forgetful?.close(), raw?.close()]);
});

/** The link of the review that is opened by this. */
async function reviewOf<T>(begin: () => T): Promise<{ readonly begun: T; readonly run: string; readonly link: string }> {
  const before = new Set((await office.notices()).map(({ run }) => run));
  const begun = begin();
  const { run, link } = await until("its review", async () => (await office.notices()).find((each) => !before.has(each.run)));
  return { begun, run, link: link ?? "" };
}

const callTool = (client: Client, name: string): Promise<unknown> => {
  const result = client.callTool({ name, arguments: {} }, undefined, { timeout: 120_000 });
  result.catch(() => {});
  return result;
};

const callsFor = (name: string): number =>
  office.model.requests.filter(({ body }) => JSON.stringify(body).includes(`question of ${name}"`)).length;

describe("a kill -9 while servers wait for a person", () => {
  let replayed: Awaited<ReturnType<typeof reviewOf<Promise<unknown>>>>;
  let forgotten: Awaited<ReturnType<typeof reviewOf<Promise<unknown>>>>;
  let clients: Client[];

  beforeAll(async () => {
    clients = await Promise.all([clientOf(office.relay("replaying")), clientOf(office.relay("forgetful"))]);
    const [one, two] = clients;
    if (one === undefined || two === undefined) throw new Error("two clients");
    replayed = await reviewOf(() => callTool(one, "replayed"));
    forgotten = await reviewOf(() => callTool(two, "forgotten"));
    await office.kill();
    await pause(500);
    await office.start();
  });
  afterAll(() => Promise.all(clients.map((client) => client.close())));

  test("the old link decides, the server gets the answer once, and the client that resumes gets its result", async () => {
    expect((await decideByLink(replayed.link, "approve")).status).toBe(303);
    expect(await replayed.begun).toMatchObject({ content: [{ type: "text", text: expect.stringContaining("said: Hello") }] });
    expect(replaying.runs).toEqual(["replayed"]);
    expect(replaying.answers).toHaveLength(1);
    expect(callsFor("replayed")).toBe(1);
  });

  test("where the server cannot replay, it gets its answer all the same, and the client is told that the outcome is unknown", async () => {
    await expect(forgotten.begun).rejects.toThrow(/unknown/);
    expect((await decideByLink(forgotten.link, "approve")).status).toBe(303);
    await until("the answer", () => forgetful.answers.length > 0);
    expect(forgetful.runs).toEqual(["forgotten"]);
    expect(callsFor("forgotten")).toBe(1);
  });

  test("the sessions go on: the next call is served", async () => {
    for (const [index, server] of [replaying, forgetful].entries()) {
      const client = clients[index];
      if (client === undefined) throw new Error("two clients");
      const { begun, link } = await reviewOf(() => callTool(client, `next-${index}`));
      expect((await decideByLink(link, "approve")).status).toBe(303);
      expect(await begun).toMatchObject({ content: [{ text: expect.stringContaining("said:") }] });
      expect(server.runs).toHaveLength(2);
    }
  });

  test("nobody was asked twice, and the record has every event", async () => {
    const { text, events } = await office.record();
    for (const { run } of [replayed, forgotten])
      expect(events.filter((each) => each.run === run && ["reviewOpened", "called", "finished"].includes(each.fact.kind))).toHaveLength(3);
    expect((await verifyRecord(text.split("\n"))).findings).toEqual([]);
  });
});

test("a kill -9 while a server waits on the stand-alone stream: the client is told at once that the outcome is unknown", async () => {
  const before = forgetful.listened();
  const client = await clientOf(office.relay("forgetful"));
  await until("the stand-alone stream", () => forgetful.listened() > before);
  let place: string | undefined;
  const { begun, link } = await reviewOf(() => {
    const onresumptiontoken = (token: string): void => void (place = token);
    const called = client.callTool({ name: "aside", arguments: {} }, undefined, { timeout: 600_000, onresumptiontoken });
    called.catch(() => {});
    return called;
  });
  await until("a place to come back to", () => place);
  await office.kill();
  await office.start();
  await expect(begun).rejects.toThrow(/unknown/);
  const answered = forgetful.answers.length;
  expect((await decideByLink(link, "approve")).status).toBe(303);
  await until("the server's answer", () => forgetful.answers.length > answered);
  await client.close();
});

test("a kill -9 while the answer is on its way: the server gets it again, the same to the byte, and can tell by its id", async () => {
  const got: string[] = [];
  let stream: Parameters<RawMcpServer["behave"]>[1] | undefined;
  raw.behave = ({ message, text }, response) => {
    if (message.method === "tools/call") {
      stream = response;
      openStream(response, event(askFor("twice", "The question of twice")));
      return true;
    }
    if (message.id !== "twice" || message.method !== undefined) return false;
    got.push(text);
    // The first one is read, and the gateway never hears of it.
    if (got.length > 1) response.writeHead(202).end();
    return true;
  };
  const client: RawClient = await rawClient(office.relay("raw"));
  const { begun, link, run } = await reviewOf(() =>
    client
      .call("call")
      .then((answer) => answer.text())
      .catch(() => "broken"),
  );
  expect((await decideByLink(link, "approve")).status).toBe(303);
  await until("the first post", () => got.length === 1);
  await office.kill();
  expect(await begun).toBe("broken");
  await office.start();
  await until("the second post", () => got.length === 2);
  expect(got[1]).toBe(got[0]);
  expect(JSON.parse(got[0] ?? "")).toMatchObject({ id: "twice", result: { role: "assistant" } });
  expect(callsFor("twice")).toBe(1);
  stream?.end(event(resultOf("call")));
  const { events } = await office.record();
  expect(events.filter((each) => each.run === run && each.fact.kind === "finished")).toHaveLength(1);
  // Nothing more comes: it is delivered.
  await pause(3_000);
  expect(got).toHaveLength(2);
});

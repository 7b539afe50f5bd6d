// Revoking an API key ends everything of that key: every endpoint refuses it, and nothing that it
// began goes on.

import { jsonOf } from "../../../shared/json/json-of.ts";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { KeyObject } from "../../../workers/objects/key/key-object.ts";
import { cacheStub, conversationStub, keyStub, queueStub } from "../../../workers/stubs/stubs.ts";
import { control, gates, textEnvelope } from "../support/control.ts";
import {
  type KeyAnswer,
  admin,
  configure,
  errorOf,
  post,
  routing,
  samplingMessage,
  createKey,
  env,
  eventually,
  gateway,
  jsonBody,
  model,
  openNotice,
  rpc,
  sample,
} from "../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  openStream,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { everything, keptReply, tablesOf } from "../objects/inside.ts";
import { HeldModels } from "../support/held-models.ts";
import { once } from "../support/lane.ts";
import { recordLines } from "../support/record.ts";
import { Stream } from "../support/stream.ts";
import { replyMarker } from "../support/logs.ts";
import { press } from "../support/reviewer.ts";

/**
 * As another place on earth has it for the next minute: the key was revoked, while its memory and
 * KV still show it as good.
 */
const revokeElsewhere = async ({ id }: KeyAnswer): Promise<void> => keyStub(env, id).revoke();

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ open: { url: `${upstreamOrigin}/mcp` } });
});

/** A task of this key that waits for its review. */
async function openTask(key: string): Promise<string> {
  const answer = await sample({ server: "request-gate" }, { key, headers: { Prefer: "respond-async" } });
  const task = decodeURIComponent((answer.headers.get("Location") ?? "").replace("/runs/", ""));
  await openNotice("request", task);
  return task;
}

type Asking = { readonly key: string; readonly task: string; readonly client: RelayClient };

/** Everything that a key opens. */
const endpoints: readonly (readonly [string, (asking: Asking) => Promise<Response>])[] = [
  ["POST /sampling, sampling/createMessage", ({ key }) => sample({}, { key })],
  ["POST /sampling, tasks/get", ({ key, task }) => rpc("tasks/get", { taskId: task }, { key })],
  ["POST /sampling, tasks/result", ({ key, task }) => rpc("tasks/result", { taskId: task }, { key })],
  ["POST /sampling, tasks/cancel", ({ key, task }) => rpc("tasks/cancel", { taskId: task }, { key })],
  [
    "POST /sampling, a notification",
    ({ key }) => {
      const params = { requestId: 1, _meta: { "countersign/session": "sess-1" } };
      return gateway("/sampling", { ...jsonBody("POST", { jsonrpc: "2.0", method: "notifications/cancelled", params }), key });
    },
  ],
  ["GET /runs", ({ key, task }) => gateway(`/runs/${task}`, { key })],
  ["DELETE /runs", ({ key, task }) => gateway(`/runs/${task}`, { key, method: "DELETE" })],
  ["DELETE /sessions", ({ key }) => gateway("/sessions/sess-1", { key, method: "DELETE" })],
  ["DELETE /sessions/…/requests", ({ key }) => gateway("/sessions/sess-1/requests/7?server=open", { key, method: "DELETE" })],
  ["POST /mcp, initialize", ({ key }) => new RelayClient("open", { key }).connect()],
  ["POST /mcp, tools/call", ({ client }) => client.call(7)],
  ["GET /mcp", ({ client }) => client.send({ method: "GET" })],
  ["DELETE /mcp", ({ client }) => client.send({ method: "DELETE" })],
  ["POST /control", ({ key }) => control(textEnvelope(), { key })],
  ["DELETE /control/sessions", ({ key }) => gateway("/control/sessions/talk", { key, method: "DELETE" })],
];

describe("a key that was revoked where nobody here has heard of it", () => {
  test("is refused with 401 at every endpoint, and nothing is done for it", async () => {
    const made = await createKey();
    const asking = { key: made.key, task: await openTask(made.key), client: new RelayClient("open", { key: made.key }) };
    await asking.client.connect();
    await revokeElsewhere(made);
    upstream.calls.length = 0;
    for (const [name, ask] of endpoints) {
      const response = await ask(asking);
      expect([name, response.status, response.headers.get("WWW-Authenticate")]).toEqual([name, 401, "Bearer"]);
      expect([name, await response.text()]).toEqual([name, expect.stringContaining("API key was revoked")]);
    }
    expect(upstream.calls).toEqual([]);
    expect(model.calls).toEqual([]);
  });
});

test("a key that is revoked has its kept replies and conversations deleted", async () => {
  await gates();
  const made = await createKey();
  const keeps = { control: { cache: { enable: true, ttl: 60 } }, context: { session_id: "talk", remember: { ttl: 60 } } };
  expect((await control(textEnvelope({}, keeps), { key: made.key })).status).toBe(200);
  const kept = async (): Promise<number> =>
    (await everything()).split("\n").filter((line) => /^CACHE|^CONVERSATION/.test(line) && line.includes(replyMarker)).length;
  await eventually("both", async () => (await kept()) === 2);
  expect((await admin(`/keys/${made.id}`, { method: "DELETE" })).status).toBe(204);
  await eventually("neither", async () => (await kept()) === 0);
});

test("nothing is kept for a key that was revoked before it is", async () => {
  const made = await createKey();
  await revokeElsewhere(made);
  const [cache, conversation] = [cacheStub(env, made.id, "digest"), conversationStub(env, made.id, "talk")];
  await cache.put(made.id, keptReply, Date.now(), 60_000);
  await conversation.append({ keyId: made.id, turnId: "turn", turns: jsonOf([]), base: "kept", ttlMs: 60_000 });
  expect([await cache.get(), await conversation.read()]).toEqual([null, null]);
});

/** A server in the middle of a client's call, which may ask what it likes. */
async function midCall(key: string): Promise<{ readonly ask: (id: string, method: string, params: object) => Promise<unknown> }> {
  const client = new RelayClient("open", { key });
  await client.connect();
  const stream = openStream();
  upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
  await client.call(7);
  return {
    ask: (id, method, params) => {
      stream.say(eventFor({ jsonrpc: "2.0", id, method, params }));
      return eventually(`an answer to ${id}`, async () => upstream.answersTo(id)[0]);
    },
  };
}

const taskMethods = ["tasks/get", "tasks/result", "tasks/cancel"] as const;

describe("a server at the relay that asks about a task", () => {
  test("of another key is told that there is none, and the task goes on", async () => {
    const task = await openTask((await createKey()).key);
    const { ask } = await midCall((await createKey()).key);
    for (const method of taskMethods)
      expect(await ask(method, method, { taskId: task })).toMatchObject({
        error: { code: -32602, message: expect.stringMatching(/task/i) },
      });
    await press((await openNotice("request", task)).link, "approve");
    await eventually("the model's call", async () => model.calls[0]);
  });

  test("on a stream that was opened before its key was revoked is told so", async () => {
    const made = await createKey();
    const task = await openTask(made.key);
    // The stream is cut by a window on the key: as where that does not get through.
    vi.spyOn(KeyObject.prototype, "fetch").mockImplementation(async () => new Response(null, { status: 500 }));
    const { ask } = await midCall(made.key);
    await revokeElsewhere(made);
    for (const method of taskMethods) expect(await ask(method, method, { taskId: task })).toMatchObject({ error: { code: -32014 } });
  });
});

/** Once so much that is held open in the key's name has its window on the key. */
const watched = ({ id }: KeyAnswer, count: number): Promise<void> =>
  once(() => runInDurableObject(keyStub(env, id), (_, state) => state.getWebSockets().length >= count));

const revoke = async ({ id }: KeyAnswer): Promise<void> => {
  expect((await admin(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
};

describe("what is under way on the fast path when its key is revoked", () => {
  let models: HeldModels;
  beforeEach(async () => {
    await gates();
    models = new HeldModels();
  });
  afterEach(() => models.end());

  const message = samplingMessage();
  const keeps = { control: { cache: { enable: true, ttl: 60 } }, context: { session_id: "talk", remember: { ttl: 60 } } };
  const callers: readonly (readonly [string, (key: string) => Promise<Response>])[] = [
    ["a sampling request", (key) => post(message, { key })],
    ["its repeat, which waits for the same answer", (key) => post(message, { key })],
    ["an envelope whose reply is to be kept", (key) => control(textEnvelope({}, keeps), { key })],
    ["an envelope whose reply comes as a stream", (key) => control(textEnvelope({ stream: true }), { key })],
  ];

  test("is told so while the model still thinks, and what the model says then is for nobody", async () => {
    const made = await createKey();
    const [first, again, ...envelopes] = callers.map(([, ask]) => ask);
    const asked = [first?.(made.key)];
    await models.came(1);
    asked.push(again?.(made.key), ...envelopes.map((ask) => ask(made.key)));
    await models.came(3);
    await watched(made, 3);
    await revoke(made);
    for (const [index, response] of asked.entries())
      expect([callers[index]?.[0], await (await response)?.text()]).toEqual([
        callers[index]?.[0],
        expect.stringContaining("its API key was revoked"),
      ]);
    models.end();
    const events = await eventually("what the calls came to", async () => {
      const all = await recordLines();
      return all.filter(({ fact }) => fact.kind === "finished").length === 3 ? all : null;
    });
    expect(events.filter(({ fact }) => fact.kind === "answered")).toHaveLength(3);
    for (const { fact } of events) if (fact.kind === "finished") expect(fact.outcome).toBe("cancelled");
    expect((await everything()).split("\n").filter((line) => /^CACHE|^CONVERSATION/.test(line) && line.includes("Answer to"))).toEqual([]);
  });

  test("leaves the queue of its model, which is never asked", async () => {
    const lane = { concurrency: 1, promoteAfterSeconds: 3_600 };
    await configure("routing", { ...routing, models: routing.models.slice(0, 1).map((each) => ({ ...each, lane })) });
    const made = await createKey();
    const other = sample();
    await models.came(1);
    const queued = errorOf(sample({}, { key: made.key }));
    const inLane = async () => (await tablesOf(queueStub(env, { id: "first", provider: "scripted" })))["slot"]?.length;
    await eventually("a place in the queue", async () => (await inLane()) === 2);
    await revoke(made);
    expect(await queued).toMatchObject({ code: -32800, data: { reason: "keyRevoked" } });
    await eventually("the queue without it", async () => (await inLane()) === 1);
    models.end();
    expect((await other).status).toBe(200);
    expect(models.asked).toHaveLength(1);
  });
});

describe("what is held open at the relay when its key is revoked", () => {
  const streams: readonly (readonly [string, (client: RelayClient) => Promise<Response>, string])[] = [
    ["the stream of a call", (client) => client.call(7), '"error":{"code":-32014'],
    ["a stand-alone stream", (client) => client.send({ method: "GET" }), ""],
  ];
  test.each(streams)("%s ends, and the server's with it", async (_what, open, told) => {
    const made = await createKey();
    const client = new RelayClient("open", { key: made.key });
    await client.connect();
    const upstreamStream = openStream();
    upstream.answer = ({ method, message }) =>
      method === "GET" || message.method === "tools/call" ? upstreamStream.response() : undefined;
    const held = new Stream(await open(client));
    upstreamStream.say(eventFor({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "hello" } }));
    await held.next();
    await watched(made, 1);
    await revoke(made);
    expect(await held.rest()).toContain(told);
    expect(held.text).toContain("hello");
    await eventually("the end of the server's stream", async () => upstreamStream.isOver());
  });

  test("a call whose server has not answered yet is refused", async () => {
    const made = await createKey();
    const client = new RelayClient("open", { key: made.key });
    await client.connect();
    let isAsked = false;
    upstream.answer = async ({ message }) => {
      if (message.method !== "tools/call") return undefined;
      isAsked = true;
      await once(async () => isOver);
      return undefined;
    };
    let isOver = false;
    const answer = client.call(7);
    await once(async () => isAsked);
    await watched(made, 1);
    await revoke(made);
    const response = await answer;
    isOver = true;
    expect(response.status).toBe(401);
    expect(await errorOf(response)).toMatchObject({ code: -32014, message: expect.stringContaining("revoked") });
  });

  test("and one that expires ends in the same way", async () => {
    upstream.answer = ({ message }) => (message.method === "tools/call" ? openStream().response() : undefined);
    // A busy machine may take longer than the first key is good for, to begin the call.
    let held: Response;
    let goodForMs = 3_000;
    do {
      const { key } = await createKey({ expiresAt: Date.now() + goodForMs });
      const client = new RelayClient("open", { key });
      await client.connect();
      held = await client.call(7);
      goodForMs *= 4;
    } while (held.status === 401 && goodForMs < 100_000);
    expect(held.status).toBe(200);
    expect(await new Stream(held).rest()).toContain("This API key has expired");
  });
});

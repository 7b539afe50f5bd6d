// One cheap request must not become endless work: everything that a key can cause is counted before
// it is done, and bounded. These tests count what was done; what it costs others is measured by npm
// run bench -- flood.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { KeyObject } from "../../../workers/objects/key/key-object.ts";
import type { AssociateInput } from "../../../workers/stubs/session-calls.ts";
import { digestStub, keyStub, sessionStub } from "../../../workers/stubs/stubs.ts";
import { SessionObject } from "../../../workers/objects/session/session-object.ts";
import { crash, ringAlarm, stubOf, tablesOf } from "../objects/inside.ts";
import { type MailApi, createMailApi } from "../../support/mail-api.ts";
import { ScriptedSlack } from "../../support/slack/scripted-slack.ts";
import { answerAt } from "../support/provider.ts";
import { decide } from "../support/reviewer.ts";
import { control, textEnvelope } from "../support/control.ts";
import {
  adminJson,
  answerOf,
  configure,
  createKey,
  env,
  errorOf,
  eventually,
  gateway,
  openNotice,
  policy,
  post,
  rpc,
  sample,
  travel,
} from "../support/gateway.ts";
import { RelayClient, type Upstream, configureServers, openStream, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { postV1 } from "../support/v1.ts";

const hourMs = 3_600_000;

/**
 * Time stands still but for what `pass` adds: a bucket that fills while a test works would let one
 * more through on a slow machine.
 */
function stoppedClock(): { readonly pass: (milliseconds: number) => void } {
  let at = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => at);
  return { pass: (milliseconds) => void (at += milliseconds) };
}

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ open: { url: `${upstreamOrigin}/mcp` } });
});

const cancelled = (requestId: string | number): object => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

describe("callsPerMinute", () => {
  type Sender = { readonly key: string; readonly client: RelayClient; readonly task: string };
  const everything: readonly (readonly [string, (sender: Sender) => Promise<Response>])[] = [
    ["a notification", ({ key }) => post(cancelled(1), { key })],
    ["a question about a task", ({ key, task }) => rpc("tasks/get", { taskId: task }, { key })],
    ["a question about a made-up task", ({ key }) => rpc("tasks/get", { taskId: "made-up" }, { key })],
    ["a method that there is not", ({ key }) => rpc("tools/call", {}, { key })],
    ["a sampling request whose params are wrong", ({ key }) => rpc("sampling/createMessage", { messages: 1 }, { key })],
    [
      "what is no JSON",
      ({ key }) => gateway("/sampling", { method: "POST", key, body: "{", headers: { "Content-Type": "application/json" } }),
    ],
    ["an envelope that is none", ({ key }) => control({ model: 1 }, { key })],
    ["a look at a run", ({ key, task }) => gateway(`/runs/${task}`, { key })],
    ["the end of a session", ({ key }) => gateway("/sessions/sess-1", { key, method: "DELETE" })],
    ["the end of a request", ({ key }) => gateway("/sessions/sess-1/requests/7?server=open", { key, method: "DELETE" })],
    ["the end of a conversation", ({ key }) => gateway("/control/sessions/any", { key, method: "DELETE" })],
    ["a message at the relay", ({ client }) => client.request(1, "ping")],
    ["a stream at the relay", ({ client }) => client.send({ method: "GET" })],
  ];

  let clock = { pass: (_milliseconds: number): void => {} };
  /**
   * A key with a task and a session at the relay, of whose ten messages a minute as many are left
   * as it says.
   */
  async function senderWith(left: number): Promise<Sender> {
    clock = stoppedClock();
    const { key } = await createKey({ limits: { callsPerMinute: 10 } });
    const asked = await sample({ server: "request-gate" }, { key, headers: { Prefer: "respond-async" } });
    const task = decodeURIComponent((asked.headers.get("Location") ?? "").replace("/runs/", ""));
    // The operators' list has a notice once a moment has passed.
    clock.pass(2_000);
    await openNotice("request", task);
    const client = new RelayClient("open", { key });
    await client.connect();
    clock.pass(60_000);
    for (let sent = 10; sent > left; sent -= 1) expect((await post(cancelled(1), { key })).status).toBe(202);
    return { key, client, task };
  }

  test.each(everything)("counts %s, and refuses one too many with when to come again", async (_what, send) => {
    const sender = await senderWith(1);
    expect((await send(sender)).status).not.toBe(429);
    const refused = await send(sender);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "6"]);
    const text = await refused.text();
    expect(text).toContain('"callsPerMinute"');
    expect(text).toContain("10 messages a minute");
    clock.pass(6_000);
    expect((await send(sender)).status).not.toBe(429);
  });

  test("counts every body at /v1, also one that is no JSON, and reads none too many", async () => {
    const { key } = await senderWith(1);
    const send = (): Promise<Response> => postV1("/chat/completions", "{", {}, key);
    expect((await send()).status).toBe(400);
    const refused = await send();
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "6"]);
    clock.pass(6_000);
    expect((await send()).status).toBe(400);
  });

  test("counts every message of a batch, and passes all of it or nothing", async () => {
    const { client } = await senderWith(5);
    const batch = (length: number): object[] => Array.from({ length }, (_, at) => ({ jsonrpc: "2.0", method: `notifications/n${at}` }));
    const before = upstream.calls.length;
    expect((await client.post(batch(4))).status).not.toBe(429);
    expect((await client.post(batch(4))).status).toBe(429);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  test("is ten times requestsPerMinute where nothing is said, so that no request is refused for it", async () => {
    const { key } = await createKey({ limits: { requestsPerMinute: 100_000 } });
    for (let sent = 0; sent < 1_201; sent += 1) expect((await post(cancelled(1), { key })).status).toBe(202);
  });
});

describe("a batch at the relay", () => {
  test("of more than a hundred messages is refused, and nothing of it is done", async () => {
    const client = new RelayClient("open");
    await client.connect();
    const before = upstream.calls.length;
    const asked = vi.spyOn(env.SESSION, "getByName");
    const refused = await client.post(Array.from({ length: 48_000 }, (_, at) => cancelled(at)));
    expect(asked).not.toHaveBeenCalled();
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toEqual({ code: -32600, message: "Send at most 100 messages in a batch" });
    expect((await client.post(Array.from({ length: 100 }, (_, at) => cancelled(at)))).status).toBeLessThan(300);
    expect(upstream.calls).toHaveLength(before + 1);
  });
});

describe("the body of an envelope", () => {
  /** A body that never ends: who waits for its end waits for ever. */
  const endless = (bytes: number): ReadableStream<Uint8Array> =>
    new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(`{"x":"${"x".repeat(bytes)}`)) });
  const send = (body: BodyInit, key: string | null): Promise<Response> =>
    gateway("/control", { method: "POST", key, body, headers: { "Content-Type": "application/json" } });

  test("is not read where the credential of a header is wrong", async () => {
    const refused = await send(endless(10), "csk_wrong");
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("API key")]);
  });

  test("is read up to 256 KiB where no header has a credential, and the answer says what to do", async () => {
    const refused = await send(endless(256 * 1024), null);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      error: {
        message: "The body is over 262144 bytes, the limit for a body that holds the credential; send the key as Authorization: Bearer",
        details: { limitBytes: 262_144 },
      },
    });
    const { key } = await createKey();
    const long = textEnvelope({ prompt: "x".repeat(260_000) }, { auth: { api_key: key } });
    expect((await control(long, { key: null })).status).not.toBe(413);
    expect((await control({ ...long, auth: {}, context: { note: "x".repeat(300_000) } }, { key })).status).not.toBe(413);
  });
});

describe("a session", () => {
  const nameOf = (): string => `session-${crypto.randomUUID()}`;
  const stub = (session: string, id: string): DurableObjectStub => sessionStub(env, id, session) as DurableObjectStub;
  const end = (session: string, key: string): Promise<Response> => gateway(`/sessions/${session}`, { method: "DELETE", key });

  const idle: readonly (readonly [string, (session: string, key: string) => Promise<Response>, number])[] = [
    [
      "a cancellation",
      (session, key) =>
        post(
          { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: { "countersign/session": session } } },
          { key },
        ),
      202,
    ],
    ["a request that the policy refuses", (session, key) => sample({ session, server: "refused" }, { key }), 200],
    ["a request that no model can serve", (session, key) => sample({ session, params: { maxTokens: 10_000_000 } }, { key }), 200],
    [
      "a request over the limit",
      async (session, key) => {
        for (let sent = 0; sent < 5; sent += 1) await sample({}, { key });
        return sample({ session }, { key });
      },
      429,
    ],
  ];
  test.each(idle)("is not made by %s", async (_what, send, status) => {
    stoppedClock();
    const session = nameOf();
    const { id, key } = await createKey({ limits: { requestsPerMinute: 5 } });
    expect((await send(session, key)).status).toBe(status);
    expect(await tablesOf(stub(session, id))).toEqual({});
  });

  test("is woken only once the key's object has let the request in, or has counted it", async () => {
    stoppedClock();
    const { key } = await createKey({ limits: { requestsPerMinute: 2 } });
    const [admit, associate] = [vi.spyOn(KeyObject.prototype, "admit"), vi.spyOn(SessionObject.prototype, "associate")];
    const statuses = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await sample({ session: nameOf() }, { key })).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    const asked = admit.mock.invocationCallOrder;
    // The first call for each of the four: a session that begins is called once more.
    const runs = associate.mock.calls.map(([input]) => (JSON.parse(input) as AssociateInput).run);
    const woken = associate.mock.invocationCallOrder.filter((_, at) => runs.indexOf(runs[at] ?? "") === at);
    // Of the second one the isolate knew that there is room: only then are both asked together.
    for (const at of [0, 2, 3]) expect(asked[at]).toBeLessThan(woken[at] ?? 0);
  });

  test("that was used stays ended for two days, and is gone then with all its rows", async () => {
    const session = nameOf();
    const { id, key } = await createKey();
    expect(await answerOf(sample({ session }, { key }))).toHaveProperty("result");
    expect((await end(session, key)).status).toBe(204);
    for (const hours of [1, 24, 22]) {
      travel(hours * hourMs);
      await runDurableObjectAlarm(stub(session, id));
      expect((await errorOf(sample({ session }, { key }))).data).toEqual({ reason: "sessionEnded" });
    }
    travel(3 * hourMs);
    await runDurableObjectAlarm(stub(session, id));
    expect(await tablesOf(stub(session, id))).toEqual({});
    expect(await runDurableObjectAlarm(stub(session, id))).toBe(false);
    expect(await answerOf(sample({ session }, { key }))).toHaveProperty("result");
  });

  test("that nobody ends is forgotten two days after it was used last", async () => {
    const session = nameOf();
    const { id, key } = await createKey();
    expect(await answerOf(sample({ session, originating: 1 }, { key }))).toHaveProperty("result");
    travel(30 * hourMs);
    await runDurableObjectAlarm(stub(session, id));
    // What lapsed stays so.
    expect((await errorOf(sample({ session, originating: 1 }, { key }))).data).toEqual({ reason: "originatingRequestEnded" });
    expect(await answerOf(sample({ session, originating: 2 }, { key }))).toHaveProperty("result");
    travel(30 * hourMs);
    await runDurableObjectAlarm(stub(session, id));
    expect((await tablesOf(stub(session, id)))["ended"]).toHaveLength(1);
    travel(30 * hourMs);
    await runDurableObjectAlarm(stub(session, id));
    expect(await tablesOf(stub(session, id))).toEqual({});
  });

  test("waits for its reviews, however long they take", async () => {
    const session = nameOf();
    const { id, key } = await createKey();
    const patient = {
      name: "patient",
      when: { server: "patient" },
      then: { request: "review", response: "allow", deadlineSeconds: 604_800 },
    };
    await configure("policy", { ...policy, rules: [...policy.rules, patient] });
    await sample({ session, server: "patient" }, { key, headers: { Prefer: "respond-async" } });
    travel(60 * hourMs);
    await runDurableObjectAlarm(stub(session, id));
    expect((await tablesOf(stub(session, id)))["sampling"]).toHaveLength(1);
  });

  test("that ends before anything was sampled stays ended, for the price of a request", async () => {
    stoppedClock();
    const { id, key } = await createKey({ limits: { callsPerMinute: 25 } });
    const [one, two, three] = [nameOf(), nameOf(), nameOf()];
    for (const [session, status] of [
      [one, 204],
      [two, 204],
      [three, 429],
    ] as const)
      expect((await end(session, key)).status).toBe(status);
    expect(await tablesOf(stub(three, id))).toEqual({});
    travel(hourMs);
    expect((await errorOf(sample({ session: one }, { key }))).data).toEqual({ reason: "sessionEnded" });
    travel(49 * hourMs);
    await runDurableObjectAlarm(stub(one, id));
    expect(await tablesOf(stub(one, id))).toEqual({});
  });
});

describe("heldStreams", () => {
  const taskOf = async (key: string): Promise<string> => {
    const asked = await sample({ server: "request-gate" }, { key, headers: { Prefer: "respond-async" } });
    return decodeURIComponent((asked.headers.get("Location") ?? "").replace("/runs/", ""));
  };
  const full = (max: number): object => ({ code: -32013, data: { limit: "heldStreams", max, retryAfterMs: 1_000 } });
  const listening = (): ReturnType<typeof openStream> => {
    const alone = openStream();
    upstream.answer = ({ method }) => (method === "GET" ? alone.response() : undefined);
    return alone;
  };
  const gets = (): number => upstream.calls.filter(({ method }) => method === "GET").length;

  test("counts what waits for a task, whoever asks for it and however often; a place is free when its caller has left", async () => {
    const { key } = await createKey({ limits: { heldStreams: 2, concurrent: 1 } });
    const task = await taskOf(key);
    const wait = (accept: string): Promise<Response> => rpc("tasks/result", { taskId: task }, { key, headers: { Accept: accept } });
    const held = [await wait("application/json"), await wait("text/event-stream")];
    expect(held.map(({ status }) => status)).toEqual([200, 200]);
    for (let sent = 0; sent < 10; sent += 1) {
      const refused = await wait("application/json");
      expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
      expect(await errorOf(refused)).toMatchObject(full(2));
    }
    await held[0]?.body?.cancel();
    const again = await eventually("a free place", async () => {
      const answer = await wait("application/json");
      return answer.status === 200 && answer;
    });
    await Promise.all([held[1]?.body?.cancel(), again.body?.cancel()]);
  });

  test("counts a repeat that waits with the first", async () => {
    const { key } = await createKey({ limits: { heldStreams: 1, concurrent: 1 } });
    const ask = (): Promise<Response> => sample({ id: "same", server: "request-gate" }, { key });
    const first = await ask();
    expect(await errorOf(await ask())).toMatchObject(full(1));
    await first.body?.cancel();
  });

  test("counts what waits at the control endpoint", async () => {
    const { key } = await createKey({ limits: { heldStreams: 1 } });
    const envelope = textEnvelope();
    const first = await control(envelope, { key });
    expect(first.status).toBe(200);
    const second = await control(envelope, { key });
    expect([second.status, await second.json()]).toMatchObject([
      429,
      { error: { code: -32013, details: { limit: "heldStreams", max: 1 } } },
    ]);
    await first.body?.cancel();
  });

  test("counts a stream at the relay before its server is asked for it", async () => {
    listening();
    const { key } = await createKey({ limits: { heldStreams: 1 } });
    const client = new RelayClient("open", { key });
    await client.connect();
    const leaving = new AbortController();
    const first = await client.send({ method: "GET", signal: leaving.signal });
    expect(first.status).toBe(200);
    for (let sent = 0; sent < 10; sent += 1) expect(await errorOf(await client.send({ method: "GET" }))).toMatchObject(full(1));
    expect(gets()).toBe(1);
    await first.body?.cancel();
  });

  test("counts a call at the relay whose stream stays open: one too many ends with an error", async () => {
    const { id, key } = await createKey({ limits: { heldStreams: 1 } });
    const client = new RelayClient("open", { key });
    await client.connect();
    const streams = [openStream(), openStream()];
    upstream.answer = ({ message }) => (message.method === "tools/call" ? streams[Number(message.id)]?.response() : undefined);
    const first = await client.call(0);
    const listened = first.text();
    // Another request would show it too, and could take the place before the call does.
    await eventually("its place", () => runInDurableObject(keyStub(env, id), (_, state) => state.getWebSockets().length === 1));
    const text = await (await client.call(1)).text();
    expect(JSON.parse(text.slice(text.indexOf("{")))).toMatchObject({ id: 1, error: { code: -32013 } });
    streams[0]?.end();
    await listened;
  });

  test("is counted on, when the object that counts was reset", async () => {
    const { key } = await createKey({ limits: { heldStreams: 1 } });
    const task = await taskOf(key);
    const wait = (): Promise<Response> => rpc("tasks/result", { taskId: task }, { key });
    const first = await wait();
    await crash();
    await eventually("its place", async () => {
      const answer = await wait();
      await answer.body?.cancel();
      return answer.status === 429;
    });
    await first.body?.cancel();
  });
});

describe("a stream at the relay ends with its session", () => {
  test("when the client ends that, and is not opened again", async () => {
    const alone = openStream();
    upstream.answer = ({ method }) => (method === "GET" ? alone.response() : undefined);
    const [client, other] = [new RelayClient("open"), new RelayClient("open")];
    await Promise.all([client.connect(), other.connect()]);
    const listened = (await client.send({ method: "GET" })).text();
    await client.send({ method: "DELETE" });
    expect(await listened).not.toContain("error");
    // Whatever its server still says there is said to nobody.
    await eventually("its end at the server", async () => alone.isOver());
    const again = await client.send({ method: "GET" });
    expect([again.status, await errorOf(again)]).toMatchObject([404, { code: -32001, message: "Session not found" }]);
    expect((await other.request(1, "ping")).status).toBe(200);
  });
});

describe("notices to one reviewer", () => {
  const linksIn = (text: string): string[] => [...text.matchAll(/https?:\/\/\S+\/r\/[A-Za-z0-9_-]+/g)].map(([link]) => link);
  const digests = ["email", "slack"] as const;
  const addresses = { email: "ada@example.com", slack: "U0ADA" } as const;
  const inDigest = async (channel: "email" | "slack"): Promise<number> =>
    ((await tablesOf(digestStub(env, channel, addresses[channel]) as DurableObjectStub))["item"] ?? []).filter(
      ({ state }) => state === "waiting",
    ).length;

  let mails: MailApi;
  let slack: ScriptedSlack;
  beforeEach(async () => {
    mails = createMailApi();
    slack = new ScriptedSlack({ token: env.SLACK_BOT_TOKEN ?? "", secret: env.SLACK_SIGNING_SECRET ?? "", members: ["U0ADA"] });
    answerAt("https://mail.example.com", mails.answer);
    answerAt("https://slack.example.com", (request) => slack.handle(request));
  });
  const reviewedBy = (reviewer: object): Promise<void> =>
    configure("policy", { ...policy, rules: [], default: { ...policy.default, response: "allow" }, reviewers: { everyone: [reviewer] } });

  /**
   * So many reviews within a moment; their runs. A day ahead: no digest goes out before it is rung,
   * however long that moment is on a busy machine.
   */
  async function opened(count: number): Promise<string[]> {
    travel(24 * hourMs);
    const { key } = await createKey({ limits: { requestsPerMinute: 1_000, concurrent: 1_000 } });
    const runs: string[] = [];
    for (let asked = 0; asked < count; asked += 1) {
      const answer = await sample({ server: "notes", originating: asked }, { key, headers: { Prefer: "respond-async" } });
      runs.push(decodeURIComponent((answer.headers.get("Location") ?? "").replace("/runs/", "")));
    }
    return runs;
  }
  const states = async (channel: string): Promise<string[]> =>
    (await adminJson<{ notices: { channel: string; state: string }[] }>("/notices?limit=200")).notices
      .filter((each) => each.channel === channel)
      .map(({ state }) => state);

  test("64 in a moment are five emails and a digest, with a link to each that opens its review, and so in Slack", async () => {
    await reviewedBy({ name: "Ada", email: "ada@example.com", slack: "U0ADA" });
    const runs = await opened(64);
    for (const channel of digests) await eventually("those that wait", async () => (await inDigest(channel)) === 59);
    expect(mails.taken).toHaveLength(5);
    // One of them is decided before the digest goes out.
    const decided = runs.at(-1) ?? "";
    await decide("request", "deny", decided);
    for (const milliseconds of [15_000, 60_000, 60_000]) {
      travel(milliseconds);
      for (const channel of digests) await ringAlarm(digestStub(env, channel, addresses[channel]) as DurableObjectStub);
    }
    expect(mails.taken.map(({ subject }) => subject).slice(5)).toEqual(["58 reviews wait for you"]);
    const links = new Set(mails.taken.flatMap(({ text }) => linksIn(text)));
    expect(links.size).toBe(63);
    for (const link of links) {
      const page = await gateway(new URL(link).pathname, { key: null });
      expect([page.status, (await page.text()).includes("Approve")]).toEqual([200, true]);
    }
    const posted = slack.messages.filter(({ channel }) => channel === "D0ADA");
    expect(posted.map(({ text }) => text)).toEqual([
      ...Array.from({ length: 5 }, () => expect.stringMatching(/ asks .+ · \d+ min/) as unknown),
      "20 reviews wait for you",
      "20 reviews wait for you",
      "18 reviews wait for you",
    ]);
    expect(new Set(posted.flatMap((message) => linksIn(JSON.stringify(message)))).size).toBe(63);
    travel(5_000);
    for (const run of runs) await ringAlarm(stubOf(run));
    for (const channel of digests)
      await eventually("what became of each", async () => (await states(channel)).filter((state) => state === "sent").length === 63);
  });

  test("what no digest can deliver goes to each reviewer's next channel", async () => {
    await reviewedBy({ name: "Ada", email: "ada@example.com", slack: "U0ADA", notify: ["email", "slack"] });
    const runs = await opened(8);
    await eventually("those that wait", async () => (await inDigest("email")) === 3);
    mails.script({ status: 422, name: "invalid_parameter" });
    travel(15_000);
    await ringAlarm(digestStub(env, "email", addresses.email) as DurableObjectStub);
    travel(5_000);
    for (const run of runs) await ringAlarm(stubOf(run));
    await eventually("three messages", async () => slack.messages.filter(({ channel }) => channel === "D0ADA").length === 3);
  });

  test("one that is alone when its turn comes is a notice of its own; a crash before loses none", async () => {
    await reviewedBy({ name: "Ada", email: "ada@example.com" });
    const runs = await opened(6);
    await eventually("the one that waits", async () => (await inDigest("email")) === 1);
    await crash();
    travel(15_000);
    await ringAlarm(digestStub(env, "email", addresses.email) as DurableObjectStub);
    travel(5_000);
    for (const run of runs) await ringAlarm(stubOf(run));
    await eventually("its email", async () => mails.taken.length === 6);
    expect(mails.taken[5]?.subject).toContain("notes · summarize asks ");
    travel(25 * hourMs);
    await ringAlarm(digestStub(env, "email", addresses.email) as DurableObjectStub);
    expect(await tablesOf(digestStub(env, "email", addresses.email) as DurableObjectStub)).toEqual({});
  });
});

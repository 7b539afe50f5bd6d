// Calls of users who share a gateway key and have credentials of their own for the server: nobody
// gets another one's call.

import { beforeEach, describe, expect, test } from "vitest";
import { createKey, eventually, gatewayWith } from "../support/gateway.ts";
import { revision2026 } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { RelayClient, type Upstream, configureServers, eventFor, scriptUpstream, streamOf, upstreamOrigin } from "../support/mcp-server.ts";
import { readUntil } from "../support/stream.ts";
import {
  type Asked,
  type Said,
  StatelessClient,
  answerWith,
  continuations,
  formInput,
  roundOf,
  samplingInput,
  textResult,
} from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
const capabilities = { elicitation: { form: {} } };
const params = { name: "summarize", arguments: { text: "one" } };
const accepted = { action: "accept", content: { ok: true } };

const part = (value: object): string => btoa(JSON.stringify(value)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
/** A JWT, whose signature only the server checks: here by its last part. */
const jwt = (subject: string, serial: number, signature = "signed"): string =>
  `Bearer ${part({ alg: "ES256" })}.${part({ iss: "https://issuer.example.com", sub: subject, jti: serial })}.${signature}`;

let upstream: Upstream;
let key: string;
const client = new StatelessClient("open-own", { key: null });
const as = (authorization: string, more: Asked = {}): Asked => ({
  capabilities,
  ...more,
  headers: { "X-Countersign-Key": key, Authorization: authorization },
});

beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ "open-own": { url, protocol: "2026", passAuthorization: true } });
  ({ key } = await createKey());
  // Every user is asked a form beside the sampling, and gets a result of their own.
  upstream.answer = (call) => {
    const who = call.headers.get("Authorization") ?? "nobody";
    if (who.endsWith(".forged")) return new Response(null, { status: 401 });
    if (call.message.method === "server/discover")
      return answerWith(call, { resultType: "complete", supportedVersions: [revision2026], capabilities: { tools: {} } });
    const responses = call.message.params?.["inputResponses"];
    const round = roundOf({ confirm: formInput, reply: samplingInput() }, `the state of ${who}`);
    return answerWith(call, responses === undefined ? round : textResult(`the result of ${who}`));
  };
});

const textOf = ({ result }: Said): string => JSON.stringify(result?.["content"] ?? null);
const retryOf = ({ result }: Said): object => ({
  ...params,
  requestState: result?.requestState ?? "",
  inputResponses: { confirm: accepted },
});

describe.each([
  ["opaque tokens", "Bearer alice", "Bearer bob"],
  ["JWTs", jwt("alice", 1), jwt("bob", 1)],
  ["another scheme", "Basic YWxpY2U6MQ==", "Basic Ym9iOjE="],
])("users with %s", (_what, alice, bob) => {
  test("have calls of their own, though their requests are the same", async () => {
    const first = await client.call(params, as(alice));
    const second = await client.call(params, as(bob));
    expect(textOf(await client.call(retryOf(first), as(alice)))).toContain(alice);
    expect(textOf(await client.call(retryOf(second), as(bob)))).toContain(bob);
    // One that has ended is no other user's either.
    expect((await client.call(params, as(bob))).result?.requestState).not.toBeUndefined();
    expect(continuations(upstream.calls).map(({ headers }) => headers.get("Authorization"))).toEqual([alice, bob]);
  });

  test("cannot go on with each other's state, and are told why", async () => {
    const first = await client.call(params, as(alice));
    const said = await client.call(retryOf(first), as(bob));
    expect(said.error).toMatchObject({ code: -32602, message: expect.stringMatching(/another Authorization.*without requestState/) });
    expect(continuations(upstream.calls)).toEqual([]);
    expect(textOf(await client.call(retryOf(first), as(alice)))).toContain(alice);
  });
});

describe("a credential that was refreshed during a call", () => {
  test("continues it where it is a JWT of the same issuer and subject that the server accepts", async () => {
    const first = await client.call(params, as(jwt("alice", 1)));
    const said = await client.call(retryOf(first), as(jwt("alice", 2)));
    expect(textOf(said)).toContain(jwt("alice", 2));
  });

  test("does not where the server refuses it: anybody can write a JWT", async () => {
    const first = await client.call(params, as(jwt("alice", 1)));
    const forged = await client.request("tools/call", retryOf(first), as(jwt("alice", 2, "forged")));
    expect(forged.status).toBe(401);
    expect(continuations(upstream.calls)).toEqual([]);
    // Nor does it find the call without a state.
    await client.call(retryOf(first), as(jwt("alice", 1)));
    expect((await client.request("tools/call", params, as(jwt("alice", 2, "forged")))).status).toBe(401);
  });

  test("is another call for whoever wrote the same claims, at a server that lets both in", async () => {
    const [alice, forger] = [jwt("alice", 1), jwt("alice", 2, "forged")];
    upstream.answer = (call) => {
      const isFirst = call.message.params?.["inputResponses"] === undefined;
      const who = call.headers.get("Authorization") ?? "nobody";
      return answerWith(
        call,
        isFirst ? roundOf({ confirm: formInput, reply: samplingInput() }, `the state of ${who}`) : textResult(`the result of ${who}`),
      );
    };
    const [first, second] = [await client.call(params, as(alice)), await client.call(params, as(forger))];
    expect(textOf(await client.call(retryOf(first), as(alice)))).toContain(alice);
    expect(textOf(await client.call(retryOf(second), as(forger)))).toContain(forger);
  });

  test("ends it where it is opaque: nothing shows whose it is", async () => {
    const first = await client.call(params, as("Bearer alice-1"));
    const said = await client.call(retryOf(first), as("Bearer alice-2"));
    expect(said.error?.message).toMatch(/another Authorization/);
  });
});

test("a task is its user's alone", async () => {
  await configureServers({ "request-gate": { url, protocol: "2026", passAuthorization: true } });
  const tasks = { capabilities: { ...capabilities, extensions: { "io.modelcontextprotocol/tasks": {} } } };
  upstream.answer = (call) => answerWith(call, roundOf({ reply: samplingInput() }, "the state"));
  const waiting = new StatelessClient("request-gate", {
    key: null,
    send: (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init),
  });
  const { result } = await waiting.call(params, as("Bearer alice", tasks));
  const taskId = String(result?.["taskId"]);
  expect(taskId).toMatch(/^call_/);
  const bobs = await waiting.says("tasks/get", { taskId }, as("Bearer bob", tasks));
  expect(bobs.error?.message).toMatch(/another Authorization/);
  expect((await waiting.says("tasks/get", { taskId }, as("Bearer alice", tasks))).result).toMatchObject({ status: "working" });
});

test("a state of a call at a server with sessions is good with the token that began it", async () => {
  await configureServers({ "open-own": { url, passAuthorization: true } });
  const elicits = { jsonrpc: "2.0", id: 5, method: "elicitation/create", params: { message: "Well?", requestedSchema: {} } };
  upstream.answer = ({ message }) => (message.method === "tools/call" ? streamOf(eventFor(elicits, "1")) : undefined);
  const first = await client.call(params, as(jwt("alice", 1)));
  expect(first.result?.inputRequests).toHaveProperty("input-1");
  for (const authorization of [jwt("bob", 1), jwt("alice", 2)])
    expect((await client.call(retryOf(first), as(authorization))).error?.message).toMatch(/another Authorization/);
  const state = { ...params, requestState: first.result?.requestState };
  expect((await client.call(state, as(jwt("alice", 1)))).result?.inputRequests).toHaveProperty("input-1");
});

describe("a call in a session whose id somebody else has too", () => {
  const inSession = (authorization: string, session: string | null = null): RelayClient => {
    const own = new RelayClient("open-own", { key: null, headers: { "X-Countersign-Key": key, Authorization: authorization } });
    own.session = session;
    return own;
  };
  /** A call that waits for its client's answer to a form. */
  async function waiting(authorization: string) {
    const own = inSession(authorization);
    await own.connect({ elicitation: {} });
    const stream = (await own.call(7)).body?.getReader();
    if (stream === undefined) throw new Error("no stream");
    const [, place = "", asked = ""] = await readUntil(stream, /id: (\S+)[\s\S]*"id":"(countersign\/input\/[\w-]+)"/);
    const answer = { jsonrpc: "2.0", id: asked, result: accepted };
    const resume = (as: RelayClient) => as.send({ method: "GET", headers: { Accept: "text/event-stream", "Last-Event-ID": place } });
    return { own, stream, answer, resume };
  }

  test.each([
    ["an opaque token", "Bearer alice", "Bearer bob"],
    ["a JWT", jwt("alice", 1), jwt("bob", 1)],
  ])("is neither resumed nor answered nor cancelled with another user's credential: %s", async (_, alice, bob) => {
    const { own, stream, answer, resume } = await waiting(alice);
    const other = inSession(bob, own.session);
    await other.post({ ...answer, result: { action: "decline" } });
    await other.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
    expect(continuations(upstream.calls)).toEqual([]);
    await own.post(answer);
    await readUntil(stream, new RegExp(`the result of ${alice.replaceAll(".", "\\.")}`));
    expect(continuations(upstream.calls)[0]?.text).toContain('"accept"');
    const resumed = await (await resume(other)).text();
    expect(resumed).toContain("begun with another Authorization");
    expect(resumed).not.toContain("the result of");
  });

  test("goes on with a JWT that was refreshed meanwhile, and with none that the server refuses", async () => {
    const { own, stream, answer, resume } = await waiting(jwt("alice", 1));
    const forger = inSession(jwt("alice", 2, "forged"), own.session);
    expect((await resume(forger)).status).toBe(401);
    expect((await forger.post(answer)).status).toBe(401);
    expect((await forger.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } })).status).toBe(401);
    // A server that says no in another way than 401 has not accepted it either.
    const answered = upstream.answer;
    upstream.answer = (call) =>
      call.headers.get("Authorization")?.endsWith(".forged") === true ? new Response("no", { status: 400 }) : answered(call);
    expect((await forger.post(answer)).status).toBe(404);
    expect((await resume(forger)).status).toBe(404);
    expect(continuations(upstream.calls)).toEqual([]);
    expect((await inSession(jwt("alice", 2), own.session).post(answer)).status).toBe(202);
    await eventually("the continued call", async () => continuations(upstream.calls).length > 0);
    await readUntil(stream, /the result of/);
  });
});

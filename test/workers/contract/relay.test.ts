// The relay's endpoint: who is let in, what passes to a server and back, and what never does.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { forwardedIds } from "../../../shared/relay/passed-through.ts";
import { parseRelaySession } from "../../../shared/relay/session-id.ts";
import { type SigningKeys, signingKey } from "../../../shared/sealed-id.ts";
import { type Server, parseServers } from "../../../shared/relay/servers.ts";
import { runStub } from "../../../workers/stubs/stubs.ts";
import { askUpstream } from "../../../workers/mcp-client/ask-upstream.ts";
import { devKeyId } from "../../../workers/stores/keys.ts";
import {
  createKey,
  devKey,
  env,
  eventually,
  gateway,
  gatewayWith,
  model,
  notices,
  openNotice,
  runReaches,
  travel,
} from "../support/gateway.ts";
import { promptMarker } from "../support/logs.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  initializeResult,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  streamOf,
  upstreamOrigin,
  upstreamSession,
} from "../support/mcp-server.ts";
import { expectOfficial, expectOfficialError } from "../support/official.ts";
import { decide } from "../support/reviewer.ts";
import { idsOf } from "../support/scope.ts";
import { Stream, messageOf } from "../support/stream.ts";

const url = `${upstreamOrigin}/mcp`;
const prompt = `${promptMarker} Summarize this.`;
const ask = (id: string | number, params: object = {}): object => samplingRequest(id, prompt, params);
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({
    open: { url },
    "request-gate": { url },
    secret: { url, secret: "NOTES_TOKEN" },
    own: { url, passAuthorization: true },
    headers: { url, headers: { "X-Tenant": "acme" } },
    forward: { url, mode: "forward" },
    fallback: { url, mode: "fallback" },
    pages: { url, origins: ["https://app.example.com"] },
    "open-strict": { url, association: "strict" },
    "open-some": { url, samplingTools: ["summarize"] },
    "open-plain": { url, tools: false, tasks: false },
  });
});

const connected = async (...options: ConstructorParameters<typeof RelayClient>): Promise<RelayClient> => {
  const client = new RelayClient(...options);
  await client.connect();
  return client;
};

/** What the server is told about its request, once it is. */
const answered = (id: string | number): Promise<ReturnType<Upstream["answersTo"]>[number]> =>
  eventually(`an answer to ${id}`, async () => upstream.answersTo(id)[0]);

const onlyPlace = /^id: [\w-]+\.0\ndata: \n\n$/;

const errorIn = async (response: Response): Promise<{ code: number; message: string }> =>
  (await response.json<{ error: { code: number; message: string } }>()).error;

describe("who is let in", () => {
  test.each<[string, string | null]>([
    ["no key", null],
    ["a wrong key", "csk_wrong"],
    ["the server's own session id for a key", upstreamSession],
  ])("nobody with %s, and nothing reaches the server", async (_name, key) => {
    const client = new RelayClient("open", { key });
    for (const method of ["POST", "GET", "DELETE"])
      expect((await client.send({ method, ...(method === "POST" ? { body: JSON.stringify(ping) } : {}) })).status).toBe(401);
    expect(upstream.calls).toEqual([]);
  });

  test("nobody without a key by the session id alone", async () => {
    const { session } = await connected();
    const stranger = new RelayClient("open", { key: null });
    stranger.session = session;
    expect((await stranger.post(ping)).status).toBe(401);
    expect(upstream.calls).toHaveLength(1);
  });

  test("nobody at a server that the document does not name, whatever its name is like", async () => {
    for (const name of ["unknown", "__proto__", "constructor", "toString", "OPEN"]) {
      const answer = await new RelayClient(name).post(ping);
      expect([name, answer.status]).toEqual([name, 404]);
    }
    // A URL has no such name: it is read as "/", which takes GET.
    expect((await new RelayClient("%2e%2e").post(ping)).status).toBe(405);
    expect(upstream.calls).toEqual([]);
  });

  test("a key only at the servers that it is for", async () => {
    const { key } = await createKey({ servers: ["open"] });
    expect((await new RelayClient("open", { key }).connect()).status).toBe(200);
    expect((await new RelayClient("request-gate", { key }).connect()).status).toBe(403);
    expect(upstream.calls).toHaveLength(1);
  });

  test("a web page only where its origin is listed, or is the gateway's own", async () => {
    const from = async (server: string, origin: string): Promise<number> =>
      (await new RelayClient(server, { headers: { Origin: origin } }).connect()).status;
    expect(await from("pages", "https://app.example.com")).toBe(200);
    expect(await from("open", "http://localhost:8787")).toBe(200);
    for (const origin of ["https://evil.example.com", "https://app.example.com:8443", "http://app.example.com", "null"])
      expect([origin, await from("pages", origin)]).toEqual([origin, 403]);
    expect(await from("open", "https://app.example.com")).toBe(403);
  });

  test("other methods are refused with those there are", async () => {
    for (const method of ["PUT", "PATCH"]) {
      const answer = await new RelayClient().send({ method, body: "{}" });
      expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST, GET, DELETE"]);
    }
  });

  const ofBatch = [
    { jsonrpc: "2.0", id: 8, method: "ping" },
    { jsonrpc: "2.0", method: "notifications/x" },
    { ...ping, id: "nine" },
  ];
  test.each<[string, number, (message: unknown) => Promise<Response>]>([
    ["without a key", 401, (message) => new RelayClient("open", { key: null }).post(message)],
    ["with a wrong key", 401, (message) => new RelayClient("open", { key: "csk_wrong" }).post(message)],
    [
      "with a key of another scope",
      403,
      async (message) => new RelayClient("open", { key: (await createKey({ scopes: ["control"] })).key }).post(message),
    ],
    [
      "with a key for other servers",
      403,
      async (message) => new RelayClient("open", { key: (await createKey({ servers: ["pages"] })).key }).post(message),
    ],
    ["at a server that there is not", 404, (message) => new RelayClient("unknown").post(message)],
    [
      "from a page of an origin that is not listed",
      403,
      (message) => new RelayClient("open", { headers: { Origin: "https://evil.example.com" } }).post(message),
    ],
    [
      "with our key in both places",
      400,
      (message) => new RelayClient("own", { headers: { "X-Countersign-Key": devKey, Authorization: `Bearer ${devKey}` } }).post(message),
    ],
    ["without a session", 400, (message) => new RelayClient().post(message)],
    ["with a session that there is not", 404, (message) => Object.assign(new RelayClient(), { session: "x" }).post(message)],
    [
      "to a server that redirects",
      502,
      async (message) => {
        const client = await connected();
        upstream.answer = () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.example.com/" } });
        return client.post(message);
      },
    ],
    [
      "to a server that answers by asking",
      502,
      async (message) => {
        const client = await connected();
        upstream.answer = () => Response.json(ask("ask-1"));
        return client.post(message);
      },
    ],
  ])("the refusal of what comes %s names its request, and each one of a batch", async (_how, status, send) => {
    const one = await send({ ...ping, id: "seven" });
    expect(one.status).toBe(status);
    const answer = await one.json();
    expect(answer).toMatchObject({ id: "seven" });
    expectOfficialError(answer);
    const several = await (await send(ofBatch)).json<{ id: unknown }[]>();
    expect(several.map(({ id }) => id)).toEqual([8, "nine"]);
    for (const each of several) expectOfficialError(each);
    const none = await (await send({ jsonrpc: "2.0", method: "notifications/x" })).json<object>();
    expect(none).not.toHaveProperty("id");
    expectOfficial("JSONRPCErrorResponse", none);
  });

  test("a body over the key's limit is refused before the server hears of it", async () => {
    const { key } = await createKey({ limits: { bodyBytes: 2_000 } });
    const client = await connected("open", { key });
    const before = upstream.calls.length;
    expect((await client.request(1, "ping", { text: "x".repeat(3_000) })).status).toBe(413);
    expect(upstream.calls).toHaveLength(before);
    expect((await client.request(1, "ping", { text: "x".repeat(1_000) })).status).toBe(200);
  });
});

describe("sessions", () => {
  test("begin with initialize and are handed out sealed: the server's own id is never shown", async () => {
    const client = new RelayClient();
    const answer = await client.connect();
    expect(client.session).toMatch(/^[\x21-\x7e]{40,4096}$/);
    expect(client.session).not.toContain(upstreamSession);
    expect(await answer.text()).not.toContain(upstreamSession);
    await client.post(ping);
    expect(upstream.calls[1]?.headers.get("Mcp-Session-Id")).toBe(upstream.session);
  });

  test("are asked for with everything else: 400 without, 404 where it is not one of this key and server", async () => {
    expect((await new RelayClient().post(ping)).status).toBe(400);
    const { session } = await connected();
    const { key } = await createKey();
    const others = [
      new RelayClient("request-gate"),
      new RelayClient("open", { key }),
      Object.assign(new RelayClient(), { session: `${session}A` }),
      Object.assign(new RelayClient(), { session: upstream.session }),
      Object.assign(new RelayClient(), { session: "x".repeat(8_000) }),
    ];
    for (const client of others) client.session ??= session;
    for (const client of others)
      for (const method of ["POST", "GET", "DELETE"]) {
        const answer = await client.send({ method, ...(method === "POST" ? { body: JSON.stringify(ping) } : {}) });
        expect(answer.status).toBe(404);
        expect(await errorIn(answer)).toMatchObject({ message: "Session not found" });
      }
    expect(upstream.calls).toHaveLength(1);
  });

  test("of a server without any are handed out too, and the server is sent none", async () => {
    upstream.answer = ({ message }) =>
      message.method === "initialize"
        ? Response.json({ jsonrpc: "2.0", id: message.id, result: initializeResult("2025-06-18") })
        : undefined;
    const client = await connected();
    expect(client.session).not.toBeNull();
    await client.post(ping);
    expect(upstream.calls[1]?.headers.has("Mcp-Session-Id")).toBe(false);
  });

  test("do not begin with an error, which passes as it is", async () => {
    const refusal = { jsonrpc: "2.0", id: "init", error: { code: -32602, message: "Unsupported protocol version" } };
    upstream.answer = () => Response.json(refusal);
    const client = new RelayClient();
    const answer = await client.connect();
    expect([answer.status, client.session, await answer.json()]).toEqual([200, null, refusal]);
  });

  test.each(["2025-11-25\r\nX-Other: 1", "", "x".repeat(33), 20251125, null])(
    "do not begin with a revision that is none (%j)",
    async (revision) => {
      const result = { ...initializeResult(""), protocolVersion: revision };
      upstream.answer = ({ message }) => Response.json({ jsonrpc: "2.0", id: message.id, result });
      const client = new RelayClient();
      const answer = await client.connect();
      expect([answer.status, client.session, await answer.json()]).toEqual([200, null, { jsonrpc: "2.0", id: "init", result }]);
    },
  );

  test("whose own id is too long to be carried are refused with words for it", async () => {
    upstream.answer = ({ message }) =>
      Response.json(
        { jsonrpc: "2.0", id: message.id, result: initializeResult("2025-06-18") },
        { headers: { "Mcp-Session-Id": "x".repeat(5_000) } },
      );
    const answer = await new RelayClient().connect();
    expect([answer.status, (await errorIn(answer)).message]).toEqual([502, "The MCP server's session id is too long"]);
  });

  test("begin also where the server answers with a stream that it leaves open, whose later events pass", async () => {
    const stream = openStream();
    upstream.answer = ({ message }) => (message.method === "initialize" ? stream.response() : undefined);
    const client = new RelayClient();
    const connecting = client.connect();
    stream.say(": first\n\n");
    stream.say(eventFor({ jsonrpc: "2.0", id: "init", result: initializeResult("2025-06-18") }));
    const answer = await connecting;
    expect(client.session).not.toBeNull();
    stream.say(eventFor({ jsonrpc: "2.0", method: "notifications/message", params: { data: "later" } }));
    stream.say(eventFor(ask("on-initialize")));
    stream.end();
    const text = await answer.text();
    expect(text.startsWith(": first\n\nevent: message\n")).toBe(true);
    expect(text).toContain("later");
    expect(text).not.toContain("createMessage");
    expect((await answered("on-initialize")).error).toMatchObject({ code: -32602 });
  });

  test("end with DELETE, which the server gets too", async () => {
    const client = await connected();
    expect((await client.send({ method: "DELETE" })).status).toBe(200);
    expect(upstream.calls[1]).toMatchObject({ method: "DELETE" });
    expect(upstream.calls[1]?.headers.get("Mcp-Session-Id")).toBe(upstream.session);
  });
});

describe("what passes to a server", () => {
  test("is the body byte for byte, whatever is in it", async () => {
    const client = await connected();
    const bodies = [
      '{ "jsonrpc" : "2.0",\n "id":1.0, "method":"x/y", "params":{"n":1e2,"s":"\\u00e9"}, "extra":[] }',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]',
      '{"jsonrpc":"2.0","id":5,"result":{"role":"assistant"}}',
    ];
    for (const body of bodies) await client.send({ body });
    expect(upstream.calls.slice(1).map(({ text }) => text)).toEqual(bodies);
  });

  test("is of the headers only what a server has to know; our key, cookies and addresses are not", async () => {
    const client = await connected("open", {
      headers: {
        "X-Countersign-Key": devKey,
        Cookie: "a=b",
        "X-Forwarded-For": "192.0.2.1",
        "CF-Connecting-IP": "192.0.2.1",
        "User-Agent": "host/1",
        "MCP-Protocol-Version": "2025-11-25",
        "X-Other": "1",
      },
    });
    await client.post(ping);
    for (const { headers } of upstream.calls) {
      const names = [...headers.keys()].toSorted();
      expect(names.filter((name) => name !== "mcp-session-id" && name !== "content-length")).toEqual([
        "accept",
        "content-type",
        "mcp-protocol-version",
      ]);
      expect(JSON.stringify([...headers])).not.toContain(devKey);
    }
  });

  test("is the entry's own headers and its secret from the environment, in place of whatever the client sends", async () => {
    const secret = { NOTES_TOKEN: "the-notes-token-0123456789" } as Partial<typeof env>;
    const client = await connected("secret", { send: (path, init) => gatewayWith(secret, path, init) });
    await client.post(ping);
    expect(upstream.calls.map(({ headers }) => headers.get("Authorization"))).toEqual([
      "Bearer the-notes-token-0123456789",
      "Bearer the-notes-token-0123456789",
    ]);
    await connected("headers", { headers: { "X-Tenant": "other" } });
    expect(upstream.calls.at(-1)?.headers.get("X-Tenant")).toBe("acme");
  });

  test("is nothing where the secret that the entry names is not set", async () => {
    const answer = await new RelayClient("secret").connect();
    expect([answer.status, (await errorIn(answer)).message]).toEqual([502, expect.stringContaining("secret")]);
    expect(upstream.calls).toEqual([]);
  });

  test("is the client's own Authorization only where the entry says so, and our key then only in its own header", async () => {
    const both = { key: null, headers: { "X-Countersign-Key": devKey, Authorization: "Bearer the-users-own-token" } };
    await connected("own", both);
    expect(upstream.calls[0]?.headers.get("Authorization")).toBe("Bearer the-users-own-token");
    await connected("open", both);
    expect(upstream.calls[1]?.headers.has("Authorization")).toBe(false);
    // Where Authorization is the server's, our key in it is no key, and the words lead nobody to
    // send it there.
    const refused = await new RelayClient("own").connect();
    expect(refused.status).toBe(401);
    expect((await errorIn(refused)).message).toBe(
      "No API key: send X-Countersign-Key: <key>; Authorization is passed on to the server here",
    );
  });

  test("is never a key of ours, not even where a client sends it as the server's credential too", async () => {
    const { key } = await createKey();
    for (const credential of [devKey, key]) {
      const client = new RelayClient("own", { key: null, headers: { "X-Countersign-Key": devKey, Authorization: `Bearer ${credential}` } });
      expect((await client.connect()).status).toBe(400);
    }
    expect(upstream.calls).toEqual([]);
  });
});

describe("a client's own reply to sampling", () => {
  const reply = { role: "assistant", content: { type: "text", text: "Nobody reviewed this." }, model: "mine" };

  test.each(["open", "request-gate"])("reaches no server whose sampling the gateway answers (%s)", async (server) => {
    const client = await connected(server);
    const before = upstream.calls.length;
    for (const message of [
      { jsonrpc: "2.0", id: "of-the-server", result: reply },
      [
        { jsonrpc: "2.0", method: "notifications/x" },
        { jsonrpc: "2.0", id: 7, result: reply },
      ],
    ])
      expect((await client.post(message)).status).toBe(400);
    expect(upstream.calls).toHaveLength(before);
    // What else a server asks its client is the client's to answer.
    await client.post({ jsonrpc: "2.0", id: "elicited", result: { action: "accept", content: { name: "x" } } });
    expect(upstream.calls).toHaveLength(before + 1);
  });

  test("reaches one whose sampling it answers", async () => {
    const client = await connected("forward");
    const before = upstream.calls.length;
    await client.post({ jsonrpc: "2.0", id: "of-the-server", result: reply });
    expect(upstream.calls).toHaveLength(before + 1);
  });
});

describe("what passes from a server", () => {
  test("is JSON byte for byte, and its status", async () => {
    const client = await connected();
    const text = '{ "jsonrpc":"2.0", "id":1,\n "result":{"n":1.0,"s":"\\u0073ampling\\/createMessage", "x":[1e2]} }';
    upstream.answer = () =>
      new Response(text, { headers: { "Content-Type": "application/json; charset=utf-8", "Set-Cookie": "a=b", Server: "x" } });
    const answer = await client.post(ping);
    expect(await answer.text()).toBe(text);
    expect(Object.fromEntries(answer.headers)).toEqual({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    for (const status of [202, 400, 401, 404, 405, 406, 409, 429, 500, 503]) {
      upstream.answer = () =>
        new Response(status === 202 ? null : "why", { status, headers: { "WWW-Authenticate": "Bearer", "Retry-After": "3" } });
      const passed = await client.post(ping);
      expect([passed.status, passed.headers.get("Retry-After"), passed.headers.has("WWW-Authenticate")]).toEqual([status, "3", false]);
    }
  });

  test("tells where to sign in where the client signs in at the server itself", async () => {
    upstream.answer = () =>
      new Response(null, { status: 401, headers: { "WWW-Authenticate": 'Bearer resource_metadata="https://notes.example.com/x"' } });
    const client = new RelayClient("own", { key: null, headers: { "X-Countersign-Key": devKey } });
    expect((await client.connect()).headers.get("WWW-Authenticate")).toContain("resource_metadata");
  });

  test.each([301, 302, 303, 307, 308])("is no redirect (%i): it is not followed, and the client is told", async (status) => {
    upstream.answer = () => new Response(null, { status, headers: { Location: "https://elsewhere.example.com/mcp" } });
    const answer = await new RelayClient().connect();
    expect([answer.status, answer.headers.has("Location"), (await errorIn(answer)).message]).toEqual([
      502,
      false,
      expect.stringContaining("redirect"),
    ]);
    expect(upstream.calls).toHaveLength(1);
  });

  /** An entry with an address that the servers document would refuse. */
  function entry(url: string): Server {
    const parsed = parseServers({ servers: { any: { url: "https://notes.example.com/mcp" } } });
    const any = parsed.ok ? parsed.value.servers["any"] : undefined;
    if (any === undefined) throw new Error("the plain entry is refused");
    return { ...any, url };
  }

  test.each([
    ["a private address", "https://10.0.0.8/mcp"],
    ["a loopback address in other notation", "https://0x7f.1/mcp"],
    ["plain http", "http://notes.example.com/mcp"],
  ])("is none from %s: the address of an entry is judged once more when it is asked", async (_what, url) => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const before = fetched.mock.calls.length;
    const request = { method: "GET", session: null, headers: new Headers(), authorization: null } as const;
    expect(await askUpstream(env, entry(url), request)).toEqual({ ok: false, error: "unreachable" });
    expect(fetched.mock.calls).toHaveLength(before);
  });

  test("is an error with words where the server cannot be reached", async () => {
    upstream.answer = () => Promise.reject(new TypeError("connection refused to 10.0.0.8"));
    const answer = await new RelayClient().connect();
    expect([answer.status, await errorIn(answer)]).toEqual([502, { code: -32603, message: "The MCP server cannot be reached" }]);
  });

  test("is a stream byte for byte where nothing is ours, but for the mark on the ids of its events", async () => {
    const client = await connected("open-strict");
    const text =
      ': hello\r\n\r\nretry: 10\nevent: message\rdata: {"jsonrpc":"2.0",\ndata: "method":"notifications/x\u2028"}\n\ndata: not JSON\n\ndata: cut';
    upstream.answer = () => streamOf(text);
    expect(await (await client.call(1)).text()).toBe(text);
    upstream.answer = () => streamOf("id: 7\ndata: {}\n\n");
    expect(await (await client.call(2)).text()).toMatch(/^id: [\w-]+\.7\ndata: \{\}\n\n$/);
  });

  test.each([
    ["strict", 0],
    ["auto", 1],
  ])("wakes no object where nothing is sampled, but with association %s %i for the session", async (association, expected) => {
    await configureServers({ open: { url, association } });
    const woken = async (): Promise<number> => {
      const all = await Promise.all([idsOf(env.SESSION), idsOf(env.RUN), idsOf(env.KEY)]);
      return all.flat().length;
    };
    // The first request of an isolate asks the key's object for a share of its limits.
    await (await connected()).post(ping);
    const before = await woken();
    const client = await connected();
    upstream.answer = ({ message }) =>
      streamOf(eventFor({ jsonrpc: "2.0", method: "notifications/x" }), eventFor(responseTo(message.id), "1"));
    await (await client.call(1)).text();
    upstream.answer = () => undefined;
    await client.post(ping);
    expect(await woken()).toBe(before + expected);
  });
});

describe("initialize on its way", () => {
  const capabilitiesAt = (call: number): unknown => upstream.calls[call]?.message.params?.["capabilities"];

  test("declares sampling to the server as its entry says, and keeps what the client declared", async () => {
    const roots = { roots: { listChanged: true } };
    await new RelayClient("open").connect(roots);
    await new RelayClient("open-plain").connect(roots);
    await new RelayClient("open").connect(roots, "2025-06-18");
    await new RelayClient("open").connect({ sampling: {} });
    await new RelayClient("open-plain").connect({ experimental: { own: { a: 1 } } }, "2024-11-05");
    const extended = { experimental: { "countersign/responseFormat": {} } };
    const tasks = { cancel: {}, requests: { sampling: { createMessage: {} } } };
    expect([0, 1, 2, 3, 4].map(capabilitiesAt)).toEqual([
      { ...roots, ...extended, sampling: { tools: {} }, tasks },
      { ...roots, ...extended, sampling: {} },
      { ...roots, ...extended, sampling: {} },
      { ...extended, sampling: { tools: {} }, tasks },
      { experimental: { own: { a: 1 }, ...extended.experimental }, sampling: {} },
    ]);
  });

  test("passes as it is where sampling is the client's own", async () => {
    await new RelayClient("forward").connect({ roots: {} });
    await new RelayClient("forward").connect({ sampling: {} });
    await new RelayClient("fallback").connect({ sampling: { context: {} } });
    await new RelayClient("fallback").connect({});
    expect([0, 1, 2].map(capabilitiesAt)).toEqual([{ roots: {} }, { sampling: {} }, { sampling: { context: {} } }]);
    expect(capabilitiesAt(3)).toHaveProperty("sampling");
  });
});

describe("a server's request for sampling", () => {
  const sampled = async (client: RelayClient, id: string, params: object = {}, method = "tools/call"): Promise<string> => {
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(ask(id, params))) : undefined);
    return (await client.request("call", method, { name: "summarize", uri: "file:///a" })).text();
  };

  test("is answered to the server, in its session, and the client sees nothing of it", async () => {
    const client = await connected();
    // What the client gets is a place to come back to, and no message.
    expect(await sampled(client, "s1")).toMatch(onlyPlace);
    const { result } = await answered("s1");
    expect(result).toMatchObject({ role: "assistant", model: "vendor/first", content: { type: "text" } });
    const call = upstream.calls.at(-1);
    expect([call?.headers.get("Mcp-Session-Id"), call?.headers.get("MCP-Protocol-Version")]).toEqual([upstream.session, "2025-11-25"]);
    expect(model.calls).toHaveLength(1);
  });

  test("is what a person sees as observed, under the name of the call", async () => {
    const client = await connected("request-gate");
    await sampled(client, "s1");
    const { link } = await openNotice("request");
    const page = await (await gateway(new URL(link).pathname, { key: null })).text();
    expect(page).toContain("summarize");
    await decide("request", "approve");
    expect((await answered("s1")).result).toMatchObject({ role: "assistant" });
  });

  test.each(["resources/subscribe", "tools/list", "ping", "completion/complete"])(
    "is answered on the stream of any request of the client: %s",
    async (method) => {
      await sampled(await connected(), "s1", {}, method);
      expect((await answered("s1")).result).toMatchObject({ role: "assistant" });
    },
  );

  test("is refused on the stream of a task's result that is nobody's", async () => {
    await sampled(await connected(), "s1", {}, "tasks/result");
    expect((await answered("s1")).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("Sampling request is not associated with a client request"),
    });
    expect(model.calls).toEqual([]);
  });

  test("is refused while a notification is handled", async () => {
    const client = await connected();
    const alone = openStream();
    upstream.answer = ({ method, message }) => {
      if (message.method === "notifications/roots/list_changed") alone.say(eventFor(ask("for-notification")));
      return method === "GET" ? alone.response() : undefined;
    };
    const listening = new Stream(await client.send({ method: "GET" }));
    await client.post({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    expect((await answered("for-notification")).error).toMatchObject({ code: -32602 });
    await listening.leave();
  });

  test("is refused on a stream of several requests at once, and on the stand-alone stream", async () => {
    const client = await connected();
    upstream.answer = ({ method, text }) =>
      method === "GET" ? streamOf(eventFor(ask("on-get"))) : text.startsWith("[") ? streamOf(eventFor(ask("on-batch"))) : undefined;
    expect(await (await client.send({ method: "GET" })).text()).toBe("");
    expect(await (await client.post([ping, { ...ping, id: 2 }])).text()).toBe("");
    for (const id of ["on-get", "on-batch"]) expect((await answered(id)).error).toMatchObject({ code: -32602 });
  });

  test("is refused for a call whose tool may not sample", async () => {
    const client = await connected("open-some");
    upstream.answer = ({ message }) => (message.method === "tools/call" ? streamOf(eventFor(ask(`for-${message.id}`))) : undefined);
    await (await client.call("a")).text();
    await (await client.call("b", { name: "other" })).text();
    expect((await answered("for-a")).result).toBeDefined();
    expect((await answered("for-b")).error).toMatchObject({ code: -1, data: { outcome: "refused" } });
  });

  test("is refused where it uses what was not declared to this server", async () => {
    const client = await connected("open-plain");
    await sampled(client, "s1", { tools: [{ name: "t", inputSchema: { type: "object" } }] });
    await sampled(client, "s2", { task: {} });
    for (const id of ["s1", "s2"]) expect((await answered(id)).error).toMatchObject({ code: -32602 });
  });

  test("cannot name a session or a request that it is for: what it claims counts for nothing", async () => {
    const client = await connected("request-gate");
    const claim = {
      "countersign/session": "sess-of-another",
      "countersign/originatingRequest": { id: 99, method: "tools/call", name: "tool-of-another", server: "open" },
    };
    await sampled(client, "s1", { _meta: claim });
    const { link } = await openNotice("request");
    const page = await (await gateway(new URL(link).pathname, { key: null })).text();
    expect(page).not.toContain("tool-of-another");
    expect(model.calls).toEqual([]);
  });

  test("with the id of one under way is the same request, or refused where it asks something else", async () => {
    const client = await connected("request-gate");
    upstream.answer = ({ message }) =>
      message.id === "call" ? streamOf(eventFor(ask("s1")), eventFor(ask("s1")), eventFor(ask("s1", { maxTokens: 5 }))) : undefined;
    await (await client.call("call")).text();
    expect((await answered("s1")).error).toMatchObject({ code: -32600 });
    await decide("request", "approve");
    await eventually("the result", async () => upstream.answersTo("s1").some(({ result }) => result !== undefined));
    expect(model.calls).toHaveLength(1);
    expect(new Set((await notices()).map(({ run }) => run)).size).toBe(1);
  });

  test("with an id that another call of the session uses too is another request", async () => {
    const client = await connected();
    upstream.answer = ({ message }) => (message.method === "tools/call" ? streamOf(eventFor(ask("s1"))) : undefined);
    await (await client.call("a")).text();
    await (await client.call("b")).text();
    await eventually("two answers", async () => upstream.answersTo("s1").length === 2);
    expect(model.calls).toHaveLength(2);
  });

  test("is refused after the response of the call, on the same stream", async () => {
    const client = await connected("open-strict");
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(responseTo("call")), eventFor(ask("late"))) : undefined);
    expect(await (await client.call("call")).text()).toBe(eventFor(responseTo("call")));
    expect((await answered("late")).error).toMatchObject({ code: -32602 });
    expect(model.calls).toEqual([]);
  });

  test("is refused after the client cancelled the call", async () => {
    const client = await connected();
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const reading = (await client.call("call")).text();
    await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "call" } });
    await eventually("the end of it", async () => {
      stream.say(eventFor(ask(`late-${upstream.calls.length}`)));
      return upstream.calls.some(({ message }) => message.error?.code === -32602);
    });
    stream.end();
    expect(await reading).not.toContain("createMessage");
  });

  test("of a session that ended is refused", async () => {
    const client = await connected();
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const reading = (await client.call("call")).text();
    await client.send({ method: "DELETE" });
    stream.say(eventFor(ask("late")));
    expect((await answered("late")).error).toMatchObject({ code: -32602 });
    stream.end();
    await reading;
  });

  test("on a stream that is resumed is for the request whose stream it is", async () => {
    const client = await connected("request-gate");
    upstream.answer = ({ message, method }) => {
      if (message.id === "call") return streamOf("id: 1\ndata: \n\n");
      return method === "GET" ? streamOf(eventFor(ask("resumed"), "2")) : undefined;
    };
    const id = /^id: (\S+\.1)$/m.exec(await (await client.call("call")).text())?.[1] ?? "";
    const text = await (await client.send({ method: "GET", headers: { "Last-Event-ID": id } })).text();
    expect(upstream.calls.findLast(({ method }) => method === "GET")?.headers.get("Last-Event-ID")).toBe("1");
    // The client comes back to before it, where that is lost too.
    expect(text).toBe("");
    const { run } = await openNotice("request");
    await decide("request", "approve");
    expect((await answered("resumed")).result).toBeDefined();
    expect((await runReaches(run, "completed")).state).toBe("completed");
  });

  test("that a server sends again on the resumed stream of a list is refused", async () => {
    const client = await connected();
    upstream.answer = ({ message, method }) => {
      if (message.id === "list") return streamOf("id: 1\ndata: \n\n");
      return method === "GET" ? streamOf(eventFor(ask("again"), "2")) : undefined;
    };
    const id = /^id: (\S+)/.exec(await (await client.request("list", "tools/list")).text())?.[1] ?? "";
    await (await client.send({ method: "GET", headers: { "Last-Event-ID": id } })).text();
    expect((await answered("again")).error).toMatchObject({ code: -32602 });
    expect(model.calls).toEqual([]);
  });

  test("of a server without event ids gives the client an id of ours: who comes back with it is told that the outcome is unknown, once", async () => {
    const client = await connected();
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(ask("s1"))) : undefined);
    const place = /^id: (\S+)/.exec(await (await client.call("call")).text())?.[1] ?? "";
    const before = upstream.calls.length;
    const text = await (await client.send({ method: "GET", headers: { "Last-Event-ID": place } })).text();
    expect(messageOf(text.split("\n\n")[0])).toMatchObject({
      id: "call",
      error: { code: -32603, message: expect.stringContaining("unknown") },
    });
    const told = /^id: (\S+)/.exec(text)?.[1] ?? "";
    expect((await client.send({ method: "GET", headers: { "Last-Event-ID": told } })).status).toBe(405);
    await answered("s1");
    expect(upstream.calls.slice(before).filter(({ method }) => method === "GET")).toEqual([]);
  });

  test("of a server with event ids never gets one of ours", async () => {
    const client = new RelayClient("open-strict");
    await client.connect({}, "2025-06-18");
    upstream.answer = ({ message }) =>
      message.id === "call" ? streamOf(eventFor(ask("s1"), "7"), eventFor(responseTo("call"), "8")) : undefined;
    const text = await (await client.request("call", "tools/call", { name: "summarize", _meta: { progressToken: "p" } })).text();
    expect(
      text
        .split("\n\n")
        .filter((each) => each.includes("id: "))
        .map((each) => /id: \S+\.(\S+)/.exec(each)?.[1]),
    ).toEqual(["7", "8"]);
    // A client of this revision knows no event without a message: this one it passes over.
    expect(text).toMatch(/^id: [\w-]+\.7\nevent: place\ndata: \n\n/);
  });

  test("cannot be resumed with an event id of the server's own, or of another session", async () => {
    const [one, other] = [await connected(), await connected()];
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf("id: 1\ndata: \n\n") : undefined);
    const id = /^id: (\S+\.1)$/m.exec(await (await one.call("call")).text())?.[1] ?? "";
    const before = upstream.calls.length;
    for (const [client, last] of [
      [one, "1"],
      [other, id],
      [one, ""],
      [one, `${id.slice(0, 20)}.1`],
    ] as const)
      expect((await client.send({ method: "GET", headers: { "Last-Event-ID": last } })).status).toBe(400);
    expect(upstream.calls).toHaveLength(before);
  });
});

describe("sampling never reaches a client unseen", () => {
  const raw = (id: unknown, method = '"sampling/createMessage"'): string =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${method},"params":{"messages":[],"maxTokens":5}}`;

  test.each<[string, string]>([
    ["escapes", `data: ${raw("s", '"sampling\\/createMessage"')}\n\n`],
    ["more escapes", `data: ${raw("s", '"\\u0073ampling/\\u0063reateMessage"')}\n\n`],
    ["a byte order mark", `\uFEFFdata: ${raw("s")}\n\n`],
    ["carriage returns", `data: ${raw("s")}\r\r`],
    ["several lines", `data: {"jsonrpc":"2.0","id":"s",\r\ndata:"method":"sampling/createMessage",\rdata: "params":{}}\n\n`],
    ["a name of its own", `event: other\ndata: ${raw("s")}\n\n`],
    ["an id that is too long", `data: ${raw("x".repeat(600))}\n\n`],
    ["an id that is no integer", `data: ${raw(0.5)}\n\n`],
    ["another case", `data: ${raw("s").replace('"method"', '"Method"')}\n\n`],
    ["what is not JSON", `data: ${raw("s").replace("5", "NaN")}\n\n`],
    ["a line end of Unicode", `: comment\u2028data: ${raw("s")}\n\n`],
    ["a line end of Unicode after an id", `id: 7\u0085data: ${raw("s")}\n\n`],
    ["no end of the event", `data: ${raw("s")}`],
    ["no end of the line but one", `data: ${raw("s")}\n`],
  ])("in an event with %s", async (_name, text) => {
    const client = await connected();
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(text, eventFor(responseTo("call"))) : undefined);
    const passed = await (await client.call("call")).text();
    expect(passed.replaceAll(/\\u0063|\\u0073|\\\//g, "")).not.toMatch(/createMessage|reateMessage/);
    if (text.endsWith("\n\n") || text.endsWith("\r\r")) expect(passed).toContain("done");
  });

  test("as the answer itself, where only a stream may hold requests", async () => {
    const client = await connected();
    for (const type of ["application/json", "text/plain", "application/json-seq", ""])
      for (const body of [raw("inline"), `[${raw("inline")}]`, raw(0.5), raw("inline", '"sampling\\u002fcreateMessage"')]) {
        upstream.answer = ({ message }) => (message.id === "call" ? new Response(body, { headers: { "Content-Type": type } }) : undefined);
        const answer = await client.call("call");
        expect([answer.status, await errorIn(answer)]).toEqual([
          502,
          { code: -32603, message: expect.stringContaining("in place of a response") },
        ]);
      }
    expect(upstream.answersTo("inline")).toEqual([]);
  });

  test.each(["text/event-stream;charset=utf-8", "TEXT/EVENT-STREAM", "application/json, text/event-stream", "x-text/event-stream"])(
    "in a stream whose type is %s",
    async (type) => {
      const client = await connected();
      upstream.answer = ({ message }) =>
        message.id === "call" ? new Response(`data: ${raw(type)}\n\n`, { headers: { "Content-Type": type } }) : undefined;
      expect(await (await client.call("call")).text()).not.toContain("createMessage");
      await answered(type);
    },
  );

  test("in what answers a GET, whatever its type is", async () => {
    const client = await connected();
    upstream.answer = ({ method }) =>
      method === "GET" ? new Response(`data: ${raw("on-get")}\n\n`, { headers: { "Content-Type": "text/plain" } }) : undefined;
    expect(await (await client.send({ method: "GET" })).text()).not.toContain("createMessage");
    await answered("on-get");
  });

  test("in the answer to initialize", async () => {
    upstream.answer = ({ message }) =>
      message.method === "initialize"
        ? streamOf(
            `data: ${raw("on-initialize")}\n\n`,
            eventFor({ jsonrpc: "2.0", id: message.id, result: initializeResult("2025-11-25") }),
          )
        : undefined;
    const client = new RelayClient();
    const text = await (await client.connect()).text();
    expect(client.session).not.toBeNull();
    expect(text).not.toContain("createMessage");
    expect((await answered("on-initialize")).error).toMatchObject({ code: -32602 });
  });

  test("but what only speaks of it passes", async () => {
    const client = await connected("open-strict");
    const spoken = { jsonrpc: "2.0", id: "call", result: { content: [{ type: "text", text: `a\u2028b\u0085${raw("s")}` }] } };
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(spoken)) : undefined);
    expect(await (await client.call("call")).text()).toBe(eventFor(spoken));
    upstream.answer = ({ message }) => (message.id === "call" ? Response.json(spoken) : undefined);
    expect(await (await client.call("call")).json()).toEqual(spoken);
  });
});

describe("a batch of 2025-03-26", () => {
  test("is left as it is but for what is ours in it", async () => {
    const client = await connected();
    const others = [{ jsonrpc: "2.0", method: "notifications/x" }, responseTo("call")];
    upstream.answer = ({ message }) =>
      message.id === "call" ? streamOf(`id: 3\ndata: ${JSON.stringify([others[0], ask("s1"), others[1]])}\n\n`) : undefined;
    const text = await (await client.call("call")).text();
    expect(text).toMatch(/^id: [\w-]+\.3\n/);
    expect(JSON.parse(text.slice(text.indexOf("data: ") + 6))).toEqual(others);
    await answered("s1");
  });
});

describe("forward", () => {
  test("leaves sampling to the client, and what the client answers to the server", async () => {
    const client = new RelayClient("forward");
    await client.connect({ sampling: {} });
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(ask("s1"))) : undefined);
    expect(await (await client.call("call")).text()).toBe(eventFor(ask("s1")));
    const declined = { jsonrpc: "2.0", id: "s1", error: { code: -1, message: "User rejected sampling request" } };
    expect((await client.post(declined)).status).toBe(202);
    expect(upstream.answersTo("s1")).toEqual([declined]);
    expect(model.calls).toEqual([]);
  });
});

describe("fallback", () => {
  const forwarded = async (id = "s1", server = "fallback"): Promise<RelayClient> => {
    const client = new RelayClient(server);
    await client.connect({ sampling: {} });
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(ask(id))) : undefined);
    expect(await (await client.call("call")).text()).toBe(eventFor(ask(id)));
    return client;
  };
  const error = (id: string | number, code: number): object => ({ jsonrpc: "2.0", id, error: { code, message: "no" } });

  test("answers by itself where the client has no sampling", async () => {
    const client = await connected("fallback");
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(ask("s1"))) : undefined);
    expect(await (await client.call("call")).text()).toMatch(onlyPlace);
    await decide("request", "approve");
    await decide("response", "approve");
    expect((await answered("s1")).result).toBeDefined();
  });

  test("leaves the client's own answer alone, and forgets the request", async () => {
    const client = await forwarded();
    const result = { jsonrpc: "2.0", id: "s1", result: { role: "assistant", content: { type: "text", text: "mine" }, model: "own" } };
    await client.post(result);
    expect(upstream.answersTo("s1")).toEqual([result]);
    await eventually("that it is forgotten", async () => {
      await client.post(error("s1", -32603));
      return upstream.answersTo("s1").length > 1;
    });
    expect(await notices()).toEqual([]);
  });

  test.each([-2, -32601, -32603, -32600, 7])(
    "takes over where the client answers with error %i: people are asked, and the server gets one answer",
    async (code) => {
      const client = await forwarded();
      expect((await client.post(error("s1", code))).status).toBe(202);
      expect(upstream.answersTo("s1")).toEqual([]);
      await decide("request", "approve");
      await decide("response", "approve");
      expect((await answered("s1")).result).toMatchObject({ role: "assistant" });
      expect(upstream.answersTo("s1")).toHaveLength(1);
      expect(upstream.calls.at(-1)?.headers.get("Mcp-Session-Id")).toBe(upstream.session);
    },
  );

  test("leaves a person's no alone: -1 goes to the server, and nobody is asked again", async () => {
    const client = await forwarded();
    await client.post(error("s1", -1));
    expect(upstream.answersTo("s1")).toEqual([error("s1", -1)]);
    await eventually("that it is forgotten", async () => {
      await client.post(error("s1", -32603));
      return upstream.answersTo("s1").length > 1;
    });
    expect(await notices()).toEqual([]);
  });

  test("takes over once: a second error is the client's own", async () => {
    const client = await forwarded();
    await client.post(error("s1", -32603));
    await client.post(error("s1", -32603));
    expect(upstream.answersTo("s1")).toEqual([error("s1", -32603)]);
    expect(new Set((await openNotices()).map(({ run }) => run)).size).toBe(1);
  });

  test("does not take over for another session, an id of another type, or what was never asked", async () => {
    await forwarded("7");
    const other = new RelayClient("fallback");
    await other.connect({ sampling: {} });
    await other.post(error("7", -32603));
    const client = await forwarded("8");
    await client.post(error(8, -1));
    await client.post(error("9", -1));
    expect(["7", 8, "9"].map((id) => upstream.answersTo(id).length)).toEqual([1, 1, 1]);
    expect(await notices()).toEqual([]);
  });

  test("does not take over after the call has its response, or after the server gave it up", async () => {
    const client = new RelayClient("fallback");
    await client.connect({ sampling: {} });
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "s1" } };
    for (const [call, last] of [
      ["one", responseTo("one")],
      ["two", cancelled],
    ] as const) {
      upstream.answer = ({ message }) => (message.id === call ? streamOf(eventFor(ask("s1")), eventFor(last)) : undefined);
      expect(await (await client.call(call)).text()).toBe(eventFor(ask("s1")) + eventFor(last));
      const before = upstream.answersTo("s1").length;
      await client.post(error("s1", -32603));
      expect(upstream.answersTo("s1")).toHaveLength(before + 1);
    }
    expect(await notices()).toEqual([]);
  });

  test("keeps the request for a while only, and nothing where nobody declined", async () => {
    const client = await forwarded();
    const keys: SigningKeys = [signingKey(env.LINK_KEY ?? "")];
    const { name } = parseRelaySession(keys, client.session ?? "", devKeyId, "fallback") ?? { name: "" };
    const [held = ""] = forwardedIds(keys, name, "s1");
    const tables = (): Promise<unknown[]> =>
      runInDurableObject(runStub(env, held), (_object, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'parked'").toArray(),
      );
    expect(await tables()).toHaveLength(1);
    // Not before its time, however often the alarm comes.
    expect(await runDurableObjectAlarm(runStub(env, held))).toBe(true);
    expect(await tables()).toHaveLength(1);
    travel(15 * 60_000);
    expect(await runDurableObjectAlarm(runStub(env, held))).toBe(true);
    expect(await tables()).toHaveLength(0);
    await client.post(error("s1", -32603));
    expect(upstream.answersTo("s1")).toEqual([error("s1", -32603)]);
    expect(await tables()).toHaveLength(0);
  });

  test("is the client's alone with a credential of its own, which nobody has later", async () => {
    await configureServers({ mine: { url, mode: "fallback", passAuthorization: true } });
    const client = new RelayClient("mine", { key: null, headers: { "X-Countersign-Key": devKey, Authorization: "Bearer the-users-own" } });
    await client.connect({ sampling: {} });
    upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(ask("s1"))) : undefined);
    await (await client.call("call")).text();
    await client.post(error("s1", -32603));
    expect(upstream.answersTo("s1")).toEqual([error("s1", -32603)]);
  });

  const openNotices = async (): ReturnType<typeof notices> => {
    await openNotice("request");
    return notices();
  };
});

describe("a server whose own patience ends", () => {
  const timedOut = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: "s1", reason: "McpError: MCP error -32001: Request timed out" },
  };
  const pageOf = async (link: string): Promise<string> => (await gateway(new URL(link).pathname, { key: null })).text();

  /** A call whose server asks, gives up and answers with an error, as SDKs do. */
  async function givenUp(reason: object = timedOut): Promise<{ client: RelayClient; run: string; link: string }> {
    const client = await connected("request-gate");
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const reading = (await client.call("call")).text();
    stream.say(eventFor(ask("s1")));
    const { run, link } = await openNotice("request");
    stream.say(eventFor(reason) + eventFor({ jsonrpc: "2.0", id: "call", error: { code: -32001, message: "Request timed out" } }));
    stream.end();
    expect(await reading).not.toContain("cancelled");
    return { client, run, link };
  }
  const askAgain = async (client: RelayClient): Promise<void> => {
    upstream.answer = ({ message }) => (message.id === "again" ? streamOf(eventFor(ask("s2"))) : undefined);
    await (await client.call("again")).text();
  };

  test("leaves the review open: its page says that the requestor has gone, and the reply serves its next try", async () => {
    const { client, run, link } = await givenUp();
    await eventually("the words", async () => (await pageOf(link)).includes("has disconnected"));
    await decide("request", "approve", run);
    await runReaches(run, "completed");
    await askAgain(client);
    expect((await answered("s2")).result).toMatchObject({ role: "assistant" });
    expect(model.calls).toHaveLength(1);
    expect(new Set((await notices()).map((notice) => notice.run))).toEqual(new Set([run]));
    expect(upstream.answersTo("s1")).toEqual([]);
  });

  test("and asks again while people still think is told what they decide, once, and they are asked no second time", async () => {
    const { client, run, link } = await givenUp();
    await eventually("the words", async () => (await pageOf(link)).includes("has disconnected"));
    await askAgain(client);
    await eventually("the requestor back", async () => !(await pageOf(link)).includes("has disconnected"));
    await decide("request", "approve", run);
    expect((await answered("s2")).result).toMatchObject({ role: "assistant" });
    await runReaches(run, "completed");
    expect(upstream.answersTo("s2")).toHaveLength(1);
    expect(upstream.answersTo("s1")).toEqual([]);
    expect(new Set((await notices()).map((notice) => notice.run)).size).toBe(1);
    expect(model.calls).toHaveLength(1);
  });

  test("is no other reason: who cancels for one withdraws the review", async () => {
    const { run } = await givenUp({ ...timedOut, params: { requestId: "s1", reason: "the user closed the tab" } });
    expect((await runReaches(run, "cancelled")).state).toBe("cancelled");
  });
});

describe("a client that leaves", () => {
  test("cancels nothing: the run goes on, and its answer is posted to the server", async () => {
    const client = await connected("request-gate");
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const reading = new Stream(await client.call("call"));
    stream.say(eventFor(ask("s1")));
    const { run } = await openNotice("request");
    await reading.leave();
    await decide("request", "approve");
    expect((await answered("s1")).result).toBeDefined();
    expect((await runReaches(run, "completed")).state).toBe("completed");
  });
});

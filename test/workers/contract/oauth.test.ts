// OAuth in front of the relay: how a client without a key finds out how to get in, is let in by a
// person, and is put out again.

import { createHash } from "node:crypto";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { OAuthCalls } from "../../../workers/stubs/oauth-calls.ts";
import { configStub, keyStub } from "../../../workers/stubs/stubs.ts";
import { admin, env, eventually, gateway, publicUrl, travel } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox, newestSignInLink, signInLinks } from "../support/inbox.ts";
import { neverLogged } from "../support/logs.ts";
import { RelayClient, configureServers, openStream, scriptUpstream, type Upstream, upstreamOrigin } from "../support/mcp-server.ts";
import { recordLines } from "../support/record.ts";
import { idsOf } from "../support/scope.ts";
import { Stream } from "../support/stream.ts";

const url = `${upstreamOrigin}/mcp`;
const connections = { reviewers: ["everyone"] };
const servers = {
  notes: { url, connections },
  other: { url },
  closed: { url, connections: { reviewers: [] } },
  own: { url, passAuthorization: true },
};
const callback = "http://127.0.0.1:33418/callback";
const verifier = "verifier-of-the-tests-0123456789-0123456789-0123456789";
const challenge = createHash("sha256").update(verifier).digest("base64url");

let upstream: Upstream;
let browser: InboxBrowser;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureInbox({}, [
    { name: "Ada", email: addresses.Ada },
    { name: "Grace", email: addresses.Grace },
  ]);
  await configureServers(servers);
  browser = new InboxBrowser();
  await browser.signIn(addresses.Ada);
});

type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly expires_in: number; readonly error?: string };

async function register(of: object = {}): Promise<string> {
  const body = JSON.stringify({ client_name: "Inspector", redirect_uris: [callback], token_endpoint_auth_method: "none", ...of });
  const answer = await gateway("/oauth/register", { key: null, method: "POST", body, headers: { "Content-Type": "application/json" } });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { client_id: string }).client_id;
}

const queryFor = (client: string, of: Readonly<Record<string, string>> = {}): string =>
  new URLSearchParams({
    response_type: "code",
    client_id: client,
    redirect_uri: callback,
    state: "state-1",
    scope: "mcp:use",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: `${publicUrl}/mcp/notes`,
    ...of,
  }).toString();

/** What the page's form answers, and where the browser goes on to. */
async function decide(
  query: string,
  fields: Readonly<Record<string, string>>,
  by = browser,
): Promise<{ status: number; to: URL | null; html: string }> {
  const form = await by.form(`/inbox/connect?${query}`);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const answer = await by.post(`/inbox/connect?${query}`, form);
  const to = /^0; url=(.*)$/.exec(answer.headers.get("Refresh") ?? "")?.[1];
  return { status: answer.status, to: to === undefined ? null : new URL(to), html: await answer.text() };
}

async function token(fields: Readonly<Record<string, string>>): Promise<{ status: number; tokens: Tokens }> {
  const answer = await gateway("/oauth/token", {
    key: null,
    method: "POST",
    body: new URLSearchParams(fields).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
  const tokens = (answer.headers.get("Content-Type") ?? "").includes("json") ? ((await answer.json()) as Tokens) : ({} as Tokens);
  for (const each of [tokens.access_token, tokens.refresh_token]) if (each !== undefined) neverLogged(each);
  return { status: answer.status, tokens };
}

const trade = (client: string, code: string | null, of: Readonly<Record<string, string>> = {}) =>
  token({ grant_type: "authorization_code", client_id: client, redirect_uri: callback, code: code ?? "", code_verifier: verifier, ...of });

/** A client that Ada let in to `notes`. */
async function connect(fields: Readonly<Record<string, string>> = {}): Promise<{ client: string; tokens: Tokens }> {
  const client = await register();
  const { to } = await decide(queryFor(client), { act: "allow", ...fields });
  const { status, tokens } = await trade(client, to?.searchParams.get("code") ?? null);
  expect(status).toBe(200);
  return { client, tokens };
}

const refreshed = (client: string, { refresh_token }: Tokens) => token({ grant_type: "refresh_token", client_id: client, refresh_token });
/** By another program than the client's own, whose request is another. */
const stolenFrom = (client: string, { refresh_token }: Tokens) =>
  token({ refresh_token, scope: "mcp:use", client_id: client, grant_type: "refresh_token" });
const refresh = async (client: string, tokens: Tokens): Promise<number> => (await refreshed(client, tokens)).status;

const statusAt = async (server: string, key: string): Promise<number> => (await new RelayClient(server, { key }).connect({})).status;

describe("discovery", () => {
  test("a client without a key is told where to read how to get in, and finds the whole way from there", async () => {
    const refused = await gateway("/mcp/notes", { key: null, method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
    expect(refused.status).toBe(401);
    const said = refused.headers.get("WWW-Authenticate") ?? "";
    expect(said).toBe(`Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp/notes", scope="mcp:use"`);
    const resource = (await (
      await gateway(new URL(/resource_metadata="([^"]+)"/.exec(said)?.[1] ?? "").pathname, { key: null })
    ).json()) as object;
    expect(resource).toEqual({
      resource: `${publicUrl}/mcp/notes`,
      authorization_servers: [publicUrl],
      scopes_supported: ["mcp:use"],
      bearer_methods_supported: ["header"],
      resource_name: "notes",
    });
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]) {
      const server = (await (await gateway(path, { key: null })).json()) as object;
      expect(server).toMatchObject({
        issuer: publicUrl,
        authorization_endpoint: `${publicUrl}/oauth/authorize`,
        token_endpoint: `${publicUrl}/oauth/token`,
        registration_endpoint: `${publicUrl}/oauth/register`,
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
      });
    }
  });

  test("is there before any server is", async () => {
    await configureServers({});
    expect((await gateway("/.well-known/oauth-authorization-server", { key: null })).status).toBe(200);
    const answer = await browser.get(`/inbox/connect?${queryFor(await register())}`);
    expect(answer.headers.get("Refresh")).toContain("error=invalid_target");
  });

  test("a wrong token is named as such; where nobody may connect a client, nothing of ours is announced", async () => {
    const wrong = await gateway("/mcp/notes", { key: "csk_wrong", method: "POST", body: "{}" });
    expect(wrong.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
    const own = await gateway("/mcp/own", { key: null, method: "POST", body: "{}" });
    expect(own.headers.get("WWW-Authenticate")).toBe("Bearer");
    const closed = await gateway("/mcp/closed", { key: null, method: "POST", body: "{}" });
    expect(closed.headers.get("WWW-Authenticate")).toBe("Bearer");
    for (const name of ["own", "closed", "none"])
      expect((await gateway(`/.well-known/oauth-protected-resource/mcp/${name}`, { key: null })).status).toBe(404);
  });

  test("the authorization endpoint leads to the inbox with all that was asked, and whoever is not signed in comes back there", async () => {
    const query = queryFor(await register());
    const sent = await gateway(`/oauth/authorize?${query}`, { key: null });
    expect([sent.status, sent.headers.get("Location")]).toEqual([303, `${publicUrl}/inbox/connect?${query}`]);
    const stranger = new InboxBrowser();
    const before = signInLinks(addresses.Grace).length;
    await stranger.ask(addresses.Grace, `/inbox/connect?${query}`);
    const answer = await stranger.enter(await newestSignInLink(addresses.Grace, before + 1));
    expect(answer.headers.get("Location")).toBe(`${publicUrl}${stranger.home}/connect?${query}`);
    expect(await stranger.text(`/inbox/connect?${query}`)).toContain("wants to connect");
  });
});

describe("a person lets a client in", () => {
  test("the page names the client, that nobody checked its name, the server, and where the access goes", async () => {
    const html = await browser.text(`/inbox/connect?${queryFor(await register({ client_name: "<b>Claude</b>" }))}`);
    for (const words of ["&lt;b&gt;Claude&lt;/b&gt;", "registered itself", "notes", "127.0.0.1", "this machine", "cannot approve anything"])
      expect(html).toContain(words);
    expect(html).not.toContain("<b>Claude</b>");
  });

  test("the page stands in no frame of another site", async () => {
    const { headers } = await browser.get(`/inbox/connect?${queryFor(await register())}`);
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
  });

  test("and it uses that server, as the person's own key would, and no other", async () => {
    const { tokens } = await connect();
    expect(tokens.expires_in).toBe(86_400);
    expect(await statusAt("notes", tokens.access_token)).toBe(200);
    expect(await statusAt("other", tokens.access_token)).toBe(401);
    expect(upstream.calls.every(({ headers }) => !(headers.get("Authorization") ?? "").includes(tokens.access_token))).toBe(true);
    const { keys } = (await (await admin("/keys")).json()) as { keys: readonly object[] };
    expect(keys.at(-1)).toMatchObject({
      name: "Inspector",
      owner: "Ada",
      servers: ["notes"],
      scopes: ["sampling"],
      oauthClient: { host: null },
    });
    for (const path of ["/runs/run_x", "/v1/models", "/admin/keys", "/sampling", "/approvals"])
      expect(
        (await gateway(path, { key: tokens.access_token, method: path === "/sampling" || path === "/approvals" ? "POST" : "GET" })).status,
      ).toBe(401);
  });

  test("the record has who let it in", async () => {
    await connect();
    const acts = await recordLines({});
    const made = acts.find(({ fact }) => fact.kind === "keyMade" && fact.name === "Inspector");
    expect(made?.fact).toMatchObject({ by: { kind: "inbox", email: addresses.Ada }, owner: "Ada" });
  });

  test("Cancel gives no key, and says so to the client", async () => {
    const before = (await configStub(env).keys()).length;
    const { to } = await decide(queryFor(await register()), { act: "cancel" });
    expect(to?.origin).toBe("http://127.0.0.1:33418");
    expect(Object.fromEntries(to?.searchParams ?? [])).toMatchObject({ error: "access_denied", state: "state-1", iss: publicUrl });
    expect((await configStub(env).keys()).length).toBe(before);
  });

  test("until tomorrow, where they choose so", async () => {
    const { tokens } = await connect({ end: "day" });
    expect(await statusAt("notes", tokens.access_token)).toBe(200);
    const [key] = (await configStub(env).keys()).slice(-1);
    expect(JSON.parse(key?.record ?? "{}")).toMatchObject({ expiresAt: expect.any(Number) as number });
  });

  test("with what the operator gives each client there, less the tools that the person excepts", async () => {
    const budget = { usd: 5, per: "month" };
    const given = { tools: { allow: ["read_*"], deny: ["read_all"] }, limits: { requestsPerMinute: 7 }, budget, mostDays: 30 };
    await configureServers({ ...servers, notes: { url, connections: { ...connections, ...given } } });
    const query = queryFor(await register());
    const html = await browser.text(`/inbox/connect?${query}`);
    for (const words of ["read_*", "read_all", "in 30 days"]) expect(html).toContain(words);
    expect(html).not.toContain("90 days without use");
    await decide(query, { act: "allow", end: "year", except: "read_private, read_mail*" });
    const { keys } = (await (await admin("/keys")).json()) as { keys: readonly { createdAt: string; expiresAt: string }[] };
    const key = keys.at(-1);
    expect(key).toMatchObject({
      limits: given.limits,
      tools: { allow: ["read_*"], deny: ["read_all", "read_private", "read_mail*"] },
      budget,
    });
    expect(Date.parse(key?.expiresAt ?? "") - Date.parse(key?.createdAt ?? "")).toBeLessThanOrEqual(30 * 86_400_000);
  });

  test("nobody does whom the server's entry does not name, and the page says who can change that", async () => {
    await configureServers({ ...servers, notes: { url, connections: { reviewers: ["Grace"] } } });
    const query = queryFor(await register());
    const answer = await browser.get(`/inbox/connect?${query}`);
    expect([answer.status, answer.headers.get("Refresh")]).toEqual([403, null]);
    expect(await answer.text()).toContain("may not connect clients to");
    const before = (await configStub(env).keys()).length;
    const form = new URLSearchParams({ act: "allow", nonce: "" });
    expect((await browser.post(`/inbox/connect?${query}`, form)).status).toBe(403);
    expect((await configStub(env).keys()).length).toBe(before);
  });

  test("Allow pressed twice at once gives one client that works, and no error", async () => {
    const client = await register();
    const one = queryFor(client);
    const form = await browser.form(`/inbox/connect?${one}`);
    form.set("act", "allow");
    const answers = await Promise.all([browser.post(`/inbox/connect?${one}`, form), browser.post(`/inbox/connect?${one}`, form)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const codes = answers.map((each) => new URL((each.headers.get("Refresh") ?? "").slice("0; url=".length)).searchParams.get("code"));
    const traded = await Promise.all(codes.map((code) => trade(client, code)));
    for (const { status, tokens } of traded) if (status === 200) expect(await statusAt("notes", tokens.access_token)).toBe(200);
    expect(traded.some(({ status }) => status === 200)).toBe(true);
    // Once more from the page that is still open: the client that it lets in is the same.
    const again = await browser.post(`/inbox/connect?${one}`, form);
    const { searchParams } = new URL((again.headers.get("Refresh") ?? "").slice("0; url=".length));
    const { status, tokens } = await trade(client, searchParams.get("code"));
    expect([status, await statusAt("notes", tokens.access_token)]).toEqual([200, 200]);
    const page = await browser.text("/inbox/connections");
    expect(page.match(/name="end"/g)).toHaveLength(1);
    const made = (await configStub(env).keys()).filter(({ record }) => record.includes("oauthClient"));
    expect(made).toHaveLength(1);
  });

  test.each([
    ["another address to go to", { redirect_uri: "https://evil.example/callback" }],
    ["an unknown client", { client_id: "nobody" }],
    ["a client whose metadata are inside", { client_id: "https://127.0.0.1/client.json" }],
  ])("%s is refused here, and the browser stays", async (_, of) => {
    const answer = await browser.get(`/inbox/connect?${queryFor(await register(), of)}`);
    expect([answer.status, answer.headers.get("Refresh"), answer.headers.get("Location")]).toEqual([400, null, null]);
    expect(await answer.text()).not.toContain("evil.example");
  });

  test.each([
    ["no PKCE", { code_challenge: "", code_challenge_method: "" }],
    ["a server that is not there", { resource: `${publicUrl}/mcp/none` }],
    ["a server with its own authorization", { resource: `${publicUrl}/mcp/own` }],
    ["a server that nobody may connect clients to", { resource: `${publicUrl}/mcp/closed` }],
    ["another gateway", { resource: "https://elsewhere.example/mcp/notes" }],
  ])("%s goes back to the client as an error, and asks nobody", async (_, of) => {
    const answer = await browser.get(`/inbox/connect?${queryFor(await register(), of)}`);
    const to = new URL((answer.headers.get("Refresh") ?? "").slice("0; url=".length));
    expect([to.origin, to.searchParams.has("error"), to.searchParams.has("code")]).toEqual(["http://127.0.0.1:33418", true, false]);
    expect(await answer.text()).not.toContain("Allow");
  });

  test("an error leads no browser to another host: whoever registered it may be anybody, and the page has a link", async () => {
    const elsewhere = "https://evil.example.net/callback";
    const client = await register({ redirect_uris: [elsewhere] });
    const query = queryFor(client, { redirect_uri: elsewhere, resource: `${publicUrl}/mcp/none` });
    const answer = await browser.get(`/inbox/connect?${query}`);
    expect([answer.status, answer.headers.get("Refresh"), answer.headers.get("Location")]).toEqual([400, null, null]);
    const html = await answer.text();
    expect(html).toMatch(/<a href="https:\/\/evil\.example\.net\/callback\?[^"]*error=invalid_target[^"]*"/);
    expect(html).toContain("cannot be connected");
  });

  test("a client with a secret of its own has to use PKCE as well", async () => {
    const client = await register({ token_endpoint_auth_method: "client_secret_basic" });
    const without = new URLSearchParams(queryFor(client));
    for (const name of ["code_challenge", "code_challenge_method"]) without.delete(name);
    const answer = await browser.get(`/inbox/connect?${without.toString()}`);
    expect(answer.headers.get("Refresh")).toContain("error=invalid_request");
    expect(await answer.text()).not.toContain("Allow");
    expect((await browser.get(`/inbox/connect?${queryFor(client)}`)).status).toBe(200);
  });

  test("a form of another client, of another session or from another site allows nothing", async () => {
    const [one, two] = [queryFor(await register()), queryFor(await register())];
    const form = await browser.form(`/inbox/connect?${one}`);
    form.set("act", "allow");
    expect((await browser.post(`/inbox/connect?${two}`, form)).status).toBe(403);
    const grace = new InboxBrowser();
    await grace.signIn(addresses.Grace);
    expect((await grace.post(`/inbox/connect?${one}`, form)).status).toBe(403);
    expect((await browser.post(`/inbox/connect?${one}`, form, { Origin: "https://evil.example" })).status).toBe(403);
    expect((await new InboxBrowser().post(`/inbox/connect?${one}`, form)).status).toBe(403);
    const before = await configStub(env).keys();
    expect(before.filter(({ record }) => record.includes("oauthClient") && record.includes("Grace"))).toEqual([]);
  });
});

describe("tokens", () => {
  test("a code is traded once, by its client, with its verifier", async () => {
    const client = await register();
    const { to } = await decide(queryFor(client), { act: "allow" });
    const code = to?.searchParams.get("code") ?? null;
    expect((await trade(client, code, { code_verifier: "another-0123456789-0123456789-0123456789-0123" })).status).toBe(400);
    expect((await trade(await register(), code)).status).toBe(400);
    const { status, tokens } = await trade(client, code);
    expect(status).toBe(200);
    expect((await trade(client, code)).status).toBe(400);
    // A code that comes twice was stolen: what it gave ends.
    expect(await statusAt("notes", tokens.access_token)).toBe(401);
  });

  test("are refreshed, and end with their time", async () => {
    const { client, tokens } = await connect();
    const again = await token({ grant_type: "refresh_token", client_id: client, refresh_token: tokens.refresh_token });
    expect(again.status).toBe(200);
    expect(await statusAt("notes", again.tokens.access_token)).toBe(200);
    travel(25 * 3_600_000);
    expect(await statusAt("notes", again.tokens.access_token)).toBe(401);
  });

  test("that are refreshed twice at once are refreshed", async () => {
    const { client, tokens } = await connect();
    const again = await Promise.all([refreshed(client, tokens), refreshed(client, tokens)]);
    expect(again.map(({ status }) => status)).toEqual([200, 200]);
    for (const each of again) expect(await statusAt("notes", each.tokens.access_token)).toBe(200);
    // Whichever of the two answers the client kept is good the next time.
    for (const each of again) expect(await refresh(client, each.tokens)).toBe(200);
    expect(await statusAt("notes", again[0].tokens.access_token)).toBe(200);
  });

  test("are given once for a code that is traded twice at once", async () => {
    const client = await register();
    const { to } = await decide(queryFor(client), { act: "allow" });
    const code = to?.searchParams.get("code") ?? null;
    const traded = await Promise.all([trade(client, code), trade(client, code)]);
    expect(traded.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const got = traded.find(({ status }) => status === 200);
    expect(await refresh(client, got?.tokens ?? ({} as Tokens))).toBe(200);
  });

  test("end for both where a thief refreshed first, once their client comes with the newer one", async () => {
    const { client, tokens } = await connect();
    const own = await refreshed(client, tokens);
    const stolen = await stolenFrom(client, tokens);
    expect([own.status, stolen.status]).toEqual([200, 200]);
    expect(await refresh(client, own.tokens)).toBe(400);
    expect(await refresh(client, stolen.tokens)).toBe(400);
    for (const each of [tokens, own.tokens, stolen.tokens]) expect(await statusAt("notes", each.access_token)).toBe(401);
    const [key] = (await configStub(env).keys()).slice(-1);
    expect(key?.revokedAt).toEqual(expect.any(Number));
  });

  test("end too where the thief sent the same bytes in the same moment, once both have gone on", async () => {
    const { client, tokens } = await connect();
    const [own, stolen] = await Promise.all([refreshed(client, tokens), refreshed(client, tokens)]);
    expect(stolen.tokens).toEqual(own.tokens);
    const next = await refreshed(client, own.tokens);
    const thiefs = await stolenFrom(client, stolen.tokens);
    expect([next.status, thiefs.status]).toEqual([200, 200]);
    expect(await refresh(client, next.tokens)).toBe(400);
    expect(await statusAt("notes", thiefs.tokens.access_token)).toBe(401);
  });

  test("are not shared with another client, nor after the moment, nor once they have ended", async () => {
    const { client, tokens } = await connect();
    const own = await refreshed(client, tokens);
    travel(11_000);
    const later = await refreshed(client, tokens);
    expect([later.status, later.tokens.refresh_token === own.tokens.refresh_token]).toEqual([200, false]);
    expect((await stolenFrom(await register(), tokens)).status).toBe(400);
    const next = await refreshed(client, later.tokens);
    await token({ token: next.tokens.access_token, client_id: client });
    expect(await refresh(client, later.tokens)).toBe(400);
  });

  test("end where an old one comes again, and a made-up one ends nothing", async () => {
    const { client, tokens } = await connect();
    const second = await refreshed(client, tokens);
    const third = await refreshed(client, second.tokens);
    const madeUp = third.tokens.refresh_token.replace(/:[^:]+$/, ":made-up");
    expect(await refresh(client, { ...tokens, refresh_token: madeUp })).toBe(400);
    expect(await statusAt("notes", third.tokens.access_token)).toBe(200);
    expect(await refresh(client, tokens)).toBe(400);
    expect(await statusAt("notes", third.tokens.access_token)).toBe(401);
  });

  test("are gone once the client revokes one of them, and another client cannot", async () => {
    const { client, tokens } = await connect();
    expect((await token({ token: tokens.access_token, client_id: await register() })).status).toBe(200);
    expect(await statusAt("notes", tokens.access_token)).toBe(200);
    expect((await token({ token: tokens.access_token, client_id: client })).status).toBe(200);
    expect(await statusAt("notes", tokens.access_token)).toBe(401);
    expect(await refresh(client, tokens)).toBe(400);
  });

  type Connected = { readonly client: string; readonly tokens: Tokens };
  const endings: readonly (readonly [string, (of: Connected) => Promise<unknown>])[] = [
    ["an access token is revoked", ({ client, tokens }) => token({ token: tokens.access_token, client_id: client })],
    ["a refresh token is revoked", ({ client, tokens }) => token({ token: tokens.refresh_token, client_id: client })],
    [
      "an old refresh token comes again",
      async ({ client, tokens }) => {
        const second = await refreshed(client, tokens);
        await refreshed(client, second.tokens);
        await refreshed(client, tokens);
      },
    ],
  ];
  test.each(endings)("take the open streams along where %s", async (_, end) => {
    const connected = await connect();
    const held = openStream();
    upstream.answer = ({ method, message }) => (method === "GET" || message.method === "tools/call" ? held.response() : undefined);
    const client = new RelayClient("notes", { key: connected.tokens.access_token });
    await client.connect();
    const streams = [new Stream(await client.call(7)), new Stream(await client.send({ method: "GET" }))];
    await end(connected);
    for (const stream of streams) await stream.rest();
    await eventually("the end of the server's stream", async () => held.isOver());
  });

  test("are refused with 401 at every endpoint where nobody here has heard yet that their key ended", async () => {
    const { tokens } = await connect();
    const client = new RelayClient("notes", { key: tokens.access_token });
    await client.connect();
    const [key] = (await configStub(env).keys()).slice(-1);
    await keyStub(env, key?.id ?? "").revoke();
    upstream.calls.length = 0;
    expect(await statusAt("notes", tokens.access_token)).toBe(401);
    for (const asked of [client.call(7), client.send({ method: "GET" }), client.send({ method: "DELETE" })])
      expect((await asked).status).toBe(401);
    expect(upstream.calls).toEqual([]);
  });
});

describe("registrations", () => {
  const week = 7 * 86_400_000;

  /** The object that has this client, and a thousand and one registrations more. */
  async function flood(client: string): Promise<DurableObjectStub<OAuthCalls>> {
    for (const id of await idsOf(env.OAUTH_STORE)) {
      const stub = env.OAUTH_STORE.get(id);
      if ((await stub.read(`client:${client}`)) === null) continue;
      await runInDurableObject(stub, (object: OAuthCalls) => {
        for (let made = 0; made <= 1_000; made += 1)
          object.write(`client:flood-${made}`, { value: "{}", metadata: null, expiresAt: Date.now() + week - 2_000 + made });
      });
      return stub;
    }
    throw new Error("no object has the client");
  }

  test("in any number push out those that nobody let in, the oldest first, and no client that is used", async () => {
    const { client, tokens } = await connect();
    const store = await flood(client);
    const { entries } = await store.names("client:flood-", null, 1_000);
    expect(entries.length).toBe(1_000);
    expect(entries.map(({ name }) => name)).not.toContain("client:flood-0");
    expect(await refresh(client, tokens)).toBe(200);
    expect(await statusAt("notes", tokens.access_token)).toBe(200);
  });

  test("from one address are refused in the end, and its clients still refresh", async () => {
    const { client, tokens } = await connect();
    const from = { "CF-Connecting-IP": "203.0.113.99", "Content-Type": "application/json" };
    const send = () => gateway("/oauth/register", { key: null, method: "POST", body: "{}", headers: from });
    await eventually("429", async () => (await Promise.all(Array.from({ length: 30 }, send))).find(({ status }) => status === 429));
    const answer = await gateway("/oauth/token", {
      key: null,
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", client_id: client, refresh_token: tokens.refresh_token }).toString(),
      headers: { ...from, "Content-Type": "application/x-www-form-urlencoded" },
    });
    expect(answer.status).toBe(200);
  });

  test("that nobody lets in are forgotten after a week, and the others are not", async () => {
    const forgotten = await register();
    const { client, tokens } = await connect();
    travel(week + 1_000);
    await browser.signIn(addresses.Ada);
    expect((await browser.get(`/inbox/connect?${queryFor(forgotten)}`)).status).toBe(400);
    expect((await browser.get(`/inbox/connect?${queryFor(client)}`)).status).toBe(200);
    expect(await refresh(client, tokens)).toBe(200);
  });

  test("are at most 32 KiB", async () => {
    const body = JSON.stringify({ client_name: "x".repeat(33_000), redirect_uris: [callback] });
    expect((await gateway("/oauth/register", { key: null, method: "POST", body })).status).toBe(400);
  });
});

describe("a person puts a client out", () => {
  test("from their own page: what it has opens nothing any more, and another person's page cannot", async () => {
    const { client, tokens } = await connect();
    const page = await browser.text("/inbox/connections");
    expect(page).toContain("Inspector");
    const key = /name="end" value="(key_[\w-]+)"/.exec(page)?.[1] ?? "";
    const grace = new InboxBrowser();
    await grace.signIn(addresses.Grace);
    const theirs = await grace.form("/inbox/connections");
    theirs.set("end", key);
    expect((await grace.post("/inbox/connections", theirs)).status).toBe(200);
    expect(await statusAt("notes", tokens.access_token)).toBe(200);
    const form = await browser.form("/inbox/connections");
    form.set("end", key);
    expect(await (await browser.post("/inbox/connections", form)).text()).toContain("It was ended");
    expect(await statusAt("notes", tokens.access_token)).toBe(401);
    const again = await token({ grant_type: "refresh_token", client_id: client, refresh_token: tokens.refresh_token });
    expect(again.status).toBe(400);
  });

  test("an operator's revocation of its key does the same", async () => {
    const { client, tokens } = await connect();
    const [key] = (await configStub(env).keys()).slice(-1);
    expect((await admin(`/keys/${key?.id}`, { method: "DELETE" })).status).toBe(204);
    expect(await statusAt("notes", tokens.access_token)).toBe(401);
    expect(await refresh(client, tokens)).toBe(400);
    expect(await browser.text("/inbox/connections")).not.toContain("Inspector");
  });

  test("its client does, by giving its tokens back: the key ends with them", async () => {
    const { client, tokens } = await connect();
    expect((await token({ token: tokens.refresh_token, client_id: client })).status).toBe(200);
    expect(await statusAt("notes", tokens.access_token)).toBe(401);
    const [key] = (await configStub(env).keys()).slice(-1);
    expect(key?.revokedAt).toEqual(expect.any(Number));
    const ended = (await recordLines({})).find(({ fact }) => fact.kind === "keyRevoked" && fact.key === key?.id);
    expect(ended?.fact).toMatchObject({ by: { kind: "connection" } });
  });

  test("ninety days do in which it never came: its key ends too, and a code that was never traded leaves none", async () => {
    await connect();
    await decide(queryFor(await register({ client_name: "Never came" })), { act: "allow" });
    travel(91 * 86_400_000);
    for (const id of await idsOf(env.OAUTH_STORE)) await runDurableObjectAlarm(env.OAUTH_STORE.get(id));
    const keys = await configStub(env).keys();
    expect(keys.filter(({ record, revokedAt }) => record.includes("oauthClient") && revokedAt === null)).toEqual([]);
  });

  test("the end that they chose does: nothing is refreshed behind it", async () => {
    const { client, tokens } = await connect({ end: "day" });
    travel(12 * 3_600_000);
    const later = await refreshed(client, tokens);
    expect(await statusAt("notes", later.tokens.access_token)).toBe(200);
    travel(12 * 3_600_000);
    // The token itself would be good for half a day more.
    expect(await statusAt("notes", later.tokens.access_token)).toBe(401);
    expect(await refresh(client, later.tokens)).toBe(400);
  });

  test("an operator who closes the server to them does", async () => {
    const { client, tokens } = await connect();
    await configureServers({ ...servers, notes: { url, connections: { reviewers: ["Grace"] } } });
    await eventually("the refusal", async () => (await statusAt("notes", tokens.access_token)) === 401 || null);
    expect(await refresh(client, tokens)).toBe(400);
  });

  test("with the address that let it in: whoever has their name in the policy next has no client of theirs", async () => {
    const { client, tokens } = await connect();
    expect(await statusAt("notes", tokens.access_token)).toBe(200);
    await configureInbox({}, [{ name: "Ada", email: "successor@example.com" }]);
    await eventually("the refusal", async () => (await statusAt("notes", tokens.access_token)) === 401 || null);
    expect(await refresh(client, tokens)).toBe(400);
  });

  test("with the person: whoever leaves the policy has no client there", async () => {
    const { tokens } = await connect();
    await configureInbox({}, [{ name: "Grace", email: addresses.Grace }]);
    await eventually("the refusal", async () => (await statusAt("notes", tokens.access_token)) === 401 || null);
  });
});
